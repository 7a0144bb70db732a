//! The moves that decided lost games, on boards.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::course::grades::{GradedGame, StudentGrade};
use crate::game::{Move, Outcome, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::AnalyzedMove;
use crate::results::replay::arrivals;

/// The maximum number of games shown on a page.
const SHOWN: usize = 3;

/// A game that the student lost by a single move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostGame {
    /// The game's id.
    pub(crate) game: String,
    /// `against greedy, as white`.
    pub(crate) heading: String,
    /// The board before the move.
    pub(crate) board: BoardBefore,
    /// `won by 4 before, lost by 2 after; c2 keeps it`.
    pub(crate) what: String,
    /// The ply of the move, from 1.
    pub(crate) ply: usize,
    /// The file name for the log.
    pub(crate) file: String,
    /// The log, without the name of the machine.
    pub(crate) log: String,
}

/// A board with the move that was played and a better one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoardBefore {
    /// The ranks from the top; each field is `.`, `b` or `w`.
    pub(crate) ranks: Vec<Vec<char>>,
    /// The side to move.
    pub(crate) side: Side,
    /// The move that was played.
    pub(crate) played: Move,
    /// A move that loses nothing, if one is known.
    pub(crate) better: Option<Move>,
}

/// The mark of a field of a [`BoardBefore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldMark {
    /// The destination of the stone in the played move.
    Played,
    /// The destination of the stone in the better move.
    Better,
    /// Both moves lead to this field.
    Both,
    /// Neither.
    Plain,
}

impl BoardBefore {
    /// The mark of the field in this row from the top and this file.
    pub(crate) fn mark(&self, row: usize, file: usize) -> FieldMark {
        let is_at = |played: Move| arrivals(played, self.ranks.len()).contains(&(row, file));
        match (is_at(self.played), self.better.is_some_and(is_at)) {
            (true, true) => FieldMark::Both,
            (true, false) => FieldMark::Played,
            (false, true) => FieldMark::Better,
            (false, false) => FieldMark::Plain,
        }
    }

    /// The board as text, with coordinates: the played stone in parentheses, and a star where the better one belongs.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (row, rank) in self.ranks.iter().enumerate() {
            let _ = write!(text, "{:>2} ", self.ranks.len() - row);
            for (file, &stone) in rank.iter().enumerate() {
                match self.mark(row, file) {
                    FieldMark::Played | FieldMark::Both => text.extend(['(', self.side.letter(), ')']),
                    FieldMark::Better => text += " * ",
                    FieldMark::Plain => text.extend([' ', stone, ' ']),
                }
            }
            text = text.trim_end().to_owned() + "\n";
        }
        let files = self.ranks.first().map_or(0, Vec::len);
        let letters = ('a'..='z').take(files).map(|letter| format!(" {letter} "));
        text + "   " + letters.collect::<String>().trim_end() + "\n"
    }

    /// Explains the marks.
    pub(crate) fn legend(&self) -> String {
        let better = self.better.map(|better| format!("; * is the better {better}")).unwrap_or_default();
        format!("({}) is your move {}{better}", self.side.letter(), self.played)
    }
}

/// The lost games that were decided by the clearest mistakes, from different opponents where possible.
pub(crate) fn lost_games(student: &StudentGrade) -> Vec<LostGame> {
    let mut decided: Vec<(&GradedGame, usize, &AnalyzedMove)> = student
        .losses()
        .filter(|game| game.repeats.is_none())
        .filter_map(|game| {
            let analysis = game.analysis.as_ref()?;
            let index = analysis.decisive()?;
            let analyzed = &analysis.moves[index];
            (analyzed.side == game.side && !analyzed.given).then_some((game, index, analyzed))
        })
        .collect();
    decided.sort_by_key(|(_, _, analyzed)| Reverse(clarity(analyzed)));
    let mut opponents = BTreeSet::new();
    let (first, again): (Vec<_>, Vec<_>) =
        decided.into_iter().partition(|(game, _, _)| opponents.insert(game.baseline.clone()));
    let chosen = first.into_iter().chain(again).take(SHOWN);
    chosen.map(|(game, index, analyzed)| lost_game(game, index, analyzed)).collect()
}

/// How clearly a move lost the game: whether it lost a won game rather than a drawn one, by how many stones, and whether a better
/// move is known.
fn clarity(analyzed: &AnalyzedMove) -> (bool, u32, bool) {
    let was_won = analyzed.before.is_some_and(|before| before.winner == Some(analyzed.side));
    (was_won, analyzed.lost().unwrap_or(0), analyzed.better.is_some())
}

fn lost_game(game: &GradedGame, index: usize, analyzed: &AnalyzedMove) -> LostGame {
    let [before, after] = [(analyzed.before, "before"), (analyzed.after, "after")]
        .map(|(value, when)| value.map(|value| format!("{} {when}", seen(value, analyzed.side))).unwrap_or_default());
    let better = analyzed.better.map(|better| format!("; {better} keeps it")).unwrap_or_default();
    let name = game.id.rsplit('/').next().unwrap_or(&game.id);
    LostGame {
        game: game.id.clone(),
        heading: format!("against {}, as {}", game.baseline, game.side),
        board: board_before(&game.record, index, analyzed),
        what: format!("{}: {before}, {after}{better}", game.record.numbered(index)),
        ply: index + 1,
        file: format!("{name}.log"),
        log: GameRecord { site: None, ..game.record.clone() }.to_string(),
    }
}

/// `value` from the point of view of `side`: `won by 4`, `drawn`, `lost`.
fn seen(value: Outcome, side: Side) -> String {
    let word = match value.winner {
        None => return "drawn".to_owned(),
        Some(winner) if winner == side => "won",
        Some(_) => "lost",
    };
    value.lead(side).map_or_else(|| word.to_owned(), |lead| format!("{word} by {}", lead.unsigned_abs()))
}

/// The board before the ply with this `index`.
fn board_before(record: &GameRecord, index: usize, analyzed: &AnalyzedMove) -> BoardBefore {
    let mut position = record.ruleset.start();
    for ply in &record.plies[..index] {
        // The game was analyzed, so its moves are legal.
        let _ = position.play(ply.played.as_str());
    }
    let ranks = position.to_string().lines().map(|line| line.chars().collect()).collect();
    BoardBefore { ranks, side: analyzed.side, played: analyzed.played, better: analyzed.better }
}
