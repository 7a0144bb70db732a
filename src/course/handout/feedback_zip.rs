//! The ZIP file of feedback files as Moodle takes it back.
//!
//! Moodle's import (`mod/assign/feedback/file/importziplib.php`) cuts the name of each folder at its `_`. The second part is the
//! number of a participant, and the third and the fourth name the plugin whose files are answered. All files below the folder
//! become feedback files of that participant, but for those whose names begin with `.` or `~` and for those that the student
//! has handed in unchanged.

use std::collections::BTreeSet;

use crate::base::sanitise::sanitised;
use crate::course::handout::moodle::team_members;
use crate::course::handout::worksheet::{SheetParticipant, Worksheet};
use crate::course::handout::zip_file::{ZipEntry, ZipTooLarge, zip_file};
use crate::course::roster::{RosterEntry, SubmissionLayout};

/// What Moodle's import looks for in the name of a folder, behind the participant.
const PLUGIN: &str = "assignsubmission_file_";

/// The longest name of a folder, in bytes, so that every file system can unpack it.
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
    /// The file; `None` if nobody has anything in it.
    pub bytes: Option<Vec<u8>>,
    /// Whose feedback is not in it.
    pub warnings: Vec<FeedbackWarning>,
}

/// Feedback that is not in the ZIP file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedbackWarning {
    /// A team of which nobody knows the members.
    #[error(
        "`{}` is the bot of the team `{}`, and Moodle takes feedback for each member; without a worksheet that has the \
         column `Group`, their feedback is not in feedback.zip (give it with --worksheet)",
        sanitised(player),
        sanitised(team)
    )]
    TeamWithoutMembers {
        /// The player.
        player: String,
        /// The team.
        team: String,
    },
    /// A submission from elsewhere.
    #[error("`{}` was not handed in to Moodle, so its feedback is not in feedback.zip", sanitised(player))]
    NotFromMoodle {
        /// The player.
        player: String,
    },
    /// A file that the student has handed in under the name of the feedback.
    #[error(
        "`{}` has handed in a file called {}, so the feedback is called {}", sanitised(player), FILE_NAMES[0], FILE_NAMES[1]
    )]
    OtherName {
        /// The player.
        player: String,
    },
}

/// The names of the file, the first one where the student has handed in no file of this name.
const FILE_NAMES: [&str; 2] = ["feedback.html", "arena-feedback.html"];

/// The feedback of all submissions of a class, in a file for Moodle. `worksheet` names the members of teams.
///
/// # Errors
/// If the file would be larger than the format can say.
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
            // A student of two teams gets the first feedback only, as two files of one name would be one.
            if taken.insert(path.clone()) {
                entries.push(ZipEntry { path, content: page.as_bytes().to_vec() });
            }
        }
    }
    let bytes = if entries.is_empty() { None } else { Some(zip_file(&entries)?) };
    Ok(FeedbackZip { bytes, warnings })
}

/// The folders that Moodle looks into for the students of `entry`: one, or one for each member of a team.
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
        // Exactly as downloaded: Moodle has given the name itself.
        (Some(folder), _, SubmissionLayout::MoodleFolders) if is_plain(folder) => Ok(vec![folder.clone()]),
        (_, Some(participant), _) => Ok(vec![made_up_folder(&entry.full_name, participant)]),
        _ => Err(FeedbackWarning::NotFromMoodle { player: player() }),
    }
}

/// Whether `folder` is the name of one folder, which import.json might not hold after somebody has edited it.
fn is_plain(folder: &str) -> bool {
    !folder.contains(['/', '\\', '\0']) && !folder.is_empty() && folder != "." && folder != ".."
}

/// The folder of a participant of whom no folder was downloaded, as Moodle names it. The name is for people alone, and must not
/// have a `_`.
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
