//! A line of results.csv while it is being read.

use std::time::Duration;

use crate::game::{BySide, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::time_control::SideControl;
use crate::results::report::csv_rows::{RowProblem, opponents};
use crate::results::report::game_fields::{UsageDraft, bad};
use crate::results::standings::{GameSummary, ThoughtMeans};

/// A line while its columns are being read. Text whose meaning depends on other columns is stored unchanged.
#[derive(Default)]
pub(super) struct LineDraft<'r> {
    pub(super) game: &'r str,
    pub(super) round: Option<u32>,
    pub(super) players: BySide<&'r str>,
    pub(super) winner: &'r str,
    pub(super) margin: &'r str,
    pub(super) termination: &'r str,
    pub(super) at_fault: &'r str,
    pub(super) plies: usize,
    pub(super) used: BySide<Duration>,
    pub(super) left: BySide<Option<SideControl>>,
    pub(super) usage: BySide<UsageDraft>,
    pub(super) starved: Option<bool>,
    pub(super) has_odds: bool,
    pub(super) thoughts: BySide<ThoughtMeans>,
    pub(super) moves: Option<MovesDigest>,
}

impl<'r> LineDraft<'r> {
    /// The game on the line, once all its columns have been read.
    pub(super) fn finish(&self) -> Result<GameSummary<&'r str>, RowProblem> {
        let result = self.result()?;
        if self.at_fault != at_fault(result.as_ref()) {
            return Err(RowProblem::AtFault(self.at_fault.to_owned()));
        }
        Ok(GameSummary {
            game: self.game,
            round: self.round,
            players: opponents(self.players)?,
            result,
            plies: self.plies,
            used: self.used,
            left: self.left,
            usage: BySide {
                black: self.usage.black.finish(Side::Black.name())?,
                white: self.usage.white.finish(Side::White.name())?,
            },
            starved: self.starved,
            has_odds: self.has_odds,
            thoughts: ThoughtMeans::of_both(self.thoughts),
            moves: self.moves.unwrap_or_else(|| MovesDigest::of([])),
        })
    }

    fn result(&self) -> Result<Option<GameResult>, RowProblem> {
        let &Self { winner, margin, termination, .. } = self;
        if termination == Void::WORD {
            return if winner.is_empty() {
                Ok(None)
            } else {
                Err(bad("winner", winner, "an empty field, because the game is void"))
            };
        }
        let termination: Termination = termination
            .parse()
            .map_err(|_| bad("termination", termination, "a termination (`normal`, `time`, ...)"))?;
        let winner = match (winner, termination) {
            ("", Termination::DoubleForfeit) | ("draw", _) => None,
            (winner, _) => Some(winner.parse().map_err(|_| bad("winner", winner, "`black`, `white` or `draw`"))?),
        };
        let margin = match margin {
            "" => None,
            margin => Some(margin.parse().map_err(|_| bad("margin", margin, "a whole number"))?),
        };
        let result = GameResult::new(winner, termination, margin, None)?;
        if termination == Termination::Adjudicated {
            // No rule set with proofs uses compensation. For other games, the file does not show what decided the
            // result.
            result.check_margin()?;
        }
        Ok(Some(result))
    }
}

/// The text of `at_fault` for this result.
pub(super) fn at_fault(result: Option<&GameResult>) -> &'static str {
    result.map_or("", |result| result.fault().name())
}
