//! The kinds of players, each with its own keys.

mod entry_keys;
mod team;

use std::num::NonZeroU32;

use toml::de::DeValue;

pub(super) use entry_keys::EntryKeys;
use entry_keys::entry;
pub(super) use team::members;
use team::team;

use super::flaw::Flaw;
use super::keys::player;
use super::problem_places::KeyReader;
use super::program_keys::{ProgramDefaults, program};
use super::section::Section;
use crate::base::suggestion::nearest;
use crate::base::word_enum::words;
use crate::players::bots::{Builtin, ErrorRate};
use crate::tournament::PlayerToken;
use crate::tournament::{PlayerKind, Remote};

/// The key that determines a player's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KindKey {
    Command,
    Builtin,
    Remote,
    Modes,
    Folder,
    Git,
    Submit,
}

words! {
    pub(super) KindKey;
    Command => "command",
    Builtin => "builtin",
    Remote => "remote",
    Modes => "modes",
    Folder => "folder",
    Git => "git",
    Submit => "submit",
}

impl KindKey {
    /// Whether the player hands in versions. Such a player may also have a command, which then starts its versions.
    const fn is_door(self) -> bool {
        matches!(self, Self::Folder | Self::Git | Self::Submit)
    }
}

/// What the keys of a player describe.
pub(super) enum ReadKind {
    /// A player that stays the same.
    Player(Box<PlayerKind>),
    /// A player that hands in versions.
    Entry(Box<EntryKeys>),
}

/// The kinds for which a player's table has keys.
pub(super) struct GivenKinds(Vec<KindKey>);

impl GivenKinds {
    /// The kinds whose keys `section` contains, in the order of the file.
    fn of(section: &Section<'_>) -> Self {
        let mut given = KindKey::ALL.to_vec();
        given.retain(|kind| section.has(kind.name()));
        if given.iter().any(|kind| kind.is_door()) {
            given.retain(|&kind| kind != KindKey::Command);
        }
        given.sort_by_key(|kind| section.key_offset(kind.name()));
        Self(given)
    }

    /// Returns the kind, if there is exactly one.
    fn only(&self) -> Option<KindKey> {
        if let [kind] = self.0[..] { Some(kind) } else { None }
    }

    /// Whether to report problems with the keys of `kind`. If the user has given several kinds, all are covered, since
    /// the user may have meant any of them.
    fn are_served_by(&self, kind: KindKey) -> bool {
        self.only() == Some(kind) || self.0.len() > 1 && kind != KindKey::Remote && !kind.is_door()
    }

    /// The door by which the player's versions arrive, if it hands in versions.
    pub(super) fn door(&self) -> Option<KindKey> {
        self.0.iter().copied().find(|kind| kind.is_door())
    }

