//! The table of the move phase, in memory.

use super::full::Full;
use super::place::{PLACES, TablePlace};
use super::worth::Worth;
use crate::game::seegover::{DropRule, MoveRules, Play, View};

/// The worth of every position of the move phase, under one of the four [`MoveRules`].
///
/// Invariant: there is one code for each place.
#[derive(Clone, PartialEq, Eq)]
pub struct Tablebase {
    rules: MoveRules,
    codes: Vec<u8>,
}

impl std::fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tablebase").finish_non_exhaustive()
    }
}

impl Tablebase {
    /// The size of a table in bytes.
    pub const BYTES: usize = PLACES;

    /// Creates the table of `rules` with these bytes, or returns `None` if there are not [`Tablebase::BYTES`] of them.
    pub fn from_bytes(rules: MoveRules, bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() == PLACES).then_some(Self { rules, codes: bytes })
    }

    pub(super) const fn of_codes(rules: MoveRules, codes: Vec<u8>) -> Self {
        debug_assert!(codes.len() == PLACES);
        Self { rules, codes }
    }

    /// A table of the default rules in which every position except those in `decided` is drawn, for tests.
    #[doc(hidden)]
    pub fn drawn_but(decided: impl IntoIterator<Item = (View, Worth)>) -> Self {
        Self::drawn_under(MoveRules::DEFAULT, decided)
    }

    /// A table of `rules` in which every position except those in `decided` is drawn, for tests.
    #[doc(hidden)]
    pub fn drawn_under(rules: MoveRules, decided: impl IntoIterator<Item = (View, Worth)>) -> Self {
        let mut table = Self { rules, codes: vec![Worth::Drawn.code(); PLACES] };
        for (view, worth) in decided {
            let place = TablePlace::of(Full::seen(view).expect("a position of the move phase"));
            for place in std::iter::once(place).chain(place.twins()) {
                table.codes[place.index()] = worth.code();
            }
        }
        table
    }

    /// The rules of the move phase under which the positions have these worths.
    pub const fn rules(&self) -> MoveRules {
        self.rules
    }

    /// The bytes from which [`Tablebase::from_bytes`] restores this table.
    pub fn bytes(&self) -> &[u8] {
        &self.codes
    }

    /// The worth of the position `view` to the side to move; `None` in the drop phase. The worth is the value of a game
    /// that begins with this position: in other games, earlier positions can turn a win into a draw.
    pub fn worth(&self, view: View) -> Option<Worth> {
        Full::seen(view).map(|full| self.worth_of(full))
    }

    pub(super) fn worth_of(&self, full: Full) -> Worth {
        Worth::of_code(self.codes[TablePlace::of(full).index()])
    }

    /// The worth, to the side to move, of each turn in the position `view`; empty in the drop phase. It does not matter
    /// whether the game is over.
    pub fn turns(&self, view: View) -> Vec<(Play, Worth)> {
        let mut turns = Vec::new();
        view.each_turn(self.rules.with(DropRule::One), |play, after| {
            turns.extend(self.worth(after.swapped()).map(|worth| (play, worth.before())));
        });
        turns
    }

    /// Counts the positions of each worth.
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        for (index, &code) in self.codes.iter().enumerate() {
            census.counts[usize::from(code)] += TablePlace::at(index).weight();
        }
        census
    }
}

/// The number of codes in a byte.
const CODES: usize = 1 << u8::BITS;

/// The number of positions of each worth, counting symmetric images separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    counts: [u64; CODES],
}

impl Default for Census {
    fn default() -> Self {
        Self { counts: [0; CODES] }
    }
}

impl Census {
    /// The number of positions in every table.
    const ALL: u64 = 25 << 24;

    /// Creates a census with these counts, or returns `None` if they cannot be the counts of a table, because a worth
    /// occurs twice or cannot be stored, or because the sum is wrong.
    pub fn of_counts(all: impl IntoIterator<Item = (Worth, u64)>) -> Option<Self> {
        let mut counts = [0_u64; CODES];
        let mut sum = 0_u64;
        for (worth, count) in all {
            // Other worths have no code.
            let worth = Some(worth).filter(|worth| worth.plies().is_none_or(|plies| plies <= Worth::MOST_PLIES))?;
            let old = std::mem::replace(&mut counts[usize::from(worth.code())], count);
            sum = sum.checked_add(count).filter(|_| old == 0)?;
        }
        (sum == Self::ALL).then_some(Self { counts })
    }

    /// Counts one more position.
    pub(super) const fn add(&mut self, worth: Worth) {
        self.counts[worth.code() as usize] += 1;
    }

    /// The sum of two counts of different positions.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self { counts: std::array::from_fn(|code| self.counts[code] + other.counts[code]) }
    }

    /// The worths that occur, with the decided ones ordered by the number of plies, and the number of positions that
    /// have each worth.
    pub fn counts(&self) -> impl Iterator<Item = (Worth, u64)> {
        let counts = self.counts.iter().zip(0..=u8::MAX).map(|(&count, code)| (Worth::of_code(code), count));
        counts.filter(|&(_, count)| count > 0)
    }
}
