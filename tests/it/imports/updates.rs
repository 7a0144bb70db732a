//! A second import takes over what is new, leaves what the teacher has done, and can be killed at any moment.

use std::fs;
use std::path::Path;

use gothello_arena::results::roster::{Roster, SubmissionState};

use super::download::{BOT, everything, write, zip};
use super::{class_toml, command, import, imported, of, roster};
use crate::arena::text;

/// Writes a download in which each student has this file as bot.py.
fn download(dir: &Path, students: &[(&str, &str)]) {
    let archives: Vec<(String, Vec<u8>)> = students
        .iter()
        .enumerate()
        .map(|(number, (name, bot))| {
            (format!("{name}_{}_assignsubmission_file/bot.zip", 10 + number), zip(&[("bot.py", bot.as_bytes())]))
        })
        .collect();
    let entries: Vec<(&str, &[u8])> =
        archives.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    fs::write(dir.join("class.zip"), zip(&entries)).expect("written");
}

const IMPORT: [&str; 3] = ["class.zip", "--out", "class"];
const UPDATE: [&str; 4] = ["class.zip", "--out", "class", "--update"];

#[test]
fn an_update_replaces_what_changed_and_keeps_what_the_teacher_edited() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let newer = BOT.to_owned() + "depth = 4\n";
    download(path, &[("Ada", BOT), ("Bob", BOT), ("Cleo", BOT)]);
    imported(path, &IMPORT);
    assert!(imported(path, &UPDATE).contains("nothing has changed"));
    // What running a bot makes is no edit.
    write(&path.join("class/bots/bob/__pycache__/bot.pyc"), "x");
    write(&path.join("class/bots/cleo/bot.py"), "mended by the teacher");
    download(path, &[("Ada", BOT), ("Bob", &newer), ("Cleo", &newer), ("Dan's bot", BOT)]);
    let before = everything(&path.join("class"));
    let dry = imported(path, &[&UPDATE[..], &["--dry-run"]].concat());
    assert!(dry.contains("nothing was written") && everything(&path.join("class")) == before, "{dry}");

    let output = import(path, &UPDATE);
    let (told, refused) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{told}{refused}");
    assert!(told.contains("gothello-arena run class/class.toml --redo Bob\n"), "{told}");
    assert!(told.contains("1 new player") && told.contains("run class/class.toml --extend\n"), "{told}");
    assert!(refused.contains("`Cleo`") && !refused.contains("`Bob`"), "{refused}");
    let bots = path.join("class/bots");
    assert_eq!(fs::read_to_string(bots.join("bob/bot.py")).expect("there"), newer);
    assert_eq!(fs::read_to_string(bots.join("cleo/bot.py")).expect("there"), "mended by the teacher");
    assert_eq!(fs::read_to_string(path.join("class/replaced/bob.before-1/bot.py")).expect("kept"), BOT);
    // The players keep their order, so that a run can be extended.
    let names: Vec<String> = roster(path).submissions.into_iter().map(|entry| entry.player).collect();
    assert_eq!(names, ["Ada", "Bob", "Cleo", "Dan's bot"]);

    // The way out that the message tells.
    fs::rename(bots.join("cleo"), path.join("cleo")).expect("moved");
    assert!(imported(path, &UPDATE).contains("--redo Cleo"));
    assert_eq!(fs::read_to_string(bots.join("cleo/bot.py")).expect("there"), newer);
}

#[test]
fn an_edited_class_file_keeps_its_text_and_gets_new_players_at_its_end() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("Ada", BOT), ("Bob", BOT)]);
    imported(path, &IMPORT);
    let edited = class_toml(path).replace("rounds = 1", "rounds = 7");
    write(&path.join("class/class.toml"), &edited);
    download(path, &[("Ada", BOT), ("Bob", BOT), ("Cleo", BOT)]);
    assert!(imported(path, &UPDATE).contains("class.toml was edited"));
    let toml = class_toml(path);
    assert!(toml.starts_with(&edited) && command(&toml, "Cleo").starts_with("cleo> python3"), "{toml}");
    // Mistakes of the teacher's are told before anything changes.
    write(&path.join("class/class.toml"), edited.replace("rounds", "ruonds"));
    download(path, &[("Ada", "print(1)"), ("Bob", BOT), ("Cleo", BOT)]);
    let output = import(path, &UPDATE);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("class.toml:") && text(&output.stderr).contains("`ruonds`"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read_to_string(path.join("class/bots/ada/bot.py")).expect("there"), BOT);
}

