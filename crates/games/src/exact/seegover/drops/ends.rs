//! How the drops can end, as one bit for each set of the opener's stones.

use crate::exact::seegover::full::Full;
use crate::exact::seegover::table::Tablebase;
use crate::game::seegover::{CENTRE, DropRule, FULL, Square, Squares, squares};

/// The sets of stones with which the opener has reached the bound in question.
pub(super) struct Ends {
    bits: Vec<u64>,
}

impl std::fmt::Debug for Ends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ends").finish_non_exhaustive()
    }
}

/// All sets of `stones` bits among [`FULL`], in ascending order.
fn sets_of(stones: u32) -> impl Iterator<Item = Squares> {
    // The next number with the same number of bits: the top bit of the lowest block of ones moves up by one, and the
    // others move to the bottom.
    let next = |&set: &Squares| {
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        (set != 0).then(|| carried | (((set ^ carried) / lowest) >> 2))
    };
    std::iter::successors(Some((1 << stones) - 1), next).take_while(|&set| set < 1 << FULL)
}

/// The bits of a set of squares without the centre.
const fn without_centre(set: Squares) -> usize {
    let below = CENTRE.bit() - 1;
    ((set & below) | (set >> 1 & !below)) as usize
}

impl Ends {
    /// The sets of `stones` stones with which the opener, who is to move, has a worth of rank `bound` or higher.
    /// Returns `None` soon after `go_on` has returned false.
    pub(super) fn new(table: &Tablebase, stones: u32, bound: i32, go_on: impl Fn() -> bool) -> Option<Self> {
        /// How many sets to look up between two calls of `go_on`. These lookups take a few milliseconds.
        const TIMEOUT: usize = 1 << 14;
        let mut bits = vec![0; 1 << (FULL - u64::BITS.ilog2())];
        let below = CENTRE.bit() - 1;
        for (number, set) in sets_of(stones).enumerate() {
            if number.is_multiple_of(TIMEOUT) && !go_on() {
                return None;
            }
            let own = (set & below) | (set & !below) << 1;
            if table.worth_of(Full::of(own, CENTRE)).rank() >= bound {
                bits[(set / u64::BITS) as usize] |= 1 << (set % u64::BITS);
            }
        }
        Some(Self { bits })
    }

    /// Whether the opener has reached the bound with these stones.
    pub(super) fn has(&self, opener: Squares) -> bool {
        self.has_bits(without_centre(opener))
    }

    fn has_bits(&self, set: usize) -> bool {
        self.bits[set / u64::BITS as usize] >> (set % u64::BITS as usize) & 1 == 1
    }

    /// Whether the opener reaches the bound from the stones `opener` if only the six squares `free` are left. This
    /// depends only on which of the squares the opener gets, so each possible end is looked up once.
    pub(super) fn reaches_from_six(&self, drop: DropRule, opener: Squares, free: Squares) -> bool {
        let mut more = [0; 6];
        for (bit, square) in more.iter_mut().zip(squares(free)) {
            *bit = without_centre(Square::bit(square));
        }
        let opener = without_centre(opener);
        match drop {
            DropRule::One => self.reaches_by_three(opener, more),
            DropRule::Two => self.reaches_by_two(opener, more),
        }
    }

    /// Implements `reaches_from_six` if the opener and the follower take one square each in turn, three times.
    fn reaches_by_three(&self, opener: usize, more: [usize; 6]) -> bool {
        // For each pair of squares, the third squares that would suffice.
        let mut thirds = [[0_u8; 6]; 6];
        for a in 0..6 {
            for b in a + 1..6 {
                for c in b + 1..6 {
                    if self.has_bits(opener | more[a] | more[b] | more[c]) {
                        for [one, two, three] in [[a, b, c], [a, c, b], [b, c, a]] {
                            thirds[one][two] |= 1 << three;
                            thirds[two][one] |= 1 << three;
                        }
                    }
                }
            }
        }
        // After the opener's second square, three are left. The follower takes one of these, and the opener takes one
        // of the other two, so at least two of the three must suffice.
        let does = |first: usize, taken: usize, second: usize| {
            second != taken && (thirds[first][second] & !(1 << taken)).count_ones() >= 2
        };
        (0..6).any(|first| (0..6).all(|taken| taken == first || (0..6).any(|second| does(first, taken, second))))
    }

    /// Implements `reaches_from_six` if the follower takes two squares, and then the opener takes two of the other
    /// four.
    fn reaches_by_two(&self, opener: usize, more: [usize; 6]) -> bool {
        let pairs = || (0..6).flat_map(|one| (one + 1..6).map(move |other| [one, other]));
        let good: Vec<[usize; 2]> = pairs().filter(|&[a, b]| self.has_bits(opener | more[a] | more[b])).collect();
        pairs().all(|taken| good.iter().any(|pair| pair.iter().all(|square| !taken.contains(square))))
    }
}
