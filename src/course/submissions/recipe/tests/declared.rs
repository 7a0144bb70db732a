//! Submissions that declare how they are started.

use super::*;

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
fn a_submission_may_say_that_it_follows_openings() {
    for (line, follows) in [("", false), ("openings = false", false), ("openings = true", true)] {
        let says = format!("command = [\"./b\", \"{{side}}\"]\n{line}");
        let found = recognised(&[("gothello.toml", &says)]);
        assert_eq!(found.warnings, [""; 0], "{line}");
        assert_eq!(found.recipe.expect("a recipe").follows_openings, follows, "{line}");
    }
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
        ("command = [\"a\"]\nopenings = \"yes\"", "`openings` must be true or false"),
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
