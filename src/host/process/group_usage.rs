//! The resource usage of an unconfined child, as shown in /proc.

use std::fs;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use rustix::process::Pid;

use crate::referee::usage::Usage;

/// The resource usage of a child, as observed so far.
///
/// For a zombie, the system still shows the CPU time and the written bytes, including those of its reaped children, but
/// no longer the memory. The arena therefore samples a process while it is alive, and once more between its end and the
/// wait(2) that reaps it.
#[derive(Debug)]
pub(super) struct GroupUsage {
    /// The child itself, until it has been waited for. After that, another process can have the same id.
    leader: Option<Pid>,
    /// The child's process group, which has the same id as the child.
    group: Pid,
    /// Whether the child is the only process in its group.
    single: bool,
    /// The usage of the child itself, as of the last sample.
    own: Figures,
    /// The usage of the whole group: the highest value of each figure so far.
    most: Figures,
}

/// The usage of one or more processes. The times and the written bytes of a process include those of the children that
/// the process has waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    user_ticks: u64,
    system_ticks: u64,
    peak_memory: u64,
    processes: u64,
    written: u64,
}

impl Figures {
    fn plus(self, other: Self) -> Self {
        Self {
            user_ticks: self.user_ticks + other.user_ticks,
            system_ticks: self.system_ticks + other.system_ticks,
            peak_memory: self.peak_memory + other.peak_memory,
            processes: self.processes + other.processes,
            written: self.written + other.written,
        }
    }

    fn most(self, other: Self) -> Self {
        Self {
            user_ticks: self.user_ticks.max(other.user_ticks),
            system_ticks: self.system_ticks.max(other.system_ticks),
            peak_memory: self.peak_memory.max(other.peak_memory),
            processes: self.processes.max(other.processes),
            written: self.written.max(other.written),
        }
    }
}

impl GroupUsage {
    /// Begins to record the usage of a child that has just been started. `group` is the id of the child and of its
    /// group; `single` means that the child never starts another process.
    pub(super) fn open(group: Pid, single: bool) -> Self {
        Self { leader: Some(group), group, single, own: Figures::default(), most: Figures::default() }
    }

    /// Samples the child and its group. This costs a few reads from /proc, and, unless the child is single, a listing
    /// of all processes on the machine.
    pub(super) fn look(&mut self) {
        self.look_at_leader();
        if self.single {
            return;
        }
        let others = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = others.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let group = self.group.as_raw_nonzero().get();
        // A process that is younger than the child has a higher id, unless the system's ids have just wrapped around.
        // Examining all other processes would be too expensive at the end of a game.
        let members = numbers.filter(|&number| number > group).filter_map(|number| figures_of(number, group));
        let all = members.fold(self.own, Figures::plus);
        self.most = self.most.most(all);
    }

    fn look_at_leader(&mut self) {
        let Some(leader) = self.leader else { return };
        let number = leader.as_raw_nonzero().get();
        if let Some(figures) = figures_of(number, number) {
            self.own = self.own.most(figures);
            self.most = self.most.most(self.own);
        }
    }

    /// Waits for the child with `wait`. Samples the child before each poll, and so also between its end and the moment
    /// when it is reaped. This is cancel safe.
    pub(super) async fn watch<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        let waited = poll_fn(|cx| {
            self.look_at_leader();
            wait.as_mut().poll(cx)
        });
        let waited = waited.await;
        self.leader = None;
        // The child is no longer part of its group.
        (self.own.peak_memory, self.own.processes) = (0, 0);
        waited
    }

    /// The usage, without the wall time; `None` if nothing has been observed.
    pub(super) fn usage(&self) -> Option<Usage> {
        let ticks_per_second = rustix::param::clock_ticks_per_second().max(1);
        let time = |ticks: u64| Duration::from_micros(ticks.saturating_mul(1_000_000) / ticks_per_second);
        (self.most != Figures::default()).then(|| Usage {
            user: time(self.most.user_ticks),
            system: time(self.most.system_ticks),
            wall: Duration::ZERO,
            peak_memory: self.most.peak_memory,
            processes: self.most.processes,
            written: self.most.written,
        })
    }
}

/// The usage of the process `number`, if it exists and belongs to `group`.
fn figures_of(number: i32, group: i32) -> Option<Figures> {
    let read = |file: &str| fs::read_to_string(format!("/proc/{number}/{file}")).ok();
    let figures = parse_stat(&read("stat")?, group)?;
    // A program can hide its memory, and some kernels do not count written bytes. In that case, the figure is 0.
    let status = read("status").unwrap_or_default();
    let io = read("io").unwrap_or_default();
    let kibibytes = value(&status, "VmHWM:").unwrap_or(0);
    Some(Figures { peak_memory: kibibytes.saturating_mul(1024), written: value(&io, "wchar:").unwrap_or(0), ..figures })
}

/// The usage shown in `stat`, the contents of a process's `stat` file, if the process belongs to `group`.
fn parse_stat(stat: &str, group: i32) -> Option<Figures> {
    // The process name, which can contain any character, is followed by field 3, the state.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let own = |number: usize| field(number).unwrap_or(0);
    (field(5)? == u64::try_from(group).ok()?).then(|| Figures {
        user_ticks: own(14) + own(16),
        system_ticks: own(15) + own(17),
        // A zombie has no threads left, but it had at least one.
        processes: own(20).max(1),
        ..Figures::default()
    })
}

/// The number that follows `name` at the beginning of a line of `text`.
fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The `stat` file of a process of group 7 with the name `a) b 1 2`.
    fn stat(state: char, threads: u64) -> String {
        format!("9 (a) b 1 2) {state} 1 7 7 0 -1 0 0 0 0 0 11 12 13 14 20 0 {threads} 0 99 4096 1")
    }

    #[test]
    fn times_of_the_process_and_of_its_children_are_added_and_names_may_hold_anything() {
        let figures = Figures { user_ticks: 24, system_ticks: 26, processes: 4, ..Figures::default() };
        assert_eq!(parse_stat(&stat('S', 4), 7), Some(figures));
        assert_eq!(parse_stat(&stat('Z', 0), 7), Some(Figures { processes: 1, ..figures }), "a process that has ended");
        assert_eq!(parse_stat(&stat('S', 4), 8), None, "a process of another group");
        assert_eq!(parse_stat("", 7), None);
    }

    #[test]
    fn values_are_found_by_their_lines() {
        let status = "Name:\tVmHWM: 3\nVmPeak:\t  100 kB\nVmHWM:\t   2048 kB\n";
        assert_eq!(value(status, "VmHWM:"), Some(2048));
        assert_eq!(value(status, "wchar:"), None);
    }

    #[tokio::test]
    async fn what_a_child_used_is_known_after_it_has_been_waited_for() {
        let mut command = tokio::process::Command::new("sh");
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; (echo 12345 >&2)";
        command.args(["-c", script]).process_group(0).stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let number = i32::try_from(child.id().expect("it runs")).expect("a number");
        let mut account = GroupUsage::open(Pid::from_raw(number).expect("a number"), false);
        assert!(account.watch(child.wait()).await.expect("it ends").success());
        account.look();
        let usage = account.usage().expect("the child was observed");
        assert!(usage.cpu() >= Duration::from_millis(10) && usage.cpu() < Duration::from_mins(1), "{usage:?}");
        assert_eq!(usage.written, 6, "the bytes that its child wrote");
        assert_eq!(usage.processes, 1);
    }
}
