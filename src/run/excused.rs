//! Everything that the machine spoiled through no player's fault, to be listed again at the end.

use std::collections::BTreeMap;

use crate::base::sanitise::sanitised;
use crate::base::units::counted;

/// The maximum number of entries that are listed. All entries are in the journal, in results.csv, or in the report of a
/// check.
const MOST_NAMED: usize = 20;

/// The games, scenarios and builds spoiled by the machine, with the reasons.
#[derive(Debug, Default)]
pub(crate) struct Excused(BTreeMap<String, Spoiled>);

/// How many times something was spoiled, and why.
#[derive(Debug)]
struct Spoiled {
    /// The position in the order in which things were first spoiled.
    place: usize,
    /// How many times the thing was spoiled.
    times: u32,
    /// The last reason, as untrusted text.
    why: String,
    /// Whether the thing has succeeded since.
    is_made_good: bool,
}

impl Excused {
    /// Records that the machine has spoiled `what`, which is the name of a game, scenario or build, for the reason
    /// `why`.
    pub(crate) fn add(&mut self, what: &str, why: &str) {
        let place = self.0.len();
        let of_new = || Spoiled { place, times: 0, why: String::new(), is_made_good: false };
        let spoiled = self.0.entry(what.to_owned()).or_insert_with(of_new);
        spoiled.times += 1;
        why.clone_into(&mut spoiled.why);
        spoiled.is_made_good = false;
    }

    /// Records that `what` has succeeded, whether or not it was spoiled before.
    pub(crate) fn make_good(&mut self, what: &str) {
        if let Some(spoiled) = self.0.get_mut(what) {
            spoiled.is_made_good = true;
        }
    }

    /// The summary at the end, in printable lines; empty if nothing was spoiled.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut all: Vec<(&String, &Spoiled)> = self.0.iter().collect();
        all.sort_by_key(|(_, spoiled)| (spoiled.is_made_good, spoiled.place));
        let mut lines = Vec::new();
        if !all.is_empty() {
            lines.push("void because of the machine, not because of a player:".to_owned());
        }
        for (what, Spoiled { times, why, is_made_good, .. }) in all.iter().take(MOST_NAMED) {
            let fate = if *is_made_good { "succeeded since" } else { "still open" };
            lines.push(sanitised(&format!("  {what} ({}, {fate}): {why}", counted(*times, "time"))));
        }
        if let Some(more) = all.len().checked_sub(MOST_NAMED).filter(|&more| more > 0) {
            lines.push(format!("  and {more} more"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_comes_first_and_in_order() {
        let mut excused = Excused::default();
        assert_eq!(excused.lines(), Vec::<String>::new());
        excused.make_good("game z");
        for (what, why) in
            [("game b", "no\x1b room"), ("game a", "no memory"), ("build of `x`", "full"), ("game b", "full")]
        {
            excused.add(what, why);
        }
        excused.make_good("build of `x`");
        assert_eq!(
            excused.lines(),
            [
                "void because of the machine, not because of a player:",
                "  game b (2 times, still open): full",
                "  game a (1 time, still open): no memory",
                "  build of `x` (1 time, succeeded since): full",
            ]
        );
    }

    #[test]
    fn a_machine_that_spoils_everything_gets_a_short_list() {
        let mut excused = Excused::default();
        (0..MOST_NAMED + 7).for_each(|number| excused.add(&format!("game {number}"), "full"));
        let lines = excused.lines();
        assert_eq!(lines.len(), MOST_NAMED + 2);
        assert_eq!(lines.last().map(String::as_str), Some("  and 7 more"));
    }
}
