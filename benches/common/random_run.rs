//! The journal of a run of random games, of the size that a bench needs.

use std::path::Path;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::run::journal::{Durability, Entry, FORMAT, GameEntry, Header, Journal};
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::definition::Definition;

use crate::random_game::{play, tournament_file};

/// Writes the journal of a run of `games` random games between `players` players into `out`. Returns the total number
/// of plies.
pub(crate) fn write_journal(out: &Path, players: u32, games: u64) -> u64 {
    let per_round = u64::from(players * (players - 1));
    let tournament =
        Tournament::parse(&tournament_file(players, games.div_ceil(per_round).max(1)), "bench").expect("right");
    let definition = Definition::from(&tournament);
    let digest = definition.digest();
    let header =
        Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None };
    let mut journal = Journal::create(out, &header, Durability::Fast).expect("written");
    let schedule = header.definition.schedule(&[]);
    let mut random = SplitMix64::new(1);
    let (mut plies, mut entries) = (0, Vec::new());
    for (number, spec) in (0..games).zip(schedule.games()) {
        let record = play(&tournament, &spec, &mut random);
        plies += record.plies.len() as u64;
        entries.push(Entry::Game(GameEntry { number, id: spec.id.to_string(), record: record.to_string() }));
        if entries.len() == 1000 {
            journal.append(&entries).expect("written");
            entries.clear();
        }
    }
    journal.append(&entries).expect("written");
    plies
}
