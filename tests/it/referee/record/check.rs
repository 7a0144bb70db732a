//! Records that pass the check and records that fail it: the author's games, unchanged and with one change each.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gothello_arena::exact::adjudication::{Adjudication, ProofBy};
use gothello_arena::game::gothello::OCCUPIED;
use gothello_arena::game::{BySide, IllegalMove, Move, Outcome, Ruleset, Side};
use gothello_arena::referee::clock::Meter;
use gothello_arena::referee::pace::TimeScale;
use gothello_arena::referee::record::{
    CheckError, Contradiction, GameRecord, Ply, Tries, Try, TryKind, Unfinished, check,
};
use gothello_arena::referee::result::{GameResult, Termination, Void};
use gothello_arena::referee::time_control::TimeControl;

const BUDGET: Duration = Duration::from_mins(1);

/// A game played by the author's own program, and its final board.
pub(crate) struct Vector {
    pub(crate) moves: Vec<Move>,
    board: String,
    outcome: Outcome,
}

fn vectors() -> Vec<Vector> {
    let lines = include_str!("../../../data/games-from-the-author.txt").lines().filter(|line| !line.starts_with('#'));
    let games: Vec<Vector> = lines.map(vector).collect();
    assert_eq!(games.len(), 200);
    games
}

fn vector(line: &str) -> Vector {
    let fields: Vec<&str> = line.split(';').collect();
    let [moves, _, board, black, white, winner] = fields.as_slice() else { panic!("six fields in {line}") };
    let stones = |text: &str| text.parse::<i32>().expect("a number of stones");
    Vector {
        moves: moves.split(' ').map(|text| text.parse().expect("a move")).collect(),
        board: board.replace('/', "\n"),
        outcome: Outcome { winner: winner.parse().ok(), margin: Some(stones(black) - stones(white)) },
    }
}

/// The side that makes the ply with this index: in Gothello the sides take turns.
fn side_of(index: usize) -> Side {
    Side::BOTH[index % 2]
}

/// A record in the form in which the arena writes it, with varying times per move.
fn record(moves: &[Move], result: Result<GameResult, Void>) -> GameRecord {
    let mut left = BySide { black: BUDGET, white: BUDGET };
    let plies = moves.iter().enumerate().map(|(index, &played)| {
        let elapsed = Duration::from_micros(12_034 + 1_717 * index as u64);
        let side = side_of(index);
        let clock = &mut left[side];
        *clock -= elapsed;
        Ply {
            seat: side.into(),
            played,
            elapsed: Some(elapsed),
            left: Some(*clock),
            late_credit: false,
            tries: Tries::default(),
            thought: None,
            note: None,
        }
    });
    GameRecord {
        event: Some("a \"test\"".to_owned()),
        site: None,
        date: None,
        round: Some(1),
        players: BySide { black: "a".to_owned(), white: "b".to_owned() },
        game: Some("r1-a-b".to_owned()),
        seed: Some(7),
        ruleset: Ruleset::Gothello,
        time_control: Some(TimeControl::sudden_death(BySide { black: BUDGET, white: BUDGET })),
        time_scale: TimeScale::ONE,
        meter: Meter::Wall,
        adjudicate: None,
        digests: BySide::default(),
        usage: BySide::default(),
        other_tags: Vec::new(),
        opening_plies: 0,
        plies: plies.collect(),
        unfinished: None,
        result,
    }
}

pub(crate) fn records() -> impl Iterator<Item = (GameRecord, Vector)> {
    vectors().into_iter().map(|game| (record(&game.moves, Ok(GameResult::played(game.outcome))), game))
}

/// Returns the error with which `record` is refused.
fn refused(record: &GameRecord) -> CheckError {
    check(record).expect_err("an invalid record")
}

/// Checks that `change` makes every author's game fail after its last ply.
fn result_refused(mut change: impl FnMut(&mut GameRecord, Outcome)) {
    for (mut record, game) in records() {
        change(&mut record, game.outcome);
        let error = refused(&record);
        assert_eq!((error.ply, error.played), (record.plies.len(), None), "{error}");
    }
}

