//! Runs proofs off the game's thread, so that other games on the same thread can continue.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::machine;
use crate::exact::adjudication::Case;
use crate::exact::tablebase::cached;
use crate::game::Outcome;

/// An attempt at a proof. Dropping it aborts it.
pub type Attempt = Pin<Box<dyn Future<Output = Option<Outcome>> + Send>>;

/// How proofs are attempted: on separate threads, except in tests.
#[derive(Clone, Copy)]
pub struct Prover<'a>(&'a (dyn Fn(Case) -> Attempt + Sync));

impl<'a> Prover<'a> {
    /// A prover that starts attempts using `begin`.
    pub const fn new(begin: &'a (dyn Fn(Case) -> Attempt + Sync)) -> Self {
        Self(begin)
    }

    /// Starts an attempt at `case`.
    pub(super) fn begin(self, case: Case) -> Attempt {
        (self.0)(case)
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

/// Attempts a proof on a separate thread.
fn on_another_thread(case: Case) -> Attempt {
    away(move |given_up| {
        let table = case.needed_table().and_then(cached);
        case.prove(table.as_ref(), given_up)
    })
}

/// Runs `work` on a separate thread. `work` must check regularly whether it has been aborted.
fn away(work: impl FnOnce(&AtomicBool) -> Option<Outcome> + Send + 'static) -> Attempt {
    Box::pin(async move {
        let attempt = GivenUpWithIt::default();
        let given_up = Arc::clone(&attempt.0);
        machine::away(move || work(&given_up)).await
    })
}

/// When dropped, informs the thread that its result is no longer needed.
#[derive(Default)]
struct GivenUpWithIt(Arc<AtomicBool>);

impl Drop for GivenUpWithIt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_thread_learns_that_nobody_is_waiting_any_more() {
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
            _ = &mut attempt => panic!("it does not end on its own"),
            () = yield_now() => drop(attempt),
        }
        assert_eq!(heard.await, Ok(true));
    }
}
