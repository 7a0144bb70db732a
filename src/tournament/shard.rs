//! A part of a tournament played as a separate run, so that several machines can share the games.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One of the equal parts of a tournament whose games are all known from the start.
///
/// The games with two players in a round, one with each colour, form a colour pair, and stay together. Colour pairs are
/// numbered from 0 in schedule order: shard `nth` of `of` contains those whose number, modulo `of`, is `nth - 1`. If a
/// tournament is extended, each extension numbers its pairs from 0 again, so that no game changes its shard.
///
/// The text form, which `FromStr` parses, is `3/16`.
///
/// Invariant: `nth` is at most `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    nth: NonZeroU32,
    of: NonZeroU32,
}

/// The error for text that is not a valid shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected I/N with I from 1 to N, such as 3/16")]
pub struct WrongShard;

impl Shard {
    /// Whether the shard contains the colour pair with the number `pair`, counted from 0.
    pub(super) fn has(self, pair: u64) -> bool {
        pair % u64::from(self.of.get()) == self.before()
    }

    /// How many of the first `pairs` colour pairs the shard contains.
    pub(super) fn share_of(self, pairs: u64) -> u64 {
        pairs.saturating_sub(self.before()).div_ceil(u64::from(self.of.get()))
    }

    /// The number of shards before this one.
    fn before(self) -> u64 {
        u64::from(self.nth.get()) - 1
    }

    /// The name of the shard's results directory: `shard-3-of-16`.
    pub fn dir_name(self) -> String {
        format!("shard-{}-of-{}", self.nth, self.of)
    }

    /// Whether `name` is the name of a shard's results directory, or of the results directory for a later run next to
    /// it: `shard-3-of-16-2`.
    pub fn is_dir_name(name: &str) -> bool {
        let Some(rest) = name.strip_prefix("shard-") else { return false };
        let Some((nth, rest)) = rest.split_once("-of-") else { return false };
        let (of, again) = rest.split_once('-').map_or((rest, None), |(of, again)| (of, Some(again)));
        format!("{nth}/{of}").parse::<Self>().is_ok() && again.is_none_or(|again| again.parse::<NonZeroU32>().is_ok())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.nth, self.of)
    }
}

impl FromStr for Shard {
    type Err = WrongShard;

    fn from_str(text: &str) -> Result<Self, WrongShard> {
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            if is_plain { text.parse::<NonZeroU32>().ok() } else { None }
        };
        let (nth, of) = text.split_once('/').ok_or(WrongShard)?;
        let (nth, of) = number(nth).zip(number(of)).ok_or(WrongShard)?;
        if nth <= of { Ok(Self { nth, of }) } else { Err(WrongShard) }
    }
}

impl TryFrom<String> for Shard {
    type Error = WrongShard;

    fn try_from(text: String) -> Result<Self, WrongShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_shard_reads_back_and_each_pair_is_in_one_shard(of in 1..40_u32, pairs in 0..200_u64) {
            let shards: Vec<Shard> =
                (1..=of).map(|nth| format!("{nth}/{of}").parse().expect("a shard")).collect();
            for (shard, nth) in shards.iter().zip(1..) {
                prop_assert_eq!(shard.to_string(), format!("{nth}/{of}"));
                prop_assert!(Shard::is_dir_name(&shard.dir_name()));
                let has = (0..pairs).filter(|&pair| shard.has(pair));
                prop_assert!(has.clone().all(|pair| pair % u64::from(of) == nth - 1));
                prop_assert_eq!(has.count() as u64, shard.share_of(pairs));
            }
            prop_assert_eq!(shards.iter().map(|shard| shard.share_of(pairs)).sum::<u64>(), pairs);
        }
    }

    #[test]
    fn other_texts_are_not_shards() {
        for text in
            ["", "/", "1", "1/", "/2", "0/2", "3/2", "1/0", "+1/2", "1/2/3", " 1/2", "1 of 2", "-1/2", "1/4294967296"]
        {
            assert_eq!(text.parse::<Shard>(), Err(WrongShard), "{text}");
        }
        for name in ["shard-1-of-2", "shard-16-of-16", "shard-1-of-2-7"] {
            assert!(Shard::is_dir_name(name), "{name}");
        }
        for name in
            ["shard", "shard-1", "shard-3-of-2", "shard-1-of-2-x", "shard-1-of-2-0", "shard-1-of-2-2-2", "games"]
        {
            assert!(!Shard::is_dir_name(name), "{name}");
        }
    }
}
