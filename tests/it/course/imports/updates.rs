//! A second import adds new submissions, preserves the teacher's changes, and can be killed at any moment.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use gothello_arena::course::roster::{Roster, SubmissionState};

use super::download::{BOT, everything, write, zip};
use super::{class_toml, command, import, imported, of, roster};
use crate::harness::arena::{program, text};
use crate::harness::waiting::{InTime as _, until};

/// Writes a download in which each student hands in this text as bot.py.
pub(super) fn download(dir: &Path, students: &[(&str, &str)]) {
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

pub(super) const IMPORT: [&str; 3] = ["class.zip", "--out", "class"];
pub(super) const UPDATE: [&str; 4] = ["class.zip", "--out", "class", "--update"];

#[test]
fn an_update_replaces_what_changed_and_keeps_what_the_teacher_edited() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let newer = BOT.to_owned() + "depth = 4\n";
    download(path, &[("Ada", BOT), ("Bob", BOT), ("Cleo", BOT)]);
    imported(path, &[&IMPORT[..], &["--time", "10s/move, bank 60s"]].concat());
    let first = class_toml(path);
    assert!(
        first.contains("move_time = \"10s\"")
            && first.contains("\nbank = \"1m\"")
            && imported(path, &UPDATE).contains("nothing has changed")
    );
    assert_eq!(class_toml(path), first);
    // Files created by running a bot are not an edit.
    write(&path.join("class/bots/bob/__pycache__/bot.pyc"), "x");
    write(&path.join("class/bots/cleo/bot.py"), "fixed by the teacher");
    download(path, &[("Ada", BOT), ("Bob", &newer), ("Cleo", &newer), ("Dan's bot", BOT)]);
    let before = everything(&path.join("class"));
    let dry = imported(path, &[&UPDATE[..], &["--dry-run"]].concat());
    assert!(dry.contains("nothing was written") && everything(&path.join("class")) == before, "{dry}");
    // The output describes what would happen.
    assert!(dry.contains("1 resubmission again, and those of 1 new player"), "{dry}");
    assert!(dry.contains("gothello-arena run class/class.toml --redo Bob --extend\n"), "{dry}");

    let output = import(path, &UPDATE);
    let (told, refused) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{told}{refused}");
    assert!(told.contains("gothello-arena run class/class.toml --redo Bob --extend\n"), "{told}");
    assert!(told.contains("1 resubmission again, and those of 1 new player"), "{told}");
    assert!(refused.contains("`Cleo`") && !refused.contains("`Bob`"), "{refused}");
    let bots = path.join("class/bots");
    assert_eq!(fs::read_to_string(bots.join("bob/bot.py")).expect("there"), newer);
    assert_eq!(fs::read_to_string(bots.join("cleo/bot.py")).expect("there"), "fixed by the teacher");
    assert_eq!(fs::read_to_string(path.join("class/replaced/bob.before-1/bot.py")).expect("kept"), BOT);
    // The players keep their order, so that a run can be extended.
    let names: Vec<String> = roster(path).submissions.into_iter().map(|entry| entry.player).collect();
    assert_eq!(names, ["Ada", "Bob", "Cleo", "Dan's bot"]);

    // Apply the remedy that the message suggests.
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
    // The teacher's mistakes are reported before anything changes.
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

#[test]
fn what_a_worksheet_told_is_not_forgotten_by_an_update_without_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("aking Ada King", BOT), ("Red", BOT)]);
    let worksheet = "Identifier,Full name,Email address,Status,Group\n\
                     Participant 10,Ada King,ada@example.edu,Submitted - Late,\n\
                     Participant 21,Bob,bob@example.edu,,Red\nParticipant 22,Cleo,cleo@example.edu,,Red\n\
                     Participant 23,Dan,dan@example.edu,No submission,\n";
    write(&path.join("Grades.csv"), worksheet);
    imported(path, &[&IMPORT[..], &["--worksheet", "Grades.csv"]].concat());
    let first = roster(path);
    let ada = of(&first, "Ada King");
    assert_eq!(
        (ada.username.as_deref(), ada.email.as_deref(), ada.late),
        (Some("aking"), Some("ada@example.edu"), true)
    );
    assert_eq!(ada.folder.as_deref(), Some("aking Ada King_10_assignsubmission_file"));
    let members: Vec<String> =
        of(&first, "Red").students().into_iter().filter_map(|student| student.participant).collect();
    assert_eq!((members, first.absent.len()), (vec!["21".to_owned(), "22".to_owned()], 1));
    let newer = BOT.to_owned() + "x = 1\n";
    download(path, &[("aking Ada King", &newer), ("Red", BOT)]);
    imported(path, &UPDATE);
    let second = roster(path);
    let ada = of(&second, "Ada King");
    assert_eq!((ada.username.as_deref(), ada.email.as_deref()), (Some("aking"), Some("ada@example.edu")));
    assert_eq!((of(&second, "Red"), &second.absent), (of(&first, "Red"), &first.absent));
}

