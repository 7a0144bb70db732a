//! The only place that reads a clock.

use std::time::Duration;
pub use std::time::SystemTime as WallTime;

use rustix::time::{ClockId, Timespec, clock_gettime};
pub use tokio::time::{Instant, sleep_until, timeout_at};

/// Returns the current time on a monotonic clock; if a test has paused the time, returns the paused time.
pub fn now() -> Instant {
    Instant::now()
}

/// Returns the time of day, which the machine's owner can set back or forward.
pub fn wall_clock() -> WallTime {
    WallTime::now()
}

/// The clock that keeps running while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SLEEPLESS: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SLEEPLESS: ClockId = ClockId::Monotonic;

/// Returns how long the machine has been suspended since it was started, as far as its clocks can tell; always zero on
/// systems other than Linux. This costs as much as three readings of a clock.
pub fn suspended() -> Suspended {
    // Two readings of the monotonic clock bracket that of the boot clock, however long the three readings take.
    let before = reading(ClockId::Monotonic);
    let boottime = reading(SLEEPLESS);
    let after = reading(ClockId::Monotonic);
    Suspended { least: boottime.saturating_sub(after), most: boottime.saturating_sub(before) }
}

/// Bounds on how long the machine has been suspended since it was started. They follow from two clocks, one of which
/// stops during a suspension. The clocks cannot be read at the same moment, and on a busy machine any amount of time
/// can pass between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspended {
    /// The machine was suspended for at least this long.
    pub least: Duration,
    /// The machine was suspended for at most this long.
    pub most: Duration,
}

/// Measures how long the machine has been suspended since the watch began.
#[derive(Clone, Copy)]
pub struct SleepWatch<'a> {
    read: &'a (dyn Fn() -> Suspended + Sync),
    /// The longest that the machine can have been suspended before the watch began.
    most_before: Duration,
}

impl<'a> SleepWatch<'a> {
    /// Starts a watch that reads its clocks with `read`, which is [`suspended`] except in tests.
    pub fn new(read: &'a (dyn Fn() -> Suspended + Sync)) -> Self {
        Self { read, most_before: read().most }
    }

    /// Returns how long the machine has certainly been suspended since the watch began. Time that the arena spent
    /// waiting for a busy machine never counts.
    pub fn slept(&mut self) -> Duration {
        let Suspended { least, most } = (self.read)();
        // The suspension before the watch began cannot exceed the total suspension so far. This corrects for a first
        // reading that took a long time.
        self.most_before = self.most_before.min(most);
        least.saturating_sub(self.most_before)
    }
}

impl std::fmt::Debug for SleepWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SleepWatch").field("most_before", &self.most_before).finish_non_exhaustive()
    }
}

/// Converts the system's timestamps of received data to the monotonic clock. The timestamps are from the wall clock,
/// which can be set at any time.
#[derive(Clone, Debug)]
pub struct Stamps {
    /// The moment from which the wall clock is measured.
    origin: Instant,
    /// The moment of the last timestamp. Data received later cannot be assigned an earlier one.
    last: Instant,
    /// How far the wall clock was ahead of the time since `origin` when both were last read.
    ahead: Duration,
}

/// How far the two clocks may seem to drift apart while the wall clock is not set, because they cannot be read at the
/// same moment. This drift is the error of a timestamp.
const DRIFT: Duration = Duration::from_millis(1);

/// The maximum number of attempts to read both clocks without an interruption. A busy machine may interrupt one
/// attempt, but hardly all of them.
const READINGS: usize = 4;

impl Stamps {
    /// Creates a converter for timestamps from now on.
    pub fn begin() -> Self {
        let origin = now();
        let mut stamps = Self { origin, last: origin, ahead: Duration::MAX };
        stamps.read(Duration::ZERO);
        stamps.last = origin;
        stamps
    }

