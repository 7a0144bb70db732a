//! Checks whether the record of a game of more than two seats describes a game that could have been played.

use std::fmt::Display;

use thiserror::Error;

use super::GroupRecord;
use crate::game::{BySeat, IllegalMove, Move, Position, Seat, Standing};

/// The error for a log of a game of more than two seats that could not have been played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GroupContradiction {
    /// A move that the rules refuse.
    #[error("ply {ply}, `{played}` of seat {seat}: {why}")]
    Refused {
        /// The ply, starting from 1.
        ply: usize,
        /// The seat on move.
        seat: Seat,
        /// The move.
        played: Move,
        /// The reason why it is refused.
        why: IllegalMove,
    },
    /// A move that is not in its canonical spelling.
    #[error("ply {ply}: `{played}` is written `{canonical}`")]
    Spelling {
        /// The ply, starting from 1.
        ply: usize,
        /// The move in the log.
        played: Move,
        /// The canonical spelling.
        canonical: Move,
    },
    /// The result of a game that is not over.
    #[error("the log has a result, but the game is not over")]
    NotOver,
    /// The counts of a mode that has not ended.
    #[error("the log has the counts of {0}, but this mode has not ended")]
    NotCounted(&'static str),
    /// A tag that disagrees with the board.
    #[error("the board says `{board}`, but the tag `{tag}` says `{recorded}`")]
    Differs {
        /// The tag.
        tag: &'static str,
        /// The tag's value.
        recorded: String,
        /// The value that the tag should have.
        board: String,
    },
}

impl GroupRecord {
    /// Checks every move by the rules, and the placing, totals, points and counts. Returns the last position.
    ///
    /// # Errors
    /// Returns the first error.
    pub fn check(&self) -> Result<Box<dyn Position>, GroupContradiction> {
        let mut game = self.ruleset.start();
        for (index, ply) in self.plies.iter().enumerate() {
            let (number, seat, played) = (index + 1, game.seat_to_move(), ply.played);
            let canonical = game.play(played.as_str()).map_err(|why| GroupContradiction::Refused {
                ply: number,
                seat,
                played,
                why,
            })?;
            if canonical != played {
                return Err(GroupContradiction::Spelling { ply: number, played, canonical });
            }
        }
        if let (Ok(standing), Some(board)) = (&self.result, game.standing()) {
            check_standing(standing, &board, game.is_over())?;
        }
        Ok(game)
    }
}

fn check_standing(recorded: &Standing, board: &Standing, is_over: bool) -> Result<(), GroupContradiction> {
    for (mode, counts) in &recorded.counts {
        let counted = board.counts.iter().find(|(known, _)| known == mode);
        let (_, counted) = counted.ok_or(GroupContradiction::NotCounted(mode))?;
        agree("Counts", counts, counted)?;
    }
    if !is_over {
        return Err(GroupContradiction::NotOver);
    }
    agree("Placing", &recorded.placing, &board.placing)?;
    agree("Totals", &recorded.totals, &board.totals)?;
    agree("Points", &recorded.points, &board.points)
}

/// Compares a tag's list with that of the board.
fn agree<T: PartialEq + Display>(
    tag: &'static str,
    recorded: &BySeat<T>,
    board: &BySeat<T>,
) -> Result<(), GroupContradiction> {
    if board == recorded {
        return Ok(());
    }
    let text = |list: &BySeat<T>| list.values().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    Err(GroupContradiction::Differs { tag, recorded: text(recorded), board: text(board) })
}
