use std::collections::BTreeMap;

use super::*;

/// What is recognised in these files.
fn recognised(files: &[(&str, &str)]) -> Recognition {
    let texts: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    recognise_bot(&SubmittedFiles::new(texts.keys().cloned().collect(), texts))
}

/// Directory, build and command of the best recipe, and its certainty.
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
            "guess: > python3 mine.py {side} {host} {server}",
        ),
        (
            &[("Bot.java", MAIN), ("Gthd.java", MAIN)],
            "likely: > [javac -d . Bot.java Gthd.java] java -cp . Bot {side} {host} {server}",
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
        (&[("bot.py", "if __name__ == '__main__': play()")], "guess: > python3 bot.py {side} {host} {server}"),
        (&[("bot.hs", "main = x")], "none"),
        (&[("notes.txt", "x")], "none"),
    ] {
        assert_eq!(best(files), expected);
    }
}

#[test]
fn a_submission_that_says_how_it_starts_is_believed() {
    let says = "name = \"x\"\nlanguage = \"c\"\ndir = \"bot\"\nbuild = [\"make\"]\ncommand = [\"./b\", \"{side}\"]\ntransport = \"stdio\"";
    let found = recognised(&[("top/gothello.toml", says), ("bot.py", READS)]);
    let recipe = found.recipe.expect("a recipe");
    assert_eq!((recipe.certainty, recipe.dir.as_str()), (Certainty::Sure, "top/bot"));
    assert_eq!(keys(&recipe), ["build = [\"make\"]", "command = [\"./b\", \"{side}\"]", "transport = \"stdio\""]);
    assert!(found.alternatives.is_empty());
}

#[test]
fn a_declaration_that_cannot_stand_in_a_tournament_file_is_told_and_not_used() {
    for (text, why) in [
        ("command = [\"a\"]\ndir = \"../other\"", "`dir` leads out"),
        ("command = \"a\"", "not an array"),
        ("command = []", "would not take its `command`: "),
        ("command = [\"a\", \"{sied}\"]", "would not take its `command`: "),
        ("command = [\"a\"]\nbuild = []", "would not take its `build`: "),
        ("command = [\"a\", \"{host}\"]\ntransport = \"stdio\"", "would not take its `transport`: "),
        ("name = \"x\"\ncommand = [\"a\" \"b\"]", "line 2: "),
        ("build = [\"make\"]", "`command` is missing"),
        ("command = [", "`gothello.toml` is not used"),
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
    assert!(found.remarks[0].contains("unknown keys, which are ignored: `comand`;"), "{:?}", found.remarks);
}

#[test]
fn alternatives_needs_and_known_faults_are_told() {
    let found = recognised(&[
        ("player.py", &format!("{READS}import numpy as np\n")),
        ("other.py", READS),
        ("requirements.txt", "keras>=2\n"),
        ("gthclient.py", "class GthClient:\n    def f():\n        self.my_time = white_time_control\n"),
    ]);
    assert_eq!(found.alternatives.len(), 1);
    let why = found.recipe.expect("a recipe").why;
    assert_eq!(why, "`player.py` is the likeliest of 2 programs; it reads `sys.argv[1]` to `[3]`");
    assert!(found.alternatives[0].why.contains("is another of 2 programs"), "{:?}", found.alternatives);
    assert_eq!(found.needs, ["python3", "keras", "numpy"]);
    assert_eq!(found.remarks, ["`gthclient.py:3` is the old library, which fails in games with clocks (D01)"]);
}

#[test]
fn a_single_argument_is_no_range() {
    let found = recognised(&[("bot.py", "import sys\nside = sys.argv[1]\n")]);
    assert_eq!(found.recipe.expect("a recipe").why, "`bot.py` is the only program; it reads `sys.argv[1]`");
}

#[test]
fn file_names_with_braces_and_quotes_stay_words_of_a_command() {
    let recipe = recognised(&[("a {side} \"b\".py", READS)]).recipe.expect("a recipe");
    assert_eq!(recipe.command[1], "a {{side}} \"b\".py");
    assert!(is_valid(&recipe));
}

proptest::proptest! {
    /// Whatever students write, a recipe can stand in a tournament file, and works below the submission's own directory.
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
