//! Analyses as JSON: the moves of a game with their values, and how well players played.

use serde::Serialize;

use super::accuracy_figures;
use super::column::JsonObject;
use crate::game::{BySide, Move};
use crate::referee::record::GameRecord;
use crate::referee::thought::{ClaimedChance, ClaimedPoints, Thought};
use crate::results::analysis::{Accuracy, Analysis, MoveObject};

/// The version of the JSON. docs/reference/schemas/analysis.schema.json describes it.
const FORMAT: u32 = 1;

/// One game as JSON, on a separate line.
pub fn game_json(file: &str, record: &GameRecord, analysis: &Analysis) -> String {
    let moves = analysis.moves.iter().enumerate();
    let moves = moves.map(|(index, judged)| ToldMove {
        judged: MoveObject::of(index, analysis).in_game(judged.given),
        thought: record.plies.get(index).and_then(|ply| ply.thought.as_deref()).map(ThoughtObject::from),
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
        accuracy: BySide::from_fn(|side| accuracy_figures::object(Accuracy::of(analysis, side))),
    })
}

/// How well players played, as JSON, on a separate line.
pub fn accuracy_json<'a>(players: impl IntoIterator<Item = (&'a str, Accuracy)>) -> String {
    let players = players
        .into_iter()
        .map(|(player, accuracy)| PlayerObject { player, accuracy: accuracy_figures::object(accuracy) });
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
    moves: Vec<ToldMove<'a>>,
    decisive: Option<usize>,
    accuracy: BySide<JsonObject<'static>>,
}

/// A move with its player's claims.
#[derive(Serialize)]
struct ToldMove<'a> {
    #[serde(flatten)]
    judged: MoveObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<ThoughtObject<'a>>,
}

#[derive(Serialize)]
struct ThoughtObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    win: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "<[Move]>::is_empty")]
    pv: &'a [Move],
}

impl<'a> From<&'a Thought> for ThoughtObject<'a> {
    fn from(thought: &'a Thought) -> Self {
        Self {
            value: thought.value().map(ClaimedPoints::points),
            win: thought.win().map(ClaimedChance::chance),
            depth: thought.depth(),
            nodes: thought.nodes(),
            pv: thought.line(),
        }
    }
}

#[derive(Serialize)]
struct PlayersObject<'a> {
    format: u32,
    players: Vec<PlayerObject<'a>>,
}

#[derive(Serialize)]
struct PlayerObject<'a> {
    player: &'a str,
    accuracy: JsonObject<'static>,
}
