//! The keys of each format, at the top of the file.

use std::num::NonZeroU32;

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::base::word_enum::words;
use crate::tournament::sprt::Sprt;
use crate::tournament::{Format, Legs};

/// The word that names a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FormatWord {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Sprt,
}

words! {
    FormatWord;
    RoundRobin => "round-robin",
    Gauntlet => "gauntlet",
    Swiss => "swiss",
    Knockout => "knockout",
    Sprt => "sprt",
}

/// The word that names the kind of `format`.
pub(super) const fn name_of(format: &Format) -> &'static str {
    let word = match format {
        Format::RoundRobin { .. } => FormatWord::RoundRobin,
        Format::Gauntlet { .. } => FormatWord::Gauntlet,
        Format::Swiss { .. } => FormatWord::Swiss,
        Format::Knockout { .. } => FormatWord::Knockout,
        Format::Sprt { .. } => FormatWord::Sprt,
    };
    word.name()
}

const MAX_ROUNDS: u64 = 1_000_000;
/// Three more pairs may be needed to break a tie.
const MAX_PAIRS: u64 = 10_000;
const MAX_SPRT_PAIRS: u64 = 1_000_000;

/// A format before the players are known.
pub(super) enum FormatDraft {
    RoundRobin { rounds: NonZeroU32 },
    Gauntlet { rounds: NonZeroU32 },
    Swiss { rounds: NonZeroU32, legs: Legs },
    Knockout { pairs: NonZeroU32 },
    Sprt { test: Option<Sprt>, max_pairs: NonZeroU32 },
}

/// Reads the keys of the format at the top of the file; `None` if it is unknown which format is meant.
///
/// The keys of every format are asked for, so that all of them are known, whatever the format of this file.
pub(super) fn draft(reader: &mut KeyReader<'_>, top: &mut Section<'_>) -> Option<FormatDraft> {
    let word = reader.word(top, "format", &FormatWord::ALL.map(|word| (word.name(), word)));
    let drafts = FormatWord::ALL.map(|word| (word, top.under(word.name(), |top| FormatDraft::read(word, reader, top))));
    let word = if top.has("format") { word? } else { FormatWord::RoundRobin };
    for (key, owners) in top.of_other_variants(word.name()) {
        let owners: Vec<String> = owners.into_iter().map(|owner| format!("`format = \"{owner}\"`")).collect();
        let flaw = Flaw::ForAnotherFormat { key, belongs_to: owners.join(" or "), format: word.name() };
        reader.note(top.key_offset(key), flaw);
    }
    drafts.into_iter().find(|(of, _)| *of == word).map(|(_, draft)| draft)
}

/// The default of `max_pairs`: enough for the default test to end earlier if the truth lies between its hypotheses.
const DEFAULT_MAX_PAIRS: NonZeroU32 = NonZeroU32::new(10_000).unwrap();

fn count(reader: &mut KeyReader<'_>, top: &mut Section<'_>, key: &'static str, most: u64) -> Option<NonZeroU32> {
    let number = reader.integer(top, key, 1..=most)?;
    NonZeroU32::new(u32::try_from(number).ok()?)
}

fn rounds(reader: &mut KeyReader<'_>, top: &mut Section<'_>) -> NonZeroU32 {
    count(reader, top, "rounds", MAX_ROUNDS).unwrap_or(NonZeroU32::MIN)
}

/// The sequential test; `None` if a problem has been noted.
fn test(reader: &mut KeyReader<'_>, top: &mut Section<'_>) -> Option<Sprt> {
    const MOST_ELO: f64 = 2_000.0;
    const RISKS: std::ops::RangeInclusive<f64> = 1e-6..=0.49;
    let elo0 = reader.number(top, "elo0", -MOST_ELO..=MOST_ELO, 0.0);
    let elo1 = reader.number(top, "elo1", -MOST_ELO..=MOST_ELO, 10.0);
    let alpha = reader.number(top, "alpha", RISKS, 0.05);
    let beta = reader.number(top, "beta", RISKS, 0.05);
    let (elo0, elo1) = (elo0?, elo1?);
    if elo0 >= elo1 {
        let key = if top.has("elo1") { "elo1" } else { "elo0" };
        reader.note(top.key_offset(key), Flaw::EloOrder { elo0: elo0.to_string(), elo1: elo1.to_string() });
        return None;
    }
    Sprt::new(elo0, elo1, alpha?, beta?)
}

