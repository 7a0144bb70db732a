use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use proptest::prelude::*;

use super::*;
use crate::course::handout::gradebooks_for_tests::roster_entry;
use crate::course::handout::worksheet::ColumnNumbers;
use crate::course::roster::{RosterStudent, RosterTeam};

/// The result of Moodle's import of a ZIP file, restated from its documentation and sources: names that begin with `.`
/// or `~` are left out; a folder's name is split at `_` into at most five parts, the second of which is a participant's
/// number, while the third and fourth name the plugin; the rest is the path of the file.
fn moodle(zip: &[u8], participants: &[u64]) -> BTreeMap<(u64, String), String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).expect("a ZIP file");
    let mut found = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("an entry");
        assert!(file.is_file() && file.enclosed_name().is_some(), "{:?}", file.name());
        let path = file.name().expect("UTF-8").into_owned();
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts[parts.len() - 1];
        if name.starts_with('.') || name.starts_with('~') {
            continue;
        }
        while !parts.is_empty() {
            let info: Vec<&str> = parts.remove(0).splitn(5, '_').collect();
            let [_, participant, kind, plugin, rest @ ..] = &info[..] else { continue };
            let Ok(participant) = participant.parse::<u64>() else { continue };
            if !participants.contains(&participant) || (*kind, *plugin) != ("assignsubmission", "file") {
                continue;
            }
            let below = rest.iter().copied().chain(parts.iter().copied()).filter(|part| !part.is_empty());
            let below = below.collect::<Vec<_>>().join("/");
            let mut content = String::new();
            file.read_to_string(&mut content).expect("UTF-8");
            assert_eq!(found.insert((participant, below), content), None);
            break;
        }
    }
    found
}

fn entry(player: &str, participant: u64, folder: Option<&str>) -> RosterEntry {
    let layout = if folder.is_some() { SubmissionLayout::MoodleFolders } else { SubmissionLayout::MoodleFiles };
    RosterEntry { layout, folder: folder.map(str::to_owned), ..roster_entry(player, participant) }
}

fn team(player: &str, members: Vec<RosterStudent>) -> RosterEntry {
    let team = RosterTeam { name: player.to_owned(), members };
    RosterEntry { team: Some(team), ..entry(player, 77, Some(&format!("{player}_77_assignsubmission_file_"))) }
}

fn zipped(entries: &[RosterEntry], sheet: Option<&Worksheet>) -> FeedbackZip {
    let pages: Vec<String> = entries.iter().map(|entry| format!("<p>for {}</p>", entry.player)).collect();
    let feedback: Vec<SubmissionFeedback<'_>> =
        entries.iter().zip(&pages).map(|(entry, page)| SubmissionFeedback { entry, page }).collect();
    feedback_zip(&feedback, sheet).expect("small")
}

