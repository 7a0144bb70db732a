//! What a report may show beside what every report shows.

use crate::base::word_enum::words;

/// Something that a report shows only on demand: a table, in CSV more columns, in JSON an object within each player's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extra {
    /// How likely each player is to be the strongest one, and the range of its rank.
    Ranks,
    /// The games of each two players beside what the fit expects, and performance ratings.
    HeadToHead,
    /// How well the ratings explain the results, and which pairings they explain worst.
    Fit,
    /// How likely each player is stronger than each other one.
    Superiority,
    /// What the players' processes used.
    Usage,
    /// What each machine did, and whether its results are like those of the others.
    Workers,
}

words! {
    pub Extra;
    Ranks => "ranks",
    HeadToHead => "head-to-head",
    Fit => "fit",
    Superiority => "los",
    Usage => "usage",
    Workers => "workers",
}

/// A set of extras.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras(u8);

impl Extras {
    /// Whether `extra` is one of these.
    pub const fn has(self, extra: Extra) -> bool {
        self.0 & (1 << extra as u8) != 0
    }
}

impl FromIterator<Extra> for Extras {
    fn from_iter<T: IntoIterator<Item = Extra>>(extras: T) -> Self {
        Self(extras.into_iter().fold(0, |set, extra| set | 1 << extra as u8))
    }
}
