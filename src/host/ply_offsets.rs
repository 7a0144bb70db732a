//! The parts of a bot's stderr that belong to its turns.

use std::fmt;
use std::str::FromStr;

/// The offset in a bot's stderr at which each of its turns begins.
///
/// A turn lasts until the bot's next turn, so anything that a bot writes while its opponent thinks belongs to the ply
/// that it has just played. The text form contains a line `ply offset` for each turn.
///
/// Invariant: the plies are positive and increasing, and the offsets do not decrease.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlyOffsets(Vec<(usize, u64)>);

impl PlyOffsets {
    /// Creates the offsets from pairs of a ply and an offset. Returns `None` if they are not in order.
    pub fn new(turns: Vec<(usize, u64)>) -> Option<Self> {
        let in_order = turns.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        (in_order && turns.first().is_none_or(|&(ply, _)| ply > 0)).then_some(Self(turns))
    }

    /// The turns, as pairs of a ply and an offset.
    pub fn turns(&self) -> &[(usize, u64)] {
        &self.0
    }

    /// The part of `stderr` that was written before the first turn.
    pub fn before_first<'s>(&self, stderr: &'s [u8]) -> &'s [u8] {
        let end = self.0.first().map_or(u64::MAX, |&(_, offset)| offset);
        &stderr[..within(stderr, end)]
    }

    /// The part of `stderr` that was written from the turn at `ply` until the next turn; empty if the bot had no turn
    /// at `ply`.
    pub fn of_ply<'s>(&self, ply: usize, stderr: &'s [u8]) -> &'s [u8] {
        let Ok(at) = self.0.binary_search_by_key(&ply, |&(ply, _)| ply) else { return &[] };
        let end = self.0.get(at + 1).map_or(u64::MAX, |&(_, offset)| offset);
        &stderr[within(stderr, self.0[at].1)..within(stderr, end)]
    }
}

/// Returns `offset`, or the length of `stderr` if that is less.
fn within(stderr: &[u8], offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX).min(stderr.len())
}

impl fmt::Display for PlyOffsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(ply, offset)| writeln!(f, "{ply} {offset}"))
    }
}

/// The error for text that cannot be parsed as [`PlyOffsets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a line `ply offset` for each turn, in order")]
pub struct NoPlyOffsets;

impl FromStr for PlyOffsets {
    type Err = NoPlyOffsets;

    fn from_str(text: &str) -> Result<Self, NoPlyOffsets> {
        let turn = |line: &str| {
            let (ply, offset) = line.split_once(' ')?;
            Some((ply.parse().ok()?, offset.parse().ok()?))
        };
        text.lines().map(turn).collect::<Option<_>>().and_then(Self::new).ok_or(NoPlyOffsets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_byte_belongs_to_one_turn(
            steps in proptest::collection::vec((1_usize..4, 0_u64..9), 0..20), stderr in proptest::collection::vec(any::<u8>(), 0..99),
        ) {
            let (mut ply, mut offset) = (0, 0);
            let turns = steps.into_iter().map(|(plies, bytes)| {
                (ply, offset) = (ply + plies, offset + bytes);
                (ply, offset)
            });
            let offsets = PlyOffsets::new(turns.collect()).expect("in order");
            let parts = (0..=ply).map(|ply| offsets.of_ply(ply, &stderr));
            let all: Vec<u8> = std::iter::once(offsets.before_first(&stderr)).chain(parts).flatten().copied().collect();
            prop_assert_eq!(all, stderr);
            prop_assert_eq!(offsets.to_string().parse(), Ok(offsets));
        }

        #[test]
        fn no_text_panics(text in "[0-9 \n-]{0,20}") {
            if let Ok(offsets) = text.parse::<PlyOffsets>() {
                offsets.of_ply(1, b"some");
            }
        }
    }

    #[test]
    fn what_is_not_in_order_is_refused() {
        for text in ["1", "1 2 3", "0 5", "1 -1", "3 1\n1 2", "1 2\n1 2", "1 5\n3 4", "a b", "1 18446744073709551616"] {
            assert_eq!(text.parse::<PlyOffsets>(), Err(NoPlyOffsets), "{text:?}");
        }
        assert_eq!("".parse::<PlyOffsets>(), Ok(PlyOffsets::default()));
    }

    #[test]
    fn a_turn_lasts_until_the_next_one() {
        let offsets: PlyOffsets = "2 6\n4 13\n".parse().expect("in order");
        let stderr = b"ready\nply 2\n\nply 4\nover\n";
        assert_eq!(offsets.before_first(stderr), b"ready\n");
        assert_eq!(offsets.of_ply(2, stderr), b"ply 2\n\n");
        assert_eq!(offsets.of_ply(3, stderr), b"");
        assert_eq!(offsets.of_ply(4, stderr), b"ply 4\nover\n");
    }
}
