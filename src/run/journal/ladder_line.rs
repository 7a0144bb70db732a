//! The entries that occur only in the journal of a ladder, for example about versions and the games that were decided
//! on.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::player_entry::PlayerEntry;
use crate::tournament::definition::PlayerDefinition;
use crate::tournament::ladder::VersionProgram;
use crate::tournament::{HostName, Template, Transport};

/// A player that plays from this point on: a version that was accepted, or a player without versions that was added to
/// the tournament file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedEntry {
    /// The program, under the name that the player has in games, such as `ada.7`.
    pub player: PlayerEntry,
    /// The identity of the player.
    pub definition: PlayerDefinition,
    /// The hand-in that the version comes from; `None` for a player without versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<HandInEntry>,
    /// How the version is built and started; `None` for a player without versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramLine>,
    /// When the player was accepted.
    pub at: Timestamp,
}

/// Something that a player handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandInEntry {
    /// The player.
    pub of: String,
    /// The number of the hand-in among the player's hand-ins, from 1.
    pub number: u32,
    /// The digest of the files.
    pub sources: String,
    /// When the hand-in arrived.
    pub arrived: Timestamp,
    /// How the hand-in arrived: `folder`, `git`, `submit` or, by `ladder add`, `teacher`.
    pub door: String,
    /// Where the hand-in came from, in words: a directory, a commit, the address of a sender, or the name of the file
    /// or directory that the teacher added.
    pub origin: String,
}

impl HandInEntry {
    /// The name of the version, such as `ada.7`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.of, self.number)
    }
}

/// How a version is built and started, as plain text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramLine {
    /// The program and its arguments, with placeholders.
    pub command: Vec<String>,
    /// The program that builds the version, and the arguments of that program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Vec<String>>,
    /// The word for how the version exchanges lines with the arena.
    pub transport: String,
    /// The directory in which the program runs, relative to the directory of the version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    /// The names of hosts that are hard-coded in the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Whether the version plays without being sent its clock.
    #[serde(default, skip_serializing_if = "is_false")]
    pub untold: bool,
}

impl From<&VersionProgram> for ProgramLine {
    fn from(program: &VersionProgram) -> Self {
        let VersionProgram { command, build, transport, dir, hosts, is_told_clock } = program;
        Self {
            command: command.iter().map(ToString::to_string).collect(),
            build: build.clone(),
            transport: transport.to_string(),
            dir: dir.to_string_lossy().into_owned(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
            untold: !is_told_clock,
        }
    }
}

impl ProgramLine {
    /// The program that the line describes; `None` if this version of the arena cannot read it.
    pub fn program(&self) -> Option<VersionProgram> {
        let command: Option<Vec<Template>> = self.command.iter().map(|word| Template::parse(word).ok()).collect();
        let transport = Transport::ALL.into_iter().find(|transport| transport.name() == self.transport)?;
        let hosts: Option<Vec<HostName>> = self.hosts.iter().map(|host| HostName::new(host).ok()).collect();
        Some(VersionProgram {
            command: command.filter(|words| !words.is_empty())?,
            build: self.build.clone(),
            transport,
            dir: self.dir.clone().into(),
            hosts: hosts?,
            is_told_clock: !self.untold,
        })
    }
}

/// A hand-in that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedEntry {
    /// The hand-in.
    pub version: HandInEntry,
    /// Why it was refused, in one sentence for the player.
    pub reason: String,
    /// When it was refused.
    pub at: Timestamp,
}

/// A change in whether a version plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusEntry {
    /// The version, such as `ada.7`.
    pub version: String,
    /// The reason; empty if none was given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When the change was made.
    pub at: Timestamp,
}

/// A game that was decided on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingEntry {
    /// The player with the black stones.
    pub black: String,
    /// The player with the white stones.
    pub white: String,
    /// Whether the players were drawn at random.
    #[serde(default, skip_serializing_if = "is_false")]
    pub random: bool,
    /// When the game was decided on.
    pub at: Timestamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The keys of the table `ladder` that affect what is shown, with the values that they have from this point on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermsEntry {
    /// How many of a player's newest versions play, in addition to its best one.
    pub active: u32,
    /// The standard error of the ratings, in Elo, at which the ladder stops pairing.
    pub target_error: f64,
    /// When these values took effect.
    pub at: Timestamp,
}

/// The end of the hand-ins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenEntry {
    /// When the hand-ins ended.
    pub at: Timestamp,
    /// How many rounds the last versions of all players play against each other.
    pub rounds: u32,
}

/// An extension for one player after the end of the hand-ins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReopenedEntry {
    /// The player.
    pub player: String,
    /// The time until which the player may hand in.
    pub until: Timestamp,
}
