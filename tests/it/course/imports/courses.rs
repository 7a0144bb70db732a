//! Ten submissions modelled on those of real courses: six in Python and four in Java, with nested folders, copies, and
//! the author's files next to the student's own.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::download::write;
use super::{class_toml, command, imported};
use crate::harness::waiting::InTime as _;

/// The client that the course hands out, shortened.
const CLIENT: &str = "import socket\nclass GthClient(object):\n    def __init__(self, side, host, server):\n        self.s = socket.socket()\n";

/// The author's example, shortened.
const RANDOM: &str =
    "import sys, random, gthclient\nside = sys.argv[1]\nclient = gthclient.GthClient(side, \"localhost\", 0)\n";

/// The server that the course hands out, shortened.
const GTHD: &str = "import java.net.*;\npublic class Gthd {\n    public static void main(String args[]) {\n        ServerSocket s = new ServerSocket(29068 + Integer.parseInt(args[0]));\n    }\n}\n";

const JAVA_CLIENT: &str =
    "import java.net.*;\npublic class GthClient {\n    public GthClient(int side, String host, int server) { }\n}\n";

const GROSSTHELLO: &str = "public class Grossthello {\n    public static void main(String args[]) {\n        if (args.length != 4) System.exit(1);\n        int side = args[0].equals(\"black\") ? 1 : 2;\n        GthClient c = new GthClient(side, args[1], Integer.parseInt(args[2]));\n        int depth = Integer.parseInt(args[3]);\n    }\n}\n";

/// A submission, and its command as a teacher would write it. For the last submission in each language, the command
/// cannot be determined without running anything.
type Case = (&'static str, Vec<(&'static str, String)>, &'static str);

fn in_python() -> Vec<Case> {
    let own = |text: &str| text.to_owned();
    let argv = "import sys\nimport gthclient\nme = sys.argv[1]\nclient = gthclient.GthClient(me, sys.argv[2], int(sys.argv[3]))\n";
    let depth = format!("{argv}depth = int(sys.argv[4])\n");
    let parsed = "import argparse\nfrom gthclient import GthClient\np = argparse.ArgumentParser()\np.add_argument('--side', required=True, choices=['black', 'white'])\np.add_argument('--depth', type=int, default=3)\na = p.parse_args()\nc = GthClient(a.side, 'localhost', 0)\n";
    let three = "import sys\nfrom gthclient import GthClient\nif __name__ == '__main__':\n    side = sys.argv[1]\n    c = GthClient(side, 'localhost', 0)\n";
    vec![
        (
            "flat",
            vec![
                ("gthplayer.py", own(argv)),
                ("gthclient.py", own(CLIENT)),
                ("gthrandom.py", own(RANDOM)),
                ("board.py", own("x = 1\n")),
            ],
            "flat> python3 gthplayer.py {side} {host} {server}",
        ),
        (
            "nested",
            vec![
                ("hw4/src/player.py", depth.clone()),
                ("hw4/src/gthclient.py", own(CLIENT)),
                ("hw4/README.md", own("# Gothello\n\n    $ python3 src/player.py white localhost 0 4\n")),
            ],
            "nested/src> python3 player.py {side} {host} {server} 4",
        ),
        (
            "options",
            vec![("main.py", own(parsed)), ("gthclient.py", own(CLIENT)), ("tests/test_main.py", own(parsed))],
            "options> python3 main.py --side {side}",
        ),
        (
            "copies",
            vec![
                ("gothello/bot.py", own(three)),
                ("gothello copy/bot.py", own(three)),
                ("old/gothello/bot.py", own(three)),
                ("gothello/gthclient.py", own(CLIENT)),
            ],
            "copies/gothello> python3 bot.py {side}",
        ),
        (
            "example",
            vec![
                ("gthrandom.py", own(RANDOM)),
                ("agent.py", depth),
                ("gthclient.py", own(CLIENT)),
                ("notes.txt", own("x\n")),
            ],
            "example> python3 agent.py {side} {host} {server} 3",
        ),
        (
            "written",
            vec![
                ("play.py", own("from gthclient import GthClient\nc = GthClient('white', 'barton.example.edu', 0)\n")),
                ("gthclient.py", own(CLIENT)),
            ],
            "written> python3 play.py",
        ),
    ]
}

