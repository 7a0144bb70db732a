//! Tests of the referee's rules, to the microsecond and without a clock.

use std::time::Duration;

use proptest::prelude::*;

use std::sync::atomic::AtomicBool;

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

#[test]
fn the_start_tells_each_player_its_side_and_observers_the_board() {
    assert_eq!(
        said(&Referee::new(timed(60, 30)).start()),
        [
            vec!["352 You will play black"],
            vec!["351 You will play white"],
            vec!["353 You will observe", "381 1 60 30 b", "382/...../...../...../...../....."],
        ]
    );
}

/// The time that black may use for each of its turns, in milliseconds, if the turns take these times. White uses no
/// time.
fn allowances(control: &str, turns: &[u64]) -> Vec<Option<u128>> {
    let mut referee = Referee::new(under(control));
    let moves = ["c3", "c2", "c4", "b2", "b3"];
    let mut allowances = vec![referee.allowance().map(|time| time.as_millis())];
    for (index, &millis) in turns.iter().enumerate() {
        let number = index + 1;
        referee.receive(Black, line(&format!("{number} {}", moves[index])), at(millis));
        referee.receive(White, line(&format!("{number} ... pass")), Arrival::default());
        allowances.push(referee.allowance().filter(|_| !referee.is_over()).map(|time| time.as_millis()));
    }
    allowances
}

#[test]
fn each_control_decides_what_the_next_turn_may_take() {
    for (control, turns, expected) in [
        ("5", &[2_000, 3_001][..], &[Some(5_000), Some(3_000), None][..]),
        ("5+2", &[4_000, 3_000, 2_001], &[Some(5_000), Some(3_000), Some(2_000), None]),
        ("5:2x3", &[5_001, 3_000, 3_001, 3_001], &[Some(11_000), Some(6_000), Some(6_000), Some(3_000), None]),
        ("3/move", &[3_000, 2_999, 3_001], &[Some(3_000), Some(3_000), Some(3_000), None]),
        ("3/move+2bank", &[4_500, 1_000, 3_501], &[Some(5_000), Some(3_500), Some(3_500), None]),
    ] {
        assert_eq!(allowances(control, turns), expected, "{control}");
    }
}

/// Clients of 0.9.1 learn the seconds that they may use, and those of 0.9.2 also the control.
#[test]
fn a_control_is_announced_in_the_seconds_that_may_be_used() {
    let start = Referee::new(under("black 5:2x3 white 1/move+9bank")).start();
    let told = heard(&start, Dialect::NamesRules, in_one_line);
    let clocks = "347 black 5:2x3 white 1/move+9bank is the time control";
    assert!(told.iter().all(|lines| lines.iter().any(|line| line == clocks)), "{told:?}");
    assert_eq!(said(&start)[2][1], "381 1 11 10 b");
    assert!(said(&start).iter().flatten().all(|line| !line.starts_with("347")));
    let mut referee = Referee::new(under("5+2"));
    assert_eq!(
        said(&referee.receive(Black, line("1 c3"), at(1_500)))[0][0],
        "207 5 secs remaining after move c3 accepted, continue playing"
    );
}

#[test]
fn a_flag_that_falls_is_explained_in_the_terms_of_the_control() {
    let reason = |control: &str, millis: u64| {
        let mut referee = Referee::new(under(control));
        referee.time_is_up(Duration::from_millis(millis));
        referee.result().and_then(Result::ok).and_then(|result| result.reason().map(str::to_owned)).unwrap_or_default()
    };
    assert_eq!(reason("60", 60_001), "more than 1m used");
    assert_eq!(reason("1/move", 1_001), "more than the remaining 1s for move 1 (1s/move) used");
    assert_eq!(reason("5:2x3", 11_001), "more than the remaining 11s for move 1 (5s, 2 x 3s) used");
}

