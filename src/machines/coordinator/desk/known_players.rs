//! The players that workers have prepared, according to the last manifest that each worker has read.

use std::collections::{BTreeMap, HashMap};

use crate::machines::sent_player::SentPlayer;
use crate::tournament::schedule::PlayerIndex;

/// How many manifests to remember. A worker that has read none of them is about to read the newest one.
const MOST_MANIFESTS: u64 = 1_000;

/// The players in the newest manifest, and how long each of them has been unchanged.
#[derive(Debug, Default)]
pub(super) struct KnownPlayers {
    players: BTreeMap<PlayerIndex, KnownPlayer>,
    /// The number of each manifest, from 1, by its SHA-256.
    numbers: HashMap<String, u64>,
    /// The number of the newest manifest.
    newest: u64,
    /// The strings that identify the bundles of the players, by the players' names.
    files: BTreeMap<String, Option<String>>,
}

#[derive(Debug)]
struct KnownPlayer {
    line: SentPlayer,
    /// The number of the manifest since which the player has been present and unchanged.
    since: u64,
}

impl KnownPlayers {
    /// Replaces the players with those of the manifest with this SHA-256.
    pub(super) fn change(&mut self, manifest: &str, players: &BTreeMap<PlayerIndex, SentPlayer>) {
        self.newest += 1;
        self.numbers.insert(manifest.to_owned(), self.newest);
        let oldest = self.newest.saturating_sub(MOST_MANIFESTS);
        self.numbers.retain(|_, number| *number > oldest);
        let mut before = std::mem::take(&mut self.players);
        for (place, line) in players {
            let same = before.remove(place).filter(|known| known.line == *line);
            let known = same.unwrap_or_else(|| KnownPlayer { line: line.clone(), since: self.newest });
            self.players.insert(*place, known);
        }
        self.files = players.values().map(|line| (line.name.clone(), line.bundle_text())).collect();
    }

    /// The players among the first `all` that a worker has not prepared if its last manifest has this SHA-256.
    pub(super) fn missing(&self, manifest: Option<&str>, all: usize) -> impl Iterator<Item = PlayerIndex> {
        let number = manifest.and_then(|manifest| self.numbers.get(manifest)).copied().unwrap_or(0);
        (0..all).filter(move |player| self.players.get(player).is_none_or(|known| known.since > number))
    }

    /// The string that identifies the bundles of the player called `name`; `None` if it needs no files, or is not in
    /// the manifest.
    pub(super) fn files(&self, name: &str) -> Option<&str> {
        self.files.get(name)?.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    /// The entries of a manifest for the players at `places`, each with a bundle called `files`.
    fn lines(places: &[PlayerIndex], files: &str) -> BTreeMap<PlayerIndex, SentPlayer> {
        let table = |n: usize| format!("[[player]]\nname = \"p{n}\"\ncommand = [\"./bot\"]\n");
        let text: String = (0..4).map(table).collect();
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let line = |place: &PlayerIndex| {
            let line = SentPlayer::new(&tournament.players[*place], None, |_| Some(files.to_owned()));
            (*place, line.expect("not remote"))
        };
        places.iter().map(line).collect()
    }

    #[test]
    fn a_worker_lacks_what_is_new_or_has_changed_since_its_manifest() {
        let mut known = KnownPlayers::default();
        known.change("first", &lines(&[0, 1], "a"));
        let missing = |known: &KnownPlayers, manifest| known.missing(manifest, 4).collect::<Vec<_>>();
        assert_eq!(missing(&known, Some("first")), [2, 3]);
        assert_eq!(missing(&known, Some("of an earlier start")), [0, 1, 2, 3]);
        known.change("second", &lines(&[0, 2], "a"));
        assert_eq!((missing(&known, Some("first")), missing(&known, Some("second"))), (vec![1, 2, 3], vec![1, 3]));
        let mut changed = lines(&[0, 1], "a");
        changed.extend(lines(&[2], "b"));
        known.change("third", &changed);
        assert_eq!(missing(&known, Some("first")), [1, 2, 3], "1 was away, and the worker may have removed it");
        assert_eq!(missing(&known, Some("second")), [1, 2, 3], "2 has other files");
        assert_eq!(missing(&known, Some("third")), [3]);
        assert_eq!((known.files("p1"), known.files("p2"), known.files("p3")), (Some("a"), Some("b"), None));
        // The same manifest again, as after the broker has lost everything.
        known.change("third", &changed);
        assert_eq!(missing(&known, Some("third")), [3]);
        for number in 0..MOST_MANIFESTS {
            known.change(&number.to_string(), &changed);
        }
        assert_eq!(known.numbers.len() as u64, MOST_MANIFESTS);
    }
}
