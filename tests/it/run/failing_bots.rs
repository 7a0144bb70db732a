//! Bots that fail: reports, outputs, the permissions of bots, and failures that are the machine's fault. `probes`
//! checks that every kind of failure ends with the right termination in every tier, and that nothing else suffers.

use crate::confinement::probes::can_confine;
use crate::harness::arena::{Arena, Ready, assert_gone, program, random_and_greedy, text};
use crate::harness::waiting::InTime as _;

const PYTHON: &str = r#"command = ["python3", "misbehave.py", "MODE", "{side}", "{host}", "{port}"]"#;

/// A tournament of a misbehaving bot against a good one, with short deadlines.
fn against(mode: &str, settings: &str) -> Arena {
    let command = PYTHON.replace("MODE", mode);
    let settings = if settings.contains("hello_timeout") {
        settings.to_owned()
    } else {
        format!("hello_timeout = \"20s\"\n{settings}")
    };
    Arena::new(&format!(
        r#"
        name = "faults"
        concurrency = 2
        quit_timeout = "500ms"
        {settings}
        [[player]]
        name = "bad"
        dir = "@bots"
        {command}
        [[player]]
        name = "good"
        builtin = "random"
        "#
    ))
}

/// Plays a misbehaving bot against a good one, unconfined and, if this machine can confine bots, confined. Checks that
/// it forfeits both games with `termination` and `reason`. Returns the arena of the unconfined run.
fn assert_forfeits(mode: &str, settings: &str, termination: &str, reason: &str) -> Arena {
    if can_confine() {
        assert_forfeits_in("require", mode, settings, termination, reason);
    }
    assert_forfeits_in("off", mode, settings, termination, reason)
}

