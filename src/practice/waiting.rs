//! Waits for something that may take a long time, unless a signal ends the program.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How often to look for a signal.
const LOOK: Duration = Duration::from_millis(50);

/// The next value from `receiver`; `None` if `stop` is raised first, or if all senders are gone.
pub(crate) fn unless_raised<T>(receiver: &Receiver<T>, stop: &AtomicBool) -> Option<T> {
    while !stop.load(Ordering::Relaxed) {
        match receiver.recv_timeout(LOOK) {
            Ok(value) => return Some(value),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}

/// The value of `work`, which runs on a thread; `None` if `stop` is raised first. In that case, the thread ends when
/// its work is done, or with the program.
///
/// # Errors
/// Fails if no thread can be started.
pub(crate) fn away_unless_raised<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    stop: &AtomicBool,
) -> io::Result<Option<T>> {
    let (sender, done) = mpsc::channel();
    std::thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    Ok(unless_raised(&done, stop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_ends_with_the_value_or_with_the_signal() {
        let never = AtomicBool::new(false);
        assert_eq!(away_unless_raised(|| 7, &never).expect("a thread"), Some(7));
        let (sender, receiver) = mpsc::channel::<u8>();
        assert_eq!(unless_raised(&receiver, &AtomicBool::new(true)), None);
        drop(sender);
        assert_eq!(unless_raised(&receiver, &never), None);
    }
}
