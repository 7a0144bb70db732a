//! Exceptions that end a bot, and exceptions that do not.

use super::*;

#[test]
fn an_exception_is_reported_if_it_reappears_or_has_ended_another_game() {
    let sources = python(&[("bot.py", "import random\nx = [][0]\n")]);
    let raised = || {
        crashed(&["100 ok", "311 1 c3"], &traceback("/b/bot.py", "x = [][0]", "IndexError: list index out of range"))
    };
    let found = |trials: &mut [Trial], again: &dyn Fn(&BoutFacts) -> BoutFacts| {
        diagnose_with(trials, &sources, |first, _| again(first));
        trials.iter().flat_map(|trial| &trial.diagnoses).map(|found| found.text.clone()).collect::<Vec<_>>()
    };
    let plain = || trial("plain", Side::Black, Fail, vec![raised()]);
    let told = found(&mut [plain()], &Clone::clone);
    assert!(told.len() == 1 && told[0].contains("`IndexError: list index out of range`"), "{told:?}");
    assert!(told[0].contains("bot.py, line 2"), "{told:?}");
    assert_eq!(found(&mut [plain()], &|_| played("321 x")), [""; 0]);
    let mut both = [plain(), trial("clock", Side::Black, Fail, vec![raised()])];
    assert_eq!(found(&mut both, &|_| unreachable!("it has shown twice")).len(), 2);
    // A missing module explains its own exception.
    let stderr = traceback("/b/bot.py", "import numpy", "ModuleNotFoundError: No module named 'numpy'");
    let mut missing = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, &stderr)])];
    assert_eq!(codes(&mut missing, &sources), [["D14"]]);
    // Printing values does not help if Python cannot parse the program.
    let stderr = "  File \"/b/bot.py\", line 2\n    x = [][0]\n    ^\nSyntaxError: '(' was never closed\n";
    let mut unreadable = [trial("hello", Side::Black, Fail, vec![absent("exited", 1, stderr)])];
    assert_eq!(codes(&mut unreadable, &sources), [["D18"]]);
    assert!(unreadable[0].diagnoses[0].fix.starts_with("Correct this line"), "{:?}", unreadable[0].diagnoses);
    let null = "Exception in thread \"main\" java.lang.NullPointerException: x\n\tat Owl.think(Owl.java:2)\n\tat Owl.main(Owl.java:1)\n";
    let owl = SourceFiles {
        files: vec![("Owl.java".into(), "class Owl {\n  int best = move.rank;\n}".into())],
        command: vec!["java".into(), "Owl".into()],
        hosts: Vec::new(),
    };
    let mut trials = [trial("plain", Side::Black, Fail, vec![crashed(&["100 ok"], null)])];
    assert_eq!(codes(&mut trials, &owl), [["D18"]]);
    assert!(trials[0].diagnoses[0].text.contains("`java.lang.NullPointerException: x`"), "{:?}", trials[0].diagnoses);
}

#[test]
fn an_exception_that_was_caught_and_written_out_did_not_end_the_bot() {
    let sources = python(&[("bot.py", "import random\nx = [][0]\n")]);
    let raised = traceback("/b/bot.py", "x = [][0]", "IndexError: list index out of range");
    let ended = |exit, stderr: &str| {
        let mut game = after_a_move(crashed(&["311 1 c3"], stderr));
        game.process.as_mut().unwrap().exit = Some(exit);
        game
    };
    let (one, segfault) = (ProcessExit::Status(1), ProcessExit::Signal(11));
    let later = format!("{raised}7 c4\n8 d3\n9 e5\n");
    for (exit, stderr, expected) in [
        (one, raised.as_str(), &["D18"][..]),
        (one, &later, &[]),
        (ProcessExit::Status(3), &raised, &[]),
        (segfault, &raised, &[]),
    ] {
        assert_eq!(code_of("plain", ended(exit, stderr), &sources), expected, "{exit:?} {stderr}");
    }
    // The bot survived the same exception in another game.
    let with = |other: BoutFacts| {
        let mut trials = [
            trial("win", Side::White, Pass, vec![other]),
            trial("plain", Side::Black, Fail, vec![ended(one, &raised)]),
        ];
        codes(&mut trials, &sources).remove(1)
    };
    assert_eq!(with(exited(played("321 x"), 0, &raised)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 1, &later)), [""; 0]);
    assert_eq!(with(exited(played("321 x"), 0, "")), ["D18"]);
}
