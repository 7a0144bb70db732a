//! Resources that the machine lacks: in every tier and at every stage, the games become void, and the shortage never
//! changes how bots are confined.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::confinement::probes::{User, Way};
use crate::harness::arena::{Arena, program, text};
use crate::harness::hardship::ShortGroup;
use crate::harness::restricted::without_namespaces;
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

/// The user id for the next test. No other processes run under this id, so that the test's processes can be counted.
static LONELY: AtomicU32 = AtomicU32::new(0x6773_0001);

fn lonely_user() -> u32 {
    LONELY.fetch_add(1, Ordering::Relaxed)
}

/// A tournament of two programs, in a directory that belongs to `user`.
fn arena(user: u32) -> Arena {
    let arena = Arena::new("");
    let player = |name: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\ndir = \"bot\"\n\
             command = [\"./probe\", \"none\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n"
        )
    };
    let head = "isolation = \"auto\"\nvoid_retries = 0\nquit_timeout = \"300ms\"\n";
    fs::write(arena.path().join("class.toml"), format!("{head}{}{}", player("one"), player("other"))).expect("written");
    fs::create_dir(arena.path().join("bot")).expect("made");
    fs::copy(crate::confinement::probes::probe(), arena.path().join("bot/probe")).expect("copied");
    for path in [arena.path(), &arena.path().join("bot"), &arena.path().join("class.toml")] {
        User::Ordinary.give(path);
        std::os::unix::fs::chown(path, Some(user), Some(user)).expect("given");
    }
    arena
}

/// Runs the program with the arguments `words` as a user that may have `processes` processes and threads in total.
fn run_with(arena: &Arena, user: u32, processes: u32, words: &str) -> Output {
    let mut command = Command::new("prlimit");
    command.arg(format!("--nproc={processes}")).arg(program());
    command.args(words.split(' ')).current_dir(arena.path()).stdin(Stdio::null());
    command.uid(user).gid(user).output_in_time().expect("prlimit starts")
}

fn can_be_anybody() -> bool {
    let can = rustix::process::geteuid().is_root();
    if !can {
        skipped(Need::Root, "only root can run as a user without other processes");
    }
    can
}

/// Tries limits from too few processes for anything to enough processes for everything. In between, every stage of
/// confinement runs out of processes at some limit.
fn starved(in_tier: &str, act: impl Fn(&Arena, u32, u32) -> Output) {
    let (mut voids, mut done, mut confined) = (0, false, false);
    for processes in (1..100).filter(|number| number % 2 == 1) {
        // Leftovers of one run that the kernel has not cleaned up yet must not count towards the next run.
        let user = lonely_user();
        let arena = arena(user);
        let output = act(&arena, user, processes);
        let stderr = text(&output.stderr);
        assert!(!stderr.contains("panicked"), "{processes}: {stderr}");
        assert!(!stderr.contains("not confined"), "{processes}: {stderr}");
        confined |= stderr.contains(&format!("confined by tier {in_tier}"));
        match output.status.code() {
            Some(1) => assert!(stderr.contains("Resource temporarily unavailable"), "{processes}: {stderr}"),
            code => {
                let rows = arena.results();
                let endings: Vec<&str> = rows.iter().map(|row| row["termination"].as_str()).collect();
                assert!(endings.iter().all(|ending| ["normal", "void"].contains(ending)), "{processes}: {stderr}");
                let void = stderr.matches("void, through no player's fault").count();
                assert_eq!(code, Some(if void > 0 { 5 } else { 0 }), "{processes}: {stderr}");
                voids += void;
                done = void == 0 && endings.len() == 2;
            }
        }
        if done {
            break;
        }
    }
    assert!(confined, "tier {in_tier}");
    assert!(done && voids > 0, "{voids} games were void");
}

#[test]
fn too_few_processes_make_games_void_in_namespaces() {
    if can_be_anybody() && !Way::all("B").is_empty() {
        starved("B", |arena, user, processes| run_with(arena, user, processes, "run class.toml --out out"));
    }
}

#[test]
fn too_few_processes_make_games_void_without_namespaces() {
    if can_be_anybody() && Way::all("C").iter().any(|way| way.user == User::Ordinary) {
        starved("C", |arena, user, processes| {
            without_namespaces(|| run_with(arena, user, processes, "run class.toml --out out"))
        });
    }
}

#[test]
fn without_a_second_thread_every_command_says_what_is_missing() {
    if !can_be_anybody() {
        return;
    }
    for words in ["run class.toml --out out", "run class.toml --out out --isolation off", "serve --port 0", "doctor"] {
        let user = lonely_user();
        let output = run_with(&arena(user), user, 1, words);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}: {said}");
        assert!(said.contains("Resource temporarily unavailable") && !said.contains("panicked"), "{words}: {said}");
    }
}

/// The message names every tier that does not work and the reason, even if a weaker tier is used instead.
#[test]
fn the_reason_why_a_stronger_tier_does_not_work_is_reported() {
    for way in ["B", "C"].into_iter().flat_map(Way::all) {
        let arena = Arena::new(&format!(
            "isolation = \"{}\"\n[[player]]\nname = \"bad\"\ncommand = [\"true\", \"{{port}}\"]\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n",
            way.isolation()
        ));
        for path in [arena.path(), &arena.path().join("class.toml")] {
            way.user.give(path);
        }
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        let stderr = text(&output.stderr);
        let tiers = if way.tier == "B" { &["tier A: "][..] } else { &["tier A: ", "tier B: "] };
        for tier in tiers {
            assert!(stderr.contains(&format!("{tier}make namespaces: Operation not permitted")), "{way:?}: {stderr}");
        }
    }
}

/// A bot is excused if it dies because the machine refuses it processes that its limit allows. A bot that merely claims
/// to be refused processes is not excused.
#[test]
fn a_bot_that_the_machine_refuses_processes_is_not_at_fault() {
    let toml = "isolation = \"auto\"\nvoid_retries = 0\ntime = \"60s\"\n[[player]]\nname = \"bad\"\ntransport = \"stdio\"\n\
                processes = 1000\nmemory = \"8 GiB\"\ncommand = [\"sh\", \"-c\", \"@script\"]\n\
                [[player]]\nname = \"good\"\nbuiltin = \"random\"\n";
    // As white, the bot waits for its opponent's first move, so that the opponent is connected by then.
    let hello = "echo 0.9.1 player $GOTHELLO_SIDE; read granted; [ $GOTHELLO_SIDE = black ] || read move";
    let liar = Arena::new(&toml.replace("@script", &format!("{hello}; echo sh: Cannot fork >&2; exit 2")));
    let output = liar.run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(liar.results().iter().all(|row| row["termination"] == "crash"));

    let Some(few) = ShortGroup::of_processes(48) else { return };
    let many = "i=0; while [ $i -lt 200 ]; do sleep 600 > /dev/null & i=$((i + 1)); done; exit 0";
    let arena = Arena::new(&toml.replace("@script", &format!("{hello}; {many}")));
    let output =
        few.holding(&arena.command(&["run", "class.toml", "--out", "out"])).output_in_time().expect("sh starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(arena.results().iter().all(|row| row["termination"] == "void"), "{stderr}");
    assert!(stderr.contains("player `bad` ended after the machine had refused it processes or threads"), "{stderr}");
}
