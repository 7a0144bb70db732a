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

/// With more than this many stones still to be dropped, an analysis does not search. Each further one takes four times as
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

/// The number of empty squares in each position of the game.
pub(super) fn empty_squares(record: &GameRecord, options: Options) -> Vec<u32> {
    games_of(record, options).iter().map(|game| game.board().empty().count_ones()).collect()
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::exact::seegover::{Tablebase, Worth};
    use crate::game::rules::{BySide, Position as _, Ruleset};
    use crate::referee::record::{Ply, Tries};
    use crate::referee::result::GameResult;
    use crate::results::report::{analysis_json, analysis_text};

    /// A random game of the reference program that ends by the fifth stone, and its winner.
    fn won() -> (GameRecord, Game) {
        let lines = include_str!("../../../tests/data/seegover/games_seegover.txt").lines();
        let line = lines.filter(|line| !line.starts_with('#')).find(|line| line.ends_with(";stones")).expect("a game");
        let mut game = Game::new(Options::DEFAULT);
        let mut plies = Vec::new();
        for text in line.split(';').next().expect("turns").split(' ') {
            let side = game.side();
            let played = game.play(text).expect("legal");
            plies.push(Ply {
                side,
                played,
                elapsed: None,
                left: None,
                late_credit: false,
                tries: Tries::default(),
                note: None,
            });
        }
        let result = GameResult::played(game.outcome().expect("over"));
        let players = BySide { black: "b".to_owned(), white: "w".to_owned() };
        let ruleset = Ruleset::Seegover(Options::DEFAULT);
        (GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(result)) }, game)
    }

    #[test]
    fn the_move_that_lets_a_draw_go_is_marked_and_nothing_else() {
        let (record, end) = won();
        let games = games_of(&record, Options::DEFAULT);
        let winner = end.outcome().and_then(|outcome| outcome.winner).expect("a winner");
        // All is drawn but the end of this game and the position before it.
        let last = &games[games.len() - 2];
        let table = Tablebase::drawn_but([(end.view(), Worth::Lost(0)), (last.view(), Worth::Won(1))]);
        let mut expert = Expert::new(Arc::new(table), Options::DEFAULT).expect("its rules");
        let analysis = Analysis::of_seegover(&record, Options::DEFAULT, &mut expert);
        let blunder = record.plies.len() - 2;
        for (index, judged) in analysis.moves.iter().enumerate() {
            let drops = FULL.saturating_sub(games[index].board().count());
            let expected = match index {
                _ if drops > DROPS_SEARCHED => None,
                _ if index == blunder => Some(Mark::Blunder),
                _ => Some(Mark::Kept),
            };
            assert_eq!(judged.mark(), expected, "ply {}", index + 1);
        }
        assert_eq!(analysis.decisive(), Some(blunder));
        let judged = &analysis.moves[blunder];
        assert_eq!(
            (judged.before.map(|value| value.winner), judged.after.map(|value| value.winner)),
            (Some(None), Some(Some(winner)))
        );
        assert_eq!(judged.depths, [None, Some(1)]);
        let better = judged.better.expect("a turn that draws");
        assert!(better != judged.played && games[blunder].legal_moves().contains(&better));
        let comment = judged.comment().expect("a comment");
        assert_eq!(comment, format!("blunder: {winner} wins instead of a draw ({better})"));
        assert!(analysis_text::game(&record, &analysis).contains(&format!("{winner} wins in 1")));
        assert!(analysis_json::game_json("a.log", &record, &analysis).contains("\"depth_after\":1"));
    }

    #[test]
    fn a_draw_by_repetition_shows_that_the_win_was_gone() {
        // Black could win in three by the table, but the position has been won in one before.
        let (record, end) = won();
        let games = games_of(&record, Options::DEFAULT);
        let winner = end.outcome().and_then(|outcome| outcome.winner).expect("a winner");
        let (early, late) = (&games[games.len() - 4], &games[games.len() - 2]);
        assert_eq!((early.side(), late.side()), (winner, winner));
        let mut ways = Vec::new();
        late.view().each_turn(late.rules(), |_, after| ways.push((after.swapped(), Worth::Lost(2))));
        let table = Tablebase::drawn_but(ways.into_iter().chain([(early.view(), Worth::Won(1))]));
        let mut expert = Expert::new(Arc::new(table), Options::DEFAULT).expect("its rules");
        let value = expert.value(late).expect("in the table");
        assert_eq!(value.winner, Some(winner));
        let open =
            if winner == Side::Black { Span { lower: 0, ..Span::OPEN } } else { Span { upper: 0, ..Span::OPEN } };
        assert_eq!(span(&expert, late, value), open);
        assert_eq!(span(&expert, late, Value { winner: None, depth: None }), Span::won_by(None));
    }
}