fn in_java() -> Vec<Case> {
    let own = |text: &str| text.to_owned();
    vec![
        (
            "java",
            vec![
                ("Player.java", own(GROSSTHELLO).replace("Grossthello", "Player")),
                ("Grossthello.java", own(GROSSTHELLO)),
                ("Gthd.java", own(GTHD)),
                ("GthClient.java", own(JAVA_CLIENT)),
            ],
            "java> [javac -d . GthClient.java Player.java] java -cp . Player {side} {host} {server} 3",
        ),
        (
            "changed",
            vec![
                ("Grossthello.java", own(GROSSTHELLO)),
                ("Gthd.java", own(GTHD)),
                ("GthClient.java", own(JAVA_CLIENT)),
            ],
            // This file has the same name as the course's own.
            "guess",
        ),
        (
            "packaged",
            vec![
                (
                    "project/src/edu/psu/Heron.java",
                    own(GROSSTHELLO).replace("Grossthello", "Heron").replacen("public", "package edu.psu;\npublic", 1),
                ),
                (
                    "project/src/edu/psu/GthClient.java",
                    own(JAVA_CLIENT).replacen("import", "package edu.psu;\nimport", 1),
                ),
                ("project/.project", own("<x/>")),
            ],
            "packaged/src> [javac -d . edu/psu/GthClient.java edu/psu/Heron.java] java -cp . edu.psu.Heron {side} {host} {server} 3",
        ),
        (
            "library",
            vec![("Board.java", own("public class Board { }\n")), ("Move.java", own("public class Move { }\n"))],
            "none",
        ),
    ]
}

#[test]
fn the_commands_of_eight_in_ten_are_right_and_the_others_are_marked() {
    let dir = tempfile::tempdir().expect("a directory");
    let cases = [in_python(), in_java()].concat();
    for (student, files, _) in &cases {
        for (name, text) in files {
            write(&dir.path().join("class-2026").join(student).join(name), text);
        }
        // Files that tools leave next to the students' sources.
        write(&dir.path().join("class-2026").join(student).join(".git/config"), "x");
    }
    write(&dir.path().join("class-2026/.DS_Store"), "x");
    let told = imported(dir.path(), &["class-2026", "--out", "class"]);
    assert!(!told.contains("note: "), "{told}");
    let toml = class_toml(dir.path());
    assert!(toml.contains("hosts = [\"barton.example.edu\"]\nsides = [\"white\"]\n"), "{toml}");
    let page = fs::read_to_string(dir.path().join("class/IMPORT.md")).expect("written");
    assert!(page.contains("1 \\.git"), "{page}");
    for (student, _, expected) in &cases {
        match *expected {
            "guess" => assert!(told.contains(&format!("  guess: {student}: ")), "{told}"),
            "none" => assert!(told.contains(&format!("  no player: {student}: ")), "{told}"),
            expected => {
                assert_eq!(command(&toml, student), expected);
                assert!(!page.contains(&format!("**{student}**: guess")), "{page}");
            }
        }
    }
}

#[test]
fn the_synthetic_class_is_imported_as_documented() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments/synthetic_class.py");
    let made = Command::new("python3").arg(script).arg(dir.path()).status_in_time().expect("Python starts");
    assert!(made.success());
    let told = imported(dir.path(), &["CS441-Final.zip", "--worksheet", "Grades.csv", "--out", "class"]);
    assert!(told.starts_with("class: 24 submissions; players: 8 sure, 15 guess; 1 without a player\n"), "{told}");
    assert!(told.contains("\n  1 student in the worksheet without a submission\n"), "{told}");
    let command = command(&class_toml(dir.path()), "Katarzyna Łukasik");
    assert_eq!(command, "katarzyna_łukasik> python3 old_client.py {side} {host} {server}");
}