/// Late credit charges the whole allowance, so it ends a period or the bank, but not the game.
#[test]
fn late_credit_uses_up_exactly_the_allowance() {
    for (control, allowance, after) in
        [("5+2", 5_000, 2_000), ("5:2x3", 11_000, 3_000), ("3/move", 3_000, 3_000), ("3/move+2bank", 5_000, 3_000)]
    {
        let mut referee = Referee::new(under(control));
        let arrival = Arrival { lateness: Duration::from_millis(9), ..at(allowance + 9) };
        referee.receive(Black, line("1 c3"), arrival);
        referee.receive(White, line("1 ... pass"), Arrival::default());
        assert_eq!(referee.allowance(), Some(Duration::from_millis(after)), "{control}");
        let ply = &referee.plies()[0];
        assert!(ply.late_credit && ply.elapsed == Some(Duration::from_millis(allowance)), "{ply:?}");
        referee.void("stopped".to_owned(), Duration::ZERO);
        let record = recorded(referee.finish());
        check(&record).unwrap_or_else(|error| panic!("{error}\n{record}"));
    }
}

#[test]
fn clients_that_know_of_rules_receive_them_before_the_start() {
    let ruleset: Ruleset = "quantum start=open ko=simple compensation=0,3/2".parse().expect("a rule set");
    let mut referee = Referee::new(Terms { ruleset, ..Terms::default() });
    let options = [
        "346 start open is a rule of this game",
        "346 ko simple is a rule of this game",
        "346 compensation 0,3/2 is a rule of this game",
    ];
    let rules = |seat: &str| {
        let mut lines = vec![format!("345 quantum 2 {seat} is the game, seats, and your seat")];
        lines.extend(options.map(str::to_owned));
        lines
    };
    let [black, white, observers] = heard(&referee.start(), Dialect::NamesRules, in_one_line);
    assert_eq!(black, [rules("1"), vec!["352 You will play black".to_owned()]].concat());
    assert_eq!(white, [rules("2"), vec!["351 You will play white".to_owned()]].concat());
    assert_eq!(observers[..4], rules("."));
    assert_eq!(observers[4..6], ["353 You will observe", "380 1 b"]);
    assert!(observers[6].starts_with("383 ") && observers[6].contains(" lines follow/........../"), "{observers:?}");
    assert_eq!(said(&referee.start())[..2], [["352 You will play black"], ["351 You will play white"]]);
    let say = referee.receive(Black, line("1 e5"), at(5));
    assert_eq!(said(&say)[..2], heard(&say, Dialect::NamesRules, in_one_line)[..2]);
    let late = referee.welcome_observer();
    assert_eq!(late.iter().map(Response::code).collect::<Vec<_>>(), [345, 346, 346, 346, 353, 380, 383]);
}

/// A referee of a game that starts with these moves.
fn opened(terms: Terms, opening: &[&str]) -> Referee {
    let moves: Vec<_> = opening.iter().map(|text| text.parse().expect("a move")).collect();
    Referee::new(terms).with_opening(&moves)
}

#[test]
fn an_opening_is_announced_with_the_start_as_if_it_had_been_played() {
    let both =
        ["313 1 c3 60 (secs) is black move, game continues", "314 1 ... d4 30 (secs) is white move, game continues"];
    let [black, white, observers] = said(&opened(timed(60, 30), &["c3", "d4"]).start());
    assert_eq!(black, [&["352 You will play black"], &both[..]].concat());
    assert_eq!(white, [&["351 You will play white"], &both[..]].concat());
    assert_eq!(
        observers,
        [
            "353 You will observe",
            "381 1 60 30 b",
            "382/...../...../...../...../.....",
            both[0],
            "381 1 60 30 w",
            "382/...../...../..b../...../.....",
            both[1],
            "381 2 60 30 b",
            "382/...../...w./..b../...../.....",
        ]
    );
    let say = opened(Terms::default(), &["c3", "d4", "pass"]).start();
    assert_eq!(codes(&say)[..2], [[352, 311, 312, 315], [351, 311, 312, 315]]);
}

