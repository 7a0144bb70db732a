//! Progress of long work on stderr.

use std::ffi::OsString;
use std::fmt::Display;
use std::time::Duration;

use anyhow::anyhow;
use clap::ValueEnum;

use super::Failure;
use crate::base::console;
use crate::base::sanitise::sanitised;
use crate::base::time::{Instant, now};
use crate::base::units::spaced;
use crate::base::wrapping::cut;
use crate::run::reporter::{Verbosity, bar_line, time_left};

/// How often the line is updated on a terminal, and how often a line is written elsewhere.
const CHANGES_EVERY: Duration = Duration::from_millis(100);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The width of a terminal that does not tell its width.
const WIDTH: usize = 80;

/// The variable with the value of `--progress` for a user who does not give the option.
const VARIABLE: &str = "GOTHELLO_ARENA_PROGRESS";

/// How a run shows its progress: the value of `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ProgressChoice {
    /// `bar` on a terminal, and `counter` elsewhere and in CI.
    #[default]
    Auto,
    /// A block with a bar on the terminal.
    Bar,
    /// A line for each game, with a counter.
    Counter,
    /// Nothing about games.
    None,
}

impl ProgressChoice {
    /// How much a run reports if the user has given `option`, if anything.
    ///
    /// # Errors
    /// Returns a usage error if the variable has an unknown value.
    pub(super) fn verbosity(option: Option<Self>) -> Result<Verbosity, Failure> {
        Self::resolved(option, &|name| std::env::var_os(name), console::has_terminal())
    }

    fn resolved(
        option: Option<Self>,
        variable: &dyn Fn(&str) -> Option<OsString>,
        is_terminal: bool,
    ) -> Result<Verbosity, Failure> {
        let of_environment = || match variable(VARIABLE).filter(|value| !value.is_empty()) {
            None => Ok(Self::Auto),
            Some(value) => Self::from_str(&value.to_string_lossy(), false).map_err(|_| {
                let shown = sanitised(&value.to_string_lossy());
                Failure::usage(anyhow!("{VARIABLE}: `{shown}` is not one of auto, bar, counter and none"))
            }),
        };
        let is_ci = variable("CI").is_some_and(|value| !value.is_empty());
        Ok(match option.map_or_else(of_environment, Ok)? {
            Self::None => Verbosity::News,
            // A block can only be drawn on a terminal.
            Self::Bar if is_terminal => Verbosity::Block,
            Self::Auto if is_terminal && !is_ci => Verbosity::Block,
            Self::Counter | Self::Bar | Self::Auto => Verbosity::Normal,
        })
    }
}

/// A line on stderr that is updated in place, or a line every ten seconds if stderr is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    begun: Instant,
    told: Instant,
    /// Whether the terminal currently shows a line.
    stands: bool,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { begun: now(), told: now(), stands: false }
    }

    /// Shows `line`, unless the previous line is too recent.
    pub(super) fn tell(&mut self, line: impl Display) {
        self.show(|_, _| line.to_string());
    }

    /// Shows that `done` of `of` parts are done, and what is being done. On a terminal, this is a bar with the time and an
    /// estimate of the rest.
    pub(super) fn count(&mut self, done: u64, of: u64, doing: impl Display) {
        self.show(|is_terminal, elapsed| counted(done, of, elapsed, &doing.to_string(), is_terminal));
    }

    /// Shows the line that `line` returns for a terminal or for another reader, and for the time since the beginning.
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

/// `[====>   ] 12/60  20 %  1m 2s, 4m 8s left  doing` on a terminal, and elsewhere `12 of 60 (20 %), about 4m 8s left: doing`.
fn counted(done: u64, of: u64, elapsed: Duration, doing: &str, is_terminal: bool) -> String {
    if is_terminal {
        return format!("{}  {doing}", bar_line(done, of, elapsed, 0));
    }
    let left = time_left(done, of, elapsed, 0).map(|left| spaced(Duration::from_secs(left.as_secs())));
    let left = left.map(|left| format!(", about {left} left")).unwrap_or_default();
    format!("{done} of {of} ({} %){left}: {doing}", 100 * done / of.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_comes_before_the_environment_and_a_block_needs_a_terminal() {
        use ProgressChoice::{Auto, Bar, Counter, None as Nothing};
        for (option, set, is_terminal, expected) in [
            (None, &[][..], true, Verbosity::Block),
            (None, &[], false, Verbosity::Normal),
            (None, &[("CI", "true")], true, Verbosity::Normal),
            (Some(Bar), &[("CI", "true")], true, Verbosity::Block),
            (Some(Bar), &[], false, Verbosity::Normal),
            (None, &[(VARIABLE, "none")], true, Verbosity::News),
            (Some(Counter), &[(VARIABLE, "none")], true, Verbosity::Normal),
            (Some(Auto), &[(VARIABLE, "none")], true, Verbosity::Block),
            (Some(Nothing), &[], false, Verbosity::News),
        ] {
            let variable = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            let found = ProgressChoice::resolved(option, &variable, is_terminal).ok();
            assert_eq!(found, Some(expected), "{option:?} {set:?} {is_terminal}");
        }
        let wrong = |name: &str| (name == VARIABLE).then(|| OsString::from("bars"));
        assert!(ProgressChoice::resolved(None, &wrong, true).is_err());
    }

    #[test]
    fn a_count_has_an_estimate_with_and_without_a_terminal() {
        let minute = Duration::from_mins(1);
        assert_eq!(counted(12, 60, minute, "r1-a-b", false), "12 of 60 (20 %), about 4m left: r1-a-b");
        assert_eq!(counted(0, 60, minute, "r1-a-b", false), "0 of 60 (0 %): r1-a-b");
        let line = counted(12, 60, minute, "r1-a-b", true);
        assert!(line.ends_with("] 12/60  20 %  1m, 4m left  r1-a-b"), "{line}");
    }
}
