//! What each move of a game was worth, by exact values of the positions before and after it.
//!
//! Values are asked for from the end of the game backwards, as positions grow harder to solve towards its beginning: what can't
//! be solved in time stays unmarked, and is never guessed.

mod accuracy;

use serde::Serialize;

pub use accuracy::{Accuracy, Phase, Tally};

use crate::exact::solver::{Question, Span, Value};
use crate::game::rules::gothello::Game;
use crate::game::rules::{Move, Side};
use crate::referee::record::{GameRecord, numbered, verdict};

/// Margins are asked for from so many empty points on; with more, only who wins.
pub const MARGIN_FROM: u32 = 17;

/// What a move did to the value of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing, as far as is known: the same winner, and the same margin where both margins are known.
    Kept,
    /// It changed by how much, and not who wins.
    LostStones,
    /// It changed who wins.
    Blunder,
}

/// One move, judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Who moved.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// The empty points before it.
    pub empty: u32,
    /// Whether it was given by the opening, so that nobody is to blame for it.
    pub given: bool,
    /// The value before it, if it was solved.
    pub before: Option<Value>,
    /// The value after it, if it was solved.
    pub after: Option<Value>,
    /// After a move that lost something, one that would have lost nothing, if it was found.
    pub better: Option<Move>,
}

impl Judged {
    /// What the move did; `None` where a value is missing.
    pub fn mark(&self) -> Option<Mark> {
        let (before, after) = (self.before?, self.after?);
        Some(if before.winner != after.winner {
            Mark::Blunder
        } else if self.lost().is_some_and(|lost| lost > 0) {
            Mark::LostStones
        } else {
            Mark::Kept
        })
    }

    /// How many stones of margin it gave away, where both margins are known.
    pub fn lost(&self) -> Option<u32> {
        let lost = self.before?.lead(self.side)? - self.after?.lead(self.side)?;
        // Best play is never beaten, so that nothing can be gained.
        u32::try_from(lost).ok()
    }

    /// What there is to say of it in a log: `blunder: white wins by 1 instead of black by 3 (c2)`; nothing of a move that kept
    /// all. Not longer than a note may be.
    pub fn comment(&self) -> Option<String> {
        let (before, after) = (self.before?, self.after?);
        let could_be = match (before.winner, before.margin) {
            (None, _) => "a draw".to_owned(),
            (Some(winner), None) => winner.to_string(),
            (Some(winner), Some(margin)) => format!("{winner} by {}", margin.unsigned_abs()),
        };
        let what = match self.mark()? {
            Mark::Kept => return None,
            Mark::LostStones => format!("lost {}", counted(self.lost()?, "stone")),
            Mark::Blunder => "blunder".to_owned(),
        };
        let better = self.better.map(|better| format!(" ({better})")).unwrap_or_default();
        Some(format!("{what}: {after} instead of {could_be}{better}"))
    }
}

/// A game with its moves judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The moves, black's first.
    pub moves: Vec<Judged>,
}

impl Analysis {
    /// Judges every move of `record`, whose moves must be legal: a record that holds.
    ///
    /// `known` says the value of a position where that is known without a search. `ask` is asked about one position after the
    /// other, the last first, with what is certain so far and what is wanted; it says what is certain then, or `None` when
    /// it can't tell, and may then still be asked again. It is not asked what follows from other values: nobody gains by a
    /// move, so that a game that is won after its winner's move was won before it.
    pub fn of(
        record: &GameRecord,
        known: impl Fn(&Game) -> Option<Value>,
        mut ask: impl FnMut(&Game, Span, Question) -> Option<Span>,
    ) -> Self {
        let mut game = Game::default();
        let mut games = vec![game];
        for ply in &record.plies {
            game = game.after(ply.played);
            games.push(game);
        }
        let mut spans: Vec<Span> = games.iter().map(|game| known(game).map_or(Span::OPEN, Value::span)).collect();
        for index in 0..record.plies.len() {
            spans[index + 1] = spans[index + 1].and(spans[index].after(GameRecord::side_of(index)));
        }
        for index in (0..games.len()).rev() {
            if let Some(&later) = spans.get(index + 1) {
                spans[index] = spans[index].and(later.before(GameRecord::side_of(index)));
            }
            let wanted = wanted(&games[index]);
            if !spans[index].answers(wanted)
                && let Some(found) = ask(&games[index], spans[index], wanted)
            {
                spans[index] = spans[index].and(found);
            }
        }
        let values: Vec<Option<Value>> = spans.into_iter().map(Value::of).collect();
        let moves = record.plies.iter().enumerate().map(|(index, ply)| Judged {
            side: GameRecord::side_of(index),
            played: ply.played,
            empty: games[index].board().empty().count_ones(),
            given: index < record.opening_plies,
            before: values[index],
            after: values[index + 1],
            better: None,
        });
        Self { moves: moves.collect() }
    }

    /// Adds to every move that lost something one that would not have, as far as `ask` tells: it is asked for a move that
    /// keeps the margin or who wins, of the last such position first.
    pub fn suggest(&mut self, record: &GameRecord, mut ask: impl FnMut(&Game, Question) -> Option<Move>) {
        let mut game = Game::default();
        let mut wanting = Vec::new();
        for (judged, ply) in self.moves.iter_mut().zip(&record.plies) {
            if judged.mark().is_some_and(|mark| mark != Mark::Kept) {
                let exact = judged.before.is_some_and(|before| before.margin.is_some());
                wanting.push((game, if exact { Question::Margin } else { Question::Winner }, judged));
            }
            game = game.after(ply.played);
        }
        for (game, question, judged) in wanting.into_iter().rev() {
            judged.better = ask(&game, question);
        }
    }

    /// The index of the move after which the game had been decided for good: the last that changed who wins. `None` if there
    /// is none, or if some move after it could not be judged.
    pub fn decisive(&self) -> Option<usize> {
        let changes = |judged: &Judged| judged.mark().is_none_or(|mark| mark == Mark::Blunder);
        let index = self.moves.iter().rposition(changes)?;
        (self.moves[index].mark() == Some(Mark::Blunder)).then_some(index)
    }

    /// The same record with a comment at every move that lost something.
    pub fn annotate(&self, mut record: GameRecord) -> GameRecord {
        for (ply, judged) in record.plies.iter_mut().zip(&self.moves) {
            ply.note = judged.comment();
        }
        record
    }
}

/// `1 stone`, `2 stones`.
fn counted(number: u32, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// What is wanted of a position.
const fn wanted(game: &Game) -> Question {
    if game.board().empty().count_ones() <= MARGIN_FROM { Question::Margin } else { Question::Winner }
}

/// How the game was decided, in a sentence.
pub fn turning_point(record: &GameRecord, analysis: &Analysis) -> String {
    let ended = verdict(&record.result);
    if let Some(last) = analysis.moves.last()
        && let (Ok(result), Some(stood)) = (&record.result, last.after)
        && result.winner() != stood.winner
    {
        return format!("{ended}; from the last position, {stood} with best play");
    }
    let unknown = analysis.moves.iter().rposition(|judged| judged.mark().is_none());
    match (analysis.decisive(), unknown) {
        (Some(index), _) => {
            let judged = &analysis.moves[index];
            let number = numbered(index, judged.played);
            format!("{ended}, decided by {number} of {}", record.players[judged.side])
        }
        (None, None) => format!("{ended}, and no move changed who wins"),
        (None, Some(index)) if index + 1 < analysis.moves.len() => {
            format!("{ended}; no move after ply {} changed who wins, and those up to it are not all judged", index + 1)
        }
        (None, Some(_)) => format!("{ended}; the last positions are not solved"),
    }
}
