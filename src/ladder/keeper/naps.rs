//! Programs that could not be prepared because of this machine, and the times at which they are tried again.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::base::time::Instant;
use crate::tournament::schedule::PlayerIndex;

/// How long a program waits before it is tried again.
pub(super) const NAP: Duration = Duration::from_secs(30);

/// How many builds in a row may exceed their time limit before the arena gives up on the program.
const MOST_LATE: u32 = 3;

/// Why a program is not prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WhyAsleep {
    /// The machine lacks something.
    Shortage(String),
    /// The build did not end in time, but might on a less busy machine.
    Late(String),
}

impl WhyAsleep {
    /// The reason, which is hostile text.
    pub(super) fn reason(&self) -> &str {
        let (Self::Shortage(reason) | Self::Late(reason)) = self;
        reason
    }
}

/// The programs that wait to be tried again.
#[derive(Debug, Default)]
pub(super) struct Naps(BTreeMap<PlayerIndex, Nap>);

#[derive(Debug)]
struct Nap {
    /// When the program is tried again; `None` if never.
    until: Option<Instant>,
    /// How many builds in a row have exceeded their time limit.
    late: u32,
    reason: String,
}

impl Naps {
    /// Notes at the time `now` why the program of `player` is not prepared. Returns whether this reason is new to the
    /// user.
    pub(super) fn begin(&mut self, player: PlayerIndex, why: &WhyAsleep, now: Instant) -> bool {
        let before = self.0.remove(&player);
        let late_before = before.as_ref().map_or(0, |nap| nap.late);
        let late = if matches!(why, WhyAsleep::Late(_)) { late_before + 1 } else { 0 };
        let is_new = before.is_none_or(|nap| nap.reason != why.reason());
        let until = (late < MOST_LATE).then(|| now + NAP);
        self.0.insert(player, Nap { until, late, reason: why.reason().to_owned() });
        is_new
    }

    /// Gives up on the program of `player` for the given `reason`: it is not tried again.
    pub(super) fn give_up(&mut self, player: PlayerIndex, reason: String) {
        self.0.insert(player, Nap { until: None, late: 0, reason });
    }

    /// Forgets that the program of `player` was not prepared.
    pub(super) fn end(&mut self, player: PlayerIndex) {
        self.0.remove(&player);
    }

    /// Whether the program of `player` may be tried at the time `now`.
    pub(super) fn is_over(&self, player: PlayerIndex, now: Instant) -> bool {
        self.0.get(&player).is_none_or(|nap| nap.until.is_some_and(|until| until <= now))
    }

    /// Whether the program of `player` is not tried again.
    pub(super) fn has_given_up(&self, player: PlayerIndex) -> bool {
        self.0.get(&player).is_some_and(|nap| nap.until.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::now;

    #[test]
    fn a_shortage_lasts_as_long_as_it_likes_and_builds_are_late_three_times_in_a_row() {
        let (mut naps, mut time) = (Naps::default(), now());
        let shortage = WhyAsleep::Shortage("the disk is full".to_owned());
        let late = WhyAsleep::Late("its build took longer than 10s".to_owned());
        let mut news = Vec::new();
        for why in [&shortage, &shortage, &late, &late, &shortage, &late, &late] {
            assert!(naps.is_over(7, time) && !naps.has_given_up(7), "{why:?}");
            news.push(naps.begin(7, why, time));
            assert!(!naps.is_over(7, time));
            time += NAP;
        }
        assert_eq!(news, [true, false, true, false, true, true, false]);
        naps.begin(7, &late, time);
        assert!(naps.has_given_up(7) && !naps.is_over(7, time + NAP * 100));
        naps.end(7);
        assert!(!naps.has_given_up(7) && naps.is_over(7, time));
    }
}
