//! The signals that end a command in an orderly way, and those that do not end it.

use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use rustix::process::Signal as Number;
use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::AbortHandle;

use super::{Exit, note};
use crate::base::stop::{self, Stop, StopSender, StopSignal};

/// The event that interrupted the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// Ctrl-C.
    ByUser,
    /// SIGTERM, or another signal that ends the command immediately.
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

/// A watch over the signals, which ends when it is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    sender: Arc<StopSender>,
    which: Arc<OnceLock<Interrupted>>,
    is_only_page: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Watch {
    /// The flag that the signals raise.
    pub(super) fn flag(&self) -> &StopSender {
        &self.sender
    }

    /// A receiver for the flag.
    pub(super) fn signal(&self) -> StopSignal {
        self.sender.signal()
    }

    /// The first signal that arrived, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }

    /// The exit code of a command that was ended by a signal.
    pub(super) fn exit(&self) -> Exit {
        self.which().unwrap_or(Interrupted::ByUser).exit()
    }

    /// Records that all games have ended, or that there are none, so that from now on a signal only closes the page.
    pub(super) fn leave_only_the_page(&self) {
        self.is_only_page.store(true, Ordering::Relaxed);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The effect of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Start no new games; the second time, end immediately.
    Drain,
    /// End immediately.
    End,
    /// Do nothing, although by default the system would end the process.
    Nothing,
}

/// Every signal that can be caught and that would otherwise end the process silently. A signal may come from Ctrl-\\,
/// from closing the terminal, from a timer or limit that the parent set, or from a user who asks for progress, which
/// some programs report in response to a signal.
const CAUGHT: [(Number, &str, Asked); 10] = [
    (Number::INT, "Ctrl-C", Asked::Drain),
    (Number::TERM, "SIGTERM", Asked::End),
    (Number::HUP, "SIGHUP", Asked::End),
    (Number::QUIT, "SIGQUIT", Asked::End),
    (Number::ALARM, "SIGALRM", Asked::End),
    (Number::VTALARM, "SIGVTALRM", Asked::End),
    (Number::PROF, "SIGPROF", Asked::End),
    (Number::XCPU, "SIGXCPU", Asked::End),
    (Number::USR1, "SIGUSR1", Asked::Nothing),
    (Number::USR2, "SIGUSR2", Asked::Nothing),
];

/// The signals in [`CAUGHT`], which no longer have their default effect. In the bots, they keep this effect, because
/// children do not inherit signal handlers.
struct Signals(Vec<(&'static str, Asked, Signal)>);

impl Signals {
    /// Catches the signals; must be called in a runtime. Signals that the parent made this process ignore stay ignored,
    /// such as SIGHUP under nohup, except SIGINT and SIGTERM, which must always be able to end this process.
    fn catch() -> io::Result<Self> {
        let mut signals = Vec::new();
        for (number, name, asked) in CAUGHT {
            let kind = SignalKind::from_raw(number.as_raw());
            if matches!(number, Number::INT | Number::TERM) || !is_ignored(kind) {
                signals.push((name, asked, signal(kind)?));
            }
        }
        Ok(Self(signals))
    }

    /// Waits for a signal that asks for something. Each of the other signals is reported once.
    async fn next(&mut self) -> (&'static str, Asked) {
        loop {
            let (name, asked) = poll_fn(|context| {
                for (name, asked, signal) in &mut self.0 {
                    if signal.poll_recv(context).is_ready() {
                        return Poll::Ready((*name, *asked));
                    }
                }
                Poll::Pending
            })
            .await;
            if asked != Asked::Nothing {
                return (name, asked);
            }
            note(format_args!("{name} is ignored; Ctrl-C or SIGTERM ends the program"));
            // The signal remains caught, so it will have no effect in the future, either.
            self.0.retain(|&(other, ..)| other != name);
        }
    }
}

/// Starts watching. The first Ctrl-C asks the command to start no new games; a second Ctrl-C, or any other signal that
/// ends programs, asks it to end immediately.
pub(super) fn watch() -> io::Result<Watch> {
    watch_from(Stop::Drain)
}

/// Starts watching. Any signal that ends programs, even the first Ctrl-C, asks the command to end immediately.
pub(super) fn watch_for_the_end() -> io::Result<Watch> {
    watch_from(Stop::Now)
}

/// Starts watching; the first Ctrl-C asks for `first_stop`.
fn watch_from(first_stop: Stop) -> io::Result<Watch> {
    let (sender, _) = stop::channel();
    // With SIGXFSZ caught, exceeding the limit on file sizes is an ordinary write error and does not end the process.
    drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
    let mut signals = Signals::catch()?;
    let sender = Arc::new(sender);
    let which = Arc::new(OnceLock::new());
    let first = Arc::clone(&which);
    let raiser = Arc::clone(&sender);
    let is_only_page = Arc::new(AtomicBool::new(false));
    let ends_page = Arc::clone(&is_only_page);
    let task = tokio::spawn(async move {
        let mut next = first_stop;
        loop {
            let (name, asked) = signals.next().await;
            let (what, stop) = match asked {
                Asked::Drain => (Interrupted::ByUser, next),
                Asked::End | Asked::Nothing => (Interrupted::BySystem, Stop::Now),
            };
            // Only the first signal counts.
            let _ = first.set(what);
            raiser.raise(stop);
            match stop {
                _ if ends_page.load(Ordering::Relaxed) => note(format_args!("{name}: closing the page")),
                Stop::Drain => note("starting no new games; press Ctrl-C again to stop the running games now"),
                _ => note(format_args!("{name}: stopping now")),
            }
            next = Stop::Now;
        }
    });
    Ok(Watch { sender, which, is_only_page, task: task.abort_handle() })
}

/// The signals for work outside a runtime: the first signal raises a flag.
#[derive(Debug)]
pub(super) struct Flag {
    raised: Arc<AtomicBool>,
    which: Arc<OnceLock<Interrupted>>,
}

impl Flag {
    /// Starts watching, on a thread that lives as long as the process.
    pub(super) fn watch() -> io::Result<Self> {
        Self::watch_and_tell(|name| note(format_args!("{name}: stopping now")))
    }

    /// Starts watching, like [`Flag::watch`], without a message when a signal arrives.
    pub(super) fn watch_quietly() -> io::Result<Self> {
        Self::watch_and_tell(|_| ())
    }

    fn watch_and_tell(tell: fn(&str)) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let flag = Self { raised: Arc::default(), which: Arc::default() };
        let (raised, which) = (Arc::clone(&flag.raised), Arc::clone(&flag.which));
        // Catch the signals now, not only once the thread is running.
        let mut signals = {
            let _inside = runtime.enter();
            Signals::catch()?
        };
        std::thread::Builder::new().spawn(move || {
            let (name, asked) = runtime.block_on(signals.next());
            let what = if asked == Asked::Drain { Interrupted::ByUser } else { Interrupted::BySystem };
            tell(name);
            // Nothing else sets `which`.
            let _ = which.set(what);
            raised.store(true, Ordering::Relaxed);
        })?;
        Ok(flag)
    }

    /// A flag that is true once a signal has arrived.
    pub(super) fn raised(&self) -> &AtomicBool {
        &self.raised
    }

    /// The signal that arrived, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }

    /// The exit code of a command that was ended by a signal.
    pub(super) fn exit(&self) -> Exit {
        self.which().unwrap_or(Interrupted::ByUser).exit()
    }
}

/// Whether the parent made this process ignore `signal`. Only Linux reveals this without querying the signal's handler,
/// which would require unsafe code; elsewhere, no signal counts as ignored.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal.as_raw_value() - 1) & 1 == 1
}
