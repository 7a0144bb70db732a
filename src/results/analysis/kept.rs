//! Analyses as lines of text, to be stored and read again.
//!
//! A line belongs to the moves of a game, regardless of who played them, and contains the time that the search was
//! allowed to take. Values are exact, so a line stays correct forever; a longer search can only add to it. A line is
//! only used if its checksum is correct and nothing in it contradicts the rules.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Analysis, AnalyzedMove, MoveObject, MoveQuality, Phase, positions_of, seegover};
use crate::base::checksummed_line::{with_checksum, without_checksum};
use crate::game::{Feature, MissingFeature, Move, Outcome, Ruleset};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::record::GameRecord;

/// The version of the line format. docs/reference/schemas/analysis-cache.schema.json describes it.
const FORMAT: u32 = 1;

/// The version of the search. A change that may lead to different values, or to different moves being analyzed within
/// the same time, requires a new version, so that results of an older version are not used.
pub const SOLVER: &str = "0.2";

/// The moves of a game, regardless of who played them and of whether the first moves were a given opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GameMoves {
    ruleset: Ruleset,
    moves_sha256: MovesDigest,
}

impl GameMoves {
    /// The moves of `record`.
    pub fn of(record: &GameRecord) -> Self {
        Self { ruleset: record.ruleset, moves_sha256: MovesDigest::of(record.plies.iter().map(|ply| ply.played)) }
    }
}

/// The stored form of a game's analysis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnalysis {
    format: u32,
    #[serde(flatten)]
    played: GameMoves,
    solver: String,
    budget_ms: u64,
    moves: Vec<MoveObject>,
}

/// Why a line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusableLine {
    /// The line's checksum is wrong, or the line is not an analysis.
    Damaged,
    /// Another version wrote the line. The value is the game, if this version can read it.
    Foreign(Option<GameMoves>),
}

/// The fields that the lines of every version are expected to have.
#[derive(Deserialize)]
struct LineVersion {
    format: u32,
    solver: Option<String>,
}

impl KeptAnalysis {
    /// The stored form of `analysis`, the analysis of `record` by a search allowed to take `budget`.
    pub fn of(record: &GameRecord, analysis: &Analysis, budget: Duration) -> Self {
        Self {
            format: FORMAT,
            played: GameMoves::of(record),
            solver: SOLVER.to_owned(),
            budget_ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX),
            moves: (0..analysis.moves.len()).map(|index| MoveObject::of(index, analysis)).collect(),
        }
    }

    /// The line, with its newline.
    pub fn to_line(&self) -> String {
        // An analysis is plain data, which JSON can always represent.
        let object = serde_json::to_string(self).unwrap_or_else(|error| unreachable!("an analysis is JSON: {error}"));
        with_checksum(object, "")
    }

    /// Reads a line, newline included. Leaves the line's bytes in an unspecified state.
    ///
    /// # Errors
    /// Returns an error if the line is damaged or was written by another version.
    pub fn read(line: &mut [u8]) -> Result<Self, UnusableLine> {
        let object = without_checksum(line, "").ok_or(UnusableLine::Damaged)?;
        let version: LineVersion = serde_json::from_slice(object).map_err(|_| UnusableLine::Damaged)?;
        if version.format != FORMAT || version.solver.as_deref() != Some(SOLVER) {
            return Err(UnusableLine::Foreign(serde_json::from_slice(object).ok()));
        }
        serde_json::from_slice(object).map_err(|_| UnusableLine::Damaged)
    }

    /// The moves of the game.
    pub const fn played(&self) -> GameMoves {
        self.played
    }

    /// The time that the search was allowed to take.
    pub const fn budget(&self) -> Duration {
        Duration::from_millis(self.budget_ms)
    }

    /// Whether this line is better than `other`, which is about the same game.
    pub fn surpasses(&self, other: &Self) -> bool {
        self.worth() > other.worth()
    }

    /// The quantities by which lines are compared: the number of analyzed moves, the number of further findings, and
    /// the time.
    fn worth(&self) -> (usize, usize, u64) {
        let analyzed = |object: &&MoveObject| object.mark.is_some();
        let measured = |object: &MoveObject| {
            usize::from(object.lost.is_some()) + usize::from(object.better.is_some()) + object.line.len()
        };
        (self.moves.iter().filter(analyzed).count(), self.moves.iter().map(measured).sum(), self.budget_ms)
    }

    /// The analysis of `record`, whose moves must be legal; `None` if the line contradicts itself, the game, or the
    /// rules.
    pub fn analysis(&self, record: &GameRecord) -> Option<Analysis> {
        if self.played != GameMoves::of(record) || self.moves.len() != record.plies.len() {
            return None;
        }
        let first = self.moves.first().map(|object| object.before);
        let values: Vec<_> = first.into_iter().chain(self.moves.iter().map(|object| object.after)).collect();
        let mut analysis = of_values(record, &values).ok()?;
        for (index, (analyzed, object)) in analysis.moves.iter_mut().zip(&self.moves).enumerate() {
            analyzed.depths = object.depths();
            analyzed.better = object.better;
            analysis.lines.set(index, object.line.clone());
        }
        let says = |(index, object): (usize, &MoveObject)| *object == MoveObject::of(index, &analysis);
        (self.moves.iter().enumerate().all(says) && is_possible(record, &analysis)).then_some(analysis)
    }
}