/// Every state in which a killed update can leave a class leads to the same end.
#[test]
fn an_update_that_was_killed_is_repeated() {
    let newer = BOT.to_owned() + "depth = 4\n";
    let finished = tempfile::tempdir().expect("a directory");
    download(finished.path(), &[("Ada", BOT)]);
    imported(finished.path(), &IMPORT);
    download(finished.path(), &[("Ada", &newer)]);
    imported(finished.path(), &UPDATE);
    let end = roster(finished.path());
    for killed in ["before the swap", "between its steps", "after the swap"] {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path();
        download(path, &[("Ada", BOT)]);
        imported(path, &IMPORT);
        let mut roster: Roster = roster(path);
        roster.incoming.insert("ada".to_owned(), end.submissions[0].files_sha256.clone());
        write(&path.join("class/import.json"), roster.json());
        // No process has this number.
        write(&path.join("class/.arena-4294967295-0.tmp/0/tree/bot.py"), &newer);
        let bot = path.join("class/bots/ada");
        match killed {
            "between its steps" => fs::remove_dir_all(&bot).expect("removed"),
            "after the swap" => write(&bot.join("bot.py"), &newer),
            _ => {}
        }
        download(path, &[("Ada", &newer)]);
        imported(path, &UPDATE);
        assert_eq!(super::roster(path), end, "{killed}");
        assert_eq!(fs::read_to_string(bot.join("bot.py")).expect("there"), newer, "{killed}");
        assert!(everything(&path.join("class")).iter().all(|name| !name.contains(".arena-")), "{killed}");
    }
}

#[test]
fn what_cannot_be_imported_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("Ada", BOT)]);
    write(&path.join("full/notes.txt"), "x");
    write(&path.join("Grades.csv"), "Name,Grade\nAda,1\n");
    write(&path.join("broken.zip"), b"PK\x03\x04");
    write(&path.join("empty/x/__pycache__/y"), "x");
    let before = everything(path);
    for (args, words) in [
        (&["class.zip", "--out", "full"][..], "`full` is not empty"),
        (&["class.zip", "--out", "full/notes.txt"], "notes.txt"),
        (&["class.zip", "--out", "class", "--update"], "leave out `--update`"),
        (&["none.zip", "--out", "class"], "cannot read `none.zip`"),
        (&["broken.zip", "--out", "class"], "`broken.zip`: its archive is damaged"),
        (&["class.zip", "--out", "class", "--layout", "canvas"], "as canvas writes them"),
        (&["class.zip", "--out", "class", "--worksheet", "Grades.csv"], "Identifier"),
        (&["class.zip", "--out", "class", "--max-bytes", "much"], "not a size"),
    ] {
        let output = import(path, args);
        assert!([Some(1), Some(2)].contains(&output.status.code()), "{args:?}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains(words), "{args:?}: {}", text(&output.stderr));
        assert_eq!(everything(path), before, "{args:?}");
    }
    imported(path, &IMPORT);
    assert_eq!(import(path, &IMPORT).status.code(), Some(2));
}

#[test]
fn the_newest_of_several_counts_if_the_teacher_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let (one, two) = (zip(&[("bot.py", b"print(1)")]), zip(&[("bot.py", BOT.as_bytes())]));
    let two_archives: [(&str, &[u8]); 3] = [
        ("Ada_1_assignsubmission_file/a-1.zip", &one),
        ("Ada_1_assignsubmission_file/a-2.zip", &two),
        ("Bob_2_assignsubmission_file/a.zip", &one),
    ];
    fs::write(path.join("class.zip"), zip(&two_archives)).expect("written");
    fs::write(path.join("late.zip"), zip(&[("Bob_2_assignsubmission_file/a.zip", &two)])).expect("written");
    imported(path, &["class.zip", "late.zip", "--out", "class"]);
    assert_eq!(of(&roster(path), "Ada").state, SubmissionState::Unknown);
    assert_eq!(of(&roster(path), "Bob").state, SubmissionState::Refused);
    fs::remove_dir_all(path.join("class")).expect("removed");
    imported(path, &["class.zip", "late.zip", "--out", "class", "--latest"]);
    for slug in ["ada", "bob"] {
        assert_eq!(
            fs::read_to_string(path.join("class/bots").join(slug).join("bot.py")).expect("there"),
            BOT,
            "{slug}"
        );
    }
    assert_eq!(of(&roster(path), "Ada").submitted, ["a-1.zip", "a-2.zip"]);
}
