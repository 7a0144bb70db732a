//! The one place that reads a clock.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};
pub use tokio::time::{Instant, sleep_until, timeout_at};

/// Now, on a monotonic clock; under a test's paused time, that time.
pub fn now() -> Instant {
    Instant::now()
}

/// The clock that goes on while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SLEEPLESS: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SLEEPLESS: ClockId = ClockId::Monotonic;

/// How long the machine has been suspended since it was started, as far as its clocks can tell; never, on systems other
/// than Linux. Costs what three readings of a clock cost.
pub fn suspended() -> Suspended {
    // The one between the two is thereby known to have been read at a moment between theirs, however long the three took.
    let before = reading(ClockId::Monotonic);
    let boottime = reading(SLEEPLESS);
    let after = reading(ClockId::Monotonic);
    Suspended { least: boottime.saturating_sub(after), most: boottime.saturating_sub(before) }
}

/// Bounds on how long the machine has been suspended since it was started. Two clocks tell, of which one stands still
/// meanwhile; but they can't be read at one moment, and a busy machine may let any time pass between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// Not less than this.
    pub least: Duration,
    /// Not more than this.
    pub most: Duration,
}

/// Finds out how long the machine has slept since the watch began.
#[derive(Clone, Copy)]
pub struct SleepWatch<'a> {
    read: &'a (dyn Fn() -> Suspended + Sync),
    /// It had been suspended for no longer than this when the watch began.
    most_before: Duration,
}

impl<'a> SleepWatch<'a> {
    /// A watch that begins now and reads its clocks by `read`, which is [`suspended`] but for tests.
    pub fn new(read: &'a (dyn Fn() -> Suspended + Sync)) -> Self {
        Self { read, most_before: read().most }
    }

    /// How long the machine has slept for certain since the watch began. That the arena was kept waiting by a busy machine
    /// never counts as sleep.
    pub fn slept(&mut self) -> Duration {
        let Suspended { least, most } = (self.read)();
        // What had been slept before can't be more than what has been slept by now: this makes up for a first reading that
        // took long.
        self.most_before = self.most_before.min(most);
        least.saturating_sub(self.most_before)
    }
}

impl std::fmt::Debug for SleepWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SleepWatch").field("most_before", &self.most_before).finish_non_exhaustive()
    }
}

/// Tells how old the system's stamps are on what it received. They are of the wall clock, which somebody may set: then none
/// is believed until the next.
#[derive(Clone, Debug)]
pub struct Stamps {
    /// A moment from which others are counted.
    origin: Instant,
    /// By how much the wall clock was ahead of the time since `origin` when they were last read.
    ahead: Duration,
}

/// By how much the two clocks may seem to have moved against each other while nobody set one: they can't be read at the same
/// moment. What is left of that is the error that a stamp may have.
const DRIFT: Duration = Duration::from_millis(1);

/// How often they are read at most until nothing has come between: a busy machine may do so, but hardly again and again.
const READINGS: usize = 4;

impl Stamps {
    /// Stamps from now on.
    pub fn begin() -> Self {
        let mut stamps = Self { origin: now(), ahead: Duration::MAX };
        stamps.read(Duration::ZERO);
        stamps
    }

    /// When the wall clock showed `stamp`; now, where it can't be believed.
    pub fn read(&mut self, stamp: Duration) -> Instant {
        let mut least = Duration::MAX;
        for _ in 0..READINGS {
            // A reading of a clock may take a tenth of a microsecond, and every one is within somebody's turn.
            let now = now();
            let wall = reading(ClockId::Realtime);
            // What comes between the two makes it more.
            least = least.min(wall.saturating_sub(now - self.origin));
            if least.abs_diff(self.ahead) <= DRIFT {
                // Kept at its least: what came between two readings must not add up from one stamp to the next.
                self.ahead = self.ahead.min(least);
                return now.checked_sub(wall.saturating_sub(stamp)).unwrap_or(now);
            }
        }
        self.ahead = least;
        now()
    }
}

/// The time on a monotonic clock of the system's own, even under a test's paused time.
pub fn uptime() -> Duration {
    reading(ClockId::Monotonic)
}

