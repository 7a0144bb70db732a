//! Tests that play the part of an engine against the referee: whole games, faults, and arbitrary bytes.

mod analysis;
mod whole_games;

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::game::Ruleset;
use crate::referee::time_control::SideControl;

const COMMANDS: &str = "protocol_version\nboardsize\nclear_board\nkomi\ntime_settings\ntime_left\nplay\ngenmove\nquit";

fn ruleset(text: &str) -> Ruleset {
    text.parse().expect("a rule set")
}

fn translator(rules: &str, side: Side, budget: Option<u64>) -> Translator {
    let form = ruleset(rules).gtp_form().expect("it has a form");
    Translator::new(form, side, budget.map(|seconds| SideControl::sudden_death(Duration::from_secs(seconds))))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("commands are ASCII")
}

/// An engine whose answers the test supplies, without ids.
struct Scripted {
    translator: Translator,
    lines: VecDeque<Line>,
}

impl Scripted {
    /// A prepared engine.
    fn ready(rules: &str, side: Side, budget: Option<u64>) -> Self {
        let mut scripted = Self { translator: translator(rules, side, budget), lines: VecDeque::new() };
        assert_eq!(text(scripted.translator.begin()), "1 list_commands\n");
        let mut sent = scripted.answer(&format!("= {COMMANDS}"));
        while !sent.is_empty() {
            sent = scripted.answer("=");
        }
        assert_eq!((scripted.translator.stage(), scripted.lines.len()), (&EngineStage::Ready, 0));
        scripted
    }

    /// Answers the command that is in flight. Returns the next command, without its id.
    fn answer(&mut self, answer: &str) -> String {
        let sent = text(self.translator.hear(format!("{answer}\n\n").as_bytes(), &mut self.lines));
        sent.split_once(' ').map(|(_, command)| command.trim_end().to_owned()).unwrap_or_default()
    }

    /// Passes the referee's output on to the engine. Returns the command that follows, without its id.
    fn tell(&mut self, said: &str) -> String {
        let sent = text(self.translator.tell(said));
        sent.split_once(' ').map(|(_, command)| command.trim_end().to_owned()).unwrap_or_default()
    }

    /// The next line for the referee.
    fn line(&mut self) -> Line {
        self.lines.pop_front().expect("a line for the referee")
    }
}

fn line(text: &str) -> Line {
    Line::Text(text.to_owned())
}

#[test]
fn the_engine_is_asked_in_its_turn_and_told_what_it_does_not_know() {
    let mut engine = Scripted::ready("go-9", Side::White, Some(60));
    assert_eq!(engine.tell("351 You will play white\r\n"), "");
    assert_eq!(engine.tell("313 1 c3 58 (secs) is black move, game continues\r\n"), "play black C3");
    assert_eq!(engine.answer("="), "time_left white 60 0");
    assert_eq!(engine.answer("="), "genmove white");
    assert_eq!(engine.answer("= G7"), "");
    assert_eq!(engine.line(), line("1 ... g7"));
    let accepted = "207 55 secs remaining after move g7 accepted, continue playing\r\n\
                    314 1 ... g7 55 (secs) is white move, game continues\r\n";
    assert_eq!(engine.tell(accepted), "");
    assert_eq!(engine.tell("317 2 pass 50 (secs) is black move, game continues\r\n"), "play black pass");
    assert_eq!(engine.answer("="), "time_left white 55 0");
    assert_eq!(engine.answer("="), "genmove white");
    assert_eq!(engine.answer("= PASS"), "");
    assert_eq!(engine.line(), line("2 ... pass"));
    assert_eq!(engine.tell("201 Move pass accepted, You win\r\n323 2 ... pass and white wins\r\n"), "quit");
    assert_eq!(engine.translator.stage(), &EngineStage::Over);
    assert_eq!(engine.answer("="), "");
}

#[test]
fn an_opening_is_sent_before_the_first_question() {
    let mut engine = Scripted::ready("othello", Side::Black, None);
    let said = "352 You will play black\r\n311 1 d3 is black move, game continues\r\n\
                312 1 ... c3 is white move, game continues\r\n";
    assert_eq!(engine.tell(said), "play black D3");
    assert_eq!(engine.answer("="), "play white C3");
    assert_eq!(engine.answer("="), "genmove black");
    engine.answer("= C4");
    assert_eq!(engine.line(), line("2 c4"));
}

