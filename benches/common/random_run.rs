//! The journal of a run of random games, as large as a bench needs it.

use std::path::Path;
use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::rules::{BySide, Move, Side};
use gothello_arena::referee::clock::{Meter, TimeControl};
use gothello_arena::referee::pace::TimeScale;
use gothello_arena::referee::record::{GameRecord, Ply, Tries};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::run::journal::{Durability, Entry, GameEntry, Header, Journal, format_of};
use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::file::Tournament;
use gothello_arena::tournament::schedule::GameSpec;

const TIME: Duration = Duration::from_mins(1);

/// Returns a tournament file of `rounds` rounds between `players` players, whose results go to `out`.
pub(crate) fn tournament_file(players: u32, rounds: u64) -> String {
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let players: Vec<String> = (0..players).map(player).collect();
    format!("rounds = {rounds}\ntime = \"60s\"\n{}", players.concat())
}

/// Writes the journal of a run of `games` random games between `players` players into `out`. Returns how many plies they have.
pub(crate) fn write_journal(out: &Path, players: u32, games: u64) -> u64 {
    let per_round = u64::from(players * (players - 1));
    let tournament =
        Tournament::parse(&tournament_file(players, games.div_ceil(per_round).max(1)), "bench").expect("right");
    let definition = Definition::from(&tournament);
    let digest = definition.digest();
    let header = Header {
        format: format_of(&definition, None),
        program: String::new(),
        digest,
        definition,
        players: Vec::new(),
        shard: None,
    };
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

/// Plays a game of random moves.
fn play(tournament: &Tournament, spec: &GameSpec, random: &mut SplitMix64) -> GameRecord {
    let mut position = tournament.ruleset.start();
    let mut left = BySide { black: TIME, white: TIME };
    let mut plies = Vec::new();
    while position.outcome().is_none() {
        let side = position.to_move();
        let moves = position.legal_moves();
        let placements: Vec<Move> = moves.iter().copied().filter(|played| !played.is_pass()).collect();
        let choice = if placements.is_empty() { &moves } else { &placements };
        let index = usize::try_from(random.below(choice.len() as u64)).expect("few");
        let played = position.play(choice[index].as_str()).expect("legal");
        let elapsed = Duration::from_micros(10 + random.below(500));
        left[side] -= elapsed;
        plies.push(Ply {
            side,
            played,
            elapsed: Some(elapsed),
            left: Some(left[side]),
            late_credit: false,
            tries: Tries::default(),
            note: None,
        });
    }
    let outcome = position.outcome().expect("it is over");
    let winner = outcome.winner;
    let result = GameResult::new(winner, Termination::Normal, outcome.margin, None).expect("a result");
    GameRecord {
        event: Some("bench".to_owned()),
        site: Some("here".to_owned()),
        date: Some("2026.11.21".to_owned()),
        round: Some(spec.round),
        players: BySide::from_fn(|side: Side| tournament.players[spec.players[side]].name.to_string()),
        game: Some(spec.id.to_string()),
        seed: Some(spec.seed),
        ruleset: tournament.ruleset,
        time_control: Some(TimeControl::SuddenDeath(BySide { black: TIME, white: TIME })),
        time_scale: TimeScale::ONE,
        meter: Meter::Wall,
        adjudicate: None,
        digests: BySide::from_fn(|_| Some("0123456789abcdef".repeat(4))),
        usage: BySide::default(),
        other_tags: Vec::new(),
        opening_plies: 0,
        plies,
        unfinished: None,
        result: Ok(result),
    }
}
