//! The counts of a control group in version 2 of the interface: how long its processes were starved, and how long they
//! ran.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// The counts of a group so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pressure {
    /// How long at least one process of the group was ready to run while none was running: `full` in `cpu.pressure`.
    pub(super) starved: Duration,
    /// How long all processes ran, including those that are gone: `usage_usec` in `cpu.stat`.
    pub(super) ran: Duration,
}

impl Pressure {
    /// Reads the counts of the group in `dir`; `None` if the kernel does not count them.
    pub(super) fn of(dir: &Path) -> Option<Self> {
        let read = |file: &str| fs::read_to_string(dir.join(file)).ok();
        Some(Self { starved: starved(&read("cpu.pressure")?)?, ran: ran(&read("cpu.stat")?)? })
    }
}

/// The total on the line `full` of a `cpu.pressure` file. Kernels before 5.13 do not have this line.
fn starved(text: &str) -> Option<Duration> {
    let full = text.lines().find_map(|line| line.strip_prefix("full "))?;
    micros(full.split_whitespace().find_map(|word| word.strip_prefix("total="))?)
}

fn ran(text: &str) -> Option<Duration> {
    micros(text.lines().find_map(|line| line.strip_prefix("usage_usec "))?)
}

fn micros(number: &str) -> Option<Duration> {
    number.trim().parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_total_counts_and_not_the_other_one() {
        let text = "some avg10=1.00 avg60=1.00 avg300=1.00 total=900\nfull avg10=0.20 avg60=0.00 avg300=0.00 total=7\n";
        assert_eq!(starved(text), Some(Duration::from_micros(7)));
        assert_eq!(starved("some avg10=0.00 avg60=0.00 avg300=0.00 total=900\n"), None, "kernels before 5.13");
        assert_eq!(ran("usage_usec 12\nuser_usec 5\n"), Some(Duration::from_micros(12)));
        assert_eq!(ran("nr_periods 0\n"), None);
    }

    #[test]
    fn a_group_that_counts_nothing_has_no_pressure() {
        let dir = tempfile::tempdir().expect("a directory");
        assert_eq!(Pressure::of(dir.path()), None);
        fs::write(dir.path().join("cpu.stat"), "usage_usec 12\n").expect("written");
        assert_eq!(Pressure::of(dir.path()), None);
        fs::write(dir.path().join("cpu.pressure"), "full avg10=0.00 total=3\n").expect("written");
        let expected = Pressure { starved: Duration::from_micros(3), ran: Duration::from_micros(12) };
        assert_eq!(Pressure::of(dir.path()), Some(expected));
    }
}
