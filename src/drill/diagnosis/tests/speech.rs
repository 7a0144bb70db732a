//! How a bot reads and writes lines: the numbers of its moves, its buffers, and when it speaks.

use super::*;

#[test]
fn only_a_legal_move_in_the_wrong_form_has_a_wrong_number() {
    let code = |side, text: &str, kind| {
        let mut trials = [trial("plain", side, Fail, vec![refused(side, text, kind)])];
        codes(&mut trials, &SourceFiles::default()).remove(0)
    };
    for text in ["1 d3", "3 d3", "0 d3", "2 ... d3", "d3", "2. d3", "2...d3", "-1 d3"] {
        assert_eq!(code(Side::Black, text, TryKind::Garbled), ["D08"], "{text}");
    }
    for text in ["1 d3", "1... d3", "2 ... d3", "1 .. d3", "d3"] {
        assert_eq!(code(Side::White, text, TryKind::Garbled), ["D08"], "{text}");
    }
    for (text, kind) in [
        ("1 c3", TryKind::Garbled),
        ("2 z9", TryKind::Garbled),
        ("move d3", TryKind::Garbled),
        ("2 c3", TryKind::Illegal),
        ("", TryKind::Garbled),
    ] {
        assert_eq!(code(Side::Black, text, kind), [""; 0], "{text}");
    }
}

#[test]
fn a_wrong_number_is_told_in_the_words_of_the_rules() {
    let told = |ruleset: &str, side, plies: &[(Side, &str)], text: &str| {
        let mut game = refused(side, text, TryKind::Garbled);
        game.ruleset = ruleset.parse().expect("rules");
        game.plies = plies.iter().map(|&(side, played)| ply(side, played, Duration::ZERO)).collect();
        game.refusals[0].ply = plies.len();
        let mut trials = [trial("plain", side, Fail, vec![game])];
        diagnose(&mut trials, &SourceFiles::default());
        trials[0].diagnoses.first().map(|found| (found.cause, found.text.clone(), found.fix.clone()))
    };
    let (black, white) = (Side::Black, Side::White);
    for (rules, plies, text, expected) in [
        ("gothello", &[(black, "c3")][..], "1 d3", "`1 ... d3`"),
        ("seegover", &[(black, "c4")], "1 d3", "`1 ... d3`"),
        ("seegover drop=2", &[(black, "a1+b1")], "2 ... d3+c4", "`1 ... d3+c4`"),
    ] {
        let (cause, said, fix) = told(rules, white, plies, text).unwrap_or_else(|| panic!("{rules}: {text}"));
        assert_eq!(cause, Cause::MoveNumber);
        assert!(said.contains(expected), "{said}");
        let is_gothello = rules == "gothello";
        assert_eq!([&said, &fix].map(|text| text.contains("passes")), [is_gothello; 2], "{said} {fix}");
        assert_eq!(fix.contains("drops and moves"), !is_gothello, "{fix}");
    }
    // A single stone is not a turn under these rules, whatever number the line has.
    assert_eq!(told("seegover drop=2", white, &[(black, "a1+b1")], "1 d3"), None);
}

/// A game in which the bot was silent after its hello and used the CPU time `cpu`.
fn silent(cpu: Duration) -> BoutFacts {
    let mut game = facts(Side::Black);
    say(&mut game, Speaker::Arena, &["000 hello", "100 ok", "352 go"]);
    say(&mut game, Speaker::Bot, &["0.9.1 player black"]);
    game.end = BoutEnd::TimedOut;
    game.process.as_mut().unwrap().usage = Some(Usage { user: cpu, wall: 25 * SECOND, ..Usage::default() });
    game
}

