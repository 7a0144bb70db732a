//! An analyzed move as JSON, used in the output of `analyze --json` and in lines of stored analyses.

use serde::{Deserialize, Serialize};

use super::{Analysis, MoveQuality, Phase};
use crate::game::{Move, Outcome, Side};

/// An analyzed move as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveObject {
    ply: usize,
    side: Side,
    #[serde(rename = "move")]
    played: Move,
    empty: u32,
    phase: Phase,
    /// Whether the move is part of the given opening; absent if unspecified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opening: Option<bool>,
    pub(super) before: Option<Outcome>,
    pub(super) after: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth_before: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth_after: Option<u32>,
    pub(super) mark: Option<MoveQuality>,
    pub(super) lost: Option<u32>,
    pub(super) better: Option<Move>,
    /// The moves that would have followed the better move; absent if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) line: Vec<Move>,
}

impl MoveObject {
    /// The object for the move at `index` of `analysis`. It does not say whether the move is part of the given opening.
    ///
    /// # Panics
    /// Panics if there is no such move.
    pub fn of(index: usize, analysis: &Analysis) -> Self {
        let analyzed = &analysis.moves[index];
        Self {
            ply: index + 1,
            side: analyzed.side,
            played: analyzed.played,
            empty: analyzed.empty,
            phase: analyzed.phase,
            opening: None,
            before: analyzed.before,
            after: analyzed.after,
            depth_before: analyzed.depths[0],
            depth_after: analyzed.depths[1],
            mark: analyzed.quality(),
            lost: analyzed.lost(),
            better: analyzed.better,
            line: analysis.lines.after(index).to_vec(),
        }
    }

    /// Returns this object with the value of `given`: whether the move is part of the given opening.
    #[must_use]
    pub fn in_game(self, given: bool) -> Self {
        Self { opening: Some(given), ..self }
    }

    /// The number of plies to the end of the game before and after the move, if known.
    pub(super) const fn depths(&self) -> [Option<u32>; 2] {
        [self.depth_before, self.depth_after]
    }
}
