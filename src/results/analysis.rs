//! The value of each move of a game, based on the exact values of the positions before and after it.
//!
//! An analysis asks for values from the end of the game backwards, since positions towards the beginning are harder to
//! solve. For each position, it first asks who wins, and a few positions later asks for the margin. Values that cannot
//! be computed in time stay unknown; they are never guessed.

mod accuracy;
mod better_lines;
pub mod by_solver;
pub mod kept;
mod move_object;
mod seegover;

use serde::{Deserialize, Serialize};

pub use accuracy::{Accuracy, FEW_STONES, GamesJudged, MoveTally};
pub use better_lines::{BetterLines, MOST_PLIES};
pub use move_object::MoveObject;
pub use seegover::{DropsSearched, LAST_DROPS};

use crate::base::units::counted;
pub use crate::exact::phase::{MIDDLE_FROM, Phase};
use crate::exact::solvable::{Solvable, positions};
use crate::exact::solver::{Question, Span};
use crate::game::{MissingFeature, Move, Outcome, Ruleset, Side};
use crate::referee::record::{GameRecord, Ply, verdict};

/// With at most this many empty points, an analysis immediately asks for the margin, which takes at most a few
/// milliseconds.
const QUICK: u32 = 12;

/// The number of plies by which margins lag behind. Computing a margin takes about as long as finding the winner two
/// plies earlier. But moves are judged by who wins, so that question gets a head start.
const LAG: usize = 4;

/// The effect of a move on the value of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveQuality {
    /// The move changed neither the winner nor, if both margins are known, the margin.
    Kept,
    /// The move lost stones of margin, but not the game.
    LostStones,
    /// The move changed the winner.
    Blunder,
}

/// One move, analyzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyzedMove {
    /// The side that moved.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// The number of empty points before the move.
    pub empty: u32,
    /// The part of the game in which the move was made.
    pub phase: Phase,
    /// Whether the move was part of the given opening, in which case no player is responsible for it.
    pub given: bool,
    /// The value of the position before the move, if it was solved.
    pub before: Option<Outcome>,
    /// The value of the position after the move, if it was solved.
    pub after: Option<Outcome>,
    /// The number of plies to the end of the game with best play, from the position before the move and from the
    /// position after it. These numbers are known only in the move phase of Seegover.
    pub depths: [Option<u32>; 2],
    /// A move that would have lost nothing, if the played move lost something and the analysis found a better move.
    pub better: Option<Move>,
}

impl AnalyzedMove {
    /// The move's effect; `None` if a value is missing.
    pub fn quality(&self) -> Option<MoveQuality> {
        let (before, after) = (self.before?, self.after?);
        Some(if before.winner != after.winner {
            MoveQuality::Blunder
        } else if self.lost().is_some_and(|lost| lost > 0) {
            MoveQuality::LostStones
        } else {
            MoveQuality::Kept
        })
    }

    /// How many stones of margin the move gave away, if both margins are known.
    pub fn lost(&self) -> Option<u32> {
        let lost = self.before?.lead(self.side)? - self.after?.lead(self.side)?;
        // No move is better than best play, so `lost` is never negative.
        u32::try_from(lost).ok()
    }

    /// The question that an analysis asks to find a better move.
    fn question(&self) -> Question {
        let exact = self.before.is_some_and(|before| before.margin.is_some());
        if exact { Question::Margin } else { Question::Winner }
    }

    /// The comment on the move in a log: `blunder: white wins by 1 instead of black by 3 (c2)`. `None` for a move that
    /// lost nothing. The text does not exceed the maximum length of a note.
    pub fn comment(&self) -> Option<String> {
        let (before, after) = (self.before?, self.after?);
        let could_be = match (before.winner, before.margin) {
            (None, _) => "a draw".to_owned(),
            (Some(winner), None) => winner.to_string(),
            (Some(winner), Some(margin)) => format!("{winner} by {}", margin.unsigned_abs()),
        };
        let what = match self.quality()? {
            MoveQuality::Kept => return None,
            MoveQuality::LostStones => format!("lost {}", counted(self.lost()?, "stone")),
            MoveQuality::Blunder => "blunder".to_owned(),
        };
        let better = self.better.map(|better| format!(" ({better})")).unwrap_or_default();
        Some(format!("{what}: {after} instead of {could_be}{better}"))
    }
}

/// A game with its moves analyzed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The rules of the game.
    pub ruleset: Ruleset,
    /// The moves in the order in which they were made.
    pub moves: Vec<AnalyzedMove>,
    /// The moves that would have followed the better moves.
    pub lines: BetterLines,
}