#[test]
fn a_bot_buffers_if_what_was_missing_comes_when_its_input_ends() {
    let unflushed = python(&[("bot.py", "print('1 c3')\n")]);
    let comes = |mut game: BoutFacts, line: &str, after: Duration| {
        (game.said_after_end, game.spoke_after) = (vec![line.to_owned()], Some(after));
        game
    };
    let at_once = SECOND / 100;
    let buffered = || comes(silent(SECOND / 10), "1 c3", at_once);
    assert_eq!(code_of("plain", buffered(), &unflushed), ["D09"]);
    assert_eq!(code_of("plain", buffered(), &SourceFiles::default()), ["D09"]);
    // The same is detected in the middle of a game.
    let mut later = comes(silent(SECOND / 10), "2 pass", at_once);
    later.plies = vec![ply(Side::Black, "c3", Duration::ZERO), ply(Side::White, "d4", Duration::ZERO)];
    assert_eq!(code_of("plain", later, &unflushed), ["D09"]);
    let mut mute = facts(Side::Black);
    mute.coming = Coming::Failed {
        termination: Termination::NoShow,
        reason: "no hello by its deadline (key `hello_timeout`)".into(),
    };
    say(&mut mute, Speaker::Arena, &["000 hello"]);
    assert_eq!(code_of("hello", comes(mute.clone(), "0.9.1 player black", at_once), &unflushed), ["D09"]);
    // A slow bot may send its move just when its time runs out.
    let mut slow = comes(silent(SECOND / 10), "3 a1", at_once);
    slow.time_control = clocks(3 * SECOND, 3 * SECOND);
    (slow.end, slow.used) = (BoutEnd::FlagFell, 3 * SECOND);
    slow.plies = vec![
        ply(Side::Black, "c3", SECOND),
        ply(Side::White, "d4", Duration::ZERO),
        ply(Side::Black, "b2", SECOND),
        ply(Side::White, "e5", Duration::ZERO),
    ];
    assert!(!code_of("clock", slow, &unflushed).contains(&"D09"));
    // If nothing arrives, or only another line, a late line or a move that is not due, the sources do not matter.
    for other in [
        silent(SECOND / 10),
        comes(silent(SECOND / 10), "resign", at_once),
        comes(silent(SECOND / 10), "2 c3", at_once),
        comes(silent(SECOND / 10), "1 c3", 2 * SECOND),
    ] {
        assert_eq!(code_of("plain", other, &unflushed), [""; 0]);
    }
    mute.transcript = crate::drill::script::Transcript::default();
    assert_eq!(code_of("hello", comes(mute, "0.9.1 player black", at_once), &unflushed), [""; 0]);
    // A bot that is merely slow moves if the arena waits longer.
    let mut trials = [trial("plain", Side::Black, Timeout, vec![buffered()])];
    diagnose_with(&mut trials, &unflushed, |_, replay| {
        assert_eq!(replay, Replay::Patient);
        played("321 x")
    });
    assert_eq!(trials[0].diagnoses, []);
}

#[test]
fn java_flushes_nothing_at_the_end_so_its_sources_tell() {
    let java = |line: &str| {
        let text = format!("class Bot {{\n  void say(String line) {{\n    out.print(line);\n    {line}\n  }}\n}}\n");
        SourceFiles {
            files: vec![("Bot.java".into(), text)],
            command: vec!["java".into(), "Bot".into()],
            hosts: Vec::new(),
        }
    };
    let mut left = silent(SECOND / 10);
    left.process.as_mut().unwrap().exit = Some(ProcessExit::Status(0));
    assert_eq!(code_of("plain", left.clone(), &java("count++;")), ["D09"]);
    assert_eq!(code_of("plain", left.clone(), &java("out.flush();")), [""; 0]);
    // A bot that does not leave was not waiting for a line.
    left.process.as_mut().unwrap().exit = None;
    assert_eq!(code_of("plain", left, &java("count++;")), [""; 0]);
}

#[test]
fn a_wrong_number_is_distinguished_from_a_move_that_comes_too_early() {
    let code = |early| {
        let mut trials = [trial("plain", Side::Black, Fail, vec![refused(Side::Black, "1 d3", TryKind::Garbled)])];
        diagnose_with(&mut trials, &SourceFiles::default(), |first, replay| {
            assert_eq!(replay, Replay::Held);
            BoutFacts { early, ..first.clone() }
        });
        trials[0].diagnoses.iter().map(|found| found.cause.name()).collect::<Vec<_>>()
    };
    assert_eq!(code(Some(false)), ["D08"]);
    assert_eq!(code(Some(true)), ["D19"]);
}

#[test]
fn a_bot_that_fails_only_when_lines_are_cut_or_joined_reads_by_recv() {
    let sources = python(&[("bot.py", "data = sock.recv(1024)\n")]);
    let game = || crashed(&["311 1 c3"], &traceback("/b/bot.py", "int(data)", "ValueError: x"));
    let mut trials =
        [trial("plain", Side::Black, Pass, vec![played("321 x")]), trial("split", Side::Black, Fail, vec![game()])];
    assert_eq!(codes(&mut trials, &sources), [vec![], vec!["D10"]]);
    assert_eq!(codes(&mut trials, &python(&[("bot.py", "line = file.readline()\n")])), [vec![], vec![""; 0]]);
    let mut resigned = game();
    resigned.end = BoutEnd::Resigned;
    let mut trials =
        [trial("plain", Side::Black, Pass, vec![played("321 x")]), trial("split", Side::Black, Fail, vec![resigned])];
    assert_eq!(codes(&mut trials, &sources), [vec![], vec![""; 0]]);
    let mut trials = [trial("plain", Side::Black, Fail, vec![game()]), trial("split", Side::Black, Fail, vec![game()])];
    assert_eq!(codes(&mut trials, &sources), [[""; 0], [""; 0]]);
}
