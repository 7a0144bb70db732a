//! Hostile strangers at a public port, and remote players that misbehave in their games. Meanwhile, a real player is
//! served and plays its game to a normal end, and neither memory nor descriptors grow without bound.

mod attacks;

use std::fs;
use std::net::{Shutdown, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use rustix::process::Signal;

use crate::harness::arena::{Arena, Client, TIMEOUT, carol, program, remote_bot};
use crate::harness::waiting::{Owned, pause};
use crate::referee::serve::Server;
use crate::shortage::many_remote_games::raise_open_files;
use attacks::{ATTACKS, Attack, Scene, silence};

/// The maximum number of descriptors that all strangers together may use.
const MAX_DESCRIPTORS: usize = 6_000;

/// The maximum amount of memory that all strangers together may use, in kB.
const MAX_MEMORY: u64 = 64 * 1024;

/// The resource usage of a process.
#[derive(Clone, Copy, Debug)]
struct Usage {
    descriptors: usize,
    memory: u64,
}

impl Usage {
    fn of(pid: u32) -> Self {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").count();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the size is listed");
        let memory = resident.trim().trim_end_matches(" kB").parse().expect("a number");
        Self { descriptors, memory }
    }
}

/// The process under attack.
struct Target {
    address: SocketAddr,
    has_tokens: bool,
    pid: u32,
    base: Usage,
}

impl Target {
    fn new(address: &str, has_tokens: bool, pid: u32) -> Self {
        Self { address: address.parse().expect("an address"), has_tokens, pid, base: Usage::of(pid) }
    }

    /// Attacks while `play` plays a game, and then waits until the target has closed all descriptors that the attack
    /// used.
    fn withstand(&self, attack: Attack, play: impl FnOnce()) {
        let over = AtomicBool::new(false);
        let (begun, beginning) = mpsc::channel();
        std::thread::scope(|scope| {
            let scene = Scene { address: self.address, has_tokens: self.has_tokens, begun, over: &over };
            let attacking = scope.spawn(move || (attack.run)(&scene));
            beginning.recv_timeout(TIMEOUT).expect("the attack begins");
            play();
            over.store(true, Ordering::Relaxed);
            let held = attacking.join().expect("the attack can be made");
            let Usage { descriptors, memory } = Usage::of(self.pid);
            let words = attack.words;
            assert!(descriptors <= self.base.descriptors + MAX_DESCRIPTORS, "{words}: {descriptors} descriptors");
            assert!(memory <= self.base.memory + MAX_MEMORY, "{words}: {memory} kB after {:?}", self.base);
            drop(held);
        });
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let usage = Usage::of(self.pid);
            if usage.descriptors <= self.base.descriptors {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{}: {usage:?} long after the attack, {:?} before it",
                attack.words,
                self.base
            );
            pause();
        }
    }
}

/// Waits until both bots have played their game to the end.
fn play_to_the_end(bots: [Owned; 2]) {
    for bot in bots {
        let output = bot.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", crate::harness::arena::text(&output.stderr));
    }
}

#[test]
fn serve_withstands_every_attack_and_plays_on() {
    raise_open_files();
    let server = Server::start(&["--games", "0", "--time", "20s"]);
    let address = server.address();
    let play = || play_to_the_end(["black", "white"].map(|side| remote_bot(address, side, None)));
    // After a first game, the program holds all the resources that it keeps permanently.
    play();
    let target = Target::new(address, false, server.pid());
    for attack in ATTACKS {
        target.withstand(attack, play);
    }
    server.signal(Signal::TERM);
    let (code, printed) = server.end();
    assert_eq!(code, Some(143));
    let normal = ["Black wins.", "White wins.", "Game drawn."];
    let ended: Vec<&str> = printed.lines().filter(|line| line.contains("wins") || line.contains("drawn")).collect();
    assert_eq!(ended.len(), ATTACKS.len() + 1, "{ended:?}");
    assert!(ended.iter().all(|line| normal.contains(line)), "{ended:?}");
}

