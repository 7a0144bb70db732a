//! Reproducible random numbers from the arena's own generator, so that a seed always produces the same numbers.
//!
//! `SplitMix64` is by Guy Steele, Doug Lea and Christine Flood ("Fast splittable pseudorandom number generators",
//! OOPSLA 2014), with the constants of Sebastiano Vigna's public-domain `splitmix64.c`. It must not be used for
//! secrets.

/// The odd number nearest to 2^64 divided by the golden ratio, which is added to the state at each step.
const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of 64-bit numbers with a period of 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates the stream that `seed` determines. Every seed is as good as any other, including 0.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next number of the stream.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN_GAMMA);
        scramble(self.state)
    }

    /// Returns a number from 0 to `n - 1`, with exactly equal probabilities; always 0 if `n` is 0 or 1.
    ///
    /// The result is the high half of the 128-bit product of `n` and the next number. In the few cases that would
    /// favour some results, another number is drawn (Daniel Lemire, "Fast random integer generation in an interval",
    /// 2019).
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are needed")]
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let too_many = n.wrapping_neg() % n;
            while (product as u64) < too_many {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }
}

/// The output function: a bijection in which every bit of `z` affects every bit of the result.
const fn scramble(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Derives a seed for `text` from `seed`. The result depends only on these two, in every version of the program.
///
/// The UTF-8 bytes of `text` are read as little-endian numbers of eight bytes each, the last one padded with zero
/// bytes, and are followed by the length of `text` in bytes. Starting from `seed`, each number is xored in, and the
/// result is replaced by the first output of the [`SplitMix64`] with that seed.
pub fn mix(seed: u64, text: &str) -> u64 {
    let words = text.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.chain([text.len() as u64]).fold(seed, |mixed, word| SplitMix64::new(mixed ^ word).next_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_seed_zero_is_the_published_one() {
        let mut random = SplitMix64::new(0);
        let stream = [(); 5].map(|()| random.next_u64());
        assert_eq!(
            stream,
            [
                0xE220_A839_7B1D_CDAF,
                0x6E78_9E6A_A1B9_65F4,
                0x06C4_5D18_8009_454F,
                0xF88B_B8A8_724C_81EC,
                0x1B39_896A_51A8_749B
            ]
        );
    }

    #[test]
    fn mixed_seeds_never_change() {
        // These were computed once by a separate program, from the description of `mix`.
        assert_eq!(mix(0, ""), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(441, "r1-alice-bob"), 0xEE33_34C7_B2B4_28FC);
        assert_eq!(mix(u64::MAX, "größe"), 0xB25A_3651_2CA1_3B62);
    }

    #[test]
    fn padding_does_not_make_texts_equal() {
        assert_ne!(mix(1, "a"), mix(1, "a\0"));
        assert_ne!(mix(1, "12345678"), mix(1, "12345678\0"));
    }

    #[test]
    fn all_numbers_below_a_bound_are_equally_frequent() {
        let mut random = SplitMix64::new(7);
        let mut counts = [0_u32; 25];
        for _ in 0..250_000 {
            counts[usize::try_from(random.below(25)).unwrap()] += 1;
        }
        // The standard deviation of each count is 98; a deviation six times as large never happens by chance.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 600), "{counts:?}");
    }

    #[test]
    fn a_bound_that_does_not_divide_the_range_causes_no_bias() {
        // If no further number were drawn, half of the results would be multiples of three, instead of a third.
        let bound = 3 << 62;
        let mut random = SplitMix64::new(3);
        let lower = (0..30_000).filter(|_| random.below(bound).is_multiple_of(3)).count();
        assert!(lower.abs_diff(10_000) < 500, "{lower}");
    }

    #[test]
    fn bounds_of_zero_and_one_give_zero() {
        let mut random = SplitMix64::new(1);
        assert_eq!((random.below(0), random.below(1)), (0, 0));
    }
}
