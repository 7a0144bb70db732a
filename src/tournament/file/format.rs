//! The format of a tournament: who meets whom how often. Each has keys of its own, at the top of the file.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::problem::Flaw;
use super::read::Reader;
use crate::tournament::sprt::Sprt;

/// Who meets whom how often. docs/formats.md says what each guarantees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Format {
    /// Each pair meets twice a round, once with each colour.
    RoundRobin {
        /// How many rounds.
        rounds: NonZeroU32,
    },
    /// Each challenger meets each player that is none, twice a round, once with each colour.
    Gauntlet {
        /// How many rounds.
        rounds: NonZeroU32,
        /// The challengers, by their index among the players, ascending; at least one, and not all.
        challengers: Vec<usize>,
    },
    /// Each round pairs players with like scores that have not met.
    Swiss {
        /// How many rounds; no more than a player has opponents, a bye counting as one.
        rounds: NonZeroU32,
        /// What a pairing consists of.
        legs: Legs,
    },
    /// Who loses a pairing is out. The players are seeded in their order.
    Knockout {
        /// A pairing is the best of so many colour-swapped pairs of games.
        pairs: NonZeroU32,
    },
    /// Two players meet in colour-swapped pairs of games until one hypothesis about the first's strength is accepted.
    Sprt {
        /// The test.
        test: Sprt,
        /// How many pairs there are at most.
        max_pairs: NonZeroU32,
    },
}

/// What a pairing of a Swiss tournament consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Legs {
    /// One game; colours are balanced from round to round.
    One,
    /// Two games, one with each colour.
    Two,
}

impl Legs {
    /// How many games a pairing has.
    pub const fn games(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// How the format is called in a file, with its size: `5 rounds`, `swiss, 4 rounds of 2 games`, `knockout, best of 3
/// pairs`. Equal formats have equal texts, and different ones different texts.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin { rounds } => write!(f, "{}", counted(rounds.get(), "round")),
            Self::Gauntlet { rounds, challengers } => {
                write!(f, "gauntlet of {}, {}", Listed(challengers), counted(rounds.get(), "round"))
            }
            Self::Swiss { rounds, legs } => {
                write!(f, "swiss, {} of {}", counted(rounds.get(), "round"), counted(legs.games(), "game"))
            }
            Self::Knockout { pairs } => write!(f, "knockout, best of {}", counted(pairs.get(), "pair")),
            Self::Sprt { test, max_pairs } => write!(f, "sprt, {test}, at most {}", counted(max_pairs.get(), "pair")),
        }
    }
}

fn counted(number: u32, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Challengers as the numbers of the players, from 1.
struct Listed<'a>(&'a [usize]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(|index| (index + 1).to_string()).collect();
        write!(f, "player{} {}", if numbers.len() == 1 { "" } else { "s" }, numbers.join(" and "))
    }
}

/// The word that names a format, before its own keys are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Sprt,
}

impl Kind {
    const ALL: [(&'static str, Self); 5] = [
        ("round-robin", Self::RoundRobin),
        ("gauntlet", Self::Gauntlet),
        ("swiss", Self::Swiss),
        ("knockout", Self::Knockout),
        ("sprt", Self::Sprt),
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
            Self::Swiss => "swiss",
            Self::Knockout => "knockout",
            Self::Sprt => "sprt",
        }
    }

    /// The keys at the top of the file that mean something with it.
    const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::RoundRobin | Self::Gauntlet => &["rounds"],
            Self::Swiss => &["rounds", "games"],
            Self::Knockout => &["pairs"],
            Self::Sprt => &["elo0", "elo1", "alpha", "beta", "max_pairs"],
        }
    }

    /// The formats that `key` means something with, in words.
    fn with(key: &str) -> String {
        let names = Self::ALL.into_iter().filter(|(_, kind)| kind.keys().contains(&key));
        names.map(|(name, _)| format!("`format = \"{name}\"`")).collect::<Vec<_>>().join(" or ")
    }
}

/// Every key of some format, with `format` itself.
pub(super) const KEYS: [&str; 9] = ["format", "rounds", "games", "pairs", "elo0", "elo1", "alpha", "beta", "max_pairs"];

const MAX_ROUNDS: u64 = 1_000_000;
/// Three more pairs may have to break a tie.
const MAX_PAIRS: u64 = 10_000;
const MAX_SPRT_PAIRS: u64 = 1_000_000;

/// What the format is to be, before the players are known.
pub(super) struct Draft {
    kind: Kind,
    rounds: NonZeroU32,
    legs: Legs,
    pairs: NonZeroU32,
    test: Option<Sprt>,
    max_pairs: NonZeroU32,
}

