//! The chains of a board, updated as stones are placed and removed.

use super::arrangement::{Arrangement, Stone, stone_key};
use super::geometry::{GoPoint, STRIDE};
use super::set::GoPoints;
use crate::game::quantum::seats::Seat;

/// The contents of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// The place is next to the board.
    Off,
    Empty,
    Stone(Seat),
}

/// A place, with the stone there as part of its chain.
#[derive(Clone, Copy, Debug)]
struct ChainLink {
    spot: Spot,
    /// The place of the stone whose link represents the whole chain.
    head: u16,
    /// The place of the next stone in the chain's circular list.
    next: u16,
    /// In a head's link, the number of stones of the chain.
    stones: u16,
    /// In a head's link, the number of pairs that consist of a stone in the chain and an empty point next to it. A
    /// liberty counts once for each stone of the chain to which it is adjacent, so that joining chains does not require
    /// a search. The chain has no liberties if and only if this is 0.
    openings: u16,
}

/// The heads of the chains next to a point, at most four, without duplicates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heads {
    heads: [u16; 4],
    len: u8,
}

impl Heads {
    #[inline]
    fn add(&mut self, head: u16) {
        if !self.as_slice().contains(&head) {
            self.heads[usize::from(self.len)] = head;
            self.len += 1;
        }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.heads[..usize::from(self.len)]
    }
}

/// The effect of a stone on an empty point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effect {
    /// The chains of other seats that would have no liberty.
    pub(super) taken: Heads,
    /// The chains that the stone would join together.
    pub(super) joined: Heads,
    /// Whether the stone's own chain would have a liberty before captures.
    is_open: bool,
}

impl Effect {
    /// Whether the stone's own chain would have no liberty, even after all captures.
    #[inline]
    pub(super) fn is_suicide(&self) -> bool {
        !self.is_open && self.taken.len == 0
    }
}

/// The stones of one board with their chains.
///
/// Invariant: every chain has a liberty, except between [`Chains::put`] and [`Chains::take`].
#[derive(Clone, Debug)]
pub(super) struct Chains {
    links: Box<[ChainLink]>,
    arrangement: Arrangement,
    empty: GoPoints,
    key: u64,
}

impl Chains {
    /// Creates the board of `size` points per side with the stones of `arrangement`, none of which may be off the
    /// board. Returns `None` if a chain would have no liberty.
    pub(super) fn new(size: u8, arrangement: &Arrangement) -> Option<Self> {
        let off = ChainLink { spot: Spot::Off, head: 0, next: 0, stones: 0, openings: 0 };
        let mut links = vec![off; (usize::from(size) + 2) * usize::from(STRIDE)].into_boxed_slice();
        let empty = GoPoints::of_board(size);
        for point in empty.iter() {
            links[point.index()].spot = Spot::Empty;
        }
        let mut chains = Self { links, arrangement: Arrangement::default(), empty, key: 0 };
        for point in arrangement.occupied().iter() {
            chains.put(arrangement.owner(point)?, point);
        }
        let is_alive = |point: GoPoint| chains.links[usize::from(chains.links[point.index()].head)].openings > 0;
        arrangement.occupied().iter().all(is_alive).then_some(chains)
    }

    /// The stones.
    #[inline]
    pub(super) fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// The contents of the place with this index.
    #[inline]
    pub(super) fn spot(&self, place: usize) -> Spot {
        self.links[place].spot
    }

    /// The points without a stone.
    #[inline]
    pub(super) fn empty(&self) -> GoPoints {
        self.empty
    }

    /// The key of the arrangement.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Whether the chain with this head would have no liberty if there were a stone on `point`, which is next to the
    /// chain.
    #[inline]
    fn would_close(&self, head: u16, point: GoPoint) -> bool {
        let is_of_chain = |place: &usize| self.links[*place].head == head && self.is_stone(*place);
        let closed = point.beside().into_iter().filter(is_of_chain).count();
        usize::from(self.links[usize::from(head)].openings) == closed
    }

    #[inline]
    fn is_stone(&self, place: usize) -> bool {
        matches!(self.links[place].spot, Spot::Stone(_))
    }