/// Writes a download in which Ada hands in the file `name`, and Bob hands in his bot.
fn resubmission(dir: &Path, name: &str, content: &str) {
    let ada = format!("Ada_10_assignsubmission_file/{name}");
    let files: [(&str, &[u8]); 2] =
        [(&ada, content.as_bytes()), ("Bob_11_assignsubmission_file/bot.py", BOT.as_bytes())];
    fs::write(dir.join("class.zip"), zip(&files)).expect("written");
}

/// A new submission without a program removes the player, unless the teacher keeps the previous bot.
#[test]
fn a_resubmission_without_a_program_is_named_with_the_former_bot() {
    for is_edited in [false, true] {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path();
        resubmission(path, "bot.py", BOT);
        imported(path, &IMPORT);
        let class = path.join("class");
        let edited = class_toml(path).replace("rounds = 1", "rounds = 2");
        if is_edited {
            write(&class.join("class.toml"), &edited);
        }
        resubmission(path, "report.pdf", "%PDF");
        let told = imported(path, &UPDATE);
        assert!(!told.contains("nothing has changed") && told.contains("imported without a player: Ada"), "{told}");
        let start = told.find("`Ada`: the new submission has no program").unwrap_or_else(|| panic!("{told}"));
        let pasted: Vec<&str> = told[start..].lines().skip(1).map_while(|line| line.strip_prefix("  ")).collect();
        assert_eq!(pasted.contains(&"[[player]]"), !is_edited, "{told}");
        assert!(told[start..].contains("`report.pdf`") && told.contains("replaced/ada.before-1"), "{told}");
        let page = fs::read_to_string(class.join("IMPORT.md")).expect("written");
        assert!(page.contains("## To do in class.toml") && page.contains(&pasted.join("\n")), "{page}");
        // The text to be pasted starts the previous bot.
        let toml = class_toml(path);
        let mended = if is_edited {
            let (head, own) = toml.split_once("name = \"Ada\"").expect("the player is still there");
            let (_, rest) = own.split_once("\n\n").expect("other players");
            format!("{head}name = \"Ada\"\n{}\n\n{rest}", pasted.join("\n"))
        } else {
            toml + &pasted.join("\n")
        };
        assert_eq!(command(&mended, "Ada"), "replaced/ada.before-1> python3 bot.py {side} {host} {server}");
        assert!(class.join("replaced/ada.before-1/bot.py").exists());
        assert!(imported(path, &UPDATE).contains("nothing has changed"));
    }
}

/// An edited class.toml stays unchanged, so it may start a program that is no longer there.
#[test]
fn a_player_that_an_edited_class_file_starts_in_another_way_is_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    resubmission(path, "bot.py", BOT);
    imported(path, &IMPORT);
    let edited = class_toml(path).replace("rounds = 1", "rounds = 2").replace("\"Ada\"", "\"Ada, renamed\"");
    write(&path.join("class/class.toml"), &edited);
    resubmission(path, "main.py", BOT);
    let told = imported(path, &UPDATE);
    let lines = "  dir = \"bots/ada\"\n  command = [\"python3\", \"main.py\", \"{side}\", \"{host}\", \"{server}\"]\n";
    assert!(
        told.contains("`Ada, renamed`: import would build or start the new submission differently")
            && told.contains(lines),
        "{told}"
    );
    assert!(told.contains("--redo 'Ada, renamed'\n"), "{told}");
    assert!(!told.contains("`Bob`: ") && told.contains("grade class/class.toml --rubric rubric.toml\n"), "{told}");
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("written");
    assert!(page.contains("[\"python3\", \"main.py\""), "{page}");
    assert_eq!(class_toml(path), edited, "a renamed player is not added again");
    // A player that starts in the same way is not named.
    resubmission(path, "main.py", &(BOT.to_owned() + "x = 1\n"));
    write(&path.join("class/class.toml"), edited.replace("bot.py", "main.py"));
    assert!(!imported(path, &UPDATE).contains("differently from class.toml"));
}

