//! What each move of a game was worth, by exact values of the positions before and after it.
//!
//! Values are asked for from the end of the game backwards, as positions grow harder to solve towards its beginning: what can't
//! be solved in time stays unmarked, and is never guessed.

mod accuracy;

use std::fmt;

use serde::Serialize;

pub use accuracy::{Accuracy, Phase, Tally};

use crate::record::{GameRecord, verdict};
use crate::rules::gothello::{Game, Point};
use crate::rules::{Move, Side};

/// Margins are asked for from so many empty points on; with more, only who wins.
pub const MARGIN_FROM: u32 = 17;

/// What a position comes to with best play by both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Who wins; `None` is a draw.
    pub winner: Option<Side>,
    /// Black's stones minus white's at the end, where that is known.
    pub margin: Option<i32>,
}

impl Value {
    /// The value of a position of which only the margin has to be known.
    pub const fn of_margin(margin: i32) -> Self {
        let winner = match margin {
            1.. => Some(Side::Black),
            0 => None,
            _ => Some(Side::White),
        };
        Self { winner, margin: Some(margin) }
    }

    /// The margin as `side` sees it.
    fn lead(self, side: Side) -> Option<i32> {
        self.margin.map(|margin| if side == Side::Black { margin } else { -margin })
    }
}

/// `black wins by 3`, `white wins`, `draw`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.winner, self.margin) {
            (None, _) => f.write_str("draw"),
            (Some(winner), None) => write!(f, "{winner} wins"),
            (Some(winner), Some(margin)) => write!(f, "{winner} wins by {}", margin.unsigned_abs()),
        }
    }
}

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

    /// What there is to say of it in a log: `blunder: white wins by 1 instead of black by 3`; nothing of a move that kept all.
    /// Not longer than a note may be.
    pub fn comment(&self) -> Option<String> {
        let (before, after) = (self.before?, self.after?);
        let could_be = match (before.winner, before.margin) {
            (None, _) => "a draw".to_owned(),
            (Some(winner), None) => winner.to_string(),
            (Some(winner), Some(margin)) => format!("{winner} by {}", margin.unsigned_abs()),
        };
        match self.mark()? {
            Mark::Kept => None,
            Mark::LostStones => Some(format!("lost {}: {after} instead of {could_be}", counted(self.lost()?, "stone"))),
            Mark::Blunder => Some(format!("blunder: {after} instead of {could_be}")),
        }
    }
}

/// A game with its moves judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The moves, black's first.
    pub moves: Vec<Judged>,
}

impl Analysis {
    /// Judges every move of `record`, whose moves must be legal: a record that holds. `value` is asked for the value of one
    /// position after the other, the last first, and says `None` when it can't tell; it may then still be asked again.
    pub fn of(record: &GameRecord, mut value: impl FnMut(&Game) -> Option<Value>) -> Self {
        let mut game = Game::default();
        let mut games = vec![game];
        for ply in &record.plies {
            game = next(&game, ply.played);
            games.push(game);
        }
        let mut values: Vec<Option<Value>> = games.iter().rev().map(&mut value).collect();
        values.reverse();
        let moves = record.plies.iter().enumerate().map(|(index, ply)| Judged {
            side: GameRecord::side_of(index),
            played: ply.played,
            empty: games[index].board().empty().count_ones(),
            given: index < record.opening_plies,
            before: values[index],
            after: values[index + 1],
        });
        Self { moves: moves.collect() }
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

/// The game after a legal move.
fn next(game: &Game, played: Move) -> Game {
    Point::parse(played.as_str()).map_or_else(|| game.pass(), |point| game.place(point))
}

/// One line on how the game was decided.
pub fn turning_point(record: &GameRecord, analysis: &Analysis) -> String {
    let ended = verdict(&record.result);
    match analysis.decisive() {
        Some(index) => {
            let judged = &analysis.moves[index];
            let number = crate::record::numbered(index, judged.played);
            let player = &record.players[judged.side];
            format!("{ended}; decided by {number} of {player} ({})", judged.comment().unwrap_or_default())
        }
        None if analysis.moves.iter().all(|judged| judged.mark().is_some()) => {
            format!("{ended}; no move changed who wins")
        }
        None => format!("{ended}; what decided it lies before what could be solved, if anything did"),
    }
}
