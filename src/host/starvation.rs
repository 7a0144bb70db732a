//! Measures how long a program is starved: at least one of its threads is ready to run, but none of them is running.
//!
//! If the program has its own control group in version 2 of the interface, the kernel counts this time in
//! `cpu.pressure`. Otherwise, the time is derived from how long each thread ran and waited. It is not the machine's
//! fault if the threads and processes of a program keep each other waiting, so a thread's waiting time counts only to
//! the extent that the program's other threads cannot have run in that time.
//!
//! | room | contents |
//! | --- | --- |
//! | `pressure` | the counts of a control group |
//! | `thread_waits` | how long a thread has waited, including the current wait |
//! | `threads` | the starvation that follows from the waits of all threads of a program |

mod pressure;
#[cfg(test)]
mod tests;
mod thread_waits;
mod threads;

use std::path::{Path, PathBuf};

use crate::base::time::{Instant, now};
use crate::referee::starvation::Starvation;
use pressure::Pressure;
pub(super) use thread_waits::ThreadWaits;
use threads::ThreadsWindow;

/// The root of a program's processes.
#[derive(Clone, Debug)]
pub(crate) struct ProgramRoot {
    /// The id, as seen by the arena, of the process from which all processes of the program descend.
    pub(crate) pid: u32,
    /// How many stages of confinement there are above the program. The process `pid` is the first stage, and each stage
    /// is the parent of the next. 0 means that the process is the program itself.
    pub(crate) stages: usize,
    /// The program's own control group, in version 2 of the interface.
    pub(crate) group: Option<PathBuf>,
}

/// Measures how long a program is starved in certain spans of time, such as its turns.
#[derive(Debug)]
pub(crate) struct StarvationMeter {
    root: Option<ProgramRoot>,
    span: Option<TurnSpan>,
    sum: Option<Starvation>,
    /// The figures of the last span that has ended.
    last: Option<Starvation>,
    /// Whether a span could not be measured.
    is_unknown: bool,
}

/// A span that has begun.
#[derive(Debug)]
struct TurnSpan {
    begun: Instant,
    figures: StarvationFigures,
}

/// The source of the figures of a span.
#[derive(Debug)]
enum StarvationFigures {
    /// The group in this directory, with its counts at the beginning.
    Group(PathBuf, Pressure),
    Threads(Box<ThreadsWindow>),
}

impl StarvationMeter {
    /// Creates a meter for the program at `root`. Without a root, nothing is measured.
    pub(crate) const fn new(root: Option<ProgramRoot>) -> Self {
        Self { root, span: None, sum: None, last: None, is_unknown: false }
    }

    /// Begins a span, or samples the program in the current span. Call this regularly, for example every tenth of a
    /// second; otherwise, a long wait may go unnoticed.
    pub(crate) fn look(&mut self) {
        match &mut self.span {
            Some(TurnSpan { figures: StarvationFigures::Threads(threads), .. }) => threads.look(),
            Some(TurnSpan { figures: StarvationFigures::Group(..), .. }) => {}
            None => self.span = self.root.as_ref().map(TurnSpan::begin),
        }
    }

    /// Ends the current span, if there is one.
    pub(crate) fn end(&mut self) {
        let Some(span) = self.span.take() else { return };
        self.last = span.end();
        match self.last {
            Some(more) => self.sum = Some(self.sum.unwrap_or_default().plus(more)),
            None => self.is_unknown = true,
        }
    }

    /// The figures of all spans that have ended. `None` if there were none, or if the system did not report them for
    /// one of the spans.
    pub(crate) fn starvation(&self) -> Option<Starvation> {
        self.sum.filter(|_| !self.is_unknown)
    }

    /// The figures of the last span that has ended. `None` if there was none, or if the system did not report them.
    pub(crate) const fn last_starvation(&self) -> Option<Starvation> {
        self.last
    }
}

impl TurnSpan {
    fn begin(root: &ProgramRoot) -> Self {
        let begun = now();
        let group = root.group.as_ref().and_then(|dir| Some((dir.clone(), Pressure::of(dir)?)));
        let figures = match group {
            Some((dir, before)) => StarvationFigures::Group(dir, before),
            None => StarvationFigures::Threads(Box::new(ThreadsWindow::begin(root.pid, root.stages))),
        };
        Self { begun, figures }
    }

    fn end(self) -> Option<Starvation> {
        let Self { begun, figures } = self;
        match figures {
            StarvationFigures::Group(dir, before) => {
                let after = Pressure::of(&dir)?;
                let of = begun.elapsed();
                let starved = after.starved.saturating_sub(before.starved).min(of);
                Some(Starvation { starved, ran: after.ran.saturating_sub(before.ran), of })
            }
            StarvationFigures::Threads(threads) => threads.end(begun),
        }
    }
}

/// Whether the system reports how long a program without its own group is starved.
pub(crate) fn is_measurable_by_threads() -> bool {
    threads::is_measurable()
}

/// Whether the control group in `dir`, in version 2 of the interface, reports how long a program in it is starved.
pub(crate) fn is_measurable_by_group(dir: &Path) -> bool {
    Pressure::of(dir).is_some()
}
