//! The tournament file as checked values.

mod between_players;
mod features;
mod file_location;
mod flaw;
mod format;
mod host_name;
mod name;
mod player_draft;
mod player_kind;
mod players;
pub(crate) mod problem;
pub(crate) mod problem_places;
mod program_keys;
pub(crate) mod quoted;
pub(crate) mod read_values;
mod resource_keys;
mod rules_table;
pub(crate) mod section;
mod template;
mod token;
mod toml_literals;
pub(crate) mod top_level;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::word_enum::words;
use crate::exact::adjudication::Adjudication;
use crate::game::rules::{Ruleset, Side};
use crate::players::bots::Builtin;
use crate::referee::clock::{Meter, TimeControl};
use crate::referee::sans_io::Endings;

pub use file_location::{Site, normal};
pub use flaw::Flaw;
pub use format::{Format, Legs, SwissPairing};
pub use host_name::{HostName, InvalidHost};
pub(crate) use name::FORMULA_SIGNS;
pub use name::{InvalidName, PlayerName, slug};
pub use problem::{FileProblem, FileProblems, LineColumn};
pub use quoted::Quoted;
pub use resource_keys::Resources;
pub use template::{Placeholder, Template, TemplateFlaw};
pub use token::{InvalidToken, PlayerToken};
pub(crate) use toml_literals::{duration, size};

/// The tournament that is played if no file is named: tournaments/class.toml.
pub const CLASS_TOML: &str = include_str!("../../tournaments/class.toml");

/// The JSON Schema (draft 7) of tournament files, for editors. It is written by hand, as is the reader of tournament files,
/// which reports all mistakes at once. tests/it/schema.rs holds the two to each other and to the documentation.
pub const TOURNAMENT_SCHEMA: &str = include_str!("../../tournaments/tournament.schema.json");

/// A whole tournament, as its file describes it.
///
/// Invariant: there are at least two players, and as many as the format takes; their names are unique, and so are their slugs;
/// remote players differ in name and token, or in address.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct Tournament {
    /// The tournament's name, which is the Event tag of its logs.
    pub name: String,
    /// The rules.
    pub ruleset: Ruleset,
    /// Which players meet, and how often.
    pub format: Format,
    /// The seed of all randomness.
    pub seed: u64,
    /// How many games are played at a time; `None` leaves it to the machine.
    pub concurrency: Option<NonZeroUsize>,
    /// The clocks.
    pub time_control: TimeControl,
    /// What the clocks count.
    pub meter: Meter,
    /// Whether workers scale the clocks by how much slower or faster they are than the coordinator. If so, there are clocks.
    pub scale_time: bool,
    /// What a bot may do while its opponent is to move.
    pub between_moves: BetweenMoves,
    /// The limits of one game.
    pub limits: GameLimits,
    /// Whether the file leaves `illegal_tries` to the default, which was lower in earlier versions.
    pub default_tries: bool,
    /// What the remaining player is told when the other one failed.
    pub endings: Endings,
    /// When games are ended by proof; `None` is never.
    pub adjudicate: Option<Adjudication>,
    /// How many given plies each game starts with; 0 is the empty board. Unless it is 0, all players understand openings.
    pub opening_plies: u32,
    /// Whether games start only from the openings that are nearest to a draw. If so, [`crate::exact::balanced_openings`] knows those of
    /// `opening_plies` plies.
    pub balanced: bool,
    /// Whether each bot has a core to itself, if there are enough.
    pub affinity: bool,
    /// Whether bots are confined.
    pub isolation: Isolation,
    /// The arena's one public address, for remote players that give name and token.
    pub listen: Option<SocketAddr>,
    /// The players, in the order of the file.
    pub players: Vec<Player>,
}

impl Tournament {
    /// Reads a tournament file. `default_name` is the tournament's name if `text` gives none; usually it is the stem of the
    /// file's name.
    ///
    /// # Errors
    /// Everything that is wrong with the file, each problem with line and column. An error in the TOML itself may hide others
    /// until it is fixed.
    pub fn parse(text: &str, default_name: &str) -> Result<Self, FileProblems> {
        top_level::tournament(text, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse`], from the bytes of a file.
    ///
    /// # Errors
    /// When `content` is not UTF-8, and as [`Tournament::parse`].
    pub fn parse_bytes(content: &[u8], default_name: &str) -> Result<Self, FileProblems> {
        Self::parse_at(content, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse_bytes`]. `site` says where the file lies, and so which directories would show it to a bot.
    ///
    /// # Errors
    /// As [`Tournament::parse_bytes`].
    pub fn parse_at(content: &[u8], default_name: &str, site: &Site<'_>) -> Result<Self, FileProblems> {
        match str::from_utf8(content) {
            Ok(text) => top_level::tournament(text, default_name, site),
            Err(error) => Err(top_level::not_utf8(content, error.valid_up_to())),
        }
    }

    /// How many bots of one game may think at the same time.
    pub fn thinkers(&self) -> NonZeroUsize {
        match self.between_moves {
            BetweenMoves::Run => NonZeroUsize::MIN.saturating_add(1),
            BetweenMoves::Freeze => NonZeroUsize::MIN,
        }
    }
}

/// The limits of one game, with the defaults that the documentation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameLimits {
    /// How many refused moves (291) a player may make in one game; one more forfeits. `None` is no limit.
    pub illegal_tries: Option<u32>,
    /// How many garbled lines (299) a player may send in one game; one more forfeits. `None` is no limit.
    pub garbled_tries: Option<u32>,
    /// The time from a program's start to its hello.
    pub hello_timeout: Duration,
    /// How long a game waits for a remote player.
    pub join_timeout: Duration,
    /// How often one run replays a game that is void through no player's fault.
    pub void_retries: u32,
    /// How long a build may take.
    pub build_timeout: Duration,
    /// The time for all thinking of both sides in a game without clocks. `None` is no limit.
    pub game_limit: Option<Duration>,
    /// How long a player may take to leave after the end.
    pub quit_timeout: Duration,
    /// How much of a bot's stdout and of its stderr is kept, in bytes.
    pub output_cap: usize,
}

