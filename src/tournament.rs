//! The tournament file's values, all checked.

use std::fmt;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::clock::TimeControl;
use crate::rules::Ruleset;

/// A whole tournament, as its file describes it.
///
/// Invariant: at least two players; their names are unique, and so are their slugs; remote players can be told apart by
/// name and token or by address.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Its name, the logs' Event tag.
    pub name: String,
    /// The rules.
    pub ruleset: Ruleset,
    /// How often each pair meets, twice a round, once with each colour.
    pub rounds: NonZeroU32,
    /// What all randomness derives from.
    pub seed: u64,
    /// Games at a time; `None` leaves it to the machine.
    pub concurrency: Option<NonZeroUsize>,
    /// The clocks.
    pub time_control: TimeControl,
    /// What a game may cost.
    pub limits: GameLimits,
    /// What the player left over is told when the other failed.
    pub endings: Endings,
    /// The arena's one public address, for remote players that give name and token.
    pub listen: Option<SocketAddr>,
    /// The players, in the order of the file.
    pub players: Vec<Player>,
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
    /// How long a build may take.
    pub build_timeout: Duration,
    /// All thinking of both sides in a game without clocks. `None`: no bound.
    pub game_limit: Option<Duration>,
    /// How long a player has to leave after the end.
    pub quit_timeout: Duration,
    /// How much of a bot's stdout and of its stderr is kept, in bytes.
    pub output_cap: usize,
}

impl Default for GameLimits {
    fn default() -> Self {
        Self {
            illegal_tries: Some(3),
            garbled_tries: Some(10),
            hello_timeout: Duration::from_secs(10),
            join_timeout: Duration::from_mins(5),
            build_timeout: Duration::from_mins(5),
            game_limit: Some(Duration::from_mins(10)),
            quit_timeout: Duration::from_secs(2),
            output_cap: 64 * 1024,
        }
    }
}

/// What the player left over is told when its opponent crashed, gave up, ran out of time or broke the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endings {
    /// The codes of the protocol document: 327/328, 361/362, 391/392.
    #[default]
    Documented,
    /// Lines that all the old client libraries take for a clean win.
    Compatible,
}

/// An entrant.
#[derive(Clone, Debug)]
pub struct Player {
    /// Its name.
    pub name: PlayerName,
    /// How it comes to its games.
    pub kind: PlayerKind,
}

/// A player's name.
///
/// Invariant: not empty, no control characters, no `:` and no `"`, and its slug is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerName(String);

impl PlayerName {
    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as game ids and file names have it: its letters and digits in lower case, each run of anything else
    /// replaced by `_`. As a slug has no `-`, that sign can join slugs without ambiguity.
    pub fn slug(&self) -> String {
        slug(&self.0)
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// `text` as a slug: see [`PlayerName::slug`].
fn slug(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("_")
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
    /// What to run once before the first game, in `dir`.
    pub build: Option<Vec<String>>,
    /// How it speaks.
    pub transport: Transport,
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

/// A built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Which one.
    pub engine: Engine,
    /// Search depth in plies, for those that search.
    pub depth: Option<NonZeroU32>,
    /// Its own seed, instead of the game's.
    pub seed: Option<u64>,
}

/// The built-in bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Any legal placement, each as likely as the next.
    Random,
    /// The placement that captures most.
    Greedy,
    /// Alpha-beta search to a fixed depth.
    Alphabeta,
}

impl Engine {
    /// Every built-in bot, from the weakest to the strongest.
    pub const ALL: [Self; 3] = [Self::Random, Self::Greedy, Self::Alphabeta];

    /// The name that files and the command line use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Alphabeta => "alphabeta",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name of no built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected `random`, `greedy` or `alphabeta`")]
pub struct UnknownEngine;

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        Self::ALL.into_iter().find(|engine| engine.name() == text).ok_or(UnknownEngine)
    }
}

/// A player that connects by itself.
#[derive(Clone, Debug)]
pub struct Remote {
    /// What its hello must give behind its name on the public address.
    pub token: Option<Token>,
    /// An address of its own, where no name is needed.
    pub listen: Option<SocketAddr>,
}

/// A secret word; never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Text with placeholders for what only the game knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(Placeholder),
}

/// What a game fills into a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placeholder {
    /// `black` or `white`.
    Side,
    /// The address to connect to.
    Host,
    /// The port to connect to.
    Port,
    /// The server number: the port minus 29068.
    Server,
    /// The player's own time in whole seconds, 0 without a clock.
    Time,
    /// A number that depends on the tournament's seed, the game and the side.
    Seed,
    /// The player's name.
    Name,
}
