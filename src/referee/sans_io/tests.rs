//! Tests of the referee's rules, to the microsecond and without a clock.

mod adjudication;
mod announcements;
mod clocks;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::game::Side::{Black, White};
use crate::game::{BySide, Outcome};
use crate::referee::record::{Try, TryKind, check};
use crate::referee::result::{Limit, Termination};
use crate::referee::time_control::SideControl;
use crate::referee::time_control::tests::any_control;
use crate::referee::uneven::{MOVERS, MOVES, Uneven};
use crate::referee::wire::{Dialect, Line};

fn at(millis: u64) -> Arrival {
    Arrival { elapsed: Duration::from_millis(millis), lateness: Duration::ZERO, ..Arrival::default() }
}

fn timed(black: u64, white: u64) -> Terms {
    let times = BySide { black: Duration::from_secs(black), white: Duration::from_secs(white) };
    Terms { time_control: TimeControl::sudden_death(times), ..Terms::default() }
}

fn under(control: &str) -> Terms {
    Terms { time_control: control.parse().expect("a time control"), ..Terms::default() }
}

fn line(text: &str) -> Line {
    Line::Text(text.to_owned())
}

/// A referee that has received these lines in turn, without any time spent.
fn after(terms: Terms, lines: &[(Side, &str)]) -> Referee {
    let mut referee = Referee::new(terms);
    for &(side, text) in lines {
        referee.receive(side, line(text), Arrival::default());
    }
    referee
}

/// The responses to black, to white and to observers, for clients of `dialect`.
fn heard<T>(say: &Sayings, dialect: Dialect, of: impl Fn(&Response) -> T) -> [Vec<T>; 3] {
    [&say.players[Black], &say.players[White], &say.observers]
        .map(|responses| responses.iter().filter_map(|response| Some(of(&*dialect.say(response)?))).collect())
}

fn in_one_line(response: &Response) -> String {
    response.to_string().replace("\r\n", "/")
}

/// The lines that clients of 0.9.1 receive.
fn said(say: &Sayings) -> [Vec<String>; 3] {
    heard(say, Dialect::Original, in_one_line)
}

/// The codes that clients of 0.9.1 receive.
fn codes(say: &Sayings) -> [Vec<u16>; 3] {
    heard(say, Dialect::Original, Response::code)
}

/// The record of a game between two players.
fn recorded(finished: Finished) -> GameRecord {
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    finished.record(players.into()).into_two().expect("two seats")
}

fn ending(referee: &Referee) -> Option<(Termination, Option<Side>)> {
    let result = referee.result()?.ok()?;
    Some((result.termination(), result.winner()))
}

/// A way to lose without a last move: the ending, and the responses to the loser, the winner and observers.
struct Loss {
    end: fn(&mut Referee) -> Sayings,
    ending: Termination,
    loser: Side,
    loser_hears: &'static [u16],
    documented: &'static [u16],
    compatible: &'static [u16],
    observers: &'static [u16],
}

/// A referee of a game that starts with these moves.
fn opened(terms: Terms, opening: &[&str]) -> Referee {
    let moves: Vec<_> = opening.iter().map(|text| text.parse().expect("a move")).collect();
    Referee::new(terms).with_opening(&moves)
}

/// A meter of CPU time, with a limit of `seconds` seconds of wall time for each side.
fn counted(seconds: u64) -> Meter {
    Meter::Cpu { wall_limit: BySide::from_fn(|_| Duration::from_secs(seconds)) }
}

#[test]
fn one_try_too_many_forfeits_and_the_two_kinds_are_counted_separately() {
    let terms = Terms { illegal_tries: Some(3), garbled_tries: Some(2), ..Terms::default() };
    let mut referee = after(terms, &[(Black, "1 c3")]);
    for text in ["1 ... c3", "1 ... x", "1 ... c3", "d4", "1 ... c3"] {
        let say = referee.receive(White, line(text), at(0));
        assert!(say.players[Black].is_empty() && say.observers.is_empty(), "nobody else receives a line");
    }
    assert!(!referee.is_over());
    referee.receive(White, line("1 ... c3"), at(0));
    assert_eq!(ending(&referee), Some((Termination::Illegal, Some(Black))));
    let mut referee = after(terms, &[]);
    for _ in 0..3 {
        referee.receive(Black, Line::TooLong, at(0));
    }
    assert_eq!(ending(&referee), Some((Termination::Protocol, Some(White))));
    // Without a limit, no number of illegal moves is too many.
    let mut referee = after(Terms::default(), &[(Black, "1 c3")]);
    for _ in 0..1_000 {
        referee.receive(White, line("1 ... c3"), at(0));
    }
    assert!(!referee.is_over());
}

