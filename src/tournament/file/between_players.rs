//! Checks whether the players of a file are compatible with each other.

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use toml::de::DeValue;

use super::Site;
use super::flaw::Flaw;
use super::keys::player::MODES;
use super::keys::words::FormatWord;
use super::player_draft::PlayerDraft;
use super::player_kind::EntryKeys;
use super::player_kind::members;
use super::problem_places::KeyReader;
use super::section::{Section, TomlValue};
use crate::game::Ruleset;
use crate::game::quantum::Mode;
use crate::referee::wire::{BASE_PORT, EntityName};
use crate::tournament::Placeholder;
use crate::tournament::Quoted;
use crate::tournament::ladder::LadderDoor;
use crate::tournament::{PlayerKind, PlayerName, Program, Remote};

/// If games start from openings, every player must declare that it understands openings. Built-in bots always do.
pub(super) fn openings_are_understood(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>], has_openings: bool) {
    for player in players {
        let understands = player.openings;
        if player.section.has("builtin") {
            if understands == Some(false) {
                reader.note(player.section.key_offset("openings"), Flaw::BuiltinOpenings);
            }
        } else if let Some(name) = &player.name
            && has_openings
            && !understands.unwrap_or(false)
        {
            let key = if player.section.has("openings") { "openings" } else { "name" };
            reader.note(player.section.key_offset(key), Flaw::NoOpenings { player: name.clone() });
        }
    }
}

/// The arena can measure and stop only processes that run on this machine.
pub(super) fn processes_are_in_reach(
    reader: &mut KeyReader<'_>,
    players: &[PlayerDraft<'_>],
    setting: Option<&'static str>,
) {
    for player in players {
        if let (Some(setting), Some(PlayerKind::Remote(_)), Some(name)) = (setting, &player.kind, &player.name) {
            let flaw = Flaw::ProcessOutOfReach { setting, player: name.clone() };
            reader.note(player.section.key_offset("remote"), flaw);
        }
    }
}

/// Names must differ as text, as slugs and in appearance.
pub(super) fn names_differ(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>]) {
    let (mut slugs, mut folds) = (HashMap::new(), HashMap::new());
    for player in players {
        let Some(name) = &player.name else { continue };
        let offset = player.section.key_offset("name");
        let (slug, own) = (name.slug(), (name, reader.line(offset)));
        let &mut (first, first_line) = slugs.entry(slug.clone()).or_insert(own);
        let &mut (alike, alike_line) = folds.entry(name.folded()).or_insert(own);
        let name_alone = name.clone();
        let flaw = if first == name && first_line != own.1 {
            Flaw::DuplicateName { name: name_alone, first_line }
        } else if first != name {
            Flaw::SameSlug { name: name_alone, first: first.clone(), first_line, slug }
        } else if alike != name {
            Flaw::LooksLike { name: name_alone, first: alike.clone(), first_line: alike_line }
        } else {
            continue;
        };
        reader.note(offset, flaw);
    }
}

/// The maximum number of characters that a version adds to the name of its player: a point and the number.
const VERSION_SUFFIX: usize = 8;

/// No player's name may look like the name of a version of another player.
pub(super) fn versions_differ(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>]) {
    let entries: HashMap<String, (&PlayerName, usize)> = players
        .iter()
        .filter(|player| player.door.is_some())
        .filter_map(|player| {
            let name = player.name.as_ref()?;
            Some((name.slug(), (name, reader.line(player.section.key_offset("name")))))
        })
        .collect();
    for player in players {
        let Some(name) = &player.name else { continue };
        let slug = name.slug();
        let offset = player.section.key_offset("name");
        let stem = slug.trim_end_matches(|c: char| c.is_ascii_digit());
        let owner = stem.strip_suffix('_').filter(|_| stem.len() < slug.len());
        if let Some(&(entry, entry_line)) = owner.and_then(|owner| entries.get(owner)) {
            let entry = entry.clone();
            reader.note(offset, Flaw::LooksLikeVersion { name: name.clone(), entry, entry_line });
        }
        let most = PlayerName::MAX_LEN - VERSION_SUFFIX;
        let is_long = name.as_str().chars().count() > most || slug.len() > PlayerName::MAX_SLUG - VERSION_SUFFIX;
        if player.door.is_some() && is_long {
            reader.note(offset, Flaw::EntryNameTooLong { most });
        }
    }
}

/// Only a ladder may have players that hand in versions, and these players must play both colours.
pub(super) fn entries_fit(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>], format: Option<FormatWord>) {
    let Some(format) = format else { return };
    for player in players {
        let Some(door) = player.door else { continue };
        if format != FormatWord::Ladder {
            let (key, format) = (door.name(), format.name());
            let belongs_to = format!("`format = \"{}\"`", FormatWord::Ladder.name());
            reader.note(player.section.key_offset(key), Flaw::ForAnotherFormat { key, belongs_to, format });
        } else if let (Some(name), Some(_)) = (&player.name, player.only_side) {
            let flaw = Flaw::SidesInFormat { player: name.clone(), format: format.name() };
            reader.note(player.section.key_offset("sides"), flaw);
        }
    }
}

