//! One game as a page stores it: everything but the record's text, which would be ten times as long.

use super::aliases::Aliases;
use super::claims::ShownClaims;
use super::game_code::{GameCode, Uncodable, coded_values, early_values};
use super::mistakes::ShownMistake;
use crate::game::{BySide, Side};
use crate::referee::record::GameRecord;
use crate::referee::result::{Fault, Termination};
use crate::referee::time_control::TimeControl;
use crate::results::analysis::{Accuracy, Analysis};
use crate::results::standings::GameSummary;

/// One game.
#[derive(Clone, Debug)]
pub struct ShownGame {
    /// The summary that the standings need.
    pub summary: GameSummary,
    /// The clocks that were used, if they are known.
    pub clocks: Option<TimeControl>,
    /// The number of plies at the beginning that came from an opening.
    pub opening_plies: usize,
    /// The moves, the times and the values; empty if only the result is known.
    pub code: GameCode,
    /// The values of the first positions that are known without an analysis, as text; see [`early_values`].
    pub early: String,
    /// The reason for the result, if the page may show it.
    pub reason: Option<String>,
    /// The tail of each side's stderr, if the page may show it.
    pub stderr: Option<BySide<String>>,
    /// The accuracy of each side, if the game is analyzed.
    pub accuracy: Option<BySide<Accuracy>>,
    /// The known mistakes of both sides, in the order in which they were made.
    pub mistakes: Vec<ShownMistake>,
    /// The players' claims, if the page may show them.
    pub claims: ShownClaims,
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
            clocks: record.clocks(),
            opening_plies: record.opening_plies,
            code: GameCode::of(record)?,
            early: early_values(record),
            reason,
            stderr: None,
            accuracy: None,
            mistakes: Vec::new(),
            claims: ShownClaims::of(record),
        })
    }

    /// The game of `summary`, if only its result is known.
    pub fn of_result(summary: GameSummary) -> Self {
        let code = GameCode::default();
        Self {
            summary,
            clocks: None,
            opening_plies: 0,
            code,
            early: String::new(),
            reason: None,
            stderr: None,
            accuracy: None,
            mistakes: Vec::new(),
            claims: ShownClaims::default(),
        }
    }

    /// Adds the values of the moves, if `analysis` contains the value of any position.
    pub fn add_analysis(&mut self, analysis: &Analysis) {
        self.code.values = coded_values(analysis);
        if self.is_analyzed() {
            self.accuracy = Some(BySide::from_fn(|side| Accuracy::of(analysis, side)));
            self.mistakes = ShownMistake::all_of(analysis);
        }
    }

    /// Removes the moves with their times and values.
    pub fn forget_moves(&mut self) {
        self.code = GameCode::default();
        self.early.clear();
        self.mistakes.clear();
    }

    /// Whether any value is known.
    pub fn is_analyzed(&self) -> bool {
        !self.code.values.is_empty()
    }

    /// The side that forfeited the game; `None` if both or neither did.
    pub fn at_fault(&self) -> Option<Side> {
        match self.summary.result.as_ref()?.fault() {
            Fault::One(side) => Some(side),
            Fault::Nobody | Fault::Both => None,
        }
    }

    /// Removes information that only the author of the page should see.
    pub fn make_public(&mut self) {
        self.stderr = None;
        self.claims.make_public();
        let is_public = self.summary.result.as_ref().is_some_and(|result| has_public_reason(result.termination()));
        if !is_public {
            self.reason = None;
        }
    }

    /// Replaces names with aliases, and the game's id with `id`.
    pub fn make_anonymous(&mut self, aliases: &Aliases, id: String) {
        let summary = &mut self.summary;
        summary.players = summary.players.as_ref().map(|name| aliases.of(name).to_owned());
        summary.game = id;
        self.reason = self.reason.as_deref().map(|reason| aliases.in_text(reason));
        self.stderr = self.stderr.as_ref().map(|texts| texts.as_ref().map(|text| aliases.in_text(text)));
    }
}

/// Whether the reason for a result with this ending is public. The referee writes these reasons in its own words; all other
/// reasons may quote a bot, or name a file, an address or a program.
pub const fn has_public_reason(termination: Termination) -> bool {
    matches!(termination, Termination::Normal | Termination::Illegal | Termination::Time)
}