fn warnings(zip: &FeedbackZip) -> Vec<String> {
    zip.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn moodle_finds_each_page_under_the_folder_as_it_was_downloaded() {
    let folders = [
        "Ada King_4711_assignsubmission_file_",
        "Größe Änne_4712_assignsubmission_file",
        "aking Eve O'Neil_4713_assignsubmission_file_",
        "Participant_4714_assignsubmission_file_",
    ];
    let mut entries: Vec<RosterEntry> =
        (4711..).zip(folders).map(|(id, folder)| entry(&format!("p{id}"), id, Some(folder))).collect();
    // A download without folders does not show what Moodle calls a folder.
    entries.push(entry("Bo_b", 4715, None));
    let zip = zipped(&entries, None);
    let bytes = zip.bytes.clone().expect("a file");
    let found = moodle(&bytes, &[4711, 4712, 4713, 4714, 4715]);
    let expected = (4711_u64..)
        .zip(&entries)
        .map(|(id, entry)| ((id, "feedback.html".to_owned()), format!("<p>for {}</p>", entry.player)));
    assert_eq!(found, expected.collect());
    assert!(zip.warnings.is_empty());
    let mut archive = zip::ZipArchive::new(Cursor::new(&bytes)).expect("a ZIP file");
    let names: Vec<String> = archive.file_names().map(|name| name.expect("UTF-8").into_owned()).collect();
    for folder in folders {
        assert!(names.contains(&format!("{folder}/feedback.html")), "{names:?}");
    }
    let first = archive.by_index(0).expect("an entry");
    assert_eq!((first.unix_mode(), first.last_modified().map(|time| time.year())), (Some(0o100_644), Some(1980)));
    assert_eq!(zipped(&entries, None).bytes, zip.bytes, "equal feedback gives equal bytes");
}

#[test]
fn each_member_of_a_team_has_a_folder() {
    let sheet = "Identifier,Full name,Group,Grade,Maximum grade\nParticipant 1,A_d/a,Red,,100\nParticipant 2,Bob,Red,,100\n\
                 Participant 3,Eve,Blue,,100\n";
    let sheet = Worksheet::read(sheet.as_bytes(), &ColumnNumbers::default()).expect("a worksheet");
    let zip = zipped(&[team("Red", Vec::new())], Some(&sheet));
    let found = moodle(&zip.bytes.expect("a file"), &[1, 2, 3, 77]);
    let page = || "<p>for Red</p>".to_owned();
    let expected = [((1, "feedback.html".to_owned()), page()), ((2, "feedback.html".to_owned()), page())];
    assert_eq!(found, expected.clone().into());
    // `import` had no worksheet and took the team for a student, with a number that belongs to another student.
    let unknown = zipped(&[entry("Red", 3, Some("Red_3_assignsubmission_file_"))], Some(&sheet));
    assert_eq!(moodle(&unknown.bytes.expect("a file"), &[1, 2, 3, 77]), expected.into());
    // The members that `import` read from the worksheet are sufficient, too.
    let student =
        |name: &str, id: &str| RosterStudent { name: name.to_owned(), participant: Some(id.to_owned()), email: None };
    let told = zipped(&[team("Red", vec![student("", "5"), student("Bob", "6")])], None);
    assert_eq!(moodle(&told.bytes.expect("a file"), &[5, 6]).len(), 2);
    let untold = zipped(&[team("Red", Vec::new())], None);
    assert_eq!(untold.bytes, None);
    assert_eq!(
        warnings(&untold),
        ["`Red` is the bot of the team `Red`, and Moodle expects feedback for each member; without a worksheet with \
             the column `Group`, this feedback is not in feedback.zip (give the worksheet with --worksheet)"]
    );
}

#[test]
fn a_file_that_was_handed_in_never_comes_back() {
    let mut own = entry("Ada", 1, Some("Ada_1_assignsubmission_file_"));
    own.submitted.push("Feedback.html".to_owned());
    let zip = zipped(&[own], None);
    assert_eq!(
        moodle(&zip.bytes.clone().expect("a file"), &[1]).into_keys().next(),
        Some((1, "arena-feedback.html".to_owned()))
    );
    assert_eq!(
        warnings(&zip),
        ["`Ada` handed in a file called feedback.html, so the feedback is called arena-feedback.html"]
    );
}

#[test]
fn only_submissions_to_moodle_are_answered() {
    let canvas = RosterEntry { layout: SubmissionLayout::Canvas, ..entry("Ada", 1, None) };
    let zip = zipped(&[canvas], None);
    assert_eq!(zip.bytes, None);
    assert_eq!(warnings(&zip), ["`Ada` was not submitted through Moodle, so its feedback is not in feedback.zip"]);
}

proptest! {
    /// Moodle finds the page, whatever a student or a team is called, and no path leads out of the folder.
    #[test]
    fn no_name_hides_a_page(name in "[ -~äß_./\\\\~\u{202e}\n]{0,300}", id in 1..100_000_u64) {
        let entries = [entry(&name, id, None), entry("other", 200_000, None)];
        let found = moodle(&zipped(&entries, None).bytes.expect("a file"), &[id, 200_000]);
        let keys: Vec<(u64, String)> = found.into_keys().collect();
        prop_assert_eq!(keys, [(id, "feedback.html".to_owned()), (200_000, "feedback.html".to_owned())]);
    }

    #[test]
    fn files_of_any_size_come_back(contents in prop::collection::vec((any::<Vec<u8>>(), 0..3000_usize), 0..5)) {
        let entries: Vec<ZipEntry> = contents.iter().enumerate().map(|(at, (content, times))| {
            ZipEntry { path: format!("{at}/ä.html"), content: content.repeat(*times) }
        }).collect();
        let zip = zip_file(&entries).expect("small");
        let mut archive = zip::ZipArchive::new(Cursor::new(zip)).expect("a ZIP file");
        prop_assert_eq!(archive.len(), entries.len());
        for (at, entry) in entries.iter().enumerate() {
            let mut file = archive.by_index(at).expect("an entry");
            prop_assert_eq!(file.name().expect("UTF-8"), entry.path.as_str());
            let mut content = Vec::new();
            file.read_to_end(&mut content).expect("content with the right checksum");
            prop_assert_eq!(&content, &entry.content);
        }
    }
}
