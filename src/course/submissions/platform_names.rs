//! How platforms name the submissions of a class.
//!
//! Moodle's names come from `mod/assign/classes/downloader.php` and are read back by
//! `mod/assign/feedback/file/importziplib.php`, which splits them at `_`: Moodle replaces each `_` in a name with a
//! space.

use super::EntryPath;
use crate::course::roster::SubmissionLayout;

/// The text that Moodle writes between a student's number and the kind of submission.
const MOODLE: &str = "_assignsubmission_";

/// The information that the name of a folder or a file contains about a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformName {
    /// The layout that the name belongs to.
    pub layout: SubmissionLayout,
    /// The folder as downloaded, or the prefix before the file's own name.
    pub folder: String,
    /// The name of the student or of the team.
    pub full_name: String,
    /// The number of the student, the team or the submission.
    pub participant: Option<String>,
    /// Whether the platform marks the submission as late.
    pub late: bool,
    /// Whether the submission contains files; otherwise it is text that was typed into the platform.
    pub holds_files: bool,
    /// The file's own name, if the name belongs to a file.
    pub file: Option<String>,
}

/// The layout of a download with `paths`, which are relative to the directory that contains all files, if there is one.
/// `Plain` if the download does not come from a platform.
pub fn recognise<'p>(paths: impl IntoIterator<Item = &'p EntryPath>) -> SubmissionLayout {
    let (mut canvas, mut others) = (false, false);
    for path in paths {
        let (first, rest) = path.split_first();
        if first == "submission_metadata.yml" {
            return SubmissionLayout::Gradescope;
        }
        match moodle(first, rest.is_none()) {
            Some(name) if name.file.is_some() => return SubmissionLayout::MoodleFiles,
            Some(_) => return SubmissionLayout::MoodleFolders,
            None if rest.is_none() && self::canvas(first).is_some() => canvas = true,
            None => others = true,
        }
    }
    if canvas && !others { SubmissionLayout::Canvas } else { SubmissionLayout::Plain }
}

/// The meaning of `first`, the first component of a path in `layout`. `is_file` says whether the path has only this
/// component. Returns `None` if the name does not belong to the layout.
pub fn platform_name(layout: SubmissionLayout, first: &str, is_file: bool) -> Option<PlatformName> {
    match layout {
        SubmissionLayout::MoodleFolders | SubmissionLayout::MoodleFiles => moodle(first, is_file),
        SubmissionLayout::Canvas => is_file.then(|| canvas(first)).flatten(),
        SubmissionLayout::Gradescope => (!is_file).then(|| gradescope(first)).flatten(),
        SubmissionLayout::Plain => None,
    }
}

/// Reads `NAME_ID_assignsubmission_file_` or `NAME_ID_assignsubmission_file_FILE`; the default team has no id. Before
/// version 4.1, the names of folders ended in `_`.
fn moodle(name: &str, is_file: bool) -> Option<PlatformName> {
    let at = name.find(MOODLE)?;
    let (before, kind) = (&name[..at], &name[at + MOODLE.len()..]);
    let (word, holds_files) =
        [("file", true), ("onlinetext", false)].into_iter().find(|(word, _)| kind.starts_with(word))?;
    let file = kind[word.len()..].strip_prefix('_').unwrap_or("");
    if !kind[word.len()..].is_empty() && !kind[word.len()..].starts_with('_') {
        return None;
    }
    let (full_name, participant) = match before.rsplit_once('_') {
        Some((full_name, id)) if is_number(id) => (full_name, Some(id.to_owned())),
        _ => (before, None),
    };
    // Only the name of a folder may end after the kind. The name of a file continues with the file's own name.
    let is_named = is_file && !file.is_empty();
    (!full_name.is_empty() && (is_named || !is_file)).then(|| PlatformName {
        layout: if is_named { SubmissionLayout::MoodleFiles } else { SubmissionLayout::MoodleFolders },
        folder: if is_named { name[..name.len() - file.len()].to_owned() } else { name.to_owned() },
        full_name: full_name.to_owned(),
        participant,
        late: false,
        holds_files,
        file: is_named.then(|| file.to_owned()),
    })
}

/// Reads `lastfirst[_LATE]_USER_SUBMISSION_FILE`.
fn canvas(name: &str) -> Option<PlatformName> {
    let (full_name, rest) = name.split_once('_')?;
    let late = rest.strip_prefix("LATE_");
    let (user, rest) = late.unwrap_or(rest).split_once('_')?;
    let (submission, file) = rest.split_once('_')?;
    let is_one = is_number(user) && is_number(submission) && !file.is_empty() && !full_name.is_empty();
    is_one.then(|| PlatformName {
        layout: SubmissionLayout::Canvas,
        folder: name[..name.len() - file.len() - submission.len() - 1].to_owned(),
        full_name: full_name.to_owned(),
        participant: Some(user.to_owned()),
        late: late.is_some(),
        holds_files: true,
        file: Some(file.to_owned()),
    })
}