#[test]
fn a_refused_move_is_asked_for_again_on_a_board_that_is_set_up_again() {
    let mut engine = Scripted::ready("go-9 handicap=2,2", Side::Black, None);
    assert_eq!(engine.tell("352 You will play black\r\n"), "genmove black");
    engine.answer("= C3");
    assert_eq!(engine.line(), line("1 c3"));
    assert_eq!(engine.tell("291 Illegal move c3: there is already a stone there\r\n"), "clear_board");
    assert_eq!(engine.answer("="), "play white C3");
    assert_eq!(engine.answer("="), "play white G7");
    assert_eq!(engine.answer("="), "genmove black");
    engine.answer("= E5");
    assert_eq!(engine.line(), line("1 e5"));
    let accepted = "200 Move e5 accepted, continue playing\r\n311 1 e5 is black move, game continues\r\n\
                    312 1 ... e4 is white move, game continues\r\n";
    assert_eq!(engine.tell(accepted), "play white E4");
    assert_eq!(engine.answer("? no"), "");
    let Line::Foreign { said, why } = engine.line() else { panic!("no move") };
    assert_eq!((said.as_str(), why.as_str()), ("? no", "`play white E4` was answered with an error: `? no`"));
    assert_eq!(engine.tell("299 Not understood: no\r\n"), "clear_board");
    assert_eq!(engine.answer("="), "play white C3");
    assert_eq!(engine.answer("="), "play white G7");
    assert_eq!(engine.answer("="), "play black E5");
    assert_eq!(engine.answer("="), "play white E4");
    assert_eq!(engine.answer("="), "genmove black");
}

#[test]
fn what_is_not_a_move_is_a_line_that_the_referee_refuses() {
    for (answer, why) in [
        ("? cannot move", "`genmove black` was answered with an error: `? cannot move`"),
        ("= C3 D4", "the answer to `genmove` must be one word: a move, `pass` or `resign`: `= C3 D4`"),
        ("=", "the answer to `genmove` must be one word: a move, `pass` or `resign`: `=`"),
        ("= C3\nD4", "the answer to `genmove` must be one word: a move, `pass` or `resign`: `= C3`"),
        ("=1 C3", "`genmove black` with the id 6 was answered with a different id: `=1 C3`"),
    ] {
        let mut engine = Scripted::ready("go-9", Side::Black, None);
        assert_eq!(engine.tell("352 You will play black\r\n"), "genmove black");
        assert_eq!(engine.answer(answer), "");
        let Line::Foreign { why: said, .. } = engine.line() else { panic!("{answer}") };
        assert_eq!(said, why);
    }
    let mut engine = Scripted::ready("go-9", Side::Black, None);
    engine.tell("352 You will play black\r\n");
    engine.answer(&format!("= {}", "x".repeat(1000)));
    assert_eq!(engine.line(), Line::TooLong);
    let mut engine = Scripted::ready("go-9", Side::Black, None);
    engine.tell("352 You will play black\r\n");
    engine.answer("=6 Resign");
    assert_eq!(engine.line(), line("1 resign"));
}

#[test]
fn noise_is_judged_and_does_not_spoil_the_move_behind_it() {
    let mut engine = Scripted::ready("go-9", Side::Black, None);
    engine.tell("352 You will play black\r\n");
    engine.translator.hear(b"thinking...\n= C3\n\n", &mut engine.lines);
    assert!(matches!(engine.line(), Line::Foreign { said, .. } if said == "thinking..."));
    assert_eq!(engine.line(), line("1 c3"));
    assert_eq!(engine.tell("299 Not understood: it is not an answer\r\n"), "");
    let accepted = "200 Move c3 accepted, continue playing\r\n311 1 c3 is black move, game continues\r\n";
    assert_eq!(engine.tell(accepted), "");
    assert_eq!(engine.tell("312 1 ... g7 is white move, game continues\r\n"), "play white G7");
    // An unsolicited answer, while the opponent thinks.
    let mut engine = Scripted::ready("go-9", Side::White, None);
    engine.tell("351 You will play white\r\n");
    engine.translator.hear(b"= C3\n\n", &mut engine.lines);
    assert!(matches!(engine.line(), Line::Foreign { why, .. } if why.contains("not the answer to a command")));
    let said = "311 1 c3 is black move, game continues\r\n299 Not understood: it is not an answer\r\n";
    assert_eq!(engine.tell(said), "play black C3");
}

#[test]
fn an_engine_for_othello_need_not_understand_a_pass() {
    let mut engine = Scripted::ready("othello", Side::Black, None);
    let said = "352 You will play black\r\n311 1 d3 is black move, game continues\r\n\
                316 1 ... pass is white move, game continues\r\n";
    assert_eq!(engine.tell(said), "play black D3");
    assert_eq!(engine.answer("="), "play white pass");
    assert_eq!(engine.answer("? syntax error"), "genmove black");
    let mut engine = Scripted::ready("go-9", Side::White, None);
    engine.tell("351 You will play white\r\n315 1 pass is black move, game continues\r\n");
    assert_eq!(engine.answer("? syntax error"), "");
    assert!(matches!(engine.line(), Line::Foreign { .. }));
}

#[test]
fn an_engine_that_does_not_list_its_commands_is_asked_for_each() {
    let mut engine = Scripted { translator: translator("go-9", Side::Black, None), lines: VecDeque::new() };
    engine.translator.begin();
    let mut sent = engine.answer("? unknown command");
    let mut asked = 0;
    while let Some(command) = sent.strip_prefix("known_command ") {
        asked += 1;
        sent = engine.answer(if ["boardsize", "clear_board", "play", "genmove"].contains(&command) {
            "= true"
        } else {
            "= false"
        });
    }
    assert_eq!((asked, sent.as_str()), (Verb::ALL.len(), "boardsize 9"));
    assert_eq!(engine.answer("="), "clear_board");
    assert_eq!(engine.answer("="), "");
    assert_eq!(engine.translator.stage(), &EngineStage::Ready);
}