#[test]
fn after_an_opening_numbers_continue_and_clocks_are_full() {
    let mut referee = opened(timed(60, 60), &["c3", "d4", "c2"]);
    assert_eq!((referee.to_move(), referee.number()), (White, 2));
    assert_eq!(referee.allowance(), Some(Duration::from_mins(1)));
    let say = referee.receive(White, line("2 ... d3"), at(1_000));
    assert_eq!(said(&say)[0], ["314 2 ... d3 59 (secs) is white move, game continues"]);
    referee.receive(Black, line("3 pass"), at(1_000));
    referee.receive(White, line("3 ... pass"), at(1_000));
    let finished = referee.finish();
    let elapsed: Vec<_> = finished.plies.iter().map(|ply| ply.elapsed.is_some()).collect();
    assert_eq!(elapsed, [false, false, false, true, true, true]);
    assert!(finished.plies[..3].iter().all(|ply| ply.left.is_none()));
}

#[test]
fn a_move_is_answered_and_announced_in_the_words_that_clients_know() {
    let mut referee = Referee::new(Terms::default());
    let say = referee.receive(Black, line("1 c3"), at(5));
    let status = "311 1 c3 is black move, game continues";
    assert_eq!(
        said(&say),
        [
            vec!["200 Move c3 accepted, continue playing", status],
            vec![status],
            vec![status, "380 1 w", "382/...../...../..b../...../....."],
        ]
    );
    let say = referee.receive(White, line("1 ... d4"), at(5));
    assert_eq!(said(&say)[0], ["312 1 ... d4 is white move, game continues"]);
    assert_eq!(said(&say)[2][1], "380 2 b");
}

#[test]
fn with_clocks_times_are_announced_in_whole_seconds_rounded_down() {
    let mut referee = Referee::new(timed(60, 60));
    let say = referee.receive(Black, line("1 pass"), at(1));
    assert_eq!(said(&say)[0][0], "207 59 secs remaining after move pass accepted, continue playing");
    assert_eq!(said(&say)[1], ["317 1 pass 59 (secs) is black move, game continues"]);
    assert_eq!(said(&say)[2][1], "381 1 59 60 w");
    let say = referee.receive(White, line("1 ... c3"), at(1_500));
    assert_eq!(said(&say)[1][0], "207 58 secs remaining after move c3 accepted, continue playing");
    assert_eq!(said(&say)[0], ["314 1 ... c3 58 (secs) is white move, game continues"]);
}

