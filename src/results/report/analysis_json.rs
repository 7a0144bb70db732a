//! Analyses as JSON: the moves of a game with their values, and how well players played.

use serde::Serialize;

use super::accuracy_figures::AccuracyObject;
use crate::game::rules::{BySide, Outcome, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Accuracy, Analysis, Mark};

/// The version of the JSON. docs/analysis.schema.json describes it.
const FORMAT: u32 = 1;

/// One game as JSON, on a line of its own.
pub fn game_json(file: &str, record: &GameRecord, analysis: &Analysis) -> String {
    let moves = analysis.moves.iter().enumerate().map(|(index, judged)| MoveObject {
        ply: index + 1,
        side: judged.side,
        played: judged.played.to_string(),
        empty: judged.empty,
        phase: judged.phase.name(),
        opening: judged.given,
        before: judged.before,
        after: judged.after,
        depth_before: judged.depths[0],
        depth_after: judged.depths[1],
        mark: judged.mark(),
        lost: judged.lost(),
        better: judged.better.map(|better| better.to_string()),
    });
    line(&GameObject {
        format: FORMAT,
        file,
        game: record.game.as_deref(),
        black: &record.players.black,
        white: &record.players.white,
        result: record.result_token(),
        moves: moves.collect(),
        decisive: analysis.decisive().map(|index| index + 1),
        accuracy: BySide::from_fn(|side| Accuracy::of(analysis, side).into()),
    })
}

/// How well players played, as JSON, on a line of its own.
pub fn accuracy_json<'a>(players: impl IntoIterator<Item = (&'a str, Accuracy)>) -> String {
    let players = players.into_iter().map(|(player, accuracy)| PlayerObject { player, accuracy: accuracy.into() });
    line(&PlayersObject { format: FORMAT, players: players.collect() })
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("numbers and strings are JSON") + "\n"
}

#[derive(Serialize)]
struct GameObject<'a> {
    format: u32,
    file: &'a str,
    game: Option<&'a str>,
    black: &'a str,
    white: &'a str,
    result: &'static str,
    moves: Vec<MoveObject>,
    decisive: Option<usize>,
    accuracy: BySide<AccuracyObject>,
}

#[derive(Serialize)]
struct MoveObject {
    ply: usize,
    side: Side,
    #[serde(rename = "move")]
    played: String,
    empty: u32,
    phase: &'static str,
    opening: bool,
    before: Option<Outcome>,
    after: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_after: Option<u32>,
    mark: Option<Mark>,
    lost: Option<u32>,
    better: Option<String>,
}

#[derive(Serialize)]
struct PlayersObject<'a> {
    format: u32,
    players: Vec<PlayerObject<'a>>,
}

#[derive(Serialize)]
struct PlayerObject<'a> {
    player: &'a str,
    accuracy: AccuracyObject,
}
