//! Positions of Quantum Gothello for the tree search.

use super::{on_lines, worth};
use crate::base::random::SplitMix64;
use crate::game::quantum::points::{GoBoard, GoPoint, GoPoints};
use crate::game::quantum::{CountRule, Game, LegalTurn, Mode, Seat};
use crate::game::{Position as _, Side};
use crate::players::bots::mcts::{TreePosition, WHOLE, share};

/// A playout on points ends after this number of plies per point.
const PLIES_A_POINT: u32 = 3;

/// The part of a game that a search covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Horizon {
    /// The squares. The rest of the game is independent of them.
    Squares,
    /// The points until Go stops. Playouts determine which stones are dead.
    Points,
    /// The proof.
    Proof,
}

/// A position that the search has reached.
#[derive(Clone)]
pub(super) struct Reached {
    game: Game,
    horizon: Horizon,
}

impl Reached {
    /// The position of `game`, which must not be over.
    pub(super) fn root(game: &Game) -> Self {
        Self { game: game.clone(), horizon: horizon(game) }
    }

    /// Plays random placements to the end of the part that the search covers. Returns the winner and the margin of all
    /// counts.
    fn random_result(self, random: &mut SplitMix64) -> (Option<Side>, i32) {
        if let Some(outcome) = self.game.outcome() {
            return (outcome.winner, worth::counted_margin(&self.game));
        }
        if self.horizon == Horizon::Squares {
            let margin = self.on_squares(random);
            return (Side::ahead(margin), margin);
        }
        let present = self.on_points(random);
        (worth::winner(&self.game, Some(present)), worth::counted_margin(&self.game) + present)
    }

    /// Plays random placements to the end of the squares. Returns the margin of all counts.
    fn on_squares(mut self, random: &mut SplitMix64) -> i32 {
        while !self.has_ended() {
            let placements = self.game.placements();
            let nth = usize::try_from(random.below(placements.len() as u64)).unwrap_or(0);
            self.game.advance(placements.get(nth).copied().unwrap_or(LegalTurn::Pass));
        }
        worth::counted_margin(&self.game)
    }

    /// Plays random placements on the points to the end. Returns the resulting margin in Go.
    fn on_points(&self, random: &mut SplitMix64) -> i32 {
        let Some(board) = self.game.points() else { return 0 };
        let placed_more = placed_more(board);
        let mut played = board.clone();
        fill(&mut played, self.game.seat_to_move(), random);
        if self.game.is_proof() {
            return on_lines::margin(&played, CountRule::Territory);
        }
        let area = on_lines::margin(&played, CountRule::Area);
        match self.game.rules().count() {
            CountRule::Area => area,
            // The two counts differ by how many more stones one side has placed. In the playout, both sides place the
            // same number, except on neutral points.
            CountRule::Territory => area - placed_more,
        }
    }
}

fn horizon(game: &Game) -> Horizon {
    match game.mode() {
        Some(Mode::Go) | None if game.is_proof() => Horizon::Proof,
        Some(Mode::Go) | None => Horizon::Points,
        Some(Mode::Reverse | Mode::Othello) => Horizon::Squares,
    }
}

/// Returns how many more stones black has placed than white, including those that were taken.
fn placed_more(board: &GoBoard) -> i32 {
    let [black, white] = Side::BOTH.map(|side| {
        let seat = Seat::from(side);
        board.stones().stones(seat).len() + board.prisoners()[seat.next(board.seats())]
    });
    black.cast_signed() - white.cast_signed()
}

/// Plays random placements on `board` until neither side has one that does not fill its own eyes. `seat` is to move.
fn fill(board: &mut GoBoard, mut seat: Seat, random: &mut SplitMix64) {
    let mut passes = 0;
    for _ in 0..PLIES_A_POINT * u32::from(board.size()).pow(2) {
        passes = if place_any(board, seat, random) { 0 } else { passes + 1 };
        if passes == 2 {
            return;
        }
        seat = seat.next(board.seats());
    }
}

/// Places a stone of `seat` on a random point that is not an eye. Returns whether there was such a point; if not,
/// `seat` has passed.
fn place_any(board: &mut GoBoard, seat: Seat, random: &mut SplitMix64) -> bool {
    let mut left = board.empty();
    while let Some(point) = any_of(left, random) {
        if !on_lines::is_eye(board, seat, point) && board.play(seat, point).is_ok() {
            return true;
        }
        left.remove(point);
    }
    board.pass(seat);
    false
}

fn any_of(points: GoPoints, random: &mut SplitMix64) -> Option<GoPoint> {
    points.nth(u32::try_from(random.below(points.len().into())).unwrap_or(0))
}

impl TreePosition for Reached {
    type Turn = LegalTurn;

    fn mover(&self) -> Side {
        self.game.to_move()
    }

    fn has_ended(&self) -> bool {
        self.game.is_over() || horizon(&self.game) != self.horizon
    }

    fn each_turn(&self, mut add: impl FnMut(LegalTurn)) {
        let seat = self.game.seat_to_move();
        let is_eye = |turn: LegalTurn| match (turn, self.game.points()) {
            (LegalTurn::Point(point), Some(board)) => on_lines::is_eye(board, seat, point),
            _ => false,
        };
        self.game.placements().into_iter().filter(|&turn| !is_eye(turn)).for_each(&mut add);
        if self.game.may_pass() {
            add(LegalTurn::Pass);
        }
    }

    fn play(&mut self, turn: LegalTurn) {
        self.game.advance(turn);
    }

    /// The result determines most of the points. The margin determines the rest, so that a bot that is far ahead or
    /// behind still prefers better turns.
    fn playout(self, random: &mut SplitMix64) -> u32 {
        let lineup = self.game.rules().lineup();
        let most = i32::from(lineup.squares()).pow(2) + i32::from(lineup.points()).pow(2);
        let (winner, margin) = self.random_result(random);
        let [half, of_margin] = [WHOLE / 2, WHOLE / 10].map(u32::cast_signed);
        let of_result = share(winner).cast_signed() - half;
        let black = half + of_result * (half - of_margin) / half + of_margin * margin.clamp(-most, most) / most;
        black.cast_unsigned()
    }
}
