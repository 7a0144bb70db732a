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
    /// The move, with the boards before and after it.
    pub(crate) decisive: DecisiveMove,
    /// `won by 4 before, lost by 2 after; c2 keeps it`.
    pub(crate) what: String,
    /// The ply of the move, from 1.
    pub(crate) ply: usize,
    /// The file name for the log.
    pub(crate) file: String,
    /// The log, without the name of the machine.
    pub(crate) log: String,
}

/// The ranks of a board from the top; each field is `.`, `b` or `w`.
pub(crate) type Ranks = Vec<Vec<char>>;

/// A move that lost a game, with a better move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecisiveMove {
    /// The board before the move.
    pub(crate) before: Ranks,
    /// The board after the move. Both boards have the same size.
    pub(crate) after: Ranks,
    /// The side to move.
    pub(crate) side: Side,
    /// The move that was played.
    pub(crate) played: Move,
    /// A move that loses nothing, if one is known.
    pub(crate) better: Option<Move>,
}

impl DecisiveMove {
    fn leads_to(&self, played: Move, place: (usize, usize)) -> bool {
        arrivals(played, self.before.len()).contains(&place)
    }

    /// Whether the move puts a stone on the field in `row`, counted from the top, and `file`.
    pub(crate) fn is_played(&self, row: usize, file: usize) -> bool {
        self.leads_to(self.played, (row, file))
    }

    /// Whether the better move puts a stone on the field in `row` and `file`.
    pub(crate) fn is_better(&self, row: usize, file: usize) -> bool {
        self.better.is_some_and(|better| self.leads_to(better, (row, file)))
    }

    /// The board before the move as text, with coordinates: the played stone is in parentheses, and a star marks the
    /// better move.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (row, rank) in self.before.iter().enumerate() {
            let _ = write!(text, "{:>2} ", self.before.len() - row);
            for (file, &stone) in rank.iter().enumerate() {
                if self.is_played(row, file) {
                    text.extend(['(', self.side.letter(), ')']);
                } else if self.is_better(row, file) {
                    text += " * ";
                } else {
                    text.extend([' ', stone, ' ']);
                }
            }
            text = text.trim_end().to_owned() + "\n";
        }
        let files = self.before.first().map_or(0, Vec::len);
        let letters = ('a'..='z').take(files).map(|letter| format!(" {letter} "));
        text + "   " + letters.collect::<String>().trim_end() + "\n"
    }

    /// Explains the marks on the board.
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

/// How clearly a move lost the game: whether it lost a won game rather than a drawn one, by how many stones, and
/// whether a better move is known.
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
        decisive: decisive(&game.record, index, analyzed),
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

/// The move at the ply with this `index`, with the boards before and after it.
fn decisive(record: &GameRecord, index: usize, analyzed: &AnalyzedMove) -> DecisiveMove {
    let ranks_after = |plies: usize| -> Ranks {
        let mut position = record.ruleset.start();
        for ply in &record.plies[..plies] {
            // The game was analyzed, so its moves are legal.
            let _ = position.play(ply.played.as_str());
        }
        position.to_string().lines().map(|line| line.chars().collect()).collect()
    };
    let [before, after] = [index, index + 1].map(ranks_after);
    DecisiveMove { before, after, side: analyzed.side, played: analyzed.played, better: analyzed.better }
}
