//! A coordinator's reports about its broker: each problem once, with its consequences for the run.

use std::fs::File;
use std::process::Stdio;
use std::time::Instant;

use async_nats::jetstream;
use futures_util::StreamExt as _;

use super::*;
use crate::harness::arena::TIMEOUT;
use crate::harness::waiting::{InTime as _, Owned, pause};

/// A coordinator whose stderr goes to a file, so that every line of it can be counted.
struct Coordinator<'a> {
    arena: &'a Arena,
    child: Owned,
}

impl<'a> Coordinator<'a> {
    fn start(broker: &Broker, arena: &'a Arena) -> Self {
        let url = broker.url();
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