/// A path that a player's section makes visible to its bot.
struct Sight {
    key: &'static str,
    /// The offset of the path in the file.
    offset: usize,
    /// The path as written.
    written: PathBuf,
}

impl<'t> PlayerDraft<'t> {
    /// The player's programs, each with the section that describes it.
    fn programs(&self) -> Vec<(Section<'t>, &Program)> {
        match &self.kind {
            Some(PlayerKind::Program(program)) => vec![(self.section.clone(), program)],
            Some(PlayerKind::Team(team)) => {
                let bots = members(&self.section).into_iter().zip(team.members());
                bots.filter_map(|((_, section), member)| Some((section, member.bot.program()?))).collect()
            }
            Some(PlayerKind::Builtin(_) | PlayerKind::Remote(_)) | None => Vec::new(),
        }
    }

    /// Every path that the player's sections make visible to its bots, except their programs.
    fn sights(&self) -> Vec<Sight> {
        if let Some(entry) = &self.entry {
            return Self::sights_of_versions(&self.section, entry);
        }
        let programs = self.programs();
        programs.iter().flat_map(|(section, program)| Self::sights_of(section, program)).collect()
    }

    /// Every path that `section` makes visible to the versions of a player, which are copies of the contents of the
    /// player's folder.
    fn sights_of_versions(section: &Section<'_>, entry: &EntryKeys) -> Vec<Sight> {
        let mut sights = Vec::new();
        if let (LadderDoor::Folder(folder), Some(item)) = (&entry.door, section.get("folder")) {
            sights.push(Sight { key: "folder", offset: item.span().start, written: folder.clone() });
        }
        if let Some(DeValue::Array(items)) = section.get("readable").map(toml::Spanned::get_ref) {
            let written = items.iter().filter_map(|item| Some((item.span().start, item.get_ref().as_str()?)));
            sights.extend(written.map(|(offset, path)| Sight {
                key: "readable",
                offset,
                written: PathBuf::from(path),
            }));
        }
        sights
    }

    /// The directories that belong to the player.
    fn own_dirs(&self, site: &Site<'_>) -> Vec<PathBuf> {
        if let Some(LadderDoor::Folder(folder)) = self.entry.as_ref().map(|entry| &entry.door) {
            return vec![site.resolve(folder)];
        }
        self.programs().iter().filter_map(|(_, program)| Some(site.resolve(program.dir.as_ref()?))).collect()
    }

    /// Every path that `section` makes visible to its bot `program`, except the program itself.
    fn sights_of(section: &Section<'_>, program: &Program) -> Vec<Sight> {
        let sight = |key, item: &TomlValue<'_>, written: &Path| Sight {
            key,
            offset: item.span().start,
            written: written.to_owned(),
        };
        let items = |key| match section.get(key).map(toml::Spanned::get_ref) {
            Some(DeValue::Array(items)) => &items[..],
            _ => &[],
        };
        let mut sights = Vec::new();
        sights.extend(program.dir.iter().zip(section.get("dir")).map(|(dir, item)| sight("dir", item, dir)));
        sights.extend(program.readable.iter().zip(items("readable")).map(|(path, item)| sight("readable", item, path)));
        let words = program.command.iter().zip(items("command")).skip(1).filter(|(word, _)| word.is_literal());
        let files = words.filter(|_| program.dir.is_none());
        sights.extend(files.map(|(word, item)| sight("command", item, Path::new(&word.fill(|_| String::new())))));
        sights
    }
}

/// No bot may see this file, or a directory that contains it or another player's `dir`. Players may share a `dir`.
pub(super) fn nothing_is_shown(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>], site: &Site<'_>) {
    let dirs: Vec<Vec<PathBuf>> = players.iter().map(|player| player.own_dirs(site)).collect();
    // When paths are sorted, all paths below a directory follow it directly.
    let owners: BTreeMap<&PathBuf, &PlayerName> = dirs
        .iter()
        .zip(players)
        .flat_map(|(dirs, player)| dirs.iter().filter_map(|dir| Some((dir, player.name.as_ref()?))))
        .collect();
    for (player, own) in players.iter().zip(&dirs) {
        for Sight { key, offset, written } in player.sights() {
            let shown = site.resolve(&written);
            let path = Quoted::new(&written.to_string_lossy());
            let mut below = owners.range::<&PathBuf, _>(&shown..).take_while(|(dir, _)| dir.starts_with(&shown));
            if site.is_file(&shown) {
                reader.note(offset, Flaw::IsTheFile { key, path });
            } else if key == "command" {
                // A word of the command makes at most one file visible.
            } else if site.is_shown_by(&shown) {
                reader.note(offset, Flaw::ShowsTheFile { key, path });
            } else if let Some((_, &other)) = below.find(|(dir, _)| !own.contains(**dir)) {
                reader.note(offset, Flaw::ShowsAnother { key, path, other: other.clone() });
            }
        }
    }
}

