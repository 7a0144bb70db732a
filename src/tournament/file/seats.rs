//! Checks that the tournament file suits the number of seats of its game.

use super::features::players;
use super::flaw::Flaw;
use super::format_keys::FormatDraft;
use super::keys::top::{self, FormatWord};
use super::problem_places::KeyReader;
use super::section::Section;
use crate::game::{Ruleset, Side};
use crate::referee::sans_io::Endings;

/// Records a problem if the format is for another number of seats, and returns whether it is not.
pub(super) fn format_suits(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    ruleset: Ruleset,
    format: Option<&FormatDraft>,
) -> bool {
    let Some(word) = format.map(FormatDraft::word) else { return false };
    let (ruleset, seats) = (ruleset.name(), ruleset.seats());
    let flaw = match (word, seats) {
        (FormatWord::Group, 2) => Flaw::GroupOfTwo { ruleset },
        (FormatWord::Group, _) | (_, 2) => return true,
        (FormatWord::Sprt, _) => Flaw::SprtOfMany { ruleset, seats },
        (pairs, _) => Flaw::PairsOfMany { format: pairs.name(), ruleset, seats },
    };
    let key = if top.has(top::FORMAT.name) { top::FORMAT.name } else { top::RULESET.name };
    reader.note(top.key_offset(key), flaw);
    false
}

/// Records a problem for every key that has a meaning only in games of two. `endings` is the value of that key.
pub(super) fn refuse_what_is_for_two(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    ruleset: Ruleset,
    endings: Endings,
) {
    let (ruleset, seats) = (ruleset.name(), ruleset.seats());
    for key in ["black_time", "white_time", "black_move_time", "white_move_time", "black_bank", "white_bank"] {
        if top.has(key) {
            let same = Side::BOTH.iter().fold(key.to_owned(), |key, side| key.replace(&format!("{side}_"), ""));
            reader.note(top.key_offset(key), Flaw::SideClockOfMany { key, same, ruleset, seats });
        }
    }
    if top.has(top::OPENINGS.name) {
        reader.note(top.key_offset(top::OPENINGS.name), Flaw::OpeningsOfMany { seats });
    }
    if endings == Endings::Compatible {
        reader.note(top.key_offset(top::ENDINGS.name), Flaw::EndingsOfMany { seats });
    }
    for player in players(top).filter(|player| player.has("sides")) {
        reader.note(player.key_offset("sides"), Flaw::SidesOfMany { ruleset, seats });
    }
}