#[test]
fn each_error_of_form_has_its_own_answer() {
    for (text, why) in [
        ("2 c3", "299 Not understood: wrong move number (got 2, expected 1)"),
        ("-1 c3", "299 Not understood: wrong move number (got -1, expected 1)"),
        ("1 ... c3", "299 Not understood: black's moves must not be preceded by `...`"),
        ("1", "299 Not understood: expected a move after the number"),
        ("c3", "299 Not understood: expected a move number, got `c3`"),
        ("1 C3", "299 Not understood: `C3` is not a move"),
        ("1 f3", "299 Not understood: `f3` is not a move"),
        ("1 PASS", "299 Not understood: `PASS` is not a move"),
    ] {
        assert_eq!(said(&Referee::new(Terms::default()).receive(Black, line(text), at(0)))[0], [why]);
    }
    let mut referee = after(Terms::default(), &[(Black, "1 c3")]);
    let say = referee.receive(White, line("1 d4"), at(0));
    assert_eq!(said(&say)[1], ["299 Not understood: white's moves must be preceded by `...`"]);
    let say = referee.receive(White, line("1 ... c3"), at(0));
    assert_eq!(said(&say)[1], ["291 Illegal move c3: the point is occupied"]);
}

#[test]
fn bare_passes_and_resignations_are_accepted_and_numbers_compare_by_value() {
    let referee = after(Terms::default(), &[(Black, "pass"), (White, "01 ... c3 and so on"), (Black, "resign")]);
    assert_eq!(referee.plies().len(), 2);
    assert_eq!(ending(&referee), Some((Termination::Resignation, Some(White))));
}

#[test]
fn lines_out_of_turn_are_judged_in_order_and_cost_no_time() {
    let mut referee = Referee::new(timed(60, 60));
    assert!(referee.receive(White, line("1 ... d4"), at(100)).is_empty());
    assert!(referee.receive(White, line("2 ... d5"), at(200)).is_empty());
    let say = referee.receive(Black, line("1 c3"), at(1_000));
    assert_eq!(codes(&say)[1], [313, 207, 314]);
    assert_eq!(referee.plies()[1].elapsed, Some(Duration::ZERO));
    referee.receive(Black, line("2 c4"), at(0));
    assert_eq!(referee.plies().len(), 4);
}

#[test]
fn sixteen_lines_or_four_kibibytes_are_kept() {
    let mut referee = Referee::new(Terms::default());
    for _ in 0..MAX_KEPT_LINES {
        referee.receive(White, line("1 ... d4"), at(0));
    }
    assert!(!referee.is_over());
    referee.receive(White, line("x"), at(0));
    assert_eq!(ending(&referee), Some((Termination::Protocol, Some(Black))));
    let mut referee = Referee::new(Terms::default());
    for _ in 0..MAX_KEPT_BYTES / 512 {
        referee.receive(White, line(&"x".repeat(512)), at(0));
    }
    assert!(!referee.is_over());
    referee.receive(White, line("x"), at(0));
    assert!(referee.is_over());
}

#[test]
fn the_record_keeps_what_was_refused_and_the_turn_that_was_cut_off() {
    let mut referee = after(timed(2, 2), &[(Black, "1 z9"), (Black, "1 c3")]);
    referee.receive(White, line("1 ... c3"), at(500));
    referee.time_is_up(Duration::from_millis(2_001));
    let finished = referee.finish();
    assert_eq!(finished.plies[0].tries.shown, [Try::new(TryKind::Garbled, "1 z9")]);
    let [unfinished] = finished.unfinished.as_slice() else { panic!("a turn was cut off") };
    assert_eq!(unfinished.elapsed, Some(Duration::from_millis(2_001)));
    assert_eq!(unfinished.tries.shown, [Try::new(TryKind::Illegal, "1 ... c3")]);
}

#[test]
fn a_turn_that_was_cut_off_is_kept_if_it_left_a_trace() {
    let garbled = [(Black, "1 z9")];
    let end = |said: &[(Side, &str)], elapsed| {
        let mut referee = after(Terms::default(), said);
        referee.void("no power".to_owned(), elapsed);
        referee.finish().unfinished
    };
    let spent = Duration::from_micros(1);
    let turn = |elapsed, tries| vec![Unfinished { seat: Black.into(), elapsed: Some(elapsed), tries }];
    let tries = Tries { shown: vec![Try::new(TryKind::Garbled, "1 z9")], more: 0 };
    assert_eq!(end(&[], Duration::ZERO), []);
    assert_eq!(end(&[], spent), turn(spent, Tries::default()));
    assert_eq!(end(&garbled, Duration::ZERO), turn(Duration::ZERO, tries));
}

