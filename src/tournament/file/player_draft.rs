//! One player of the file, before the players are compared with each other.

use super::flaw::Flaw;
use super::player_kind::kind;
use super::problem_places::KeyReader;
use super::program_keys::ProgramDefaults;
use super::section::Section;
use super::{PlayerKind, PlayerName};

/// What one player's section says, and what the checks between players need.
pub(super) struct PlayerDraft<'t> {
    pub(super) section: Section<'t>,
    /// Where the section stands.
    pub(super) offset: usize,
    pub(super) name: Option<PlayerName>,
    pub(super) kind: Option<PlayerKind>,
    /// Whether the player says that it understands openings, if it says anything.
    pub(super) openings: Option<bool>,
    /// Where `challenger = true` stands.
    pub(super) challenger: Option<usize>,
}

impl<'t> PlayerDraft<'t> {
    /// Reads the section of one player, which stands at `offset`.
    pub(super) fn read(
        reader: &mut KeyReader<'_>,
        offset: usize,
        mut section: Section<'t>,
        defaults: &ProgramDefaults,
    ) -> Self {
        let name = name(reader, offset, &mut section);
        let (given, kind) = kind(reader, offset, &mut section, defaults);
        let openings = reader.boolean(&mut section, "openings");
        let is_challenger = reader.boolean(&mut section, "challenger").unwrap_or(false);
        let challenger = is_challenger.then(|| section.key_offset("challenger"));
        given.must_be_there(reader, &section, offset);
        reader.unknown_keys(&section);
        Self { section, offset, name, kind, openings, challenger }
    }
}

fn name(reader: &mut KeyReader<'_>, offset: usize, section: &mut Section<'_>) -> Option<PlayerName> {
    if !section.has("name") {
        reader.note(offset, Flaw::Missing { key: "name", example: "name = \"alice\"" });
        return None;
    }
    let text = reader.text(section, "name", "a string such as \"alice\"")?;
    match PlayerName::new(text.content) {
        Ok(name) => Some(name),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Name(invalid));
            None
        }
    }
}