/// The name and the token of a remote player must fit into a hello, and there must be an address to send it to.
pub(super) fn hellos_fit(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>], has_public_address: bool) {
    for player in players {
        let Some(PlayerKind::Remote(Remote { token: Some(token), .. })) = &player.kind else { continue };
        let offset = player.section.key_offset("token");
        if !has_public_address && !player.section.has("listen") {
            reader.note(offset, Flaw::NoPublicAddress);
        }
        let Some(name) = &player.name else { continue };
        let length = name.as_str().chars().count() + 1 + token.length();
        if length > EntityName::MAX_LEN {
            reader.note(offset, Flaw::HelloTooLong { length, most: EntityName::MAX_LEN });
        }
    }
}

/// Addresses to listen on must differ from each other, and from the addresses of programs to which neither a port nor a
/// server number can be passed.
pub(super) fn addresses_differ(
    reader: &mut KeyReader<'_>,
    top: &Section<'_>,
    players: &[PlayerDraft<'_>],
    public: Option<SocketAddr>,
) {
    let own = players.iter().filter_map(|player| match &player.kind {
        Some(PlayerKind::Remote(Remote { listen: Some(address), .. })) => {
            Some((*address, player.section.key_offset("listen")))
        }
        _ => None,
    });
    let public = public.map(|address| (address, top.key_offset("listen")));
    let addresses: Vec<_> = public.into_iter().chain(own).collect();
    let fixed: Vec<_> = players
        .iter()
        .flat_map(|player| player.programs().into_iter().map(move |(_, program)| (program, player)))
        .filter_map(|(program, player)| Some((fixed_host(program)?, player.name.as_ref()?)))
        .collect();
    for (i, &(address, offset)) in addresses.iter().enumerate() {
        if let Some(&(_, first)) = addresses[..i].iter().find(|(other, _)| overlap(*other, address)) {
            let first_line = reader.line(first);
            reader.note(offset, Flaw::AddressTaken { address: address.to_string(), first_line });
        }
        if let Some(&(host, name)) = fixed.iter().find(|(host, _)| overlap(address, (*host, BASE_PORT).into())) {
            let host = if host == Ipv4Addr::LOCALHOST { "127.0.0.1" } else { "an address of its own" };
            reader.note(offset, Flaw::AddressOfFixedPlayer { player: name.clone(), host });
        }
    }
}

/// The host on which the arena needs port 29068 for `program`, if no other port can be passed to the program. If the
/// host can be passed to the program, the result is one of many possible hosts.
fn fixed_host(program: &Program) -> Option<Ipv4Addr> {
    const ONE_OF_MANY: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);
    let is_told = program.mentions(Placeholder::Port) || program.mentions(Placeholder::Server);
    if program.transport.is_piped() || is_told {
        return None;
    }
    Some(if program.mentions(Placeholder::Host) { ONE_OF_MANY } else { Ipv4Addr::LOCALHOST })
}

/// Whether the arena can listen on only one of the two addresses. Port 0 means a different free port each time.
fn overlap(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.port() != 0 && (a.ip() == b.ip() || a.ip().is_unspecified() || b.ip().is_unspecified())
}

/// Checks that every team has a bot for each mode of `ruleset`, and no others.
pub(super) fn teams_fit(reader: &mut KeyReader<'_>, players: &[PlayerDraft<'_>], ruleset: Ruleset) {
    let wanted = ruleset.modes();
    for PlayerDraft { section, .. } in players.iter().filter(|player| player.section.has(MODES.name)) {
        let at = section.key_offset(MODES.name);
        let Some(DeValue::Table(modes)) = section.get(MODES.name).map(toml::Spanned::get_ref) else { continue };
        if wanted.is_empty() {
            reader.note(at, Flaw::NoModes { ruleset: ruleset.name() });
            continue;
        }
        for mode in Mode::ALL {
            match modes.get_key_value(mode.name()) {
                None if wanted.contains(&mode) => reader.note(at, Flaw::MissingMode { mode, ruleset: ruleset.name() }),
                Some((key, _)) if !wanted.contains(&mode) => {
                    let flaw = Flaw::OtherMode { mode, ruleset: ruleset.name(), modes: wanted };
                    reader.note(key.span().start, flaw);
                }
                _ => {}
            }
        }
    }
}
