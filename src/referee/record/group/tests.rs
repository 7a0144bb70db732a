//! Tests for the records of games with more than two seats: text that is read back, valid games, and changes that make
//! them invalid.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::game::{BySeat, Fraction};
use crate::referee::record::*;
use crate::referee::sans_io::random_groups::{RandomGame, line, move_line, recorded, seat};
use crate::referee::sans_io::{Arrival, Departure, Referee, Terms};
use crate::referee::time_control::SideControl;
use crate::referee::time_control::tests::any_side_control;

const SECOND: Duration = Duration::from_secs(1);

fn terms(control: &str) -> Terms {
    let time_control = control.parse().expect("a time control");
    Terms { ruleset: "quantum-8-4p".parse().expect("a rule set"), time_control, ..Terms::default() }
}

/// Plays the first legal move for the seat to move, which takes a second.
fn go_on(referee: &mut Referee) {
    let (mover, played) = (referee.seat_to_move(), referee.position().legal_moves()[0]);
    let arrival = Arrival { elapsed: SECOND, ..Arrival::default() };
    referee.receive(mover, move_line(referee, played.as_str()), arrival);
}

/// A game in which seat 3 loses on time in its second turn after a garbled line, seat 1 leaves while seat 4 thinks, and
/// the others play to the end.
fn game(control: &str) -> GroupRecord {
    let mut referee = Referee::new(terms(control));
    for _ in 0..6 {
        go_on(&mut referee);
    }
    referee.receive(seat(3), line("huh"), Arrival { elapsed: SECOND * 2, ..Arrival::default() });
    match referee.allowance() {
        Some(left) => referee.time_is_up(left + SECOND),
        None => referee.forfeits(seat(3), Termination::Time, "slow".to_owned(), SECOND * 9),
    };
    referee.departed(seat(1), Departure::Crash("it was killed by signal 11".to_owned()), SECOND / 2);
    while !referee.is_over() {
        go_on(&mut referee);
    }
    recorded(referee)
}

/// The first problem in the log's text or in its game.
fn problem(log: &str) -> String {
    match log.parse::<GroupRecord>() {
        Err(error) => error.problem.to_string(),
        Ok(record) => record.check().map(|_| ()).expect_err(log).to_string(),
    }
}

/// Asserts that the record passes the check and is read back from its text unchanged.
fn assert_holds(record: &GroupRecord) {
    let text = record.to_string();
    assert_eq!(text.parse().as_ref(), Ok(record), "{text}");
    assert_eq!(LoggedGame::from_bytes(text.as_bytes()), Ok(record.clone().into()));
    if let Err(error) = record.check() {
        panic!("{error}\n{text}");
    }
}

#[test]
fn the_log_of_a_game_has_the_documented_form() {
    let record = game("600");
    assert_holds(&record);
    let text = record.to_string();
    let tags: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(
        tags[..6],
        [
            "[Seats \"4\"]",
            "[Player1 \"p1\"]",
            "[Player2 \"p2\"]",
            "[Player3 \"p3\"]",
            "[Player4 \"p4\"]",
            "[Result \"*\"]",
        ]
    );
    assert!(tags[6].starts_with("[Placing \"3 ") && tags[6].contains(" 4 "), "{}", tags[6]);
    let names: Vec<&str> =
        tags.iter().map(|tag| tag.trim_start_matches('[').split(' ').next().expect("a name")).collect();
    assert_eq!(
        names[6..],
        [
            "Placing",
            "Totals",
            "Points",
            "Counts",
            "Counts",
            "TimeControl",
            "Termination",
            "Out3",
            "Reason3",
            "Out1",
            "Reason1",
            "Ruleset"
        ]
    );
    assert!(text.contains("[Out3 \"time\"]\n[Reason3 \"used more than 10m\"]\n[Out1 \"crash\"]\n"), "{text}");
    let moves = text.split_once("\n\n").expect("moves").1.replace('\n', " ");
    let out = "{[%garbled \"huh\"]} {[%unfinished 0:10:00.000000]} {[%out 3]} {[%out 1]} ";
    assert!(moves.contains(out), "{moves}");
    assert!(moves.starts_with("1. "), "{moves}");
    for (number, mover) in [("2.", 1), ("3.", 2), ("4.", 2)] {
        let (_, rest) = moves.split_once(&format!(" {number} ")).expect("a number");
        assert!(!rest.contains(&format!(" {number} ")), "{number} occurs once in {moves}");
        let played =
            record.plies.iter().filter(|ply| ply.seat == seat(mover)).nth(usize::from(number.as_bytes()[0] - b'1'));
        assert!(rest.starts_with(played.expect("a ply").played.as_str()), "{number} belongs to seat {mover}");
    }
}

