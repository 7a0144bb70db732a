//! Games in which a thread tries to prove the outcome.

use super::super::{Attempt, Prover};
use super::*;
use crate::base::stop::StopSignal;
use crate::exact::adjudication::{Adjudication, Case};
use crate::game::Outcome;
use crate::referee::result::{GameEnd, GameResult};

/// Terms under which a proof of the outcome is attempted after every move.
fn adjudicated(seconds: u64) -> Terms {
    Terms { adjudicate: Adjudication::new(1_000, 0), ..terms(seconds) }
}

/// Records that it was dropped.
struct Dropped<'a>(&'a AtomicU64);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A game whose proofs are attempted by `prover`, and which `stop` aborts.
async fn play_proving(
    terms: Terms,
    seats: &mut SeatedPlayers,
    prover: Prover<'_>,
    stop: &mut StopSignal,
) -> Option<Finished> {
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around =
        Surroundings { prover, ..Surroundings::new(&mut observers, stop, &mut lateness, SleepWatch::new(&AWAKE)) };
    take_turns(Referee::new(terms), seats, around).await
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_proof_is_charged_to_nobody() {
    let (mut seats, mut black, mut white) = table(4096);
    // An attempt takes far longer than the clocks allow; the second one succeeds.
    let slow = |case: Case| -> Attempt {
        Box::pin(async move {
            sleep_until(now() + 50 * SECOND).await;
            let is_second = case.position().to_string().contains(Side::White.letter());
            is_second.then_some(Outcome { winner: Some(Side::White), margin: None })
        })
    };
    let start = now();
    let players = async {
        black.hear("352 ").await;
        sleep_until(now() + SECOND / 2).await;
        black.say("1 c3\r").await;
        white.hear("313 1 c3 1 ").await;
        assert_eq!(now() - start, SECOND / 2 + 50 * SECOND, "the outcome is announced when the attempt is over");
        sleep_until(now() + SECOND).await;
        white.say("1 ... d4\r").await;
        white.hear("201 Move d4 accepted, You win").await;
        white.hear("323 1 ... d4 and white wins").await;
        black.hear("323 1 ... d4 and white wins").await;
    };
    let (_sender, mut stop) = stop::channel();
    let (finished, ()) = tokio::join!(play_proving(adjudicated(2), &mut seats, Prover::new(&slow), &mut stop), players);
    let finished = finished.expect("it is not stopped");
    let times: Vec<_> = finished.plies.iter().map(|ply| (ply.elapsed, ply.left)).collect();
    let millis = |millis| Some(Duration::from_millis(millis));
    assert_eq!(times, [(millis(500), millis(1_500)), (millis(1_000), millis(1_000))]);
    assert_eq!(
        finished.result,
        Ok(GameEnd::Two(GameResult::adjudicated(Outcome { winner: Some(Side::White), margin: None })))
    );
    // This was not a real proof, which is detected when the proof is repeated.
    assert!(check(&record(finished)).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_proof_is_given_up_when_the_run_is_stopped_and_when_a_player_leaves() {
    for stopped in [true, false] {
        let (mut seats, mut black, mut white) = table(4096);
        let (begun, dropped) = (&*Box::leak(Box::new(AtomicU64::new(0))), &*Box::leak(Box::new(AtomicU64::new(0))));
        let endless = |_: Case| -> Attempt {
            begun.fetch_add(1, Relaxed);
            let guard = Dropped(dropped);
            Box::pin(async move {
                let _guard = guard;
                std::future::pending().await
            })
        };
        let (sender, mut stop) = stop::channel();
        let players = async {
            black.hear("352 ").await;
            black.say("1 c3\r").await;
            while begun.load(Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(dropped.load(Relaxed), 0);
            if stopped {
                sender.raise(Stop::Now);
            } else {
                drop(black);
                white.hear("313 1 c3 ").await;
                white.hear("391 Black disconnected").await;
            }
        };
        let game = play_proving(adjudicated(2), &mut seats, Prover::new(&endless), &mut stop);
        let (finished, ()) = tokio::join!(game, players);
        assert_eq!((begun.load(Relaxed), dropped.load(Relaxed)), (1, 1));
        match finished {
            None => assert!(stopped),
            Some(finished) => {
                assert!(!stopped && finished.plies.len() == 1);
                assert_eq!(ending(finished), (Termination::Disconnect, Some(Side::Black)));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lines_sent_before_the_end_of_a_connection_during_a_proof_are_judged() {
    let slow = |_: Case| -> Attempt {
        Box::pin(async move {
            sleep_until(now() + 50 * SECOND).await;
            None
        })
    };
    let (mut seats, mut black, mut white) = table(4096);
    let (_sender, mut stop) = stop::channel();
    let players = async {
        black.hear("352 ").await;
        black.say("1 c3\r").await;
        sleep_until(now() + SECOND).await;
        white.say("1 ... d4\r").await;
        white.stream.shutdown().await.expect("shut down");
        black.hear("314 1 ... d4 ").await;
        black.say("2 e3\r").await;
        black.hear("392 White disconnected").await;
    };
    let game = play_proving(adjudicated(2), &mut seats, Prover::new(&slow), &mut stop);
    let (finished, ()) = tokio::join!(game, players);
    let finished = finished.expect("it is not stopped");
    assert_eq!(finished.plies.len(), 3);
    assert_eq!(ending(finished), (Termination::Disconnect, Some(Side::White)));
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_tries_a_proof_keeps_no_other_game_waiting() {
    // The first move does not decide anything that could be proven this early.
    let terms = Terms { adjudicate: Adjudication::new(10_000_000, 0), ..terms(2) };
    let (mut seats, mut black, _white) = table(4096);
    let (sender, mut stop) = stop::channel();
    let turns = AtomicU64::new(0);
    let players = async {
        black.hear("352 You will play black\r\n").await;
        black.say("1 c3\r").await;
        // The attempt takes the solver far longer than these steps.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
            turns.fetch_add(1, Relaxed);
        }
        tokio::select! {
            biased;
            () = black.hear("207 ") => panic!("everything else has waited for the attempt"),
            () = tokio::task::yield_now() => {}
        }
        sender.raise(Stop::Now);
    };
    let game = play_proving(terms, &mut seats, Prover::default(), &mut stop);
    let (finished, ()) = tokio::join!(game, players);
    assert_eq!((finished, turns.load(Relaxed)), (None, 1_000));
}
