//! One game as a page keeps it: everything but the record's text, which would be ten times as long.

use super::game_code::{GameCode, Uncodable};
use crate::game::rules::BySide;
use crate::referee::record::GameRecord;
use crate::results::standings::GameSummary;

/// One game.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// What the standings need of it.
    pub summary: GameSummary,
    /// How many of the first plies were given.
    pub opening_plies: usize,
    /// The moves, the times and the values; empty if only the result is known.
    pub code: GameCode,
    /// What happened, in words, if the page may say so.
    pub reason: Option<String>,
    /// The end of what each side wrote to stderr, if the page may show it.
    pub stderr: Option<BySide<String>>,
}

impl ShownGame {
    /// The game of `record`, without values.
    ///
    /// # Errors
    /// Fails if a move of `record` cannot be replayed.
    pub fn of(record: &GameRecord) -> Result<Self, Uncodable> {
        let reason = match &record.result {
            Ok(result) => result.reason().map(str::to_owned),
            Err(void) => Some(void.reason.clone()),
        };
        Ok(Self {
            summary: GameSummary::from(record),
            opening_plies: record.opening_plies,
            code: GameCode::of(record)?,
            reason,
            stderr: None,
        })
    }

    /// The game of `summary`, of which only the result is known.
    pub fn of_result(summary: GameSummary) -> Self {
        Self { summary, opening_plies: 0, code: GameCode::default(), reason: None, stderr: None }
    }
}
