//! The ZIP file of feedback files in the form that Moodle imports.
//!
//! Moodle's import (`mod/assign/feedback/file/importziplib.php`) splits the name of each folder at `_`. The second part
//! is a participant's number, and the third and fourth name the plugin whose files the feedback is for. All files below
//! the folder become feedback files of that participant, except those whose names begin with `.` or `~` and those that
//! are unchanged copies of what the student handed in.

use std::collections::BTreeSet;

use crate::base::sanitise::sanitised;
use crate::course::handout::moodle::team_members;
use crate::course::handout::worksheet::{SheetParticipant, Worksheet};
use crate::course::handout::zip_file::{ZipEntry, ZipTooLarge, zip_file};
use crate::course::roster::{RosterEntry, SubmissionLayout};

/// The part of a folder's name that Moodle's import expects after the participant.
const PLUGIN: &str = "assignsubmission_file_";

/// The maximum length of a folder's name in bytes, chosen so that the folder can be unpacked on every file system.
const LONGEST_NAME: usize = 200;

/// The feedback for one submission.
#[derive(Clone, Copy, Debug)]
pub struct SubmissionFeedback<'f> {
    /// The submission.
    pub entry: &'f RosterEntry,
    /// The page for the student.
    pub page: &'f str,
}

/// A ZIP file for Moodle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackZip {
    /// The contents of the file; `None` if it would contain no feedback.
    pub bytes: Option<Vec<u8>>,
    /// Warnings about students whose feedback is missing from the file.
    pub warnings: Vec<FeedbackWarning>,
}

/// Feedback that is missing from the ZIP file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedbackWarning {
    /// A team whose members are unknown.
    #[error(
        "`{}` is the bot of the team `{}`, and Moodle expects feedback for each member; without a worksheet with the \
         column `Group`, this feedback is not in feedback.zip (give the worksheet with --worksheet)",
        sanitised(player),
        sanitised(team)
    )]
    TeamWithoutMembers {
        /// The player.
        player: String,
        /// The team.
        team: String,
    },
    /// A submission that does not come from Moodle.
    #[error("`{}` was not submitted through Moodle, so its feedback is not in feedback.zip", sanitised(player))]
    NotFromMoodle {
        /// The player.
        player: String,
    },
    /// The student handed in a file with the name of the feedback file.
    #[error(
        "`{}` handed in a file called {}, so the feedback is called {}", sanitised(player), FILE_NAMES[0], FILE_NAMES[1]
    )]
    OtherName {
        /// The player.
        player: String,
    },
}

/// The possible names of the feedback file: the first one, unless the student handed in a file of that name.
const FILE_NAMES: [&str; 2] = ["feedback.html", "arena-feedback.html"];

/// Packs the feedback for all submissions of a class into a ZIP file for Moodle. `worksheet` names the members of
/// teams.
///
/// # Errors
/// Returns an error if the file would be larger than the format allows.
pub fn feedback_zip(
    feedback: &[SubmissionFeedback<'_>],
    worksheet: Option<&Worksheet>,
) -> Result<FeedbackZip, ZipTooLarge> {
    let (mut entries, mut warnings) = (Vec::new(), Vec::new());
    let mut taken = BTreeSet::new();
    for &SubmissionFeedback { entry, page } in feedback {
        let player = || entry.player.clone();
        let folders = match folders(entry, worksheet) {
            Ok(folders) => folders,
            Err(warning) => {
                warnings.push(warning);
                continue;
            }
        };
        let has_handed_in = |name: &str| entry.submitted.iter().any(|file| file.eq_ignore_ascii_case(name));
        let name = FILE_NAMES.into_iter().find(|name| !has_handed_in(name)).unwrap_or(FILE_NAMES[1]);
        if name != FILE_NAMES[0] {
            warnings.push(FeedbackWarning::OtherName { player: player() });
        }
        for folder in folders {
            let path = format!("{folder}/{name}");
            // A student in two teams gets only the first feedback, because two files of the same name would collide.
            if taken.insert(path.clone()) {
                entries.push(ZipEntry { path, content: page.as_bytes().to_vec() });
            }
        }
    }
    let bytes = if entries.is_empty() { None } else { Some(zip_file(&entries)?) };
    Ok(FeedbackZip { bytes, warnings })
}

/// The folders in which Moodle looks for the feedback for `entry`: one folder, or one for each member of a team.
fn folders(entry: &RosterEntry, worksheet: Option<&Worksheet>) -> Result<Vec<String>, FeedbackWarning> {
    let player = || entry.player.clone();
    if !matches!(entry.layout, SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles) {
        return Err(FeedbackWarning::NotFromMoodle { player: player() });
    }
    if let Some(members) = team_members(entry, worksheet) {
        if members.is_empty() {
            return Err(FeedbackWarning::TeamWithoutMembers { player: player(), team: entry.full_name.clone() });
        }
        let folder = |member: &SheetParticipant| made_up_folder(&member.name, &member.participant.to_string());
        return Ok(members.iter().map(folder).collect());
    }
    match (&entry.folder, &entry.participant, entry.layout) {
        // The folder keeps its downloaded name, since Moodle itself chose it.
        (Some(folder), _, SubmissionLayout::MoodleFolders) if is_plain(folder) => Ok(vec![folder.clone()]),
        (_, Some(participant), _) => Ok(vec![made_up_folder(&entry.full_name, participant)]),
        _ => Err(FeedbackWarning::NotFromMoodle { player: player() }),
    }
}

/// Whether `folder` is a single folder's name, which is not guaranteed if import.json was edited.
fn is_plain(folder: &str) -> bool {
    !folder.contains(['/', '\\', '\0']) && !folder.is_empty() && folder != "." && folder != ".."
}

/// A folder for a participant without a downloaded folder, named as Moodle would name it. The name part is only for
/// humans, and must not contain `_`.
fn made_up_folder(name: &str, participant: &str) -> String {
    const HARMFUL: &str = "_/\\:*?\"<>|";
    let kept = |letter: char| if HARMFUL.contains(letter) { ' ' } else { letter };
    let mut name: String = sanitised(name).chars().map(kept).collect();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    let name = name.trim().trim_start_matches(['.', '~']);
    let name = if name.is_empty() { "Participant" } else { name };
    let digits: String = participant.chars().filter(char::is_ascii_digit).collect();
    format!("{name}_{digits}_{PLUGIN}")
}

#[cfg(test)]
mod tests;
