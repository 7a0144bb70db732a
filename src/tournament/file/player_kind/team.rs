//! The bots of a team, each with the mode that it plays.

use toml::de::DeValue;

use super::{KindKey, builtin, refuse_misfits};
use crate::game::quantum::Mode;
use crate::tournament::file::flaw::Flaw;
use crate::tournament::file::keys::player::{MEMBER_KEYS, MODES, MODES_KEYS};
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::program_keys::{ProgramDefaults, program};
use crate::tournament::file::section::Section;
use crate::tournament::{PlayerTeam, TeamBot, TeamMember, Transport};

/// The possible kinds of a team's bot.
const KINDS: [KindKey; 2] = [KindKey::Command, KindKey::Builtin];

/// The sections of the team's bots, in the order of the modes, from the table at `modes` of the player in `section`.
pub(in crate::tournament::file) fn members<'t>(section: &Section<'t>) -> Vec<(Mode, Section<'t>)> {
    let Some(DeValue::Table(modes)) = section.get(MODES.name).map(toml::Spanned::get_ref) else { return Vec::new() };
    let member = |mode: Mode| match modes.get(mode.name())?.get_ref() {
        DeValue::Table(member) => Some((mode, Section::new(member, MEMBER_KEYS))),
        _ => None,
    };
    Mode::ALL.into_iter().filter_map(member).collect()
}

/// Reads the table at `modes` of the player in `section`.
pub(super) fn team(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    defaults: &ProgramDefaults,
) -> Option<PlayerTeam> {
    const EXPECTED: &str = "a table with a program for each mode, under a line `[player.modes]`";
    const EXPECTED_MEMBER: &str = "a table such as { command = [\"python3\", \"bot.py\", \"{side}\", \"{port}\"] }";
    let table = reader.table_of(MODES.name, section.get(MODES.name)?, EXPECTED)?;
    let modes = Section::new(table, MODES_KEYS);
    reader.unknown_keys(&modes);
    let mut bots = Vec::new();
    for mode in Mode::ALL {
        let Some(value) = modes.get(mode.name()) else { continue };
        let offset = modes.key_offset(mode.name());
        let table = reader.table_of(mode.name(), value, EXPECTED_MEMBER);
        let bot = table.and_then(|table| member(reader, mode, (offset, &Section::new(table, MEMBER_KEYS)), defaults));
        bots.push(bot.map(|bot| TeamMember { mode, bot }));
    }
    PlayerTeam::new(bots.into_iter().collect::<Option<_>>()?)
}

/// Reads `section`, which starts at `offset` and describes the bot that plays `mode`.
fn member(
    reader: &mut KeyReader<'_>,
    mode: Mode,
    (offset, section): (usize, &Section<'_>),
    defaults: &ProgramDefaults,
) -> Option<TeamBot> {
    const OF_OTHER_KINDS: [&str; 2] = ["remote", "modes"];
    reader.unknown_keys_but(section, &OF_OTHER_KINDS);
    let mut is_sound = true;
    for key in OF_OTHER_KINDS.into_iter().filter(|key| section.has(key)) {
        is_sound = false;
        reader.note(section.key_offset(key), Flaw::NotInModes { key, mode });
    }
    let given: Vec<KindKey> = KINDS.into_iter().filter(|kind| section.has(kind.name())).collect();
    match given[..] {
        [] if is_sound => {
            reader.note(offset, Flaw::NoBotOfMode { mode });
            None
        }
        [] => None,
        [kind] => {
            refuse_misfits(reader, section, kind);
            match kind {
                KindKey::Builtin => builtin(reader, section).map(TeamBot::Builtin),
                _ => program(reader, section, defaults).map(TeamBot::Program),
            }
        }
        [first, other, ..] => {
            reader.note(section.key_offset(other.name()), Flaw::Excluding { key: other.name(), other: first.name() });
            None
        }
    }
    .filter(|_| is_sound)
    .filter(|bot| {
        let is_engine = bot.program().is_some_and(|program| program.transport == Transport::Gtp);
        if is_engine {
            reader.note(section.key_offset("transport"), Flaw::EngineInModes { mode });
        }
        !is_engine
    })
}