#[test]
fn the_authors_games_pass_the_check_after_a_round_trip() {
    for (record, game) in records() {
        let text = record.to_string();
        let read: GameRecord = text.parse().unwrap();
        assert_eq!(read, record);
        let checked = check(&read).unwrap_or_else(|error| panic!("{error} in {text}"));
        assert_eq!(checked.boards().len(), game.moves.len() + 1);
        assert_eq!(checked.boards().last(), Some(&game.board));
        assert_eq!(checked.outcome(), Some(game.outcome));
    }
}

#[test]
fn a_bare_foreign_record_passes_the_check() {
    for (mut record, _) in records() {
        for ply in &mut record.plies {
            (ply.elapsed, ply.left) = (None, None);
        }
        record.time_control = None;
        let winner = record.result.as_ref().unwrap().winner();
        record.result = Ok(GameResult::new(winner, Termination::Normal, None, None).unwrap());
        assert_eq!(check(&record).err(), None);
    }
}

#[test]
fn a_move_to_an_occupied_point_is_refused_at_its_ply() {
    for (good, _) in records() {
        for index in 1..good.plies.len() {
            let Some(earlier) = good.plies[..index].iter().rev().find(|ply| !ply.played.is_pass()) else { continue };
            let mut record = good.clone();
            record.plies[index].played = earlier.played;
            let error = refused(&record);
            assert_eq!((error.ply, error.played), (index + 1, Some(record.numbered(index))));
            let occupied = [OCCUPIED, IllegalMove::GameOver].map(Contradiction::Illegal);
            assert!(occupied.contains(&error.reason), "{error}");
        }
    }
}

#[test]
fn a_missing_microsecond_is_noticed_at_its_ply() {
    let micro = Duration::from_micros(1);
    let changes: [fn(&mut Duration, Duration); 2] = [|time, by| *time += by, |time, by| *time -= by];
    for (good, _) in records().take(20) {
        for index in 0..good.plies.len() {
            for change in changes {
                let mut record = good.clone();
                change(record.plies[index].left.as_mut().unwrap(), micro);
                assert_eq!(refused(&record).ply, index + 1);
                let mut record = good.clone();
                change(record.plies[index].elapsed.as_mut().unwrap(), micro);
                let error = refused(&record);
                assert_eq!(error.ply, index + 1);
                assert!(matches!(error.reason, Contradiction::WrongClock { .. }), "{error}");
            }
        }
    }
}

type Change = fn(&mut Ply);

#[test]
fn times_are_whole_microseconds_and_present_for_every_ply_or_none() {
    let (good, _) = records().next().unwrap();
    let cases: [(Change, Contradiction); 5] = [
        (|ply| ply.elapsed = None, Contradiction::SomeElapsed),
        (|ply| ply.left = None, Contradiction::SomeLeft),
        (|ply| ply.late_credit = true, Contradiction::LateCredit),
        (
            |ply| ply.elapsed = ply.elapsed.map(|time| time + Duration::from_nanos(1)),
            Contradiction::FractionOfMicrosecond,
        ),
        (|ply| ply.left = ply.left.map(|time| time + Duration::from_nanos(1)), Contradiction::FractionOfMicrosecond),
    ];
    for (change, reason) in cases {
        let mut record = good.clone();
        change(&mut record.plies[4]);
        assert_eq!(refused(&record), CheckError { ply: 5, played: Some(good.numbered(4)), reason });
    }
}

