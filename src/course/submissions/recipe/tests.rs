use std::collections::BTreeMap;

use proptest::strategy::Strategy as _;

use super::*;

/// The bot recognised in `files`.
fn recognised(files: &[(&str, &str)]) -> Recognition {
    recognised_with(files, &GivenFiles::default())
}

/// The bot recognised in `files` if the course handed out `given`.
fn recognised_with(files: &[(&str, &str)], given: &GivenFiles) -> Recognition {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    recognise_bot(&SubmittedFiles::new(texts.keys().cloned().collect(), texts, given))
}

/// The directory, the build and the command of the best recipe, and its certainty.
fn best(files: &[(&str, &str)]) -> String {
    match recognised(files).recipe {
        None => "none".to_owned(),
        Some(Recipe { dir, build, command, certainty, .. }) => {
            let build = build.map(|build| format!("[{}] ", build.join(" "))).unwrap_or_default();
            format!("{certainty}: {dir}> {build}{}", command.join(" "))
        }
    }
}

const READS: &str = "import sys\nside = sys.argv[1]\nhost = sys.argv[2]\nserver = sys.argv[3]\n";
const GO: &str = "package main\nimport \"os\"\nfunc main() {\n\tside := os.Args[1]\n\thost := os.Args[2]\n\tn, _ := strconv.Atoi(os.Args[3])\n}\n";
const MAIN: &str =
    "public class X { public static void main(String[] args) { side = args[0]; host = args[1]; n = args[2]; } }";

#[test]
fn each_kind_of_submission_has_its_command() {
    let c = "int main(int argc, char **argv) { side = argv[1]; host = argv[2]; server = argv[3]; }";
    for (files, expected) in [
        (&[("bot.py", READS)][..], "likely: > python3 bot.py {side} {host} {server}"),
        (&[("src/bot.py", READS), ("src/gthclient.py", READS)], "likely: src> python3 bot.py {side} {host} {server}"),
        // A module that can also be run.
        (
            &[("agent.py", READS), ("mine.py", "from agent import play\n__main__ = sys.argv\n")],
            "likely: > python3 mine.py {side} {host} {server}",
        ),
        (
            &[("Bot.java", MAIN), ("Gthd.java", MAIN)],
            "likely: > [javac -d . Bot.java] java -cp . Bot {side} {host} {server}",
        ),
        (
            &[("src/a/b/Bot.java", "package a.b;\npublic static void main(String[] argv) { side = argv[0]; }")],
            "likely: src> [javac -d . a/b/Bot.java] java -cp . a.b.Bot {side}",
        ),
        (
            &[("bot.c", c), ("rules.c", "int x;")],
            "likely: > [cc -O2 -o bot bot.c rules.c -lm] ./bot {side} {host} {server}",
        ),
        (&[("bot.cpp", c)], "likely: > [c++ -O2 -o bot bot.cpp -lm] ./bot {side} {host} {server}"),
        (&[("Makefile", "p: p.c\n\tcc -o p p.c\n"), ("p.c", c)], "likely: > [make] ./p {side} {host} {server}"),
        (
            &[("CMakeLists.txt", "add_executable(gp main.cpp)"), ("main.cpp", c)],
            "likely: > [sh -c cmake -S . -B build && cmake --build build] ./build/gp {side} {host} {server}",
        ),
        (
            &[("r/Cargo.toml", "[package]\nname = \"gp\""), ("r/src/main.rs", "fn main() { let side = &args[1]; }")],
            "likely: r> [cargo build --release --offline] ./target/release/gp {side}",
        ),
        (
            &[
                ("package.json", "{\"main\":\"lib/b.js\"}"),
                ("lib/b.js", "const [side, host, port] = process.argv.slice(2)"),
            ],
            "likely: > node lib/b.js {side} {host} {port}",
        ),
        (&[("b.js", "const side = process.argv[2]")], "likely: > node b.js {side}"),
        (&[("bot.py", "if __name__ == '__main__': play()")], "guess: > python3 bot.py"),
        // Names of programs that build tools accept, and names that they do not.
        (
            &[("CMakeLists.txt", "add_executable(my_bot-2.0 main.cpp)"), ("main.cpp", c)],
            "likely: > [sh -c cmake -S . -B build && cmake --build build] ./build/my_bot-2.0 {side} {host} {server}",
        ),
        (
            &[("CMakeLists.txt", "add_executable(${NAME} main.cpp)"), ("main.cpp", c)],
            "likely: > [c++ -O2 -o bot main.cpp -lm] ./bot {side} {host} {server}",
        ),
        (
            &[
                ("pom.xml", "<artifactId>my_bot</artifactId><version>1.0-SNAPSHOT</version>"),
                ("src/Bot.java", "class Bot { public static void main(String[] args) { side = args[0]; } }"),
            ],
            "likely: src> [javac -d . Bot.java] java -cp . Bot {side}",
        ),
        (&[("bot.go", GO)], "likely: > [go build -o bot bot.go] ./bot {side} {host} {server}"),
        (
            &[("go.mod", "module m"), ("cmd/b/main.go", GO)],
            "likely: > [go build -o bot ./cmd/b] ./bot {side} {host} {server}",
        ),
        (
            &[(
                "bot.go",
                "package main\nvar s = flag.String(\"side\", \"\", \"\")\nvar h = flag.String(\"host\", \"\", \"\")\nfunc main() {}",
            )],
            "likely: > [go build -o bot bot.go] ./bot -side {side} -host {host}",
        ),
        (&[("bot.pl", "my ($side, $host, $server) = @ARGV;\n")], "likely: > perl bot.pl {side} {host} {server}"),
        (
            &[(
                "bot.pl",
                "my $side = shift;\nmy $host = shift || 'localhost';\nmy $n = shift // 0;\nsub f { my $x = shift; }\n",
            )],
            "likely: > perl bot.pl {side} {host} {server}",
        ),
        // The name alone does not show that the argument is a side.
        (&[("bot.pl", "my $me = $ARGV[0];\nmy $port = $ARGV[1];\n")], "guess: > perl bot.pl {side} {port}"),
        (
            &[("bot.rb", "side, host, port = ARGV\n"), ("rules.rb", "x = 1\n")],
            "likely: > ruby bot.rb {side} {host} {port}",
        ),
        (&[("bot.rb", "side = ARGV.shift\nhost = ARGV.shift\n")], "likely: > ruby bot.rb {side} {host}"),
        (&[("bot.lua", "local side, host, number = ...\n")], "likely: > lua bot.lua {side} {host} {server}"),
        (
            &[("bot.lua", "local socket = require(\"socket\")\nlocal side = arg[1]\nlocal host = arg[2]\n")],
            "likely: > lua bot.lua {side} {host}",
        ),
        (&[("bot.hs", "main = x")], "none"),
        (&[("notes.txt", "x")], "none"),
    ] {
        assert_eq!(best(files), expected);
    }
}