#[test]
fn a_group_has_all_tags_of_a_game_and_reads_them_back() {
    let usage = Usage { processes: 3, ..Usage::default() };
    let Ok(LoggedGame::Group(record)) = Ok::<_, ()>(LoggedGame::from(game("60+1"))) else { panic!("a group") };
    let clocks = RecordedClocks {
        time_control: "120+2".parse().expect("a control"),
        time_scale: "0.50".parse().expect("a scale"),
        meter: Meter::Wall,
    };
    let circumstances = Circumstances {
        event: Some("cup \"A\"".to_owned()),
        site: Some("here".to_owned()),
        date: Some("2026.11.27".to_owned()),
        round: Some(2),
        game: Some("r2-t3-g1".to_owned()),
        seed: Some(7),
        clocks,
        digests: BySeat::from_fn(4, |seat| (seat != Seat::FIRST).then(|| format!("d{seat}"))),
        usage: BySeat::from_fn(4, |seat| (seat == Seat::FIRST).then_some(usage)),
        other_tags: vec![("Isolation".to_owned(), "A".to_owned())],
    };
    let game = LoggedGame::Group(record).under(circumstances);
    let text = game.to_string();
    assert!(text.contains("[TimeScale \"0.50\"]") && text.contains("[Digest4 \"d4\"]\n[Usage1 \"user "), "{text}");
    assert_holds(game.group().expect("a group"));
    assert_eq!((game.game(), game.round(), game.seed(), game.seats()), (Some("r2-t3-g1"), Some(2), Some(7), 4));
    assert_eq!((game.player(seat(3)), game.ruleset().name(), game.void()), ("p3", "quantum-8-4p", None));
    let mut void = game.clone();
    void.make_void(Void { reason: "no power".to_owned() });
    assert!(void.to_string().contains("[Termination \"void\"]\n[Reason \"no power\"]\n[Out3 \"time\"]"), "{void}");
    assert_eq!(void.to_string().parse(), Ok(void.clone()));
    let error = void.group().expect("a group").check().map(|_| ()).expect_err("it is over");
    assert!(error.to_string().contains("but the record says `void: no power`"), "{error}");
}

#[test]
fn all_seats_are_out_in_a_game_without_players() {
    let mut referee = Referee::new(terms("60"));
    for missing in Seat::all(4) {
        referee.did_not_come(missing, Termination::NoShow, "nobody called".to_owned());
    }
    let record = recorded(referee);
    assert_holds(&record);
    assert!(record.is_failed_by_all() && record.plies.is_empty());
    assert!(record.to_string().ends_with("\n\n{[%out 1]} {[%out 2]} {[%out 3]} {[%out 4]} *\n"), "{record}");
    let late = GroupRecord { outs: [&record.outs[1..], &record.outs[..1]].concat(), ..record.clone() };
    assert_eq!(
        late.check().map(|_| ()).unwrap_err().reason,
        GroupContradiction::Differs { tag: "Placing", recorded: "4 3 2 1".to_owned(), board: "1 4 3 2".to_owned() }
    );
}

