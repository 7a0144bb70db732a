//! What is known about the games of a run that is disturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use gothello_arena::referee::record::LoggedGame;

use crate::harness::arena::Arena;

/// The contents of a journal.
pub(super) struct Journalled {
    /// How many results each game has.
    games: BTreeMap<String, usize>,
    /// How many times a game was void.
    pub(super) void: usize,
}

impl Journalled {
    /// Reads the journal of `arena`. A torn last line does not count.
    fn of(arena: &Arena) -> Self {
        let journal = fs::read(arena.out().join("journal.jsonl")).unwrap_or_default();
        let (mut games, mut void) = (BTreeMap::new(), 0);
        let lines = journal.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        // The end of a file that was being written when the power failed can contain anything.
        let is_entry = |entry: &Result<serde_json::Value, _>| entry.is_ok();
        for entry in lines.map(serde_json::from_slice::<serde_json::Value>).take_while(is_entry).flatten() {
            if let Some(game) = entry.get("game") {
                let id = game["id"].as_str().expect("an id").to_owned();
                let record: LoggedGame = game["record"].as_str().expect("a record").parse().expect("a record");
                assert_eq!(record.game(), Some(&*id));
                *games.entry(id).or_default() += 1;
            } else if entry.get("void").is_some() {
                void += 1;
            }
        }
        Self { games, void }
    }
}

/// How many games the journal of `arena` contains.
pub(super) fn played(arena: &Arena) -> usize {
    let journal = fs::read(arena.out().join("journal.jsonl")).unwrap_or_default();
    let lines = journal.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| line.starts_with(b"{\"game\":") && line.ends_with(b"\n")).count()
}

/// Compares journals at different times with each other, and with what a run reports.
pub(super) struct Watch {
    /// The file with all output of the arena or the coordinator to stderr.
    said: PathBuf,
    /// The games that were in the journal the last time.
    finished: BTreeSet<String>,
    lost: BTreeSet<String>,
    twice: BTreeSet<String>,
}

impl Watch {
    pub(super) fn new(said: PathBuf) -> Self {
        Self { said, finished: BTreeSet::new(), lost: BTreeSet::new(), twice: BTreeSet::new() }
    }

    /// Reads the journal, and notes the games that it has lost or has twice. Call this while no run is in progress.
    pub(super) fn look(&mut self, arena: &Arena) -> Journalled {
        let journal = Journalled::of(arena);
        let said = self.said();
        let reported: Vec<&str> = said.lines().filter_map(reported).collect();
        let mut once = BTreeSet::new();
        self.twice.extend(reported.iter().filter(|id| !once.insert(**id)).map(|id| (*id).to_owned()));
        self.twice.extend(journal.games.iter().filter(|(_, results)| **results > 1).map(|(id, _)| id.clone()));
        let known = self.finished.iter().map(String::as_str).chain(once);
        self.lost.extend(known.filter(|id| !journal.games.contains_key(*id)).map(ToOwned::to_owned));
        self.finished = journal.games.keys().cloned().collect();
        journal
    }

    /// All whole lines of stderr so far.
    pub(super) fn said(&self) -> String {
        let said = fs::read(&self.said).unwrap_or_default();
        let end = said.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        String::from_utf8_lossy(&said[..end]).into_owned()
    }

    /// How many games were lost and how many were played twice, where the run should have played the games `expected`
    /// and has the journal `journal`.
    pub(super) fn lost_and_twice<'a>(
        &mut self,
        journal: &Journalled,
        expected: impl Iterator<Item = &'a String>,
    ) -> (usize, usize) {
        self.lost.extend(expected.filter(|id| !journal.games.contains_key(*id)).cloned());
        (self.lost.len(), self.twice.len())
    }
}

/// The game that a line such as `[ 3/20] r1-greedy-random: greedy beats random by 11` reports as finished.
fn reported(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.split_once("] ")?.1.split_once(": ").map(|(id, _)| id)
}
