//! Records of games with openings.

use std::time::Duration;

use gothello_arena::game::gothello::OCCUPIED;
use gothello_arena::game::{BySide, Move, Side};
use gothello_arena::referee::record::{Contradiction, GameRecord, Ply, Try, TryKind, check};
use gothello_arena::referee::result::{GameResult, Termination};

use super::{BUDGET, cut_short, records, refused, side_of};

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