/// Each change to a record, and the end of the resulting message.
#[test]
fn each_contradiction_has_its_own_message() {
    type Change = fn(&mut GroupRecord);
    let changes: [(Change, &str); 27] = [
        (|r| r.result.as_mut().unwrap().placing[seat(2)] = 3, "but the tag `Placing` says `3 3 4 "),
        (|r| r.result.as_mut().unwrap().totals[seat(2)] = Fraction::new(1, 4), "but the tag `Totals` says `"),
        (|r| r.result.as_mut().unwrap().points[seat(2)] += 1, "but the tag `Points` says `"),
        (|r| r.result.as_mut().unwrap().counts[0].1[seat(1)] += 1, "but the tag `Counts` says `"),
        (|r| drop(r.result.as_mut().unwrap().counts.pop()), "othello, go, but the `Counts` tags are for othello"),
        (|r| r.result.as_mut().unwrap().counts[1].0 = "reverse", "counts for reverse, but this mode has not ended"),
        (
            |r| drop((r.plies.pop(), r.result.as_mut().unwrap().counts.pop())),
            "but the game is not over: 2 seats remain, and the rules have not ended it",
        ),
        (|r| r.result = Err(Void { reason: "no power".into() }), "but the record says `void: no power`"),
        (|r| r.plies[4].seat = seat(2), "it is seat 1's turn"),
        (|r| r.plies[7].seat = seat(3), "seat 3 has already dropped out"),
        (|r| r.plies[4].played = "a1".parse().unwrap(), "the stone turns nothing over"),
        (|r| r.plies[6].left = Some(SECOND), "but the times spent leave "),
        (|r| r.plies[6].elapsed = None, "some plies record the time spent, and others do not"),
        (
            |r| r.outs[0].after_plies = 5,
            "after ply 5, seat 3 drops out: only seat 2, whose turn it is, can drop out with `time`",
        ),
        (|r| r.outs[1].after_plies = 5, "out of order with the plies or with the other seats that drop out"),
        (|r| r.outs[1].after_plies = 9_999, "it is recorded after ply 9999, out of order"),
        (|r| r.outs[1].termination = Termination::Adjudicated, "`adjudicated` is not a way to drop out"),
        (|r| r.outs[1].termination = Termination::NoShow, "can drop out with `no show` only before the first move"),
        (
            |r| r.outs[1].termination = Termination::Resignation,
            "only seat 4, whose turn it is, can drop out with `resignation`",
        ),
        (|r| r.outs[1].seat = seat(3), "after ply 6, seat 3 drops out: seat 3 has already dropped out"),
        (|r| r.unfinished[0].elapsed = Some(SECOND), "its flag fell, but only 1s of 599s was used up"),
        (|r| r.unfinished[0].elapsed = None, "its flag fell, but the time spent in its last turn is missing"),
        (|r| r.unfinished[0].elapsed = Some(Duration::from_nanos(7)), "a time is not a whole number of microseconds"),
        (
            |r| r.unfinished.push(Unfinished { seat: seat(1), ..r.unfinished[0].clone() }),
            "seat 1 has a turn without a move, although it neither",
        ),
        (
            |r| r.unfinished.push(Unfinished { seat: seat(4), elapsed: None, tries: Tries::default() }),
            "the game was over, but a further turn is recorded",
        ),
        (
            |r| {
                let after_plies = r.plies.len();
                r.outs.push(Out { seat: seat(4), after_plies, termination: Termination::Crash, reason: None });
            },
            "seat 4 drops out: the game was already over",
        ),
        (
            |r| r.time_control = "black 600 white 601".parse().ok(),
            "`TimeControl` has different times, but all seats have",
        ),
    ];
    for (change, message) in changes {
        let mut record = game("600");
        change(&mut record);
        let error = record.check().map(|_| ()).expect_err(message).to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
    let mut untimed = game("-");
    assert_holds(&untimed);
    untimed.plies[0].elapsed = Some(SECOND * 99);
    let error = untimed.check().map(|_| ()).expect_err("seat 1 was slower").to_string();
    assert!(
        error.ends_with(
            "seat 3 drops out: it dropped out at the time limit of a game without clocks, but used less time than \
             seat 1"
        ),
        "{error}"
    );
}

/// Each change to a log's text, and the resulting message.
#[test]
fn each_mistake_in_a_text_has_its_own_message() {
    let log = game("600").to_string();
    for (from, to, message) in [
        (
            "[Out1 \"crash\"]\n",
            "[Out1 \"crash\"]\n[Out2 \"crash\"]\n",
            "the log has the tag `Out2`, but the moves do not say where seat 2 drops out (`{[%out 2]}`)",
        ),
        ("[Out3 \"time\"]\n", "", "seat 3 drops out here, but the tag `Out3`, which says why, is missing"),
        (
            "[Out3 \"time\"]\n",
            "[Out3 \"normal\"]\n",
            "`Out`: `normal` is not a way to drop out (`resignation`, `time`, `illegal`, `crash`, ...)",
        ),
        (
            "[Out1 \"crash\"]\n",
            "[Out1 \"crash\"]\n[Reason2 \"x\"]\n",
            "the log has the tag `Reason2`, but the moves do not say where seat 2 drops out (`{[%out 2]}`)",
        ),
        ("{[%out 1]}", "{[%out 3]}", "seat 3 has already dropped out"),
        ("{[%out 1]}", "{[%out 5]}", "`out`: `5` is not a seat of the game"),
        ("{[%out 3]}", "{[%out 2]}", "seat 3's turn ended without a move, so seat 3 must drop out next, not seat 2"),
        (
            "[Termination \"normal\"]",
            "[Termination \"time\"]",
            "`Termination`: `time` is not `normal` or `void`, the only terminations of a game with more than two seats",
        ),
        ("[Termination \"normal\"]", "[Termination \"void\"]", "a void game cannot have the tag `Placing`"),
        (
            "[Termination \"normal\"]",
            "[Reason \"why\"]",
            "a game with more than two seats cannot have the tag `Reason`",
        ),
        ("[Termination \"normal\"]", "[Black \"x\"]", "a game with more than two seats cannot have the tag `Black`"),
        ("[Termination \"normal\"]", "[Player5 \"p5\"]", "a game with 4 seats cannot have the tag `Player5`"),
        ("[Termination \"normal\"]", "[Digest6 \"abc\"]", "a game with 4 seats cannot have the tag `Digest6`"),
        ("[Termination \"normal\"]", "[Usage0 \"abc\"]", "a game with 4 seats cannot have the tag `Usage0`"),
        (
            "[Termination \"normal\"]",
            "[Adjudicate \"nodes 200000 after_ply 22\"]",
            "the rule set `quantum-8-4p` has no adjudication",
        ),
        (
            "[Player4 \"p4\"]\n",
            "",
            "`quantum-8-4p` has 4 seats, so its log must have the tags `Seats` and `Player1` to `Player4`",
        ),
    ] {
        assert!(log.contains(from), "{from}");
        assert_eq!(problem(&log.replacen(from, to, 1)), message, "{from} -> {to}");
    }
}

#[test]
fn a_line_that_was_illegal_only_before_a_drop_out_may_be_refused() {
    // The lines refused in a seat's turn are judged by the position in that turn.
    let mut referee = Referee::new(terms("600"));
    go_on(&mut referee);
    let legal = referee.position().legal_moves()[0];
    referee.receive(seat(2), line(format!("1 ... z9{legal}")), Arrival::default());
    referee.departed(seat(4), Departure::Disconnect, SECOND);
    go_on(&mut referee);
    referee.void("stop".to_owned(), Duration::ZERO);
    let mut record = recorded(referee);
    assert_holds(&record);
    let refused = Try::new(TryKind::Illegal, &format!("1 ... {}", record.plies[1].played));
    record.plies[1].tries = Tries { shown: vec![refused], more: 0 };
    let error = record.check().map(|_| ()).expect_err("the move is legal").to_string();
    assert!(error.ends_with("was refused in this turn, but is legal"), "{error}");
}

fn random_game() -> impl Strategy<Value = RandomGame> {
    let control = prop_oneof![1 => Just(TimeControl::Unlimited), 4 => any_side_control().prop_map(TimeControl::both)];
    (any::<bool>(), control, any::<u64>(), prop_oneof![Just(0_u64), 1..40_u64, 40..400_u64]).prop_map(
        |(six, time_control, seed, failures)| {
            let ruleset = if six { "quantum-6p" } else { "quantum-8-4p" }.parse().expect("a rule set");
            RandomGame { ruleset, time_control, seed, failures }
        },
    )
}

/// The positions of all digits that the check covers in a log. The check does not cover digits in names, reasons,
/// refused lines, turns without a move, or moves.
fn checked_digits(log: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let (tags, moves) = log.split_once("\n\n").expect("moves");
    let mut at = 0;
    for tag in tags.split_inclusive('\n') {
        let covered = ["[Seats", "[Placing", "[Totals", "[Points", "[Counts", "[TimeControl"];
        if covered.iter().any(|name| tag.starts_with(name)) {
            places
                .extend(tag.char_indices().filter(|(_, letter)| letter.is_ascii_digit()).map(|(index, _)| at + index));
        }
        at += tag.len();
    }
    let start = log.len() - moves.len();
    let mut covered = false;
    for (index, letter) in moves.char_indices() {
        let rest = &moves[index..];
        if rest.starts_with("{[%") || rest.starts_with(" [%") {
            covered = ["emt ", "clk ", "period ", "bank ", "out "].iter().any(|name| rest[3..].starts_with(name));
        } else if letter == '}' {
            covered = false;
        }
        if covered && letter.is_ascii_digit() {
            places.push(start + index);
        }
    }
    places
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_game_leaves_a_record_that_holds_and_survives_its_text(game in random_game()) {
        let record = game.record();
        assert_holds(&record);
        let text = record.to_string();
        for line in text.split_once("\n\n").expect("moves").1.lines() {
            prop_assert!(!line.starts_with(['[', '%', ';']) && !line.is_empty(), "{}", line);
        }
        for seat in Seat::all(record.seats()) {
            let total: Duration = record.plies.iter().filter(|ply| ply.seat == seat).filter_map(|ply| ply.elapsed).sum();
            prop_assert!(record.used(seat) >= total);
        }
    }

    #[test]
    fn any_change_of_a_figure_is_refused(
        game in random_game(), time in 1_u64..90, increment in 0_u64..9, at: prop::sample::Index, to in 0..10_u32,
    ) {
        // With a time for each move, the time that a move took leaves no trace on the clock.
        let [time, increment] = [time, increment].map(Duration::from_secs);
        let time_control = TimeControl::both(SideControl::Game { time, increment });
        let record = RandomGame { time_control, ..game }.record();
        prop_assume!(!record.plies.is_empty());
        let text = record.to_string();
        let places = checked_digits(&text);
        let at = places[at.index(places.len())];
        let digit = char::from_digit(to, 10).expect("a digit");
        prop_assume!(!text[at..].starts_with(digit));
        let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
        let is_refused = changed.parse::<GroupRecord>().map_or(true, |record| record.check().is_err());
        prop_assert!(is_refused, "{}", &text[at.saturating_sub(60)..(at + 60).min(text.len())]);
    }

    #[test]
    fn a_damaged_log_never_panics(
        game in random_game(), at: prop::sample::Index, cut in 0..9_usize, put in "\\PC{0,6}|\\{\\[%out [0-9]\\]\\}"
    ) {
        let text = RandomGame { failures: 300, ..game }.record().to_string();
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        let rest = &letters[(at + cut).min(letters.len())..];
        let damaged: String = letters[..at].iter().copied().chain(put.chars()).chain(rest.iter().copied()).collect();
        match LoggedGame::from_bytes(damaged.as_bytes()) {
            Err(error) => prop_assert!(!error.to_string().contains(char::is_control), "{error}"),
            Ok(LoggedGame::Two(_)) => {}
            Ok(LoggedGame::Group(record)) => {
                let read = record.to_string().parse();
                prop_assert_eq!(read.as_ref(), Ok(&*record));
                let _ = record.check();
            }
        }
    }
}