#[test]
fn a_time_control_that_contradicts_the_clocks_is_refused() {
    let (good, _) = records().next().unwrap();
    let mut record = good.clone();
    record.time_control = Some(TimeControl::Unlimited);
    assert_eq!(refused(&record).reason, Contradiction::NoClocks);
    let unequal = BySide { black: BUDGET, white: BUDGET + Duration::from_micros(1) };
    record.time_control = Some(TimeControl::sudden_death(unequal));
    assert_eq!(refused(&record).ply, 2, "only white's clock differs");
    record.time_control = None;
    assert_eq!(check(&record).err(), None, "later clocks can be checked against the first");
    record.plies[4].left = good.plies[4].left.map(|left| left + Duration::from_micros(1));
    assert_eq!(refused(&record).ply, 5);
}

#[test]
fn scaled_clocks_are_checked_from_where_they_began() {
    let (mut record, _) = records().next().unwrap();
    let half = |control: Duration| BySide { black: control / 2, white: control / 2 };
    record.time_control = Some(TimeControl::sudden_death(half(BUDGET)));
    assert!(matches!(check(&record).unwrap_err().reason, Contradiction::WrongClock { .. }));
    record.time_scale = "2.00".parse().expect("a scale");
    check(&record).expect("twice half of it");
    let text = record.to_string();
    assert!(text.contains("[TimeControl \"30\"]\n[TimeScale \"2.00\"]\n"), "{text}");
    assert_eq!(text.parse(), Ok(record.clone()));
    record.time_scale = "2.01".parse().expect("a scale");
    assert!(matches!(check(&record).unwrap_err().reason, Contradiction::WrongClock { .. }));
    for control in [None, Some(TimeControl::Unlimited)] {
        record.time_control = control;
        assert_eq!(check(&record).unwrap_err().reason, Contradiction::ScaleWithoutClocks);
    }
}

/// The first game of the authors, under each kind of control, with every clock as computed here.
#[test]
fn clocks_with_increments_periods_and_banks_are_recomputed() {
    let (second, milli) = (Duration::from_secs(1), Duration::from_millis(1));
    for (control, comment) in [
        ("60+2.5", ""),
        ("0:30x0.05", " [%period 29]"),
        ("0.02/move+60bank", " [%bank 0:00:59."),
        ("20/move", " [%clk 0:00:20.000000]}"),
    ] {
        let (mut record, _) = records().next().unwrap();
        record.time_control = Some(control.parse().expect("a time control"));
        let mut left = BySide { black: Duration::ZERO, white: Duration::ZERO };
        for (index, ply) in record.plies.iter_mut().enumerate() {
            let elapsed = ply.elapsed.expect("timed");
            let left = &mut left[ply.side()];
            // What is left before this turn, and what the turn costs.
            let (whole, cost, back) = match control {
                "60+2.5" => (60 * second, elapsed, Duration::from_millis(2_500)),
                "0.02/move+60bank" => (60 * second + 20 * milli, elapsed.saturating_sub(20 * milli), Duration::ZERO),
                // The later turns take longer than a period, and less than two.
                "0:30x0.05" if elapsed > 50 * milli => (1500 * milli, 50 * milli, Duration::ZERO),
                "0:30x0.05" => (1500 * milli, Duration::ZERO, Duration::ZERO),
                _ => (20 * second, Duration::ZERO, Duration::ZERO),
            };
            let before = if index < 2 { whole } else { *left };
            *left = before.checked_sub(cost).expect("the game has no flag fall") + back;
            ply.left = Some(*left);
        }
        check(&record).unwrap_or_else(|error| panic!("{control}: {error}\n{record}"));
        let text = record.to_string();
        assert!(text.contains(comment), "{text}");
        assert_eq!(text.parse().as_ref(), Ok(&record));
        for index in [0, 5, record.plies.len() - 1] {
            let mut record = record.clone();
            record.plies[index].left = record.plies[index].left.map(|left| left + Duration::from_micros(1));
            let error = refused(&record);
            assert!(error.ply == index + 1 && matches!(error.reason, Contradiction::WrongClock { .. }), "{error}");
        }
    }
}

