//! A class of 80 imported with a single command, with all layouts, umlauts, names that spreadsheets would interpret as
//! formulas, and every kind of hostile archive.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use gothello_arena::course::roster::{Roster, SubmissionLayout, SubmissionState};

use super::download::{BOT, everything, tar_file, tar_gz, write, zip, zip_with_link};
use super::{class_toml, imported, of, roster};
use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;
use crate::house::json::{fits, strict};

/// Writes the downloads of the class into `dir`, and returns their names.
pub(crate) fn downloads(dir: &Path) -> [&'static str; 5] {
    let bot = BOT.as_bytes();
    let packed = zip(&[("bot/player.py", bot), ("__MACOSX/bot/._player.py", b"x"), ("bot/__pycache__/p.pyc", b"x")]);
    let mut folders: Vec<(String, Vec<u8>)> = Vec::new();
    for (number, name) in
        ["Jürgen Groß", "=HYPERLINK(1)", "+1", "@SUM(A1)", "Zoë O'Neil", "Ада", "李雷", "Participant", "Participant"]
            .into_iter()
            .enumerate()
    {
        folders.push((format!("{name}_{}_assignsubmission_file/bot.zip", 100 + number), packed.clone()));
    }
    // A highly compressed file that is not an archive must not make the following files count as bombs.
    folders.insert(0, ("Zeros_99_assignsubmission_file/zeros.txt".to_owned(), vec![0; 24 << 20]));
    for number in 0..20 {
        folders.push((format!("Student {number}_{}_assignsubmission_file_/bot.zip", 200 + number), packed.clone()));
    }
    folders.push(("Team Red_17_assignsubmission_file/bot.zip".to_owned(), packed.clone()));
    folders.push(("Typed_301_assignsubmission_onlinetext/onlinetext.html".to_owned(), b"<p>".to_vec()));
    let zeros = vec![0_u8; 24 << 20];
    for (name, archive) in [
        ("Slip", zip(&[("../../evil.py", bot)])),
        ("Bomb", zip(&[("bot.py", bot), ("zeros", &zeros)])),
        ("Link", zip_with_link("etc", "/etc")),
        ("Twins", zip(&[("Bot.py", bot), ("bot.py", bot)])),
        ("Broken", packed[..packed.len() / 2].to_vec()),
    ] {
        folders.push((format!("{name}_{}_assignsubmission_file/bot.zip", 400 + folders.len()), archive));
    }
    folders.push(("Rar_500_assignsubmission_file/bot.rar".to_owned(), b"Rar!".to_vec()));
    let files: Vec<(String, Vec<u8>)> = (0..15)
        .map(|number| (format!("Flat {number}_{}_assignsubmission_file_my_bot.zip", 600 + number), packed.clone()))
        .collect();
    let canvas: Vec<(String, Vec<u8>)> = (0..10)
        .map(|number| {
            (
                format!("canvas{number}{}_{}_{}_bot.zip", ["", "_LATE"][number % 2], 700 + number, 900 + number),
                packed.clone(),
            )
        })
        .collect();
    let mut gradescope: Vec<(String, Vec<u8>)> = Vec::new();
    let mut students = "---\n".to_owned();
    for number in 0..10 {
        gradescope.push((format!("assignment_1_export/submission_{}/player.py", 800 + number), bot.to_vec()));
        students.extend([format!(
            "submission_{}:\n  :submitters:\n  - :name: Grade {number}\n    :email: g{number}@example.edu\n  :score: 1\n",
            800 + number
        )]);
    }
    gradescope.push(("assignment_1_export/submission_metadata.yml".to_owned(), students.into_bytes()));
    for (name, entries) in
        [("folders.zip", &folders), ("files.zip", &files), ("canvas.zip", &canvas), ("gradescope.zip", &gradescope)]
    {
        let entries: Vec<(&str, &[u8])> =
            entries.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        fs::write(dir.join(name), zip(&entries)).expect("written");
    }
    for number in 0..7 {
        write(&dir.join(format!("plain/plain{number}/player.py")), BOT);
    }
    write(&dir.join("plain/packed.tgz"), tar_gz(&[tar_file("bot/player.py", bot)]));
    ["folders.zip", "files.zip", "canvas.zip", "gradescope.zip", "plain"]
}

