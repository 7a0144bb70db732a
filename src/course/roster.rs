//! The roster of a class: who handed in which submission, and which player it became.
//!
//! `gothello-arena import` writes the roster as import.json next to class.toml. Later commands need nothing else from
//! the course's platform: the roster keeps the platform's identifiers, and the names of folders exactly as they were
//! downloaded.

mod class_roll;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::tournament::{PlayerName, slug};

pub use class_roll::{ClassRoll, MissingStudent};

/// The version of the file format, which docs/reference/schemas/import.schema.json describes.
const FORMAT: u32 = 1;

/// All submissions of a class.
///
/// Invariant: the names of the players are valid and distinct, and so are their slugs. All other text comes from
/// students and from the course's platform: it is hostile until `base::sanitise` or a report has quoted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roster {
    format: u32,
    /// The version of the program that wrote the file.
    pub program: String,
    /// The submissions, in the order of their players in class.toml.
    pub submissions: Vec<RosterEntry>,
    /// The students in the worksheet who have no submission, in the worksheet's order. Empty without a worksheet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<RosterStudent>,
    /// The SHA-256 of class.toml as `import` wrote it, in hexadecimal digits. A different digest shows that the teacher
    /// has edited the file.
    pub class_toml_sha256: String,
    /// The digests of the files that the course handed out, as [`crate::course::submissions::recipe::GivenFiles`]
    /// computes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<String>,
    /// The `files_sha256` of directories that an update was about to put in place, by slug. Empty unless the update was
    /// killed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub incoming: BTreeMap<String, String>,
}

/// One submission, by a student or by a team that hands in together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosterEntry {
    /// The name of the player in class.toml and in all results. A submission that did not become a player has a name,
    /// too.
    pub player: String,
    /// The slug of `player`. The submission's files are in `bots/SLUG` next to class.toml.
    pub slug: String,
    /// Whether the submission became a player.
    pub state: SubmissionState,
    /// Whether the platform marks the submission as late.
    pub late: bool,
    /// How the platform names submissions.
    pub layout: SubmissionLayout,
    /// The name of the student or the team as the platform writes it; `Participant` or its translation under blind
    /// marking.
    pub full_name: String,
    /// The number by which the platform identifies this submission, as decimal digits. In Moodle: the number in
    /// `Participant 4711`, or the number of the group if there is a `team`; in Canvas, the student's number; in
    /// Gradescope, the submission's number.
    pub participant: Option<String>,
    /// The student's account name, if the platform provides it.
    pub username: Option<String>,
    /// The student's e-mail address, from the worksheet or from the platform.
    pub email: Option<String>,
    /// The folder of the submission exactly as downloaded, such as `Ada King_4711_assignsubmission_file_`. If Moodle
    /// prefixed each file's name instead of making folders, this is the prefix, which ends in `_`. `None` in the layout
    /// `plain`.
    pub folder: Option<String>,
    /// The team, if a team handed in together.
    pub team: Option<RosterTeam>,
    /// The names of the files as handed in, before anything was unpacked. Feedback files for Moodle must not have any
    /// of these names.
    pub submitted: Vec<String>,
    /// The SHA-256 of the submission as handed in, in hexadecimal digits.
    pub submission_sha256: String,
    /// The paths of the files that `import` put into `bots/SLUG`, with `/` between components, in byte order. Empty if
    /// there is no such directory.
    pub files: Vec<String>,
    /// The SHA-256 of the names and contents of `files`, in hexadecimal digits.
    pub files_sha256: String,
}

/// A team that handed in together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosterTeam {
    /// The team's name.
    pub name: String,
    /// The students of the team according to the worksheet's column for groups, or according to Gradescope;
    /// empty if unknown.
    pub members: Vec<RosterStudent>,
}

/// A student, as listed in a worksheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosterStudent {
    /// The student's name; empty under blind marking.
    pub name: String,
    /// The student's own number, as decimal digits: in Moodle, the number in `Participant 4711`.
    pub participant: Option<String>,
    /// The student's e-mail address.
    pub email: Option<String>,
}

/// Whether a submission became a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubmissionState {
    /// class.toml contains a player for the submission.
    Ready,
    /// There are files, but no way to start them was found: the player is commented out.
    Unknown,
    /// No file was handed in, or only files that do not matter.
    Empty,
    /// The submission was not unpacked: its archive is damaged, encrypted or hostile.
    Refused,
}

/// How a platform names submissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubmissionLayout {
    /// Moodle with a folder for each submission.
    MoodleFolders,
    /// Moodle with all files in one directory, where the name of each file begins with the student's name.
    MoodleFiles,
    /// Canvas.
    Canvas,
    /// The export of Gradescope.
    Gradescope,
    /// A directory or an archive for each submission.
    Plain,
}

