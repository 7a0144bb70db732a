//! The text of game logs: every record can be written and read back, and any other text is refused with the line and
//! column of the error.

pub(crate) mod check;

use std::time::Duration;

use gothello_arena::exact::adjudication::Adjudication;
use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::referee::clock::Meter;
use gothello_arena::referee::record::{GameRecord, LogProblem, MAX_BYTES, Ply, Tries, Try, TryKind, Unfinished};
use gothello_arena::referee::result::{GameResult, InconsistentResult, Termination, Void};
use gothello_arena::referee::thought::Thought;
use gothello_arena::referee::time_control::{SideControl, TimeControl};
use gothello_arena::referee::usage::Usage;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn any_text() -> impl Strategy<Value = String> {
    vec(any::<char>(), 0..12).prop_map(|letters| letters.into_iter().collect())
}

fn time() -> impl Strategy<Value = Duration> {
    let usual = (0..100_000_000_u64).prop_map(Duration::from_micros);
    let any = (any::<u64>(), 0..1_000_000_u32).prop_map(|(seconds, micros)| Duration::new(seconds, micros * 1000));
    prop_oneof![usual, any]
}

fn by_side<S: Strategy>(one: impl Fn() -> S) -> impl Strategy<Value = BySide<S::Value>> {
    (one(), one()).prop_map(|(black, white)| BySide { black, white })
}

fn usage() -> impl Strategy<Value = Usage> {
    (time(), time(), time(), any::<[u64; 3]>()).prop_map(|(user, system, wall, [peak_memory, processes, written])| {
        Usage { user, system, wall, peak_memory, processes, written }
    })
}

fn tries() -> impl Strategy<Value = Tries> {
    let lines = vec((any::<bool>(), prop_oneof![any_text(), "[ -~]{0,70}"]), 0..20);
    lines.prop_map(|lines| {
        let mut tries = Tries::default();
        for (illegal, text) in lines {
            tries.push(Try::new(if illegal { TryKind::Illegal } else { TryKind::Garbled }, &text));
        }
        tries
    })
}

fn ply() -> impl Strategy<Value = Ply> {
    let tries = prop_oneof![4 => Just(Tries::default()), 1 => tries()];
    let note = prop_oneof![4 => Just(None), 1 => "[ -~]{0,60}".prop_map(Some)];
    let thought = prop_oneof![2 => Just(None), 1 => thought().prop_map(|thought| Some(Box::new(thought)))];
    ("[a-z][a-z0-9]{0,14}", option::of(time()), option::of(time()), any::<bool>(), tries, thought, note).prop_map(
        |(text, elapsed, left, late_credit, tries, thought, note)| Ply {
            seat: Side::Black.into(),
            played: text.parse().expect("the shape of a move"),
            elapsed,
            left,
            late_credit,
            tries,
            thought,
            note,
        },
    )
}

fn thought() -> impl Strategy<Value = Thought> {
    let claims = (
        "[+-](0|[1-9][0-9]{0,3})",
        option::of("0\\.[0-9]{0,3}[1-9]"),
        option::of(any::<u32>()),
        option::of(any::<u64>()),
    );
    (claims, "([a-z][0-9-]{0,4}(,[a-z][0-9]){0,20})?").prop_map(|((value, win, depth, nodes), line)| {
        let part =
            |name: &str, value: Option<String>| value.map(|value| format!(" {name}={value}")).unwrap_or_default();
        let line = part("pv", Some(line).filter(|line| !line.is_empty()));
        let (depth, nodes) = (depth.map(|depth| depth.to_string()), nodes.map(|nodes| nodes.to_string()));
        let text = [
            "#think".to_owned(),
            part("value", Some(value)),
            part("win", win),
            part("depth", depth),
            part("nodes", nodes),
            line,
        ];
        Thought::of_stderr(text.concat().as_bytes())
            .expect("about thinking")
            .unwrap_or_else(|error| panic!("{error}: {text:?}"))
    })
}

