//! Students' submissions, and the commands found for them.

mod arguments;
mod builds;
mod declared;
mod ranking;

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

/// The best recipe's certainty, directory, build and command.
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
        // Program names that build tools accept, and names that they reject.
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
        // A variable's name alone does not show that the argument is a side.
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
            "`gthclient.py:3` belongs to the old library, which fails in games with clocks (D01); with `tell_clock = false`, the arena does not announce the clock to it"
        ]
    );
}

#[test]
fn file_names_with_braces_and_quotes_stay_words_of_a_command() {
    let recipe = recognised(&[("a {side} \"b\".py", READS)]).recipe.expect("a recipe");
    assert_eq!(recipe.command[1], "a {{side}} \"b\".py");
    assert!(is_valid(&recipe));
}

/// The pieces that the property tests below combine into programs.
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

    /// A file of the course is never more than a guess, and ranks after all of the student's own programs.
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

    /// Whatever students write, a recipe is valid in a tournament file, and runs in the submission's directory or below
    /// it.
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
