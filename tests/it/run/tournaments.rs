//! Whole tournaments, from the tournament file to the standings.

use rustix::process::Signal;

use crate::harness::arena::{Arena, Ready, assert_gone, is_withheld, random_and_greedy, text};
use crate::harness::waiting::InTime as _;

const BUILTINS: &str = r#"
    name = "built in"
    rounds = 2
    seed = 441
    time = "60s"
    [[player]]
    name = "random"
    builtin = "random"
    [[player]]
    name = "Greedy One"
    builtin = "greedy"
    [[player]]
    name = "alphabeta"
    builtin = "alphabeta"
    depth = 2
"#;

fn moves(arena: &Arena) -> Vec<(String, String)> {
    arena.results().into_iter().map(|row| (row["game"].clone(), row["moves_sha256"].clone())).collect()
}

#[test]
fn a_seed_reproduces_a_tournament_of_built_in_bots() {
    let runs = ["1", "1", "2"].map(|concurrency| {
        let arena = Arena::new(BUILTINS);
        let output = arena.run(&["--concurrency", concurrency]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        arena.assert_logs_hold(&output);
        moves(&arena)
    });
    assert_eq!(runs[0].len(), 12);
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
    let reseeded = Arena::new(&BUILTINS.replace("441", "442"));
    reseeded.run(&[]);
    assert_ne!(moves(&reseeded), runs[0]);
}

#[test]
fn without_a_terminal_progress_is_plain_lines_and_quiet_hides_it() {
    let arena = Arena::new(BUILTINS);
    let output = arena.run(&[]);
    let stderr = text(&output.stderr);
    let (games, notes): (Vec<&str>, Vec<&str>) = stderr.lines().partition(|line| line.starts_with('['));
    assert_eq!(games.len(), 12, "{stderr}");
    assert!(games[11].starts_with("[12/12] r2-"), "{stderr}");
    assert!(notes.iter().all(|line| line.starts_with("gothello-arena: ")), "{stderr}");
    assert!(!stderr.contains('\u{1b}'));
    let quiet = Arena::new(BUILTINS);
    let output = quiet.run(&["--quiet"]);
    assert_eq!(text(&output.stderr), "");
    assert!(text(&output.stdout).contains("Greedy One"));
}

#[test]
fn a_directory_with_foreign_files_is_refused_and_left_alone() {
    let arena = Arena::new(BUILTINS);
    std::fs::create_dir(arena.out()).expect("made");
    std::fs::write(arena.out().join("notes.txt"), "mine").expect("written");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`out` is not empty") && text(&output.stderr).contains("--out"));
    assert_eq!(std::fs::read_dir(arena.out()).expect("there").count(), 1);
}

#[test]
fn a_file_with_mistakes_is_refused_with_all_of_them_listed() {
    let arena = Arena::new("rouns = 5\ntime = \"ten\"\n[[player]]\nname = \"a\"\nbuiltin = \"greedi\"\n");
    let output = arena.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    for problem in ["class.toml:1:1:", "`rounds`", "class.toml:2:8:", "class.toml:5:11:", "`greedy`"] {
        assert!(stderr.contains(problem), "{problem} is not in\n{stderr}");
    }
    assert!(!arena.out().exists());
}

#[test]
fn a_run_succeeds_even_if_nobody_reads_the_standings() {
    let arena = Arena::new(BUILTINS);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status =
        arena.command(&["run", "class.toml", "--out", "out"]).stdout(writer).status_in_time().expect("it starts");
    assert_eq!(status.code(), Some(0));
    assert_eq!(arena.results().len(), 12);
}

#[test]
fn bots_in_several_languages_play_each_other() {
    let arena = Arena::new(
        r#"
        time = "60s"
        [[player]]
        name = "rust"
        build = ["rustc", "-O", "--edition", "2021", "-o", "rust-bot", "@examples/rust/bot/bot.rs"]
        command = ["./rust-bot", "{side}", "{host}", "{port}"]
        [[player]]
        name = "python"
        dir = "@examples/python/bot"
        command = ["python3", "bot.py", "{side}", "{host}", "{server}"]
        [[player]]
        name = "c"
        build = ["cc", "-o", "c-bot", "@examples/c/bot/bot.c", "@examples/c/bot/rules.c",
                 "@examples/c/bot/gothello_client.c"]
        command = ["./c-bot", "{side}", "{host}", "{port}"]
        [[player]]
        name = "line bot"
        command = ["python3", "@examples/line_bot.py"]
        transport = "stdio"
        [[player]]
        name = "greedy"
        builtin = "greedy"
        "#,
    );
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let results = arena.results();
    assert_eq!(results.len(), 20);
    assert!(results.iter().all(|row| row["termination"] == "normal"));
    arena.assert_logs_hold(&output);
    let record = arena.record("r1-rust-python");
    assert_eq!(record.digests.black.map(|digest| digest.len()), Some(64));
}

/// Runs a bot whose command `command` prints its address arguments to stderr and exits. Returns this output.
fn told(command: &str) -> String {
    let arena = Arena::new(&format!(
        "hello_timeout = \"30s\"\ntime = \"90s\"\n[[player]]\nname = \"told\"\ncommand = {command}\n\
         [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n"
    ));
    arena.run(&[]);
    std::fs::read_to_string(arena.out().join("games/r1-told-greedy.black.stderr")).unwrap_or_default()
}

#[test]
fn the_placeholders_in_a_command_decide_which_address_its_bot_gets() {
    let env = "echo $GOTHELLO_SIDE $GOTHELLO_HOST $GOTHELLO_PORT $GOTHELLO_SERVER $GOTHELLO_TIME $GOTHELLO_NAME";
    let host = told(&format!(r#"["sh", "-c", "({env}; echo $0) >&2", "{{host}}:{{port}}"]"#));
    let words: Vec<&str> = host.split_whitespace().collect();
    assert_eq!(words[0], "black", "{host}");
    assert!(words[1].starts_with("127.") && words[1] != "127.0.0.1", "{host}");
    assert_ne!(words[2], "29068", "{host}");
    assert_eq!(words[4..6], ["90", "told"]);
    assert_eq!(words[6], format!("{}:{}", words[1], words[2]));

    let port = told(&format!(r#"["sh", "-c", "({env}) >&2", "{{port}}"]"#));
    let words: Vec<&str> = port.split_whitespace().collect();
    assert_eq!(words[1], "127.0.0.1", "{port}");

    let server = told(&format!(r#"["sh", "-c", "({env}) >&2", "{{server}}"]"#));
    let words: Vec<&str> = server.split_whitespace().collect();
    assert_eq!(words[1], "127.0.0.1", "{server}");
    let (port, number): (u16, u16) = (words[2].parse().expect("a port"), words[3].parse().expect("a number"));
    assert!((1..30).contains(&number) && port == 29_068 + number, "{server}");
}

#[test]
fn each_bot_has_its_own_temporary_home_and_scratch_directories() {
    let said = told(
        r#"["sh", "-c", "touch $HOME/mine $TMPDIR/mine && ls $HOME $TMPDIR >&2; echo $HOME $TMPDIR >&2", "{port}"]"#,
    );
    assert_eq!(said.matches("mine\n").count(), 2, "{said}");
    let last = said.lines().next_back().unwrap_or_default();
    let dirs: Vec<&str> = last.split(' ').collect();
    assert_eq!(dirs.len(), 2, "{said}");
    for dir in dirs {
        assert!(dir.starts_with('/') && !std::path::Path::new(dir).exists(), "{dir}");
    }
}

#[test]
fn bots_that_know_only_localhost_and_server_0_play_each_other() {
    // Only one test at a time can use port 29068 itself.
    let lock = std::fs::File::create(std::env::temp_dir().join("gothello-arena-test-29068.lock")).expect("a lock file");
    lock.lock().expect("locked");
    let player = |name: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\ndir = \"@bots\"\n\
             command = [\"sh\", \"-c\", \"exec python3 misbehave.py pass $GOTHELLO_SIDE localhost 29068\"]\n"
        )
    };
    let arena = Arena::new(&format!("concurrency = 2\n{}{}{}", player("one"), player("two"), player("three")));
    let output = arena.run(&["--strict"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(arena.results().len(), 6);
    arena.assert_logs_hold(&output);
}

/// Three games of a bot that stops until the test lets it continue, one game at a time.
pub(crate) fn held(mode: &str) -> Arena {
    Arena::new(&format!(
        r#"
        concurrency = 1
        quit_timeout = "500ms"
        hello_timeout = "30s"
        time = "5m"
        rounds = 2
        [[player]]
        name = "held"
        dir = "@bots"
        command = ["python3", "misbehave.py", "{mode}", "{{side}}", "{{host}}", "{{port}}"]
        [[player]]
        name = "greedy"
        builtin = "greedy"
        "#
    ))
}

#[test]
fn ctrl_c_lets_the_running_game_finish_and_starts_no_more() {
    if is_withheld(Signal::INT) {
        return;
    }
    let arena = held("held");
    let ready = Ready::new();
    let mut running = arena.start(Some(&ready));
    let (_, bot) = ready.next();
    running.signal(Signal::INT);
    running.hear("Ctrl-C again");
    drop(bot);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(130), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["termination"], "normal");
}

#[test]
fn a_second_ctrl_c_sigterm_or_sighup_ends_everything_at_once() {
    for (signals, code) in [(&[Signal::INT, Signal::INT][..], 130), (&[Signal::TERM], 143), (&[Signal::HUP], 143)] {
        if is_withheld(signals[0]) {
            continue;
        }
        let arena = held("held");
        let ready = Ready::new();
        let mut running = arena.start(Some(&ready));
        // The first game is over, and the second has begun.
        drop(ready.next());
        let (pid, _bot) = ready.next();
        for (nth, signal) in signals.iter().enumerate() {
            running.signal(*signal);
            if nth + 1 < signals.len() {
                running.hear("Ctrl-C again");
            }
        }
        let (found, stderr) = running.end();
        assert_eq!(found, Some(code), "{stderr}");
        assert_gone(pid);
        assert_eq!(arena.results().len(), 1, "the finished game must be kept");
    }
}

#[test]
fn a_test_counts_the_same_games_however_many_are_played_at_a_time() {
    let tables = |concurrency: u32| {
        let arena = Arena::new(&format!(
            "format = \"sprt\"\nelo1 = 400\nmax_pairs = 60\nseed = 3\naffinity = false\nconcurrency = {concurrency}\n{}",
            random_and_greedy!()
        ));
        assert!(arena.run(&["--quiet"]).status.success());
        let printed = arena.output(&["standings", "out", "--format", "csv"]);
        let last_round = arena.results().iter().map(|row| row["round"].parse::<u32>().unwrap()).max();
        (
            std::fs::read_to_string(arena.out().join("standings.csv")).unwrap(),
            text(&printed.stdout),
            last_round.unwrap(),
        )
    };
    let alone = tables(1);
    assert!(alone.2 < 60, "the test ends with a verdict");
    for concurrency in [2, 5] {
        let beside = tables(concurrency);
        assert_eq!((&beside.0, &beside.1), (&alone.0, &alone.1), "{concurrency} at a time, up to round {}", beside.2);
    }
}
