//! The representation of a position in the search: the stones of the side to move, the stones of the other side, and
//! their groups. The groups are updated from placement to placement instead of being recomputed.

use crate::game::gothello::{ALL, Points, neighbours};

/// The maximum number of groups of one colour: one on every second point.
const MAX_GROUPS: usize = 13;

/// Stones without groups, from the perspective of the side to move, whatever its colour.
///
/// Invariant: the two sets are disjoint subsets of [`ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones {
    /// The stones of the side to move.
    pub own: Points,
    /// The stones of the other side.
    pub theirs: Points,
}

impl Stones {
    /// Returns the points without a stone.
    pub const fn empty(self) -> Points {
        ALL & !(self.own | self.theirs)
    }

    /// Returns the number of `own` stones minus the number of `theirs`.
    pub const fn lead(self) -> i32 {
        difference(self.own, self.theirs)
    }

    /// Returns the same stones with the other side to move.
    pub(super) const fn swapped(self) -> Self {
        Self { own: self.theirs, theirs: self.own }
    }
}

/// Returns all points of `within` that are connected to a point of `seed`, which must be a subset of `within`.
pub(super) const fn flood(seed: Points, within: Points) -> Points {
    let mut group = seed;
    loop {
        // The empty sixth bit of each rank is never in `within`, so shifts cannot wrap to another rank.
        let row = group | ((group << 1 | group >> 1) & within);
        let grown = row | ((row << 6 | row >> 6) & within);
        if grown == group {
            return group;
        }
        group = grown;
    }
}

/// A group, and the empty points next to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) stones: Points,
    pub(super) liberties: Points,
}

/// The groups of one colour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Groups {
    list: [Group; MAX_GROUPS],
    count: usize,
    /// The stones of all groups.
    pub(super) stones: Points,
    /// The stones of all groups with more than one liberty.
    pub(super) solid: Points,
    /// The liberties of the groups that have only one liberty.
    pub(super) last_liberties: Points,
}

impl Groups {
    /// Finds the groups of `stones`.
    fn of(stones: Points, empty: Points) -> Self {
        let mut found = Self::default();
        let mut rest = stones;
        while rest != 0 {
            let group = flood(rest & rest.wrapping_neg(), stones);
            rest &= !group;
            found.push(group, neighbours(group) & empty);
        }
        found
    }

    /// Removes all groups.
    const fn clear(&mut self) {
        (self.count, self.stones, self.solid, self.last_liberties) = (0, 0, 0, 0);
    }

    #[inline]
    fn push(&mut self, stones: Points, liberties: Points) {
        self.stones |= stones;
        if liberties & liberties.wrapping_sub(1) == 0 {
            self.last_liberties |= liberties;
        } else {
            self.solid |= stones;
        }
        if let Some(place) = self.list.get_mut(self.count) {
            *place = Group { stones, liberties };
            self.count += 1;
        }
    }

    /// Returns the groups.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Group> {
        self.list[..self.count.min(MAX_GROUPS)].iter()
    }

    /// Returns how many groups there are.
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "13 at most")]
    pub(super) const fn count(&self) -> i32 {
        self.count as i32
    }

    /// Returns the stones of all groups whose only liberty is `point`.
    #[inline]
    pub(super) fn captured_at(&self, point: Points) -> Points {
        if self.last_liberties & point == 0 {
            return 0;
        }
        self.iter().filter(|group| group.liberties == point).fold(0, |all, group| all | group.stones)
    }
}

/// A position from the perspective of the side to move, whatever its colour.
///
/// Invariant: every group has a liberty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SearchPosition {
    pub(super) own: Groups,
    pub(super) theirs: Groups,
    pub(super) empty: Points,
}

impl SearchPosition {
    pub(super) fn of(stones: Stones) -> Self {
        let empty = stones.empty();
        Self { own: Groups::of(stones.own, empty), theirs: Groups::of(stones.theirs, empty), empty }
    }

    pub(super) const fn stones(&self) -> Stones {
        Stones { own: self.own.stones, theirs: self.theirs.stones }
    }

    /// Returns where the side to move may place a stone: next to an empty point, or next to one of its own groups that
    /// keeps a liberty.
    #[inline]
    pub(super) const fn legal(&self) -> Points {
        self.empty & neighbours(self.empty | self.own.solid)
    }

    /// Returns where the other side could place a stone.
    #[inline]
    pub(super) const fn their_legal(&self) -> Points {
        self.empty & neighbours(self.empty | self.theirs.solid)
    }

    /// Returns the same stones with the other side to move.
    pub(super) const fn swapped(&self) -> Self {
        Self { own: self.theirs, theirs: self.own, empty: self.empty }
    }

    /// Overwrites `into` with the position after a placement on `point`, from the other side's perspective. `point`
    /// must be one bit of [`SearchPosition::legal`]. Creating a new position would take longer than overwriting one.
    pub(super) fn place(&self, point: Points, into: &mut Self) {
        into.empty = self.empty & !point;
        into.own.clear();
        let mut placed = point;
        for group in self.theirs.iter() {
            let liberties = group.liberties & !point;
            if liberties == 0 {
                placed |= group.stones;
            } else {
                into.own.push(group.stones, liberties);
            }
        }
        let beside = neighbours(placed);
        let mut liberties = beside;
        into.theirs.clear();
        for group in self.own.iter() {
            if group.stones & beside == 0 {
                into.theirs.push(group.stones, group.liberties);
            } else {
                placed |= group.stones;
                liberties |= group.liberties;
            }
        }
        into.theirs.push(placed, liberties & into.empty);
    }
}

/// Returns how many more points `set` has than `other`.
#[inline]
pub(super) const fn difference(set: Points, other: Points) -> i32 {
    ((set as u64) << 32 | (!other) as u64).count_ones().cast_signed() - 32
}
