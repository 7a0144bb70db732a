//! Games of Gothello in which turned stones are tracked, together with the board of a bot that does not turn any
//! stones.

use crate::exact::solvable;
use crate::game::gothello::{Board, Game, Point, Points, flood, points};
use crate::game::{Move, Ruleset, Side};

/// A game, and its board as it would be without captures: every stone still has the colour of the player that placed
/// it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turning {
    pub(super) game: Game,
    unturned: Board,
}

impl Turning {
    /// The game after `moves`, which must be legal; `None` unless `ruleset` is Gothello.
    pub(super) fn after(ruleset: Ruleset, moves: impl IntoIterator<Item = Move>) -> Option<Self> {
        // The solver supports only Gothello.
        let game = solvable::position(ruleset, []).ok()?;
        Some(moves.into_iter().fold(Self { game, unturned: game.board() }, |now, played| now.play(played)))
    }

    /// The game after a legal move.
    pub(super) fn play(&self, played: Move) -> Self {
        match Point::parse(played.as_str()) {
            Some(point) => self.place(point),
            None => Self { game: self.game.pass(), unturned: self.unturned },
        }
    }

    /// The game after a legal placement.
    pub(super) fn place(&self, point: Point) -> Self {
        let [mut black, mut white] = Side::BOTH.map(|side| self.unturned.stones(side));
        match self.game.side() {
            Side::Black => black |= point.bit(),
            Side::White => white |= point.bit(),
        }
        // Both boards have stones on the same points.
        Self { game: self.game.place(point), unturned: Board::new(black, white).unwrap_or_default() }
    }

    /// The points on which the side to move may place a stone.
    pub(super) const fn placements(&self) -> Points {
        self.game.placements()
    }

    /// The points on which the side to move could place a stone if no stone had ever turned.
    pub(super) const fn placements_unturned(&self) -> Points {
        self.unturned.placements(self.game.side())
    }

    /// Whether the side to move may place a stone, but only on points that are legal because stones have turned.
    pub(super) const fn depends_on_turned(&self) -> bool {
        self.placements() != 0 && self.placements() & self.placements_unturned() == 0
    }

    /// The sizes of the groups that turned in the step from `self` to `next`.
    pub(super) fn turned_until(&self, next: &Self) -> Vec<u32> {
        let side = self.game.side().opponent();
        let mut left = self.game.board().stones(side) & !next.game.board().stones(side);
        let mut sizes = Vec::new();
        while let Some(point) = points(left).next() {
            let group = flood(point.bit(), left);
            sizes.push(group.count_ones());
            left &= !group;
        }
        sizes
    }
}