/// An event that can happen in a game.
#[derive(Clone, Debug)]
enum Happening {
    Said(Side, Line, u64, u64),
    Moved(usize, u64),
    /// A move, how long after the end of the allowance it arrives, and how late the arena is, in microseconds.
    MovedLate(usize, u64, u64),
    TimeIsUp(u64),
    Departed(Side, bool),
    Exhausted(Side),
    Void,
    /// The attempt at a proof ends: by itself, or (`false`) because it was stopped, without a proof.
    Tried(bool),
}

fn happening() -> impl Strategy<Value = Happening> {
    let side = || prop_oneof![Just(Black), Just(White)];
    let text = prop_oneof![
        "[0-3] (\\.\\.\\. )?[a-f][1-6]( .*)?",
        "[1-3] (\\.\\.\\. )?(pass|resign)",
        Just("pass".to_owned()),
        "\\PC{0,12}",
    ];
    let line = prop_oneof![9 => text.prop_map(Line::Text), 1 => Just(Line::TooLong)];
    prop_oneof![
        6 => (side(), line, 0..900_000_u64, 0..100_u64).prop_map(|(s, l, e, late)| Happening::Said(s, l, e, late)),
        12 => (any::<usize>(), 0..300_000_u64).prop_map(|(pick, elapsed)| Happening::Moved(pick, elapsed)),
        1 => (any::<usize>(), 1..9_u64, 0..9_u64).prop_map(|(pick, by, late)| Happening::MovedLate(pick, by, late)),
        1 => (0..3_000_000_u64).prop_map(Happening::TimeIsUp),
        1 => (side(), any::<bool>()).prop_map(|(side, crash)| Happening::Departed(side, crash)),
        1 => side().prop_map(Happening::Exhausted),
        1 => Just(Happening::Void),
        9 => prop_oneof![9 => Just(true), 1 => Just(false)].prop_map(Happening::Tried),
    ]
}

/// The line that makes one of the legal moves; `None` once the rules have ended the game.
fn legal_line(referee: &Referee, pick: usize) -> Option<Line> {
    let moves = referee.position.legal_moves();
    let chosen = moves.get(pick % moves.len().max(1))?;
    let dots = if referee.to_move() == White { "... " } else { "" };
    Some(line(&format!("{} {dots}{chosen}", referee.number())))
}

fn terms() -> impl Strategy<Value = Terms> {
    let control = prop_oneof![
        1 => Just(TimeControl::Unlimited),
        1 => (1..3_u64, 1..3_u64).prop_map(|(black, white)| timed(black, white).time_control),
        2 => any_control(),
    ];
    let tries = || proptest::option::of(0..4_u32);
    let endings = prop_oneof![Just(Endings::Documented), Just(Endings::Compatible)];
    // Limits do not have to be whole microseconds.
    let limit = proptest::option::of((1..3_000_000_000_u64).prop_map(Duration::from_nanos));
    let meter = prop_oneof![Just(Meter::Wall), (1..30_u64).prop_map(counted)];
    let adjudicate = proptest::option::of((1_000..4_000_u64, 0..20_u32));
    (control, meter, tries(), tries(), limit, endings, adjudicate).prop_map(
        |(time_control, meter, illegal, garbled, game_limit, endings, adjudicate)| Terms {
            ruleset: Ruleset::Gothello,
            time_control,
            meter,
            illegal_tries: illegal,
            garbled_tries: garbled,
            game_limit,
            endings,
            adjudicate: adjudicate.and_then(|(nodes, after_ply)| Adjudication::new(nodes, after_ply)),
        },
    )
}