/// The notes in an edited class.toml are from the last import, and a new import does not remove them.
#[test]
fn notes_about_a_former_submission_are_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let modules = "[submodule \"a\"]\n\tpath = lib/client\n";
    let hand_in = |bot: &str, has_modules: bool| {
        let ada = |name: &str| format!("Ada_10_assignsubmission_file/{name}");
        let (bot_py, list) = (ada("bot.py"), ada(".gitmodules"));
        let files = [(bot_py.as_str(), bot.as_bytes()), (list.as_str(), modules.as_bytes())];
        fs::write(path.join("class.zip"), zip(&files[..if has_modules { 2 } else { 1 }])).expect("written");
    };
    hand_in(BOT, true);
    imported(path, &IMPORT);
    let note = "# note: `.gitmodules` names Git submodules whose files are not in the submission: `lib/client`";
    let edited = class_toml(path).replace("rounds = 1", "rounds = 2");
    assert_eq!(edited.matches(note).count(), 1, "{edited}");
    write(&path.join("class/class.toml"), &edited);
    // A note that is still true stays.
    hand_in(&(BOT.to_owned() + "x = 1\n"), true);
    assert!(!imported(path, &UPDATE).contains("former submission"));
    hand_in(&(BOT.to_owned() + "x = 2\n"), false);
    let dry = imported(path, &[&UPDATE[..], &["--dry-run"]].concat());
    let told = imported(path, &UPDATE);
    for told in [dry, told] {
        let expected =
            format!("`Ada`: these notes in class.toml are about the previous submission; delete them:\n  {note}\n");
        assert!(told.contains(&expected), "{told}");
    }
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("written");
    assert!(page.contains("## To do in class.toml") && page.contains(note), "{page}");
    assert_eq!(class_toml(path), edited);
}

#[test]
fn a_submission_without_a_row_in_the_worksheet_is_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("Ada King", BOT), ("Late Larry", BOT), ("Red", BOT)]);
    let worksheet = |rows: &str| {
        write(&path.join("Grades.csv"), format!("Identifier,Full name,Email address,Status,Group\n{rows}"));
    };
    let with = [&IMPORT[..], &["--worksheet", "Grades.csv", "--dry-run"]].concat();
    worksheet("Participant 10,Ada King,a@example.edu,,\nParticipant 21,Bob,b@example.edu,,Red\n");
    let told = imported(path, &with);
    let expected = "note: the worksheet has no row for the grades of these submissions: Late Larry (participant 11)\n";
    assert!(told.contains(expected), "{told}");
    worksheet(
        "Participant 10,Ada King,a@example.edu,,\nParticipant 11,Late Larry,l@example.edu,,\n\
         Participant 21,Bob,b@example.edu,,Red\n",
    );
    assert!(!imported(path, &with).contains("without a row"));
    assert!(!imported(path, &[&IMPORT[..], &["--dry-run"]].concat()).contains("without a row"));
}

#[test]
fn files_beside_an_archive_that_conflict_with_its_files_are_named() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let bot = BOT.as_bytes();
    let archive = zip(&[("bot.py", bot), ("doc", b"x"), ("data/a.txt", b"x")]);
    let own = |name: &str| format!("Ada_10_assignsubmission_file/{name}");
    let names = ["bot.zip", "doc", "data", "doc_2/x.txt", "doc/x.txt"].map(own);
    // A directory `doc` and a file `doc` cannot be in one download.
    let files: [(&str, &[u8]); 4] = [(&names[0], &archive), (&names[4], b"y"), (&names[2], b"y"), (&names[3], b"y")];
    fs::write(path.join("class.zip"), zip(&files)).expect("written");
    imported(path, &IMPORT);
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("written");
    for told in [
        "`data` was handed in next to the archive, and was left out because the archive contains a directory with this name",
        "`doc/x.txt` was handed in next to the archive, and was left out because the archive contains a file where this one needs a directory",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }
    assert_eq!(of(&roster(path), "Ada").files, ["bot.py", "data/a.txt", "doc", "doc_2/x.txt"]);
    let files: [(&str, &[u8]); 2] = [(&names[0], &archive), (&names[1], b"y")];
    fs::write(path.join("class.zip"), zip(&files)).expect("written");
    let told = imported(path, &["class.zip", "--out", "class", "--update"]);
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("written");
    assert!(page.contains("because the archive contains a file with this name"), "{told}\n{page}");
}

