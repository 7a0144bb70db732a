//! The probes that make sense as remote players, in a tournament and with `serve`. A probe loses for the same reason as
//! elsewhere, which shows that it does not lose because of confinement.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use gothello_arena::game::Side;
use gothello_arena::referee::record::GameRecord;

use super::stage::{HONEST_GAMES, among_honest, disturbed, head, usual_delay};
use super::table::{PROBES, Probe, Terms};
use super::{GRACE, STARTS, probe};
use crate::harness::arena::{Arena, remote_bot, text};
use crate::harness::waiting::{InTime as _, Owned};
use crate::referee::serve::Server;

const TOKEN: &str = "word of";

/// How many servers run at a time.
const SERVERS: usize = 6;

fn remote_probes() -> Vec<(&'static Probe, &'static str)> {
    PROBES.iter().filter_map(|probe| Some((probe, probe.remote?))).collect()
}

/// A probe that connects without having been started by the arena.
fn stranger(mode: &str, side: &str, address: &str, name: Option<&str>) -> Owned {
    let (host, port) = address.rsplit_once(':').expect("an address");
    let mut command = Command::new(probe());
    command.args([mode, side, host, port]).envs(name.map(|name| ("PROBE_NAME", name)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).start().expect("it starts")
}

/// The fault in how the probe's game ended, if there is one.
fn faults(probe: &Probe, ends: &str, record: &GameRecord, side: Side) -> Option<String> {
    let result = record.result.as_ref().expect("not void");
    let (termination, reason) = (result.termination().to_string(), result.reason().unwrap_or_default());
    // The arena knows how a local program ended, but not how a remote player did.
    let reason_holds = ends != probe.ends || reason.contains(probe.reason);
    let fault_holds = termination == "normal" || result.fault().is_on(side);
    (termination != ends || !reason_holds || !fault_holds)
        .then(|| format!("{}, {side}: ended with {termination}: {reason}", probe.mode))
}

#[test]
fn remote_probes_end_as_documented_in_a_tournament() {
    for terms in Terms::ALL {
        let mut probes = remote_probes();
        probes.retain(|(probe, _)| probe.terms == terms);
        if !probes.is_empty() {
            play(terms, &probes);
        }
    }
}

/// Plays `probes` in one tournament with the honest bots.
fn play(terms: Terms, probes: &[(&Probe, &str)]) {
    let players = probes
        .iter()
        .map(|(probe, _)| format!("[[player]]\nname = \"{0}\"\nremote = true\ntoken = \"{TOKEN} {0}\"\n", probe.mode));
    let mut toml = "listen = \"127.0.0.1:0\"\njoin_timeout = \"60s\"\n".to_owned();
    write!(toml, "{}{}", head("off", terms), among_honest(&players.collect::<Vec<_>>()))
        .expect("writing to a string does not fail");
    let arena = Arena::new(&toml);
    let mut running = arena.start(None);
    let address = running.hear_address("waiting for ");
    let strangers: Vec<Owned> = probes
        .iter()
        .flat_map(|(probe, _)| {
            let name = format!("{0}:{TOKEN} {0}", probe.mode);
            [(); 2].map(|()| stranger(probe.mode, "?", &address, Some(&name)))
        })
        .collect();
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    drop(strangers);
    let rows = arena.results();
    assert_eq!(rows.len(), 2 * probes.len() + HONEST_GAMES);
    assert_eq!(disturbed(&rows, terms), <[[String; 4]; 0]>::default());
    // On a busy machine, the arena may wake up late, by as much as the time that several starts take. The same applies
    // to the probes that it starts itself.
    let most = terms.time.map(|time| time + GRACE + STARTS * usual_delay(&arena));
    let mut wrong = Vec::new();
    for &(probe, ends) in probes {
        for row in &rows {
            let Some(side) = Side::BOTH.into_iter().find(|side| row[&side.to_string()] == probe.mode) else { continue };
            let record = arena.record(&row["game"]);
            wrong.extend(faults(probe, ends, &record, side));
            if most.is_some_and(|most| record.used(side) > most) {
                wrong.push(format!("{}, {side}: the time that it used was {:?}", probe.mode, record.used(side)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn remote_probes_end_as_documented_with_serve() {
    let waiting = Mutex::new(remote_probes());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..SERVERS {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().expect("no panic").pop();
                    let Some((probe, ends)) = next else { return };
                    let record = serve(probe);
                    let faults = faults(probe, ends, &record, Side::Black);
                    wrong.lock().expect("no panic").extend(faults);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plays the probe as black against an honest bot.
fn serve(probe: &Probe) -> GameRecord {
    let logs = tempfile::tempdir().expect("a directory");
    let time = probe.terms.time.map_or("0".to_owned(), |time| format!("{}s", time.as_secs()));
    let logs_path = logs.path().display().to_string();
    // The limits on illegal moves and garbled lines are those of a tournament; without them, the clock would end every
    // game.
    let tries = ["--illegal-tries", "20", "--garbled-tries", "10"];
    let server = Server::start(&[&["--time", &time, "--log", &logs_path][..], &tries].concat());
    let honest = remote_bot(server.address(), "white", None);
    let stranger = stranger(probe.mode, "black", server.address(), None);
    let (code, printed) = server.end();
    assert_eq!(code, Some(0), "{}: {printed}", probe.mode);
    let honest = honest.wait_with_output().expect("it ends");
    assert!(honest.status.success(), "{}: {}", probe.mode, text(&honest.stderr));
    drop(stranger);
    only_log(logs.path())
}

fn only_log(dir: &Path) -> GameRecord {
    let mut logs = fs::read_dir(dir).expect("there").map(|entry| entry.expect("an entry").path());
    let (Some(log), None) = (logs.next(), logs.next()) else { panic!("expected a single log in {}", dir.display()) };
    fs::read_to_string(log).expect("read").parse().expect("a log")
}
