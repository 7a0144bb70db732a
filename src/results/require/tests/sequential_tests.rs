//! Tests of sequential tests: the pairs that count, the verdict that a requirement can name, and the figures of a test.

use std::collections::BTreeMap;

use super::*;
use crate::results::standings::tests::double_forfeit;
use crate::results::standings::{RunState, Test, played_pairs};
use crate::tournament::sprt::{Sprt, SprtVerdict, TestedPairs};

/// Pairs of games with Ada's half points, one pair per round; `None` makes Ada's game as white void.
pub(super) fn pairs(scores: &[Option<usize>]) -> Vec<GameSummary> {
    let result = |half_points: usize, ada: Side| match half_points {
        0 => forfeit(ada, Termination::Resignation),
        1 => won(None, 0),
        _ => forfeit(ada.opponent(), Termination::Resignation),
    };
    let pair = |(score, round): (&Option<usize>, u32)| {
        let as_black = score.unwrap_or(2).div_ceil(2);
        let games = [
            ("ada", "bea", result(as_black, Side::Black)),
            ("bea", "ada", score.and_then(|score| result(score - as_black, Side::White))),
        ];
        games.map(|(black, white, result)| GameSummary { round: Some(round), ..game(round, black, white, result) })
    };
    let mut games: Vec<GameSummary> = scores.iter().zip(1..).flat_map(pair).collect();
    for (game, number) in games.iter_mut().zip(1..) {
        // The moves differ, so that no pair repeats another.
        game.moves = MovesDigest::of(std::iter::repeat_n(Move::PASS, number));
    }
    games
}

/// The half points of `player` in each of its pairs.
fn pair_scores(games: &[GameSummary], player: &str, opponent: &str) -> Vec<u8> {
    played_pairs(games, player, opponent).iter().map(|pair| pair.half_points).collect()
}

#[test]
fn only_pairs_before_the_first_incomplete_one_count() {
    let scores = [4, 3, 2, 1, 0, 4].map(Some);
    let mut games = pairs(&scores);
    games.reverse();
    assert_eq!(pair_scores(&games, "ada", "bea"), [4, 3, 2, 1, 0, 4]);
    assert_eq!(pair_scores(&games, "bea", "ada"), [0, 1, 2, 3, 4, 0]);
    assert_eq!(pair_scores(&pairs(&[Some(4), None, Some(4)]), "ada", "bea"), [4], "a void game");
    games.retain(|game| game.game != "r1-bea-ada-3");
    assert_eq!(pair_scores(&games, "ada", "bea"), [4, 3], "a missing game");
    games.retain(|game| game.round != Some(1));
    assert_eq!(pair_scores(&games, "ada", "bea"), [0; 0], "a missing round");
    let lost = [game(1, "ada", "bea", double_forfeit()), game(2, "bea", "ada", double_forfeit())];
    assert_eq!(pair_scores(&lost, "ada", "bea"), [0; 0], "double forfeits are not rated");
}

#[test]
fn pairs_know_what_was_played_in_them() {
    let mut games = pairs(&[Some(4); 4]);
    let moves = |count| MovesDigest::of(std::iter::repeat_n(Move::PASS, count));
    for (game, plies) in games.iter_mut().zip([1, 2, 1, 2, 1, 3, 0, 0]) {
        (game.plies, game.moves) = (plies, moves(plies));
    }
    let mut tested = TestedPairs::new(Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap());
    tested.extend(played_pairs(&games, "ada", "bea"));
    assert_eq!(
        (tested.progress().pairs().pairs(), tested.progress().repeats()),
        (3, 1),
        "no moves were played in the last pair"
    );
}

