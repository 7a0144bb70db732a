//! Things that real submissions contain besides a program: links, packages, classes, and the course's own files. Builds
//! are tried if their tools are installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::download::{BOT, TarEntry, tar_file, tar_gz, write, zip};
use super::{class_toml, command, imported};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

const BOARD: &str = "public class Board { public static int size() { return 5; } }\n";
const CLIENT: &str =
    "public class GthClient {\n    public GthClient(int side, String host, int server) { Board.size(); }\n}\n";
const MINE: &str = "public class Mine {\n    public static void main(String[] args) {\n        int me = args[0].equals(\"black\") ? 1 : 2;\n        new GthClient(me, args[1], Integer.parseInt(args[2]));\n    }\n}\n";

fn link<'a>(name: &'a str, target: &'a str) -> TarEntry<'a> {
    TarEntry { name, kind: tar::EntryType::Symlink, target, content: b"" }
}

/// Runs the build of the only player in the class below `dir`, if its compiler is installed.
fn build(dir: &Path) {
    let table: toml::Table = class_toml(dir).parse().expect("TOML");
    let player = table["player"].as_array().expect("players")[0].as_table().expect("a player");
    let words: Vec<&str> =
        player["build"].as_array().expect("a build").iter().filter_map(toml::Value::as_str).collect();
    let place = dir.join("class").join(player["dir"].as_str().expect("a directory"));
    if Command::new("javac").arg("-version").output_in_time().is_ok() {
        let built = Command::new(words[0]).args(&words[1..]).current_dir(place).output_in_time().expect("it starts");
        assert!(built.status.success(), "{words:?}: {}", String::from_utf8_lossy(&built.stderr));
    }
}

#[test]
fn links_within_an_archive_become_copies_and_others_are_left_out() {
    let dir = tempfile::tempdir().expect("a directory");
    let entries = [
        tar_file("p/Mine.java", MINE.as_bytes()),
        link("p/GthClient.java", "libclient/GthClient.java"),
        link("p/libclient", "../lib"),
        link("p/Board.java", "gothd/Board.java"),
        tar_file("p/gothd/Board.java", BOARD.as_bytes()),
        tar_file("lib/GthClient.java", CLIENT.as_bytes()),
        link("p/loop", ".."),
        link("p/away", "../../etc/passwd"),
        link("p/absolute", "/etc/passwd"),
        link("p/nothing", "none.java"),
    ];
    fs::write(dir.path().join("Ada.tgz"), tar_gz(&entries)).expect("written");
    imported(dir.path(), &["Ada.tgz", "--out", "class"]);
    let bot = dir.path().join("class/bots/ada");
    for (path, content) in [
        ("p/Board.java", BOARD),
        ("p/GthClient.java", CLIENT),
        ("p/libclient/GthClient.java", CLIENT),
        ("p/Mine.java", MINE),
    ] {
        assert_eq!(fs::read_to_string(bot.join(path)).expect(path), content);
        assert!(fs::symlink_metadata(bot.join(path)).expect("there").is_file());
    }
    for path in ["p/away", "p/absolute", "p/nothing"] {
        assert!(!bot.join(path).exists(), "{path}");
    }
    let page = fs::read_to_string(dir.path().join("class/IMPORT.md")).expect("written");
    assert!(page.contains("the link `p/absolute` was left out"), "{page}");
    let toml = class_toml(dir.path());
    assert!(command(&toml, "Ada").ends_with("java -cp . Mine {side} {host} {server}"), "{toml}");
    build(dir.path());
}

#[test]
fn java_is_built_with_its_library_in_neighbouring_directories() {
    let dir = tempfile::tempdir().expect("a directory");
    let files = [
        ("hw/Mine.java", MINE.as_bytes()),
        ("hw/libclient/GthClient.java", CLIENT.as_bytes()),
        ("hw/gthd/Board.java", BOARD.as_bytes()),
        ("hw/gthd/Gthd.java", b"does not compile"),
    ];
    fs::write(dir.path().join("Ada.zip"), zip(&files)).expect("written");
    imported(dir.path(), &["Ada.zip", "--out", "class"]);
    build(dir.path());
    // If the sources do not compile, the class files in the submission are used. Here, they are the ones that the build
    // above produced.
    let class = |name: &str| fs::read(dir.path().join("class/bots/ada").join(name)).unwrap_or_default();
    let broken = MINE.replace("int me", "int you");
    let (mine, client, board) = (class("Mine.class"), class("GthClient.class"), class("Board.class"));
    if mine.is_empty() {
        skipped(Need::Languages, "`javac` is not installed");
        return;
    }
    let classes: [(&str, &[u8]); 4] = [
        ("Mine.class", &mine),
        ("GthClient.class", &client),
        ("Board.class", &board),
        ("Mine.java", broken.as_bytes()),
    ];
    let other = tempfile::tempdir().expect("a directory");
    fs::write(other.path().join("Bob.zip"), zip(&classes)).expect("written");
    imported(other.path(), &["Bob.zip", "--out", "class"]);
    assert!(
        command(&class_toml(other.path()), "Bob")
            .contains("|| test -f Mine.class] java -cp built:. Mine {side} {host} {server}")
    );
    build(other.path());
    // Without any source, the command is a guess, and is labelled as one.
    let third = tempfile::tempdir().expect("a directory");
    fs::write(third.path().join("Cleo.zip"), zip(&classes[..3])).expect("written");
    let told = imported(third.path(), &["Cleo.zip", "--out", "class"]);
    assert!(told.contains("  guess: Cleo: `Mine.class` is the only program; "), "{told}");
    assert_eq!(command(&class_toml(third.path()), "Cleo"), "cleo> java -cp . Mine {side} {host} {server}");
}

