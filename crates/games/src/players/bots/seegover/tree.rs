//! Positions of Seegover for the tree search.

use super::{each_turn, has_occurred, loser};
use crate::base::random::SplitMix64;
use crate::game::quantum::PerSeat;
use crate::game::seegover::{Ending, Game, Play, View};
use crate::game::{Seat, Side};
use crate::players::bots::mcts::{TreePosition, shares};

/// The number of plies at which a playout counts as a draw. Of a thousand games of random turns, the longest took 180
/// plies.
const LONGEST: u32 = 250;

/// A position that the search has reached from `game`.
#[derive(Clone, Copy)]
pub(super) struct InTree<'g> {
    game: &'g Game,
    view: View,
    side: Side,
    ending: Option<Ending>,
}

impl<'g> InTree<'g> {
    /// The position of `game`, which must not be over.
    pub(super) const fn root(game: &'g Game) -> Self {
        Self { game, view: game.view(), side: game.side(), ending: None }
    }

    fn next(&self, view: View) -> Self {
        let side = self.side.opponent();
        let won = loser(view, side).map(|loser| Ending::Won(loser.opponent()));
        let ending = won.or_else(|| has_occurred(self.game, view, side).then_some(Ending::Repeated));
        Self { view, side, ending, ..*self }
    }

    /// Plays random turns to the end, or for [`LONGEST`] plies, and returns the winner.
    fn random_winner(self, random: &mut SplitMix64) -> Option<Side> {
        match self.ending {
            Some(Ending::Won(winner)) => return Some(winner),
            Some(Ending::Repeated | Ending::NoTurn) => return None,
            None => {}
        }
        let (mut view, mut side) = (self.view, self.side);
        for _ in 0..LONGEST {
            let (mut chosen, mut turns) = (view, 0);
            each_turn(view, self.game.rules(), |_, after| {
                turns += 1;
                if random.below(turns) == 0 {
                    chosen = after;
                }
            });
            (view, side) = (chosen, side.opponent());
            if let Some(loser) = loser(view, side) {
                return Some(loser.opponent());
            }
        }
        None
    }
}

impl TreePosition for InTree<'_> {
    type Turn = Play;

    fn mover(&self) -> Seat {
        self.side.into()
    }

    fn has_ended(&self) -> bool {
        self.ending.is_some()
    }

    fn each_turn(&self, mut add: impl FnMut(Play)) {
        if (self.view, self.side) == (self.game.view(), self.game.side()) {
            // The rule against cycles can forbid some of the turns, and the search must choose a legal one.
            self.game.plays().into_iter().for_each(add);
        } else {
            each_turn(self.view, self.game.rules(), |play, _| add(play));
        }
    }

    fn play(&mut self, turn: Play) {
        *self = self.next(self.view.after(turn, self.game.rules()).swapped());
    }

    fn playout(self, random: &mut SplitMix64) -> PerSeat<u32> {
        shares(self.random_winner(random))
    }
}
