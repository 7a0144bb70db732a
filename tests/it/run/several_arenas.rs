//! Several arenas on one machine that do not know about each other.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::confinement::probes::{MARK, Way, assert_none_marked, marked, probe};
use crate::harness::arena::{Arena, TIMEOUT, text};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, Owned};

/// How many processes the crowded bot starts. Another bot with the same user id could start at most 272 processes.
const CROWD: usize = 400;

/// A running arena with a bot that starts [`CROWD`] processes and never says hello, and the mark of these processes.
struct Crowded {
    running: Owned,
    mark: String,
    _arena: Arena,
}

impl Crowded {
    fn new(way: Way) -> Self {
        let arena = Arena::new("");
        let mark = arena.path().display().to_string();
        let script = format!("i=0; while [ $i -lt {CROWD} ]; do sleep 600 & i=$((i + 1)); done; wait");
        let toml = format!(
            "isolation = \"{}\"\nhello_timeout = \"10m\"\n[[player]]\nname = \"crowd\"\nprocesses = 1000\n\
             memory = \"8 GiB\"\ncommand = [\"sh\", \"-c\", \"{script}\", \"{{port}}\"]\nenv = {{ {MARK} = \"{mark}\" }}\n\
             [[player]]\nname = \"good\"\nbuiltin = \"random\"\n",
            way.isolation()
        );
        fs::write(arena.path().join("class.toml"), toml).expect("written");
        way.user.give(arena.path());
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let running = way.act(&mut command, |command| command.start().expect("the program starts"));
        let mut crowded = Self { running, mark, _arena: arena };
        let deadline = Instant::now() + TIMEOUT;
        while crowded.size() < CROWD {
            assert!(crowded.running.try_wait().expect("asked").is_none(), "{way:?}: the run is over");
            assert!(Instant::now() < deadline, "{way:?}: only {} processes", crowded.size());
            std::thread::sleep(Duration::from_millis(20));
        }
        crowded
    }

    fn size(&self) -> usize {
        marked(&self.mark).len()
    }
}

#[test]
fn a_bot_with_many_processes_does_not_starve_another_arenas_bots() {
    if !rustix::process::geteuid().is_root() {
        skipped(Need::Root, "only root can give each bot its own user id");
        return;
    }
    for way in
        ["A", "C"].into_iter().flat_map(Way::all).filter(|way| way.user == crate::confinement::probes::User::Same)
    {
        let crowded = Crowded::new(way);
        let arena = Arena::new("");
        let player = |name: &str| {
            format!(
                "[[player]]\nname = \"{name}\"\ndir = \"bot\"\n\
                 command = [\"./probe\", \"none\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n"
            )
        };
        let head = format!(
            "isolation = \"{}\"\nrounds = 9\nquit_timeout = \"300ms\"\nhello_timeout = \"60s\"\n",
            way.isolation()
        );
        fs::write(arena.path().join("class.toml"), head + &player("one") + &player("other")).expect("written");
        fs::create_dir(arena.path().join("bot")).expect("made");
        fs::copy(probe(), arena.path().join("bot/probe")).expect("copied");
        way.user.give(arena.path());
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        let rows = arena.results();
        assert_eq!(rows.len(), 18);
        assert!(rows.iter().all(|row| row["termination"] == "normal"), "{way:?}: {rows:?}");
        assert!(crowded.size() >= CROWD, "{way:?}: the crowd must last to the end");
        let mark = crowded.mark.clone();
        drop(crowded);
        assert_none_marked(&mark);
    }
}
