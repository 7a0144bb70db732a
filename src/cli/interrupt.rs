//! The signals that end a command in order, and those that don't end it.

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

/// What interrupted the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// Ctrl-C.
    ByUser,
    /// SIGTERM, or another signal that ends everything at once.
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
    which: Arc<OnceLock<Interrupted>>,
    task: AbortHandle,
}

impl Watch {
    /// The flag that the signals raise.
    pub(super) fn flag(&self) -> &StopSender {
        &self.sender
    }

    /// Listens to the flag.
    pub(super) fn signal(&self) -> StopSignal {
        self.sender.signal()
    }

    /// The first signal that came, if any.
    pub(super) fn which(&self) -> Option<Interrupted> {
        self.which.get().copied()
    }

    /// The exit code of a command that one of them has ended.
    pub(super) fn exit(&self) -> Exit {
        self.which().unwrap_or(Interrupted::ByUser).exit()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// To begin nothing new, or, the second time, to end at once.
    Drain,
    /// To end at once.
    End,
    /// Nothing, though the system's own answer would be the end.
    Nothing,
}

/// Every signal that can be caught and that would end the process without a word, as anybody may send it: by Ctrl-\\, by a
/// closed terminal, by a timer or limit that the parent has set, or to ask a program of another kind how far it is.
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

/// The signals of [`CAUGHT`], which from here on do nothing by themselves. The bots have them as ever: what a process
/// catches, its children don't inherit.
struct Signals(Vec<(&'static str, Asked, Signal)>);

impl Signals {
    /// Catches them, in a runtime. Those that the parent has this process ignore stay ignored, as SIGHUP under nohup, but
    /// for the two that are there to end it.
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

    /// Waits for a signal that asks for something. The others are told of once each.
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
            // What was caught once stays caught, and so goes on doing nothing.
            self.0.retain(|&(other, ..)| other != name);
        }
    }
}

/// Begins to watch. Ctrl-C asks to drain, a second one to end now; so do the others that end anything.
pub(super) fn watch() -> io::Result<Watch> {
    let (sender, _) = stop::channel();
    // Where it is caught, writing more than a limit allows is an error like any other, and not the end.
    drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
    let mut signals = Signals::catch()?;
    let sender = Arc::new(sender);
    let which = Arc::new(OnceLock::new());
    let first = Arc::clone(&which);
    let raiser = Arc::clone(&sender);
    let task = tokio::spawn(async move {
        let mut next = Stop::Drain;
        loop {
            let (name, asked) = signals.next().await;
            let (what, stop) = match asked {
                Asked::Drain => (Interrupted::ByUser, next),
                Asked::End | Asked::Nothing => (Interrupted::BySystem, Stop::Now),
            };
            // Only the first counts.
            let _ = first.set(what);
            raiser.raise(stop);
            match stop {
                Stop::Drain => note("no new games; press Ctrl-C again to end what is running now"),
                _ => note(format_args!("{name}: ending what is running now")),
            }
            next = Stop::Now;
        }
    });
    Ok(Watch { sender, which, task: task.abort_handle() })
}

/// The signals for work that knows of no runtime: the first of them raises a flag.
#[derive(Debug)]
pub(super) struct Flag {
    raised: Arc<AtomicBool>,
    which: Arc<OnceLock<Interrupted>>,
}

impl Flag {
    /// Begins to watch, in a thread that lasts as long as the process.
    pub(super) fn watch() -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let flag = Self { raised: Arc::default(), which: Arc::default() };
        let (raised, which) = (Arc::clone(&flag.raised), Arc::clone(&flag.which));
        // From here on they are caught, and not only once the thread runs.
        let mut signals = {
            let _inside = runtime.enter();
            Signals::catch()?
        };
        std::thread::Builder::new().spawn(move || {
            let (name, asked) = runtime.block_on(signals.next());
            let what = if asked == Asked::Drain { Interrupted::ByUser } else { Interrupted::BySystem };
            note(format_args!("{name}: ending what is running now"));
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

/// Whether whoever started this process had it ignore the signal. Only Linux tells without asking the signal's handler,
/// which would take unsafe code; elsewhere nothing counts as ignored.
fn is_ignored(signal: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (signal.as_raw_value() - 1) & 1 == 1
}