#[test]
fn two_passes_end_the_game_with_the_numbers_of_the_last_move() {
    let lines = [(Black, "1 c3"), (White, "1 ... pass")];
    let say = after(Terms::default(), &lines).receive(Black, line("2 pass"), at(0));
    assert_eq!(codes(&say), [vec![201, 321], vec![321], vec![321, 380, 382]]);
    assert_eq!(said(&say)[2][..2], ["321 2 pass and black wins", "380 2 ."]);

    let lines = [(Black, "1 c3"), (White, "1 ... d4"), (Black, "2 c2"), (White, "2 ... pass"), (Black, "3 pass")];
    let referee = after(Terms::default(), &lines);
    assert_eq!(ending(&referee), Some((Termination::Normal, Some(Black))));

    let say = after(Terms::default(), &[(Black, "1 c3"), (White, "1 ... d4"), (Black, "2 pass")]);
    let mut referee = say;
    let say = referee.receive(White, line("2 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![326], vec![203, 326], vec![326, 380, 382]]);
    assert_eq!(referee.result().map(|result| result.map(GameResult::margin)), Some(Ok(Some(0))));
}

#[test]
fn white_winning_or_losing_by_the_last_pass_has_its_own_codes() {
    let lines = [(Black, "1 pass"), (White, "1 ... c3"), (Black, "2 pass")];
    let say = after(Terms::default(), &lines).receive(White, line("2 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![323], vec![201, 323], vec![323, 380, 382]]);
    let lines = [(Black, "1 c3"), (White, "1 ... pass")];
    let mut referee = after(Terms::default(), &lines);
    referee.receive(Black, line("2 d3"), at(0));
    referee.receive(White, line("2 ... e5"), at(0));
    referee.receive(Black, line("3 pass"), at(0));
    let say = referee.receive(White, line("3 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![324], vec![202, 324], vec![324, 380, 382]]);
    let lines = [(Black, "1 pass"), (White, "1 ... c3"), (Black, "2 pass")];
    assert!(ending(&after(Terms::default(), &lines)).is_none());
    // Black loses, and draws, by its own last pass.
    let lines = [
        (Black, "1 pass"),
        (White, "1 ... c3"),
        (Black, "2 a1"),
        (White, "2 ... c4"),
        (Black, "3 a5"),
        (White, "3 ... c5"),
    ];
    let mut referee = after(Terms::default(), &lines);
    referee.receive(Black, line("4 e1"), at(0));
    referee.receive(White, line("4 ... c2"), at(0));
    referee.receive(Black, line("5 e5"), at(0));
    referee.receive(White, line("5 ... pass"), at(0));
    let say = referee.receive(Black, line("6 pass"), at(0));
    assert_eq!(codes(&say), [vec![203, 325], vec![325], vec![325, 380, 382]]);
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

#[test]
fn every_loss_outside_the_rules_is_announced_as_documented_or_as_old_clients_understand_it() {
    let second = Duration::from_secs(1);
    let losses = [
        Loss {
            end: |r| r.time_is_up(Duration::from_secs(61)),
            ending: Termination::Time,
            loser: White,
            loser_hears: &[202, 361],
            documented: &[361],
            compatible: &[324],
            observers: &[361, 381, 382],
        },
        Loss {
            end: |r| r.receive(White, line("1 ... resign"), at(0)),
            ending: Termination::Resignation,
            loser: White,
            loser_hears: &[204, 327],
            documented: &[327],
            compatible: &[324],
            observers: &[327, 381, 382],
        },
        Loss {
            end: |r| r.departed(White, Departure::Disconnect, Duration::ZERO),
            ending: Termination::Disconnect,
            loser: White,
            loser_hears: &[392],
            documented: &[392],
            compatible: &[324],
            observers: &[392, 381, 382],
        },
        Loss {
            end: |r| r.departed(Black, Departure::Crash("killed".to_owned()), Duration::ZERO),
            ending: Termination::Crash,
            loser: Black,
            loser_hears: &[391],
            documented: &[391],
            compatible: &[201, 323],
            observers: &[391, 381, 382],
        },
        Loss {
            end: |r| {
                let flood = (0..=MAX_KEPT_LINES).map(|_| r.receive(Black, line("2 c4"), at(0)));
                flood.last().expect("a response")
            },
            ending: Termination::Protocol,
            loser: Black,
            loser_hears: &[202, 391],
            documented: &[391],
            compatible: &[201, 323],
            observers: &[391, 381, 382],
        },
        Loss {
            end: |r| {
                let tries = (0..4).map(|_| r.receive(White, line("1 ... c3"), at(0)));
                tries.last().expect("a response")
            },
            ending: Termination::Illegal,
            loser: White,
            loser_hears: &[291, 202, 392],
            documented: &[392],
            compatible: &[324],
            observers: &[392, 381, 382],
        },
    ];
    for (endings, loss) in
        [Endings::Documented, Endings::Compatible].into_iter().flat_map(|e| losses.iter().map(move |l| (e, l)))
    {
        let terms = Terms { endings, illegal_tries: Some(3), ..timed(60, 60) };
        let mut referee = after(terms, &[(Black, "1 c3")]);
        let [black, white, observers] = codes(&(loss.end)(&mut referee));
        let (loser, winner) = if loss.loser == Black { (black, white) } else { (white, black) };
        assert_eq!(ending(&referee), Some((loss.ending, Some(loss.loser.opponent()))));
        let expected = if endings == Endings::Documented { loss.documented } else { loss.compatible };
        assert_eq!(winner, expected, "{:?} to the winner, {endings:?}", loss.ending);
        assert_eq!(loser, loss.loser_hears, "{:?} to the loser", loss.ending);
        assert_eq!(observers, loss.observers, "{:?} to observers", loss.ending);
        let say = referee.time_is_up(second);
        assert!(say.is_empty(), "an ended game stays as it is");
    }
}

#[test]
fn old_clients_are_told_the_number_of_the_next_move() {
    let terms = Terms { endings: Endings::Compatible, ..timed(60, 60) };
    let mut referee = after(terms, &[(Black, "1 c3"), (White, "1 ... d4")]);
    assert_eq!(said(&referee.time_is_up(Duration::from_secs(61)))[1], ["322 2 pass and black loses"]);
    let mut referee = after(terms, &[(Black, "1 c3"), (White, "1 ... d4")]);
    let say = referee.departed(White, Departure::Disconnect, Duration::ZERO);
    assert_eq!(said(&say)[0], ["201 You win", "321 2 pass and black wins"]);
}

#[test]
fn a_player_left_alone_before_the_start_is_told_that_it_won() {
    for (endings, codes_heard) in [(Endings::Documented, vec![392]), (Endings::Compatible, vec![352, 201, 321])] {
        let mut referee = Referee::new(Terms { endings, ..Terms::default() });
        let say = referee.did_not_come(White, Termination::NoShow, "late".to_owned());
        assert_eq!(codes(&say)[0], codes_heard);
        assert_eq!(ending(&referee), Some((Termination::NoShow, Some(Black))));
    }
    let mut referee = Referee::new(Terms::default());
    referee.nobody_came("both late".to_owned());
    assert_eq!(ending(&referee), Some((Termination::DoubleForfeit, None)));
}

#[test]
fn a_void_game_has_no_result_and_everybody_is_notified() {
    let mut referee = after(Terms::default(), &[(Black, "1 c3")]);
    let say = referee.void("no power".to_owned(), Duration::ZERO);
    assert_eq!(codes(&say), [vec![399], vec![399], vec![399, 380, 382]]);
    assert_eq!(referee.finish().result, Err(Void { reason: "no power".to_owned() }));
}

#[test]
fn at_the_end_observers_see_the_clocks_as_they_stopped_and_the_number_of_the_last_move() {
    let one_more = Duration::from_micros(60_000_001);
    let state = |mut referee: Referee| said(&referee.time_is_up(one_more))[2][1].clone();
    // Before the first move, there is no last move, so the number of the first one is given.
    assert_eq!(state(Referee::new(timed(60, 30))), "381 1 0 30 .");
    let two = [(Black, "1 c3"), (White, "1 ... d4")];
    assert_eq!(state(after(timed(60, 30), &two)), "381 1 0 30 .");
    let three = [two[0], two[1], (Black, "2 c4")];
    assert_eq!(state(after(timed(60, 30), &three)), "381 2 60 0 .");
}

#[test]
fn a_clock_at_exactly_zero_has_not_fallen_and_a_microsecond_more_has() {
    let exactly = Arrival { elapsed: Duration::from_secs(2), lateness: Duration::ZERO, ..Arrival::default() };
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), exactly);
    assert_eq!(referee.plies()[0].left, Some(Duration::ZERO));
    assert!(!referee.plies()[0].late_credit);

    let more = Arrival { elapsed: Duration::from_micros(2_000_001), ..exactly };
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), more);
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    // Fractions of a microsecond are not charged.
    let less = Arrival { elapsed: Duration::from_nanos(2_000_000_999), ..exactly };
    assert!(!after_black(less).is_over());
}

fn after_black(arrival: Arrival) -> Referee {
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), arrival);
    referee
}

#[test]
fn the_arenas_own_lateness_is_credited_and_no_more() {
    let late = |elapsed, lateness| {
        after_black(Arrival {
            elapsed: Duration::from_micros(elapsed),
            lateness: Duration::from_micros(lateness),
            ..Arrival::default()
        })
    };
    let credited = late(2_005_000, 5_000);
    assert!(credited.plies()[0].late_credit);
    assert_eq!(credited.plies()[0].left, Some(Duration::ZERO));
    assert_eq!(credited.plies()[0].elapsed, Some(Duration::from_secs(2)));
    assert!(late(2_005_001, 5_000).is_over());
    // A line that needs no credit is charged in full.
    assert_eq!(late(1_000_000, 5_000).plies()[0].left, Some(Duration::from_secs(1)));
}

#[test]
fn lateness_is_credited_against_the_limit_of_a_game_without_clocks_but_no_clock_bears_the_mark() {
    let terms = Terms { game_limit: Some(Duration::from_nanos(2_000_000_500)), ..Terms::default() };
    let [credited, lost] = [2_005_000, 2_005_001].map(|elapsed| {
        let mut referee = Referee::new(terms);
        let arrival = Arrival {
            elapsed: Duration::from_micros(elapsed),
            lateness: Duration::from_millis(5),
            ..Arrival::default()
        };
        referee.receive(Black, line("1 c3"), arrival);
        referee
    });
    // Like all times, the limit is truncated to whole microseconds.
    assert_eq!(credited.plies()[0].elapsed, Some(Duration::from_secs(2)));
    assert!(!credited.plies()[0].late_credit);
    assert_eq!(credited.allowance(), Some(Duration::ZERO));
    assert_eq!(ending(&lost), Some((Termination::Time, Some(White))));
}

/// A meter of CPU time, with a limit of `seconds` seconds of wall time for each side.
fn counted(seconds: u64) -> Meter {
    Meter::Cpu { wall_limit: BySide::from_fn(|_| Duration::from_secs(seconds)) }
}

#[test]
fn with_cpu_clocks_wall_time_has_its_own_limit_and_neither_is_charged_to_the_other() {
    let mut referee = Referee::new(Terms { meter: counted(10), ..timed(2, 2) });
    let both = |millis, wall| Arrival { wall: Duration::from_secs(wall), ..at(millis) };
    referee.receive(Black, line("1 c3"), both(1_500, 4));
    assert_eq!(referee.plies()[0].left, Some(Duration::from_millis(500)));
    assert_eq!(
        (referee.allowance(), referee.wall_allowance()),
        (Some(Duration::from_secs(2)), Some(Duration::from_secs(10)))
    );
    referee.receive(White, line("1 ... d4"), both(0, 9));
    assert_eq!(
        (referee.allowance(), referee.wall_allowance()),
        (Some(Duration::from_millis(500)), Some(Duration::from_secs(6)))
    );
    referee.time_is_up(Duration::from_millis(100));
    let reason = |referee: &Referee| referee.result().unwrap().unwrap().reason().unwrap().to_owned();
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    assert_eq!(reason(&referee), "its turns took more than 10s (key `wall_limit`), of which 1.600 s were CPU time");
    let mut referee = Referee::new(Terms { meter: counted(10), ..timed(2, 2) });
    referee.receive(Black, line("1 c3"), both(2_001, 3));
    assert_eq!(reason(&referee), "more than 2s of CPU time used");
    assert_eq!(Referee::new(timed(2, 2)).wall_allowance(), None);
}

#[test]
fn clocks_may_differ_and_each_pays_for_its_own_turns() {
    let mut referee = Referee::new(timed(10, 3));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(10)));
    referee.receive(Black, line("1 c3"), at(4_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(3)));
    referee.receive(White, line("1 ... d4"), at(1_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(6)));
}

