//! Assigns the players of the tournament file to students: the roster, joined with the players that the teacher
//! has kept or added.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path};

use super::{Roster, RosterEntry, RosterStudent, SubmissionState};
use crate::base::sanitise::sanitised;
use crate::tournament::{Player, PlayerKind};

/// The directory next to class.toml in which each submission has its own directory.
const BOTS: &str = "bots";

/// A roster that gives each player the name from the tournament file.
///
/// Invariant: no two submissions in `roster` have players with the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRoll {
    /// The roster. The slugs still name the submissions' directories, even if the players have been renamed.
    pub roster: Roster,
    /// The students without a player: those who handed something in, in the order of the roster, and then those who did
    /// not.
    pub missing: Vec<MissingStudent>,
    /// The players that are programs but belong to no submission, in the order of the tournament file.
    pub strangers: Vec<String>,
}

/// A student without a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingStudent {
    /// A submission that has no player.
    Submission(Box<RosterEntry>),
    /// A student in the worksheet who handed in nothing.
    Absent(RosterStudent),
}

impl ClassRoll {
    /// Joins `roster` with `players`: by name, and if no submission has the name, by the player's directory
    /// `bots/SLUG`.
    pub fn new(mut roster: Roster, players: &[Player]) -> Self {
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let mut unnamed = Vec::new();
        for player in players {
            match roster.submissions.iter().position(|entry| entry.player == player.name.as_str()) {
                Some(place) => drop(taken.insert(place)),
                None => unnamed.push(player),
            }
        }
        let mut strangers = Vec::new();
        for player in unnamed {
            let PlayerKind::Program(program) = &player.kind else { continue };
            let slug = program.dir.as_deref().and_then(submission_of);
            let place = slug.and_then(|slug| roster.submissions.iter().position(|entry| slug == entry.slug.as_str()));
            match place.filter(|&place| taken.insert(place)) {
                Some(place) => roster.submissions[place].player = player.name.to_string(),
                None => strangers.push(player.name.to_string()),
            }
        }
        let without = roster.submissions.iter().enumerate().filter(|(place, _)| !taken.contains(place));
        let without = without.map(|(_, entry)| MissingStudent::Submission(Box::new(entry.clone())));
        let missing = without.chain(roster.absent.iter().cloned().map(MissingStudent::Absent)).collect();
        Self { roster, missing, strangers }
    }

    /// Whether the platform marks the submission of the player `name` as late.
    pub fn is_late(&self, name: &str) -> bool {
        self.roster.of_player(name).is_some_and(|entry| entry.late)
    }
}

impl MissingStudent {
    /// The student's name as printable text, or else the participant's number.
    pub fn name(&self) -> String {
        match self {
            Self::Submission(entry) => sanitised(&entry.player),
            Self::Absent(RosterStudent { name, participant, .. }) if name.trim().is_empty() => {
                format!("Participant {}", sanitised(participant.as_deref().unwrap_or("without a number")))
            }
            Self::Absent(student) => sanitised(&student.name),
        }
    }

    /// The reason why there is no player, as a clause about the submission.
    pub fn why(&self) -> &'static str {
        match self {
            Self::Absent(_) => "nothing was handed in",
            Self::Submission(entry) => match entry.state {
                SubmissionState::Refused => {
                    "the archive was refused because it is damaged, encrypted or too large, or contains names that are not \
                     allowed"
                }
                SubmissionState::Unknown => "the submission does not say how to start its bot",
                SubmissionState::Empty => "the submission contains no files that could be a bot",
                SubmissionState::Ready => "no player in the tournament file uses the submission's files",
            },
        }
    }

    /// The submission, if there is one.
    pub fn entry(&self) -> Option<&RosterEntry> {
        match self {
            Self::Submission(entry) => Some(entry),
            Self::Absent(_) => None,
        }
    }

    /// The student's number on the platform, and the e-mail address.
    pub fn contact(&self) -> [Option<&String>; 2] {
        match self {
            Self::Submission(entry) => [entry.participant.as_ref(), entry.email.as_ref()],
            Self::Absent(student) => [student.participant.as_ref(), student.email.as_ref()],
        }
    }
}

/// The slug of the submission whose directory contains `dir`.
fn submission_of(dir: &Path) -> Option<&OsStr> {
    let mut parts = dir.components().filter(|part| *part != Component::CurDir);
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(bots)), Some(Component::Normal(slug))) if bots == BOTS => Some(slug),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::roster::tests::entry;
    use crate::tournament::Tournament;

    fn players(toml: &str) -> Vec<Player> {
        Tournament::parse(toml, "class").expect("a tournament").players
    }

    #[test]
    fn a_renamed_player_is_found_by_its_directory() {
        let players = players(
            "[[player]]\nname = \"Ada\"\ndir = \"bots/ada\"\ncommand = [\"x\"]\n\
             [[player]]\nname = \"Robert\"\ndir = \"./bots/bob/inner\"\ncommand = [\"x\"]\n\
             [[player]]\nname = \"Bobby\"\ndir = \"bots/bob/other\"\ncommand = [\"x\"]\n\
             [[player]]\nname = \"Guest\"\ndir = \"elsewhere/cid\"\ncommand = [\"x\"]\n\
             [[player]]\nname = \"house\"\nbuiltin = \"greedy\"\n",
        );
        let mut roster = Roster::new(["Ada", "Bob", "Cid"].map(entry).into());
        roster.submissions[1].late = true;
        roster.submissions[2].state = SubmissionState::Refused;
        let eve = RosterStudent { name: String::new(), participant: Some("4712\u{1b}".to_owned()), email: None };
        roster.absent.push(eve);
        let roll = ClassRoll::new(roster, &players);
        assert_eq!(roll.roster.of_player("Robert").map(|entry| entry.slug.as_str()), Some("bob"));
        assert!(roll.is_late("Robert") && !roll.is_late("Ada"));
        assert_eq!(roll.strangers, ["Bobby", "Guest"], "a submission has one player");
        let missing: Vec<String> = roll.missing.iter().map(MissingStudent::name).collect();
        assert_eq!(missing, ["Cid", "Participant 4712\\u{1b}"]);
        assert!(roll.missing[0].why().contains("refused") && roll.missing[1].why() == "nothing was handed in");
    }
}
