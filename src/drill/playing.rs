//! Plays the scenarios that test whether bots are ready: the effects of [`crate::drill::script`].
//!
//! Bots are prepared, confined and started exactly as for a run. Only the opponent is different: a
//! [`Rival`](crate::drill::script::Rival) in this process instead of a player.
//!
//! | room | contents |
//! | --- | --- |
//! | `bout_turn` | the bot's turn in a bout, and what it costs |
//! | `drill_news` | progress reports of a drill |
//! | `played_bout` | one bout: the bot in its seat, lines and times, and how the bot leaves |
//! | `seating` | where bots take their seats: started by the arena, or by hand |
//! | `preparing` | finds, builds and confines the players as for a run |
//! | `searching_rivals` | the opponents that use a search |
//! | `transcripts` | the transcripts of trials, as files |
//! | `tried_players` | a drill of several players, with the causes of failures |
//! | `trials` | which scenarios are played on which side, and their outcomes |

mod bout_turn;
mod drill_news;
mod played_bout;
mod preparing;
mod searching_rivals;
mod seating;
mod transcripts;
mod trials;
mod tried_players;

use drill_news::DrillNews;
pub(crate) use preparing::{Prepared, PreparedPlayer, Unready, awaited, prepare};
pub(crate) use transcripts::{write_new, write_transcripts};
use trials::Drill;
pub(crate) use tried_players::{DrillSetup, DrillTelling, DrilledGame, TriedPlayers, try_players};