fn result() -> impl Strategy<Value = Result<GameResult, Void>> {
    let winner = proptest::sample::select(vec![None, Some(Side::Black), Some(Side::White)]);
    let termination = proptest::sample::select(Termination::ALL.to_vec());
    let parts = (winner, termination, option::of(any::<i32>()), option::of(any_text()));
    let played = parts.prop_filter_map("parts that fit", |(winner, termination, margin, reason)| {
        GameResult::new(winner, termination, margin, reason).ok().filter(|result| result.check_margin().is_ok()).map(Ok)
    });
    prop_oneof![6 => played, 1 => any_text().prop_map(|reason| Err(Void { reason }))]
}

/// A control with an increment, periods or a time for each move.
fn side_control() -> BoxedStrategy<SideControl> {
    let more_than_none = || time().prop_filter("more than none", |time| !time.is_zero());
    prop_oneof![
        (time(), more_than_none()).prop_map(|(time, increment)| SideControl::Game { time, increment }),
        (time(), 1..100_u32, more_than_none()).prop_map(|(time, periods, period)| SideControl::ByoYomi {
            time,
            periods,
            period
        }),
        (time(), time()).prop_map(|(move_time, bank)| SideControl::PerMove { move_time, bank }),
    ]
    // Without boxes, the types of the combined strategies would overflow the stack.
    .boxed()
}

prop_compose! {
    fn record()(
        (event, site, date, game) in
            (option::of(any_text()), option::of(any_text()), option::of(any_text()), option::of(any_text())),
        (round, seed) in (option::of(any::<u32>()), option::of(any::<u64>())),
        players in by_side(any_text),
        time_control in option::of(prop_oneof![
            Just(TimeControl::Unlimited),
            time().prop_map(|time| TimeControl::sudden_death(BySide { black: time, white: time })),
            by_side(time).prop_map(TimeControl::sudden_death),
            by_side(side_control).prop_map(TimeControl::Clocks),
        ]),
        scale in prop_oneof![2 => Just(100), 1 => 25_u16..=400],
        meter in prop_oneof![
            3 => Just(Meter::Wall),
            1 => by_side(time).prop_map(|wall_limit| Meter::Cpu { wall_limit }),
        ],
        adjudicate in option::of((Adjudication::NODES, Adjudication::AFTER_PLY).prop_map(|(nodes, after_ply)| {
            Adjudication::new(nodes, after_ply).expect("within the ranges")
        })),
        digests in by_side(|| option::of(any_text())),
        usage in by_side(|| option::of(usage())),
        other_tags in proptest::collection::btree_map("X[A-Za-z0-9_]{0,5}", any_text(), 0..4),
        opening_plies in prop_oneof![4 => Just(0), 1 => any::<usize>()],
        plies in vec(ply(), 0..30),
        unfinished in option::of((option::of(time()), tries()).prop_map(|(elapsed, tries)| {
            Unfinished { seat: Side::Black.into(), elapsed, tries }
        })),
        result in result(),
    ) -> GameRecord {
        let other_tags = other_tags.into_iter().rev().collect();
        let ruleset = Ruleset::Gothello;
        let time_scale = format!("{}.{:02}", scale / 100, scale % 100).parse().expect("a scale");
        // In Gothello the sides take turns.
        let (mut plies, mut unfinished): (Vec<Ply>, Option<Unfinished>) = (plies, unfinished);
        let sides = Side::BOTH.into_iter().cycle();
        plies.iter_mut().zip(sides.clone()).for_each(|(ply, side)| ply.seat = side.into());
        unfinished.iter_mut().zip(sides.skip(plies.len())).for_each(|(turn, side)| turn.seat = side.into());
        GameRecord {
            event, site, date, round, players, game, seed, ruleset, time_control, time_scale, meter, adjudicate, digests, usage, other_tags,
            opening_plies, plies, unfinished, result,
        }
    }
}

/// The part of a log after its tags.
fn movetext(log: &str) -> &str {
    log.split_once("\n\n").expect("a blank line after the tags").1
}

