//! When changed sources count as saved: once they have not changed again for a moment.

use std::time::Duration;

/// How long sources have to stay unchanged. Editors write several files one after another, and `git` may write many.
pub(crate) const STILL: Duration = Duration::from_millis(700);

/// The result of looking at the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceLook {
    /// The sources are the ones that were last reported as saved.
    Same,
    /// The sources are changing.
    Changing,
    /// The sources have changed, and have stayed unchanged since. This is reported once.
    Saved,
}

/// Watches sources. A state of the sources is an `S`, such as the names of the files and when they were written.
#[derive(Clone, Debug)]
pub(crate) struct SourceWatch<S> {
    /// The state that was last reported as saved.
    saved: Option<S>,
    /// The state that was seen last, and when it was first seen; `None` if it has been reported.
    pending: Option<(S, Duration)>,
}

impl<S> Default for SourceWatch<S> {
    fn default() -> Self {
        Self { saved: None, pending: None }
    }
}

impl<S: PartialEq> SourceWatch<S> {
    /// Records the state `seen` at the time `now`. The first state counts as saved immediately.
    pub(crate) fn look(&mut self, now: Duration, seen: S) -> SourceLook {
        if self.saved.is_none() {
            self.saved = Some(seen);
            return SourceLook::Saved;
        }
        if self.saved.as_ref() == Some(&seen) {
            self.pending = None;
            return SourceLook::Same;
        }
        match self.pending.take() {
            Some((before, since)) if before == seen => {
                if now.saturating_sub(since) < STILL {
                    self.pending = Some((before, since));
                    return SourceLook::Changing;
                }
                self.saved = Some(seen);
                SourceLook::Saved
            }
            _ => {
                self.pending = Some((seen, now));
                SourceLook::Changing
            }
        }
    }
}

/// How long the sources have to be unreadable before this is reported. A directory may disappear while it is read.
const LASTING: Duration = Duration::from_secs(2);

/// Failed attempts to look at the sources.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FailedLooks {
    /// When the first of them failed, and whether the failure has been reported.
    since: Option<(Duration, bool)>,
}

impl FailedLooks {
    /// Records an attempt that failed at the time `now`. Returns whether to report the failure, which happens once for
    /// each series of attempts that lasts long enough.
    pub(crate) fn failed(&mut self, now: Duration) -> bool {
        let (since, told) = self.since.unwrap_or((now, false));
        let lasts = !told && now.saturating_sub(since) >= LASTING;
        self.since = Some((since, told || lasts));
        lasts
    }

    /// Records an attempt that succeeded.
    pub(crate) fn succeeded(&mut self) {
        self.since = None;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn the_first_look_is_a_save_and_a_change_is_one_once_it_is_still() {
        let mut watch = SourceWatch::default();
        let looks = [
            (0, 1, SourceLook::Saved),
            (100, 1, SourceLook::Same),
            (200, 2, SourceLook::Changing),
            (800, 2, SourceLook::Changing),
            (850, 3, SourceLook::Changing),
            (1500, 3, SourceLook::Changing),
            (1550, 3, SourceLook::Saved),
            (1650, 3, SourceLook::Same),
        ];
        for (millis, state, expected) in looks {
            assert_eq!(watch.look(at(millis), state), expected, "{millis}");
        }
    }

    #[test]
    fn sources_that_stay_unreadable_are_told_once_and_again_after_a_look_that_worked() {
        let mut looks = FailedLooks::default();
        for (millis, expected) in [(0, false), (1900, false), (2000, true), (2250, false), (9000, false)] {
            assert_eq!(looks.failed(at(millis)), expected, "{millis}");
        }
        looks.succeeded();
        for (millis, expected) in [(10_000, false), (11_000, false), (12_500, true), (13_000, false)] {
            assert_eq!(looks.failed(at(millis)), expected, "{millis}");
        }
    }

    #[test]
    fn a_change_that_is_undone_before_it_is_still_is_no_save() {
        let mut watch = SourceWatch::default();
        assert_eq!(watch.look(at(0), 1), SourceLook::Saved);
        assert_eq!(watch.look(at(100), 2), SourceLook::Changing);
        assert_eq!(watch.look(at(200), 1), SourceLook::Same);
        assert_eq!(watch.look(at(900), 2), SourceLook::Changing);
    }

    proptest! {
        /// However sources change, each reported state has lasted long enough, and the last one is always reported.
        #[test]
        fn only_still_states_are_saved_and_the_last_one_is(changes in prop::collection::vec((1..900_u64, 0..4_u8), 1..40)) {
            let mut watch = SourceWatch::default();
            let (mut now, mut first_seen, mut before, mut saved) = (0, 0, None, None);
            let end = [(100, changes[changes.len() - 1].1), (900, changes[changes.len() - 1].1)];
            for (pause, state) in changes.iter().chain(&end) {
                now += pause;
                if before != Some(*state) {
                    first_seen = now;
                }
                before = Some(*state);
                if watch.look(at(now), *state) == SourceLook::Saved {
                    prop_assert!(saved.is_none() || at(now - first_seen) >= STILL);
                    prop_assert_ne!(saved, Some(*state));
                    saved = Some(*state);
                }
            }
            prop_assert_eq!(saved, before);
        }
    }
}
