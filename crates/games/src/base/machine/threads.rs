//! Runs work on a separate thread, on a machine that may have no threads left.

use std::future::pending;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use tokio::sync::oneshot;

/// Starts `work` on a separate thread. The future returns the value of `work`; if `work` panics, the panic is resumed
/// in the task that awaits the future.
///
/// # Errors
/// Returns an error if the machine has no thread left.
pub fn on_thread<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(
    work: W,
) -> io::Result<impl Future<Output = T> + Send + use<T, W>> {
    let (done, result) = oneshot::channel();
    let run = move || {
        // If the receiver is gone, the value is no longer needed.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    };
    Builder::new().spawn(run)?;
    Ok(async move {
        match result.await {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => resume_unwind(panic),
            // This cannot happen: the thread always sends a value before it ends.
            Err(_) => pending().await,
        }
    })
}

/// Runs `work` on a separate thread, or on this one if the machine has no thread left.
pub async fn away<T: Send + 'static, W: FnOnce() -> T + Send + 'static>(work: W) -> T {
    let shared = Arc::new(Mutex::new(Some(work)));
    let take = |shared: &Mutex<Option<W>>| shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    let theirs = Arc::clone(&shared);
    let value = match on_thread(move || take(&theirs).map(|work| work())) {
        Ok(done) => done.await,
        Err(_) => take(&shared).map(|work| work()),
    };
    match value {
        Some(value) => value,
        // This cannot happen: exactly one of the two threads takes the work.
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_and_its_panics_reach_the_caller() {
        assert_eq!(away(|| 7).await, 7);
        let panicking = tokio::spawn(away(|| panic!("in the work")));
        let panic = panicking.await.expect_err("it panics").into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"in the work"));
    }
}
