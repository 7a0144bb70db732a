//! Workers whose answers and acknowledgements come after something else has happened.

use async_nats::jetstream;
use futures_util::StreamExt as _;

use super::*;
use crate::harness::arena::{Ready, waits};
use crate::harness::waiting::PAUSE;

/// A tournament of `rounds` rounds, in each of which two games stop in the middle if the bots know the variable READY.
fn held_games(rounds: u32) -> Arena {
    let greedy = "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n";
    Arena::new(&format!("pass_env = [\"READY\"]\nrounds = {rounds}\n{greedy}{}", waits!()))
}

/// Starts a worker whose games stop in the middle.
fn holding_worker(broker: &Broker, arena: &Arena, ready: &Ready) -> Running {
    Arena::started(broker.worker_command(arena, "holding").env("READY", ready.port().to_string()))
}

#[test]
fn a_worker_whose_answer_comes_after_the_end_of_its_run_is_free_for_the_next() {
    let Some(broker) = Broker::start() else { return };
    let (arena, ready) = (held_games(1), Ready::new());
    let mut late = holding_worker(&broker, &arena, &ready);
    let run = broker.coordinate(&arena);
    let (_pid, hold) = ready.next();
    late.signal(Signal::STOP);
    let _other = broker.worker(&arena, "other");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    late.signal(Signal::CONT);
    drop(hold);
    late.hear("has ended");
}

/// Waits until the broker has `number` jobs.
fn wait_for_jobs(broker: &Broker, number: u64) {
    let (runtime, client) = broker.client();
    let is_there = async {
        let context = jetstream::new(client);
        loop {
            let mut streams = context.streams();
            while let Some(Ok(stream)) = streams.next().await {
                if stream.config.name.ends_with("-jobs") && stream.state.messages == number {
                    return;
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    runtime
        .block_on(async { tokio::time::timeout(TIMEOUT, is_there).await })
        .unwrap_or_else(|_| panic!("there are not {number} jobs"));
}

/// After the broker has lost its files, its messages are numbered from 1 again, so a worker may acknowledge a job under
/// a number that another job has by now. The broker then removes that job, although nobody has played it.
#[test]
fn a_job_that_an_old_acknowledgement_has_removed_is_published_again() {
    let Some(mut broker) = Broker::start() else { return };
    let (arena, ready) = (held_games(2), Ready::new());
    let _holding = holding_worker(&broker, &arena, &ready);
    let mut run = broker.coordinate(&arena);
    drop(ready.next());
    run.hear("1/4] ");
    // This game's job has the number 2. At the new broker, this is the number of the next game's job.
    let (_pid, hold) = ready.next();
    broker.restart(false);
    wait_for_jobs(&broker, 3);
    drop(hold);
    run.hear("2/4] ");
    // The first worker plays its second game again, and is held in the middle.
    let (_pid, _hold) = ready.next();
    let _other = broker.worker(&arena, "other");
    let (code, stderr) = run.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert_as_alone(&arena);
}
