//! Proofs away from the game's thread: while one is tried, other games of the same thread go on.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::turns::{Heard, Seat, departure, next_input};
use crate::base::machine;
use crate::exact::adjudication::Adjudication;
use crate::exact::solver::Value;
use crate::game::rules::BySide;
use crate::game::rules::gothello::Game;
use crate::host::line::Input;
use crate::referee::sans_io::{Arrival, Referee, Sayings};

/// A proof that is being tried; dropped, it is given up.
pub type Attempt = Pin<Box<dyn Future<Output = Option<Value>> + Send>>;

/// What tries proofs: threads of their own, but for tests.
#[derive(Clone, Copy)]
pub struct Prover<'a>(&'a (dyn Fn(Adjudication, Game) -> Attempt + Sync));

impl<'a> Prover<'a> {
    /// Tries proofs by `begin`.
    pub const fn new(begin: &'a (dyn Fn(Adjudication, Game) -> Attempt + Sync)) -> Self {
        Self(begin)
    }
}

impl Default for Prover<'_> {
    fn default() -> Self {
        Self(&on_another_thread)
    }
}

impl fmt::Debug for Prover<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Prover")
    }
}

/// Tries a proof on a thread of its own.
fn on_another_thread(terms: Adjudication, game: Game) -> Attempt {
    away(move |given_up| terms.prove(&game, given_up))
}

/// Lets a thread of its own do `work`, which is to look whether it is given up.
fn away(work: impl FnOnce(&AtomicBool) -> Option<Value> + Send + 'static) -> Attempt {
    Box::pin(async move {
        let attempt = GivenUpWithIt::default();
        let given_up = Arc::clone(&attempt.0);
        machine::away(move || work(&given_up)).await
    })
}

/// Tells the thread, when it is dropped, that nobody waits any more.
#[derive(Default)]
struct GivenUpWithIt(Arc<AtomicBool>);

impl Drop for GivenUpWithIt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tries to prove what the move just made comes to, and so each that was sent early behind it, and returns what there is to
/// say. `None` when `stopped` is ready first.
///
/// No clock runs: the turn of whoever is to move begins when it is told. The lines that come meanwhile are kept, and whoever
/// leaves ends the game, without a proof; but not a player that has lines ahead of its turn, which are judged first.
pub(super) async fn settle(
    referee: &mut Referee,
    seats: &mut BySide<Seat>,
    prover: Prover<'_>,
    heard: &mut Heard,
    mut stopped: Pin<&mut impl Future<Output = ()>>,
) -> Option<Sayings> {
    let mut said = Sayings::default();
    while let Some((terms, game)) = referee.to_prove() {
        let mut attempt = (prover.0)(terms, game);
        while referee.to_prove().is_some() {
            let say = tokio::select! {
                biased;
                () = &mut stopped => return None,
                found = &mut attempt => {
                    said.append_all(referee.proven(found));
                    break;
                }
                (side, input) = next_input(seats, referee.to_move(), heard.ended) => match input {
                    Input::Line(line, _) => referee.receive(side, line, Arrival::default()),
                    Input::Closed if referee.has_kept(side) => {
                        heard.ended[side] = true;
                        continue;
                    }
                    Input::Closed => {
                        let how = departure(side, &mut seats[side]).await;
                        referee.departed(side, how, Duration::ZERO)
                    }
                },
            };
            said.append_all(say);
        }
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn a_thread_hears_that_nobody_waits_any_more() {
        let (sender, heard) = oneshot::channel();
        let mut attempt = away(move |given_up| {
            let begin = std::time::Instant::now();
            while !given_up.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_secs(20) {
                std::thread::yield_now();
            }
            let _ = sender.send(given_up.load(Ordering::Relaxed));
            None
        });
        tokio::select! {
            biased;
            _ = &mut attempt => panic!("it does not end by itself"),
            () = yield_now() => drop(attempt),
        }
        assert_eq!(heard.await, Ok(true));
    }
}
