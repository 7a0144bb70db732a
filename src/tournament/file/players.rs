//! The players of a tournament file.

use std::net::SocketAddr;

use toml::de::DeValue;

use super::Site;
use super::between_players::{
    addresses_differ, entries_fit, hellos_fit, names_differ, nothing_is_shown, openings_are_understood,
    processes_are_in_reach, teams_fit, versions_differ,
};
use super::flaw::Flaw;
use super::keys::words::FormatWord;
use super::keys::{player, top};
use super::player_draft::PlayerDraft;
use super::player_kind::EntryKeys;
use super::problem_places::KeyReader;
use super::program_keys::ProgramDefaults;
use super::section::Section;
use crate::base::suggestion::nearest;
use crate::game::Ruleset;
use crate::tournament::Player;
use crate::tournament::ladder::LadderEntry;

/// All players of a file.
pub(super) struct Players {
    /// The players in the order of the file; `None` if there is any problem with them.
    pub(super) list: Option<Vec<Player>>,
    /// The players that hand in versions, in the order of the file.
    pub(super) entries: Vec<LadderEntry>,
    /// For each player, the offset of `challenger = true`, if present.
    pub(super) challengers: Vec<Option<usize>>,
    /// For each player in the list, the offset of `sides`, if present.
    pub(super) sides: Vec<Option<usize>>,
}

/// What the tournament requires of every player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs<'a> {
    /// The rules.
    pub(super) ruleset: Ruleset,
    /// The location of the file.
    pub(super) site: &'a Site<'a>,
    /// The arena's public address, if it has one.
    pub(super) public: Option<SocketAddr>,
    /// Whether every player must follow openings.
    pub(super) openings: bool,
    /// The format.
    pub(super) format: Option<FormatWord>,
    /// The setting, if any, that requires every player to be a child process of the arena.
    pub(super) processes: Option<&'static str>,
}

/// Reads all players of the file from `top`, its top level; `None` if the number of players is unknown.
pub(super) fn all(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    needs: Needs<'_>,
    defaults: &ProgramDefaults,
) -> Option<Players> {
    let sections = sections(reader, top)?;
    let is_ladder = needs.format == Some(FormatWord::Ladder);
    let drafts =
        sections.into_iter().map(|(offset, section)| PlayerDraft::read(reader, offset, section, (defaults, is_ladder)));
    let drafts: Vec<PlayerDraft<'_>> = drafts.collect();
    teams_fit(reader, &drafts, needs.ruleset);
    openings_are_understood(reader, &drafts, needs.openings);
    processes_are_in_reach(reader, &drafts, needs.processes);
    names_differ(reader, &drafts);
    versions_differ(reader, &drafts);
    entries_fit(reader, &drafts, needs.format);
    nothing_is_shown(reader, &drafts, needs.site);
    hellos_fit(reader, &drafts, top.has("listen"));
    addresses_differ(reader, top, &drafts, needs.public);
    if drafts.len() < 2 {
        // A misspelt `[[player]]` is reported as an unknown key.
        if !top.keys().any(|key| key != "player" && nearest(key, ["player"]).is_some()) {
            let offset = drafts.first().map_or(0, |player| player.offset);
            reader.note(offset, Flaw::TooFewPlayers(drafts.len()));
        }
        return None;
    }
    let challengers = drafts.iter().map(|player| player.challenger).collect();
    let (entrants, players): (Vec<_>, Vec<_>) = drafts.into_iter().partition(|player| player.door.is_some());
    let sides =
        players.iter().map(|player| player.section.has("sides").then(|| player.section.key_offset("sides"))).collect();
    let player = |draft: PlayerDraft<'_>| {
        let PlayerDraft { name, kind, only_side, is_told_clock, .. } = draft;
        Some(Player { name: name?, kind: kind?, only_side, is_told_clock })
    };
    let entry = |draft: PlayerDraft<'_>| {
        let PlayerDraft { name, entry, is_told_clock, .. } = draft;
        let EntryKeys { door, program } = *entry?;
        Some(LadderEntry { name: name?, door, program, is_told_clock })
    };
    // The problems with missing values have already been recorded.
    let entries = entrants.into_iter().filter_map(entry).collect();
    let list = players.into_iter().map(player).collect();
    Some(Players { list, entries, challengers, sides })
}

/// The players' sections, each with its offset.
fn sections<'t>(reader: &mut KeyReader<'_>, top: &Section<'t>) -> Option<Vec<(usize, Section<'t>)>> {
    const EXPECTED: &str = "a table for each player, under a line `[[player]]`";
    let Some(value) = top.get(top::PLAYER.name) else {
        return Some(Vec::new());
    };
    let DeValue::Array(array) = value.get_ref() else {
        if value.get_ref().is_table() {
            reader.note(top.key_offset("player"), Flaw::SingleBrackets);
        } else {
            reader.wrong_type("player", value, EXPECTED);
        }
        return None;
    };
    let mut sections = Vec::new();
    for item in array {
        match item.get_ref() {
            DeValue::Table(table) => sections.push((item.span().start, Section::new(table, player::PLAYER_KEYS))),
            _ => reader.wrong_type("player", item, EXPECTED),
        }
    }
    Some(sections)
}