#[test]
fn a_damaged_name_in_the_worksheet_does_not_replace_that_of_the_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("Jürgen Groß", BOT), ("Šimon Ñu", BOT)]);
    let sheet = "Identifier,Full name,Email address\nParticipant 10,J\u{fffd}rgen Gro\u{fffd},j@x.edu\n\
                 Participant 11,Šimon Ñu-Ray,s@x.edu\n";
    write(&path.join("Grades.csv"), sheet);
    imported(path, &[&IMPORT[..], &["--worksheet", "Grades.csv"]].concat());
    let roster = roster(path);
    assert_eq!(of(&roster, "Jürgen Groß").email.as_deref(), Some("j@x.edu"));
    of(&roster, "Šimon Ñu-Ray");
}

#[test]
fn a_gothello_toml_with_a_mistake_is_the_first_thing_said_of_its_player() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    let wrong = b"command = \"python3\"".as_slice();
    let files: [(&str, &[u8]); 4] = [
        ("Ada_10_assignsubmission_file/gothello.toml", wrong),
        ("Ada_10_assignsubmission_file/bot.py", BOT.as_bytes()),
        ("Bob_11_assignsubmission_file/gothello.toml", wrong),
        ("Bob_11_assignsubmission_file/bot.hs", b"main = x"),
    ];
    fs::write(path.join("class.zip"), zip(&files)).expect("written");
    let told = imported(path, &IMPORT);
    let why = "`gothello.toml` is not used: `command` is not an array of strings";
    assert!(
        told.contains(&format!("note: Ada: {why}")) && told.contains(&format!("no player: Bob: {why}; ")),
        "{told}"
    );
    let page = fs::read_to_string(path.join("class/IMPORT.md")).expect("written");
    assert_eq!((page.matches(why).count(), class_toml(path).matches(why).count()), (3, 2), "{page}");
}

/// A run can be extended only by players that come after the existing ones.
#[test]
fn a_student_whose_bot_is_found_later_is_listed_after_the_others() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    download(path, &[("Ada", "x = 1"), ("Bob", BOT), ("Cleo", BOT)]);
    imported(path, &IMPORT);
    assert_eq!(of(&roster(path), "Ada").state, SubmissionState::Unknown);
    download(path, &[("Ada", BOT), ("Bob", BOT), ("Cleo", BOT)]);
    let told = imported(path, &UPDATE);
    assert!(told.contains("run class/class.toml --extend\n") && !told.contains("--redo"), "{told}");
    let places =
        ["Bob", "Cleo", "Ada"].map(|name| class_toml(path).find(&format!("\nname = \"{name}\"")).expect("a player"));
    assert!(places.is_sorted(), "{places:?}");
}

/// Every state that a killed update can leave a class in leads to the same result.
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
        // No process has this id.
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
fn a_first_import_that_is_killed_leaves_no_class() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path();
    // There is so much data to unpack that the signal arrives before the import has finished.
    let noise: Vec<u8> = (0..1_u32 << 20).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let packed = zip(&[("bot.py", BOT.as_bytes()), ("data", &noise)]);
    let archives: Vec<(String, &[u8])> =
        (0..6).map(|number| (format!("S{number}_{number}_assignsubmission_file/b.zip"), packed.as_slice())).collect();
    let entries: Vec<(&str, &[u8])> = archives.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    fs::write(path.join("class.zip"), zip(&entries)).expect("written");
    let mut command = Command::new(program());
    let mut child =
        command.arg("import").args(IMPORT).current_dir(path).stdout(Stdio::null()).start().expect("started");
    until("the unpacked archive", || {
        assert!(child.try_wait().expect("a child").is_none(), "the import ended too early");
        everything(path).iter().any(|name| name.ends_with("/inner/bot.py")).then_some(())
    });
    child.kill().expect("killed");
    child.wait().expect("gone");
    assert!(!path.join("class").exists());
    imported(path, &IMPORT);
    assert_eq!(roster(path).submissions.len(), 6);
    assert_eq!(everything(path).iter().filter(|name| name.contains(".arena-")).count(), 0);
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
        (&["class.zip", "--out", "class", "--layout", "canvas"], "has the form that canvas uses"),
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