fn assert_forfeits_in(isolation: &str, mode: &str, settings: &str, termination: &str, reason: &str) -> Arena {
    let arena = against(mode, &format!("isolation = \"{isolation}\"\n{settings}"));
    let output = arena.run(&[]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{mode}: {stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 2);
    for row in results {
        let fault = if row["black"] == "bad" { "black" } else { "white" };
        let winner = if row["black"] == "bad" { "white" } else { "black" };
        assert_eq!(
            (row["termination"].as_str(), row["at_fault"].as_str(), row["winner"].as_str(), row["margin"].as_str()),
            (termination, fault, winner, ""),
            "{mode}: {stderr}"
        );
        let record = arena.record(&row["game"]);
        let found = record.result.as_ref().ok().and_then(|result| result.reason()).unwrap_or_default();
        assert!(found.contains(reason), "{mode}: unexpected reason `{found}`");
    }
    arena.assert_logs_hold(&output);
    arena
}

#[test]
fn a_bot_that_passes_plays_a_normal_game() {
    let arena = against("pass", "");
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for row in arena.results() {
        assert_eq!(row["termination"], "normal");
        assert!(!row["margin"].is_empty());
    }
    arena.assert_logs_hold(&output);
}

#[test]
fn resigning_is_not_a_forfeit() {
    let arena = against("resign", "");
    assert_eq!(arena.run(&["--strict"]).status.code(), Some(0));
    for row in arena.results() {
        assert_eq!((row["termination"].as_str(), row["at_fault"].as_str()), ("resignation", ""));
    }
}

#[test]
fn without_clocks_game_limit_ends_a_silent_game() {
    assert_forfeits("silent", "game_limit = \"1s\"", "time", "thinking time exceeded");
}

#[test]
fn the_fourth_illegal_move_forfeits() {
    let arena = against("illegal", "illegal_tries = 3");
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    // The move a1 is legal once, so the misbehaving bot may even have captured stones.
    for row in arena.results() {
        assert_eq!(row["termination"], "illegal");
        assert_eq!(row[&row["at_fault"]], "bad");
    }
    arena.assert_logs_hold(&output);
}

#[test]
fn too_many_garbled_lines_forfeit() {
    assert_forfeits("binary", "garbled_tries = 2", "protocol", "garbled line 3");
}

#[test]
fn a_bot_that_dies_crashes_and_its_output_is_kept() {
    let arena = against("crash", "");
    let stderr = text(&arena.run(&[]).stderr);
    assert!(
        stderr.contains("bad last wrote: division by zero in my evaluation (full output: r1-bad-good.black.stderr)")
    );
    assert_forfeits("crash", "", "crash", "exited with code 3");
    for (game, side) in [("r1-bad-good", "black"), ("r1-good-bad", "white")] {
        let path = arena.out().join("games").join(format!("{game}.{side}.stderr"));
        assert_eq!(std::fs::read_to_string(path).expect("kept"), "division by zero in my evaluation\n");
    }
}

#[test]
fn before_its_hello_a_bot_is_gone_once_its_last_process_exits() {
    assert_forfeits("gone-later", "", "no show", "exited with code 0 before it said hello");
}

/// Plays a bot with the keys `player` against good ones, and checks that its games are not started and that the message
/// contains `reason`.
fn assert_not_started(player: &str, reason: &str) {
    let arena = Arena::new(&format!(
        "[[player]]\nname = \"bad\"\n{player}\n[[player]]\nname = \"good\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"fair\"\nbuiltin = \"greedy\"\n"
    ));
    std::fs::write(arena.path().join("plain.txt"), "no program").expect("written");
    let output = arena.run(&[]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("player `bad` cannot be started") && stderr.contains(reason), "{stderr}");
    for row in arena.results() {
        let bad = row["black"] == "bad" || row["white"] == "bad";
        assert_eq!(row["termination"], if bad { "not started" } else { "normal" });
    }
    arena.assert_logs_hold(&output);
}

#[test]
fn a_program_that_cannot_run_is_not_started_and_the_others_play_on() {
    assert_not_started("command = [\"./missing\"]", "missing");
    assert_not_started("command = [\"./plain.txt\"]", "not executable");
    assert_not_started(
        "command = [\"true\"]\nbuild = [\"sh\", \"-c\", \"echo no such class; exit 7\"]",
        "| no such class",
    );
    assert_not_started("command = [\"true\"]\nbuild = [\"./no-compiler\"]", "its build");
}

#[test]
fn a_build_that_is_not_done_in_time_is_void_until_it_may_take_longer() {
    let file = |timeout: &str| {
        format!(
            "build_timeout = \"{timeout}\"\n[[player]]\nname = \"slow\"\ndir = \"slow\"\ncommand = [\"true\"]\n\
             build = [\"sh\", \"-c\", \"echo compiling; test -e ready || sleep 600\"]\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n[[player]]\nname = \"better\"\nbuiltin = \"greedy\"\n"
        )
    };
    let arena = Arena::new(&file("1s"));
    std::fs::create_dir(arena.path().join("slow")).expect("made");
    let output = arena.run(&[]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("its build failed: not finished in time: `build_timeout` allows 1s"), "{stderr}");
    assert!(stderr.contains("the same command plays them") && stderr.contains("| compiling"), "{stderr}");
    let terminations = |player: &str| -> Vec<String> {
        let rows = arena.results();
        let of = rows.iter().filter(|row| [&row["black"], &row["white"]].iter().any(|name| *name == player));
        of.map(|row| row["termination"].clone()).collect()
    };
    let slow = terminations("slow");
    assert!(!slow.is_empty() && slow.iter().all(|termination| termination == "void"), "{slow:?}");
    assert!(terminations("good").iter().any(|termination| termination == "normal"), "{:?}", terminations("good"));

    std::fs::write(arena.path().join("class.toml"), file("50s")).expect("written");
    std::fs::write(arena.path().join("slow/ready"), "").expect("written");
    let again = arena.run(&[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let slow = terminations("slow");
    assert!(!slow.is_empty() && slow.iter().all(|termination| termination == "no show"), "{slow:?}");
}

#[test]
fn endless_output_forfeits() {
    assert_forfeits("spewing", "output = \"4 MiB\"", "limit output", "wrote 4 MiB to stdout and stderr");
}

/// A tournament with a bot that writes to its own directory. `keys` must end in the table of this bot.
fn writing(keys: &str) -> Arena {
    let arena = Arena::new(&format!(
        "concurrency = 2\n{keys}\ncommand = [\"python3\", \"misbehave.py\", \"writing\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n\
         [[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
    ));
    let bot = arena.path().join("bot");
    std::fs::create_dir_all(bot.join("data")).expect("made");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/misbehave.py"), bot.join("misbehave.py"))
        .expect("copied");
    std::os::unix::fs::symlink("data", bot.join("link")).expect("linked");
    arena
}

#[test]
fn each_game_gets_its_own_copy_of_a_writable_directory() {
    let player = "[[player]]\nname = \"bad\"\ndir = \"bot\"";
    for isolation in ["require", "off"] {
        if isolation == "require" && !can_confine() {
            continue;
        }
        let arena = writing(&format!("isolation = \"{isolation}\"\n{player}\nwritable = true"));
        let output = arena.run(&["--strict"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(!arena.path().join("bot/games.txt").exists());
    }
    if can_confine() {
        // Without `writable`, the bot cannot write to its directory.
        let arena = writing(&format!("isolation = \"require\"\n{player}"));
        assert_eq!(arena.run(&["--strict"]).status.code(), Some(4));
        // The copy must fit into the scratch space.
        let arena = writing(&format!("isolation = \"require\"\nscratch = \"1 MiB\"\n{player}\nwritable = true"));
        std::fs::write(arena.path().join("bot/data/large"), vec![7; 2 << 20]).expect("written");
        let stderr = text(&arena.run(&[]).stderr);
        assert!(
            stderr.contains("into its scratch space, which `scratch` limits to 1 MiB: No space left on device"),
            "{stderr}"
        );
        assert!(arena.results().iter().all(|row| row["termination"] == "not started"));
    }
}

/// The bot's stdout is the connection, so the arena notices the exit only when stdout is closed. Under confinement, no
/// other process may hold stdout open.
#[test]
fn the_exit_of_a_bot_over_stdio_is_noticed_at_once() {
    let player = |script: &str| {
        format!(
            "[[player]]\nname = \"bad\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", \"{script}\"]\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n"
        )
    };
    let hello = "echo 0.9.1 player $GOTHELLO_SIDE; read granted";
    for isolation in ["auto", "off"] {
        for (script, keys, ending) in [
            ("exit 3", "", "no show"),
            (&*format!("{hello}; exit 3"), "", "crash"),
            (&*format!("{hello}; exit 0"), "", "disconnect"),
            (&*format!("{hello}; while :; do :; done"), "cpu = \"1s\"", "limit cpu"),
        ] {
            if isolation == "off" && !keys.is_empty() {
                continue;
            }
            let head = format!("isolation = \"{isolation}\"\ntime = \"20s\"\nhello_timeout = \"20s\"\n{keys}\n");
            let arena = Arena::new(&(head + &player(script)));
            let output = arena.run(&[]);
            assert_eq!(output.status.code(), Some(0));
            assert!(!text(&output.stderr).contains("no hello by its deadline"), "{}", text(&output.stderr));
            let results = arena.results();
            assert!(results.iter().all(|row| row["termination"] == ending), "{isolation}, {ending}: {results:?}");
        }
    }
}

#[test]
fn when_both_players_fail_both_lose() {
    let command = PYTHON.replace("MODE", "gone");
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\ndir = \"@bots\"\n{command}\n");
    let arena = Arena::new(&format!("{}{}", player("one"), player("two")));
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(0));
    for row in arena.results() {
        let found = (row["termination"].as_str(), row["at_fault"].as_str(), row["winner"].as_str());
        assert_eq!(found, ("double forfeit", "both", ""));
    }
    arena.assert_logs_hold(&output);
}

#[test]
fn no_process_of_a_bot_outlives_its_game() {
    for mode in ["litter", "deaf"] {
        let arena = against(mode, "time = \"60s\"");
        let ready = Ready::new();
        let running = arena.start(Some(&ready));
        let pids = [ready.next().0, ready.next().0];
        let (code, stderr) = running.end();
        assert_eq!(code, Some(0), "{stderr}");
        pids.into_iter().for_each(assert_gone);
    }
}

#[test]
fn output_over_the_cap_is_cut_without_a_forfeit() {
    let arena = against("talkative", "output_cap = \"10 KiB\"");
    assert_eq!(arena.run(&["--strict"]).status.code(), Some(0));
    let kept = std::fs::read(arena.out().join("games/r1-bad-good.black.stdout")).expect("kept");
    assert!(kept.len() < 11_000 && text(&kept).contains("bytes cut"), "{} bytes", kept.len());
}

/// A game that lacks a resource is void: no player loses it, and it will be played again. Once the resource is
/// available, the run can be resumed.
#[test]
fn a_machine_without_descriptors_makes_games_void() {
    let arena = Arena::new(concat!("rounds = 2\nconcurrency = 1\nvoid_retries = 1\n", random_and_greedy!()));
    let limited = |limit: u32| {
        let run = format!("ulimit -n {limit}; exec \"$0\" run class.toml --out out");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &run, program()]).current_dir(arena.path());
        command.output_in_time().expect("the shell starts")
    };
    let mut void_runs = 0;
    // The number of descriptors that a game needs depends on the libraries. At one of these limits, the arena keeps
    // running but its games fail.
    for limit in 10..40 {
        let output = limited(limit);
        let stderr = text(&output.stderr);
        if stderr.contains("void, through no player's fault") {
            void_runs += 1;
            assert!(stderr.contains("Too many open files"), "{limit}: {stderr}");
            assert!(stderr.contains("it will be played again") && !stderr.contains("panicked"), "{limit}: {stderr}");
        }
        match output.status.code() {
            Some(0) => break,
            Some(5) => assert!(stderr.contains("it will not be played again in this run"), "{limit}: {stderr}"),
            code => assert_eq!(code, Some(1), "{limit}: {stderr}"),
        }
        assert!(stderr.contains("error: ") || void_runs > 0, "{limit}: {stderr}");
    }
    assert!(void_runs > 0, "some limit must make a game void");
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    let results = arena.results();
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|row| row["at_fault"].is_empty() && row["termination"] == "normal"), "{results:?}");
}

#[test]
fn a_directory_that_does_not_exist_is_refused_before_anything_is_played() {
    let arena = Arena::new(concat!(
        "[[player]]\nname = \"bad\"\ndir = \"nowhere\"\ncommand = [\"true\"]\n",
        "[[player]]\nname = \"worse\"\ndir = \"a-file\"\ncommand = [\"true\"]\n",
        random_and_greedy!()
    ));
    std::fs::write(arena.path().join("a-file"), "").expect("written");
    let output = arena.run(&[]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    for player in [
        "player `bad`: directory `./nowhere` not found",
        "player `worse`: directory `./a-file` not found",
        "nothing was played",
    ] {
        assert!(stderr.contains(player), "{stderr}");
    }
    assert!(!arena.out().exists());
}
