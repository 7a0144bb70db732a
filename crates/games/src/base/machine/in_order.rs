//! Distributes work over all cores, and yields the results in the order of the items.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism};

/// The maximum number of items per thread whose results have not been consumed yet.
const AHEAD: usize = 2;

/// Runs `work` for each of `items` on one thread per core, and passes the results to `take` in the order of the items.
/// The items are produced, and their results consumed, on this thread. Only a few items exist at the same time. If the
/// machine has no threads left, the work is done on this thread.
///
/// # Errors
/// Returns the first error of `take`, after which no more items are produced.
pub fn in_order<T: Send, U: Send, E>(
    mut items: impl Iterator<Item = T>,
    work: impl Fn(T) -> U + Sync,
    mut take: impl FnMut(U) -> Result<(), E>,
) -> Result<(), E> {
    let cores = available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let mut workers: Vec<OrderedWorker<'_, T, U>> =
            (0..cores).map_while(|_| OrderedWorker::start(scope, &work)).collect();
        if workers.is_empty() {
            return items.try_for_each(|item| take(work(item)));
        }
        let threads = workers.len();
        let (mut given, mut taken) = (0, 0);
        loop {
            while given < taken + AHEAD * threads
                && let Some(item) = items.next()
            {
                workers[given % threads].give(item);
                given += 1;
            }
            if taken == given {
                return Ok(());
            }
            take(workers[taken % threads].result())?;
            taken += 1;
        }
    })
}

/// A thread that processes one item after another.
struct OrderedWorker<'scope, T, U> {
    items: SyncSender<T>,
    results: Receiver<U>,
    thread: Option<ScopedJoinHandle<'scope, ()>>,
}

impl<'scope, T: Send + 'scope, U: Send + 'scope> OrderedWorker<'scope, T, U> {
    /// Starts a thread for `work`; `None` if the machine has no threads left.
    fn start<'env>(scope: &'scope Scope<'scope, 'env>, work: &'env (impl Fn(T) -> U + Sync)) -> Option<Self> {
        let (items, given) = sync_channel(AHEAD);
        let (done, results) = sync_channel(AHEAD);
        let run = move || {
            for item in given {
                // The results of items after an error are not consumed.
                if done.send(work(item)).is_err() {
                    return;
                }
            }
        };
        let thread = Some(Builder::new().spawn_scoped(scope, run).ok()?);
        Some(Self { items, results, thread })
    }

    fn give(&mut self, item: T) {
        if self.items.send(item).is_err() {
            self.panic();
        }
    }

    /// Waits for the result of the oldest item whose result has not been consumed.
    fn result(&mut self) -> U {
        match self.results.recv() {
            Ok(result) => result,
            Err(_) => self.panic(),
        }
    }

    /// Resumes the panic that ended the thread.
    fn panic(&mut self) -> ! {
        match self.thread.take().map(ScopedJoinHandle::join) {
            Some(Err(panic)) => resume_unwind(panic),
            _ => unreachable!("the thread ends only after its items, or by a panic"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn results_come_in_the_order_of_the_items_until_an_error(items: Vec<u8>, last: Option<u8>) {
            let mut taken = Vec::new();
            let ended = in_order(items.iter(), |&item| u32::from(item), |result| {
                taken.push(result);
                if Some(result) == last.map(u32::from) { Err(result) } else { Ok(()) }
            });
            let end = last.and_then(|last| items.iter().position(|&item| item == last));
            prop_assert_eq!(ended, end.map_or(Ok(()), |end| Err(u32::from(items[end]))));
            let expected = &items[..end.map_or(items.len(), |end| end + 1)];
            prop_assert!(taken.into_iter().eq(expected.iter().copied().map(u32::from)));
        }
    }

    #[test]
    fn only_a_few_items_exist_at_a_time() {
        let made = std::cell::Cell::new(0_usize);
        let most = AHEAD * available_parallelism().map_or(1, usize::from);
        let items = (0..100_usize).inspect(|number| made.set(number + 1));
        let ended: Result<(), ()> = in_order(
            items,
            |number| number,
            |number| {
                assert!(made.get() <= number + most);
                Ok(())
            },
        );
        assert_eq!((ended, made.get()), (Ok(()), 100));
    }

    #[test]
    fn a_panic_in_the_work_reaches_the_caller() {
        let work = |item: u8| assert!(item != 3, "in the work");
        let panicking = AssertUnwindSafe(|| in_order(0..9, work, Ok::<_, ()>));
        let panic = catch_unwind(panicking).expect_err("it panics");
        assert_eq!(panic.downcast_ref(), Some(&"in the work"));
    }
}
