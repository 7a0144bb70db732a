//! The turns of Go mode.

use thiserror::Error;

use super::arrangement::{Arrangement, Stone, stone_key};
use super::chains::{Chains, Effect, Spot};
use super::geometry::GoPoint;
use super::past::{Past, PastTurn, Prospect};
use super::repetition::KoRule;
use super::set::GoPoints;
use crate::game::quantum::seats::{PerSeat, Seat};

/// The options that determine where stones may be placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GoRules {
    /// Which arrangements must not be repeated.
    pub ko: KoRule,
    /// Whether a stone may leave its own chain without a liberty. The chain is then removed.
    pub suicide: bool,
}

/// The reason why a stone cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PointRefusal {
    /// The point is not on the board.
    #[error("not a point on this board")]
    Off,
    /// The point is occupied.
    #[error("the point is occupied")]
    Occupied,
    /// The stone's chain would have no liberty.
    #[error("the stone would have no liberty")]
    NoLiberty,
    /// The turn would lead to an arrangement that must not be repeated.
    #[error("the stones would repeat an earlier arrangement")]
    Repetition,
}

/// The points of one game in Go mode, with the part of the history that is needed to judge the next turn.
///
/// The caller keeps track of turns and supplies: the board can be queried for any seat at any time. A seat that has
/// resigned is simply not queried any more, and its stones stay.
///
/// A copy is small, and shares most of its history with the original.
#[derive(Clone, Debug)]
pub struct GoBoard {
    size: u8,
    seats: u8,
    rules: GoRules,
    chains: Chains,
    past: Past,
    /// For each seat, the points on which it has had a stone at any time in this mode.
    trodden: PerSeat<GoPoints>,
    prisoners: PerSeat<u32>,
    proof: Option<GoPoints>,
}

impl GoBoard {
    /// Creates the points of a game with `seats` seats when Go mode begins, with `size` points per side, at most
    /// [`LARGEST`](super::LARGEST). `stones`, such as a handicap, are already on the board; none may be off it.
    /// `before` is the seat before the one to move: the present arrangement counts as the one after that seat's turn.
    ///
    /// Returns `None` if a chain of `stones` has no liberty.
    pub fn new(size: u8, seats: u8, rules: GoRules, stones: &Arrangement, before: Seat) -> Option<Self> {
        let chains = Chains::new(size, stones)?;
        let past = Past::new(seats, chains.key(), before);
        let trodden = PerSeat::from_fn(seats, |seat| stones.stones(seat));
        Some(Self { size, seats, rules, chains, past, trodden, prisoners: PerSeat::default(), proof: None })
    }

    /// Points per side.
    pub const fn size(&self) -> u8 {
        self.size
    }

    /// The number of seats, including those that have resigned.
    pub const fn seats(&self) -> u8 {
        self.seats
    }

    /// The stones.
    pub fn stones(&self) -> &Arrangement {
        self.chains.arrangement()
    }

    /// The points without a stone.
    pub fn empty(&self) -> GoPoints {
        self.chains.empty()
    }

    /// The contents of the place with this index.
    #[inline]
    pub(super) fn spot(&self, place: usize) -> Spot {
        self.chains.spot(place)
    }

    /// How many prisoners each seat has taken.
    pub const fn prisoners(&self) -> &PerSeat<u32> {
        &self.prisoners
    }

    /// The proof stones on the board, or `None` if there is no proof.
    pub const fn proof_stones(&self) -> Option<GoPoints> {
        self.proof
    }

    /// Begins the proof: stones placed from now on are proof stones. Arrangements that must not be repeated stay
    /// forbidden.
    pub fn begin_proof(&mut self) {
        self.proof = Some(GoPoints::default());
    }

    /// Whether `seat` may place a stone on `point`.
    ///
    /// # Errors
    /// Returns the reason why `seat` may not place a stone there.
    pub fn check(&self, seat: Seat, point: GoPoint) -> Result<(), PointRefusal> {
        self.judge(seat, point).map(drop)
    }

    /// Every point on which `seat` may place a stone.
    pub fn legal(&self, seat: Seat) -> GoPoints {
        let empty = self.empty();
        // A stone with an empty point next to it never causes a repetition if its seat has never had a stone on its
        // point.
        let beyond_doubt = (empty.beside() & empty) - self.trodden[seat];
        let doubtful = empty - beyond_doubt;
        beyond_doubt | doubtful.iter().filter(|&point| self.check(seat, point).is_ok()).collect()
    }