proptest! {
    #[test]
    fn whatever_happens_there_is_one_result_clocks_only_gain_increments_and_the_record_holds(
        terms in terms(), happenings in proptest::collection::vec(happening(), 0..120)
    ) {
        let mut referee = Referee::new(terms);
        let mut told_the_end = false;
        for happening in happenings {
            let (was_over, plies, attempt) = (referee.is_over(), referee.plies().len(), referee.to_prove());
            let allowance = referee.allowance();
            let micros = Duration::from_micros;
            let say = match happening {
                Happening::Said(side, line, elapsed, late) => {
                    referee.receive(side, line, Arrival { elapsed: micros(elapsed), lateness: micros(late), ..Arrival::default() })
                }
                Happening::Moved(pick, elapsed) => {
                    let Some(chosen) = legal_line(&referee, pick) else { continue };
                    referee.receive(referee.to_move(), chosen, Arrival { elapsed: micros(elapsed), ..at(0) })
                }
                Happening::MovedLate(pick, by, late) => {
                    let (Some(chosen), Some(allowance)) = (legal_line(&referee, pick), allowance) else { continue };
                    let arrival = Arrival { elapsed: allowance + micros(by), lateness: micros(late), ..Arrival::default() };
                    referee.receive(referee.to_move(), chosen, arrival)
                }
                // `play` calls this only when the allowance has been used up.
                Happening::TimeIsUp(more) => match allowance {
                    Some(allowance) => referee.time_is_up(allowance + micros(1 + more)),
                    None => continue,
                },
                Happening::Departed(side, true) => referee.departed(side, Departure::Crash("x".to_owned()), micros(1)),
                Happening::Departed(side, false) => referee.departed(side, Departure::Disconnect, micros(1)),
                Happening::Exhausted(side) => {
                    referee.forfeits(side, Termination::Limit(Limit::Memory), "too much".to_owned(), micros(1))
                }
                Happening::Void => referee.void("no power".to_owned(), micros(1)),
                Happening::Tried(to_the_end) => {
                    let attempt = attempt.clone().filter(|_| to_the_end);
                    referee.proven(attempt.and_then(|case| case.prove(None, &AtomicBool::new(false))))
                }
            };
            if was_over {
                prop_assert!(say.is_empty());
            } else if referee.is_over() {
                told_the_end = !say.players[Black].is_empty() && !say.players[White].is_empty() && !say.observers.is_empty();
            } else if attempt.is_some() && referee.to_prove() == attempt {
                prop_assert!(say.is_empty() && referee.plies().len() == plies);
            } else if referee.plies().len() > plies + usize::from(referee.to_prove().is_some()) || attempt.is_some() {
                prop_assert!(!say.players[Black].is_empty() && !say.players[White].is_empty());
            }
        }
        prop_assert_eq!(referee.is_over(), told_the_end);
        if !referee.is_over() {
            return Ok(());
        }
        let record = recorded(referee.finish());
        for side in Side::BOTH {
            let own = record.plies.iter().filter(|ply| ply.side() == side);
            let left: Vec<_> = own.map(|ply| ply.left).collect();
            let growth = match terms.time_control.of(side) {
                Some(SideControl::Game { increment, .. }) => increment,
                _ => Duration::ZERO,
            };
            prop_assert!(left.is_sorted_by(|before, after| before.map(|before| before + growth) >= *after));
        }
        if let Err(error) = check(&record) {
            return Err(TestCaseError::fail(format!("{error}\n{record}")));
        }
        prop_assert_eq!(record.to_string().parse(), Ok(record));
    }
}

#[test]
fn the_position_says_whose_turn_it_is_and_each_side_counts_its_own_moves() {
    let mut referee = Referee::starting_at(Box::new(Uneven::default()), timed(60, 60)).unobserved();
    let lines = ["1 a1", "1 ... b1", "2 ... c1", "2 d1", "3 e1", "3 ... f1"];
    // Black's next line arrives early, and waits until white has moved twice.
    assert!(referee.receive(Black, line("1 a1"), at(1)).players[Black].len() == 2);
    assert!(referee.receive(Black, line("2 d1"), at(1)).is_empty());
    assert_eq!(codes(&referee.receive(White, line("1 ... b1"), at(10)))[..2], [vec![314], vec![207, 314]]);
    assert_eq!(
        codes(&referee.receive(White, line("2 ... c1"), at(20)))[..2],
        [vec![314, 207, 313], vec![207, 314, 313]]
    );
    for (side, text) in MOVERS.into_iter().zip(lines).skip(4) {
        assert_eq!(referee.to_move(), side);
        referee.receive(side, line(text), at(100));
    }
    let finished = referee.finish();
    let plies: Vec<_> = finished.plies.iter().map(|ply| (ply.side(), ply.played.to_string())).collect();
    let expected: Vec<_> = MOVERS.into_iter().zip(MOVES.map(str::to_owned)).collect();
    assert_eq!(plies, expected);
    assert_eq!(finished.result, Ok(GameEnd::Two(GameResult::played(Outcome::of_margin(6)))));
    let record = recorded(finished);
    assert_eq!(record.used(White), record.used(Black) + at(29).elapsed);
}