/// The parts between which a line may be broken: refused lines, moves with their numbers and times, and the result.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_comment = false;
    for word in line.split(' ') {
        let is_time = ["{[%emt", "{[%clk", "{[%late", "{[%eval"].iter().any(|time| word.starts_with(time));
        match tokens.last_mut() {
            Some(last) if in_comment || is_time || last.ends_with('.') => last.extend([" ", word]),
            _ => tokens.push(word.to_owned()),
        }
        in_comment = (in_comment || word.starts_with('{')) && !word.ends_with('}');
    }
    tokens
}

proptest! {
    #[test]
    fn every_record_survives_its_text(record in record()) {
        let text = record.to_string();
        let read = text.parse::<GameRecord>();
        prop_assert_eq!(read.as_ref(), Ok(&record), "{}", text);
        prop_assert_eq!(read.map(|read| read.to_string()), Ok(text));
    }

    #[test]
    fn movetext_has_no_control_characters_and_no_tag_like_lines(record in record()) {
        let text = record.to_string();
        prop_assert!(text.ends_with('\n') && !text.contains(|letter: char| letter.is_control() && letter != '\n'));
        prop_assert!(!movetext(&text).lines().any(|line| line.starts_with(['[', '%', ';']) || line.is_empty()));
    }

    #[test]
    fn movetext_is_wrapped_at_79_columns(record in record()) {
        let text = record.to_string();
        let lines: Vec<&str> = movetext(&text).lines().collect();
        for line in &lines {
            prop_assert!(line.len() <= 79 || tokens(line).len() == 1, "{}", line);
        }
        for (line, next) in lines.iter().zip(&lines[1..]) {
            prop_assert!(line.len() + 1 + tokens(next)[0].len() > 79, "{} has room for more of {}", line, next);
        }
    }

    #[test]
    fn a_damaged_log_never_panics(record in record(), at: prop::sample::Index, cut in 0..9_usize, put in any_text()) {
        let text = record.to_string();
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        let rest = &letters[(at + cut).min(letters.len())..];
        let damaged: String = letters[..at].iter().chain(&put.chars().collect::<Vec<_>>()).chain(rest).collect();
        if let Err(error) = damaged.parse::<GameRecord>() {
            let line = damaged.lines().nth(error.line - 1).unwrap_or_default();
            prop_assert!(error.column <= line.chars().count() + 2, "{error}: {line:?}");
            prop_assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused_without_a_panic(bytes: Vec<u8>) {
        prop_assert!(GameRecord::from_bytes(&bytes).is_err());
    }
}

const FOREIGN: &str = "[Black \"a\"]\n[White \"b\"]\n[Result \"1-0\"]\n\n1. c3 b2 2. pass d4 1-0\n";

fn moves_of(text: &str) -> String {
    let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error} in {text}"));
    record.plies.iter().map(|ply| ply.played.to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_foreign_log_needs_only_three_tags_and_moves() {
    let record: GameRecord = FOREIGN.parse().unwrap();
    let result = GameResult::new(Some(Side::White), Termination::Normal, None, None);
    assert_eq!(record.result, Ok(result.unwrap()));
    assert_eq!((record.time_control, record.round, record.ruleset), (None, None, Ruleset::Gothello));
    assert_eq!(moves_of(FOREIGN), "c3 b2 pass d4");
}

#[test]
fn a_game_without_a_result_is_void() {
    let record: GameRecord = FOREIGN.replace("1-0", "*").parse().unwrap();
    assert!(record.result.is_err());
}

#[test]
fn variants_allowed_by_pgn_are_read_alike() {
    let tags = "[Black \"a\"]\n[White \"b\"]\n[Result \"1-0\"]\n\n";
    for moves in [
        "1.c3 b2 2.pass d4 1-0",
        "1. c3 1... b2 2. pass 2...d4 1-0",
        "c3 b2 pass d4 1-0",
        "1 c3 b2\n2 pass d4\n1-0",
        "1. c3! b2?? 2. pass!? $1 d4 $142 1-0",
        "1. c3 ; a comment } here\nb2 2. pass d4 1-0 ; over",
        "% 9. e5\n1. c3 {a {comment} b2 {[%eval 0.3] [%csl Gd4]} 2. pass\nd4 1-0\n{the end}\n",
        "1. c3\r\nb2\r\n2. pass d4\r\n1-0\r\n",
    ] {
        assert_eq!(moves_of(&format!("{tags}{moves}")), "c3 b2 pass d4", "{moves}");
    }
    assert_eq!(moves_of(&format!("\u{feff}{FOREIGN}")), "c3 b2 pass d4");
    assert_eq!(moves_of(&FOREIGN.replace('\n', "\r\n")), "c3 b2 pass d4");
    let spread = FOREIGN
        .replace("[Black \"a\"]", "% x\n[ Black\t\"a\" ] ; tags may be spread\n[Round \"?\"][TimeControl \"?\"]");
    assert_eq!(moves_of(&spread), "c3 b2 pass d4");
}

#[test]
fn unknown_tags_are_kept_in_their_order() {
    let text = FOREIGN.replace("[White", "[Zebra \"C:\\bots\"]\n[Annotator \"\"]\n[White");
    let record: GameRecord = text.parse().unwrap();
    let expected = [("Zebra", r"C:\bots"), ("Annotator", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(record.other_tags, expected);
}

#[test]
fn times_and_refused_lines_belong_to_their_turn() {
    let text = FOREIGN.replace(
        "1. c3 b2 2. pass d4",
        r#"{[%illegal "1 c9"]} 1. c3 {[%emt 0:00:01] [%clk 0:00:59.5]} {[%garbled "\x5d"] [%illegal "x"]} b2 {[%late]}
        {[%unfinished 0:01:00.000001]}"#,
    );
    let record: GameRecord = text.parse().unwrap();
    let [black, white] = record.plies.as_slice() else { panic!("two plies") };
    assert_eq!(black.tries.shown, [Try::new(TryKind::Illegal, "1 c9")]);
    assert_eq!((black.elapsed, black.left), (Some(Duration::from_secs(1)), Some(Duration::from_millis(59_500))));
    assert_eq!(white.tries.shown, [Try::new(TryKind::Garbled, "]"), Try::new(TryKind::Illegal, "x")]);
    assert!(white.late_credit && !black.late_credit);
    assert_eq!(record.used(Side::Black), Duration::from_micros(61_000_001), "the unfinished turn must count");
    assert_eq!(record.used(Side::White), Duration::ZERO);
}

/// Asserts that [`FOREIGN`] with `from` replaced by `to` is refused with the message `expected`.
fn assert_refused(from: &str, to: &str, expected: &str) {
    assert!(FOREIGN.contains(from), "{from}");
    let error = FOREIGN.replacen(from, to, 1).parse::<GameRecord>().expect_err(to);
    assert_eq!(error.to_string(), expected, "{from} -> {to}");
}

#[test]
fn malformed_usage_is_reported_with_line_and_column() {
    let usage = "(`user 0.1 system 0.1 wall 0.1 memory 1 processes 1 written 1`, in seconds and bytes)";
    let expected = format!("2:13: `WhiteUsage`: `user much` is not a usage {usage}");
    assert_refused("[White", "[WhiteUsage \"user much\"]\n[White", &expected);
}

#[test]
fn damage_is_reported_with_line_and_column() {
    assert_refused(
        "[White \"b\"]",
        "",
        "5:1: the tag `White` is missing (every log must have `Black`, `White` and `Result`)",
    );
    assert_refused("[White", "[Black", "2:1: the tag `Black` is given twice (first on line 1)");
    assert_refused("\"a\"]", "\"a\"", "2:1: expected `]`, but found `[White`");
    assert_refused("\"a\"", "a", "1:8: expected the tag's value in double quotes, but found `a]`");
    assert_refused("\"a\"]", "\"a]", "1:8: this string is never closed");
    assert_refused("[Black", "[", "1:3: expected a tag's name, but found `\"a\"]`");
    assert_refused("\"1-0\"", "\"2-0\"", "3:9: `Result`: `2-0` is not `1-0`, `0-1`, `1/2-1/2` or `*`");
    assert_refused("\"1-0\"", "\"0-1\"", "5:21: the game ends with `1-0`, but its `Result` is `0-1`");
    assert_refused(" 1-0\n", "\n", "6:1: expected a move, or the result at the game's end, but found the end");
    assert_refused("1-0\n", "1-0 c4", "5:25: expected the end (a log contains one game), but found `c4`");
    assert_refused("2. pass", "3. pass", "5:10: expected the move number `2.`, but found `3.`");
    assert_refused("c3 b2", "c3 1. b2", "5:7: expected the move number `1...`, but found `1.`");
    assert_refused("b2", "{", "5:7: this comment is never closed");
    assert_refused("b2", "($1)", "5:7: expected a move (a game log has no variations), but found `($1)`");
    assert_refused("b2", "[Round", "5:7: expected a move (tags come before the first move), but found `[Round`");
    assert_refused("b2", "$b2", "5:8: expected an annotation number (`$1`), but found `b2`");
    let neither = "is neither a move (`c3`, `pass`, `b1-a1`) nor a result (`1-0`, `0-1`, `1/2-1/2`, `*`)";
    assert_refused("b2", "B2", &format!("5:7: `B2` {neither}"));
    assert_refused("b2", "?", &format!("5:7: `?` {neither}"));
    assert_refused("b2", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbb", &format!("5:7: `{}...` {neither}", "b".repeat(24)));
}

#[test]
fn wrong_tag_values_are_reported_with_the_valid_ones() {
    let after = |tag: &str| format!("\"1-0\"]\n{tag}");
    for (tag, expected) in [
        ("[Round \"-1\"]", "4:8: `Round`: `-1` is not a whole number"),
        ("[Seed \"18446744073709551616\"]", "4:7: `Seed`: `18446744073709551616` is not a whole number"),
        ("[Margin \"few\"]", "4:9: `Margin`: `few` is not a whole number"),
        ("[Margin \"3\"]", "4:9: the margin and the winner disagree"),
        (
            "[Ruleset \"go\"]",
            "4:10: `Ruleset`: `go` is not a rule set (`gothello`, `seegover`, `othello`, `go-9`, `quantum` or another from docs/bot/rules)",
        ),
        ("[Ruleset \"otello\"]", "4:10: `Ruleset`: `otello`: no rule set has this name: did you mean `othello`?"),
        ("[Ruleset \"gothello drop=2\"]", "4:10: `Ruleset`: `gothello drop=2`: `gothello` has no options"),
        ("[Ruleset \"seegover drop=3\"]", "4:10: `Ruleset`: `seegover drop=3`: `drop` must be `1` or `2`"),
        (
            "[Ruleset \"seegover variant=two\"]",
            "4:10: `Ruleset`: `seegover variant=two`: \
             expected an option of `seegover` (`cycle`, `drop`, `capture` or `back`), such as `drop=2`",
        ),
        (
            "[TimeControl \"40/9000\"]",
            "4:14: `TimeControl`: `40/9000` is not a time control (`-`, `60`, `60+1`, `600:5x30`, `1/move+60bank` or \
             `black 120 white 60`, in seconds)",
        ),
        (
            "[Termination \"boredom\"]",
            "4:14: `Termination`: `boredom` is not a termination (`normal`, `resignation`, `time`, `illegal`, `crash`, ...)",
        ),
        ("[Termination \"void\"]", "4:14: a game that ended with `void` cannot have the result `1-0`"),
        (
            "[Termination \"double forfeit\"]",
            "4:14: a game that ended with `double forfeit` cannot have the result `1-0`",
        ),
        ("[Termination \"time\"]\n[Margin \"-3\"]", "5:9: this termination cannot have a margin"),
    ] {
        assert_refused("\"1-0\"]", &after(tag), expected);
    }
    let draw = FOREIGN.replace("1-0", "1/2-1/2").replace("\n\n", "\n[Termination \"crash\"]\n\n");
    let error = draw.parse::<GameRecord>().unwrap_err();
    assert_eq!((error.line, error.column, error.problem), (4, 14, InconsistentResult::NoWinner.into()));
    let unfinished = FOREIGN.replace("1-0", "*").replace("\n\n", "\n[Margin \"0\"]\n\n");
    let error = unfinished.parse::<GameRecord>().unwrap_err();
    assert_eq!((error.line, error.column, error.problem), (4, 9, InconsistentResult::UnexpectedMargin.into()));
}

#[test]
fn wrong_commands_are_reported_with_line_and_column() {
    let comment = |inside: &str| format!("b2 {{{inside}}}");
    let once = "must appear once, right after a move";
    let line = "is not a refused line (in double quotes, printable ASCII, at most 60 characters)";
    for (inside, expected) in [
        ("[%emt 5]", "5:11: `emt`: `5` is not a time (`h:mm:ss.ffffff`)".to_owned()),
        ("x [%clk 0:00:01", "5:26: expected `]`, but found `}`".to_owned()),
        ("[%clk 0:00:01 0]", "5:25: expected `]`, but found `0]}`".to_owned()),
        ("[%emt 0:00:01] [%emt 0:00:01]", format!("5:26: `[%emt]` {once}")),
        ("[%late][%late]", format!("5:18: `[%late]` {once}")),
        ("[%illegal \"c3\"] [%emt 0:00:01]", format!("5:27: `[%emt]` {once}")),
        ("[%illegal c3]", format!("5:11: `illegal`: `c3` {line}")),
        ("[%garbled \"\u{e4}\"]", format!("5:11: `garbled`: `\"\u{e4}\"]` {line}")),
        (
            "[%more 1]",
            "5:11: only the first 16 refused lines of a turn are listed, and `[%more]` counts the others".to_owned(),
        ),
        ("[%more 0]", "5:11: `more`: `0` is not a whole number (1 or more)".to_owned()),
        ("[%unfinished][%unfinished]", "5:24: `[%unfinished]` must appear once, before the result".to_owned()),
        ("[%unfinished][%illegal \"c3\"]", "5:24: `[%illegal]` must appear before the turn's end".to_owned()),
        ("[%unfinished]", "5:29: expected the result after the unfinished turn, but found `pass`".to_owned()),
    ] {
        assert_refused("b2", &comment(inside), &expected);
    }
    assert_refused("1. c3", "{[%clk 0:00:01]} c3", &format!("5:2: `[%clk]` {once}"));
    let flood = "[%illegal \"x\"]".repeat(17);
    let error = FOREIGN.replace("b2", &comment(&flood)).parse::<GameRecord>().unwrap_err();
    assert_eq!((error.line, error.column, error.problem), (5, 11 + 14 * 16, LogProblem::Tries));
}

#[test]
fn too_much_text_and_no_text_are_refused() {
    let long = FOREIGN.to_owned() + &" ".repeat(MAX_BYTES);
    assert_eq!(long.parse::<GameRecord>().unwrap_err().problem, LogProblem::TooLong);
    assert_eq!(GameRecord::from_bytes(long.as_bytes()).unwrap_err().problem, LogProblem::TooLong);
    let latin = [b"[Event \"x\"]\n[Black \"M".as_slice(), b"\xfcller\"]"].concat();
    let error = GameRecord::from_bytes(&latin).unwrap_err();
    assert_eq!(error.to_string(), "2:10: the text is not UTF-8 from here on");
    assert_eq!(GameRecord::from_bytes(FOREIGN.as_bytes()), FOREIGN.parse());
    assert!("".parse::<GameRecord>().is_err());
}
