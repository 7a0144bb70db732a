//! The points of a game: Go, from its first turn to the count.

use super::choices::{CountRule, SuicideRule};
use super::options::QuantumRules;
use super::points::{Arrangement, GoBoard, GoPoint, GoRules, handicap_points};
use super::seats::{PerSeat, Seat};

/// The points, and the seats that have passed.
#[derive(Clone, Debug)]
pub(super) struct PointLayer {
    board: GoBoard,
    /// The seats that have passed since the last placement, one bit for each seat.
    passed: u8,
}

impl PointLayer {
    /// Creates the points when Go begins. `before` is the seat before the one to move.
    pub(super) fn new(rules: &QuantumRules, before: Seat) -> Self {
        let size = rules.lineup().points();
        let mut stones = Arrangement::default();
        if let Some(handicap) = rules.handicap() {
            for point in handicap_points(size, handicap.stones).unwrap_or_default() {
                stones.put(handicap.seat, point);
            }
        }
        let options = GoRules { ko: rules.ko(), suicide: rules.suicide() == SuicideRule::Allowed };
        let board = GoBoard::new(size, rules.seats(), options, &stones, before);
        // Stones on the fixed points have liberties.
        Self::of(board.expect("stones with liberties"))
    }

    /// Creates the layer with the points `board`, before the first turn.
    pub(super) const fn of(board: GoBoard) -> Self {
        Self { board, passed: 0 }
    }

    /// The stones.
    pub(super) const fn board(&self) -> &GoBoard {
        &self.board
    }

    /// Places a stone, which must be legal.
    pub(super) fn place(&mut self, seat: Seat, point: GoPoint) {
        let played = self.board.play(seat, point);
        debug_assert_eq!(played, Ok(()), "a legal turn");
        self.passed = 0;
    }

    /// Makes `seat` pass.
    pub(super) fn pass(&mut self, seat: Seat) {
        self.board.pass(seat);
        self.passed |= 1 << seat.index();
    }

    /// Whether each of `seats` has passed since the last placement.
    pub(super) fn have_passed(&self, seats: &[Seat]) -> bool {
        seats.iter().all(|seat| self.passed >> seat.index() & 1 == 1)
    }

    /// Stops Go, or ends the proof. Returns whether the proof begins now.
    pub(super) fn stop(&mut self, count: CountRule) -> bool {
        let begins = count == CountRule::Territory && self.board.proof_stones().is_none();
        if begins {
            self.board.begin_proof();
            self.passed = 0;
        }
        begins
    }

    /// The count of each seat.
    pub(super) fn count(&self, count: CountRule) -> PerSeat<u16> {
        let (area, territory) = (self.board.area(), self.board.territory());
        PerSeat::from_fn(self.board.seats(), |seat| {
            let count = match count {
                CountRule::Area => area[seat],
                CountRule::Territory => territory[seat] + self.board.prisoners()[seat],
            };
            u16::try_from(count).unwrap_or(u16::MAX)
        })
    }
}
