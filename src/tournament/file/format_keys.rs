//! The keys of each format, at the top of the file.

use std::num::NonZeroU32;

use super::flaw::Flaw;
use super::key::FileKey;
use super::key_kinds::WholeNumber;
use super::keys::top;
use super::keys::words::FormatWord;
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::Ruleset;
use crate::tournament::schedule::{least_tables, seating};
use crate::tournament::sprt::Sprt;
use crate::tournament::{Format, Legs, TablesEach};

/// The word that names the kind of `format`.
pub(super) const fn name_of(format: &Format) -> &'static str {
    let word = match format {
        Format::RoundRobin { .. } => FormatWord::RoundRobin,
        Format::Gauntlet { .. } => FormatWord::Gauntlet,
        Format::Swiss { .. } => FormatWord::Swiss,
        Format::Knockout { .. } => FormatWord::Knockout,
        Format::Group { .. } => FormatWord::Group,
        Format::Sprt { .. } => FormatWord::Sprt,
        Format::Ladder => FormatWord::Ladder,
    };
    word.name()
}

/// A format before the players are known.
pub(super) enum FormatDraft {
    RoundRobin { rounds: NonZeroU32 },
    Gauntlet { rounds: NonZeroU32 },
    Swiss { rounds: NonZeroU32, legs: Legs },
    Knockout { pairs: NonZeroU32 },
    Group { rounds: NonZeroU32, tables: Option<TablesEach> },
    Sprt { test: Option<Sprt>, max_pairs: NonZeroU32 },
    Ladder,
}

/// Reads the keys of the formats at the top of the file; `None` if it is unclear which format is meant.
pub(super) fn draft(reader: &mut KeyReader<'_>, top: &Section<'_>) -> Option<FormatDraft> {
    let word = reader.read(top, &top::FORMAT);
    let rounds = count(reader, top, &top::ROUNDS);
    let legs = if reader.read(top, &top::GAMES) == Some(1) { Legs::One } else { Legs::Two };
    let pairs = count(reader, top, &top::PAIRS);
    let tables = reader.given(top, &top::TABLES).and_then(tables_each);
    let test = test(reader, top);
    let max_pairs = count(reader, top, &top::MAX_PAIRS);
    let word = word?;
    for (key, beside) in top.misfits(|beside| beside.key != top::FORMAT.name || beside.words.contains(&word.name())) {
        let owners: Vec<String> = beside.words.iter().map(|owner| format!("`format = \"{owner}\"`")).collect();
        let flaw = Flaw::ForAnotherFormat { key, belongs_to: owners.join(" or "), format: word.name() };
        reader.note(top.key_offset(key), flaw);
    }
    Some(match word {
        FormatWord::RoundRobin => FormatDraft::RoundRobin { rounds },
        FormatWord::Gauntlet => FormatDraft::Gauntlet { rounds },
        FormatWord::Swiss => FormatDraft::Swiss { rounds, legs },
        FormatWord::Knockout => FormatDraft::Knockout { pairs },
        FormatWord::Group => FormatDraft::Group { rounds, tables },
        FormatWord::Sprt => FormatDraft::Sprt { test, max_pairs },
        FormatWord::Ladder => FormatDraft::Ladder,
    })
}

/// The value of `tables`, where `None` stands for the word `all`.
fn tables_each(number: Option<u64>) -> Option<TablesEach> {
    match number {
        None => Some(TablesEach::All),
        Some(number) => NonZeroU32::new(u32::try_from(number).ok()?).map(TablesEach::Number),
    }
}

/// The count at `key`; 1 if a problem has been recorded.
fn count(reader: &mut KeyReader<'_>, top: &Section<'_>, key: &FileKey<WholeNumber>) -> NonZeroU32 {
    let number = reader.read(top, key).and_then(|number| NonZeroU32::new(u32::try_from(number).ok()?));
    number.unwrap_or(NonZeroU32::MIN)
}

/// The sequential test; `None` if a problem has been recorded.
fn test(reader: &mut KeyReader<'_>, top: &Section<'_>) -> Option<Sprt> {
    let (elo0, elo1) = (reader.read(top, &top::ELO0), reader.read(top, &top::ELO1));
    let (alpha, beta) = (reader.read(top, &top::ALPHA), reader.read(top, &top::BETA));
    let (elo0, elo1) = (elo0?, elo1?);
    if elo0 >= elo1 {
        let key = if top.has("elo1") { "elo1" } else { "elo0" };
        reader.note(top.key_offset(key), Flaw::EloOrder { elo0: elo0.to_string(), elo1: elo1.to_string() });
        return None;
    }
    Sprt::new(elo0, elo1, alpha?, beta?)
}

impl FormatDraft {
    pub(super) const fn word(&self) -> FormatWord {
        match self {
            Self::RoundRobin { .. } => FormatWord::RoundRobin,
            Self::Gauntlet { .. } => FormatWord::Gauntlet,
            Self::Swiss { .. } => FormatWord::Swiss,
            Self::Knockout { .. } => FormatWord::Knockout,
            Self::Group { .. } => FormatWord::Group,
            Self::Sprt { .. } => FormatWord::Sprt,
            Self::Ladder => FormatWord::Ladder,
        }
    }

    /// The format for the players of the file; `None` if a problem has been recorded. `marks` contains, for each
    /// player, the offset of `challenger = true`, if present.
    ///
    /// A format that does not suit the number of seats of `ruleset` has already been refused.
    pub(super) fn of(
        self,
        reader: &mut KeyReader<'_>,
        top: &Section<'_>,
        ruleset: Ruleset,
        marks: &[Option<usize>],
    ) -> Option<Format> {
        let players = marks.len();
        let challengers = self.challengers(reader, top, marks);
        match self {
            Self::RoundRobin { rounds } => Some(Format::RoundRobin { rounds }),
            Self::Gauntlet { rounds } => Some(Format::Gauntlet { rounds, challengers: challengers? }),
            Self::Swiss { rounds, legs } => {
                // With an odd number of players, the bye counts as one more opponent, which each player can meet once.
                let most = if players.is_multiple_of(2) { players - 1 } else { players };
                if usize::try_from(rounds.get()).is_ok_and(|rounds| rounds > most) {
                    let flaw = Flaw::MoreRoundsThanOpponents { rounds: rounds.get(), players, most };
                    reader.note(top.key_offset("rounds"), flaw);
                    return None;
                }
                Some(Format::Swiss { rounds, legs })
            }
            Self::Knockout { pairs } => Some(Format::Knockout { pairs }),
            Self::Group { rounds, tables } => {
                let seats = ruleset.seats();
                let tables = tables.unwrap_or_else(|| TablesEach::Number(least_tables(players, seats)));
                if let Err(why) = seating(players, seats, rounds, tables) {
                    let key = if top.has("tables") { "tables" } else { "format" };
                    reader.note(top.key_offset(key), Flaw::Unseatable { key, why });
                    return None;
                }
                Some(Format::Group { rounds, tables })
            }
            Self::Sprt { test, max_pairs } => {
                if players != 2 {
                    reader.note(top.key_offset("format"), Flaw::NotTwoPlayers(players));
                    return None;
                }
                Some(Format::Sprt { test: test?, max_pairs })
            }
            Self::Ladder => Some(Format::Ladder),
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
