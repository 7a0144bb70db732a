//! The page's counts of points, run under node: at the end of a game, they agree with the rules.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Position, Ruleset, Seat, Side};
use gothello_arena::page::shown::game_code::{GameCode, GroupCode};
use gothello_arena::page::shown::page_boards::PageBoards;
use gothello_arena::referee::record::{GameRecord, Ply, Tries};
use gothello_arena::referee::result::GameResult;
use serde_json::{Value, json};

use super::scripts::{random_group, under_node};

/// Rule sets for two seats that count points in different ways.
const RULESETS: [&str; 10] = [
    "gothello",
    "seegover",
    "othello",
    "othello-10 compensation=0,2",
    "reverse",
    "go-9",
    "go-9 count=territory suicide=yes handicap=1,4",
    "quantum-8",
    "quantum-8 count=area",
    "quantum rows=one",
];

/// A random game that is played to its end, with few voluntary passes.
fn random_game(ruleset: Ruleset, random: &mut SplitMix64) -> (GameRecord, Box<dyn Position>) {
    let mut position = ruleset.start();
    let mut plies = Vec::new();
    while position.outcome().is_none() && plies.len() < 2_000 {
        let moves = position.legal_moves();
        let last = moves.len() as u64 - u64::from(moves.len() > 1 && random.below(20) > 0);
        let played = moves[usize::try_from(random.below(last)).expect("few")];
        let side = position.to_move();
        position.play(played.as_str()).expect("legal");
        let tries = Tries::default();
        plies.push(Ply { tries, ..Ply::untimed(side, played) });
    }
    let players = BySide { black: "ada".to_owned(), white: "bea".to_owned() };
    let result = Ok(GameResult::resigned(Side::White));
    (GameRecord { plies, ..GameRecord::of(ruleset, players, result) }, position)
}

/// A script that returns the points at the last position of each game in `input`, as the sum of the points by mode.
const COUNT: &str = "return input.map(({ data, moves }) => {
    codes.use(data);
    const plies = codes.plies(moves);
    const modes = [...plies, plies.at(-1)].map(ply => ply?.mode ?? 0);
    const { byMode, counts } = score.of({ plies, boards: codes.boards(plies), modes }).at(-1);
    const extra = codes.compensation();
    return codes.seats().map((seat, i) => {
        const sum = byMode.reduce((sum, [, own]) => sum + own[seat], 0);
        return sum === counts[seat] ? sum + extra[i] : `${sum} is not ${counts[seat]}`;
    });
});";

fn counted(input: Vec<Value>) -> Option<Value> {
    under_node(&["codes.js", "score.js"], COUNT, &Value::Array(input))
}

#[test]
fn the_points_at_the_end_of_a_game_of_two_are_its_margin() {
    let mut random = SplitMix64::new(2026);
    for name in RULESETS {
        let ruleset: Ruleset = name.parse().expect("a rule set");
        let games: Vec<_> = (0..12).map(|_| random_game(ruleset, &mut random)).collect();
        let games: Vec<_> = games.iter().filter_map(|(record, end)| Some((record, end.outcome()?.margin?))).collect();
        assert!(!games.is_empty(), "{name}: no game has ended");
        let data = |record: &GameRecord| {
            json!({ "data": PageBoards::of(ruleset).map_or(json!({}), |boards| json!(boards)),
                    "moves": GameCode::of(record).expect("a legal game").moves })
        };
        let Some(points) = counted(games.iter().map(|(record, _)| data(record)).collect()) else { return };
        let extra = match ruleset {
            Ruleset::Quantum(rules) => {
                let [black, white] = Side::BOTH.map(|side| f64::from(rules.compensation().parts(side.into())) / 2.0);
                black - white
            }
            Ruleset::Gothello | Ruleset::Seegover(_) => 0.0,
        };
        for ((record, margin), points) in games.iter().zip(points.as_array().expect("a list")) {
            let [black, white] = [0, 1].map(|side| points[side].as_f64().expect("a number"));
            // A game of Seegover that repeats a position is drawn, regardless of the stones.
            if name == "seegover" && *margin == 0 {
                continue;
            }
            assert!((black - white - extra - f64::from(*margin)).abs() < 1e-9, "{margin}, but {points}: {record}");
        }
    }
}

#[test]
fn the_points_at_the_end_of_a_game_of_four_and_of_six_are_its_totals() {
    let mut random = SplitMix64::new(46);
    for name in ["quantum-8-4p", "quantum-6p", "quantum-8-4p count=area"] {
        let ruleset: Ruleset = name.parse().expect("a rule set");
        let games: Vec<_> = (0..4).map(|_| random_group(ruleset, &mut random, 0)).collect();
        let data = |record| {
            let mut data = json!(PageBoards::of(ruleset));
            data["seats"] = json!(ruleset.seats());
            json!({ "data": data, "moves": GroupCode::of(record).expect("a legal game").code.moves })
        };
        let Some(points) = counted(games.iter().map(data).collect()) else { return };
        for (record, points) in games.iter().zip(points.as_array().expect("a list")) {
            let totals = &record.result.as_ref().expect("a result").totals;
            for seat in Seat::all(ruleset.seats()) {
                let total = f64::from(totals[seat].parts(60).expect("a fraction of a point")) / 60.0;
                let seen = points[seat.index()].as_f64().expect("a number");
                assert!((seen - total).abs() < 1e-3, "{name}, seat {seat}: {seen} instead of {total}");
            }
        }
    }
}
