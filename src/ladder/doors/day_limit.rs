//! How many versions a player may hand in per day, so that no player starves the others.

use std::collections::{HashMap, VecDeque};
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::base::time::WallTime;
use crate::tournament::PlayerName;

/// The period in which hand-ins are counted.
const DAY: Duration = Duration::from_hours(24);

/// The hand-ins of the last 24 hours.
#[derive(Debug)]
pub(super) struct DayLimit {
    most: NonZeroUsize,
    /// The times at which each player handed in versions, the earliest first.
    times: HashMap<PlayerName, VecDeque<WallTime>>,
}

impl DayLimit {
    /// Allows each player `most` hand-ins in 24 hours.
    pub(super) fn new(most: NonZeroUsize) -> Self {
        Self { most, times: HashMap::new() }
    }

    /// Allows each player `most` hand-ins from now on.
    pub(super) const fn allow(&mut self, most: NonZeroUsize) {
        self.most = most;
    }

    /// Counts a hand-in of `player` at the time `at`, unless a hand-in at this time has already been counted: that is
    /// the same hand-in.
    pub(super) fn count(&mut self, player: &PlayerName, at: WallTime) {
        let times = self.times.entry(player.clone()).or_default();
        let place = times.partition_point(|time| *time < at);
        if times.get(place) == Some(&at) {
            return;
        }
        times.insert(place, at);
        let surplus = times.len().saturating_sub(self.most.get());
        times.drain(..surplus);
    }

    /// How long `player` has to wait before its next hand-in if the time is `now`; `None` if it need not wait.
    pub(super) fn wait(&self, player: &PlayerName, now: WallTime) -> Option<Duration> {
        let times = self.times.get(player)?;
        let decisive = *times.get(times.len().checked_sub(self.most.get())?)?;
        let wait = (decisive + DAY).duration_since(now).ok()?;
        // A clock that was set back must not lock a player out for longer than a day.
        (wait > Duration::ZERO).then_some(wait.min(DAY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_waits_until_the_oldest_of_its_hand_ins_is_a_day_old() {
        let [ada, bo] = ["ada", "bo"].map(|name| PlayerName::new(name).expect("a name"));
        let at = |hours: u64| WallTime::UNIX_EPOCH + Duration::from_hours(1000 + hours);
        let most = |number| NonZeroUsize::new(number).expect("not zero");
        let mut limit = DayLimit::new(most(2));
        assert_eq!(limit.wait(&ada, at(0)), None);
        for hour in [5, 0] {
            assert_eq!(limit.wait(&ada, at(5)), None);
            limit.count(&ada, at(hour));
            limit.count(&ada, at(5));
        }
        assert_eq!(limit.wait(&ada, at(5)), Some(Duration::from_hours(19)));
        assert_eq!(limit.wait(&bo, at(5)), None);
        assert_eq!(limit.wait(&ada, at(24)), None);
        limit.count(&ada, at(24));
        assert_eq!(limit.wait(&ada, at(24)), Some(Duration::from_hours(5)));
        limit.allow(most(3));
        assert_eq!(limit.wait(&ada, at(24)), None);
        limit.allow(most(1));
        assert_eq!(limit.wait(&ada, at(24)), Some(Duration::from_hours(24)));
        // The clock was set back by weeks.
        assert_eq!(limit.wait(&ada, WallTime::UNIX_EPOCH), Some(Duration::from_hours(24)));
    }
}
