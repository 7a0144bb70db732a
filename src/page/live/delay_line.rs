//! Events that are held back for a page that is behind its run.

use std::collections::VecDeque;
use std::time::Duration;

/// Events in the order in which they arrived, each held until a fixed time after its arrival.
#[derive(Debug)]
pub(super) struct DelayLine<T> {
    delay: Duration,
    held: VecDeque<(Duration, T)>,
}

impl<T> DelayLine<T> {
    /// An empty line that holds every event for `delay`, which may be zero.
    pub(super) const fn new(delay: Duration) -> Self {
        Self { delay, held: VecDeque::new() }
    }

    /// Whether the delay is longer than zero.
    pub(super) const fn is_delayed(&self) -> bool {
        !self.delay.is_zero()
    }

    /// The number of events that are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Adds an event that arrived at the time `at`. Events must be added in the order of their arrival.
    pub(super) fn put(&mut self, at: Duration, event: T) {
        self.held.push_back((at, event));
    }

    /// Removes and returns the next event, if it has been held long enough by the time `at`.
    pub(super) fn due(&mut self, at: Duration) -> Option<T> {
        let (arrived, _) = self.held.front()?;
        if at < *arrived + self.delay {
            return None;
        }
        self.held.pop_front().map(|(_, event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_event_is_held_for_the_same_time_and_none_overtakes_another() {
        let mut line = DelayLine::new(SECOND * 30);
        line.put(SECOND, 'a');
        line.put(SECOND * 2, 'b');
        line.put(SECOND * 2, 'c');
        assert_eq!((line.due(Duration::from_millis(30_999)), line.len()), (None, 3));
        assert_eq!((line.due(SECOND * 31), line.due(SECOND * 31)), (Some('a'), None));
        assert_eq!([(); 3].map(|()| line.due(SECOND * 32)), [Some('b'), Some('c'), None]);
    }

    #[test]
    fn without_a_delay_events_are_due_at_once() {
        let mut line = DelayLine::new(Duration::ZERO);
        line.put(SECOND, 'a');
        assert_eq!((line.is_delayed(), line.due(SECOND)), (false, Some('a')));
    }
}