    /// Returns the moment when the wall clock showed `stamp`, or the current time if `stamp` is not plausible.
    ///
    /// If the wall clock has been set since the last timestamp, `stamp` can be from before or after the change. If both
    /// possible moments are between the last timestamp and now, the result is the later one.
    pub fn read(&mut self, stamp: Duration) -> Instant {
        let moment = self.moment_of(stamp, || (now(), reading(ClockId::Realtime)));
        self.last = self.last.max(moment);
        moment
    }

    /// Implements [`Stamps::read`]. `both` reads the monotonic clock and then the wall clock.
    fn moment_of(&mut self, stamp: Duration, mut both: impl FnMut() -> (Instant, Duration)) -> Instant {
        let mut least = Duration::MAX;
        for _ in 0..READINGS {
            // Reading a clock can take a tenth of a microsecond, and every reading happens during a player's turn.
            let (now, wall) = both();
            // A delay between the two readings can only make the difference larger.
            least = least.min(wall.saturating_sub(now - self.origin));
            if least.abs_diff(self.ahead) <= DRIFT {
                // Keep the least difference: delays between two readings must not add up from one timestamp to the
                // next.
                self.ahead = self.ahead.min(least);
                return now.checked_sub(wall.saturating_sub(stamp)).unwrap_or(now);
            }
        }
        // The wall clock has been set, or every reading was interrupted.
        let before = std::mem::replace(&mut self.ahead, least);
        let (now, _) = both();
        let moments =
            [before, least].into_iter().filter_map(|ahead| self.origin.checked_add(stamp.checked_sub(ahead)?));
        moments.filter(|moment| (self.last - DRIFT..=now).contains(moment)).max().unwrap_or(now)
    }
}

/// Returns the time on the system's monotonic clock, even if a test has paused the time.
pub fn uptime() -> Duration {
    reading(ClockId::Monotonic)
}

/// Returns the CPU time that the calling thread has used so far.
pub fn thread_cpu() -> Duration {
    reading(ClockId::ThreadCPUTime)
}

/// How a thread has spent its time so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The time on a CPU.
    pub running: Duration,
    /// The time spent waiting for a CPU.
    pub waiting: Duration,
}

impl Spent {
    /// Returns the time spent since `before`.
    pub fn since(self, before: Self) -> Duration {
        (self.running + self.waiting).saturating_sub(before.running + before.waiting)
    }
}

/// Returns the time that this thread has spent; `None` if the system does not report it.
pub fn spent() -> Option<Spent> {
    schedstat("/proc/thread-self/schedstat".as_ref())
}

/// Reads the time that a thread has spent from its `schedstat` file.
pub fn schedstat(file: &std::path::Path) -> Option<Spent> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut nanos = text.split_whitespace().map(|number| number.parse().ok().map(Duration::from_nanos));
    Some(Spent { running: nanos.next()??, waiting: nanos.next()?? })
}

/// Reads `clock`.
fn reading(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
}

/// The CPU time that a process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessCpu {
    /// The time of all its threads, whether they are still alive or not.
    pub own: Duration,
    /// The time of the children that it has waited for and, recursively, of their children. It is known only in the
    /// system's ticks, which are usually 10 ms.
    pub waited_for: Duration,
}

/// Returns the CPU time that the process `pid` has used so far; `None` if there is no such process.
pub fn process_cpu(pid: i32) -> Option<ProcessCpu> {
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(pid)).ok()?;
    let own = Duration::from(nix::time::clock_gettime(clock).ok()?);
    // The name can contain any character, so count from its end: the state is field 3, and the children's times are 16
    // and 17.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    let tick = Duration::from_secs(1) / u32::try_from(rustix::param::clock_ticks_per_second()).unwrap_or(100).max(1);
    let waited_for = tick * u32::try_from(ticks(16) + ticks(17)).unwrap_or(u32::MAX);
    Some(ProcessCpu { own, waited_for })
}

