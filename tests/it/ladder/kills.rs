//! Ladders that are killed at arbitrary moments: no game is lost or played twice, and every game that the ladder has
//! chosen is played.

use std::collections::BTreeSet;
use std::process::Stdio;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::results::ladder::PairingRules;
use rustix::process::Signal;
use serde_json::Value;

use super::{journal, ladder};
use crate::harness::arena::{Arena, Running, text};
use crate::harness::waiting::{LIMIT, until, until_within};

/// How many runs to kill, unless the environment variable [`VARIABLE`] says otherwise.
const KILLS: u32 = 6;
const VARIABLE: &str = "GOTHELLO_ARENA_LADDER_KILLS";

/// A ladder of bots with fixed seeds that plays one game at a time. With more `kills`, it plays more games: the number
/// of games is inversely proportional to the square of the target error.
fn games(kills: u32) -> Arena {
    let others = "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"one\"\nbuiltin = \"alphabeta\"\ndepth = 1\n";
    ladder(&format!("seed = 5\n[ladder]\ntarget_error = {}\nrandom_share = 0.2", target_error(kills)), others)
}

/// The standard error, in Elo, that a ladder that is killed `kills` times has to reach.
fn target_error(kills: u32) -> u32 {
    60 / (kills / (2 * KILLS)).isqrt().max(1)
}

/// The ladder's decisions and the results in the journal, without times.
fn course(arena: &Arena) -> Vec<String> {
    let told = |line: &Value| {
        let pairing = line
            .get("pairing")
            .map(|pairing| format!("{} {} {}", pairing["black"], pairing["white"], pairing["random"]));
        let game = line.get("game").map(|game| {
            let record = game["record"].as_str().unwrap_or_default();
            let result = record.lines().find(|line| line.starts_with("[Result ")).unwrap_or_default();
            format!("{} {result}", game["id"])
        });
        pairing.or(game)
    };
    journal(&arena.out()).iter().filter_map(told).collect()
}

/// Starts the ladder and discards its output: nothing here reads the output, so a long run would fill a pipe and then
/// block.
fn start(arena: &Arena) -> Running {
    Arena::started(arena.command(&["run", "class.toml", "--out", "out", "--quiet"]).stdout(Stdio::null()))
}

/// Freezes the ladder, and waits until it is over.
fn finish(arena: &Arena) {
    assert!(arena.output(&["ladder", "freeze", "out"]).status.success());
    let ended = arena.run(&[]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    let rebuilt = arena.output(&["rebuild", "--check", "out"]);
    assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
}

/// Waits until the ladder rests: until every game that it has chosen has a result, and every version either has a
/// sufficiently precise rating or has played the maximum number of games.
fn rest(arena: &Arena, kills: u32) {
    until_within(LIMIT * (1 + kills / 100), "the end of the games", || {
        let lines = course(arena);
        lines.first()?;
        let (pairings, games) = lines.iter().partition::<Vec<_>, _>(|line| !line.contains("Result"));
        if pairings.len() > games.len() {
            return None;
        }
        let status = super::status(arena);
        let most = 1.96 * f64::from(target_error(kills));
        let is_settled =
            |row: &Value| Some(row["error95"].as_f64()? <= most || row["games"].as_u64()? >= PairingRules::MOST_GAMES);
        status["versions"].as_array()?.iter().all(|row| is_settled(row) == Some(true)).then_some(())
    });
}

#[test]
fn a_ladder_that_is_killed_plays_the_same_games_as_one_that_is_not() {
    let kills = std::env::var(VARIABLE).ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let undisturbed = games(kills);
    let run = start(&undisturbed);
    rest(&undisturbed, kills);
    run.signal(Signal::KILL);
    drop(run.end());
    let expected = course(&undisturbed);
    finish(&undisturbed);

    let killed = games(kills);
    let mut random = SplitMix64::new(1);
    for _ in 0..kills {
        // The first run is interrupted and leaves a checkpoint. The second run continues from it and is killed.
        for signal in [Signal::INT, Signal::KILL] {
            let after = journal(&killed.out()).len() + usize::try_from(random.below(6)).expect("small");
            let run = start(&killed);
            until("more lines", || {
                let lines = course(&killed);
                (journal(&killed.out()).len() > after || lines.len() >= expected.len()).then_some(())
            });
            run.signal(signal);
            drop(run.end());
            assert!(killed.out().join("checkpoint.jsonl").is_file());
        }
    }
    let run = start(&killed);
    rest(&killed, kills);
    run.signal(Signal::KILL);
    drop(run.end());
    let found = course(&killed);
    assert_eq!(found, expected);
    let ids: Vec<&String> = found.iter().filter(|line| line.contains("Result")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "no game is played twice");
    finish(&killed);
    // Both ladders have the same standings, apart from the times of the games.
    let standings = |arena: &Arena| {
        let printed = arena.output(&["standings", "out", "--format", "csv"]);
        let table = text(&printed.stdout);
        table.lines().map(|line| line.split(',').take(8).collect::<Vec<_>>().join(",")).collect::<Vec<_>>()
    };
    assert_eq!(standings(&killed), standings(&undisturbed));
}