impl Analysis {
    /// Analyzes every move of `record`, whose moves must be legal.
    ///
    /// `known` returns the value of a position if no search is needed for it. `ask` is called with one position at a
    /// time, the span of its possible values so far, and the question. It returns the span after its search, or `None`
    /// if it found nothing; it may still be called for other positions after that. Positions are passed from the last
    /// to the first, and some of them twice: first for the winner and, a few positions later, for the margin. `ask` is
    /// not called if the answer follows from other values: no move improves its side's value, so a game that is won
    /// after its winner's move was already won before it.
    ///
    /// # Errors
    /// Returns an error if there is no solver for the record's rule set.
    pub fn of(
        record: &GameRecord,
        known: impl Fn(&Solvable) -> Option<Outcome>,
        mut ask: impl FnMut(&Solvable, Span, Question) -> Option<Span>,
    ) -> Result<Self, MissingFeature> {
        let games = positions_of(record)?;
        let mut spans: Vec<Span> = games.iter().map(|game| known(game).map_or(Span::OPEN, Span::of)).collect();
        bound_forwards(record, &mut spans);
        for (index, wanted) in questions(&games) {
            bound_by_next(record, &mut spans, index);
            if !spans[index].answers(wanted)
                && let Some(found) = ask(&games[index], spans[index], wanted)
            {
                spans[index] = spans[index].and(found);
                bound_forwards(record, &mut spans);
            }
        }
        for index in (0..games.len()).rev() {
            bound_by_next(record, &mut spans, index);
        }
        let values: Vec<Option<Outcome>> = spans.into_iter().map(Span::outcome).collect();
        Ok(Self::of_values(record, &values, |index| place(&games[index])))
    }

    /// Analyzes every move from the `values` of the positions before and after it. `place` takes the index of a
    /// position and returns the number of empty points there, and the phase.
    fn of_values(record: &GameRecord, values: &[Option<Outcome>], place: impl Fn(usize) -> (u32, Phase)) -> Self {
        let analyzed = |(index, ply): (usize, &Ply)| {
            let (empty, phase) = place(index);
            AnalyzedMove {
                side: ply.side(),
                played: ply.played,
                empty,
                phase,
                given: index < record.opening_plies,
                before: values[index],
                after: values[index + 1],
                depths: [None; 2],
                better: None,
            }
        };
        let moves = record.plies.iter().enumerate().map(analyzed).collect();
        Self { ruleset: record.ruleset, moves, lines: BetterLines::default() }
    }

    /// Adds a better move to every move that lost something, if `ask` finds one, and then the moves that follow each
    /// better move with best play, as far as `ask` finds them. `ask` is called with one position at a time, and returns
    /// a move that keeps the margin or the winner.
    ///
    /// # Errors
    /// Returns an error if there is no solver for the record's rule set.
    pub fn suggest(
        &mut self,
        record: &GameRecord,
        mut ask: impl FnMut(&Solvable, Question) -> Option<Move>,
    ) -> Result<(), MissingFeature> {
        let games = positions_of(record)?;
        let wanting =
            |analyzed: &&mut AnalyzedMove| analyzed.quality().is_some_and(|quality| quality != MoveQuality::Kept);
        for (analyzed, game) in self.moves.iter_mut().zip(&games).rev().filter(|(analyzed, _)| wanting(analyzed)) {
            analyzed.better = ask(game, analyzed.question());
        }
        // The lines come last, so that they take no time from the better moves.
        for (index, (analyzed, game)) in self.moves.iter().zip(games).enumerate().rev() {
            let Some(better) = analyzed.better else { continue };
            self.lines.follow(index, game.after(better), |position: &mut Solvable| {
                let played = (!position.is_over()).then(|| ask(position, analyzed.question())).flatten()?;
                *position = position.after(played);
                Some(played)
            });
        }
        Ok(())
    }

    /// Returns the index of the decisive move: the last one that changed the winner. `None` if there is no such move,
    /// or if a later move could not be analyzed.
    pub fn decisive(&self) -> Option<usize> {
        let changes =
            |analyzed: &AnalyzedMove| analyzed.quality().is_none_or(|quality| quality == MoveQuality::Blunder);
        let index = self.moves.iter().rposition(changes)?;
        (self.moves[index].quality() == Some(MoveQuality::Blunder)).then_some(index)
    }

    /// Returns `record` with a comment on every move that lost something.
    pub fn annotate(&self, mut record: GameRecord) -> GameRecord {
        for (ply, analyzed) in record.plies.iter_mut().zip(&self.moves) {
            ply.note = analyzed.comment();
        }
        record
    }
}

/// Narrows the span of each position to the values that the previous position allows.
fn bound_forwards(record: &GameRecord, spans: &mut [Span]) {
    for (index, ply) in record.plies.iter().enumerate() {
        spans[index + 1] = spans[index + 1].and(spans[index].after(ply.side()));
    }
}

