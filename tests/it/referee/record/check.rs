//! Records that pass the check and records that fail it: the author's games, unchanged and with one change each.

mod adjudication;
mod clocks;
mod openings;

use std::time::Duration;

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

/// A record as the arena writes it, with a different time for each move.
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

/// Checks that, with `change`, every one of the author's games fails the check after its last ply.
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
fn a_reason_that_could_control_a_terminal_is_escaped() {
    let game = vectors().swap_remove(0);
    let record = record(&game.moves, Err(Void { reason: "the\u{b} machine \u{202e}".to_owned() }));
    let told = refused(&record).to_string();
    assert!(told.ends_with("the record says `void: the\\u{b} machine \\u{202e}`"), "{told}");
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
fn the_error_names_the_ply() {
    let (mut record, _) = records().next().unwrap();
    record.plies[11].played = record.plies[10].played;
    assert_eq!(refused(&record).to_string(), "ply 12 (6... d4): the point is occupied");
    record.plies.truncate(11);
    let expected = "after ply 11: the record says that the rules ended the game (`normal`), but the game was not over";
    assert_eq!(refused(&record).to_string(), expected);
}
