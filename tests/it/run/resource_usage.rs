//! Resource usage: measured with real bots, confined and unconfined, and reported consistently by logs, tables and
//! standings.

use std::fs;
use std::time::Duration;

use gothello_arena::game::Side;
use gothello_arena::referee::usage::{IDLE_PART, TimeLoss, Usage};

use crate::confinement::probes::can_confine;
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

/// The table of a player that runs `hungry.py` in the mode `mode`.
fn hungry(name: &str, mode: &str) -> String {
    format!(
        "[[player]]\nname = \"{name}\"\ndir = \"bot\"\n\
         command = [\"python3\", \"hungry.py\", \"{mode}\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n"
    )
}

/// Plays `players` against each other with `time` for each. Returns the arena and the run's stderr.
fn play(isolation: &str, time: &str, players: &str) -> (Arena, String) {
    let keys = "hello_timeout = \"60s\"\nquit_timeout = \"200ms\"\nconcurrency = 1\nvoid_retries = 0\n";
    let arena = Arena::new(&format!("isolation = \"{isolation}\"\ntime = \"{time}\"\n{keys}{players}"));
    let bot = format!("{}/tests/bots/hungry.py", env!("CARGO_MANIFEST_DIR"));
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::copy(bot, arena.path().join("bot/hungry.py")).expect("copied");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    arena.assert_logs_hold(&output);
    (arena, text(&output.stderr))
}

/// The values of `isolation` that work on this machine.
fn isolations() -> Vec<&'static str> {
    if can_confine() { vec!["off", "require"] } else { vec!["off"] }
}

#[test]
fn the_measured_usage_is_about_what_the_bot_was_told_to_use() {
    for isolation in isolations() {
        let (arena, _) = play(
            isolation,
            // On a busy machine, this bot takes far longer than its CPU time.
            "10m",
            &format!("{}[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n", hungry("hungry", "all")),
        );
        let rows = arena.results();
        assert_eq!(rows.len(), 2);
        for row in rows {
            let record = arena.record(&row["game"]);
            let hungry = if record.players.black == "hungry" { record.usage.black } else { record.usage.white };
            let Usage { user, system, wall, peak_memory, processes, written } = hungry.expect("measured");
            let context = format!("isolation {isolation}: {hungry:?}");
            // At worst, the system counts in ticks of 10 ms.
            let cpu = user + system;
            assert!(cpu >= Duration::from_millis(290) && cpu < Duration::from_secs(20), "{context}");
            assert!(wall >= Duration::from_millis(300) && wall < Duration::from_mins(10), "{context}");
            assert!((50 << 20..1 << 30).contains(&peak_memory), "{context}");
            assert!((4..50).contains(&processes), "{context}");
            assert!((200_000..1_000_000).contains(&written), "{context}");

            // A built-in bot is a single unconfined process.
            let greedy = if record.players.black == "hungry" { record.usage.white } else { record.usage.black };
            let greedy = greedy.expect("measured");
            assert!(greedy.processes >= 1 && greedy.peak_memory > 1 << 20, "{greedy:?}");
            assert!(greedy.cpu() < cpu, "{greedy:?} {context}");
        }
        let tables = ["out", "out/results.csv"].map(|from| {
            let printed =
                arena.command(&["standings", from, "--usage", "--format", "json"]).output_in_time().expect("it starts");
            assert!(printed.status.success(), "{}", text(&printed.stderr));
            text(&printed.stdout)
        });
        assert_eq!(tables[0], tables[1]);
        let players: serde_json::Value = serde_json::from_str(&tables[0]).expect("JSON");
        for player in players.as_array().expect("players") {
            assert_eq!(player["usage"]["games"], 2, "{player}");
        }
        let rebuilt = arena.command(&["rebuild", "--check", "out"]).output_in_time().expect("it starts");
        assert!(rebuilt.status.success(), "{}", text(&rebuilt.stdout));
    }
}

#[test]
fn sleeping_past_the_clock_is_marked_and_computing_past_it_is_not() {
    for isolation in isolations() {
        let (arena, said) = play(isolation, "2s", &(hungry("sleep", "sleep") + &hungry("spin", "spin")));
        let (mut losses, mut expected_losses, mut idle_losses) = (Vec::new(), Vec::new(), 0);
        for row in arena.results() {
            assert_eq!((&*row["termination"], &*row["at_fault"]), ("time", "black"), "{row:?}");
            losses.push((row["black"].clone(), row["time_loss_cpu"].clone()));
            let record = arena.record(&row["game"]);
            // A busy machine may starve even a bot that computes; in that case, the mark is also correct.
            let cpu = record.usage.black.expect("measured").cpu();
            let idle = row["black"] == "sleep" || cpu * IDLE_PART < record.used(Side::Black);
            idle_losses += u32::from(idle);
            expected_losses.push((row["black"].clone(), if idle { "idle" } else { "busy" }.to_owned()));
            let expected = if idle { TimeLoss::Idle } else { TimeLoss::Busy };
            assert_eq!(record.time_loss().map(|(_, loss)| loss), Some(expected), "{record}");

            let words = "of CPU time: it slept, waited or was held up by the machine instead of thinking";
            let line = said.lines().find(|line| line.contains(&row["game"])).expect("a line a game");
            // For a starved bot, the report uses other words.
            let starved = record.starved_loss().is_some_and(|(_, found)| found.explains_time_loss());
            assert_eq!(line.contains(words), idle && !starved, "{line}");
            let log = format!("out/games/{}.log", row["game"]);
            let replay = arena.command(&["replay", "--final", &log]).output_in_time().expect("it starts");
            assert_eq!(text(&replay.stdout).contains(words), idle && !starved, "{}", text(&replay.stdout));
        }
        assert_eq!(losses, expected_losses, "{isolation}");
        let standings = arena.command(&["standings", "out"]).output_in_time().expect("it starts");
        let counted = if idle_losses == 1 { "\n1 loss on time" } else { "\n2 losses on time" };
        let standings = text(&standings.stdout);
        assert!(standings.contains(&format!("{counted} with little CPU used: ")), "{standings}");
    }
}