/// The course's example players and its library, shortened.
const RANDOM: &str =
    "import sys, gthclient\nside = sys.argv[1]\nclient = gthclient.GthClient(side, \"localhost\", 0)\n";
const CLIENT: &str =
    "import socket\nclass GthClient(object):\n    def __init__(self, side, host, server):\n        pass\n";
const GROSSTHELLO: &str = "public class Grossthello {\n    public static void main(String args[]) {\n        int side = args[0].equals(\"black\") ? 1 : 2;\n        GthClient c = new GthClient(side, args[1], Integer.parseInt(args[2]));\n        int depth = Integer.parseInt(args[3]);\n    }\n}\n";
const JAVA_CLIENT: &str =
    "public class GthClient {\n    public GthClient(int side, String host, int server) { new Board(); }\n}\n";
const LIBRARY_README: &str =
    "# The library\n\n    python3 gthrandom.py black localhost 0\n\nor `java Grossthello white localhost 0 3`\n";
const OWN: &str =
    "import sys\nfrom gthclient import GthClient\nme = sys.argv[1]\nc = GthClient(me, sys.argv[2], int(sys.argv[3]))\n";

#[test]
fn the_students_program_comes_before_those_of_the_course() {
    for (files, expected) in [
        // The languages do not matter.
        (
            &[
                (
                    "player.py",
                    "import gthclient, sys\nme = sys.argv[1]\nc = gthclient.GthClient(me, \"localhost\", 0)\n",
                ),
                ("gthclient.py", CLIENT),
                ("server/Grossthello.java", GROSSTHELLO),
                ("server/GthClient.java", JAVA_CLIENT),
                ("server/Board.java", "public class Board { }"),
            ][..],
            "likely: > python3 player.py {side}",
        ),
        // The commands in the library's README do not matter.
        (
            &[("minimax.py", OWN), ("gthrandom.py", RANDOM), ("gthclient.py", CLIENT), ("README.md", LIBRARY_README)],
            "likely: > python3 minimax.py {side} {host} {server}",
        ),
        (
            &[
                ("solve.py", OWN),
                ("lib/gthrandom.py", RANDOM),
                ("lib/gthclient.py", CLIENT),
                ("lib/README.md", LIBRARY_README),
            ],
            "likely: > env PYTHONPATH=lib python3 solve.py {side} {host} {server}",
        ),
        (
            &[
                ("My.java", &GROSSTHELLO.replace("Grossthello", "My")),
                ("Grossthello.java", GROSSTHELLO),
                ("GthClient.java", JAVA_CLIENT),
                ("Board.java", "class Board {}"),
                ("README.md", LIBRARY_README),
            ],
            "likely: > [javac -d . Board.java GthClient.java My.java] java -cp . My {side} {host} {server} 3",
        ),
        // If the example is the only program, it is a guess.
        (&[("gthrandom.py", RANDOM), ("gthclient.py", CLIENT)], "guess: > python3 gthrandom.py {side}"),
        (
            &[
                ("Grossthello.java", GROSSTHELLO),
                ("GthClient.java", JAVA_CLIENT),
                ("Board.java", "class Board {}"),
                ("README.md", LIBRARY_README),
            ],
            "guess: > [javac -d . Board.java Grossthello.java GthClient.java] java -cp . Grossthello {side} {host} {server} 3",
        ),
        // The server and the library alone are not a player.
        (
            &[
                ("Gthd.java", "class Gthd { public static void main(String[] a) { new ServerSocket(1); } }"),
                ("gthclient.py", CLIENT),
            ],
            "none",
        ),
    ] {
        assert_eq!(best(files), expected);
    }
    let found = recognised(&[("gthrandom.py", RANDOM), ("gthclient.py", CLIENT)]).recipe.expect("a recipe");
    assert_eq!(
        found.why,
        "`gthrandom.py` has the name of an example of the course, and nothing else is a program; it reads `sys.argv[1]`"
    );
}

