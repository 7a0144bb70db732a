//! Random games of a tournament, and its file.

use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Move, Side};
use gothello_arena::referee::clock::Meter;
use gothello_arena::referee::pace::TimeScale;
use gothello_arena::referee::record::{GameRecord, Ply, Tries};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::referee::time_control::TimeControl;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::schedule::GameSpec;

const TIME: Duration = Duration::from_mins(1);

/// Returns the text of a tournament file for `rounds` rounds between `players` players.
pub(crate) fn tournament_file(players: u32, rounds: u64) -> String {
    let player = |n: u32| format!("[[player]]\nname = \"player {n}\"\nbuiltin = \"random\"\n");
    let players: Vec<String> = (0..players).map(player).collect();
    format!("rounds = {rounds}\ntime = \"60s\"\n{}", players.concat())
}

/// Plays a game of random moves.
pub(crate) fn play(tournament: &Tournament, spec: &GameSpec, random: &mut SplitMix64) -> GameRecord {
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
            seat: side.into(),
            played,
            elapsed: Some(elapsed),
            left: Some(left[side]),
            late_credit: false,
            tries: Tries::default(),
            note: None,
            thought: None,
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
        time_control: Some(TimeControl::sudden_death(BySide { black: TIME, white: TIME })),
        meter: Meter::Wall,
        time_scale: TimeScale::ONE,
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