/// What a thread has spent so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// On a CPU.
    pub running: Duration,
    /// Waiting for one.
    pub waiting: Duration,
}

impl Spent {
    /// What has been spent since `before`.
    pub fn since(self, before: Self) -> Duration {
        (self.running + self.waiting).saturating_sub(before.running + before.waiting)
    }
}

/// What this thread has spent; `None` where the system does not tell.
pub fn spent() -> Option<Spent> {
    schedstat("/proc/thread-self/schedstat".as_ref())
}

/// What the thread has spent that this file tells of.
pub fn schedstat(file: &std::path::Path) -> Option<Spent> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut nanos = text.split_whitespace().map(|number| number.parse().ok().map(Duration::from_nanos));
    Some(Spent { running: nanos.next()??, waiting: nanos.next()?? })
}

/// What a clock shows.
fn reading(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
}

/// The CPU time that the process `pid` has used so far with all its threads and with the children that it has waited for;
/// `None` if there is no such process. What the children used is known in the system's ticks only, of 10 ms as a rule.
pub fn cpu_used(pid: i32) -> Option<Duration> {
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(pid)).ok()?;
    let own = Duration::from(nix::time::clock_gettime(clock).ok()?);
    // Behind the name, which may hold anything, the state is field 3; the children's times are 16 and 17.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    let tick = Duration::from_secs(1) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100).max(1);
    let waited_for = tick * u32::try_from(ticks(16) + ticks(17)).unwrap_or(u32::MAX);
    Some(own + waited_for)
}

/// Today's date, UTC, as game logs have it: `2026.11.21`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_busy_machine_never_seems_to_sleep_and_sleep_is_found_as_well_as_the_readings_tell(
            slept in 0..10_000_u64,
            // What passed before and behind the middle of each reading, in milliseconds.
            awake in proptest::collection::vec((0..3_000_u64, 0..3_000_u64), 1..6),
            woken in proptest::collection::vec((0..3_000_u64, 0..3_000_u64), 1..6),
        ) {
            let start = 10_000;
            let readings = awake.iter().map(|around| (start, around)).chain(woken.iter().map(|around| (start + slept, around)));
            let readings = Mutex::new(readings);
            let read = || {
                let (total, &(below, above)) = readings.lock().unwrap().next().unwrap();
                Suspended { least: Duration::from_millis(total - below), most: Duration::from_millis(total + above) }
            };
            let mut watch = SleepWatch::new(&read);
            for _ in &awake[1..] {
                prop_assert_eq!(watch.slept(), Duration::ZERO);
            }
            let quickest = awake.iter().map(|(_, above)| above).min().unwrap();
            for (below, _) in &woken {
                let found = watch.slept();
                prop_assert!(found <= Duration::from_millis(slept));
                prop_assert!(found + Duration::from_millis(below + quickest) >= Duration::from_millis(slept));
            }
        }
    }

    #[test]
    fn a_stamp_is_as_old_as_it_is_unless_somebody_sets_the_clock() {
        let mut stamps = Stamps::begin();
        let ago = Duration::from_millis(300);
        let older = reading(ClockId::Realtime).saturating_sub(ago);
        assert!(stamps.read(older) + ago <= now());
        let before = now();
        assert!(stamps.read(older + Duration::from_hours(1)) >= before);
        // An hour ahead before, and not now.
        stamps.ahead += Duration::from_hours(1);
        assert!(stamps.read(older) >= before);
        assert!(stamps.read(older) + ago <= now());
    }

    #[test]
    fn what_comes_between_the_readings_does_not_add_up() {
        let mut stamps = Stamps::begin();
        // The next reading then seems to have been held up for half of what is allowed.
        stamps.ahead -= DRIFT / 2;
        let before = stamps.ahead;
        stamps.read(reading(ClockId::Realtime));
        assert_eq!(stamps.ahead, before);
    }

    #[test]
    fn the_clocks_of_this_machine_agree_while_it_is_awake() {
        let mut watch = SleepWatch::new(&suspended);
        let Suspended { least, most } = suspended();
        assert!(least <= most);
        assert_eq!(watch.slept(), Duration::ZERO);
    }
}