#[test]
fn a_tournament_of_remote_players_withstands_every_attack_and_plays_on() {
    raise_open_files();
    // One game comes before the attacks and one after them, so that the run does not end during an attack; each round
    // has two games.
    let rounds = ATTACKS.len() / 2 + 2;
    let arena = Arena::new(&format!(
        "time = \"20s\"\nrounds = {rounds}\nconcurrency = 1\n{}\
         [[player]]\nname = \"dave\"\nremote = true\ntoken = \"another word\"\n",
        carol!()
    ));
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for ");
    let play = || {
        play_to_the_end(
            ["carol:a word of hers", "dave:another word"].map(|name| remote_bot(&address, "?", Some(name))),
        );
    };
    play();
    let target = Target::new(&address, true, running.child.id());
    for attack in ATTACKS {
        target.withstand(attack, play);
    }
    for _ in ATTACKS.len() + 1..2 * rounds {
        play();
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 2 * rounds);
    assert!(results.iter().all(|row| row["termination"] == "normal"), "{results:?}");
}

/// A new player from another host is admitted even if the server has hardly any descriptors left.
#[test]
fn a_player_from_another_host_gets_in_even_with_few_descriptors() {
    let mut shell = Command::new("sh");
    let program = program();
    shell.args(["-c", "ulimit -n 64; exec \"$0\" serve --port 0 --games 0 --time 20s", program]);
    let server = Server::spawn(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let address = server.address();
    let play = || play_to_the_end(["black", "white"].map(|side| remote_bot(address, side, None)));
    play();
    let target = Target::new(address, false, server.pid());
    let few = Attack { words: "a thousand silent connections", run: |scene| silence(1_000, scene) };
    target.withstand(few, play);
}

/// The misbehaviour of a player once it is seated, and the resulting termination.
const VILLAINIES: [(&str, &str); 4] =
    [("flood", "protocol"), ("flood out of turn", "protocol"), ("drip", "time"), ("half-close", "disconnect")];

#[test]
fn a_misbehaving_remote_player_harms_only_itself() {
    let arena = Arena::new(
        r#"
        time = "2s"
        rounds = 2
        concurrency = 2
        quit_timeout = "500ms"
        listen = "127.0.0.1:0"
        [[player]]
        name = "villain"
        remote = true
        token = "a word of hers"
        [[player]]
        name = "good"
        builtin = "greedy"
        [[player]]
        name = "fair"
        builtin = "random"
        "#,
    );
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for ");
    let mut endings = Vec::new();
    for number in 0..8 {
        let (action, ending) = VILLAINIES[number % VILLAINIES.len()];
        endings.push(ending);
        misbehave(action, Client::connect(&address, "0.9.1 player ? \"villain:a word of hers\""));
    }
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let results = arena.results();
    assert_eq!(results.len(), 12);
    let mut found = Vec::new();
    for row in &results {
        if row["black"] == "villain" || row["white"] == "villain" {
            assert_eq!(row[&row["at_fault"]], "villain", "{row:?}");
            found.push(row["termination"].as_str());
        } else {
            assert_eq!(row["termination"], "normal", "{row:?}");
        }
    }
    found.sort_unstable();
    endings.sort_unstable();
    assert_eq!(found, endings);
}

/// Lets `villain` take its seat, misbehave with the action `action`, and wait for the end of its game.
fn misbehave(action: &str, mut villain: Client) {
    villain.hear("35");
    let stream = villain.stream();
    match action {
        // The villain never reads anything, either.
        "flood" => attacks::write_until_cut_off(stream, b"9 nonsense\r"),
        "flood out of turn" => attacks::write_until_cut_off(stream, b"\0\xff\xfe what?\r\n"),
        "drip" => attacks::drip_until_cut_off(stream),
        _ => {
            stream.shutdown(Shutdown::Write).expect("an open stream");
            assert!(villain.rest().contains("disconnected"));
        }
    }
}

#[test]
fn observers_are_limited_and_leaving_ones_make_room() {
    raise_open_files();
    let server = Server::start(&["--time", "20s"]);
    let observe = || {
        let mut observer = server.client("0.9.1 observer");
        observer.hear("000");
        let answer = observer.line();
        (observer, answer)
    };
    let mut seated: Vec<_> = (0..256).map(|_| observe()).collect();
    assert!(seated.iter().all(|(_, answer)| answer.starts_with("101 ")));
    assert!(observe().1.starts_with("193 "));
    seated.truncate(200);
    let (_late, answer) = observe();
    assert!(answer.starts_with("101 "), "{answer}");
    play_to_the_end(["black", "white"].map(|side| remote_bot(server.address(), side, None)));
}
