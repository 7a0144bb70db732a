//! What each turn of a game of Seegover was worth.
//!
//! The value of a position of the move phase is what the table says, as far as the history of the game cannot change it: a
//! repetition is a draw, so a position that would be won in a game of its own may be worth no more than that. Where this is
//! open, the values of the positions before and after it may still settle it, and else the value stays unknown.

use super::{Analysis, Mark, bound_by_next, bound_forwards};
use crate::exact::seegover::{Expert, Value};
use crate::exact::solver::Span;
use crate::game::rules::seegover::{FULL, Game, Options};
use crate::game::rules::{Move, Outcome, Side};
use crate::referee::record::GameRecord;

/// From this many stones on that are still to be dropped, an analysis does not search. Each further one takes four times as
/// long, and with this limit, a hundred games take less than a second.
pub const DROPS_SEARCHED: u32 = 10;

/// How many positions an analysis looks at to find out whether a win outlasts the history of the game.
const NODES: u32 = 100;

impl Analysis {
    /// Judges every move of `record`, a game of Seegover under the rules `options` whose moves must be legal. `expert` must be
    /// one for these rules.
    pub fn of_seegover(record: &GameRecord, options: Options, expert: &mut Expert) -> Self {
        let games = games_of(record, options);
        let values: Vec<Option<Value>> = games.iter().map(|game| value(expert, game)).collect();
        let mut spans: Vec<Span> = games
            .iter()
            .zip(&values)
            .map(|(game, value)| value.map_or(Span::OPEN, |value| span(expert, game, value)))
            .collect();
        bound_forwards(record, &mut spans);
        for index in (0..games.len()).rev() {
            bound_by_next(record, &mut spans, index);
            let winner = values[index].and_then(|value| value.winner);
            if let (None, Some(winner)) = (spans[index].winner(), winner)
                && games[index].board().is_full()
                && expert.outlasts(&games[index], winner, &mut NODES.clone())
            {
                spans[index] = Span::won_by(Some(winner));
            }
        }
        // The table knows no margins.
        let outcomes: Vec<Option<Outcome>> =
            spans.iter().map(|span| Some(Outcome { winner: span.winner()?, margin: None })).collect();
        let mut analysis = Self::of_values(record, &outcomes, |index| games[index].board().empty().count_ones());
        let depth = |index: usize| {
            let (value, outcome) = (values[index]?, outcomes[index]?);
            value.depth.filter(|_| value.winner == outcome.winner && games[index].board().is_full())
        };
        for (index, judged) in analysis.moves.iter_mut().enumerate() {
            judged.depths = [depth(index), depth(index + 1)];
            if judged.mark().is_some_and(|mark| mark != Mark::Kept) {
                judged.better = better(expert, &games[index], judged.before.and_then(|before| before.winner));
            }
        }
        analysis
    }
}

/// The positions of the game, each with the positions before it: the first, then one after each move.
fn games_of(record: &GameRecord, options: Options) -> Vec<Game> {
    let mut games = vec![Game::new(options)];
    for (index, ply) in record.plies.iter().enumerate() {
        let mut next = games[index].clone();
        // A checked record has legal moves only.
        let _ = crate::game::rules::Position::play(&mut next, ply.played.as_str());
        games.push(next);
    }
    games
}

/// What a position is worth by the table, or by a search of the last drops.
fn value(expert: &mut Expert, game: &Game) -> Option<Value> {
    if FULL.saturating_sub(game.board().count()) > DROPS_SEARCHED {
        return None;
    }
    if game.board().is_full() {
        return expert.value(game).ok();
    }
    Some(Value { winner: expert.winner(game).ok()?, depth: None })
}

/// What is certain about a position that a table says is worth `value`.
fn span(expert: &Expert, game: &Game, value: Value) -> Span {
    if expert.is_certain(game, value) {
        return Span::won_by(value.winner);
    }
    // At worst, a position repeats.
    match value.winner {
        Some(Side::Black) => Span { lower: 0, ..Span::OPEN },
        Some(Side::White) => Span { upper: 0, ..Span::OPEN },
        None => Span::won_by(None),
    }
}

/// A move that keeps `winner`: of several, one that wins soonest.
fn better(expert: &mut Expert, game: &Game, winner: Option<Side>) -> Option<Move> {
    let value = value(expert, game).filter(|value| value.winner == winner)?;
    Some(expert.best(game, value).ok()?.first()?.to_move())
}
