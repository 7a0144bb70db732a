//! Threads that share long work.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::Scope;
use std::time::Duration;

/// How often to report progress.
const TICK: Duration = Duration::from_millis(200);

/// The maximum number of threads that a user may request. Operating systems may refuse to start more.
pub const MOST_THREADS: usize = 256;

/// The number of threads that the user has requested, or by default two if there are two cores: in measurements, more
/// threads did not help.
pub fn threads_or_two(wanted: Option<NonZeroUsize>) -> NonZeroUsize {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    wanted.unwrap_or_else(|| cores.min(NonZeroUsize::MIN.saturating_add(1)))
}

/// Threads that share parcels of work.
#[derive(Clone, Copy, Debug)]
pub struct Sharers<'s> {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The flag that stops all threads once it is raised.
    pub stop: &'s AtomicBool,
}

impl Sharers<'_> {
    /// Processes `count` parcels, numbered from 0. In the meantime, `tick` is called on this thread several times a
    /// second, with the number of parcels that have been started. Returns whether all parcels were processed: once
    /// `stop` is raised, no further parcels are started.
    pub fn share_out(&self, count: usize, mut tick: impl FnMut(usize), work: impl Fn(usize) + Sync) -> bool {
        let next = AtomicUsize::new(0);
        let worker = |_until_done: Sender<()>| {
            while !self.stop.load(Ordering::Relaxed) {
                let parcel = next.fetch_add(1, Ordering::Relaxed);
                if parcel >= count {
                    break;
                }
                work(parcel);
            }
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            start_threads(scope, self.threads, &sender, &worker);
            drop(sender);
            while receiver.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tick(next.load(Ordering::Relaxed).min(count));
            }
        });
        !self.stop.load(Ordering::Relaxed)
    }
}

/// Runs `work` on `threads` threads, or on as many as the system can start; if it cannot start any, on this thread.
pub(super) fn start_threads<'scope, M: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: NonZeroUsize,
    sender: &Sender<M>,
    work: &'scope (impl Fn(Sender<M>) + Sync),
) {
    for number in 0..threads.get() {
        let theirs = sender.clone();
        if std::thread::Builder::new().spawn_scoped(scope, move || work(theirs)).is_err() {
            if number == 0 {
                work(sender.clone());
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    #[test]
    fn each_parcel_is_done_once() {
        let done = Mutex::new(Vec::new());
        let stop = AtomicBool::new(false);
        let note = |parcel| done.lock().expect("no thread panics").push(parcel);
        assert!(Sharers { threads: TWO, stop: &stop }.share_out(1000, |_| (), note));
        let mut done = done.into_inner().expect("no thread panics");
        done.sort_unstable();
        assert_eq!(done, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_raised_stop_ends_the_work() {
        let (begun, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            stop.store(true, Ordering::Relaxed);
        };
        assert!(!Sharers { threads: TWO, stop: &stop }.share_out(1000, |_| (), work));
        assert!((1..=TWO.get()).contains(&begun.into_inner()));
    }
}