/// A file that is not a roster.
#[derive(Debug, Error)]
pub enum BadRoster {
    /// The text is not JSON of the right form.
    #[error("it is not a file written by `gothello-arena import`: {0}")]
    Json(#[from] serde_json::Error),
    /// The file has an unknown format version.
    #[error("format {0} is not known to this version of gothello-arena")]
    Format(u32),
    /// The name is not a valid player name.
    #[error("`{0}` cannot be a player's name")]
    Name(String),
    /// The slug does not match its player, and so might lead to another directory.
    #[error("`{slug}` is not the slug of `{player}`")]
    Slug {
        /// The player.
        player: String,
        /// The slug in the file.
        slug: String,
    },
    /// Two submissions have the same player, or players with the same slug.
    #[error("`{0}` is the player of two submissions")]
    Twice(String),
}

impl Roster {
    /// A roster of `submissions`.
    pub fn new(submissions: Vec<RosterEntry>) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            submissions,
            absent: Vec::new(),
            class_toml_sha256: String::new(),
            given: Vec::new(),
            incoming: BTreeMap::new(),
        }
    }

    /// Reads the text of import.json.
    ///
    /// # Errors
    /// Returns an error if the text is not a roster, or if its players have invalid names or could be confused.
    pub fn parse(text: &[u8]) -> Result<Self, BadRoster> {
        /// The part that all versions of the file have in common.
        #[derive(Deserialize)]
        struct RosterVersion {
            format: u32,
        }
        let RosterVersion { format } = serde_json::from_slice(text)?;
        if format != FORMAT {
            return Err(BadRoster::Format(format));
        }
        let read: Self = serde_json::from_slice(text)?;
        let mut slugs = BTreeSet::new();
        for RosterEntry { player, slug: own, .. } in &read.submissions {
            if PlayerName::new(player.as_str()).is_err() {
                return Err(BadRoster::Name(player.clone()));
            }
            if slug(player) != *own {
                return Err(BadRoster::Slug { player: player.clone(), slug: own.clone() });
            }
            if !slugs.insert(own) {
                return Err(BadRoster::Twice(player.clone()));
            }
        }
        Ok(read)
    }

    /// The text of import.json.
    pub fn json(&self) -> String {
        // A roster is plain data with string keys, which JSON can always represent.
        let text = serde_json::to_string_pretty(self);
        text.unwrap_or_else(|error| unreachable!("a roster is JSON: {error}")) + "\n"
    }

    /// The submission of the player `name`.
    pub fn of_player(&self, name: &str) -> Option<&RosterEntry> {
        self.submissions.iter().find(|entry| entry.player == name)
    }
}

/// Whether `folder` is Moodle's folder for the team that its worksheet calls `group`. For file names, Moodle replaces
/// `_` with a space and `&` with `amp;` or nothing, and omits quotes, slashes and similar characters
/// (`clean_filename`).
pub fn is_folder_of_team(folder: &str, group: &str) -> bool {
    const LEFT_OUT: &str = "<>\"`|':\\/";
    let is_kept = |letter: &char| !letter.is_control() && !LEFT_OUT.contains(*letter);
    let cleaned = |ampersand: &str| -> String {
        group.replace('_', " ").replace('&', ampersand).chars().filter(is_kept).collect()
    };
    group == folder || cleaned("amp;") == folder || cleaned("") == folder
}

impl RosterEntry {
    /// The students who get this submission's grade: the members of the team, or the student who handed it in. Empty
    /// for a team whose members are unknown.
    pub fn students(&self) -> Vec<RosterStudent> {
        match &self.team {
            Some(team) => team.members.clone(),
            None => vec![RosterStudent {
                name: self.full_name.clone(),
                participant: self.participant.clone(),
                email: self.email.clone(),
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn entry(player: &str) -> RosterEntry {
        RosterEntry {
            player: player.to_owned(),
            slug: slug(player),
            state: SubmissionState::Ready,
            late: false,
            layout: SubmissionLayout::MoodleFolders,
            full_name: player.to_owned(),
            participant: Some("4711".to_owned()),
            username: None,
            email: None,
            folder: Some(format!("{player}_4711_assignsubmission_file_")),
            team: None,
            submitted: vec!["bot.zip".to_owned()],
            submission_sha256: "00".to_owned(),
            files: vec!["bot.py".to_owned()],
            files_sha256: "11".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut roster = Roster::new(vec![entry("Größe 5"), entry("Ada King")]);
        roster.incoming.insert("ada_king".to_owned(), "22".to_owned());
        let ada = RosterStudent { name: "Ada".to_owned(), participant: None, email: None };
        roster.submissions[1].team = Some(RosterTeam { name: "Red".to_owned(), members: vec![ada.clone()] });
        roster.absent.push(ada.clone());
        let read = Roster::parse(roster.json().as_bytes()).expect("its own text");
        assert_eq!(read, roster);
        assert_eq!(read.of_player("Ada King").expect("there").students(), [ada]);
        assert_eq!(read.submissions[0].students()[0].participant.as_deref(), Some("4711"));
    }

    #[test]
    fn a_team_is_found_by_the_name_of_its_folder() {
        let names =
            [("Red Team", "Red_Team"), ("ONeils", "O'Neil's"), ("Tom amp; Jerry", "Tom & Jerry"), ("AB", "A/B")];
        for (folder, group) in names {
            assert!(is_folder_of_team(folder, group) && is_folder_of_team(group, group), "{group}");
            assert!(!is_folder_of_team(folder, "Red") && !is_folder_of_team("Red", group), "{group}");
        }
        assert!(is_folder_of_team("Tom  Jerry", "Tom & Jerry"));
    }

    #[test]
    fn files_that_could_lead_elsewhere_are_refused() {
        let text = |change: fn(&mut Roster)| {
            let mut roster = Roster::new(vec![entry("Ada"), entry("Bob")]);
            change(&mut roster);
            Roster::parse(roster.json().as_bytes()).expect_err("bad").to_string()
        };
        assert_eq!(text(|roster| roster.format = 2), "format 2 is not known to this version of gothello-arena");
        assert_eq!(text(|roster| roster.submissions[0].slug = "../x".to_owned()), "`../x` is not the slug of `Ada`");
        assert_eq!(text(|roster| roster.submissions[0] = entry("BOB")), "`Bob` is the player of two submissions");
        assert_eq!(text(|roster| roster.submissions[0].player = "=1".to_owned()), "`=1` cannot be a player's name");
        assert!(Roster::parse(b"{}").expect_err("bad").to_string().contains("missing field `format`"));
    }
}