#[test]
fn periods_and_banks_must_agree_with_the_time_left() {
    let log = |control: &str, comment: &str| {
        let tags = format!("[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[TimeControl \"{control}\"]\n\n");
        format!("{tags}1. c3 {{[%emt 0:00:01.000000] [%clk 0:01:00.000000] {comment}}} *\n").parse::<GameRecord>()
    };
    assert!(log("0:3x30", "[%period 2]").is_ok() && log("0:3x30", "").is_ok() && log("?", "[%bank 0:00:09]").is_ok());
    for (control, comment, problem) in [
        (
            "0:3x30",
            "[%period 3]",
            "6:52: `[%period 3]` disagrees with the time left and the time control (it should be `[%period 2]`)",
        ),
        (
            "5/move+90bank",
            "[%bank 0:00:54.000000]",
            "6:52: `[%bank 0:00:54.000000]` disagrees with the time left and the time control (it should be `[%bank 0:00:55.000000]`)",
        ),
        (
            "60+1",
            "[%bank 0:00:01]",
            "6:52: `[%bank 0:00:01.000000]` disagrees with the time left and the time control (there should be none)",
        ),
        ("0:3x30", "[%period 0]", "6:52: `period`: `0` is not a number of periods, from 1"),
        ("0:3x30", "[%period 2] [%period 2]", "6:64: `[%period]` must appear once, right after a move"),
    ] {
        assert_eq!(log(control, comment).expect_err(comment).to_string(), problem);
    }
}

#[test]
fn either_all_moves_of_a_side_have_periods_or_banks_or_none() {
    // Both sides use a second of each move's 30 s.
    let log = |control: &str, has: [bool; 6], reserve: &str| {
        let clk = if control.contains("bank") { "0:00:39" } else { "0:01:30" };
        let moves = ["1. c3", "b2", "2. d4", "a1", "3. e5", "a5"].into_iter().zip(has).map(|(played, has)| {
            let reserve = if has { reserve } else { "" };
            format!("{played} {{[%emt 0:00:01] [%clk {clk}]{reserve}}}\n")
        });
        let tags = format!("[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[TimeControl \"{control}\"]\n\n");
        format!("{tags}{}*\n", moves.collect::<String>()).parse::<GameRecord>().map_err(|error| error.to_string())
    };
    let (all, none) = ([true; 6], [false; 6]);
    let only = |side: usize| [0, 1, 2, 3, 4, 5].map(|ply| ply % 2 == side);
    for (control, reserve) in [("0:3x30", " [%period 3]"), ("30/move+9bank", " [%bank 0:00:09]")] {
        for has in [all, none, only(0), only(1)] {
            assert!(log(control, has, reserve).is_ok(), "{control} {has:?}");
        }
        for missing in 0..6 {
            let (mut has, side) = (all, ["black", "white"][missing % 2]);
            has[missing] = false;
            let told = log(control, has, reserve).expect_err("one move lacks it");
            let end =
                format!("none after its move {} (each of its moves must have one, or none of them)", missing / 2 + 1);
            assert!(told.contains(&format!(": {side} has a `[%")) && told.ends_with(&end), "{told}");
            // The place is that of the side's first move that has one.
            let line = 6 + missing % 2 + if missing < 2 { 2 } else { 0 };
            assert!(told.starts_with(&format!("{line}:")), "{told}");
        }
    }
    // A log whose time control is not recorded says nothing about periods.
    assert!(log("?", [true, false, false, true, true, false], " [%period 3]").is_ok());
}

#[test]
fn a_move_after_the_flag_fell_is_refused_unless_credited() {
    let (mut record, _) = records().next().unwrap();
    let control = |black| Some(TimeControl::sudden_death(BySide { black, white: BUDGET }));
    let first = record.plies[0].elapsed.unwrap();
    record.plies.truncate(1);
    record.result = Err(Void { reason: "power failure".to_owned() });
    record.plies[0].left = Some(Duration::ZERO);
    record.time_control = control(first);
    assert_eq!(check(&record).err(), None, "a clock at exactly zero has not fallen");
    record.time_control = control(first.saturating_sub(Duration::from_micros(1)));
    assert!(matches!(refused(&record).reason, Contradiction::FlagFell { .. }));
    record.plies[0].late_credit = true;
    assert_eq!(check(&record).err(), None);
    record.plies[0].left = Some(Duration::from_micros(1));
    assert_eq!(refused(&record).reason, Contradiction::LateCredit);
    record.plies[0].left = Some(Duration::ZERO);
    record.time_control = control(first + Duration::from_micros(1));
    assert!(matches!(refused(&record).reason, Contradiction::WrongClock { .. }), "there was time left");
}

