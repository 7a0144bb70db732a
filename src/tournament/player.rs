//! A player: a program, a built-in bot, a remote player, or a team with a program for each mode.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::host_name::HostName;
use super::player_name::PlayerName;
use super::player_token::PlayerToken;
use super::resources::Resources;
use super::template::{Placeholder, Template};
use crate::base::word_enum::words;
use crate::game::Side;
use crate::game::quantum::Mode;
use crate::players::bots::Builtin;

/// A player of the tournament.
#[derive(Clone, Debug)]
pub struct Player {
    /// The player's name.
    pub name: PlayerName,
    /// The player's kind.
    pub kind: PlayerKind,
    /// The only side that the player plays, if it does not play both.
    pub only_side: Option<Side>,
    /// Whether the player is sent its clock. If not, the clock still runs, but the player gets the lines of a game
    /// without clocks.
    pub is_told_clock: bool,
}

impl Player {
    /// Creates a player that plays both sides and is sent its clock.
    pub const fn new(name: PlayerName, kind: PlayerKind) -> Self {
        Self { name, kind, only_side: None, is_told_clock: true }
    }

    /// A key that is unique to each program of each player: the player's name, followed by a mode if the program
    /// plays that mode for a team, as in `ada:go`. No name contains a colon.
    pub fn program_key(&self, mode: Option<Mode>) -> String {
        match mode {
            Some(mode) => format!("{}:{mode}", self.name),
            None => self.name.to_string(),
        }
    }

    /// The programs that the arena starts for the player, except its own bots. Each program of a team comes with its
    /// mode.
    pub fn programs(&self) -> impl Iterator<Item = (Option<Mode>, &Program)> {
        let (alone, team) = match &self.kind {
            PlayerKind::Program(program) => (Some((None, program)), &[][..]),
            PlayerKind::Team(team) => (None, team.members()),
            PlayerKind::Builtin(_) | PlayerKind::Remote(_) => (None, &[][..]),
        };
        alone.into_iter().chain(team.iter().filter_map(|member| Some((Some(member.mode), member.bot.program()?))))
    }
}

/// A player's kind: who starts it, and how.
#[derive(Clone, Debug)]
pub enum PlayerKind {
    /// A program that the arena starts.
    Program(Program),
    /// One of the arena's own bots, run as a child process like any other program.
    Builtin(Builtin),
    /// A player that connects on its own.
    Remote(Remote),
    /// Programs and built-in bots that take turns: each plays one mode of a game.
    Team(PlayerTeam),
}

/// A player with a bot for each mode of its games.
///
/// Invariant: no mode has two bots.
#[derive(Clone, Debug)]
pub struct PlayerTeam(Vec<TeamMember>);

impl PlayerTeam {
    /// Creates the team of `members`; `None` if two of them have the same mode.
    pub fn new(members: Vec<TeamMember>) -> Option<Self> {
        let is_first =
            |(index, member): (usize, &TeamMember)| members[..index].iter().all(|other| other.mode != member.mode);
        members.iter().enumerate().all(is_first).then_some(Self(members))
    }

    /// The members, in the order of their modes.
    pub fn members(&self) -> &[TeamMember] {
        &self.0
    }
}

/// A bot that plays one mode for its team.
#[derive(Clone, Debug)]
pub struct TeamMember {
    /// The mode.
    pub mode: Mode,
    /// The bot.
    pub bot: TeamBot,
}

/// The kind of a bot in a team.
#[derive(Clone, Debug)]
pub enum TeamBot {
    /// A program that the arena starts.
    Program(Program),
    /// One of the arena's own bots.
    Builtin(Builtin),
}

impl TeamBot {
    /// The program; `None` for one of the arena's own bots.
    pub const fn program(&self) -> Option<&Program> {
        match self {
            Self::Program(program) => Some(program),
            Self::Builtin(_) => None,
        }
    }
}

/// A program that the arena starts for every game.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments; never empty.
    pub command: Vec<Template>,
    /// The working directory, relative to the tournament file; `None` means that file's own directory.
    pub dir: Option<PathBuf>,
    /// Additional environment variables.
    pub env: Vec<(String, Template)>,
    /// The variables that the program gets from the arena's own environment, in addition to those that every program
    /// gets.
    pub pass_env: Vec<String>,
    /// The build command, which runs once in `dir` before the first game.
    pub build: Option<Vec<String>>,
    /// Whether a confined build may use the network.
    pub build_network: bool,
    /// How the program speaks the protocol.
    pub transport: Transport,
    /// The resources that the program may use in a game.
    pub resources: Resources,
    /// The paths, relative to the tournament file, that the program may read in addition to the system, its `dir` and
    /// its own files.
    pub readable: Vec<PathBuf>,
    /// Whether the program runs in a copy of its `dir`, which it may change. Each game gets a new copy.
    pub writable: bool,
    /// The host names that are hard-coded in the program. If the program has its own loopback, each of these names
    /// leads to the program's seat.
    pub hosts: Vec<HostName>,
}

impl Program {
    /// The program itself, without arguments. It is the same in every game.
    pub fn executable(&self) -> String {
        self.command.first().map(|program| program.fill(|_| String::new())).unwrap_or_default()
    }

    /// The working directory, given the directory `base` of the tournament file.
    pub fn working_dir(&self, base: &Path) -> PathBuf {
        self.dir.as_ref().map_or_else(|| base.to_owned(), |dir| base.join(dir))
    }

    /// The keys whose values differ in `other` and do not determine how the program is built and started.
    pub fn changed_limits(&self, other: &Self) -> Vec<&'static str> {
        let Self {
            command: _,
            dir: _,
            env,
            pass_env,
            build: _,
            build_network,
            transport: _,
            resources,
            readable,
            writable,
            hosts: _,
        } = self;
        let Resources { memory, processes, cpu, scratch, open_files, output } = resources;
        let changes = [
            ("env", *env != other.env),
            ("pass_env", *pass_env != other.pass_env),
            ("build_network", *build_network != other.build_network),
            ("memory", *memory != other.resources.memory),
            ("processes", *processes != other.resources.processes),
            ("cpu", *cpu != other.resources.cpu),
            ("scratch", *scratch != other.resources.scratch),
            ("open_files", *open_files != other.resources.open_files),
            ("output", *output != other.resources.output),
            ("readable", *readable != other.readable),
            ("writable", *writable != other.writable),
        ];
        changes.into_iter().filter_map(|(key, has_changed)| has_changed.then_some(key)).collect()
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
    /// The program communicates over its stdin and stdout.
    Stdio,
    /// The program is an engine that speaks the Go Text Protocol on its stdin and stdout.
    Gtp,
}

words! { pub Transport; Tcp => "tcp", Stdio => "stdio", Gtp => "gtp" }

impl Transport {
    /// Whether the program communicates over its stdin and stdout, and thus has no address to connect to.
    pub const fn is_piped(self) -> bool {
        match self {
            Self::Tcp => false,
            Self::Stdio | Self::Gtp => true,
        }
    }
}

/// A player that connects on its own.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The token that must follow the player's name in the hello that it sends to the public address.
    pub token: Option<PlayerToken>,
    /// The player's own address. A hello sent there does not need a name.
    pub listen: Option<SocketAddr>,
}
