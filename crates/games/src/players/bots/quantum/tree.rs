//! Positions of Quantum Gothello for the tree search.

use super::{on_lines, worth};
use crate::base::random::SplitMix64;
use crate::game::Seat;
use crate::game::quantum::points::{GoBoard, GoPoint, GoPoints};
use crate::game::quantum::{CountRule, Game, LegalTurn, Mode, PerSeat};
use crate::players::bots::mcts::{TreePosition, WHOLE};

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

    /// Plays random placements to the end of the part that the search covers. Returns each seat's share of [`WHOLE`]
    /// for its place, and the sum of its counts.
    fn random_result(&self, random: &mut SplitMix64) -> (PerSeat<i32>, PerSeat<i32>) {
        let whole = WHOLE.cast_signed();
        if self.game.is_over() {
            return (worth::shares(&self.game, &worth::merits(&self.game, None), whole), worth::counted(&self.game));
        }
        if self.horizon == Horizon::Squares {
            let counts = self.on_squares(random);
            return (worth::shares(&self.game, &counts, whole), counts);
        }
        let present = self.on_points(random);
        let counted = worth::counted(&self.game);
        let counts = PerSeat::from_fn(self.game.rules().seats(), |seat| counted[seat] + present[seat]);
        (worth::shares(&self.game, &worth::merits(&self.game, Some(present)), whole), counts)
    }

    /// Plays random placements to the end of the squares. Returns the sum of each seat's counts.
    fn on_squares(&self, random: &mut SplitMix64) -> PerSeat<i32> {
        let mut reached = self.clone();
        while !reached.has_ended() {
            let placements = reached.game.placements();
            let nth = usize::try_from(random.below(placements.len() as u64)).unwrap_or(0);
            reached.game.advance(placements.get(nth).copied().unwrap_or(LegalTurn::Pass));
        }
        worth::counted(&reached.game)
    }

    /// Plays random placements on the points to the end. Returns the resulting counts in Go.
    fn on_points(&self, random: &mut SplitMix64) -> PerSeat<i32> {
        let Some(board) = self.game.points() else { return PerSeat::default() };
        let mut played = board.clone();
        fill(&mut played, &self.game, random);
        if self.game.is_proof() {
            return on_lines::counts(&played, CountRule::Territory);
        }
        match self.game.rules().count() {
            CountRule::Area => on_lines::counts(&played, CountRule::Area),
            CountRule::Territory => territory_after(board, &played),
        }
    }
}

/// Returns the territory counts of the position `board`, assuming that the playout that ended in `played` shows which
/// stones are dead and to whom each point belongs. The stones placed in the playout do not count.
fn territory_after(board: &GoBoard, played: &GoBoard) -> PerSeat<i32> {
    let seats = board.seats();
    let (stones, territories) = (board.stones(), played.territories());
    let area = PerSeat::from_fn(seats, |seat| territories[seat] | played.stones().stones(seat));
    let all = area.of(seats).fold(GoPoints::default(), |all, (_, area)| all | *area);
    PerSeat::from_fn(seats, |seat| {
        let (own, area) = (stones.stones(seat), area[seat]);
        let surrounded = area.len() + (area & (stones.occupied() - own)).len() + board.prisoners()[seat];
        let not_lost = own - (all - area);
        surrounded.cast_signed() - not_lost.len().cast_signed()
    })
}

fn horizon(game: &Game) -> Horizon {
    match game.mode() {
        Some(Mode::Go) | None if game.is_proof() => Horizon::Proof,
        Some(Mode::Go) | None => Horizon::Points,
        Some(Mode::Reverse | Mode::Othello) => Horizon::Squares,
    }
}

/// Plays random placements on `board`, the points of `game`, until every seat can only fill its own eyes.
fn fill(board: &mut GoBoard, game: &Game, random: &mut SplitMix64) {
    let seats: Vec<Seat> = game.seats_in().collect();
    let mut in_turn = seats.iter().cycle().skip_while(|&&seat| seat != game.seat_to_move());
    let mut passes = 0;
    for _ in 0..PLIES_A_POINT * u32::from(board.size()).pow(2) {
        let Some(&seat) = in_turn.next() else { return };
        passes = if place_any(board, seat, random) { 0 } else { passes + 1 };
        if passes == seats.len() {
            return;
        }
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

    fn mover(&self) -> Seat {
        self.game.seat_to_move()
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

    /// The place determines most of the points. The lead determines the rest, so that a bot that is far ahead or behind
    /// still prefers better turns.
    fn playout(self, random: &mut SplitMix64) -> PerSeat<u32> {
        let lineup = self.game.rules().lineup();
        let most = i32::from(lineup.squares()).pow(2) + i32::from(lineup.points()).pow(2);
        let game = &self.game;
        let (shares, counts) = self.random_result(random);
        let [half, of_margin] = [WHOLE / 2, WHOLE / 10].map(u32::cast_signed);
        let others = i32::try_from(game.seats_in().skip(1).count()).unwrap_or(0).max(1);
        PerSeat::from_fn(lineup.seats(), |seat| {
            let of_place = (shares[seat] - half) * (half - of_margin) / half;
            let margin = worth::lead(game, &counts, seat) / others;
            (half + of_place + of_margin * margin.clamp(-most, most) / most).cast_unsigned()
        })
    }
}
