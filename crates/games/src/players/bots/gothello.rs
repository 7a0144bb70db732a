//! How the built-in bots choose moves in Gothello.

mod alphabeta;

use super::mcts::{self, TreePosition, shares};
use super::thinkable::Thinkable;
use crate::base::random::SplitMix64;
use crate::game::gothello::{Game, Point, points};
use crate::game::quantum::PerSeat;
use crate::game::{Move, Seat, Side};

impl Thinkable for Game {
    fn lead_after(&self, played: Move) -> i32 {
        lead(&self.after(played), self.side())
    }

    fn wins_by_passing(&self) -> bool {
        self.passed() && lead(self, self.side()) > 0
    }

    fn by_alphabeta(&self, depth: u32, random: &mut SplitMix64) -> Move {
        spelled(alphabeta::best(self, depth, random))
    }

    fn by_playouts(&self, playouts: u32, go_on: impl FnMut() -> bool, random: &mut SplitMix64) -> Move {
        spelled(mcts::best(self, playouts, go_on, random))
    }
}

/// Returns a placement as a move; `None` is the pass.
fn spelled(placement: Option<Point>) -> Move {
    placement.map_or(Move::PASS, Point::to_move)
}

/// Returns the stones of `side` minus its opponent's.
const fn lead(game: &Game, side: Side) -> i32 {
    side.own(game.board().margin())
}

impl TreePosition for Game {
    /// A placement; `None` is a pass.
    type Turn = Option<Point>;

    fn mover(&self) -> Seat {
        self.side().into()
    }

    fn has_ended(&self) -> bool {
        self.is_over()
    }

    fn each_turn(&self, mut add: impl FnMut(Self::Turn)) {
        points(self.placements()).for_each(|point| add(Some(point)));
        add(None);
    }

    fn play(&mut self, turn: Self::Turn) {
        *self = turn.map_or_else(|| self.pass(), |point| self.place(point));
    }

    /// Plays random placements to the end, with passes only if no placement is legal.
    fn playout(self, random: &mut SplitMix64) -> PerSeat<u32> {
        let mut game = self;
        while !game.is_over() {
            let placements = game.placements();
            let count = u64::from(placements.count_ones());
            let placement = usize::try_from(random.below(count)).ok().and_then(|nth| points(placements).nth(nth));
            game = placement.map_or_else(|| game.pass(), |point| game.place(point));
        }
        shares(Side::ahead(game.board().margin()))
    }
}