    /// How many stones of the other seats a stone of `seat` on the empty point `point` would remove. The stone does not
    /// have to be legal.
    pub fn would_take(&self, seat: Seat, point: GoPoint) -> u32 {
        let taken = self.chains.effect(seat, point).taken;
        taken.as_slice().iter().map(|&head| u32::from(self.chains.size(head))).sum()
    }

    /// Places a stone of `seat` on `point`, with all consequences.
    ///
    /// # Errors
    /// Returns the reason why `seat` may not place a stone there. The board is then unchanged.
    pub fn play(&mut self, seat: Seat, point: GoPoint) -> Result<(), PointRefusal> {
        let effect = self.judge(seat, point)?;
        self.chains.put(seat, point);
        self.trodden[seat].insert(point);
        if let Some(proof) = &mut self.proof {
            proof.insert(point);
        }
        let mut removed = Vec::new();
        let sacrificed = effect.is_suicide().then(|| self.chains.head(point));
        for head in effect.taken.as_slice().iter().copied().chain(sacrificed) {
            self.chains.take(head, |stone| removed.push(stone));
        }
        let gain = self.imprison(seat, &removed);
        self.past.push(PastTurn { key: self.chains.key(), placed: Some(point), gain, seat }, &removed);
        Ok(())
    }

    /// Passes for `seat`.
    pub fn pass(&mut self, seat: Seat) {
        self.past.push(PastTurn { key: self.chains.key(), placed: None, gain: 0, seat }, &[]);
    }

    /// Counts the stones removed in a turn of `seat` as prisoners. Returns the gain of the turn.
    fn imprison(&mut self, seat: Seat, removed: &[Stone]) -> i16 {
        let gain = gain(seat, removed.iter().copied(), self.proof);
        let prisoners = u32::from(gain.unsigned_abs());
        if gain < 0 {
            let others = Seat::all(self.seats).filter(|&other| other != seat);
            others.for_each(|other| self.prisoners[other] += prisoners);
        } else {
            self.prisoners[seat] += prisoners;
        }
        if let Some(proof) = &mut self.proof {
            for stone in removed {
                proof.remove(stone.point);
            }
        }
        gain
    }

    fn judge(&self, seat: Seat, point: GoPoint) -> Result<Effect, PointRefusal> {
        if !point.is_on(self.size) {
            return Err(PointRefusal::Off);
        }
        if !self.chains.is_empty(point) {
            return Err(PointRefusal::Occupied);
        }
        let effect = self.chains.effect(seat, point);
        if effect.is_suicide() && !self.rules.suicide {
            return Err(PointRefusal::NoLiberty);
        }
        // A stone that stays on a point where its seat has never had a stone creates a new arrangement.
        let is_doubtful = effect.is_suicide() || self.trodden[seat].contains(point);
        if is_doubtful && self.repeats(seat, point, &effect) {
            return Err(PointRefusal::Repetition);
        }
        Ok(effect)
    }

    fn repeats(&self, seat: Seat, point: GoPoint, effect: &Effect) -> bool {
        let (taken, placed) =
            if effect.is_suicide() { (effect.joined, 0) } else { (effect.taken, stone_key(Stone { seat, point })) };
        let stones = || taken.as_slice().iter().flat_map(|&head| self.chains.stones(head));
        let after = || {
            let mut arrangement = *self.stones();
            stones().for_each(|stone| arrangement.remove(stone));
            if !effect.is_suicide() {
                arrangement.add(Stone { seat, point });
            }
            // In the proof, the stone that is placed is a proof stone.
            let sacrificed = (effect.is_suicide() && self.proof.is_none()).then_some(Stone { seat, point });
            (arrangement, gain(seat, stones().chain(sacrificed), self.proof))
        };
        let key = stones().fold(self.chains.key() ^ placed, |key, stone| key ^ stone_key(stone));
        let prospect = Prospect { seat, key, now: self.stones(), after: &after };
        self.past.forbids(self.rules.ko, &prospect)
    }
}

/// How many more prisoners `seat` takes than each other seat in a turn of `seat` that removes `removed`. The seat's own
/// stones become prisoners of all other seats. Proof stones do not become prisoners.
fn gain(seat: Seat, removed: impl Iterator<Item = Stone>, proof: Option<GoPoints>) -> i16 {
    let proof = proof.unwrap_or_default();
    removed.filter(|stone| !proof.contains(stone.point)).map(|stone| if stone.seat == seat { -1 } else { 1 }).sum()
}