#[test]
fn refused_lines_stop_no_clock() {
    let mut referee = Referee::new(timed(2, 2));
    assert_eq!(codes(&referee.receive(Black, line("1 z9"), at(1_000)))[0], [299]);
    assert_eq!(referee.allowance(), Some(Duration::from_secs(2)));
    referee.receive(Black, line("1 c3"), at(1_500));
    assert_eq!(referee.plies()[0].left, Some(Duration::from_millis(500)));
    // Once the time is spent, a refused line is too late as well.
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 z9"), at(2_001));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
}

#[test]
fn without_clocks_the_side_that_used_more_forfeits_at_the_limit() {
    let terms = Terms { game_limit: Some(Duration::from_secs(10)), ..Terms::default() };
    let mut referee = after(terms, &[]);
    referee.receive(Black, line("1 c3"), at(6_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(4)));
    referee.time_is_up(Duration::from_millis(4_001));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    // In a tie, the side to move loses.
    let mut referee = Referee::new(terms);
    referee.receive(Black, line("1 c3"), at(5_000));
    referee.time_is_up(Duration::from_secs(5));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(Black))));
    assert_eq!(Referee::new(Terms::default()).allowance(), None);
}

#[test]
fn a_side_that_waits_can_lose_by_the_limit_too() {
    for (endings, white_hears) in [(Endings::Documented, vec![362]), (Endings::Compatible, vec![201, 323])] {
        let terms = Terms { game_limit: Some(Duration::from_secs(10)), endings, ..Terms::default() };
        let mut referee = Referee::new(terms);
        referee.receive(Black, line("1 c3"), at(6_000));
        let say = referee.time_is_up(Duration::from_millis(4_001));
        assert_eq!(codes(&say), [vec![202, 362], white_hears, vec![362, 380, 382]]);
        assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    }
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
    // Without a bound, no number of tries is too many.
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
        ("1 ... c3", "299 Not understood: black's moves must not have `...` before the move"),
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
    assert_eq!(said(&say)[1], ["299 Not understood: white's moves must have `...` before the move"]);
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

/// The terms of a game in which the referee asks for a proof of the outcome after each move, from this ply on.
fn adjudicated(after_ply: u32) -> Terms {
    Terms { adjudicate: Adjudication::new(1_000, after_ply), ..timed(60, 60) }
}

const BLACK_BY_THREE: Option<Outcome> = Some(Outcome { winner: Some(Black), margin: Some(3) });

#[test]
fn a_move_that_is_proven_to_decide_the_game_ends_it_like_a_last_pass() {
    for (moves, found, expected) in [
        (&["1 c3"][..], BLACK_BY_THREE, ["201 Move c3 accepted, You win", "321 1 c3 and black wins"]),
        (&["1 c3", "1 ... d4"], BLACK_BY_THREE, ["202 Move d4 accepted, You lose", "324 1 ... d4 and white loses"]),
        (
            &["1 pass"],
            Some(Outcome { winner: None, margin: Some(0) }),
            ["203 Move pass accepted, You draw", "325 1 pass and black draws"],
        ),
        (
            &["1 c3", "1 ... pass"],
            Some(Outcome { winner: Some(White), margin: None }),
            ["201 Move pass accepted, You win", "323 1 ... pass and white wins"],
        ),
    ] {
        let (last, before) = moves.split_last().expect("a move");
        let mut referee = Referee::new(adjudicated(0));
        for text in before {
            referee.receive(referee.to_move(), line(text), at(1_000));
            referee.proven(None);
        }
        let mover = referee.to_move();
        assert!(
            referee.receive(mover, line(last), at(1_000)).is_empty(),
            "nobody receives a line before it has been tried"
        );
        let say = said(&referee.proven(found));
        let other = usize::from(mover == Black);
        assert_eq!(say[1 - other], expected);
        assert_eq!(say[other], [expected[1]]);
        assert!(say[2][0] == expected[1] && say[2][1].ends_with(" ."), "{say:?}");
        let Finished { plies, unfinished, result, .. } = referee.finish();
        assert_eq!(result, Ok(GameEnd::Two(GameResult::adjudicated(found.expect("something")))));
        assert_eq!((plies.len(), unfinished), (moves.len(), Vec::new()));
    }
}

#[test]
fn an_attempt_that_fails_changes_nothing() {
    let mut plain = Referee::new(timed(60, 60));
    let mut tried = Referee::new(adjudicated(3));
    let lines = ["1 c3", "1 ... d4", "2 c2", "2 ... z9", "2 ... d3", "3 pass", "3 ... pass"];
    for (index, text) in lines.into_iter().enumerate() {
        let side = plain.to_move();
        let expected = plain.receive(side, line(text), at(1_000));
        let mut heard = tried.receive(side, line(text), at(1_000));
        // A proof is due after the third ply, and after each later one that did not end the game by the rules.
        assert_eq!(tried.to_prove().is_some(), [2, 4, 5].contains(&index), "{text}");
        heard.append_all(tried.proven(None));
        assert_eq!(heard, expected);
    }
    let tried = Finished { terms: timed(60, 60), ..tried.finish() };
    assert_eq!(plain.finish(), tried);
}

#[test]
fn lines_that_arrive_during_an_attempt_are_judged_after_it_and_cost_no_time() {
    let mut referee = Referee::new(adjudicated(0));
    assert!(referee.receive(Black, line("1 c3"), at(1_000)).is_empty());
    assert!(referee.receive(White, line("1 ... z9"), at(70_000)).is_empty());
    assert!(referee.receive(White, line("1 ... d4"), at(70_000)).is_empty());
    assert!(referee.receive(Black, line("2 c2"), at(70_000)).is_empty());
    let position = |referee: &Referee| referee.to_prove().map(|case| case.position().to_string().replace('\n', "/"));
    assert_eq!(position(&referee).as_deref(), Some("...../...../..b../...../....."));
    assert_eq!(codes(&referee.proven(None))[..2], [vec![207, 313], vec![313, 299]]);
    assert_eq!(position(&referee).as_deref(), Some("...../...w./..b../...../....."));
    assert_eq!(codes(&referee.proven(None))[..2], [vec![314], vec![207, 314]]);
    assert_eq!(codes(&referee.proven(BLACK_BY_THREE))[..2], [vec![201, 321], vec![321]]);
    let elapsed: Vec<_> = referee.plies().iter().map(|ply| ply.elapsed.expect("timed").as_millis()).collect();
    assert_eq!(elapsed, [1_000, 0, 0]);
    assert!(referee.proven(BLACK_BY_THREE).is_empty() && referee.to_prove().is_none());
}

#[test]
fn a_game_that_ends_during_an_attempt_ends_on_the_same_move() {
    let start = || {
        let mut referee = Referee::new(adjudicated(0));
        referee.receive(Black, line("1 pass"), at(1_000));
        referee
    };
    let mut gone = start();
    assert_eq!(
        codes(&gone.departed(Black, Departure::Disconnect, Duration::ZERO))[..2],
        [vec![207, 317, 391], vec![317, 391]]
    );
    assert_eq!((ending(&gone), gone.plies().len()), (Some((Termination::Disconnect, Some(White))), 1));
    assert_eq!(gone.finish().unfinished, []);

    // The lines that the player sent before it left are judged first.
    let mut passed = start();
    passed.receive(White, line("1 ... pass"), at(1_000));
    assert_eq!(
        codes(&passed.departed(White, Departure::Disconnect, Duration::ZERO))[..2],
        [vec![207, 317, 326], vec![317, 203, 326]]
    );
    assert_eq!(ending(&passed), Some((Termination::Normal, None)));

    let mut void = start();
    assert_eq!(codes(&void.void("no power".to_owned(), Duration::ZERO))[..2], [vec![207, 317, 399], vec![317, 399]]);

    let mut flooded = start();
    for _ in 0..=MAX_KEPT_LINES {
        flooded.receive(White, line("hurry"), Arrival::default());
    }
    assert_eq!(ending(&flooded), Some((Termination::Protocol, Some(Black))));
}

#[test]
fn the_plies_of_an_opening_count_but_are_not_tried() {
    let mut referee = opened(adjudicated(2), &["c3", "d4"]);
    assert!(referee.to_prove().is_none());
    referee.receive(Black, line("2 c2"), at(1));
    assert!(referee.to_prove().is_some());
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
    /// The attempt at a proof ends: normally, or (`false`) for another reason and without a proof.
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
