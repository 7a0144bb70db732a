//! A player in the file, before the players are compared with each other.

use toml::de::DeValue;

use super::flaw::Flaw;
use super::keys::player;
use super::player_kind::EntryKeys;
use super::player_kind::{KindKey, ReadKind, kind};
use super::problem_places::KeyReader;
use super::program_keys::ProgramDefaults;
use super::section::Section;
use crate::game::Side;
use crate::tournament::{PlayerKind, PlayerName};

/// The contents of a player's section, and the data for the checks between players.
pub(super) struct PlayerDraft<'t> {
    pub(super) section: Section<'t>,
    /// The offset of the section.
    pub(super) offset: usize,
    pub(super) name: Option<PlayerName>,
    pub(super) kind: Option<PlayerKind>,
    /// The door by which the player's versions arrive, if it hands in versions.
    pub(super) door: Option<KindKey>,
    /// The keys of a player that hands in versions.
    pub(super) entry: Option<Box<EntryKeys>>,
    /// The value of the player's key `openings`, if present.
    pub(super) openings: Option<bool>,
    /// The only side that the player plays, if it does not play both.
    pub(super) only_side: Option<Side>,
    /// Whether the player is informed of its clock.
    pub(super) is_told_clock: bool,
    /// The offset of `challenger = true`, if present.
    pub(super) challenger: Option<usize>,
}

impl<'t> PlayerDraft<'t> {
    /// Reads the section of a player, which starts at `offset`.
    pub(super) fn read(
        reader: &mut KeyReader<'_>,
        offset: usize,
        section: Section<'t>,
        (defaults, is_ladder): (&ProgramDefaults, bool),
    ) -> Self {
        let name = name(reader, offset, &section);
        let (given, kind) = kind(reader, offset, &section, defaults);
        let (kind, entry) = match kind {
            Some(ReadKind::Player(kind)) => (Some(*kind), None),
            Some(ReadKind::Entry(entry)) => (None, Some(entry)),
            None => (None, None),
        };
        let door = given.door();
        let openings = reader.given(&section, &player::OPENINGS);
        let only_side = sides(reader, &section);
        let is_told_clock = reader.read(&section, &player::TELL_CLOCK).unwrap_or_default();
        let is_challenger = reader.read(&section, &player::CHALLENGER).unwrap_or_default();
        let challenger = is_challenger.then(|| section.key_offset("challenger"));
        given.must_be_there(reader, (&section, offset), is_ladder);
        reader.unknown_keys(&section);
        Self { section, offset, name, kind, door, entry, openings, only_side, is_told_clock, challenger }
    }
}

/// The only side in `sides`; `None` if the player plays both, or if the key has a mistake.
fn sides(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Side> {
    const EXPECTED: &str = "an array of sides: [\"black\"], [\"white\"] or both";
    let value = section.get(player::SIDES.name)?;
    let DeValue::Array(items) = value.get_ref() else {
        reader.wrong_type("sides", value, EXPECTED);
        return None;
    };
    let mut sides = Vec::new();
    for item in items {
        let text = item.get_ref().as_str();
        match Side::BOTH.into_iter().find(|side| text == Some(side.name())) {
            Some(side) if sides.contains(&side) => reader.note(item.span().start, Flaw::SideTwice { side }),
            Some(side) => sides.push(side),
            None => reader.wrong_type("sides", item, EXPECTED),
        }
    }
    if items.is_empty() {
        reader.wrong_type("sides", value, EXPECTED);
    }
    if let [only] = sides[..] { Some(only) } else { None }
}

fn name(reader: &mut KeyReader<'_>, offset: usize, section: &Section<'_>) -> Option<PlayerName> {
    if !section.has("name") {
        reader.note(offset, Flaw::Missing { key: "name", example: "name = \"alice\"" });
        return None;
    }
    let text = reader.text(section, &player::NAME, "a string such as \"alice\"")?;
    match PlayerName::new(text.content) {
        Ok(name) => Some(name),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Name(invalid));
            None
        }
    }
}