/// Reads `submission_ID`. The students are in `submission_metadata.yml`.
fn gradescope(name: &str) -> Option<PlatformName> {
    let id = name.strip_prefix("submission_").filter(|id| is_number(id))?;
    Some(PlatformName {
        layout: SubmissionLayout::Gradescope,
        folder: name.to_owned(),
        full_name: name.replace('_', " "),
        participant: Some(id.to_owned()),
        late: false,
        holds_files: true,
        file: None,
    })
}

/// Whether `name` is a typical team name, such as `Group 5` or `Team Red`.
pub fn is_called_like_team(name: &str) -> bool {
    ["Group ", "Gruppe ", "Groupe ", "Grupo ", "Gruppo ", "Team "].iter().any(|word| name.starts_with(word))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn layout(names: &[&str]) -> SubmissionLayout {
        let paths: Vec<EntryPath> = names.iter().map(|name| EntryPath::parse(name).unwrap()).collect();
        recognise(&paths)
    }

    #[test]
    fn each_platform_is_known_by_its_names() {
        for (names, expected) in [
            (&["Ada King_4711_assignsubmission_file/bot.zip"][..], SubmissionLayout::MoodleFolders),
            (&["Ada King_4711_assignsubmission_file_/bot.zip"], SubmissionLayout::MoodleFolders),
            (&["Ada King_4711_assignsubmission_file_bot.zip"], SubmissionLayout::MoodleFiles),
            (&["kingada_LATE_12_345_bot.zip", "rayrob_13_346_bot-1.zip"], SubmissionLayout::Canvas),
            (&["submission_metadata.yml", "submission_5/bot.py"], SubmissionLayout::Gradescope),
            (&["kingada_12_345_bot.zip", "README"], SubmissionLayout::Plain),
            (&["ada/bot.py", "bob.zip"], SubmissionLayout::Plain),
            (&["x_assignsubmission_files/bot.py"], SubmissionLayout::Plain),
            (&[], SubmissionLayout::Plain),
        ] {
            assert_eq!(layout(names), expected, "{names:?}");
        }
    }

    #[test]
    fn teams_are_often_called_so() {
        assert!(["Group 5", "Gruppe A", "Team Red"].into_iter().all(is_called_like_team));
        assert!(!["Teamer, Ada", "Groupe", "Ada Team"].into_iter().any(is_called_like_team));
    }

    #[test]
    fn names_of_moodle_tell_student_number_and_file() {
        let name = |name, is_file| platform_name(SubmissionLayout::MoodleFolders, name, is_file).unwrap();
        let ada = name("ada k_ng Ada King_4711_assignsubmission_file_", false);
        assert_eq!((ada.full_name.as_str(), ada.participant.as_deref()), ("ada k_ng Ada King", Some("4711")));
        let team = name("Default group_assignsubmission_file_", false);
        assert_eq!((team.full_name.as_str(), team.participant), ("Default group", None));
        assert!(!name("Ada King_4711_assignsubmission_onlinetext_", false).holds_files);
        let trap = name("Ada_1_assignsubmission_file_x_2_assignsubmission_file_y.zip", true);
        assert_eq!((trap.full_name.as_str(), trap.file.as_deref()), ("Ada", Some("x_2_assignsubmission_file_y.zip")));
        assert_eq!(trap.folder, "Ada_1_assignsubmission_file_");
    }

    proptest! {
        /// The prefix and the file's name make up the whole name, so Moodle receives the same folder that it created.
        #[test]
        fn names_come_apart_and_together(student in "[A-Za-zäß'-][A-Za-zäß' -]{0,11}", id in "[0-9]{1,8}", file in "[A-Za-z_.ä]{1,12}") {
            let whole = format!("{student}_{id}_assignsubmission_file_{file}");
            let name = platform_name(SubmissionLayout::MoodleFiles, &whole, true).unwrap();
            prop_assert_eq!(&name.full_name, &student);
            prop_assert_eq!(name.participant.as_deref(), Some(id.as_str()));
            prop_assert_eq!(name.folder + &name.file.unwrap(), whole);
            let late = format!("{}_LATE_{id}_7_{file}", student.replace(' ', ""));
            let name = platform_name(SubmissionLayout::Canvas, &late, true).unwrap();
            prop_assert!(name.late && name.participant == Some(id) && name.file == Some(file));
        }
    }
}