/// Narrows the span of the position with this `index` to the values that the next position allows.
fn bound_by_next(record: &GameRecord, spans: &mut [Span], index: usize) {
    if let Some(&later) = spans.get(index + 1) {
        spans[index] = spans[index].and(later.before(record.plies[index].side()));
    }
}

/// The position before the first move of `record`, and the position after each move.
fn positions_of(record: &GameRecord) -> Result<Vec<Solvable>, MissingFeature> {
    positions(record.ruleset, record.plies.iter().map(|ply| ply.played))
}

/// The number of empty points in the current position of `game`, and its phase.
fn place(game: &Solvable) -> (u32, Phase) {
    let empty = game.empty_points();
    (empty, Phase::of_empty(empty))
}

/// The questions that an analysis asks about `games`, in order, each with the index of its position.
fn questions(games: &[Solvable]) -> Vec<(usize, Question)> {
    let mut questions = Vec::new();
    for step in (0..games.len() + LAG).rev() {
        if let Some(index) = step.checked_sub(LAG) {
            let is_quick = games[index].empty_points() <= QUICK;
            questions.push((index, if is_quick { Question::Margin } else { Question::Winner }));
        }
        if games.get(step).is_some_and(|game| (QUICK + 1..=MIDDLE_FROM).contains(&game.empty_points())) {
            questions.push((step, Question::Margin));
        }
    }
    questions
}

/// How the game was decided, in a sentence.
pub fn turning_point(record: &GameRecord, analysis: &Analysis) -> String {
    let ended = verdict(&record.result);
    if let Some(last) = analysis.moves.last()
        && let (Ok(result), Some(stood)) = (&record.result, last.after)
        && result.winner() != stood.winner
    {
        return format!("{ended}; with best play from the last position, {stood}");
    }
    let unknown = analysis.moves.iter().rposition(|analyzed| analyzed.quality().is_none());
    match (analysis.decisive(), unknown) {
        (Some(index), _) => {
            let analyzed = &analysis.moves[index];
            format!("{ended}, decided by {}'s {}", record.players[analyzed.side], record.numbered(index))
        }
        (None, None) => format!("{ended}, and no move changed who wins"),
        (None, Some(index)) if index + 1 < analysis.moves.len() => {
            format!(
                "{ended}; no move after ply {} changed who wins, but some earlier moves could not be judged",
                index + 1
            )
        }
        (None, Some(_)) => format!("{ended}; the last positions were not solved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of three moves that black wins, and its analysis: for each move, who wins before and after the move, if
    /// known.
    fn sentence(winners: [Option<(Side, Side)>; 3]) -> String {
        let record =
            "[Black \"ada\"]\n[White \"bea\"]\n[Result \"0-1\"]\n[Termination \"time\"]\n\n1. c3 d4 2. e3 0-1\n";
        let record: GameRecord = record.parse().unwrap_or_else(|error| panic!("{error}"));
        let judged = |(ply, winners): (&Ply, Option<(Side, Side)>)| {
            let won_by = |winner| Outcome { winner: Some(winner), margin: None };
            AnalyzedMove {
                side: ply.side(),
                played: ply.played,
                empty: 20,
                phase: Phase::Opening,
                given: false,
                before: winners.map(|(before, _)| won_by(before)),
                after: winners.map(|(_, after)| won_by(after)),
                depths: [None; 2],
                better: None,
            }
        };
        let moves = record.plies.iter().zip(winners).map(judged).collect();
        turning_point(&record, &Analysis { ruleset: Ruleset::Gothello, moves, lines: BetterLines::default() })
    }

    #[test]
    fn the_turning_point_is_the_last_move_that_changed_the_winner_if_later_ones_are_judged() {
        let (black, white) = (Side::Black, Side::White);
        let (kept, lost) = (Some((black, black)), Some((white, black)));
        for (winners, expected) in [
            ([kept, kept, kept], "black wins (time), and no move changed who wins"),
            ([kept, lost, kept], "black wins (time), decided by bea's 1... d4"),
            ([None, lost, kept], "black wins (time), decided by bea's 1... d4"),
            (
                [None, kept, kept],
                "black wins (time); no move after ply 1 changed who wins, but some earlier moves could not be judged",
            ),
            (
                [lost, None, kept],
                "black wins (time); no move after ply 2 changed who wins, but some earlier moves could not be judged",
            ),
            ([lost, kept, None], "black wins (time); the last positions were not solved"),
            (
                [kept, kept, Some((black, white))],
                "black wins (time); with best play from the last position, white wins",
            ),
        ] {
            assert_eq!(sentence(winners), expected);
        }
    }
}