    /// Records a problem if the player has no kind. A misspelt kind is reported as an unknown key instead.
    pub(super) fn must_be_there(
        &self,
        reader: &mut KeyReader<'_>,
        (section, offset): (&Section<'_>, usize),
        is_ladder: bool,
    ) {
        let known = section.known();
        let is_kind = |word: &str| KindKey::ALL.into_iter().any(|kind| kind.name() == word);
        let mut unknown = section.unknown();
        let is_misspelt = unknown.any(|(_, key)| nearest(key, known.iter().copied()).is_some_and(is_kind));
        if self.0.is_empty() && !is_misspelt {
            reader.note(offset, if is_ladder { Flaw::NoKindInLadder } else { Flaw::NoKind });
        }
    }
}

/// Reads the kind of the player in `section`, which starts at `offset`, with the keys of that kind.
pub(super) fn kind(
    reader: &mut KeyReader<'_>,
    offset: usize,
    section: &Section<'_>,
    defaults: &ProgramDefaults,
) -> (GivenKinds, Option<ReadKind>) {
    let given = GivenKinds::of(section);
    let mut player = None;
    for kind in KindKey::ALL {
        let read = reader.noting_if(given.are_served_by(kind), |reader| match kind {
            KindKey::Command => {
                program(reader, section, defaults).map(PlayerKind::Program).map(Box::new).map(ReadKind::Player)
            }
            KindKey::Builtin => builtin(reader, section).map(PlayerKind::Builtin).map(Box::new).map(ReadKind::Player),
            KindKey::Remote => {
                remote(reader, offset, section).map(PlayerKind::Remote).map(Box::new).map(ReadKind::Player)
            }
            KindKey::Modes => team(reader, section, defaults).map(PlayerKind::Team).map(Box::new).map(ReadKind::Player),
            KindKey::Folder | KindKey::Git | KindKey::Submit => {
                entry(reader, section, (kind, defaults)).map(|keys| ReadKind::Entry(Box::new(keys)))
            }
        });
        player = if given.only() == Some(kind) { read } else { player };
    }
    match (given.only(), given.0.first()) {
        (Some(kind), _) => refuse_misfits(reader, section, kind),
        (None, Some(other)) => {
            for key in &given.0[1..] {
                let flaw = Flaw::Excluding { key: key.name(), other: other.name() };
                reader.note(section.key_offset(key.name()), flaw);
            }
        }
        (None, None) => {}
    }
    (given, player)
}

/// Records a problem for each key of `section` that belongs to a kind other than `kind`.
pub(super) fn refuse_misfits(reader: &mut KeyReader<'_>, section: &Section<'_>, kind: KindKey) {
    // The keys of a program describe each version that a player hands in, but the arena chooses where its files are.
    let of_files = [player::DIR.name, player::WRITABLE.name];
    let fits_door =
        |key: &str, beside: &str| kind.is_door() && beside == player::COMMAND.name && !of_files.contains(&key);
    for (key, beside) in section.misfits(|beside| beside.key == kind.name()) {
        if fits_door(key, beside.key) {
            continue;
        }
        let flaw = match kind {
            KindKey::Modes if beside.key != KindKey::Remote.name() => Flaw::BesideModes { key },
            _ => Flaw::ForAnotherKind { key, belongs_to: beside.key, kind: kind.name() },
        };
        reader.note(section.key_offset(key), flaw);
    }
}

/// Reads the keys of one of the arena's own bots.
pub(super) fn builtin(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Builtin> {
    let thinker = reader.given(section, &player::BUILTIN);
    let depth = reader.given(section, &player::DEPTH);
    let playouts = reader.given(section, &player::PLAYOUTS);
    let error = reader.read(section, &player::ERROR);
    let seed = reader.given(section, &player::SEED);
    if let Some(thinker) = thinker {
        let fits = |words: &[&str]| words.is_empty() || words.contains(&thinker.name());
        for (key, beside) in section.misfits(|beside| beside.key != player::BUILTIN.name || fits(beside.words)) {
            let names: Vec<String> = beside.words.iter().map(|word| format!("\"{word}\"")).collect();
            let flaw = Flaw::ForAnotherBuiltin { key, thinkers: names.join(" or "), thinker: thinker.name() };
            reader.note(section.key_offset(key), flaw);
        }
    }
    let number = |number: Option<u64>| NonZeroU32::new(u32::try_from(number?).ok()?);
    let error = error.and_then(ErrorRate::new)?;
    Some(Builtin { thinker: thinker?, depth: number(depth), playouts: number(playouts), error, seed })
}

/// Whether the section contains `remote = true`.
fn is_remote(reader: &mut KeyReader<'_>, section: &Section<'_>) -> bool {
    let Some(value) = section.get(player::REMOTE.name) else {
        return false;
    };
    match value.get_ref() {
        DeValue::Boolean(true) => return true,
        DeValue::Boolean(false) => reader.note(value.span().start, Flaw::NotRemote),
        _ => reader.wrong_type("remote", value, "`true`, without quotes"),
    }
    false
}

fn remote(reader: &mut KeyReader<'_>, offset: usize, section: &Section<'_>) -> Option<Remote> {
    let is_remote = is_remote(reader, section);
    let (token, listen) =
        reader.noting_if(is_remote, |reader| (token(reader, section), reader.given(section, &player::LISTEN)));
    if !is_remote {
        return None;
    }
    match (section.has("token"), section.has("listen")) {
        (false, false) => reader.note(offset, Flaw::NoWayIn),
        (true, true) => {
            reader.note(section.key_offset("listen"), Flaw::Excluding { key: "listen", other: "token" });
        }
        _ => {}
    }
    Some(Remote { token, listen })
}

fn token(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<PlayerToken> {
    let text = reader.text(section, &player::TOKEN, "a word in quotes")?;
    match PlayerToken::new(text.content) {
        Ok(token) => Some(token),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Token(invalid));
            None
        }
    }
}
