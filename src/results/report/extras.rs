//! The optional parts of a report.

use crate::base::word_enum::words;

/// An optional part of a report: a table in text, additional columns in CSV, and an object for each player in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extra {
    /// How likely each player is to be the strongest one, and the range of its rank.
    Ranks,
    /// The games of each pair of players compared with the fit's predictions, and performance ratings.
    HeadToHead,
    /// How well the ratings explain the results, and which pairings they explain worst.
    Fit,
    /// How likely each player is to be stronger than each of the others.
    Superiority,
    /// The resources that the players' processes used.
    Usage,
    /// The games of each machine, and whether its results are like those of the other machines.
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

/// A set of extras, and whether text explains how the numbers were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    set: u8,
    explains: bool,
}

impl Extras {
    /// Whether `extra` is in the set.
    pub const fn has(self, extra: Extra) -> bool {
        self.set & (1 << extra as u8) != 0
    }

    /// This set, with explanations if `explains`.
    #[must_use]
    pub const fn explained(self, explains: bool) -> Self {
        Self { explains, ..self }
    }

    /// Whether text explains how the numbers were computed. CSV and JSON have no explanations.
    pub const fn explains(self) -> bool {
        self.explains
    }
}

impl FromIterator<Extra> for Extras {
    fn from_iter<T: IntoIterator<Item = Extra>>(extras: T) -> Self {
        let set = extras.into_iter().fold(0, |set, extra| set | 1 << extra as u8);
        Self { set, explains: false }
    }
}