#[test]
fn a_package_keeps_the_directory_that_it_is_named_after() {
    let dir = tempfile::tempdir().expect("a directory");
    let bot = format!("from gothello_bot.rules import R\n{BOT}");
    let files = [("gothello_bot/bot.py", bot.as_bytes()), ("gothello_bot/rules.py", b"R = 1\n")];
    fs::write(dir.path().join("Ada.zip"), zip(&files)).expect("written");
    imported(dir.path(), &["Ada.zip", "--out", "class"]);
    assert_eq!(command(&class_toml(dir.path()), "Ada"), "ada> python3 -m gothello_bot.bot {side} {host} {server}");
    // A directory that nothing refers to is ignored as before.
    let plain = [("homework/bot.py", BOT.as_bytes()), ("homework/rules.py", b"R = 1\n")];
    fs::write(dir.path().join("Bob.zip"), zip(&plain)).expect("written");
    imported(dir.path(), &["Bob.zip", "--out", "other"]);
    assert!(dir.path().join("other/bots/bob/bot.py").exists());
}

#[test]
fn starters_as_they_are_written_are_guesses_under_any_name_without_being_given() {
    let dir = tempfile::tempdir().expect("a directory");
    let starters = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let hand_in = |student: &str, from: &str, files: &[(&str, &str)], more: &str| {
        for (source, name) in files {
            let text = fs::read_to_string(starters.join(from).join("bot").join(source)).expect(source);
            let more = if source.starts_with("bot.") { more } else { "" };
            write(&dir.path().join("class-2026").join(student).join(name), text + more);
        }
    };
    let python = [("bot.py", "mine.py"), ("gothello_client.py", "gothello_client.py"), ("rules.py", "rules.py")];
    hand_in("Ada", "python", &python, "");
    hand_in("Bob", "python", &python, "\nDEPTH = 4\n");
    let c = [
        ("bot.c", "player.c"),
        ("gothello_client.c", "gothello_client.c"),
        ("gothello_client.h", "gothello_client.h"),
        ("rules.c", "rules.c"),
        ("rules.h", "rules.h"),
    ];
    hand_in("Cleo", "c", &c, "");
    let node = [("bot.js", "player.js"), ("gothello_client.js", "gothello_client.js"), ("rules.js", "rules.js")];
    hand_in("Dora", "javascript", &node, "");
    let told = imported(dir.path(), &["class-2026", "--out", "class"]);
    for (student, file) in [("Ada", "mine.py"), ("Cleo", "player.c"), ("Dora", "player.js")] {
        let guess = format!(
            "  guess: {student}: `{file}` is an unchanged `gothello-arena init` starter, and none of the other"
        );
        assert!(told.contains(&guess), "{told}");
    }
    let page = fs::read_to_string(dir.path().join("class/IMPORT.md")).expect("written");
    let look = page.split("## All submissions").next().expect("a part");
    assert!(look.contains("**Ada**: guess") && !look.contains("**Bob**"), "{page}");
}

#[test]
fn files_that_the_course_gives_out_are_nobodys_bot_in_an_update_either() {
    let dir = tempfile::tempdir().expect("a directory");
    let theirs = BOT.replace('\n', "\r\n");
    write(&dir.path().join("course/player.py"), BOT);
    write(&dir.path().join("class-2026/Ada/player.py"), &theirs);
    write(&dir.path().join("class-2026/Ada/mine.py"), BOT.to_owned() + "depth = 4\n");
    write(&dir.path().join("class-2026/Bob/player.py"), &theirs);
    let told = imported(dir.path(), &["class-2026", "--out", "class", "--given", "course"]);
    assert!(told.contains("  guess: Bob: `player.py` is a file that the course handed out"), "{told}");
    let first = class_toml(dir.path());
    assert_eq!(command(&first, "Ada"), "ada> python3 mine.py {side} {host} {server}");
    let page = fs::read_to_string(dir.path().join("class/IMPORT.md")).expect("written");
    let look = page.split("## All submissions").next().expect("a part");
    assert!(look.contains("**Bob**: guess") && !look.contains("**Ada**"), "{page}");
    // The class remembers these files, so an update does not need `--given`.
    imported(dir.path(), &["class-2026", "--out", "class", "--update"]);
    assert_eq!(class_toml(dir.path()), first);
}
