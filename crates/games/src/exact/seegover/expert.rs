//! The values of all positions of a game, and of the turns in them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::drops::DropSearch;
use super::opening::{Opening, least};
use super::table::Tablebase;
use super::worth::{Value, Worth};
use crate::exact::solver::{Span, Unsolved};
use crate::game::Side;
use crate::game::seegover::{Board, DropRule, Ending, Game, Options, Play};

/// Answers questions about Seegover: in the move phase, from the table; in the drop phase, by a search that ends in the
/// table.
///
/// The expert's rules are those of its table, combined with a drop rule. All games about which it is asked must have
/// these rules.
#[derive(Debug)]
pub struct Expert {
    rules: Options,
    table: Arc<Tablebase>,
    drops: DropSearch,
    opening: Option<&'static Opening>,
}

impl Expert {
    /// Creates an expert for games with the rules of `table` and the drop rule `drop`. If the program contains an
    /// opening for these rules, the expert uses it.
    pub fn new(table: Arc<Tablebase>, drop: DropRule) -> Self {
        let opening = Opening::embedded(table.rules().with(drop));
        Self { opening, ..Self::without_opening(table, drop) }
    }

    /// Creates an expert that does not use an opening.
    pub fn without_opening(table: Arc<Tablebase>, drop: DropRule) -> Self {
        Self { rules: table.rules().with(drop), drops: DropSearch::new(Arc::clone(&table), drop), table, opening: None }
    }

    /// The rules of the games that this expert supports.
    pub const fn rules(&self) -> Options {
        self.rules
    }

    /// Searches at most `nodes` nodes for each answer about the drop phase.
    #[must_use]
    pub fn within(self, nodes: u64) -> Self {
        Self { drops: self.drops.within(nodes), ..self }
    }

