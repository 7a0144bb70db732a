//! Files and modules that a bot lacks.

use super::*;

#[test]
fn what_is_missing_is_named_only_where_the_bot_ended_by_it() {
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, &stderr)])];
    assert_eq!(codes(&mut trials, &python(&[("bot.py", "x\nimport numpy\n")])), [["D14"]]);
    let found = &trials[0].diagnoses[0];
    assert!(found.text.contains("`numpy`") && found.fix.contains("pip install numpy"), "{found:?}");
    let java = "Error: Could not find or load main class Bot\nCaused by: java.lang.ClassNotFoundException: Bot\n";
    let sources = SourceFiles {
        files: vec![("Bot.java".into(), "class Bot {}".into())],
        command: vec!["java".into(), "Bot".into()],
        hosts: Vec::new(),
    };
    let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, java)])];
    assert_eq!(codes(&mut trials, &sources), [["D14"]]);
    assert!(
        trials[0].diagnoses[0].fix.contains("`Bot.java` exists but has not been compiled"),
        "{:?}",
        trials[0].diagnoses
    );
    let mut not_started = absent("`./bot` could not be run in `/b`: No such file or directory (os error 2)", 1, "");
    not_started.coming = Coming::Failed {
        termination: Termination::NotStarted,
        reason: "`./bot` could not be run in `/b`: No such file or directory".into(),
    };
    not_started.process = None;
    assert_eq!(code_of("hello", not_started, &SourceFiles::default()), ["D14"]);
    // The bot reported the missing file but does not need it, and fails for another reason.
    let mut flagged = crashed(&["100 ok"], "weights.txt: No such file or directory\n");
    say(&mut flagged, Speaker::Bot, &["1 c3"]);
    flagged.plies.push(ply(Side::Black, "c3", Duration::ZERO));
    flagged.end = BoutEnd::FlagFell;
    assert_eq!(code_of("clock", flagged, &SourceFiles::default()), [""; 0]);
    let other = format!("weights.txt: No such file or directory\n{}", traceback("/b/bot.py", "f()", "KeyError: 3"));
    assert_eq!(code_of("plain", crashed(&["100 ok"], &other), &SourceFiles::default()), [""; 0]);
}

#[test]
fn a_file_that_bots_cannot_read_is_named_in_words() {
    for (message, text) in [
        (
            "PermissionError: [Errno 13] Permission denied: '/home/ann/book.txt'",
            "open `/home/ann/book.txt`, which bots cannot read",
        ),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: '/home/ann/book.txt'",
            "open `/home/ann/book.txt`, which bots",
        ),
        ("OSError: [Errno 30] Read-only file system: 'log.txt'", "write to `log.txt`: bots can write only"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'book.txt'", "`book.txt`, which does not exist"),
    ] {
        let stderr = traceback("/b/bot.py", "open(path)", message);
        let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, &stderr)])];
        assert_eq!(codes(&mut trials, &python(&[("bot.py", "x\nopen(path)\n")])), [["D14"]]);
        let found = &trials[0].diagnoses[0];
        assert!(found.text.contains(text), "{found:?}");
    }
}

#[test]
fn a_module_of_the_bot_itself_is_to_be_handed_in_and_any_other_to_be_installed() {
    let sources = |program: &str, file: &str| SourceFiles {
        files: vec![(file.into(), "x = 1\n".into())],
        command: vec![program.into(), file.into()],
        hosts: Vec::new(),
    };
    let (python, node) = (sources("python3", "helper.py"), sources("node", "bot.js"));
    let own = "hand it in with the bot";
    for (sources, stderr, expected) in [
        (&python, "ModuleNotFoundError: No module named 'board'", own),
        (&python, "ModuleNotFoundError: No module named 'rules.moves'", own),
        (&python, "ModuleNotFoundError: No module named 'helper'", own),
        (&python, "ModuleNotFoundError: No module named 'numpy.linalg'", "(`python3 -m pip install numpy`)"),
        (&python, "ModuleNotFoundError: No module named 'cv2'", "(`python3 -m pip install opencv-python`)"),
        (&node, "Error: Cannot find module './tree'", own),
        (&node, "Error: Cannot find module '/b/tree.js'", own),
        (&node, "Error: Cannot find module 'chess'", "(`npm install chess`)"),
    ] {
        let mut trials = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, stderr)])];
        diagnose(&mut trials, sources);
        let found = &trials[0].diagnoses;
        assert!(found.iter().any(|found| found.fix.contains(expected)), "{stderr}: {found:?}");
    }
}

const NO_NUMBA: &str = "ModuleNotFoundError: No module named 'numba'";

#[test]
fn a_bot_that_moves_without_a_file_or_module_and_fails_later_did_not_need_it() {
    let book = "book.dat: No such file or directory\n";
    let segfault = |mut game: BoutFacts| {
        game.process.as_mut().unwrap().exit = Some(ProcessExit::Signal(11));
        game
    };
    let import = traceback("/b/bot.py", "import numba", NO_NUMBA);
    let uncaught = || after_a_move(crashed(&["311 1 c3"], &import));
    let printed = format!("{import}playing without it\n1 c3\n2 d4\n");
    for (game, expected) in [
        (segfault(crashed(&["100 ok"], book)), &["D14"][..]),
        (segfault(after_a_move(crashed(&["291 no"], book))), &[]),
        (after_a_move(crashed(&["291 no"], book)), &[]),
        (after_a_move(crashed(&["291 no"], &printed)), &[]),
        (segfault(uncaught()), &[]),
        // A missing module that is loaded only in the middle of the game ends the bot there.
        (uncaught(), &["D14"]),
    ] {
        assert_eq!(code_of("plain", game.clone(), &SourceFiles::default()), expected, "{game:?}");
    }
    // A traceback printed at the start looks the same, unless the bot plays on after it in some game.
    let with = |other: BoutFacts| {
        let mut trials =
            [trial("win", Side::Black, Pass, vec![other]), trial("plain", Side::Black, Fail, vec![uncaught()])];
        codes(&mut trials, &SourceFiles::default()).remove(1)
    };
    assert_eq!(with(exited(played("321 x"), 0, &import)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &printed)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &import)), ["D14"], "that may be why it ended");
    assert_eq!(with(exited(played("321 x"), 0, "")), ["D14"]);
    let never_moved = BoutFacts { plies: Vec::new(), ..exited(played("327 x"), 0, &import) };
    assert_eq!(with(never_moved), ["D14"]);
}
