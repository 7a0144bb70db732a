//! Ctrl-C, SIGTERM and SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::AbortHandle;

use super::Exit;
use crate::stop::{self, Stop, StopSender, StopSignal};

/// What interrupted the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// Ctrl-C.
    ByUser,
    /// SIGTERM or SIGHUP.
    BySystem,
}

impl Interrupted {
    pub(super) const fn exit(self) -> Exit {
        match self {
            Self::ByUser => Exit::Interrupted,
            Self::BySystem => Exit::Terminated,
        }
    }
}

/// The watch over the signals; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    sender: Arc<StopSender>,
    signal: StopSignal,
    which: Arc<OnceLock<Interrupted>>,
    task: AbortHandle,
}

impl Watch {
    /// The flag that the signals raise.
    pub(super) fn signal(&self) -> StopSignal {
        self.signal.clone()
    }

    /// Ends everything now, though nobody asked from outside.
    pub(super) fn stop_now(&self) {
        self.sender.raise(Stop::Now);
    }

    /// The first signal that came, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Begins to watch. Ctrl-C asks to drain, a second one to end now; SIGTERM and SIGHUP ask to end now.
pub(super) fn watch() -> std::io::Result<Watch> {
    let (sender, stop_signal) = stop::channel();
    // Where it is caught, writing more than a limit allows is an error like any other, and not the end.
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // Under nohup it is to be ignored, as the name says.
    let mut hangup = if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
    let sender = Arc::new(sender);
    let which = Arc::new(OnceLock::new());
    let first = Arc::clone(&which);
    let raiser = Arc::clone(&sender);
    let task = tokio::spawn(async move {
        let mut next = Stop::Drain;
        loop {
            let (what, stop) = tokio::select! {
                _ = interrupt.recv() => (Interrupted::ByUser, next),
                _ = terminate.recv() => (Interrupted::BySystem, Stop::Now),
                () = received(hangup.as_mut()) => (Interrupted::BySystem, Stop::Now),
            };
            // Only the first counts.
            let _ = first.set(what);
            raiser.raise(stop);
            if stop == Stop::Drain {
                super::note("no new games; Ctrl-C again ends what is running now");
            }
            next = Stop::Now;
        }
    });
    Ok(Watch { sender, signal: stop_signal, which, task: task.abort_handle() })
}

/// The signals for work that knows of no runtime: the first of them raises a flag.
#[derive(Debug)]
pub(super) struct Flag {
    raised: Arc<AtomicBool>,
    which: Arc<OnceLock<Interrupted>>,
}

impl Flag {
    /// Begins to watch, in a thread that lasts as long as the process.
    pub(super) fn watch() -> std::io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let flag = Self { raised: Arc::default(), which: Arc::default() };
        let (raised, which) = (Arc::clone(&flag.raised), Arc::clone(&flag.which));
        // From here on they are caught, and not only once the thread runs.
        let mut signals = {
            let _inside = runtime.enter();
            let hangup = if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, hangup)
        };
        std::thread::Builder::new().spawn(move || {
            let (interrupt, terminate, hangup) = &mut signals;
            let what = runtime.block_on(async {
                tokio::select! {
                    _ = interrupt.recv() => Interrupted::ByUser,
                    _ = terminate.recv() => Interrupted::BySystem,
                    () = received(hangup.as_mut()) => Interrupted::BySystem,
                }
            });
            // Nobody else sets it.
            let _ = which.set(what);
            raised.store(true, Ordering::Relaxed);
        })?;
        Ok(flag)
    }

    /// What is true once a signal has come.
    pub(super) fn raised(&self) -> &AtomicBool {
        &self.raised
    }

    /// The signal that came, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }
}

/// Waits for a signal; for ever if it is not watched.
async fn received(signal: Option<&mut Signal>) {
    if let Some(signal) = signal
        && signal.recv().await.is_some()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// Whether whoever started this process had it ignore the signal. Only Linux tells without asking the signal's handler,
/// which would take unsafe code; elsewhere nothing counts as ignored.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal.as_raw_value() - 1) & 1 == 1
}