/// Returns the CPU time that the process `pid` has used so far with all its threads and with the children that it has
/// waited for; `None` if there is no such process.
pub fn cpu_used(pid: i32) -> Option<Duration> {
    process_cpu(pid).map(|ProcessCpu { own, waited_for }| own + waited_for)
}

/// Returns the current time.
pub fn utc_now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Returns today's date in UTC, in the format of game logs: `2026.11.21`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y.%m.%d").to_string()
}

/// Returns the current time in UTC, to the second: `2026-11-21T14:05:09Z`.
pub fn timestamp() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_busy_machine_never_seems_to_sleep_and_sleep_is_measured_as_well_as_the_readings_allow(
            slept in 0..10_000_u64,
            // The milliseconds that passed before and after the middle of each reading.
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
    fn a_stamp_keeps_its_age_unless_somebody_sets_the_clock() {
        let mut stamps = Stamps::begin();
        let ago = Duration::from_millis(300);
        let older = reading(ClockId::Realtime).saturating_sub(ago);
        assert!(stamps.read(older) + ago <= now());
        let before = now();
        assert!(stamps.read(older + Duration::from_hours(1)) >= before);
        // The wall clock was an hour ahead, and has been set back.
        stamps.ahead += Duration::from_hours(1);
        assert!(stamps.read(older) >= before);
        assert!(stamps.read(older) + ago <= now());
    }

    proptest! {
        /// Tests that the arena may be stopped, or may wait for a CPU, between the arrival of some bytes and the
        /// reading of the clocks.
        #[test]
        fn no_wait_before_or_during_a_reading_makes_a_stamp_younger(
            arrived in 100..10_000_u64,
            waited in 0..5_000_u64,
            // The milliseconds between consecutive readings of the two clocks.
            between in proptest::collection::vec(0..100_u64, READINGS + 1),
            // The change of the wall clock, if it is set, and whether it is set before the bytes arrive.
            set_by in prop_oneof![Just(0_i64), -9_000_000..-10_000_i64, 20_000..9_000_000_i64],
            is_set_before in any::<bool>(),
        ) {
            let ms = Duration::from_millis;
            let start = ms(1_000_000_000);
            let origin = now();
            let mut stamps = Stamps { origin, last: origin, ahead: start };
            let wall = |at: u64, is_set: bool| {
                let by = ms(if is_set { set_by.unsigned_abs() } else { 0 });
                if set_by < 0 { (start + ms(at)).saturating_sub(by) } else { start + ms(at) + by }
            };
            let stamp = wall(arrived, is_set_before);
            // The two clocks alone cannot distinguish a delay from a clock that was set.
            let shortest = between[..READINGS].iter().copied().min().unwrap_or_default();
            let error = if set_by == 0 { DRIFT } else { ms(shortest).max(DRIFT) };
            let mut at = arrived + waited;
            let mut between = between.into_iter();
            let moment = stamps.moment_of(stamp, || {
                let before = at;
                at += between.next().expect("no more readings");
                (origin + ms(before), wall(at, true))
            });
            prop_assert!(moment <= origin + ms(arrived), "never younger");
            prop_assert!(moment + error >= origin + ms(arrived), "{:?} too old", origin + ms(arrived) - moment);
        }
    }

    #[test]
    fn a_stamp_that_fits_nothing_tells_the_moment_of_its_reading() {
        let origin = now();
        let mut stamps = Stamps { origin, last: origin, ahead: Duration::from_hours(9) };
        let mut at = origin + Duration::from_secs(7);
        let read_at = stamps.moment_of(Duration::from_hours(1), || {
            at += Duration::from_secs(1);
            (at, Duration::from_hours(4))
        });
        assert_eq!(read_at, at);
    }

    #[test]
    fn delays_between_readings_do_not_add_up() {
        let mut stamps = Stamps::begin();
        // The next reading then seems to have been delayed by half of the allowed time.
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
