//! Shows the progress of long work on stderr.

use std::fmt::Display;
use std::time::Duration;

use super::Failure;
use super::settings;
use super::settings::choices::{EnvironmentLookup, ProgressChoice};
use crate::base::console;
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::base::units::spaced;
use crate::base::work_count::{WorkCount, WorkStep};
use crate::base::wrapping::cut;
use crate::exact::team::watched;
use crate::run::reporter::{Verbosity, bar_line, time_left};

/// How often the line is updated on a terminal, and how often a line is written elsewhere.
const CHANGES_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The width of a terminal that does not report its width.
const WIDTH: usize = 80;

/// How much a run reports. `option` is the value of `--progress`, if the user has given it.
///
/// # Errors
/// Returns a usage error if the variable has an unknown value.
pub(super) fn verbosity(option: Option<ProgressChoice>) -> Result<Verbosity, Failure> {
    let variable = |name: &str| std::env::var_os(name);
    let (choice, _) = ProgressChoice::chosen(option, &variable, settings::of_file().progress)?;
    Ok(resolved(choice, &variable, console::has_terminal()))
}

fn resolved(choice: ProgressChoice, variable: EnvironmentLookup<'_>, is_terminal: bool) -> Verbosity {
    let is_ci = variable("CI").is_some_and(|value| !value.is_empty());
    match choice {
        ProgressChoice::None => Verbosity::News,
        // A block can only be drawn on a terminal.
        ProgressChoice::Bar if is_terminal => Verbosity::Block,
        ProgressChoice::Auto if is_terminal && !is_ci => Verbosity::Block,
        ProgressChoice::Counter | ProgressChoice::Bar | ProgressChoice::Auto => Verbosity::Normal,
    }
}

/// A line on stderr that is updated in place, or a new line every ten seconds if stderr is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Instant,
    told: Instant,
    /// The step that [`Progress::of_work`] showed last.
    step: &'static str,
    /// Whether the terminal currently shows a line.
    stands: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { begun: now(), told: now(), step: "", stands: false }
    }

    /// Begins the next step. Estimates of the time left no longer depend on the steps before it.
    pub(super) fn begin_step(&mut self) {
        self.begun = now();
    }

    /// Shows the progress of `work`.
    fn of_work(&mut self, work: &WorkCount) {
        let WorkStep { doing, done, of } = work.step();
        if doing != self.step {
            self.step = doing;
            self.begin_step();
        }
        match of {
            Some(of) => self.count(done, of.max(done), doing),
            None if doing.is_empty() => {}
            None => {
                let seconds = self.begun.elapsed().as_secs();
                let done = if done > 0 { format!("{done} in ") } else { String::new() };
                self.tell(format_args!("{doing}: {done}{seconds} s"));
            }
        }
    }

    /// Shows `line`, unless the previous line is too recent.
    pub(super) fn tell(&mut self, line: impl Display) {
        self.show(|_, _| line.to_string());
    }

    /// Shows that `done` of `of` parts are done, and describes the current work. On a terminal, this is a bar with the
    /// time and an estimate of the time left.
    pub(super) fn count(&mut self, done: u64, of: u64, doing: impl Display) {
        self.show(|is_terminal, elapsed| counted(done, of, elapsed, &doing.to_string(), is_terminal));
    }

    /// Shows the line that `line` returns, given whether stderr is a terminal, and the time since the beginning.
    fn show(&mut self, line: impl FnOnce(bool, Duration) -> String) {
        let terminal = console::has_terminal();
        if self.told.elapsed() < if terminal { CHANGES_EVERY } else { LINE_EVERY } {
            return;
        }
        self.told = now();
        let line = line(terminal, self.begun.elapsed());
        if terminal {
            self.stands = true;
            let width = console::columns().unwrap_or(WIDTH);
            console::status(cut(&sanitised(&line), width.saturating_sub(1)));
        } else {
            console::note(line);
        }
    }

    /// Removes the line from the terminal, to make room for other output.
    pub(super) fn clear(&mut self) {
        if self.stands {
            console::clear_status();
            self.stands = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Does `work` on a separate thread, and shows its progress in the meantime.
pub(super) fn watch_work<T: Send>(work: impl FnOnce(&WorkCount) -> T + Send) -> T {
    let count = WorkCount::default();
    let mut progress = Progress::new();
    watched(CHANGES_EVERY, || progress.of_work(&count), || work(&count))
}

/// `[====>   ] 12/60  20%  1m 2s, 4m 8s left  doing` on a terminal, and elsewhere `12 of 60 (20%), about 4m 8s left:
/// doing`.
fn counted(done: u64, of: u64, elapsed: Duration, doing: &str, is_terminal: bool) -> String {
    if is_terminal {
        return format!("{}  {doing}", bar_line(done, of, elapsed, 0));
    }
    let left = time_left(done, of, elapsed, 0).map(|left| spaced(Duration::from_secs(left.as_secs())));
    let left = left.map(|left| format!(", about {left} left")).unwrap_or_default();
    format!("{done} of {of} ({}%){left}: {doing}", 100 * done / of.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_needs_a_terminal() {
        use ProgressChoice::{Auto, Bar, Counter, None as Nothing};
        for (choice, set, is_terminal, expected) in [
            (Auto, &[][..], true, Verbosity::Block),
            (Auto, &[], false, Verbosity::Normal),
            (Auto, &[("CI", "true")], true, Verbosity::Normal),
            (Bar, &[("CI", "true")], true, Verbosity::Block),
            (Bar, &[], false, Verbosity::Normal),
            (Counter, &[], true, Verbosity::Normal),
            (Nothing, &[], false, Verbosity::News),
        ] {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert_eq!(resolved(choice, &variable, is_terminal), expected, "{choice:?} {set:?} {is_terminal}");
        }
    }

    #[test]
    fn a_count_has_an_estimate_with_and_without_a_terminal() {
        let minute = Duration::from_mins(1);
        assert_eq!(counted(12, 60, minute, "r1-a-b", false), "12 of 60 (20%), about 4m left: r1-a-b");
        assert_eq!(counted(0, 60, minute, "r1-a-b", false), "0 of 60 (0%): r1-a-b");
        let line = counted(12, 60, minute, "r1-a-b", true);
        assert!(line.ends_with("] 12/60  20%  1m, 4m left  r1-a-b"), "{line}");
    }
}
