//! A run, from its first game to its last line on disk.
//!
//! Input: a tournament and its schedule. Output: events, the journal, and the files derived from it. `serve` plays the
//! same game between two players that connect on their own.
//!
//! | room | contents |
//! | --- | --- |
//! | `accuracy` | how accurately the players played in a run |
//! | `addition` | the additions to a run in progress |
//! | `analysis_cache` | the file in which a run stores the analyses of its games |
//! | `bot_stderr` | the stderr of the bots of a game, by ply |
//! | `cached_analyst` | analyzes games, unless the cache of their run contains sufficient analyses |
//! | `campaign` | the decisions about a run: its journal, tournament, replays, cores and confinement |
//! | `collector` | handles events: first for the journal, then for the derived files, then for the listeners |
//! | `derived` | the files derived from a journal: game logs and tables |
//! | `elsewhere` | the interface between the executor and other machines |
//! | `entrants` | the players before the first game: located, built if necessary, and digested |
//! | `event` | the events of a run |
//! | `excused` | everything that the machine has spoiled, listed at the end |
//! | `executor` | decides which game is next, and runs the threads for games |
//! | `game_files` | the games in the runs, CSV files and logs that a user names |
//! | `growth` | the interface to whatever adds players and games during a run |
//! | `journal` | the source of truth of a run: checked lines, the resulting state, the lock, the writer |
//! | `listener` | the listeners of a run, and the bounded queues that feed them |
//! | `locked_file` | files that only one process at a time may write |
//! | `play` | one game, from empty seats to its record |
//! | `reporter` | events as lines on stderr |
//! | `results_dir` | a results directory: its files, and how they are read |
//! | `serve` | the referee without a tournament |

pub(crate) mod accuracy;
pub mod addition;
pub mod analysis_cache;
pub(crate) mod bot_stderr;
pub(crate) mod cached_analyst;
pub(crate) mod campaign;
pub mod collector;
pub(crate) mod derived;
pub mod elsewhere;
pub mod entrants;
pub mod event;
pub(crate) mod excused;
pub mod executor;
pub(crate) mod game_files;
pub mod growth;
pub mod journal;
pub mod listener;
pub(crate) mod locked_file;
pub mod play;
pub mod reporter;
pub mod results_dir;
pub mod serve;
#[cfg(test)]
pub(crate) mod unplayed_record;
