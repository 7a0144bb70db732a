//! The tournament file's values, all checked.

mod between_players;
mod features;
mod flaw;
mod format;
mod literal;
mod name;
mod player_draft;
mod player_kind;
mod players;
mod problem;
mod program_keys;
mod quoted;
mod reader;
mod resource_keys;
mod section;
mod site;
mod template;
mod top_level;
mod values;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::words::words;
use crate::exact::adjudication::Adjudication;
use crate::game::rules::Ruleset;
use crate::players::bots::Builtin;
use crate::referee::clock::{Meter, TimeControl};
use crate::referee::sans_io::Endings;

pub use flaw::Flaw;
pub use format::{Format, Legs};
pub(crate) use literal::duration;
pub use name::{InvalidName, InvalidToken, PlayerName, Token};
pub use problem::{FileProblem, FileProblems, LineColumn};
pub use quoted::Quoted;
pub use site::{Site, normal};
pub use template::{Placeholder, Template, TemplateFlaw};

/// The tournament that is played where no file is named: tournaments/class.toml.
pub const CLASS_TOML: &str = include_str!("../../tournaments/class.toml");

/// A whole tournament, as its file describes it.
///
/// Invariant: at least two players, and as many as the format takes; their names are unique, and so are their slugs;
/// remote players can be told apart by name and token or by address.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its name, the logs' Event tag.
    pub name: String,
    /// The rules.
    pub ruleset: Ruleset,
    /// Who meets whom how often.
    pub format: Format,
    /// What all randomness derives from.
    pub seed: u64,
    /// Games at a time; `None` leaves it to the machine.
    pub concurrency: Option<NonZeroUsize>,
    /// The clocks.
    pub time_control: TimeControl,
    /// What they count.
    pub meter: Meter,
    /// What a bot may do while its opponent is on move.
    pub between_moves: BetweenMoves,
    /// What a game may cost.
    pub limits: GameLimits,
    /// Whether the file leaves `illegal_tries` to the default, which was another in earlier versions.
    pub default_tries: bool,
    /// What the player left over is told when the other failed.
    pub endings: Endings,
    /// When games are ended by proof; `None`: never.
    pub adjudicate: Option<Adjudication>,
    /// With how many given plies each game starts; 0 is the empty board. All players understand them unless it is 0.
    pub opening_plies: u32,
    /// Whether only those openings are taken that are nearest to a draw; [`crate::exact::balance`] knows them for that many plies.
    pub balanced: bool,
    /// Whether each bot has a core to itself, where there are enough.
    pub affinity: bool,
    /// Whether bots are confined.
    pub isolation: Isolation,
    /// The arena's one public address, for remote players that give name and token.
    pub listen: Option<SocketAddr>,
    /// The players, in the order of the file.
    pub players: Vec<Player>,
}

impl Tournament {
    /// Reads a tournament file. `default_name` is the tournament's name where `text` gives none, as a rule the stem of
    /// the file's name.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with line and column. After an error in the TOML itself, some of the
    /// rest may only come to light once that is mended.
    pub fn parse(text: &str, default_name: &str) -> Result<Self, FileProblems> {
        top_level::tournament(text, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse`], from a file's content as it is.
    ///
    /// # Errors
    /// Where `content` is not UTF-8, and whatever [`Tournament::parse`] has to say.
    pub fn parse_bytes(content: &[u8], default_name: &str) -> Result<Self, FileProblems> {
        Self::parse_at(content, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse_bytes`]; `site` says where the file lies, and so which directories would show it to a bot.
    ///
    /// # Errors
    /// Those of [`Tournament::parse_bytes`].
    pub fn parse_at(content: &[u8], default_name: &str, site: &Site<'_>) -> Result<Self, FileProblems> {
        match str::from_utf8(content) {
            Ok(text) => top_level::tournament(text, default_name, site),
            Err(error) => Err(top_level::not_utf8(content, error.valid_up_to())),
        }
    }

    /// How many bots of a game may think at a time.
    pub fn thinkers(&self) -> NonZeroUsize {
        match self.between_moves {
            BetweenMoves::Run => NonZeroUsize::MIN.saturating_add(1),
            BetweenMoves::Freeze => NonZeroUsize::MIN,
        }
    }

    /// The player called `name`, as it is written in the file.
    pub fn player_by_name(&self, name: &str) -> Option<&Player> {
        self.players.iter().find(|player| player.name.as_str() == name)
    }
}

/// Bounds on one game, with the defaults that the documentation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameLimits {
    /// Refused moves (291) that a player may make in one game; one more forfeits. `None`: no bound.
    pub illegal_tries: Option<u32>,
    /// Garbled lines (299) that a player may send in one game; one more forfeits. `None`: no bound.
    pub garbled_tries: Option<u32>,
    /// From a program's start to its hello.
    pub hello_timeout: Duration,
    /// How long a game waits for a remote player.
    pub join_timeout: Duration,
    /// How often a game that came to nothing by no player's fault is played again in one run.
    pub void_retries: u32,
    /// How long a build may take.
    pub build_timeout: Duration,
    /// All thinking of both sides in a game without clocks. `None`: no bound.
    pub game_limit: Option<Duration>,
    /// How long a player has to leave after the end.
    pub quit_timeout: Duration,
    /// How much of a bot's stdout and of its stderr is kept, in bytes.
    pub output_cap: usize,
}

