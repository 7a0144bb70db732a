//! The three kinds of player, each with keys of its own.

use std::num::NonZeroU32;

use toml::de::DeValue;

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use super::program_keys::{ProgramDefaults, program};
use super::section::Section;
use crate::base::suggestion::nearest;
use crate::base::word_enum::words;
use crate::players::bots::{Builtin, ErrorRate, Thinker};
use crate::tournament::PlayerToken;
use crate::tournament::{PlayerKind, Remote};

/// The key that gives a player its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KindKey {
    Command,
    Builtin,
    Remote,
}

words! { KindKey; Command => "command", Builtin => "builtin", Remote => "remote" }

/// The kinds that one player's table names.
pub(super) struct GivenKinds(Vec<KindKey>);

impl GivenKinds {
    /// The kinds whose keys `section` has, in the order of the file.
    fn of(section: &mut Section<'_>) -> Self {
        let mut given = KindKey::ALL.to_vec();
        given.retain(|kind| section.under(kind.name(), |section| section.get(kind.name())).is_some());
        given.sort_by_key(|kind| section.key_offset(kind.name()));
        Self(given)
    }

    /// Returns the kind, if there is just one.
    fn only(&self) -> Option<KindKey> {
        if let [kind] = self.0[..] { Some(kind) } else { None }
    }

    /// Whether to report problems with the keys of `kind`. If the user gave several kinds, the report covers each, since any
    /// of them may be the one that the user meant.
    fn are_served_by(&self, kind: KindKey) -> bool {
        self.only() == Some(kind) || self.0.len() > 1 && kind != KindKey::Remote
    }

    /// Notes that a player has no kind, once every key of `section` has been read. A misspelt kind is an unknown key instead.
    pub(super) fn must_be_there(&self, reader: &mut KeyReader<'_>, section: &Section<'_>, offset: usize) {
        let known = section.known();
        let is_kind = |word: &str| KindKey::ALL.into_iter().any(|kind| kind.name() == word);
        let mut unknown = section.unknown();
        let is_misspelt = unknown.any(|(_, key)| nearest(key, known.iter().copied()).is_some_and(is_kind));
        if self.0.is_empty() && !is_misspelt {
            reader.note(offset, Flaw::NoKind);
        }
    }
}

/// Reads the kind of the player in `section`, which starts at `offset`, with the keys of that kind.
///
/// This asks for the keys of every kind, so that all of them are known, whatever this player's kind.
pub(super) fn kind(
    reader: &mut KeyReader<'_>,
    offset: usize,
    section: &mut Section<'_>,
    defaults: &ProgramDefaults,
) -> (GivenKinds, Option<PlayerKind>) {
    let given = GivenKinds::of(section);
    let mut player = None;
    for kind in KindKey::ALL {
        let read = reader.noting_if(given.are_served_by(kind), |reader| {
            section.under(kind.name(), |section| match kind {
                KindKey::Command => program(reader, section, defaults).map(PlayerKind::Program),
                KindKey::Builtin => builtin(reader, section).map(PlayerKind::Builtin),
                KindKey::Remote => remote(reader, offset, section).map(PlayerKind::Remote),
            })
        });
        player = if given.only() == Some(kind) { read } else { player };
    }
    match (given.only(), given.0.first()) {
        (Some(kind), _) => {
            for (key, owners) in section.of_other_variants(kind.name()) {
                let flaw = Flaw::ForAnotherKind { key, belongs_to: owners[0], kind: kind.name() };
                reader.note(section.key_offset(key), flaw);
            }
        }
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

/// `builtin = "alphabeta"` and so on, for a message.
fn thinker_names(thinkers: &[Thinker]) -> String {
    let names: Vec<String> = thinkers.iter().map(|thinker| format!("\"{thinker}\"")).collect();
    names.join(" or ")
}

fn builtin(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<Builtin> {
    let thinker = reader.word(section, "builtin", &Thinker::ALL.map(|thinker| (thinker.name(), thinker)));
    let depth = reader.integer(section, "depth", 1..=u64::from(Builtin::MAX_DEPTH));
    let playouts = reader.integer(section, "playouts", 1..=u64::from(Builtin::MAX_PLAYOUTS));
    let error = reader.number(section, "error", 0.0..=1.0, 0.0);
    let seed = reader.seed(section);
    for (key, thinkers) in [
        ("depth", &[Thinker::Alphabeta][..]),
        ("playouts", &[Thinker::Mcts]),
        ("error", &[Thinker::Alphabeta, Thinker::Mcts, Thinker::Perfect]),
    ] {
        if let Some(thinker) = thinker.filter(|thinker| !thinkers.contains(thinker) && section.has(key)) {
            let flaw = Flaw::ForAnotherBuiltin { key, thinkers: thinker_names(thinkers), thinker: thinker.name() };
            reader.note(section.key_offset(key), flaw);
        }
    }
    let number = |number: Option<u64>| NonZeroU32::new(u32::try_from(number?).ok()?);
    let error = error.and_then(ErrorRate::new)?;
    Some(Builtin { thinker: thinker?, depth: number(depth), playouts: number(playouts), error, seed })
}

/// Whether the section says `remote = true`.
fn is_remote(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> bool {
    let Some(value) = section.get("remote") else {
        return false;
    };
    match value.get_ref() {
        DeValue::Boolean(true) => return true,
        DeValue::Boolean(false) => reader.note(value.span().start, Flaw::NotRemote),
        _ => reader.wrong_type("remote", value, "`true`, without quotes"),
    }
    false
}

fn remote(reader: &mut KeyReader<'_>, offset: usize, section: &mut Section<'_>) -> Option<Remote> {
    let is_remote = is_remote(reader, section);
    let (token, listen) =
        reader.noting_if(is_remote, |reader| (token(reader, section), reader.address(section, "listen")));
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

fn token(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> Option<PlayerToken> {
    let text = reader.text(section, "token", "a word in quotes")?;
    match PlayerToken::new(text.content) {
        Ok(token) => Some(token),
        Err(invalid) => {
            reader.note(text.span.start, Flaw::Token(invalid));
            None
        }
    }
}
