//! The hand-ins that are waiting to be checked, and which of them is next.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::base::time::WallTime;

/// Waiting things, each with its owner. The owner who has waited the longest is served next, so that frequent hand-ins
/// by one owner do not delay the others.
#[derive(Debug)]
pub(super) struct WaitingQueue<T> {
    /// The things that each owner has waiting, oldest first, each with its time of arrival.
    waiting: BTreeMap<String, VecDeque<(WallTime, T)>>,
    /// When each owner was last served.
    served: BTreeMap<String, WallTime>,
}

/// Something whose turn has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueueTurn<T> {
    pub(super) owner: String,
    pub(super) arrived: WallTime,
    pub(super) thing: T,
    /// When the owner was previously served.
    served: Option<WallTime>,
}

impl<T> Default for WaitingQueue<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), served: BTreeMap::new() }
    }
}

impl<T> WaitingQueue<T> {
    /// Adds a thing that belongs to `owner` and arrived at the time `arrived`.
    pub(super) fn add(&mut self, owner: &str, arrived: WallTime, thing: T) {
        let waiting = self.waiting.entry(owner.to_owned()).or_default();
        // A door may deliver something late that arrived earlier.
        let place = waiting.partition_point(|(earlier, _)| *earlier <= arrived);
        waiting.insert(place, (arrived, thing));
    }

    /// Puts back something that was served but not settled, as if it had not been served.
    pub(super) fn put_back(&mut self, turn: QueueTurn<T>) {
        let QueueTurn { owner, arrived, thing, served } = turn;
        self.waiting.entry(owner.clone()).or_default().push_front((arrived, thing));
        match served {
            Some(time) => self.served.insert(owner, time),
            None => self.served.remove(&owner),
        };
    }

    /// Serves, at the time `now`, the owner who has waited the longest. An owner whose first thing is not `due` is
    /// skipped.
    pub(super) fn next(&mut self, now: WallTime, due: impl Fn(&T) -> bool) -> Option<QueueTurn<T>> {
        let since = |(owner, things): (&String, &VecDeque<(WallTime, T)>)| {
            let (arrived, _) = things.front().filter(|(_, thing)| due(thing))?;
            let served = self.served.get(owner).unwrap_or(arrived);
            Some((*arrived.max(served), *arrived, owner.clone()))
        };
        let (_, _, owner) = self.waiting.iter().filter_map(since).min()?;
        let things = self.waiting.get_mut(&owner)?;
        let first = things.pop_front();
        if things.is_empty() {
            self.waiting.remove(&owner);
        }
        let served = self.served.insert(owner.clone(), now);
        first.map(|(arrived, thing)| QueueTurn { owner, arrived, thing, served })
    }

    /// The owner and time of arrival of each waiting thing, in the order in which the things will be served from the
    /// time `now` on if nothing is added.
    pub(super) fn order(&self, now: WallTime) -> Vec<(String, WallTime)> {
        let arrivals = |things: &VecDeque<(WallTime, T)>| things.iter().map(|(arrived, _)| (*arrived, ())).collect();
        let waiting = self.waiting.iter().map(|(owner, things)| (owner.clone(), arrivals(things))).collect();
        let mut rest = WaitingQueue::<()> { waiting, served: self.served.clone() };
        // Each turn gets a later time than the previous turn.
        let times = (1..).map(|seconds| now + Duration::from_secs(seconds));
        times.map_while(|time| rest.next(time, |()| true).map(|turn| (turn.owner, turn.arrived))).collect()
    }

    /// Whether nothing is waiting.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether anything that arrived at `time` or before is waiting.
    pub(super) fn has_from(&self, time: WallTime) -> bool {
        self.waiting.values().flatten().any(|(arrived, _)| *arrived <= time)
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn at(second: u64) -> WallTime {
        UNIX_EPOCH + Duration::from_secs(second)
    }

    #[test]
    fn what_arrived_earlier_is_served_earlier_although_it_was_delivered_later() {
        let mut queue = WaitingQueue::default();
        for second in [5, 3, 5, 4] {
            queue.add("ada", at(second), second);
        }
        let served: Vec<u64> =
            (10..).map_while(|second| queue.next(at(second), |_| true)).map(|turn| turn.thing).collect();
        assert_eq!(served, [3, 4, 5, 5]);
    }

    #[test]
    fn whoever_hands_in_often_delays_nobody() {
        let mut queue = WaitingQueue::default();
        for second in 0..5 {
            queue.add("eager", at(second), format!("eager {second}"));
        }
        queue.add("ada", at(6), "ada".to_owned());
        queue.add("bo", at(7), "bo".to_owned());
        assert!(queue.has_from(at(0)));
        let order: Vec<String> = queue.order(at(10)).into_iter().map(|(owner, _)| owner).collect();
        assert_eq!(order, ["eager", "ada", "bo", "eager", "eager", "eager", "eager"]);
        let next = |second| queue.next(at(second), |_| true).map(|turn| turn.thing);
        let served: Vec<String> = (10..).map_while(next).collect();
        assert_eq!(served, ["eager 0", "ada", "bo", "eager 1", "eager 2", "eager 3", "eager 4"]);
        assert!(!queue.has_from(at(99)));
    }

    #[test]
    fn what_is_put_back_keeps_its_turn_and_delays_nobody_until_it_is_due() {
        let mut queue = WaitingQueue::default();
        for (second, owner) in [(1, "ada"), (2, "ada"), (3, "bo"), (4, "bo")] {
            queue.add(owner, at(second), second);
        }
        let first = queue.next(at(10), |_| true).expect("the first");
        queue.put_back(first);
        // Thing 1, the first one of its owner, is not due yet.
        let mut due = |second| queue.next(at(second), |thing| *thing != 1).map(|turn| turn.thing);
        assert_eq!([due(11), due(12), due(13)], [Some(3), Some(4), None]);
        queue.add("bo", at(5), 5);
        let rest: Vec<u64> =
            (14..).map_while(|second| queue.next(at(second), |_| true)).map(|turn| turn.thing).collect();
        assert_eq!(rest, [1, 5, 2]);
    }
}
