//! When a directory that is being written counts as complete: once it has not changed for a while. The decision itself
//! accesses neither the directory nor a clock.

use std::time::Duration;

use crate::base::time::{Instant, WallTime};

/// How long a directory must stay unchanged before it is taken.
pub(super) const STILL: Duration = Duration::from_secs(10);

/// If the last poll of a directory fails, it is repeated at intervals of `REPEATED_EVERY` until `REPEATED_FOR` after
/// the door closes. This time is short, because a later poll finds the files as they are by then, not as they were when
/// the door closed.
const REPEATED_FOR: Duration = Duration::from_mins(2);
const REPEATED_EVERY: Duration = Duration::from_secs(10);

/// What is known about a directory. `S` is the type of its state, as seen by one poll.
#[derive(Debug)]
pub(super) struct Stillness<S> {
    /// The state that was taken last.
    taken: Option<SeenState<S>>,
    /// The state that has not been taken yet.
    new: Option<SeenState<S>>,
}

/// The terms for polling the directory of an open door. Both values may change while the door is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PollTerms {
    /// How long to wait before the next poll of a directory in which nothing is new.
    pub(super) poll: Duration,
    /// When the door closes. A state counts if it was seen by then.
    pub(super) closes: Option<WallTime>,
}

/// A state of a directory.
#[derive(Debug)]
struct SeenState<S> {
    state: S,
    /// When the state was first seen.
    since: Instant,
    /// The wall-clock time at that moment, which counts as the arrival of the hand-in.
    arrived: WallTime,
}

/// What to do after a poll of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderStep {
    /// Poll again.
    Poll(NextPoll),
    /// Take the directory as it is. It has not changed since this time.
    Take(WallTime),
    /// The door is closed: nothing new can count any more.
    Closed,
}

/// When to poll next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NextPoll {
    pub(super) wait: Duration,
    /// The wall-clock time at which the poll counts as made, if that is not the actual time: the last poll is meant for
    /// the moment when the door closes, but may be made a little later.
    pub(super) counts_as: Option<WallTime>,
}

/// When to poll next at a door that closes at `closes`, if the next poll is due after `wait` and the wall-clock time is
/// `now`.
fn next_poll(now: WallTime, wait: Duration, closes: Option<WallTime>) -> NextPoll {
    match closes.and_then(|closes| closes.duration_since(now).ok().filter(|left| !left.is_zero())) {
        Some(left) if left <= wait => NextPoll { wait: left, counts_as: closes },
        _ => NextPoll { wait, counts_as: None },
    }
}

/// Like [`next_poll`], after a poll that began at `began` and ended at `ended`. If the door closed during the poll, the
/// last poll follows immediately.
pub(super) fn poll_after(began: WallTime, ended: WallTime, wait: Duration, closes: Option<WallTime>) -> NextPoll {
    match closes {
        Some(close) if began < close && close <= ended => NextPoll { wait: Duration::ZERO, counts_as: closes },
        _ => next_poll(ended, wait, closes),
    }
}

/// When to poll next, after a poll that began at `began` and ended at `ended`; `is_well` says whether that poll
/// succeeded. `None` means that the door is closed: its last poll was made, or has failed for too long.
pub(super) fn next_after(
    (began, is_well): (WallTime, bool),
    ended: WallTime,
    wait: Duration,
    closes: Option<WallTime>,
) -> Option<NextPoll> {
    match closes {
        Some(close) if began >= close => {
            let is_repeated = !is_well && ended < close + REPEATED_FOR;
            is_repeated.then(|| NextPoll { wait: REPEATED_EVERY, counts_as: closes.filter(|close| began == *close) })
        }
        _ => Some(poll_after(began, ended, wait, closes)),
    }
}

impl<S> Default for Stillness<S> {
    /// Nothing is known yet.
    fn default() -> Self {
        Self { taken: None, new: None }
    }
}