/// The analysis of `record` whose positions have the given `values`.
fn of_values(record: &GameRecord, values: &[Option<Outcome>]) -> Result<Analysis, MissingFeature> {
    let places = places(record)?;
    Ok(Analysis::of_values(record, values, |index| places[index]))
}

/// For each position of `record`, the number of empty points and the phase.
fn places(record: &GameRecord) -> Result<Vec<(u32, Phase)>, MissingFeature> {
    match record.ruleset {
        Ruleset::Gothello => Ok(positions_of(record)?.iter().map(super::place).collect()),
        Ruleset::Seegover(options) => Ok(seegover::places(record, options)),
        Ruleset::Quantum(rules) => {
            Err(MissingFeature { ruleset: rules.lineup().name(), feature: Feature::Solver, option: None })
        }
    }
}

/// Whether the values of `analysis` are possible for `record` under the rules, as far as this can be told without a
/// search.
fn is_possible(record: &GameRecord, analysis: &Analysis) -> bool {
    let points = analysis.moves.first().map_or(0, |first| first.empty);
    let mut position = record.ruleset.start();
    for (index, analyzed) in analysis.moves.iter().enumerate() {
        let better_is_legal = || is_legal_line(record, index, analyzed.better, analysis.lines.after(index));
        if gains(analyzed) || !fits_board(analyzed, points) || !suggests_fairly(analyzed) || !better_is_legal() {
            return false;
        }
        // The moves of the record are legal.
        let _ = position.play(analyzed.played.as_str());
    }
    let meets = |(one, next): (&AnalyzedMove, &AnalyzedMove)| one.depths[1] == next.depths[0];
    let last = analysis.moves.last().and_then(|last| last.after);
    let ends_alike = position.outcome().zip(last).is_none_or(|(ended, value)| agree(ended, value));
    analysis.moves.iter().zip(analysis.moves.iter().skip(1)).all(meets) && ends_alike
}

/// Whether `better` and then `line` are legal in place of the move of `record` with this `index`.
fn is_legal_line(record: &GameRecord, index: usize, better: Option<Move>, line: &[Move]) -> bool {
    let Some(better) = better else { return line.is_empty() };
    let mut position = record.ruleset.start();
    let before = record.plies[..index].iter().map(|ply| ply.played);
    before
        .chain([better])
        .chain(line.iter().copied())
        .all(|played| position.play(played.as_str()).is_ok_and(|made| made == played))
}