impl FormatDraft {
    /// Reads the keys of the format that `word` names.
    fn read(word: FormatWord, reader: &mut KeyReader<'_>, top: &mut Section<'_>) -> Self {
        match word {
            FormatWord::RoundRobin => Self::RoundRobin { rounds: rounds(reader, top) },
            FormatWord::Gauntlet => Self::Gauntlet { rounds: rounds(reader, top) },
            FormatWord::Swiss => {
                let rounds = rounds(reader, top);
                let one = reader.integer(top, "games", 1..=2) == Some(1);
                Self::Swiss { rounds, legs: if one { Legs::One } else { Legs::Two } }
            }
            FormatWord::Knockout => {
                let pairs = count(reader, top, "pairs", MAX_PAIRS).unwrap_or(NonZeroU32::MIN);
                Self::Knockout { pairs }
            }
            FormatWord::Sprt => {
                let test = test(reader, top);
                let max_pairs = count(reader, top, "max_pairs", MAX_SPRT_PAIRS).unwrap_or(DEFAULT_MAX_PAIRS);
                Self::Sprt { test, max_pairs }
            }
        }
    }

    const fn word(&self) -> FormatWord {
        match self {
            Self::RoundRobin { .. } => FormatWord::RoundRobin,
            Self::Gauntlet { .. } => FormatWord::Gauntlet,
            Self::Swiss { .. } => FormatWord::Swiss,
            Self::Knockout { .. } => FormatWord::Knockout,
            Self::Sprt { .. } => FormatWord::Sprt,
        }
    }

    /// The format for the players of the file; `None` if a problem has been noted. `marks` says for each player where
    /// `challenger = true` stands, if it does.
    pub(super) fn of(self, reader: &mut KeyReader<'_>, top: &Section<'_>, marks: &[Option<usize>]) -> Option<Format> {
        let players = marks.len();
        let challengers = self.challengers(reader, top, marks);
        match self {
            Self::RoundRobin { rounds } => Some(Format::RoundRobin { rounds }),
            Self::Gauntlet { rounds } => Some(Format::Gauntlet { rounds, challengers: challengers? }),
            Self::Swiss { rounds, legs } => {
                // With an odd number of players, each player meets the bye once, as one more opponent.
                let most = if players.is_multiple_of(2) { players - 1 } else { players };
                if usize::try_from(rounds.get()).is_ok_and(|rounds| rounds > most) {
                    let flaw = Flaw::MoreRoundsThanOpponents { rounds: rounds.get(), players, most };
                    reader.note(top.key_offset("rounds"), flaw);
                    return None;
                }
                Some(Format::Swiss { rounds, legs })
            }
            Self::Knockout { pairs } => Some(Format::Knockout { pairs }),
            Self::Sprt { test, max_pairs } => {
                if players != 2 {
                    reader.note(top.key_offset("format"), Flaw::NotTwoPlayers(players));
                    return None;
                }
                Some(Format::Sprt { test: test?, max_pairs })
            }
        }
    }

    /// The challengers of a gauntlet.
    fn challengers(
        &self,
        reader: &mut KeyReader<'_>,
        top: &Section<'_>,
        marks: &[Option<usize>],
    ) -> Option<Vec<usize>> {
        let marked = marks.iter().enumerate().filter_map(|(index, offset)| Some((index, (*offset)?)));
        let marked: Vec<(usize, usize)> = marked.collect();
        if self.word() != FormatWord::Gauntlet {
            for (_, offset) in marked {
                let belongs_to = "`format = \"gauntlet\"`".to_owned();
                let flaw = Flaw::ForAnotherFormat { key: "challenger", belongs_to, format: self.word().name() };
                reader.note(offset, flaw);
            }
            return None;
        }
        if marked.is_empty() {
            reader.note(top.key_offset("format"), Flaw::NoChallenger);
            return None;
        }
        if marked.len() == marks.len() {
            reader.note(marked[0].1, Flaw::AllChallengers);
            return None;
        }
        Some(marked.into_iter().map(|(index, _)| index).collect())
    }
}