#[test]
fn several_pairs_of_a_round_are_ordered_by_their_ids() {
    let mut games = Vec::new();
    for nth in [10, 2, 1] {
        let suffix = if nth == 1 { String::new() } else { format!("-{nth}") };
        let ada_wins = if nth == 2 { Side::Black } else { Side::White };
        for (black, white, winner) in [("ada", "bea", ada_wins), ("bea", "ada", ada_wins.opponent())] {
            let played = game(0, black, white, won(Some(winner), if winner == Side::Black { 1 } else { -1 }));
            games.push(GameSummary { game: format!("r1-{black}-{white}{suffix}"), ..played });
        }
    }
    assert_eq!(pair_scores(&games, "ada", "bea"), [0, 4, 0]);
}

/// The state of a run that tests Ada against Bea in `games`.
pub(super) fn tested(games: &[GameSummary]) -> RunState {
    let mut tested = TestedPairs::new(Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap());
    tested.extend(played_pairs(games, "ada", "bea"));
    let test = Test { player: "ada".to_owned(), opponent: "bea".to_owned(), progress: *tested.progress() };
    RunState { test: Some(test), ..RunState::default() }
}

#[test]
fn a_requirement_can_name_the_verdict_of_a_sequential_test() {
    let games = pairs(&[Some(4); 40]);
    let state = tested(&games);
    assert_eq!(state.test.as_ref().unwrap().progress.verdict(), SprtVerdict::H1);
    let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap().of_run(state);
    let grounds = Grounds { standings: (&standings).into(), confidence: Some(0.9) };
    let judge = |text: &str| Requirement::parse(text).unwrap().judge(grounds).unwrap();
    assert!(judge("sprt == H1").holds);
    assert!(!judge("sprt==H0").holds);
    assert!(judge("sprt == H1").figure.ends_with(", H1"), "{}", judge("sprt == H1"));
}

#[test]
fn json_and_csv_have_the_figures_of_a_sequential_test() {
    let games = pairs(&[4, 3, 2, 3, 1, 3, 0].map(Some));
    let state = tested(&games);
    let progress = state.test.as_ref().unwrap().progress;
    let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap().of_run(state);
    let printed = |format| report::render(&standings, format, report::Extras::default());
    let json = serde_json::from_str::<Value>(&printed(ReportFormat::Json)).unwrap();
    let sprt = &json[0]["sprt"];
    assert_eq!(
        (sprt, sprt["player"].as_str(), sprt["opponent"].as_str()),
        (&json[1]["sprt"], Some("ada"), Some("bea"))
    );
    assert_eq!((&sprt["pentanomial"], &sprt["pairs"]), (&serde_json::json!([1, 1, 1, 3, 1]), &7.into()));
    assert_eq!(
        (&sprt["distinct_pairs"], &sprt["verdict"], &sprt["final"]),
        (&7.into(), &"undecided".into(), &false.into())
    );
    let (lead, normalized) = (progress.lead().unwrap(), progress.pairs().normalized_elo().unwrap());
    for (field, value) in [
        ("llr", progress.llr()),
        ("lower", progress.sprt().lower()),
        ("upper", progress.sprt().upper()),
        ("elo1", 50.0),
        ("normalized_elo", normalized.elo),
        ("normalized_elo_error95", normalized.error95),
        ("elo", lead.elo),
        ("elo_low", lead.low.unwrap()),
        ("elo_high", lead.high.unwrap()),
    ] {
        assert!((sprt[field].as_f64().unwrap() - value).abs() < 0.006, "{field}: {sprt}");
    }
    let csv = printed(ReportFormat::Csv);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for (field, value) in sprt.as_object().unwrap().iter().filter(|(field, _)| *field != "pentanomial") {
            let (cell, shown) = (&row[&format!("sprt_{field}")], cell(value));
            assert_eq!(cell.parse::<f64>().map_err(|_| cell), shown.parse::<f64>().map_err(|_| &shown), "{field}");
        }
        for (half_points, pairs) in sprt["pentanomial"].as_array().unwrap().iter().enumerate() {
            assert_eq!(row[&format!("sprt_half_points_{half_points}")], pairs.to_string());
        }
    }
}
