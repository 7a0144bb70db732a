//! The code of a game preserves the game, for every rule set.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::base::random::SplitMix64;
use crate::game::{BySide, Move, Outcome, Ruleset, Side};
use crate::referee::record::{Ply, Tries};
use crate::referee::result::GameResult;
use crate::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};

/// A random game of at most `most` plies, with random times.
fn random_game(ruleset: Ruleset, most: usize, random: &mut SplitMix64) -> GameRecord {
    let mut position = ruleset.start();
    let mut plies = Vec::new();
    while position.outcome().is_none() && plies.len() < most {
        let moves = position.legal_moves();
        // Passes are rare, since random games would otherwise end almost immediately.
        let count = moves.len() as u64 - u64::from(moves.len() > 1 && random.below(100) > 0);
        let played = moves[usize::try_from(random.below(count)).expect("few")];
        let side = position.to_move();
        position.play(played.as_str()).expect("legal");
        let most = 1 << random.below(32);
        let elapsed = (random.below(10) > 0).then(|| Duration::from_micros(random.below(most)));
        plies.push(Ply {
            seat: side.into(),
            played,
            elapsed,
            left: None,
            late_credit: false,
            tries: Tries::default(),
            thought: None,
            note: None,
        });
    }
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(Outcome::of_margin(0)));
    GameRecord { plies, ..GameRecord::of(ruleset, players, result) }
}

fn rulesets() -> Vec<Ruleset> {
    ["gothello", "seegover", "seegover drop=2", "seegover back=capture", "seegover cycle=superko capture=single"]
        .map(|text| text.parse().expect("a rule set"))
        .into()
}

/// The maximum relative error of a coded time: 2 to the power of 1/256, minus 1. The text represents `1 +
/// microseconds`.
const HALF_A_STEP: f64 = 0.002_712;

proptest! {
    #[test]
    fn every_board_move_and_side_reads_back(seed: u64) {
        let mut random = SplitMix64::new(seed);
        for ruleset in rulesets() {
            let record = random_game(ruleset, 120, &mut random);
            let code = GameCode::of(&record).expect("a legal game");
            let decoded = decoded_moves(&code.moves).expect("a code");
            prop_assert_eq!(decoded.len(), record.plies.len());
            let mut position = ruleset.start();
            for (ply, coded) in record.plies.iter().zip(&decoded) {
                position.play(ply.played.as_str()).expect("legal");
                prop_assert_eq!(&coded.played, ply.played.as_str());
                prop_assert_eq!(coded.side, ply.side());
                prop_assert_eq!(coded.board, CodeBoard::of(position.as_ref()));
            }
        }
    }

    #[test]
    fn every_time_reads_back_within_half_a_step(seed: u64) {
        let record = random_game(Ruleset::Gothello, 60, &mut SplitMix64::new(seed));
        let decoded = decoded_times(&GameCode::of(&record).expect("a legal game").times).expect("a code");
        prop_assert_eq!(decoded.len(), record.plies.len());
        for (ply, decoded) in record.plies.iter().zip(decoded) {
            prop_assert_eq!(decoded.is_some(), ply.elapsed.is_some());
            let (Some(was), Some(is)) = (ply.elapsed, decoded) else { continue };
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            // Rounding a duration may lose a nanosecond.
            prop_assert!((micros(is) - micros(was)).abs() <= HALF_A_STEP * (micros(was) + 1.0) + 0.002, "{was:?} {is:?}");
        }
    }

    #[test]
    fn no_text_makes_the_decoder_panic(moves in "[A-Za-z~+()]{0,40}", times in "[A-Za-z0-9_!-]{0,9}") {
        let _ = (decoded_moves(&moves), decoded_times(&times));
    }
}

/// The code of the game with these `moves`, in the order in which they were made.
fn code(ruleset: &str, moves: &str) -> Result<GameCode, Uncodable> {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let mut record = random_game(ruleset, 0, &mut SplitMix64::new(0));
    let ply = |(played, side): (&str, Side)| Ply::untimed(side, played.parse().expect("a move"));
    record.plies = moves.split(' ').zip(Side::BOTH.into_iter().cycle()).map(ply).collect();
    GameCode::of(&record)
}

#[test]
fn a_code_names_points_passes_and_captures() {
    let moves = |text| code("gothello", text).expect("a legal game").moves;
    assert_eq!(moves("c3 d3 pass"), "MNZ");
    assert_eq!(moves("b1 a1"), "BA");
    // White's stone in the corner loses its last liberty.
    assert_eq!(moves("b1 a1 a2"), "BAF(A)");
}

#[test]
fn two_stones_of_one_ply_are_joined() {
    assert_eq!(code("seegover drop=2", "a1+c4 b1+b2").expect("a legal game").moves, "A+RB+G");
}

#[test]
fn a_game_that_cannot_be_replayed_is_refused_with_its_ply() {
    let error = code("gothello", "c3 c3").expect_err("the point is occupied");
    assert_eq!(error.to_string(), "ply 2 (c3): the point is occupied");
}

#[test]
fn a_time_that_is_unknown_has_a_code_of_its_own() {
    assert_eq!(code("gothello", "c3 d3").expect("a legal game").times, "____");
    assert_eq!(decoded_times("____"), Ok(vec![None, None]));
    assert_eq!(decoded_times("A"), Err(BadCode));
}

/// An analyzed move with the values `before` and `after`.
fn analyzed(before: Option<Outcome>, after: Option<Outcome>, better: Option<&str>) -> AnalyzedMove {
    AnalyzedMove {
        side: Side::Black,
        played: Move::PASS,
        empty: 10,
        phase: Phase::Middle,
        given: false,
        before,
        after,
        depths: [None; 2],
        better: better.map(|better| better.parse().expect("a move")),
    }
}

#[test]
fn every_value_has_its_letter_and_a_mistake_its_better_move() {
    let margin = |margin| Some(Outcome::of_margin(margin));
    let winner = |winner| Some(Outcome { winner, margin: None });
    let values =
        [margin(-25), margin(0), margin(25), winner(Some(Side::Black)), winner(Some(Side::White)), winner(None), None];
    let better = [None, Some("c3"), Some("pass"), Some("b1-a1"), Some("b1-a1-b1"), Some("a1+c4"), None];
    let moves = values.iter().zip(better).enumerate();
    let moves =
        moves.map(|(index, (&value, better))| analyzed(value, values.get(index + 1).copied().flatten(), better));
    let analysis =
        |moves: Vec<AnalyzedMove>| Analysis { ruleset: Ruleset::Gothello, moves, lines: BetterLines::default() };
    let mut judged = analysis(moves.collect());
    assert_eq!(coded_values(&judged), "AZ!My!Zz!bA0!bA+aB1!A+R22");
    for (index, line) in [(1, "d3 pass"), (4, "a1-b1 c1-a1-c1"), (5, "b1+d4")] {
        judged.lines.set(index, line.split(' ').map(|played| played.parse().expect("a move")).collect());
    }
    assert_eq!(coded_values(&judged), "AZ!M(NZ)y!Zz!bA0!bA+aB(aBcA+aC)1!A+R(B+S)22");
    for unknown in [vec![analyzed(None, None, None)], Vec::new()] {
        assert_eq!(coded_values(&analysis(unknown)), "");
    }
}