#[test]
fn clocks_without_elapsed_times_may_not_gain() {
    let (mut record, _) = records().next().unwrap();
    for ply in &mut record.plies {
        ply.elapsed = None;
    }
    assert_eq!(check(&record).err(), None);
    record.plies[6].left = record.plies[4].left.map(|left| left + Duration::from_micros(1));
    let error = refused(&record);
    assert!(error.ply == 7 && matches!(error.reason, Contradiction::ClockGained { .. }), "{error}");
}

#[test]
fn any_other_winner_margin_or_termination_is_refused() {
    let with = |result: GameResult| move |record: &mut GameRecord, _: Outcome| record.result = Ok(result.clone());
    result_refused(|record, outcome| {
        let winner = outcome.winner.map_or(Some(Side::Black), |winner| Some(winner.opponent()));
        record.result = Ok(GameResult::new(winner, Termination::Normal, None, None).unwrap());
    });
    result_refused(|record, outcome| {
        let margin = outcome.margin.expect("the board has a margin");
        let margin = margin + if margin >= 0 { 1 } else { -1 };
        let winner = outcome.winner.or(Some(Side::Black));
        record.result = Ok(GameResult::new(winner, Termination::Normal, Some(margin), None).unwrap());
    });
    for termination in Termination::ALL.into_iter().filter(|&ending| ending != Termination::Normal) {
        for winner in [None, Some(Side::Black), Some(Side::White)] {
            if let Ok(result) = GameResult::new(winner, termination, None, None) {
                result_refused(with(result));
            }
        }
    }
    result_refused(|record, _| record.result = Err(Void { reason: "power failure".to_owned() }));
}

#[test]
fn a_dropped_or_added_turn_is_refused() {
    result_refused(|record, _| drop(record.plies.pop()));
    result_refused(|record, _| record.plies.truncate(record.plies.len() - 2));
    result_refused(|record, _| {
        let (side, tries) = (side_of(record.plies.len()), Tries::default());
        record.unfinished = Some(Unfinished { seat: side.into(), elapsed: None, tries });
    });
    for (mut record, game) in records() {
        let last = record.plies.last().cloned().unwrap();
        record.plies.push(last);
        let error = refused(&record);
        assert_eq!((error.ply, error.reason), (game.moves.len() + 1, IllegalMove::GameOver.into()));
    }
}

#[test]
fn a_legal_move_recorded_as_an_illegal_try_is_refused() {
    let (good, _) = records().next().unwrap();
    let with_try = |index: usize, kind, text: &str| {
        let mut record = good.clone();
        record.plies[index].tries.push(Try::new(kind, text));
        check(&record).map(drop)
    };
    let (black, white) = (good.plies[2].played, good.plies[3].played);
    let spellings = [
        (2, format!("2 {black}")),
        (2, format!("2  {black} !")),
        (3, format!("2 ... {white}")),
        (3, format!("002 ... {white}")),
        (3, white.to_string()),
    ];
    for (index, text) in &spellings {
        let holds = with_try(*index, TryKind::Illegal, text);
        let reason = Contradiction::LegalTry(good.plies[*index].played.to_string());
        assert_eq!(holds.unwrap_err().reason, reason, "{text}");
        assert_eq!(with_try(*index, TryKind::Garbled, text), Ok(()), "{text}");
    }
    for text in [
        &format!("3 {black}"),
        &format!("2 ... {black}"),
        "2 c5",
        "2 c9",
        "",
        "2",
        "...",
        "hello c3",
        &format!("2{}{black}1", " ".repeat(57)),
    ] {
        assert_eq!(with_try(2, TryKind::Illegal, text), Ok(()), "{text}");
    }
}