    /// Ends each later search of the drop phase soon after `stop` is raised.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { drops: self.drops.until(stop), ..self }
    }

    /// Calls `ask` with this expert, which meanwhile ignores the flag of [`Expert::until`].
    pub fn unstopped<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let stop = self.drops.set_stop(None);
        let answer = ask(self);
        self.drops.set_stop(stop);
        answer
    }

    /// A count that grows during a search of the drop phase: the approximate number of nodes searched so far.
    pub fn searched(&self) -> Arc<AtomicU64> {
        self.drops.searched()
    }

    /// The number of nodes searched in the drop phase.
    pub const fn nodes(&self) -> u64 {
        self.drops.nodes()
    }

    /// The winner of a position under best play by both sides; `None` if it is a draw. In the drop phase, this takes
    /// far less time than [`Expert::value`].
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn winner(&mut self, game: &Game) -> Result<Option<Side>, Unsolved> {
        self.winner_in(game, Span::OPEN)
    }

    /// Returns the same as [`Expert::winner`], given what is already `certain` about the outcome, which saves some of
    /// the search.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn winner_in(&mut self, game: &Game, certain: Span) -> Result<Option<Side>, Unsolved> {
        match self.known(game) {
            Some(value) => Ok(value.winner),
            None if self.is_won_by_opening(game) => Ok(Some(Side::Black)),
            None => self.drops.winner_in(game.board(), game.side(), certain),
        }
    }

    /// Whether the opening shows, without a search, that black wins.
    pub fn is_won_by_opening(&self, game: &Game) -> bool {
        self.opening.is_some_and(|opening| opening.is_won(game))
    }

    /// The winner of a position and the number of plies to the end.
    ///
    /// In the move phase, the value accounts for turns that immediately repeat a position. See [`Expert::is_certain`]
    /// and [`Expert::winner_in_history`] for the effect of the rest of the history.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn value(&mut self, game: &Game) -> Result<Value, Unsolved> {
        match self.known(game) {
            Some(value) => Ok(value),
            None => self.drops.value(game.board(), game.side()),
        }
    }

    /// A turn of the drop phase with which the side to move wins; `None` if that side cannot win.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn winning_drop(&mut self, game: &Game) -> Result<Option<Play>, Unsolved> {
        if let Some(known) = self.opening.and_then(|opening| opening.turn(game)) {
            return Ok(Some(known));
        }
        if !game.board().is_full() && self.winner(game)? == Some(game.side()) {
            for play in game.plays() {
                if self.winner(&game.after(play))? == Some(game.side()) {
                    return Ok(Some(play));
                }
            }
        }
        Ok(None)
    }

    /// Finds an opening of black's turns, and reports the number of its entries as it grows. Returns `None` if black
    /// does not win.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn find_opening(&mut self, mut tell: impl FnMut(usize)) -> Result<Option<Opening>, Unsolved> {
        /// With at least this many stones on the board, the search takes only a fraction of a second.
        const SEARCHED: u32 = 8;
        let mut opening = Opening::empty(self.rules);
        let mut boards = BTreeSet::from([Board::default()]);
        while boards.first().is_some_and(|board| board.count() < SEARCHED) {
            let mut next = BTreeSet::new();
            for board in boards {
                let game = opening.game(board);
                let Some(turn) = self.winning_drop(&game)? else { return Ok(None) };
                opening.add(board, turn);
                tell(opening.turns().count());
                let after = game.after(turn);
                next.extend(after.plays().into_iter().map(|answer| least(after.after(answer).board()).0));
            }
            boards = next;
        }
        Ok(Some(opening))
    }

    /// The turns that keep the winner and, if `value` contains it, the number of plies to the end: the turns with which
    /// the winner wins as early as possible, or the loser loses as late as possible. `value` must be the value of
    /// `game`.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn best(&mut self, game: &Game, value: Value) -> Result<Vec<Play>, Unsolved> {
        let mut best = Vec::new();
        for play in game.plays() {
            let after = game.after(play);
            let keeps = match (self.known(&after), value.depth) {
                (Some(known), depth) => {
                    known.winner == value.winner && depth.is_none_or(|depth| known.depth == Some(depth - 1))
                }
                (None, None) => self.winner(&after)? == value.winner,
                (None, Some(depth)) => {
                    let kept = Value { depth: Some(depth - 1), ..value };
                    self.drops.is_as_good(after.board(), after.side(), kept)?
                }
            };
            if keeps {
                best.push(play);
            }
        }
        Ok(best)
    }

    /// The value after each turn.
    ///
    /// # Errors
    /// Returns an error if a limit is reached, which happens only in the drop phase.
    pub fn turns(&mut self, game: &Game) -> Result<Vec<(Play, Value)>, Unsolved> {
        game.plays().into_iter().map(|play| Ok((play, self.value(&game.after(play))?))).collect()
    }

    /// Whether the history of `game` cannot change `value`, the value of its current position.
    ///
    /// A repetition ends the game in a draw, so a win can become a draw. It remains a win if no earlier position was
    /// won for the same side in fewer plies: the winner's best turns lead only through positions that are won in fewer
    /// plies, so none of these has occurred before.
    pub fn is_certain(&self, game: &Game, value: Value) -> bool {
        let Some((winner, depth)) = value.winner.zip(value.depth) else { return true };
        game.occurred().all(|(board, to_move)| {
            let earlier = self.in_table(board, to_move);
            earlier.is_none_or(|earlier| earlier.winner != Some(winner) || earlier.depth >= Some(depth))
        })
    }

    /// The value of a position that is over or in the move phase.
    fn known(&self, game: &Game) -> Option<Value> {
        match game.ending() {
            Some(Ending::Won(side)) => return Some(Value { winner: Some(side), depth: Some(0) }),
            Some(Ending::Repeated | Ending::NoTurn) => return Some(Value { winner: None, depth: None }),
            None => {}
        }
        let (view, to_move) = (game.view(), game.side());
        let mut best: Option<Worth> = None;
        view.each_turn(game.rules(), |_, after| {
            let next = Board::of(to_move, after);
            let is_repeated = game.has_occurred(next, to_move.opponent());
            let worth =
                self.table.worth(after.swapped()).map(|worth| if is_repeated { Worth::Drawn } else { worth.before() });
            if best.is_none_or(|best| worth.is_some_and(|worth| worth.rank() > best.rank())) {
                best = worth;
            }
        });
        best.map(|worth| worth.seen_by(to_move))
    }

    fn in_table(&self, board: Board, to_move: Side) -> Option<Value> {
        self.table.worth(board.view(to_move)).map(|worth| worth.seen_by(to_move))
    }
}