#[test]
fn an_engine_that_cannot_be_prepared_is_unfit_and_the_reason_says_why() {
    let listed = |known: &str| format!("= {known}\n\n");
    for (said, why) in [
        ("Welcome!\n".to_owned(), "it said `Welcome!`, which is not an answer (answers begin with `=` or `?`)"),
        ("=2 play\n\n".to_owned(), "`list_commands` with the id 1 was answered with a different id: `=2 play`"),
        (listed("boardsize\nclear_board\nplay"), "it does not support the command `genmove`"),
        (
            listed(COMMANDS) + "? unacceptable size\n\n",
            "`boardsize 9` was answered with an error: `? unacceptable size`",
        ),
        (listed(COMMANDS) + "=\n\n? no\n\n", "`clear_board` was answered with an error: `? no`"),
        (listed(&"x\n".repeat(10_000)), "it does not support the command `clear_board`"),
    ] {
        let mut translator = translator("go-9", Side::Black, Some(1));
        let mut lines = VecDeque::new();
        translator.begin();
        translator.hear(said.as_bytes(), &mut lines);
        assert_eq!((translator.stage(), lines.len()), (&EngineStage::Unfit(why.to_owned()), 0), "{said}");
        assert!(translator.hear(b"= more\n\n", &mut lines).is_empty() && lines.is_empty());
        let told = translator.tell("345 go-9 2 1 is the game\n351 You will play black\n353 go\n");
        assert_eq!(String::from_utf8_lossy(&told), "", "{said}");
    }
    // An engine can also play without komi and clocks.
    let mut translator = translator("go-9", Side::Black, Some(1));
    translator.begin();
    translator.hear(format!("= {COMMANDS}\n\n=\n\n=\n\n? no\n\n? no\n\n").as_bytes(), &mut VecDeque::new());
    assert_eq!(translator.stage(), &EngineStage::Ready);
}

#[test]
fn the_end_of_the_game_reaches_an_engine_that_still_thinks() {
    let mut engine = Scripted::ready("go-9", Side::Black, Some(1));
    assert_eq!(engine.tell("352 You will play black\r\n"), "time_left black 1 0");
    assert_eq!(engine.answer("="), "genmove black");
    assert_eq!(engine.tell("202 Your time expires, and you lose\r\n362 White wins\r\n"), "quit");
    assert_eq!(engine.answer("= C3"), "");
    assert!(engine.lines.is_empty());
}

/// An event between a referee and an engine. Events can occur in any order.
#[derive(Clone, Debug)]
enum Happening {
    Bytes(Vec<u8>),
    Response(String),
}

fn happening() -> impl Strategy<Value = Happening> {
    let tokens = [
        "= ",
        "?1 no",
        "\n",
        "\n\n",
        "=C3\n\n",
        "= pass\n\n",
        "=\n\n",
        "= boardsize\nclear_board\nplay\ngenmove\nkomi\n\n",
        "\u{fffd}\0\u{1b}",
        "= true\n\n",
    ];
    let token = proptest::sample::select(tokens.to_vec());
    let responses = [
        "352 You will play black",
        "200 Move c3 accepted",
        "311 1 c3 is black move",
        "312 1 ... c3 is white move",
        "315 1 pass is black move",
        "291 Illegal move",
        "299 what",
        "nonsense",
        "361 Black wins",
    ];
    let said = proptest::sample::select(responses.to_vec());
    prop_oneof![
        6 => proptest::collection::vec(token, 0..6).prop_map(|tokens| Happening::Bytes(tokens.concat().into_bytes())),
        1 => proptest::collection::vec(any::<u8>(), 0..80).prop_map(Happening::Bytes),
        4 => proptest::collection::vec(said, 1..3).prop_map(|said| Happening::Response(said.join("\r\n"))),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_one_command_is_under_way_and_lines_are_bounded(
        happenings in proptest::collection::vec(happening(), 0..60),
        rules in proptest::sample::select(vec!["go-9", "othello", "go-19 handicap=1,9"]),
        is_black: bool,
    ) {
        let side = if is_black { Side::Black } else { Side::White };
        let mut translator = translator(rules, side, Some(9));
        translator.begin();
        let mut is_over = false;
        for happening in happenings {
            let mut lines = VecDeque::new();
            let (sent, breaks) = match happening {
                Happening::Bytes(bytes) => {
                    let breaks = bytes.split(|&byte| byte == b'\n').count() - 1;
                    (translator.hear(&bytes, &mut lines), breaks)
                }
                Happening::Response(text) => (translator.tell(&text), 1),
            };
            let sent = text(sent);
            prop_assert!(sent.lines().count() <= breaks, "a command follows an answer: {}", sent);
            prop_assert!(lines.len() <= breaks);
            prop_assert!(!is_over || (sent.is_empty() && lines.is_empty()));
            is_over = translator.stage() == &EngineStage::Over;
            prop_assert!(translator.queue.len() < 200);
        }
    }
}