/// A game that ended half a second into black's fourth turn.
pub(crate) fn cut_short(result: GameResult) -> GameRecord {
    let game = vectors().swap_remove(0);
    let mut record = record(&game.moves[..6], Ok(result));
    record.unfinished = Some(Unfinished {
        seat: side_of(record.plies.len()).into(),
        elapsed: Some(Duration::from_millis(500)),
        tries: Tries::default(),
    });
    record
}

#[test]
fn only_the_side_to_move_can_resign_or_forfeit_by_illegal_moves() {
    for termination in [Termination::Resignation, Termination::Illegal] {
        let won_by = |winner| cut_short(GameResult::new(Some(winner), termination, None, None).unwrap());
        assert_eq!(check(&won_by(Side::White)).err(), None);
        let (to_move, loser) = (Side::Black, Side::White);
        assert_eq!(refused(&won_by(Side::Black)).reason, Contradiction::WrongLoser { termination, to_move, loser });
    }
    for termination in [Termination::Crash, Termination::Disconnect, Termination::Protocol] {
        for winner in Side::BOTH {
            let record = cut_short(GameResult::new(Some(winner), termination, None, None).unwrap());
            assert_eq!(check(&record).err(), None, "{termination} can end a game on either side's turn");
        }
    }
}

#[test]
fn a_game_that_ended_before_its_start_has_no_moves() {
    for termination in [Termination::NoShow, Termination::NotStarted, Termination::DoubleForfeit] {
        let winner = (termination != Termination::DoubleForfeit).then_some(Side::White);
        let mut record = cut_short(GameResult::new(winner, termination, None, None).unwrap());
        assert_eq!(refused(&record).reason, Contradiction::Started(termination));
        record.plies.clear();
        assert_eq!(refused(&record).reason, Contradiction::Started(termination));
        record.unfinished = None;
        assert_eq!(check(&record).err(), None);
    }
}

#[test]
fn a_flag_falls_only_when_more_than_the_whole_time_is_spent() {
    let lost = GameResult::forfeit(Side::Black, Termination::Time, "flag fell");
    let mut record = cut_short(lost.clone());
    assert!(matches!(refused(&record).reason, Contradiction::FlagStood { loser: Side::Black, .. }));
    let left = record.plies[4].left.unwrap();
    let spend = |record: &mut GameRecord, elapsed| {
        record.unfinished = Some(Unfinished {
            seat: side_of(record.plies.len()).into(),
            elapsed: Some(elapsed),
            tries: Tries::default(),
        });
    };
    spend(&mut record, left);
    assert!(matches!(refused(&record).reason, Contradiction::FlagStood { .. }));
    spend(&mut record, left + Duration::from_micros(1));
    assert_eq!(check(&record).err(), None);
    record.result = Ok(GameResult::forfeit(Side::White, Termination::Time, "flag fell"));
    assert!(matches!(refused(&record).reason, Contradiction::WrongLoser { .. }));
    record.result = Ok(lost);
    record.unfinished = None;
    assert_eq!(refused(&record).reason, Contradiction::NoLastTurn(Side::Black));
    for ply in &mut record.plies {
        (ply.elapsed, ply.left) = (None, None);
    }
    assert_eq!(check(&record).err(), None, "a record without times cannot contradict a flag fall");
}

#[test]
fn without_clocks_the_side_that_used_more_time_loses_on_time() {
    let mut record = cut_short(GameResult::forfeit(Side::White, Termination::Time, "game limit"));
    record.time_control = Some(TimeControl::Unlimited);
    for ply in &mut record.plies {
        ply.left = None;
    }
    assert_eq!(refused(&record).reason, Contradiction::UsedLess(Side::White));
    record.result = Ok(GameResult::forfeit(Side::Black, Termination::Time, "game limit"));
    assert_eq!(check(&record).err(), None);
}