/// Reads the keys of the format at the top of the file; `None` where it is not known which format is meant.
pub(super) fn draft(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Draft> {
    let kind =
        if table.contains_key("format") { reader.word(table, "format", &Kind::ALL) } else { Some(Kind::RoundRobin) };
    let rounds = count(reader, table, "rounds", MAX_ROUNDS).unwrap_or(NonZeroU32::MIN);
    let games = reader.integer(table, "games", 1..=2);
    let pairs = count(reader, table, "pairs", MAX_PAIRS).unwrap_or(NonZeroU32::MIN);
    let max_pairs = count(reader, table, "max_pairs", MAX_SPRT_PAIRS).unwrap_or(DEFAULT_MAX_PAIRS);
    let test = test(reader, table);
    let kind = kind?;
    for key in KEYS.into_iter().filter(|key| *key != "format" && table.contains_key(*key)) {
        if !kind.keys().contains(&key) {
            let flaw = Flaw::ForAnotherFormat { key, belongs_to: Kind::with(key), format: kind.name() };
            reader.note(Reader::key_offset(table, key), flaw);
        }
    }
    let legs = if games == Some(1) { Legs::One } else { Legs::Two };
    Some(Draft { kind, rounds, legs, pairs, test, max_pairs })
}

/// Enough for the default test to end before, if the truth lies between its hypotheses.
const DEFAULT_MAX_PAIRS: NonZeroU32 = NonZeroU32::new(10_000).unwrap();

fn count(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &'static str, most: u64) -> Option<NonZeroU32> {
    let number = reader.integer(table, key, 1..=most)?;
    NonZeroU32::new(u32::try_from(number).ok()?)
}

/// The sequential test; `None` where a problem has been noted.
fn test(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Sprt> {
    const MOST_ELO: f64 = 2_000.0;
    const RISKS: std::ops::RangeInclusive<f64> = 1e-6..=0.49;
    let elo0 = reader.number(table, "elo0", -MOST_ELO..=MOST_ELO, 0.0);
    let elo1 = reader.number(table, "elo1", -MOST_ELO..=MOST_ELO, 10.0);
    let alpha = reader.number(table, "alpha", RISKS, 0.05);
    let beta = reader.number(table, "beta", RISKS, 0.05);
    let (elo0, elo1) = (elo0?, elo1?);
    if elo0 >= elo1 {
        let key = if table.contains_key("elo1") { "elo1" } else { "elo0" };
        reader.note(Reader::key_offset(table, key), Flaw::EloOrder { elo0: elo0.to_string(), elo1: elo1.to_string() });
        return None;
    }
    Sprt::new(elo0, elo1, alpha?, beta?)
}

impl Draft {
    /// The format for the players of the file; `None` where a problem has been noted. `marks` says for each of them where
    /// `challenger = true` stands, if it does.
    pub(super) fn of(self, reader: &mut Reader<'_>, table: &DeTable<'_>, marks: &[Option<usize>]) -> Option<Format> {
        let players = marks.len();
        let challengers = self.challengers(reader, table, marks);
        let Self { kind, rounds, legs, pairs, test, max_pairs } = self;
        match kind {
            Kind::RoundRobin => Some(Format::RoundRobin { rounds }),
            Kind::Gauntlet => Some(Format::Gauntlet { rounds, challengers: challengers? }),
            Kind::Swiss => {
                // With an odd number of players, the bye is an opponent that each has once.
                let most = if players.is_multiple_of(2) { players - 1 } else { players };
                if usize::try_from(rounds.get()).is_ok_and(|rounds| rounds > most) {
                    let flaw = Flaw::MoreRoundsThanOpponents { rounds: rounds.get(), players, most };
                    reader.note(Reader::key_offset(table, "rounds"), flaw);
                    return None;
                }
                Some(Format::Swiss { rounds, legs })
            }
            Kind::Knockout => Some(Format::Knockout { pairs }),
            Kind::Sprt => {
                if players != 2 {
                    reader.note(Reader::key_offset(table, "format"), Flaw::NotTwoPlayers(players));
                    return None;
                }
                Some(Format::Sprt { test: test?, max_pairs })
            }
        }
    }

    /// The challengers of a gauntlet.
    fn challengers(&self, reader: &mut Reader<'_>, table: &DeTable<'_>, marks: &[Option<usize>]) -> Option<Vec<usize>> {
        let marked = marks.iter().enumerate().filter_map(|(index, offset)| Some((index, (*offset)?)));
        let marked: Vec<(usize, usize)> = marked.collect();
        if self.kind != Kind::Gauntlet {
            for (_, offset) in marked {
                let belongs_to = "`format = \"gauntlet\"`".to_owned();
                let flaw = Flaw::ForAnotherFormat { key: "challenger", belongs_to, format: self.kind.name() };
                reader.note(offset, flaw);
            }
            return None;
        }
        if marked.is_empty() {
            reader.note(Reader::key_offset(table, "format"), Flaw::NoChallenger);
            return None;
        }
        if marked.len() == marks.len() {
            reader.note(marked[0].1, Flaw::AllChallengers);
            return None;
        }
        Some(marked.into_iter().map(|(index, _)| index).collect())
    }
}