impl<S: PartialEq> Stillness<S> {
    /// Decides what to do about a directory whose state is `state`, or `None` if there is no directory. The time is
    /// `now`, and `day` is the wall-clock time.
    pub(super) fn poll(&mut self, state: Option<S>, now: Instant, day: WallTime, terms: PollTerms) -> FolderStep {
        let PollTerms { poll, closes } = terms;
        let step = |wait| FolderStep::Poll(next_poll(day, wait, closes));
        let Some(state) = state.filter(|state| self.taken.as_ref().is_none_or(|taken| taken.state != *state)) else {
            self.new = None;
            // The poll at the closing time is the last one.
            return if closes.is_some_and(|closes| day >= closes) { FolderStep::Closed } else { step(poll) };
        };
        match &self.new {
            // The closing time may have been moved to an earlier time since the state was seen.
            Some(new) if new.state == state && closes.is_none_or(|closes| new.arrived <= closes) => {
                let still = now.saturating_duration_since(new.since);
                if still >= STILL { FolderStep::Take(new.arrived) } else { step(STILL.saturating_sub(still)) }
            }
            _ if closes.is_some_and(|closes| day > closes) => FolderStep::Closed,
            _ => {
                self.new = Some(SeenState { state, since: now, arrived: day });
                step(STILL)
            }
        }
    }

    /// Notes that a copy was complete at the time `now`, and that the state of the directory was `after` at that time.
    /// Returns whether the copy counts: it does not if the directory changed in the meantime.
    pub(super) fn copied(&mut self, after: Option<S>, now: Instant, day: WallTime, closes: Option<WallTime>) -> bool {
        let before = self.new.take();
        if before.is_some() && before.as_ref().map(|before| &before.state) == after.as_ref() {
            self.taken = before;
            return true;
        }
        let is_late = closes.is_some_and(|closes| day > closes);
        self.new = after.filter(|_| !is_late).map(|state| SeenState { state, since: now, arrived: day });
        false
    }

    /// Records that the copy could not be made, so that the directory is taken again, with the same time of arrival.
    pub(super) fn not_copied(&mut self) {
        self.new = self.taken.take();
    }