#[test]
fn the_error_names_the_ply() {
    let (mut record, _) = records().next().unwrap();
    record.plies[11].played = record.plies[10].played;
    assert_eq!(refused(&record).to_string(), "ply 12 (6... d4): the point is occupied");
    record.plies.truncate(11);
    let expected = "after ply 11: the record says that the rules ended the game (`normal`), but it was not over";
    assert_eq!(refused(&record).to_string(), expected);
}

/// `record` with its first `plies` plies as its opening.
fn with_opening(mut record: GameRecord, plies: usize) -> GameRecord {
    record.opening_plies = plies;
    for ply in record.plies.iter_mut().take(plies) {
        (ply.elapsed, ply.left) = (None, None);
    }
    let mut left = BySide { black: BUDGET, white: BUDGET };
    for (index, ply) in record.plies.iter_mut().enumerate().skip(plies) {
        let clock = &mut left[side_of(index)];
        *clock -= ply.elapsed.expect("a time");
        ply.left = Some(*clock);
    }
    record
}

#[test]
fn an_opening_costs_no_time_and_is_distinct_from_played_plies() {
    for (record, game) in records().take(20) {
        for plies in [1, 2, 5] {
            let record = with_opening(record.clone(), plies);
            let text = record.to_string();
            assert!(text.contains(&format!("[OpeningPlies \"{plies}\"]\n")), "{text}");
            let read: GameRecord = text.parse().unwrap();
            assert_eq!(read, record);
            assert_eq!(check(&read).map(|checked| checked.outcome()), Ok(Some(game.outcome)));
            let played: Duration = read.plies[plies..].iter().filter_map(|ply| ply.elapsed).sum();
            assert_eq!(read.used(Side::Black) + read.used(Side::White), played);
            assert_eq!(read.plies_played(), game.moves.len() - plies);
        }
    }
    let (record, _) = records().next().unwrap();
    assert!(!record.to_string().contains("OpeningPlies"));
}

#[test]
fn an_impossible_opening_is_refused_at_its_ply() {
    let (good, _) = records().next().unwrap();
    let good = with_opening(good, 3);
    let changes: [fn(&mut Ply); 4] = [
        |ply| ply.elapsed = Some(Duration::ZERO),
        |ply| ply.left = Some(BUDGET),
        |ply| ply.late_credit = true,
        |ply| ply.tries.push(Try::new(TryKind::Illegal, "1 z9")),
    ];
    for change in changes {
        let mut record = good.clone();
        change(&mut record.plies[1]);
        let error = refused(&record);
        assert_eq!((error.ply, error.reason), (2, Contradiction::OpeningTimed));
    }
    let mut record = good.clone();
    record.plies[2].played = record.plies[1].played;
    assert_eq!(refused(&record).reason, Contradiction::Illegal(OCCUPIED));
    let mut record = good.clone();
    record.opening_plies = record.plies.len() + 1;
    assert_eq!(refused(&record).reason, Contradiction::OpeningTooLong(record.plies.len() + 1));
    let mut record = good.clone();
    for ply in &mut record.plies[..2] {
        ply.played = Move::PASS;
    }
    assert_eq!(refused(&record).reason, Contradiction::OverInOpening);
    // The plies that the players chose still need their times.
    let mut record = good;
    record.opening_plies = 1;
    assert_eq!(refused(&record).reason, Contradiction::SomeElapsed);
}

#[test]
fn a_game_that_did_not_start_may_have_an_opening() {
    let mut record = with_opening(cut_short(GameResult::forfeit(Side::Black, Termination::NoShow, "absent")), 6);
    record.unfinished = None;
    assert_eq!(check(&record).err(), None);
    record.opening_plies = 0;
    assert_eq!(refused(&record).reason, Contradiction::Started(Termination::NoShow));
}

