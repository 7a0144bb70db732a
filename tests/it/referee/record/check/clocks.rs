//! Times, clocks, and losses on time.

use std::time::Duration;

use gothello_arena::game::{BySide, Side};
use gothello_arena::referee::record::{CheckError, Contradiction, GameRecord, Ply, Tries, Unfinished, check};
use gothello_arena::referee::result::{GameResult, Termination, Void};
use gothello_arena::referee::time_control::TimeControl;

use super::{BUDGET, cut_short, records, refused, side_of};

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
    check(&record).expect("half the time, doubled");
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

/// The author's first game under each kind of time control, with every clock as computed here.
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
            // The time left before this turn, and the cost of the turn.
            let (whole, cost, back) = match control {
                "60+2.5" => (60 * second, elapsed, Duration::from_millis(2_500)),
                "0.02/move+60bank" => (60 * second + 20 * milli, elapsed.saturating_sub(20 * milli), Duration::ZERO),
                // The later turns take more than one period but less than two.
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
        ("0:3x30", "[%period 0]", "6:52: `period`: `0` is not a number of periods (1 or more)"),
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
            let told = log(control, has, reserve).expect_err("a missing value");
            let end =
                format!("none after its move {} (either all of its moves must have one, or none)", missing / 2 + 1);
            assert!(told.contains(&format!(": {side} has a `[%")) && told.ends_with(&end), "{told}");
            // The reported line contains the side's first move with a period or bank.
            let line = 6 + missing % 2 + if missing < 2 { 2 } else { 0 };
            assert!(told.starts_with(&format!("{line}:")), "{told}");
        }
    }
    // If the time control is not recorded, nothing is known about its periods.
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
    assert_eq!(check(&record).err(), None, "a flag has not fallen if its clock shows exactly zero");
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