/// The default of `illegal_tries`. The programs of the course try before they look: the most that one of them was seen to be
/// refused in a game is 5. Four times that ends no game that would have come to an end, and a bot that tries one point for ever
/// is still stopped within milliseconds.
pub const ILLEGAL_TRIES: u32 = 20;

/// What the default of `illegal_tries` was in earlier versions, whose journals hold it.
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

/// An entrant.
#[derive(Clone, Debug)]
pub struct Player {
    /// Its name.
    pub name: PlayerName,
    /// How it comes to its games.
    pub kind: PlayerKind,
}

/// How a player comes to its games.
#[derive(Clone, Debug)]
pub enum PlayerKind {
    /// A program that the arena starts.
    Program(Program),
    /// One of the arena's own bots, run as a child process like any other program.
    Builtin(Builtin),
    /// A player that connects by itself.
    Remote(Remote),
}

/// A program to start anew for every game.
#[derive(Clone, Debug)]
pub struct Program {
    /// Program and arguments, at least the program.
    pub command: Vec<Template>,
    /// The working directory, relative to the tournament file; `None` is that file's own directory.
    pub dir: Option<PathBuf>,
    /// Additional environment.
    pub env: Vec<(String, Template)>,
    /// The names of variables that it gets from the arena's own environment beside those that every program gets.
    pub pass_env: Vec<String>,
    /// What to run once before the first game, in `dir`.
    pub build: Option<Vec<String>>,
    /// Whether that may use the network, where it is confined.
    pub build_network: bool,
    /// How it speaks.
    pub transport: Transport,
    /// What it may use up in a game.
    pub resources: Resources,
    /// What it may read beside the system, its `dir` and its own files, relative to the tournament file.
    pub readable: Vec<PathBuf>,
    /// Whether it runs in a copy of its `dir`, made anew for each game, which it may change.
    pub writable: bool,
}

/// What a bot may use up in one game, all its processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Bytes of memory.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// CPU time; `None`: no bound but the clocks.
    pub cpu: Option<Duration>,
    /// Bytes in its scratch space.
    pub scratch: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Bytes written to stdout, where that is not its connection, and stderr.
    pub output: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self { memory: 2 << 30, processes: 256, cpu: None, scratch: 256 << 20, open_files: 1024, output: 64 << 20 }
    }
}

/// Whether bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// They must be, by namespaces; else the run does not begin.
    Require,
    /// As well as the machine can.
    #[default]
    Auto,
    /// They are not.
    Off,
}

words! { pub Isolation; Require => "require", Auto => "auto", Off => "off" }

/// What a bot may do while its opponent is on move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BetweenMoves {
    /// Go on running, and so think in its opponent's time.
    #[default]
    Run,
    /// Nothing: all its processes are stopped.
    Freeze,
}

words! { pub BetweenMoves; Run => "run", Freeze => "freeze" }

impl Program {
    /// The program itself, which is the same in every game.
    pub fn executable(&self) -> String {
        self.command.first().map(|program| program.fill(|_| String::new())).unwrap_or_default()
    }

    /// The working directory, `base` being the directory of the tournament file.
    pub fn working_dir(&self, base: &Path) -> PathBuf {
        self.dir.as_ref().map_or_else(|| base.to_owned(), |dir| base.join(dir))
    }

    /// Whether `placeholder` stands in the command or in the environment.
    pub fn mentions(&self, placeholder: Placeholder) -> bool {
        let env = self.env.iter().map(|(_, value)| value);
        self.command.iter().chain(env).any(|template| template.mentions(placeholder))
    }
}

/// How a program speaks the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// It connects to the referee.
    #[default]
    Tcp,
    /// On its stdin and stdout.
    Stdio,
}

words! { pub Transport; Tcp => "tcp", Stdio => "stdio" }

/// A player that connects by itself.
#[derive(Clone, Debug)]
pub struct Remote {
    /// What its hello must give behind its name on the public address.
    pub token: Option<Token>,
    /// An address of its own, where no name is needed.
    pub listen: Option<SocketAddr>,
}