    /// Whether there is a state that has not been taken yet.
    pub(super) const fn is_waiting(&self) -> bool {
        self.new.is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::time::now;

    const POLL: Duration = Duration::from_mins(2);

    /// Simulates repeated polls of a directory, for at most `most` seconds, while its state changes at the times in
    /// `changes`, in seconds. Returns the states that were taken, each with the second in which the copy was complete,
    /// and the second in which the hand-in arrived.
    fn taken(changes: &[u64], closes: Option<u64>, most: u64) -> Vec<(usize, u64, u64)> {
        let start = now();
        let day = |second| WallTime::UNIX_EPOCH + Duration::from_secs(second);
        let state = |second: u64| changes.iter().filter(|change| **change <= second).count();
        let (mut stillness, closes) = (Stillness::default(), closes.map(day));
        let terms = PollTerms { poll: POLL, closes };
        let (mut second, mut counts_as, mut taken) = (0, None, Vec::new());
        while second < most {
            let seen = state(second);
            let time = start + Duration::from_secs(second);
            match stillness.poll((seen > 0).then_some(seen), time, counts_as.take().unwrap_or(day(second)), terms) {
                FolderStep::Poll(next) => {
                    // Every poll is made a second late.
                    second += next.wait.as_secs() + 1;
                    counts_as = next.counts_as;
                }
                // Copying takes three seconds.
                FolderStep::Take(arrived) => {
                    second += 3;
                    if stillness.copied(Some(state(second)), start + Duration::from_secs(second), day(second), closes) {
                        let arrived = arrived.duration_since(WallTime::UNIX_EPOCH).expect("later").as_secs();
                        taken.push((seen, second, arrived));
                    }
                }
                FolderStep::Closed => break,
            }
        }
        taken
    }

    #[test]
    fn a_change_is_taken_once_it_is_still_and_only_once() {
        // The change is noticed at 121, taken at 132, and copied by 135.
        assert_eq!(taken(&[5], None, 1000), [(1, 135, 121)]);
        // A second change within the ten seconds restarts the wait.
        assert_eq!(taken(&[5, 125], None, 1000), [(2, 146, 132)]);
        // A change while the directory is being copied invalidates the copy.
        assert_eq!(taken(&[5, 134], None, 1000), [(2, 149, 135)]);
        assert_eq!(taken(&[], None, 1000), []);
    }

    #[test]
    fn what_was_there_when_the_door_closed_counts_and_nothing_later_does() {
        // The door closes between two polls.
        assert_eq!(taken(&[5, 190], Some(200), 1000), [(1, 135, 121), (2, 215, 200)]);
        assert_eq!(taken(&[5, 202], Some(200), 1000), [(1, 135, 121)]);
        // The directory still changes after the door has closed.
        assert_eq!(taken(&[5, 190, 205], Some(200), 1000), [(1, 135, 121)]);
        // The change was seen before the door closed, and is copied afterwards.
        assert_eq!(taken(&[195], Some(243), 1000), [(1, 256, 242)]);
    }

    proptest! {
        #[test]
        fn whatever_is_taken_was_still_and_the_last_state_is_always_taken(
            changes in proptest::collection::btree_set(1..2_000_u64, 0..30),
        ) {
            let changes: Vec<u64> = changes.into_iter().collect();
            let taken = taken(&changes, None, 3_000);
            for (state, second, arrived) in &taken {
                // The three seconds of copying, and ten before that.
                let is_during = |change: &u64| *change > second - 13 && change <= second;
                prop_assert!(!changes.iter().any(is_during), "{state} at {second}: {changes:?}");
                prop_assert!(arrived + 13 <= *second);
            }
            prop_assert_eq!(taken.last().map_or(0, |(state, ..)| *state), changes.len());
            prop_assert!(taken.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }

    #[test]
    fn the_last_poll_is_when_the_door_closes() {
        let at = |seconds| WallTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let poll =
            |wait, counts_as: Option<u64>| NextPoll { wait: Duration::from_secs(wait), counts_as: counts_as.map(at) };
        let (wait, closes) = (Duration::from_mins(2), Some(at(1000)));
        assert_eq!(next_poll(at(100), wait, None), poll(120, None));
        assert_eq!(next_poll(at(100), wait, closes), poll(120, None));
        assert_eq!(next_poll(at(900), wait, closes), poll(100, Some(1000)));
        for late in [1000, 1001] {
            assert_eq!(next_poll(at(late), wait, closes), poll(120, None));
        }
        // The door has closed during a poll, which may have missed changes made after it began.
        assert_eq!(poll_after(at(990), at(1010), wait, closes), poll(0, Some(1000)));
        assert_eq!(poll_after(at(1000), at(1010), wait, closes), poll(120, None));
        assert_eq!(poll_after(at(900), at(950), wait, closes), poll(50, Some(1000)));
        assert_eq!(poll_after(at(900), at(950), wait, None), poll(120, None));
    }

    #[test]
    fn a_last_poll_that_fails_is_repeated_for_a_while() {
        let at = |seconds| WallTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let poll = |wait, counts_as: Option<u64>| {
            Some(NextPoll { wait: Duration::from_secs(wait), counts_as: counts_as.map(at) })
        };
        let next = |began, is_well, ended| next_after((at(began), is_well), at(ended), POLL, Some(at(1000)));
        for is_well in [true, false] {
            assert_eq!(next(900, is_well, 950), poll(50, Some(1000)));
            assert_eq!(next(990, is_well, 1300), poll(0, Some(1000)), "what came after 990 was not seen");
            assert_eq!(next(1000, is_well, 1120), None);
        }
        assert_eq!(next(1000, true, 1001), None);
        assert_eq!(next(1000, false, 1119), poll(10, Some(1000)));
        assert_eq!(next(1001, false, 1119), poll(10, None));
        assert_eq!(next_after((at(1000), false), at(2000), POLL, None), poll(120, None));
    }

    #[test]
    fn a_copy_that_cannot_be_made_is_made_again_with_its_arrival_even_after_the_door_has_closed() {
        let at = |seconds| WallTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let (start, closes) = (now(), Some(at(3)));
        let mut stillness = Stillness::default();
        let mut poll = |second| {
            let terms = PollTerms { poll: POLL, closes };
            let step = stillness.poll(Some("a"), start + Duration::from_secs(second), at(second), terms);
            if matches!(step, FolderStep::Take(_)) {
                assert!(stillness.copied(Some("a"), start + Duration::from_secs(second), at(second), closes));
                stillness.not_copied();
            }
            step
        };
        assert!(matches!(poll(2), FolderStep::Poll(_)));
        assert_eq!([poll(12), poll(40)], [FolderStep::Take(at(2)); 2]);
        // The closing time was moved to a time before the arrival.
        let terms = PollTerms { poll: POLL, closes: Some(at(1)) };
        assert_eq!(stillness.poll(Some("a"), start + Duration::from_secs(50), at(50), terms), FolderStep::Closed);
    }
}