/// Whether the move improved the value for its side, which is impossible.
fn gains(analyzed: &AnalyzedMove) -> bool {
    let Some((before, after)) = analyzed.before.zip(analyzed.after) else { return false };
    let side = analyzed.side;
    let in_stones = before.lead(side).zip(after.lead(side)).is_some_and(|(before, after)| after > before);
    side.score(after.winner) > side.score(before.winner) || in_stones
}

/// Whether no margin exceeds what a board with this many `points` allows, and every depth belongs to a value with a
/// winner.
fn fits_board(analyzed: &AnalyzedMove, points: u32) -> bool {
    let values = [analyzed.before, analyzed.after];
    let fits = |value: Outcome| value.margin.is_none_or(|margin| margin.unsigned_abs() <= points);
    let has_winner = |value: Option<Outcome>| value.is_some_and(|value| value.winner.is_some());
    values.into_iter().flatten().all(fits)
        && values.into_iter().zip(analyzed.depths).all(|(value, depth)| depth.is_none() || has_winner(value))
}

/// Whether the move either has no better move, or lost something and differs from the better move.
fn suggests_fairly(analyzed: &AnalyzedMove) -> bool {
    analyzed.better.is_none_or(|better| {
        analyzed.quality().is_some_and(|quality| quality != MoveQuality::Kept) && better != analyzed.played
    })
}

/// Whether `value` is possible for a game with the outcome `ended`.
fn agree(ended: Outcome, value: Outcome) -> bool {
    ended.winner == value.winner && value.margin.is_none_or(|margin| ended.margin == Some(margin))
}

impl Analysis {
    /// Whether a longer search would find nothing more in a game of `ruleset`.
    pub fn is_complete(&self, ruleset: Ruleset) -> bool {
        let has_margins = matches!(ruleset, Ruleset::Gothello);
        // Nothing follows a pass that ends the game. After every other better move in Gothello, there is a next move.
        let has_line =
            |index: usize, better: Move| !has_margins || better.is_pass() || !self.lines.after(index).is_empty();
        self.moves.iter().enumerate().all(|(index, analyzed)| {
            let is_measured = !has_margins || analyzed.lost().is_some();
            let is_improved = analyzed.better.is_some_and(|better| has_line(index, better));
            analyzed.quality().is_some_and(|quality| quality == MoveQuality::Kept || is_improved) && is_measured
        })
    }

    /// Adds the findings of `other`, another analysis of the same game.
    #[must_use]
    pub fn joined_with(mut self, other: &Self) -> Self {
        let more = |one: Option<Outcome>, other: Option<Outcome>| {
            one.filter(|value| value.margin.is_some())
                .or(other.filter(|value| value.margin.is_some()))
                .or(one)
                .or(other)
        };
        for (index, (analyzed, theirs)) in self.moves.iter_mut().zip(&other.moves).enumerate() {
            let own = *analyzed;
            analyzed.before = more(own.before, theirs.before);
            analyzed.after = more(own.after, theirs.after);
            analyzed.depths = [0, 1].map(|end| own.depths[end].or(theirs.depths[end]));
            // A better move is only better given the values with which it was found.
            let same = |by: &AnalyzedMove| by.before == analyzed.before && by.after == analyzed.after;
            let found = [(own, self.lines.after(index)), (*theirs, other.lines.after(index))];
            let found = found.into_iter().filter(|(by, _)| same(by) && by.better.is_some());
            // Of two better moves, the move with the longer line is kept, since the line contains more information. If
            // the lines are equally long, this analysis keeps its own move.
            let (better, line) =
                found.rev().max_by_key(|(_, line)| line.len()).map_or((None, &[][..]), |(by, line)| (by.better, line));
            let line = line.to_vec();
            analyzed.better = better;
            self.lines.set(index, line);
        }
        self
    }
}

#[cfg(test)]
mod tests;
