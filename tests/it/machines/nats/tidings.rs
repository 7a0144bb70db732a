//! A coordinator's reports about its broker: each problem once, with its consequences for the run.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener};
use std::process::Stdio;
use std::time::Instant;

use async_nats::jetstream;
use futures_util::StreamExt as _;

use super::*;
use crate::harness::arena::TIMEOUT;
use crate::harness::waiting::{InTime as _, Owned, accepted, connected, pause};

/// A coordinator whose stderr goes to a file, so that every line of it can be counted.
struct Coordinator<'a> {
    arena: &'a Arena,
    child: Owned,
}

impl<'a> Coordinator<'a> {
    fn start(broker: &Broker, arena: &'a Arena) -> Self {
        Self::start_at(broker.port, arena)
    }

    fn start_at(port: u16, arena: &'a Arena) -> Self {
        let url = format!("nats://127.0.0.1:{port}");
        let words = ["run", "class.toml", "--out", "out", "--nats", &url, "--isolation", "off", "--slots", "0"];
        let stderr = File::create(arena.path().join("stderr")).expect("made");
        let child = arena.command(&words).stdout(Stdio::null()).stderr(stderr).start().expect("it starts");
        Self { arena, child }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.arena.path().join("stderr")).expect("there")
    }

    /// Waits until the coordinator has printed `what`.
    fn wait_for(&mut self, what: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.said().contains(what) {
            let has_ended = self.child.try_wait().expect("asked").is_some();
            assert!(!has_ended && Instant::now() < deadline, "the output does not contain `{what}`:\n{}", self.said());
            pause();
        }
    }

    /// Waits for the coordinator to end. Returns all lines about the broker and the connection to it.
    fn end(mut self) -> Vec<String> {
        let deadline = Instant::now() + TIMEOUT;
        let code = loop {
            if let Some(ended) = self.child.try_wait().expect("asked") {
                break ended.code();
            }
            assert!(Instant::now() < deadline, "it did not end:\n{}", self.said());
            pause();
        };
        let said = self.said();
        assert_eq!(code, Some(0), "{said}");
        said.lines().filter(|line| line.contains("broker")).map(str::to_owned).collect()
    }
}

#[test]
fn a_refusal_of_the_broker_is_reported_once() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 12", 3));
    let _worker = broker.worker(&arena, "one");
    let mut run = Coordinator::start(&broker, &arena);
    run.wait_for("2/72] ");
    let (runtime, client) = broker.client();
    runtime.block_on(async {
        let context = jetstream::new(client);
        let mut names = context.stream_names();
        let mut deleted = 0;
        while let Some(name) = names.next().await {
            let name = name.expect("a name");
            if name.ends_with("-jobs") {
                context.delete_stream(name).await.expect("deleted");
                deleted += 1;
            }
        }
        assert_eq!(deleted, 1);
    });
    let told = run.end();
    assert_eq!(told.len(), 1, "{told:#?}");
    let line = &told[0];
    assert!(line.contains("broker error: a job cannot be published: "), "{line}");
    assert!(line.contains("games continue with"), "{line}");
    assert_as_alone(&arena);
}

#[test]
fn a_killed_broker_is_reported_once_and_so_is_its_return() {
    let Some(mut broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 12", 3));
    let _worker = broker.worker(&arena, "one");
    let mut run = Coordinator::start(&broker, &arena);
    run.wait_for("2/72] ");
    broker.server.kill().expect("it runs");
    run.wait_for("the connection to the broker is lost");
    broker.restart(true);
    run.wait_for("the broker is back");
    let told = run.end();
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].contains("the connection to the broker is lost; games continue with"), "{told:#?}");
    assert!(told[1].contains("the broker is back"), "{told:#?}");
    assert_as_alone(&arena);
}

/// Forwards two connections to `broker`, one after the other, and returns the port for them. The first one is broken when
/// the client sends `word` over it.
fn relayed(broker: &Broker, word: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let (port, behind) = (listener.local_addr().expect("bound").port(), broker.port);
    std::thread::spawn(move || {
        for breaks in [true, false] {
            let mut client = accepted(&listener, "the coordinator");
            let mut server = connected(("127.0.0.1", behind));
            let [mut from, mut to] = [&server, &client].map(|stream| stream.try_clone().expect("another handle"));
            std::thread::spawn(move || io::copy(&mut from, &mut to));
            let (mut sent, mut buffer) = (Vec::new(), [0; 4096]);
            while let Ok(length @ 1..) = client.read(&mut buffer) {
                sent.extend(&buffer[..length]);
                if breaks && String::from_utf8_lossy(&sent).contains(word) {
                    break;
                }
                server.write_all(&buffer[..length]).expect("sent");
            }
            // The coordinator may have closed the connection itself.
            let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Both));
        }
    });
    port
}

/// Otherwise, a broker that is started again while a run begins would end the run.
#[test]
fn a_connection_that_breaks_while_the_run_is_set_up_is_only_reported() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 1", 1));
    let _worker = broker.worker(&arena, "one");
    let told = Coordinator::start_at(relayed(&broker, "STREAM.CREATE"), &arena).end();
    assert!(told[0].contains("the connection to the broker is lost; games continue with"), "{told:#?}");
    assert!(told[1..] == ["gothello-arena: the broker is back"], "{told:#?}");
    assert_as_alone(&arena);
}

#[test]
fn a_connection_that_breaks_while_the_run_is_removed_leaves_nothing_at_the_broker() {
    let Some(broker) = Broker::start() else { return };
    let arena = Arena::new(&field("rounds = 1", 1));
    let _worker = broker.worker(&arena, "one");
    let told = Coordinator::start_at(relayed(&broker, "STREAM.DELETE"), &arena).end();
    assert_eq!(told.len(), 2, "{told:#?}");
    let (runtime, client) = broker.client();
    let names: Vec<String> = runtime.block_on(async {
        let context = jetstream::new(client);
        context.stream_names().map(|name| name.expect("a name")).collect().await
    });
    assert!(!names.is_empty() && names.iter().all(|name| !name.starts_with("gothello-")), "{names:?}");
    assert_as_alone(&arena);
}