/// The record of an author's game, adjudicated as soon as `terms` allow it; `None` if every proof fails.
fn adjudicated(good: &GameRecord, terms: Adjudication) -> Option<GameRecord> {
    let moves: Vec<Move> = good.plies.iter().map(|ply| ply.played).collect();
    (1..moves.len()).find_map(|plies| {
        let due = Some(terms).filter(|terms| terms.is_due(plies))?;
        let case = due.case(Ruleset::Gothello, moves[..plies].iter().copied()).expect("Gothello has proofs");
        let proven = case.prove(None, &AtomicBool::new(false))?;
        let mut record = record(&moves[..plies], Ok(GameResult::adjudicated(proven)));
        record.adjudicate = Some(terms);
        Some(record)
    })
}

#[test]
fn the_check_repeats_the_proof_of_an_adjudicated_game() {
    let terms = Adjudication::new(2_000, 12).unwrap();
    let mut refusals = [0; 4];
    for (good, _) in records().step_by(20) {
        let record = adjudicated(&good, terms).expect("every game ends in a provable position");
        assert!(record.plies.len() >= 12);
        assert_eq!(check(&record).err(), None);
        assert_eq!(record.to_string().parse().as_ref(), Ok(&record));
        let result = record.result.clone().unwrap();
        let with = |winner, margin| Ok(GameResult::new(winner, Termination::Adjudicated, margin, None).unwrap());
        let refused_with = |change: &dyn Fn(&mut GameRecord)| {
            let mut forged = record.clone();
            change(&mut forged);
            refused(&forged).reason
        };

        let other = result.winner().map_or(Some(Side::Black), |winner| Some(winner.opponent()));
        let reason = refused_with(&|forged| forged.result = with(other, None));
        assert!(matches!(reason, Contradiction::WrongProof { by: ProofBy::Nodes(2_000), .. }), "{reason}");
        let further = result.margin().map_or(1, |margin| margin.abs() + 1);
        let further = if result.winner() == Some(Side::White) { -further } else { further };
        if result.winner().is_some() {
            let reason = refused_with(&|forged| forged.result = with(result.winner(), Some(further)));
            assert!(matches!(reason, Contradiction::WrongProof { .. }), "{reason}");
            refusals[0] += 1;
        }
        // As in any log, the margin may be missing.
        let mut without = record.clone();
        without.result = with(result.winner(), None);
        if result.winner().is_some() {
            assert_eq!(check(&without).err(), None);
        }

        assert_eq!(refused_with(&|forged| forged.adjudicate = None), Contradiction::NoProof);
        let later = Adjudication::new(2_000, u32::try_from(record.plies.len()).unwrap() + 1);
        let nothing = Contradiction::NothingTried(record.plies.len());
        assert_eq!(refused_with(&|forged| forged.adjudicate = later), nothing);
        assert_eq!(refused_with(&|forged| forged.opening_plies = forged.plies.len()), Contradiction::OpeningTimed);
        assert_eq!(
            refused_with(&|forged| {
                let (side, tries) = (side_of(forged.plies.len()), Tries::default());
                forged.unfinished = Some(Unfinished { seat: side.into(), elapsed: None, tries });
            }),
            Contradiction::TurnAfterEnd
        );

        // With one ply fewer, the same number of nodes was too small, or it was too early for a proof.
        let reason = refused_with(&|forged| drop(forged.plies.pop()));
        match reason {
            Contradiction::Unproven { by: ProofBy::Nodes(2_000), .. } => refusals[1] += 1,
            Contradiction::NothingTried(11) => refusals[2] += 1,
            _ => panic!("{reason}"),
        }
        // With fewer nodes, the proof may fail.
        let mut fewer = record.clone();
        fewer.adjudicate = Adjudication::new(1_000, 12);
        refusals[3] += usize::from(check(&fewer).is_err());
    }
    assert!(refusals[0] > 0 && refusals[1] > 0, "{refusals:?}");
}