    /// The effect of a stone of `seat` on the empty point `point`.
    #[inline]
    pub(super) fn effect(&self, seat: Seat, point: GoPoint) -> Effect {
        let mut effect = Effect::default();
        for place in point.beside() {
            let link = &self.links[place];
            match link.spot {
                Spot::Off => {}
                Spot::Empty => effect.is_open = true,
                Spot::Stone(owner) if owner == seat => {
                    effect.joined.add(link.head);
                    effect.is_open = effect.is_open || !self.would_close(link.head, point);
                }
                Spot::Stone(_) => {
                    if self.would_close(link.head, point) {
                        effect.taken.add(link.head);
                    }
                }
            }
        }
        effect
    }

    /// The stones of the chain with this head.
    #[inline]
    pub(super) fn stones(&self, head: u16) -> impl Iterator<Item = Stone> {
        let (spot, mut next) = (self.links[usize::from(head)].spot, Some(head));
        std::iter::from_fn(move || {
            let Spot::Stone(seat) = spot else { return None };
            let place = next?;
            let after = self.links[usize::from(place)].next;
            next = (after != head).then_some(after);
            Some(Stone { seat, point: GoPoint::at(place) })
        })
    }

    /// The number of stones of the chain with this head.
    #[inline]
    pub(super) fn size(&self, head: u16) -> u16 {
        self.links[usize::from(head)].stones
    }

    /// The head of the chain of the stone on `point`.
    #[inline]
    pub(super) fn head(&self, point: GoPoint) -> u16 {
        self.links[point.index()].head
    }

    /// Whether `point` is on the board and has no stone.
    #[inline]
    pub(super) fn is_empty(&self, point: GoPoint) -> bool {
        self.empty.contains(point)
    }

    /// Puts a stone of `seat` on the empty point `point`, and joins it with the adjacent chains of `seat`. This does
    /// not capture any stones.
    #[inline]
    pub(super) fn put(&mut self, seat: Seat, point: GoPoint) {
        let place = point.place();
        let stone = Stone { seat, point };
        self.arrangement.add(stone);
        self.empty.remove(point);
        self.key ^= stone_key(stone);
        self.links[point.index()] =
            ChainLink { spot: Spot::Stone(seat), head: place, next: place, stones: 1, openings: 0 };
        for beside in point.beside() {
            match self.links[beside].spot {
                Spot::Off => {}
                Spot::Empty => self.head_of(point.index()).openings += 1,
                Spot::Stone(owner) => {
                    self.head_of(beside).openings -= 1;
                    if owner == seat {
                        self.join(point.index(), beside);
                    }
                }
            }
        }
    }

    #[inline]
    fn head_of(&mut self, place: usize) -> &mut ChainLink {
        &mut self.links[usize::from(self.links[place].head)]
    }

    /// Merges the chains of two stones, unless both stones are already in the same chain. The head of the longer chain
    /// becomes the head of both.
    #[inline]
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.links[one].head, self.links[other].head);
        if one == other {
            return;
        }
        let (long, short) = if self.size(one) < self.size(other) { (other, one) } else { (one, other) };
        let (stones, openings) = (self.size(short), self.links[usize::from(short)].openings);
        let mut place = short;
        loop {
            let link = &mut self.links[usize::from(place)];
            link.head = long;
            place = link.next;
            if place == short {
                break;
            }
        }
        let (long, short) = (usize::from(long), usize::from(short));
        (self.links[long].next, self.links[short].next) = (self.links[short].next, self.links[long].next);
        self.links[long].stones += stones;
        self.links[long].openings += openings;
    }

    /// Removes the chain with this head, and calls `each` with each of its stones.
    pub(super) fn take(&mut self, head: u16, mut each: impl FnMut(Stone)) {
        let Spot::Stone(owner) = self.links[usize::from(head)].spot else { return };
        let mut place = head;
        loop {
            let point = GoPoint::at(place);
            let stone = Stone { seat: owner, point };
            each(stone);
            self.arrangement.remove(stone);
            self.empty.insert(point);
            self.key ^= stone_key(stone);
            self.links[point.index()].spot = Spot::Empty;
            for beside in point.beside() {
                if self.is_stone(beside) {
                    self.head_of(beside).openings += 1;
                }
            }
            place = self.links[point.index()].next;
            if place == head {
                return;
            }
        }
    }
}
