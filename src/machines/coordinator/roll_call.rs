//! Reports to the user which workers are connected.

use std::time::Duration;

use crate::base::time::Instant;
use crate::base::units::counted;

/// How many workers to name. The command `workers` lists all of them.
const NAMED: usize = 12;

/// The minimum time between two lines, so that a thousand workers that connect one by one cause only a few lines.
const QUIET: Duration = Duration::from_secs(2);

/// A connected worker: its name, sanitised for printing, and how many games it plays at a time.
pub(super) type PresentName<'w> = (&'w str, usize);

/// The last report about the connected workers.
#[derive(Debug, Default)]
pub(super) struct RollCall {
    said: Option<(Instant, String)>,
}

impl RollCall {
    /// Returns the line about the workers that are connected at the time `at`, if it differs from the last line and
    /// enough time has passed. If it is too soon, call the function again later.
    pub(super) fn news<'w>(&mut self, at: Instant, there: impl Iterator<Item = PresentName<'w>>) -> Option<String> {
        if self.said.as_ref().is_some_and(|(before, _)| at.saturating_duration_since(*before) < QUIET) {
            return None;
        }
        let line = line(there.collect());
        let before = self.said.as_ref().map_or("", |(_, line)| line);
        // No worker has been connected yet, which is not news.
        if line == before || (before.is_empty() && line == NOBODY) {
            return None;
        }
        self.said = Some((at, line.clone()));
        Some(line)
    }
}

/// The line to report when the last worker has left.
const NOBODY: &str = "no workers left";

/// Describes the workers `there`, sorted by name, with the number of games that each plays at a time, for example `3
/// workers: lab-1 (4), lab-2 (4), lab-3 (2)`.
fn line(mut there: Vec<PresentName<'_>>) -> String {
    if there.is_empty() {
        return NOBODY.to_owned();
    }
    there.sort_unstable();
    let named: Vec<String> = there.iter().take(NAMED).map(|(name, slots)| format!("{name} ({slots})")).collect();
    let more = match there.len() - named.len() {
        0 => String::new(),
        more => {
            let slots: usize = there.iter().map(|(_, slots)| slots).sum();
            format!(" and {more} more, {} at a time in total", counted(slots as u64, "game"))
        }
    };
    format!("{}: {}{more}", counted(there.len() as u64, "worker"), named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::now;

    #[test]
    fn workers_are_named_with_their_slots_and_only_when_something_is_new() {
        let (mut roll, start) = (RollCall::default(), now());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(roll.news(at(0), [].into_iter()), None);
        let two = [("lab-2", 2), ("lab-1", 4)];
        assert_eq!(roll.news(at(0), two.into_iter()).as_deref(), Some("2 workers: lab-1 (4), lab-2 (2)"));
        assert_eq!(roll.news(at(5), two.into_iter()), None);
        assert_eq!(roll.news(at(6), [("lab-1", 4)].into_iter()).as_deref(), Some("1 worker: lab-1 (4)"));
        // The first call is too soon, and the second is late enough.
        assert_eq!(roll.news(at(7), two.into_iter()), None);
        assert!(roll.news(at(8), two.into_iter()).is_some());
        assert_eq!(roll.news(at(10), [].into_iter()).as_deref(), Some(NOBODY));
    }

    #[test]
    fn a_thousand_workers_are_one_line_and_a_few_names() {
        let names: Vec<String> = (0..1_000).map(|number| format!("lab-{number:03}")).collect();
        let line = line(names.iter().map(|name| (name.as_str(), 4)).collect());
        assert!(line.starts_with("1,000 workers: lab-000 (4), lab-001 (4), "), "{line}");
        assert!(line.ends_with("lab-011 (4) and 988 more, 4,000 games at a time in total"), "{line}");
    }
}
