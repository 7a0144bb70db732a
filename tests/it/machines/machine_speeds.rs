//! Fairness between machines: their speeds, scaled clocks, and the tables of `standings --workers`.

use std::fs;

use gothello_arena::base::random::SplitMix64;
use serde_json::Value;

use crate::harness::arena::{Arena, text};
use crate::house::json::{fits, strict};

/// Writes the logs of a made-up run: `a` and `b` play each other and win about equally often, but on the machine
/// `lab-3`, `a` loses nearly all games. If `is_bad` is false, `lab-3` is like the other machines.
fn made_up(arena: &Arena, is_bad: bool) {
    let games = arena.out().join("games");
    fs::create_dir_all(&games).expect("made");
    let mut random = SplitMix64::new(17);
    for round in 1..=160_u32 {
        for (black, white) in [("a", "b"), ("b", "a")] {
            let machine = ["lab-1", "lab-2", "lab-3", ""][round as usize % 4];
            let a_wins = random.below(100) < if machine == "lab-3" && is_bad { 10 } else { 50 };
            let result = if a_wins == (black == "a") { "0-1" } else { "1-0" };
            let id = format!("r{round}-{black}-{white}");
            let worker = if machine.is_empty() { String::new() } else { format!("[Worker \"{machine}\"]\n") };
            let termination = if round == 3 { "time" } else { "resignation" };
            let log = format!(
                "[Round \"{round}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n\
                 [Termination \"{termination}\"]\n[Game \"{id}\"]\n{worker}[Speed \"1900000\"]\n\
                 [Lateness \"p99 0.000041 max 0.000358 sum 0.000614\"]\n\n{result}\n"
            );
            fs::write(games.join(format!("{id}.log")), log).expect("written");
        }
    }
}

#[test]
fn a_bad_machine_stands_out_in_every_form() {
    let arena = Arena::new("");
    made_up(&arena, true);
    let shown = arena.output(&["standings", "out", "--workers"]);
    let table = text(&shown.stdout);
    assert!(table.contains("Machines; lateness in milliseconds"), "{table}{}", text(&shown.stderr));
    assert!(table.contains("lab-3 played differently from the others (p < 0.0001): a scored "), "{table}");
    assert!(table.contains("If something is wrong, stop its worker"), "{table}");
    assert!(!table.contains("lab-1 played") && !table.contains("(the coordinator) played"), "{table}");
    let json = text(&arena.output(&["standings", "out", "--show", "workers", "--format", "json"]).stdout);
    let value = fits(&strict("standings"), &json);
    let machines = value[0]["workers"].as_array().expect("machines").clone();
    assert_eq!(value[1]["workers"], value[0]["workers"]);
    let facts: Vec<(&str, &str, u64, u64, bool)> = machines
        .iter()
        .map(|machine| {
            let number = |key: &str| machine[key].as_u64().expect("a number");
            let word = |key: &str| machine[key].as_str().expect("a word");
            (word("machine"), word("kind"), number("games"), number("time_losses"), machine["differs"] == true)
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("coordinator", "coordinator", 80, 2, false),
            ("lab-1", "worker", 80, 0, false),
            ("lab-2", "worker", 80, 0, false),
            ("lab-3", "worker", 80, 0, true),
        ]
    );
    assert_eq!(
        (&machines[0]["speed"], &machines[0]["late_seconds"]),
        (&Value::from(1_900_000), &Value::from(0.000_041))
    );
    let require = |what: &str| arena.output(&["standings", "out", "--quiet", "--require", what]);
    for (what, code) in [
        ("workers.differing == 1", 0),
        ("workers.lab-3.p_value >= 0.01", 3),
        ("workers.'lab-1'.p_value >= 0.01", 0),
        ("workers.coordinator.time_losses == 2", 0),
        ("workers.lab-4.games == 1", 2),
        ("workers.lab-3.colour == 1", 2),
    ] {
        let judged = require(what);
        assert_eq!(judged.status.code(), Some(code), "{what}: {}", text(&judged.stderr));
    }
    let csv = arena.path().join("games.csv");
    fs::write(&csv, "first,second,first_score\na,b,1\nb,a,0.5\n").expect("written");
    let refused = arena.output(&["standings", "games.csv", "--workers"]);
    assert!(text(&refused.stderr).contains("name a run's directory"), "{}", text(&refused.stderr));
}

#[test]
fn equal_machines_are_said_to_be_equal() {
    let arena = Arena::new("");
    made_up(&arena, false);
    let table = text(&arena.output(&["standings", "out", "--workers", "--format", "markdown"]).stdout);
    assert!(table.contains("- No machine's results differ from those of the others"), "{table}");
    assert!(!text(&arena.output(&["standings", "out"]).stdout).contains("Machines"));
}

#[test]
fn one_machine_has_nothing_to_scale_and_says_so() {
    let arena = Arena::new(
        "time = \"60s\"\nscale_time = true\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n[[player]]\nname = \"greedy\"\n\
         builtin = \"greedy\"\n",
    );
    let run = arena.run(&[]);
    assert!(text(&run.stderr).contains("`scale_time` has no effect here"), "{}", text(&run.stderr));
    let record = arena.record("r1-random-greedy");
    assert_eq!(record.clocks(), record.time_control);
    assert!(record.other_tags.iter().all(|(name, _)| name != "Speed"));
    let table = text(&arena.output(&["standings", "out", "--workers"]).stdout);
    assert!(table.contains("(this machine)") && table.contains("there is nothing to compare"), "{table}");
    let log = arena.out().join("games/r1-random-greedy.log");
    let scaled = fs::read_to_string(&log).expect("a log").replace("[Termination", "[TimeScale \"1.25\"]\n[Termination");
    fs::write(arena.path().join("scaled.log"), scaled).expect("written");
    // In the check, the clocks start from 60 seconds, not from 75.
    let check = arena.output(&["replay", "--check", "scaled.log"]);
    assert!(!check.status.success(), "{}", text(&check.stdout));
}
