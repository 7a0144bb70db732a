//! A ladder: players that hand in new versions of their programs while the ladder is played, and the terms of their
//! games.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

use super::player::{Player, Program};
use super::player_name::PlayerName;
use super::template::Template;
use crate::base::sanitise::Shown as _;

/// The part of a tournament file that only a ladder has.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The terms of the games and the versions.
    pub terms: LadderTerms,
    /// The players that hand in versions, in the order of the file. Whatever version number is added to them, their
    /// names and slugs differ from each other and from those of all other players.
    pub entries: Vec<LadderEntry>,
}

/// The terms of the games and the versions of a ladder. Different terms do not make a different run.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderTerms {
    /// Games are played until the standard error of the rating of every active version is at most this value, in Elo.
    pub target_error: f64,
    /// How many games a new version plays before the other versions play again.
    pub first_games: u32,
    /// The share of games whose players are drawn at random, from 0 to 1.
    pub random_share: f64,
    /// How many of a player's newest versions play, in addition to its best one; at least 1.
    pub active: u32,
    /// The interval at which folders and repositories are examined.
    pub poll: Duration,
    /// The address at which players hand in their versions with `submit`.
    pub submit: Option<SocketAddr>,
    /// When the ladder freezes; a hand-in that arrives later does not count.
    pub closes: Option<Timestamp>,
    /// How many versions one player may hand in within 24 hours, not counting those added with `ladder add`; at least
    /// 1.
    pub versions_per_day: u32,
    /// Whether guests see only the leaders' names.
    pub anonymous: bool,
}

/// The defaults of the tournament file.
impl Default for LadderTerms {
    fn default() -> Self {
        Self {
            target_error: 40.0,
            first_games: 20,
            random_share: 0.1,
            active: 2,
            poll: Duration::from_mins(2),
            submit: None,
            closes: None,
            versions_per_day: 20,
            anonymous: false,
        }
    }
}

/// A player that hands in versions of its program.
#[derive(Clone, Debug)]
pub struct LadderEntry {
    /// The player's name, which each version extends with its number, as in `ada.7`.
    pub name: PlayerName,
    /// How its versions arrive.
    pub door: LadderDoor,
    /// How its versions are built and started.
    pub program: EntryProgram,
    /// Whether the player is sent its clock.
    pub is_told_clock: bool,
}

impl LadderEntry {
    /// The name of version `number`; `None` if it is not a valid name, which happens only if `number` has more digits
    /// than the tournament file's reader allows for.
    pub fn version_name(&self, number: u32) -> Option<PlayerName> {
        PlayerName::new(format!("{}.{number}", self.name)).ok()
    }

    /// Version `number`, whose files are in `dir`, as a player; `None` in the same case as
    /// [`LadderEntry::version_name`].
    pub fn version(&self, number: u32, program: VersionProgram, dir: PathBuf) -> Option<Player> {
        let is_told_clock = self.is_told_clock && program.is_told_clock;
        let kind = super::PlayerKind::Program(self.program.of_version(program, dir));
        Some(Player { is_told_clock, ..Player::new(self.version_name(number)?, kind) })
    }

    /// The keys that apply to all versions, old and new, and whose values differ in `other`.
    pub fn changed_limits(&self, other: &Self) -> Vec<&'static str> {
        let mut keys = self.program.0.changed_limits(&other.program.0);
        keys.extend((self.is_told_clock != other.is_told_clock).then_some("tell_clock"));
        keys
    }
}

/// How the versions of a player arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderDoor {
    /// The versions are put into a directory, whose path is relative to the directory of the tournament file.
    Folder(PathBuf),
    /// The versions are the commits of a repository.
    Git(Box<GitSource>),
    /// The versions are sent with the command `submit`.
    Submit,
}

/// Writes how the versions arrive, as text for the teacher.
impl fmt::Display for LadderDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "hands in its program through the folder {}", folder.shown()),
            Self::Git(source) => write!(f, "hands in its program through the repository {}", source.url),
            Self::Submit => f.write_str("hands in its program with `gothello-arena submit`"),
        }
    }
}

/// A repository from which versions are fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSource {
    /// The URL: `https`, `ssh`, or `http` on this machine.
    pub url: String,
    /// The branch; `None` means the repository's default branch.
    pub branch: Option<String>,
    /// The directory within the repository that contains the bot.
    pub subdirectory: Option<PathBuf>,
    /// The file with the private key for this repository.
    pub key: Option<PathBuf>,
    /// The file with the token for this repository.
    pub token_file: Option<PathBuf>,
}

/// The keys of a program whose files have not arrived yet. If the command is missing, it is found in the files.
#[derive(Clone, Debug)]
pub struct EntryProgram(Program);

/// The settings of a player whose table contains none of these keys.
impl Default for EntryProgram {
    fn default() -> Self {
        Self(Program {
            command: Vec::new(),
            dir: None,
            env: Vec::new(),
            pass_env: Vec::new(),
            build: None,
            build_network: false,
            transport: super::Transport::default(),
            resources: super::Resources::DEFAULT,
            readable: Vec::new(),
            writable: false,
            hosts: Vec::new(),
        })
    }
}

impl EntryProgram {
    /// Creates the keys from `program`, whose command is empty if the tournament file has none.
    pub(super) const fn new(program: Program) -> Self {
        Self(program)
    }

    /// The command in the tournament file, if it has one.
    pub fn command(&self) -> Option<&[Template]> {
        Some(&self.0.command[..]).filter(|command| !command.is_empty())
    }

    /// The build in the tournament file, if it has one.
    pub fn build(&self) -> Option<&[String]> {
        self.0.build.as_deref()
    }

    /// The program of a version whose files are in `dir`, where `command`, `build` and `transport` are those of the
    /// version and everything else is as in the tournament file.
    pub fn of_version(&self, program: VersionProgram, dir: PathBuf) -> Program {
        let VersionProgram { command, build, transport, dir: below, hosts, is_told_clock: _ } = program;
        let dir = if below.as_os_str().is_empty() { dir } else { dir.join(below) };
        Program { command, build, transport, hosts, dir: Some(dir), ..self.0.clone() }
    }

    /// How a version is built and started if the tournament file specifies a command.
    pub fn given(&self) -> Option<VersionProgram> {
        let command = self.command()?.to_vec();
        Some(VersionProgram {
            command,
            build: self.0.build.clone(),
            transport: self.0.transport,
            dir: PathBuf::new(),
            hosts: self.0.hosts.clone(),
            is_told_clock: true,
        })
    }
}

/// How one version is built and started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionProgram {
    /// The program and its arguments; never empty.
    pub command: Vec<Template>,
    /// The command that builds the program, if there is a build.
    pub build: Option<Vec<String>>,
    /// How the program exchanges lines with the arena.
    pub transport: super::Transport,
    /// The directory in which the program runs, relative to the directory of the version; empty for that directory
    /// itself.
    pub dir: PathBuf,
    /// The host names that are hard-coded in the program.
    pub hosts: Vec<super::HostName>,
    /// Whether the version is sent its clock.
    pub is_told_clock: bool,
}
