//! The table of the move phase, in memory.

use super::place::{PLACES, Place};
use super::view::View;
use super::worth::Worth;

/// What every position of the move phase is worth.
///
/// Invariant: there is one code for each place.
#[derive(Clone, PartialEq, Eq)]
pub struct Tablebase {
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

    /// The table with these bytes, or `None` if they are not [`Tablebase::BYTES`].
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() == PLACES).then_some(Self { codes: bytes })
    }

    pub(super) const fn of_codes(codes: Vec<u8>) -> Self {
        debug_assert!(codes.len() == PLACES);
        Self { codes }
    }

    /// The bytes from which [`Tablebase::from_bytes`] makes this table again.
    pub fn bytes(&self) -> &[u8] {
        &self.codes
    }

    /// What a position is worth.
    pub fn worth(&self, view: View) -> Worth {
        Worth::of_code(self.codes[Place::of(view).index()])
    }

    /// How many positions there are of each worth.
    pub fn census(&self) -> Census {
        let mut counts = [0; CODES];
        for (index, &code) in self.codes.iter().enumerate() {
            counts[usize::from(code)] += Place::at(index).weight();
        }
        Census { counts }
    }
}

/// The number of codes that a byte has.
const CODES: usize = 1 << u8::BITS;

/// How many positions there are of each worth, symmetric images counted each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    counts: [u64; CODES],
}

impl Census {
    /// The number of positions of all tables.
    const ALL: u64 = 25 << 24;

    /// A census with these counts, or `None` if they are not those of a table: a worth comes up twice or cannot be stored, or
    /// the sum is wrong.
    pub fn of_counts(all: impl IntoIterator<Item = (Worth, u64)>) -> Option<Self> {
        let mut counts = [0_u64; CODES];
        let mut sum = 0_u64;
        for (worth, count) in all {
            let place = worth.plies().is_none_or(|plies| plies <= Worth::MOST_PLIES);
            let old = std::mem::replace(&mut counts[usize::from(worth.code())], count);
            sum = sum.checked_add(count).filter(|_| place && old == 0)?;
        }
        (sum == Self::ALL).then_some(Self { counts })
    }

    /// The worths that have positions, the decided ones by the number of plies, and their positions.
    pub fn counts(&self) -> impl Iterator<Item = (Worth, u64)> {
        let counts = self.counts.iter().zip(0..=u8::MAX).map(|(&count, code)| (Worth::of_code(code), count));
        counts.filter(|&(_, count)| count > 0)
    }
}
