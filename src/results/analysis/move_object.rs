//! An analyzed move as JSON, used in the output of `analyze --json` and in lines of stored analyses.

use serde::{Deserialize, Serialize};

use super::{AnalyzedMove, MoveQuality, Phase};
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
    /// Whether the opening gave the move; absent if unspecified.
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
}

impl MoveObject {
    /// The object for `analyzed`, the move at `index`. It does not say whether the opening gave the move.
    pub fn of(index: usize, analyzed: &AnalyzedMove) -> Self {
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
        }
    }

    /// Returns this object with the value of `given`: whether the opening gave the move.
    #[must_use]
    pub fn in_game(self, given: bool) -> Self {
        Self { opening: Some(given), ..self }
    }

    /// The plies to the end before and after the move, if known.
    pub(super) const fn depths(&self) -> [Option<u32>; 2] {
        [self.depth_before, self.depth_after]
    }
}
