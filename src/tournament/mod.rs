//! The games to play: the tournament file and everything that can be determined from it before the first game.
//!
//! Input: the text of a tournament file, and results so far. Output: validated values, the schedule of games, and the
//! identity of a run.
//!
//! | room | contents |
//! | --- | --- |
//! | `advantages` | handicaps and compensations that belong to a player |
//! | `advice` | what a user should know about a tournament before it is played |
//! | `definition` | the part of a tournament that identifies a run, its digest, and its changes |
//! | `file` | the reader of tournament files, which reports all problems in one pass |
//! | `format` | who meets whom, and how often |
//! | `game_limits` | the limits of one game, and their defaults |
//! | `host_name` | host names that are hard-coded in bots |
//! | `ladder` | players that hand in versions, and the terms of a ladder |
//! | `player` | a player: a program, a built-in bot or a remote player |
//! | `player_name` | names of players, and their slugs |
//! | `player_token` | the secret of a remote player |
//! | `quoted` | the user's text, as quoted in messages |
//! | `resources` | the resources that a bot may use in a game |
//! | `schedule` | the games of a tournament, generated lazily |
//! | `shard` | the part of a tournament played by one of several machines |
//! | `sprt` | the sequential test of two players, using colour-swapped pairs |
//! | `summary` | the tournament in two lines |
//! | `template` | text with placeholders |

mod advantages;
pub(crate) mod advice;
pub mod definition;
pub mod file;
mod format;
mod game_limits;
mod host_name;
pub mod ladder;
mod player;
mod player_name;
mod player_token;
mod quoted;
mod resources;
pub mod schedule;
pub mod shard;
pub mod sprt;
pub(crate) mod summary;
mod template;

use std::net::SocketAddr;
use std::num::NonZeroUsize;

use crate::base::word_enum::words;
use crate::exact::adjudication::Adjudication;
use crate::game::{BySeat, Ruleset};
use crate::referee::clock::Meter;
use crate::referee::sans_io::Endings;
use crate::referee::time_control::TimeControl;
use ladder::Ladder;
use schedule::PlayerIndex;

pub use advantages::{Advantages, PlayerCompensation, PlayerHandicap};
pub use format::{Format, Legs, TablesEach};
pub use game_limits::{GameLimits, ILLEGAL_TRIES};
pub use host_name::{HostName, InvalidHost};
pub use player::{Player, PlayerKind, PlayerTeam, Program, Remote, TeamBot, TeamMember, Transport};
pub(crate) use player_name::FORMULA_SIGNS;
pub use player_name::{InvalidName, PlayerName, slug};
pub use player_token::{InvalidToken, PlayerToken};
pub use quoted::Quoted;
pub use resources::Resources;
pub use template::{Placeholder, Template, TemplateFlaw};

/// A whole tournament, as described by its file.
///
/// Invariant: there are at least two players, counting the entries of a ladder, and the format allows their number;
/// their names are unique, and so are their slugs; remote players differ in name and token, or in address.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// The tournament's name, which is the Event tag of its logs.
    pub name: String,
    /// The rules of every game in which no player has an advantage.
    pub ruleset: Ruleset,
    /// The advantages that some players have regardless of their seats.
    pub advantages: Advantages,
    /// Which players meet, and how often.
    pub format: Format,
    /// The seed of all randomness.
    pub seed: u64,
    /// How many games are played at the same time; `None` means that this depends on the machine.
    pub concurrency: Option<NonZeroUsize>,
    /// The clocks.
    pub time_control: TimeControl,
    /// What the clocks measure.
    pub meter: Meter,
    /// Whether workers scale the clocks by how much slower or faster they are than the coordinator. This implies that
    /// there are clocks.
    pub scale_time: bool,
    /// What a bot may do while its opponent is to move.
    pub between_moves: BetweenMoves,
    /// The limits of one game.
    pub limits: GameLimits,
    /// The line that the remaining player is sent when its opponent has failed.
    pub endings: Endings,
    /// When games are ended by proof; `None` means never.
    pub adjudicate: Option<Adjudication>,
    /// How many plies of an opening each game starts with; 0 means the initial position. If the number is not 0, all
    /// players understand openings.
    pub opening_plies: u32,
    /// Whether games start only from the openings nearest to a draw. If so, the openings of `opening_plies` plies are
    /// available in [`crate::exact::balanced_openings`].
    pub balanced: bool,
    /// Whether each bot has a core to itself, if there are enough.
    pub affinity: bool,
    /// Whether bots are confined.
    pub isolation: Isolation,
    /// Who may read what bots report about their thinking.
    pub thoughts: ThoughtReaders,
    /// The arena's single public address, for remote players that send their name and token.
    pub listen: Option<SocketAddr>,
    /// The players, in the order of the file. In a ladder, these are the players without versions, followed by the
    /// versions that have been accepted.
    pub players: Vec<Player>,
    /// The part of the file that only a ladder has; present if and only if the format is [`Format::Ladder`].
    pub ladder: Option<Ladder>,
}

impl Tournament {
    /// The rules of a game of `players`.
    pub fn rules_of(&self, players: &BySeat<PlayerIndex>) -> Ruleset {
        self.advantages.rules(self.ruleset, players)
    }

    /// How many bots in one game may think at the same time.
    pub fn thinkers(&self) -> NonZeroUsize {
        match self.between_moves {
            BetweenMoves::Run => NonZeroUsize::new(self.ruleset.seats().into()).unwrap_or(NonZeroUsize::MIN),
            BetweenMoves::Freeze => NonZeroUsize::MIN,
        }
    }
}

/// Whether bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Bots must be confined by namespaces; otherwise the run does not start.
    Require,
    /// Bots are confined as well as possible on this machine.
    #[default]
    Auto,
    /// Bots are not confined.
    Off,
}

words! { pub Isolation; Require => "require", Auto => "auto", Off => "off" }

/// What a bot may do while its opponent is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BetweenMoves {
    /// The bot keeps running, and can thus think in its opponent's time.
    #[default]
    Run,
    /// All processes of the bot are stopped.
    Freeze,
}

words! { pub BetweenMoves; Run => "run", Freeze => "freeze" }

/// Who may read what bots report about their thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThoughtReaders {
    /// Everyone who may read the logs.
    #[default]
    Private,
    /// Everyone who may read the pages.
    Public,
}

words! { pub ThoughtReaders; Private => "private", Public => "public" }