/// The first part of each path.
fn tops(paths: &[String]) -> BTreeSet<&str> {
    paths.iter().map(|path| path.split('/').next().expect("a part")).collect()
}

fn states(roster: &Roster, state: SubmissionState) -> BTreeSet<&str> {
    let found = roster.submissions.iter().filter(|entry| entry.state == state);
    found.map(|entry| entry.full_name.as_str()).collect()
}

#[test]
fn a_class_of_80_is_imported_and_nothing_is_written_elsewhere() {
    let dir = tempfile::tempdir().expect("a directory");
    let [folders, files, canvas, gradescope, plain] = downloads(dir.path());
    let before = everything(dir.path());
    let plain: Vec<String> = fs::read_dir(dir.path().join(plain))
        .expect("there")
        .flatten()
        .map(|entry| entry.path().display().to_string())
        .collect();
    let mut args = vec![folders, files, canvas, gradescope, "--out", "class"];
    args.extend(plain.iter().map(String::as_str));
    let told = imported(dir.path(), &args);
    assert!(told.starts_with("class: 80 submissions; players: 74 likely; 6 without a player\n"), "{told}");

    // Only the class was added.
    let after = everything(dir.path());
    let new: Vec<String> = after.into_iter().filter(|path| !before.contains(path)).collect();
    assert_eq!(tops(&new), BTreeSet::from(["class"]));
    assert!(!dir.path().parent().expect("a directory").join("evil.py").exists());
    let class = dir.path().join("class");
    assert!(
        !new.iter().any(|path| path.contains("__MACOSX") || path.contains("pycache") || path.contains(".arena-")),
        "{new:?}"
    );
    for path in new.iter().filter(|path| path.contains("bots/")) {
        let metadata = fs::symlink_metadata(dir.path().join(path)).expect("there");
        let mode = metadata.permissions().mode() & 0o7777;
        assert!(metadata.is_dir() || (metadata.is_file() && [0o644, 0o755].contains(&mode)), "{path}: {mode:o}");
    }

    let roster = roster(dir.path());
    fits(&strict("import"), &fs::read_to_string(class.join("import.json")).expect("written"));
    assert_eq!(states(&roster, SubmissionState::Refused), BTreeSet::from(["Slip", "Bomb", "Twins", "Broken", "Zeros"]));
    assert_eq!(states(&roster, SubmissionState::Unknown), BTreeSet::from(["Rar"]));
    assert_eq!(of(&roster, "Jürgen Groß").folder.as_deref(), Some("Jürgen Groß_100_assignsubmission_file"));
    assert_eq!(of(&roster, "Flat 3").folder.as_deref(), Some("Flat 3_603_assignsubmission_file_"));
    assert_eq!(of(&roster, "Flat 3").submitted, ["my_bot.zip"]);
    assert!(of(&roster, "Team Red").team.is_some() && of(&roster, "canvas1").late && !of(&roster, "canvas0").late);
    assert_eq!(of(&roster, "Grade 4").email.as_deref(), Some("g4@example.edu"));
    assert_eq!(of(&roster, "packed").layout, SubmissionLayout::Plain);
    let page = fs::read_to_string(class.join("IMPORT.md")).expect("written");
    for told in [
        "`../../evil.py`",
        "is a decompression bomb",
        "differ only in case",
        "is damaged",
        "`bot.rar` was not unpacked",
        "the link `etc`",
        "1 answer typed into",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }

    let check = Command::new(program()).args(["check", "class/class.toml"]).current_dir(dir.path()).output_in_time();
    let check = check.expect("the program starts");
    assert_eq!(check.status.code(), Some(0), "{}{}", text(&check.stdout), text(&check.stderr));
    let toml = class_toml(dir.path());
    for name in ["HYPERLINK(1)", "SUM(A1)", "Participant 107", "Participant 108", "Jürgen Groß", "李雷"] {
        assert!(toml.contains(&format!("\nname = \"{name}\"")), "{name}\n{toml}");
    }
}