#[test]
fn files_that_the_course_gives_out_come_last_under_any_name() {
    let mut given = GivenFiles::default();
    given.add(OWN);
    let theirs = OWN.replace('\n', "\r\n");
    let found = recognised_with(&[("player.py", &theirs), ("utility.py", READS)], &given);
    assert!(found.recipe.expect("a recipe").why.starts_with("`utility.py` is the most likely of 2 programs"));
    assert_eq!(
        found.alternatives[0].why,
        "`player.py` is a file that the course handed out; it reads `sys.argv[1]` to `[3]`"
    );
    let alone = recognised_with(&[("player.py", &theirs), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(alone.certainty, Certainty::Guess);
    assert!(alone.why.contains("a file that the course handed out, and nothing else is a program"), "{}", alone.why);
}

#[test]
fn a_starter_that_nobody_has_changed_is_never_likely() {
    let mut given = GivenFiles::default();
    given.add_starter(OWN);
    let unchanged = OWN.replace('\n', "  \r\n");
    let changed = format!("{OWN}depth = 4\n");
    let alone = recognised_with(&[("mine.py", &unchanged), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(alone.certainty, Certainty::Guess);
    assert_eq!(
        alone.why,
        "`mine.py` is a starter as `gothello-arena init` writes it, and nothing else is a program; it reads `sys.argv[1]` to `[3]`"
    );
    // An unchanged starter ranks after the student's own program, and does not cast doubt on that program.
    let both = [("bot.py", unchanged.as_str()), ("utility.py", &changed), ("gthclient.py", CLIENT)];
    let found = recognised_with(&both, &given);
    let recipe = found.recipe.expect("a recipe");
    assert_eq!((recipe.certainty, recipe.command[1].as_str()), (Certainty::Likely, "utility.py"));
    assert_eq!(
        found.alternatives[0].why,
        "`bot.py` is a starter as `gothello-arena init` writes it; it reads `sys.argv[1]` to `[3]`"
    );
    // A single change makes a starter the student's program, and a README does not make an unchanged starter more than a
    // guess.
    let own = recognised_with(&[("mine.py", &changed), ("gthclient.py", CLIENT)], &given).recipe.expect("a recipe");
    assert_eq!(own.certainty, Certainty::Likely, "{}", own.why);
    let shown = [("mine.py", unchanged.as_str()), ("README", "Run `python3 mine.py white localhost 0`.")];
    assert_eq!(recognised_with(&shown, &given).recipe.map(|recipe| recipe.certainty), Some(Certainty::Guess));
}

#[test]
fn a_second_likely_program_makes_a_guess() {
    let java = GROSSTHELLO.replace("Grossthello", "Player");
    let library = [("GthClient.java", JAVA_CLIENT), ("Board.java", "class Board {}"), ("gthclient.py", CLIENT)];
    let found = recognised(&[&[("bot.py", OWN), ("Player.java", &java)][..], &library].concat());
    assert_eq!(found.recipe.as_ref().map(|recipe| recipe.certainty), Some(Certainty::Guess));
    assert_eq!(found.alternatives.len(), 1);
    // A command in the student's own README, or the name of a directory, shows which one is meant.
    for others in [
        &[("bot.py", OWN), ("Player.java", &java), ("README", "Run `python3 bot.py white localhost 0`.")][..],
        &[("bot.py", OWN), ("old/Player.java", &java)],
    ] {
        let found = recognised(&[others, &library].concat());
        assert_eq!(
            found.recipe.map(|recipe| (recipe.certainty, recipe.language)),
            Some((Certainty::Likely, "Python")),
            "{others:?}"
        );
    }
}

#[test]
fn copies_of_a_program_in_several_folders_count_as_one_program() {
    let other = format!("{OWN}depth = 4\n");
    for (files, alternatives) in [
        ([("a/bot.py", OWN), ("bot.py", OWN)], 0),
        ([("bot.py", OWN), ("b/bot.py", OWN)], 0),
        ([("agent.py", OWN), ("bot.py", OWN)], 1),
        ([("a/bot.py", &other), ("bot.py", OWN)], 1),
    ] {
        let found = recognised(&[&files[..], &[("gthclient.py", CLIENT)]].concat());
        assert_eq!(found.alternatives.len(), alternatives, "{files:?}: {:?}", found.alternatives);
        let recipe = found.recipe.expect("a recipe");
        assert!(alternatives > 0 || recipe.command.contains(&"bot.py".to_owned()), "{files:?}: {recipe:?}");
    }
}

#[test]
fn a_readme_that_names_no_file_is_the_students_own_if_it_starts_none_of_the_examples() {
    let [mine, other] = ["Mine", "Other"].map(|name| GROSSTHELLO.replace("Grossthello", name));
    let found = |readme: &str| {
        let programs = [("Mine.java", mine.as_str()), ("Other.java", &other), ("README", readme)];
        let library = [("GthClient.java", JAVA_CLIENT), ("Board.java", "class Board {}")];
        let recipe = recognised(&[&programs[..], &library].concat()).recipe.expect("a recipe");
        (recipe.certainty, recipe.why.contains("`Mine.java`"))
    };
    let own = "java -cp . Mine white localhost 0 3\n";
    assert_eq!(found(own), (Certainty::Likely, true));
    assert_eq!(found(&format!("{own}java -cp . Grossthello white localhost 0 3\n")).0, Certainty::Guess);
}

#[test]
fn arguments_are_those_of_the_call_that_connects() {
    let client = ("gthclient.py", CLIENT);
    for (text, expected) in [
        (
            "server_name = sys.argv[2]\nserver_number = int(sys.argv[3])\nc = gthclient.GthClient(sys.argv[1], server_name, server_number)\n",
            "{side} {host} {server}",
        ),
        (
            "side = sys.argv[1]\nhost_name = sys.argv[2]\nhost_number = sys.argv[3]\nGthClient(side, host_name, int(host_number))\n",
            "{side} {host} {server}",
        ),
        // Names that are meaningless or misleading.
        ("a = sys.argv[3]\nb = sys.argv[1]\nc = int(sys.argv[2])\nGthClient(a, b, c)\n", "{host} {server} {side}"),
        ("server = sys.argv[2]\nnumber = int(sys.argv[3])\nside = sys.argv[1]\n", "{side} {host} {server}"),
        (
            "def start(x, y, z):\n    GthClient(x, y, z)\nstart(sys.argv[2], sys.argv[1], int(sys.argv[3]))\n",
            "{host} {side} {server}",
        ),
        ("s.connect((sys.argv[1], 29068 + int(sys.argv[2])))\nme = sys.argv[3]\n", "{host} {server} {side}"),
        ("s.connect((sys.argv[2], int(sys.argv[3])))\nme = sys.argv[1]\n", "{side} {host} {port}"),
        (
            "port = 29068 + int(sys.argv[3])\nhost = sys.argv[2]\nside = sys.argv[1]\ns.connect((host, port))\n",
            "{side} {host} {server}",
        ),
        (
            "PORT = 29068\nn = int(sys.argv[2])\nh = sys.argv[3]\nside = sys.argv[1]\ns.connect((h, PORT + n))\n",
            "{side} {server} {host}",
        ),
        ("x = sys.argv[1]\ny = sys.argv[2]\nif y == 'white':\n    pass\n", "{host} {side}"),
        // A number is assumed to be the side only if there is evidence for this.
        ("x = int(sys.argv[1])\ny = sys.argv[2]\n", "{server} {host}"),
        ("h = int(sys.argv[2])\nhost = sys.argv[1]\ncolor = int(sys.argv[3])\n", "{host} {server} {side}"),
        (
            "print('usage: p.py <host> <side> <depth>')\na = sys.argv[1]\nb = sys.argv[2]\nc = int(sys.argv[3])\n",
            "{host} {side} 3",
        ),
    ] {
        let text = format!("import sys, gthclient\n{text}");
        let recipe = recognised(&[("bot.py", &text), client]).recipe.expect("a recipe");
        assert_eq!(recipe.command[2..].join(" "), expected, "{text}");
    }
}

/// A bot in Python that can be imported, and a program that imports it.
const IMPORTABLE: &str = "import sys\nfrom gthclient import GthClient\ndef choose(board, side):\n    return side in ('white', 'black')\ndef main():\n    client = GthClient(sys.argv[1], sys.argv[2], int(sys.argv[3]))\nif __name__ == \"__main__\":\n    main()\n";
const IMPORTER: &str =
    "from bot import choose\ndef main():\n    choose(None, 'white')\nif __name__ == '__main__':\n    main()\n";

#[test]
fn a_program_that_another_one_imports_can_be_the_bot() {
    let node = "function main() {\n  const [side, host, port] = process.argv.slice(2);\n  net.connect(port, host);\n}\nmodule.exports = {choose: side => side === 'white' || side === 'black'};\n";
    let guarded_node = format!("{node}if (require.main === module) main();\n");
    let perl = "sub choose { $_[0] eq 'white' || $_[0] eq 'black' }\nsub main {\n  my ($side, $host, $port) = @ARGV;\n  IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port);\n}\nmain() unless caller;\n";
    let ruby = "def choose(side) = side == 'white' || side == 'black'\ndef main\n  side, host, port = ARGV\n  TCPSocket.new(host, port)\nend\nmain if __FILE__ == $0\n";
    let lua = "function main()\n  local side, host, port = arg[1], arg[2], arg[3]\n  -- white or black\n  require('socket').connect(host, port)\nend\nif not ... then main() end\n";
    for (bot, importer, ending) in [
        (IMPORTABLE, IMPORTER, "py"),
        (&guarded_node, "const {choose} = require('./bot');\nprocess.stdout.write(choose('white'));\n", "js"),
        (perl, "require './bot.pl';\nmy $games = shift || 10;\nchoose('white');\n", "pl"),
        (ruby, "require_relative 'bot'\nchoose('white') if __FILE__\n", "rb"),
        (lua, "require('bot')\nprint('white', ...)\n", "lua"),
    ] {
        let bot_file = format!("bot.{ending}");
        for other in ["selfplay", "test", "match", "trainer"] {
            let name = format!("{other}.{ending}");
            let found = recognised(&[(bot_file.as_str(), bot), (&name, importer), ("gthclient.py", CLIENT)]);
            let recipe = found.recipe.expect("a recipe");
            assert_eq!(recipe.command[1], bot_file, "{name}: {recipe:?}");
            assert!(found.alternatives.iter().any(|other| other.command[1] == name), "{name}");
            assert!(other != "match" || ending != "py" || recipe.certainty == Certainty::Guess, "{name}: {recipe:?}");
        }
    }
    // A program that reads arguments itself extends the module that it imports.
    let extends = "import sys\nfrom bot import main\nif __name__ == '__main__':\n    main(sys.argv[1:])\n";
    let found = recognised(&[("bot.py", IMPORTABLE), ("thinker.py", extends), ("gthclient.py", CLIENT)]);
    assert_eq!(found.recipe.expect("a recipe").command[1], "thinker.py");
    // A file without a main guard is a module, unless only a test or a program such as selfplay.py imports it.
    let (bot, other) = (&IMPORTABLE.replace("if __name__ == \"__main__\":\n    main", "main"), IMPORTER);
    for (name, expected) in [("play.py", "play.py"), ("selfplay.py", "bot.py"), ("test_bot.py", "bot.py")] {
        let found = recognised(&[("bot.py", bot), (name, other), ("gthclient.py", CLIENT)]);
        assert_eq!(found.recipe.expect("a recipe").command[1], expected, "{name}");
    }
    for (name, expected) in [("play.js", "play.js"), ("self-play.js", "bot.js"), ("test/bot.spec.js", "bot.js")] {
        let found = recognised(&[("bot.js", node), (name, "require('./bot'); process.exit(0)")]);
        assert_eq!(found.recipe.expect("a recipe").command[1], expected, "{name}");
    }
    // A module whose main guard only demonstrates it is not one of the programs.
    let search = "import random\ndef best():\n    return 1\nif __name__ == '__main__':\n    print(best())\n";
    let player = format!("from search import best\n{OWN}");
    let found = recognised(&[("player.py", &player), ("search.py", search), ("gthclient.py", CLIENT)]);
    assert_eq!(found.recipe.expect("a recipe").certainty, Certainty::Likely);
    assert!(found.alternatives.is_empty(), "{:?}", found.alternatives);
}

#[test]
fn a_clock_is_kept_from_players_that_use_the_old_library() {
    let old = "class GthClient:\n    def f():\n        self.my_time = white_time_control\n";
    let in_bash = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nexec python3 bot.py \"$@\"\n";
    let run = "command = [\"./run.sh\", \"{side}\"]";
    let in_python = format!("language = \"python\"\n{run}");
    let in_c = format!("language = \"c\"\n{run}");
    for (files, expected) in [
        // The copy that the program imports is the one that counts.
        (&[("bot.py", OWN), ("gthclient.py", old)][..], Some("gthclient.py:3")),
        (&[("bot.py", OWN), ("gthclient.py", CLIENT), ("old/gthclient.py", old)], None),
        (&[("src/bot.py", OWN), ("src/gthclient.py", CLIENT), ("gthclient.py", old)], None),
        (&[("src/bot.py", OWN), ("src/gthclient.py", old), ("gthclient.py", CLIENT)], Some("src/gthclient.py:3")),
        (&[("bot.py", OWN), ("lib/gthclient.py", old)], Some("lib/gthclient.py:3")),
        // A module of the program imports the library.
        (
            &[
                ("bot.py", "from net.player import play\nimport sys\nplay(sys.argv[1])\n"),
                ("net/player.py", "from net import gthclient\n"),
                ("net/gthclient.py", old),
                ("gthclient.py", CLIENT),
            ],
            Some("net/gthclient.py:3"),
        ),
        // A command that the student specifies: the program in it, or in its script, or else the nearest copy.
        (
            &[("gothello.toml", run), ("run.sh", in_bash), ("bot.py", OWN), ("gthclient.py", old)],
            Some("gthclient.py:3"),
        ),
        (
            &[
                ("gothello.toml", run),
                ("run.sh", in_bash),
                ("bot.py", OWN),
                ("gthclient.py", CLIENT),
                ("a/gthclient.py", old),
            ],
            None,
        ),
        (
            &[
                ("gothello.toml", "command = [\"python3\", \"-m\", \"a.bot\"]"),
                ("a/bot.py", OWN),
                ("a/gthclient.py", old),
            ],
            Some("a/gthclient.py:3"),
        ),
        (&[("gothello.toml", &in_python), ("run.sh", "exec ./start"), ("gthclient.py", old)], Some("gthclient.py:3")),
        // The copy next to the script is nearer than those further down, and these are nearer than those elsewhere.
        (
            &[
                ("gothello.toml", &in_python),
                ("run.sh", "exec ./start"),
                ("gthclient.py", CLIENT),
                ("a/gthclient.py", old),
            ],
            None,
        ),
        (
            &[
                ("b/gothello.toml", &in_python),
                ("b/run.sh", "exec ./start"),
                ("b/c/gthclient.py", old),
                ("d/gthclient.py", CLIENT),
            ],
            Some("b/c/gthclient.py:3"),
        ),
        (&[("gothello.toml", &in_c), ("run.sh", "exec ./bot"), ("gthclient.py", old)], None),
        (&[("gothello.toml", "command = [\"./python_slayer\", \"{side}\"]"), ("x.c", ""), ("gthclient.py", old)], None),
        // Programs in other languages do not use the library.
        (&[("bot.pl", "my ($side, $host, $server) = @ARGV;\n"), ("gthclient.py", old)], None),
    ] {
        let found = recognised(files);
        let recipe = found.recipe.expect("a recipe");
        assert_eq!(recipe.is_told_clock, expected.is_none(), "{files:?}: {recipe:?}");
        let told: Vec<&String> =
            found.warnings.iter().filter(|warning| warning.contains("is the old library")).collect();
        assert_eq!(told.len(), usize::from(expected.is_some()), "{files:?}: {told:?}");
        assert!(told.iter().all(|warning| warning.contains(expected.unwrap_or_default())), "{files:?}: {told:?}");
    }
}

#[test]
fn what_is_written_into_a_program_is_found() {
    let found = |text: &str| {
        let text = format!("import sys, gthclient\n{text}");
        let found = recognised(&[("bot.py", &text), ("gthclient.py", CLIENT)]);
        let recipe = found.recipe.expect("a recipe");
        let side = recipe.side.map_or("any", Side::name);
        let told = found.warnings.iter().filter(|warning| warning.contains("is hard-coded in")).count();
        format!(
            "{}: {} | {} | {side} | {told}",
            recipe.certainty,
            recipe.command[1..].join(" "),
            recipe.hosts.join(",")
        )
    };
    for (text, expected) in [
        (
            "me = sys.argv[1]\nc = gthclient.GthClient(me, \"Barton.cs.example.edu\", 0)\n",
            "likely: bot.py {side} | barton.cs.example.edu | any | 1",
        ),
        (
            "HOST = 'barton.example.edu'\nme = sys.argv[1]\nc = gthclient.GthClient(me, HOST, 0)\n",
            "likely: bot.py {side} | barton.example.edu | any | 1",
        ),
        (
            "HOST = 'b.example.edu'\nif len(sys.argv) > 2:\n    HOST = sys.argv[2]\nc = gthclient.GthClient(sys.argv[1], HOST, 0)\n",
            "likely: bot.py {side} {host} |  | any | 0",
        ),
        ("c = gthclient.GthClient(\"black\", \"localhost\", 0)\n", "likely: bot.py |  | black | 0"),
        (
            "me = 'white'\nc = gthclient.GthClient(me, 'barton.example.edu', 0)\n",
            "likely: bot.py | barton.example.edu | white | 1",
        ),
        ("me = input('side? ')\nc = gthclient.GthClient(me, 'localhost', 0)\n", "guess: bot.py |  | any | 0"),
        ("c = gthclient.GthClient('white', 'localhost', 3)\n", "likely: bot.py |  | white | 1"),
        ("c = gthclient.GthClient(sys.argv[1], '10.0.0.1', 0)\n", "likely: bot.py {side} |  | any | 1"),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn java_is_built_with_what_its_program_uses_wherever_that_lies() {
    let mine = GROSSTHELLO.replace("Grossthello", "Mine");
    for (files, expected) in [
        (
            &[
                ("Mine.java", mine.as_str()),
                ("libclient/GthClient.java", JAVA_CLIENT),
                ("gthd/Board.java", "public class Board { Move m; }"),
                ("gthd/Move.java", "class Move {}"),
                ("gthd/Gthd.java", "class Gthd { broken"),
            ][..],
            "likely: > [javac -d . Mine.java gthd/Board.java gthd/Move.java libclient/GthClient.java] java -cp . Mine {side} {host} {server} 3",
        ),
        (
            &[
                ("mine/Mine.java", mine.as_str()),
                ("lib/GthClient.java", JAVA_CLIENT),
                ("lib/Board.java", "class Board {}"),
            ],
            "likely: > [javac -d . lib/Board.java lib/GthClient.java mine/Mine.java] java -cp . Mine {side} {host} {server} 3",
        ),
        // Two classes in one file, which is named after only one of them.
        (
            &[
                ("Mine.java", "class Mine { public static void main(String[] args) { side = args[0]; new Node(); } }"),
                ("Search.java", "class Search {}\nclass Node {}"),
            ],
            "likely: > [javac -d . Mine.java Search.java] java -cp . Mine {side}",
        ),
        // Classes that were handed in are used if their sources do not compile.
        (
            &[
                ("My Bot.java", &mine.replace("Mine", "MyBot")),
                ("GthClient.class", "GthClient\nmain"),
                ("Board.class", "Board"),
            ],
            "likely: > [javac -d built -Xprefer:source My Bot.java] java -cp built:. My Bot {side} {host} {server} 3",
        ),
        (
            &[
                ("Mine.java", mine.as_str()),
                ("Mine.class", "Mine\nmain\n([Ljava/lang/String;)V\nGthClient"),
                ("GthClient.class", "GthClient"),
            ],
            "likely: > [sh -c javac -d built -Xprefer:source Mine.java || test -f Mine.class] java -cp built:. Mine {side} {host} {server} 3",
        ),
        // Classes without sources.
        (
            &[
                ("bin/a/Bot.class", "a/Bot\nmain\n([Ljava/lang/String;)V\nGthClient\nwhite"),
                ("bin/GthClient.class", "GthClient"),
            ],
            "guess: bin> java -cp . a.Bot {side} {host} {server}",
        ),
    ] {
        assert_eq!(best(files), expected);
    }
    let found = recognised(&[("Mine.java", &mine)]);
    assert_eq!(found.recipe.expect("a recipe").certainty, Certainty::Guess);
    // Neither a class without a main function nor a part of another class is a program.
    let main = "main\n([Ljava/lang/String;)V\nGthClient\nwhite";
    let (bot, part) = (format!("Bot\n{main}"), format!("Bot$1\n{main}"));
    let classes = [("Bot.class", bot.as_str()), ("Bot$1.class", &part), ("Search.class", "Search\nGthClient\nwhite")];
    let alone = recognised(&classes);
    assert_eq!(alone.recipe.expect("a recipe").command[3], "Bot");
    assert_eq!(alone.alternatives, []);
    assert_eq!(found.warnings, ["`Mine.java` uses the class `GthClient`, which is not in the submission"]);
}

#[test]
fn c_is_built_with_the_library_in_another_directory() {
    let main = "#include \"gthclient.h\"\nint main(int argc, char **argv) { gth_start_game(side, argv[2], atoi(argv[3])); int side = !strcmp(argv[1], \"white\"); }";
    assert_eq!(
        best(&[
            ("src/bot.c", main),
            ("lib/gthclient.h", ""),
            ("lib/gthclient.c", "int x;"),
            ("lib/test.c", "int main(void) {}")
        ]),
        "likely: > [cc -O2 -o bot -Ilib lib/gthclient.c src/bot.c -lm] ./bot {side} {host} {server}"
    );
}

#[test]
fn submodules_that_are_missing_are_named() {
    let list =
        "[submodule \"a\"]\n\tpath = gthd\n\turl = https://example.org/a\n[submodule \"b\"]\n\tpath = lib/client\n";
    let found = recognised(&[("bot.py", READS), (".gitmodules", list), ("gthd/Gthd.java", "class Gthd {}")]);
    assert_eq!(
        found.warnings,
        ["`.gitmodules` names Git submodules whose files are not in the submission: `lib/client`"]
    );
}

#[test]
fn a_submission_that_says_how_it_starts_is_believed() {
    let says = "name = \"x\"\nlanguage = \"c\"\ndir = \"bot\"\nbuild = [\"make\"]\ncommand = [\"./b\", \"{side}\"]\ntransport = \"stdio\"";
    let found = recognised(&[("top/gothello.toml", says), ("top/bot/Makefile", "b:"), ("bot.py", READS)]);
    let recipe = found.recipe.expect("a recipe");
    assert_eq!((recipe.certainty, recipe.dir.as_str()), (Certainty::Sure, "top/bot"));
    assert_eq!(keys(&recipe), ["build = [\"make\"]", "command = [\"./b\", \"{side}\"]", "transport = \"stdio\""]);
    assert!(found.alternatives.is_empty());
}

#[test]
fn a_declaration_that_a_tournament_file_cannot_contain_is_reported_and_not_used() {
    for (text, why) in [
        ("command = [\"a\"]\ndir = \"../other\"", "`dir` leads out"),
        ("command = \"a\"", "not an array"),
        ("command = []", "would not accept its `command`: "),
        ("command = [\"a\", \"{sied}\"]", "would not accept its `command`: "),
        ("command = [\"a\"]\nbuild = []", "would not accept its `build`: "),
        ("command = [\"a\", \"{host}\"]\ntransport = \"stdio\"", "would not accept its `transport`: "),
        ("name = \"x\"\ncommand = [\"a\" \"b\"]", "line 2: "),
        ("build = [\"make\"]", "`command` is missing"),
        ("command = [", "`gothello.toml` is not used"),
        (
            "dir = \"bto\"\ncommand = [\"python3\", \"bot.py\", \"{port}\"]",
            "`dir` is `bto`, but the submission has no such directory",
        ),
        (
            "dir = \"bot.py\"\ncommand = [\"python3\", \"bot.py\", \"{port}\"]",
            "`dir` is `bot.py`, but the submission has no such directory",
        ),
        ("command = [\"/home/t/.local/bin/bash\", \"start\"]", "its `command` runs `/home/t/.local/bin/bash`: "),
        ("command = [\"bin/../../b/bot\"]", "its `command` runs `bin/../../b/bot`: "),
        ("command = [\"./bot\"]\nbuild = [\"/opt/x/bin/x\"]", "its `build` runs `/opt/x/bin/x`: "),
        ("command = [\"/usr/../home/t/x\"]", "its `command` runs "),
    ] {
        let found = recognised(&[("gothello.toml", text), ("bot.py", READS)]);
        assert_eq!(found.recipe.expect("the program").certainty, Certainty::Likely, "{text}");
        assert!(found.mistake.as_ref().is_some_and(|mistake| mistake.contains(why)), "{text}: {:?}", found.mistake);
    }
    let found = recognised(&[("gothello.toml", "comand = 1\ncommand = [\"a\", \"{side}\"]")]);
    assert!(found.recipe.is_some_and(|recipe| recipe.certainty == Certainty::Sure) && found.mistake.is_none());
    assert!(found.warnings[0].contains("unknown keys, which are ignored: `comand`;"), "{:?}", found.warnings);
}

#[test]
fn alternatives_needs_and_known_faults_are_reported() {
    let found = recognised(&[
        ("player.py", &format!("{READS}import numpy as np\n")),
        ("other.py", READS),
        ("requirements.txt", "keras>=2\n"),
        ("gthclient.py", "class GthClient:\n    def f():\n        self.my_time = white_time_control\n"),
    ]);
    assert_eq!(found.alternatives.len(), 1);
    let why = found.recipe.expect("a recipe").why;
    assert_eq!(why, "`player.py` is the most likely of 2 programs; it reads `sys.argv[1]` to `[3]`");
    assert!(found.alternatives[0].why.contains("is another of 2 programs"), "{:?}", found.alternatives);
    assert_eq!(found.needs, ["python3", "keras", "numpy"]);
    assert_eq!(
        found.warnings,
        [
            "`gthclient.py:3` is the old library, which fails in games with clocks (D01); with `tell_clock = false`, the arena does not announce the clock to it"
        ]
    );
}

#[test]
fn a_single_argument_is_not_a_range() {
    let found = recognised(&[("bot.py", "import sys\nside = sys.argv[1]\n")]);
    assert_eq!(found.recipe.expect("a recipe").why, "`bot.py` is the only program; it reads `sys.argv[1]`");
}

#[test]
fn file_names_with_braces_and_quotes_stay_words_of_a_command() {
    let recipe = recognised(&[("a {side} \"b\".py", READS)]).recipe.expect("a recipe");
    assert_eq!(recipe.command[1], "a {{side}} \"b\".py");
    assert!(is_valid(&recipe));
}

/// Pieces from which the properties below assemble programs.
const PIECES: &str = "(x|side|host|server|number|port|depth|me|server_name|sys\\.argv\\[[1-5]\\]|args\\[[0-4]\\]|GthClient\\(|int\\(|\\)|, | = |\n|'white'|if |== |def f\\(|--side|\"barton.example.edu\"|main\\(\\)){0,40}";

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    /// No two arguments of a command are the same placeholder.
    #[test]
    fn no_two_arguments_have_one_role(text in PIECES, readme in "(bot.py|white|localhost|0|<server>|<host>|\\[server name\\]| |`){0,12}") {
        let found = recognised(&[("bot.py", &text), ("Bot.java", &text), ("README", &readme)]);
        for recipe in found.recipe.iter().chain(&found.alternatives) {
            let mut filled: Vec<&str> = recipe.command.iter().filter_map(|word| word.find('{').map(|at| &word[at..])).collect();
            filled.sort_unstable();
            let number = filled.len();
            filled.dedup();
            proptest::prop_assert_eq!(filled.len(), number, "{:?}", recipe.command);
        }
    }

    /// A file of the course is never certain to be the student's program, and ranks after every program of the
    /// student's.
    #[test]
    fn files_of_the_course_are_never_likely(text in PIECES, other in PIECES) {
        let text = format!("{OWN}{text}");
        let mut given = GivenFiles::default();
        given.add(&text);
        for (name, given) in [("gthrandom.py", &GivenFiles::default()), ("player.py", &given)] {
            let found = recognised_with(&[(name, &text), ("z.py", &format!("{other}\nmain()\n")), ("gthclient.py", CLIENT)], given);
            let recipe = found.recipe.expect("a program");
            let is_course = recipe.why.starts_with(&format!("`{name}`"));
            proptest::prop_assert!(!is_course || recipe.certainty == Certainty::Guess, "{recipe:?}");
            proptest::prop_assert!(!is_course || !found.alternatives.iter().any(|other| other.why.starts_with("`z.py`")));
        }
    }

    /// The order in which files are listed does not matter.
    #[test]
    fn the_order_of_files_does_not_matter(texts in proptest::collection::vec(PIECES, 4), order in proptest::sample::subsequence(vec![0_usize, 1, 2, 3], 4).prop_shuffle()) {
        let names = ["a.py", "B.java", "c/d.py", "e.pl"];
        let files = |order: &[usize]| {
            let all: BTreeMap<String, String> = names.iter().zip(&texts).map(|(name, text)| ((*name).to_owned(), format!("{text}\nGthClient(a, b, c)\nmain()\n"))).collect();
            recognise_bot(&SubmittedFiles::new(order.iter().map(|place| names[*place].to_owned()).collect(), all, &GivenFiles::default()))
        };
        proptest::prop_assert_eq!(files(&order), files(&[0, 1, 2, 3]));
    }

    /// Whatever students write, a recipe is valid in a tournament file, and works below the submission's own directory.
    #[test]
    fn every_recipe_is_valid(
        name in "[a-zA-Z{}'\" =$-]{1,8}",
        text in "(sys\\.argv\\[[0-9]\\]|side|host|[=,\n (){}\"'#-]|add_argument\\(|--side|main|__main__|args\\[[0-9]\\]|String|void|int){0,30}"
    ) {
        for ending in ["py", "java", "c", "js"] {
            let found = recognised(&[(&format!("d/{name}.{ending}"), &text), ("README", &text), ("Makefile", &text)]);
            for recipe in found.recipe.iter().chain(&found.alternatives) {
                proptest::prop_assert!(is_valid(recipe), "{recipe:?}");
                proptest::prop_assert!(["", "d"].contains(&recipe.dir.as_str()));
            }
        }
    }
}