/// The default of `illegal_tries`. The programs of the course try moves before they check them: the most refused moves that one
/// of them made in a game is 5. Four times that ends no game that would have ended by itself, and still stops a bot that tries
/// one point for ever within milliseconds.
pub const ILLEGAL_TRIES: u32 = 20;

/// The default of `illegal_tries` in earlier versions, as their journals hold it.
pub const FORMER_ILLEGAL_TRIES: u32 = 3;

impl Default for GameLimits {
    fn default() -> Self {
        Self {
            illegal_tries: Some(ILLEGAL_TRIES),
            garbled_tries: Some(10),
            hello_timeout: Duration::from_secs(10),
            join_timeout: Duration::from_mins(5),
            void_retries: 2,
            build_timeout: Duration::from_mins(5),
            game_limit: Some(Duration::from_mins(10)),
            quit_timeout: Duration::from_secs(2),
            output_cap: 64 * 1024,
        }
    }
}

/// A player of the tournament.
#[derive(Clone, Debug)]
pub struct Player {
    /// The player's name.
    pub name: PlayerName,
    /// The player's kind.
    pub kind: PlayerKind,
    /// The only side that the player plays, if it does not play both.
    pub only_side: Option<Side>,
    /// Whether the player is told of its clock. Otherwise the clock runs, and the player gets the lines of a game without clocks.
    pub is_told_clock: bool,
}

impl Player {
    /// A player that plays both sides and is told of its clock.
    pub const fn new(name: PlayerName, kind: PlayerKind) -> Self {
        Self { name, kind, only_side: None, is_told_clock: true }
    }
}

/// A player's kind: who starts it, and how.
#[derive(Clone, Debug)]
pub enum PlayerKind {
    /// A program that the arena starts.
    Program(Program),
    /// One of the arena's own bots, run as a child process like any other program.
    Builtin(Builtin),
    /// A player that connects by itself.
    Remote(Remote),
}

/// A program that the arena starts anew for every game.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments: at least the program.
    pub command: Vec<Template>,
    /// The working directory, relative to the tournament file; `None` is that file's own directory.
    pub dir: Option<PathBuf>,
    /// Additional environment.
    pub env: Vec<(String, Template)>,
    /// The variables that the program gets from the arena's own environment, besides those that every program gets.
    pub pass_env: Vec<String>,
    /// The build command, which runs once in `dir` before the first game.
    pub build: Option<Vec<String>>,
    /// Whether a confined build may use the network.
    pub build_network: bool,
    /// How the program speaks the protocol.
    pub transport: Transport,
    /// What the program may use up in a game.
    pub resources: Resources,
    /// The paths, relative to the tournament file, that the program may read besides the system, its `dir` and its own files.
    pub readable: Vec<PathBuf>,
    /// Whether the program runs in a copy of its `dir`, which it may change. Each game gets a fresh copy.
    pub writable: bool,
    /// The names of hosts that are written into the program. Where the program has a loopback of its own, each name leads to
    /// its seat.
    pub hosts: Vec<HostName>,
}

/// Whether bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// Bots must be confined by namespaces, or the run does not begin.
    Require,
    /// Bots are confined as well as the machine can.
    #[default]
    Auto,
    /// Bots are not confined.
    Off,
}

words! { pub Isolation; Require => "require", Auto => "auto", Off => "off" }

/// What a bot may do while its opponent is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BetweenMoves {
    /// The bot goes on running, and so may think in its opponent's time.
    #[default]
    Run,
    /// All processes of the bot are stopped.
    Freeze,
}

words! { pub BetweenMoves; Run => "run", Freeze => "freeze" }

impl Program {
    /// The program itself, without arguments, which is the same in every game.
    pub fn executable(&self) -> String {
        self.command.first().map(|program| program.fill(|_| String::new())).unwrap_or_default()
    }

    /// The working directory, given the directory `base` of the tournament file.
    pub fn working_dir(&self, base: &Path) -> PathBuf {
        self.dir.as_ref().map_or_else(|| base.to_owned(), |dir| base.join(dir))
    }

    /// Whether the command or the environment contains `placeholder`.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        let env = self.env.iter().map(|(_, value)| value);
        self.command.iter().chain(env).any(|template| template.mentions(placeholder))
    }
}

/// How a program speaks the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// The program connects to the referee.
    #[default]
    Tcp,
    /// The program speaks on its stdin and stdout.
    Stdio,
    /// The program is an engine that speaks the Go Text Protocol on its stdin and stdout.
    Gtp,
}

words! { pub Transport; Tcp => "tcp", Stdio => "stdio", Gtp => "gtp" }

impl Transport {
    /// Whether the program speaks on its stdin and stdout, and so has no address to connect to.
    pub const fn is_piped(self) -> bool {
        match self {
            Self::Tcp => false,
            Self::Stdio | Self::Gtp => true,
        }
    }
}

/// A player that connects by itself.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The token that the player's hello must give after its name on the public address.
    pub token: Option<PlayerToken>,
    /// An address of the player's own. There, its hello needs no name.
    pub listen: Option<SocketAddr>,
}
