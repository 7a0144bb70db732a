//! Tests with real programs that starve or that keep themselves waiting. The programs are measured through their
//! threads and, if possible, also through a control group.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::*;
use crate::base::machine::{Hierarchy, Place};
use crate::base::time::process_cpu;
use crate::host::sandbox::bind;

const SPIN: &str = "while :; do :; done";

/// Threads that run without holding Python's global lock.
const EIGHT_THREADS: &str = "import hashlib, threading
spin = lambda: hashlib.pbkdf2_hmac('sha256', b'x', b'y', 2**31 - 1)
for _ in range(8):
    threading.Thread(target=spin).start()
";

/// A program and all its processes, on one core. The processes are killed on drop.
struct Running {
    child: Child,
    group: Option<PathBuf>,
}

impl Running {
    fn start(command: &[&str]) -> Self {
        Self::start_with(None, command)
    }

    fn start_with(group: Option<PathBuf>, command: &[&str]) -> Self {
        let mut started = Command::new(command[0]);
        started.args(&command[1..]).process_group(0).stdin(Stdio::null());
        // The program inherits its core from this thread, so even its first children are pinned to that core.
        let allowed = sched_getaffinity(None).expect("known");
        bind(None, &[core()]);
        let child = started.spawn();
        sched_setaffinity(None, &allowed).expect("as before");
        Self { child: child.expect("it starts"), group }
    }

    /// Starts the program in its own control group, `group`.
    fn start_in(group: PathBuf, command: &[&str]) -> Self {
        // The shell moves into the group before it executes the program, so that no child is left behind.
        let script = format!("echo 0 > '{}'/cgroup.procs && exec \"$@\"", group.display());
        let command = [&["sh", "-c", &script, "sh"], command].concat();
        Self::start_with(Some(group), &command)
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The number of threads of the program and its children.
    fn tasks(&self) -> usize {
        processes_of(self.pid()).iter().map(|dir| fs::read_dir(dir).map_or(0, Iterator::count)).sum()
    }

    /// Waits until the program and its children have at least `tasks` threads.
    fn with_tasks(self, tasks: usize) -> Self {
        let begun = now();
        while self.tasks() < tasks {
            assert!(begun.elapsed() < Duration::from_mins(1), "{} of {tasks}", self.tasks());
            pause();
        }
        self
    }

    /// Waits until the program `sleep` is asleep. It needs a core while it starts.
    fn asleep(self) -> Self {
        let begun = now();
        let is_asleep = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
            let name = fs::read_to_string(format!("/proc/{}/comm", self.pid()));
            name.is_ok_and(|name| name == "sleep\n") && stat.contains(") S ")
        };
        while !is_asleep() {
            assert!(begun.elapsed() < Duration::from_mins(1), "the program does not sleep");
            pause();
        }
        self
    }

    /// The CPU time that the program and its children have used.
    fn used(&self) -> Duration {
        let pids = processes_of(self.pid()).into_iter();
        let pids = pids.filter_map(|dir| dir.parent()?.file_name()?.to_str()?.parse().ok());
        pids.filter_map(process_cpu).map(|cpu| cpu.own).sum()
    }

    /// Measures how long the program is starved until it has used the additional CPU time `more`.
    fn measured(&self, stages: usize, more: Duration) -> Option<Starvation> {
        let mut meter = StarvationMeter::new(Some(ProgramRoot { pid: self.pid(), stages, group: self.group.clone() }));
        let (begun, before) = (now(), self.used());
        loop {
            meter.look();
            if self.used() >= before + more {
                break;
            }
            assert!(begun.elapsed() < Duration::from_mins(1), "the program gets no core");
            pause();
        }
        meter.end();
        meter.starvation()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
        if let Some(group) = &self.group {
            while fs::remove_dir(group).is_err() && group.exists() {
                pause();
            }
        }
    }
}

/// Yields the core to other processes, for which the test is waiting.
fn pause() {
    std::thread::sleep(Duration::from_millis(5));
}

/// The directories with the threads of a process and of its children.
fn processes_of(pid: u32) -> Vec<PathBuf> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let pids = std::iter::once(pid.to_string()).chain(children.split_whitespace().map(str::to_owned));
    pids.map(|pid| PathBuf::from(format!("/proc/{pid}/task"))).collect()
}

/// The core that all programs of these tests share.
fn core() -> u32 {
    let allowed = sched_getaffinity(None).expect("known");
    let last = (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu)).expect("a core");
    u32::try_from(last).expect("a number")
}

/// Creates a control group, in version 2 of the interface, for which the kernel reports starvation; `None` if the tests
/// cannot create one.
fn new_group(name: &str) -> Option<PathBuf> {
    let place = Place::here(Hierarchy::Unified)?;
    let dir = place.own.join(format!("gothello-test-{}-{name}", std::process::id()));
    fs::create_dir(&dir).ok()?;
    let is_told = is_measurable_by_group(&dir);
    let can_enter = fs::OpenOptions::new().write(true).open(dir.join("cgroup.procs")).is_ok();
    if !(is_told && can_enter) {
        fs::remove_dir(&dir).expect("removed");
    }
    (is_told && can_enter).then_some(dir)
}

/// Starts a program that is measured through its threads and, if possible, the same program again in a control group.
fn both_ways(name: &str, command: &[&str]) -> Vec<Running> {
    // Without control groups of version 2, only the threads are measured.
    let in_group = new_group(name).map(|group| Running::start_in(group, command));
    std::iter::once(Running::start(command)).chain(in_group).collect()
}

/// Three programs that compete for the core.
fn others() -> [Running; 3] {
    [(); 3].map(|()| Running::start(&["sh", "-c", SPIN]))
}

#[test]
fn a_program_is_starved_whose_core_others_use() {
    assert!(is_measurable_by_threads(), "all systems on which the tests run report this");
    for program in both_ways("single", &["sh", "-c", SPIN]) {
        let _others = others();
        let found = program.measured(0, Duration::from_millis(100)).expect("measured");
        assert!(found.explains_time_loss(), "{found}");
        assert!(found.starved + found.ran <= found.of + SLACK, "{found}");
    }
}

#[test]
fn a_stage_above_the_program_neither_starves_nor_runs() {
    let _others = others();
    let below = Running::start(&["sh", "-c", &format!("sh -c '{SPIN}' & wait")]).with_tasks(2);
    let found = below.measured(1, Duration::from_millis(100)).expect("measured");
    assert!(found.explains_time_loss(), "{found}");
    let above = Running::start(&["sh", "-c", &format!("sleep 600 & {SPIN}")]).with_tasks(2);
    let found = above.measured(1, Duration::from_millis(100)).expect("measured");
    assert!(!found.explains_time_loss() && found.ran < Duration::from_millis(100), "{found}");
}

#[test]
fn the_last_span_is_known_apart_from_all_spans() {
    let program = Running::start(&["sh", "-c", SPIN]);
    let mut meter = StarvationMeter::new(Some(ProgramRoot { pid: program.pid(), stages: 0, group: None }));
    let mut sum = Starvation::default();
    for _ in 0..3 {
        meter.look();
        meter.end();
        sum = sum.plus(meter.last_starvation().expect("measured"));
    }
    assert_eq!(meter.starvation(), Some(sum));
}

/// How much of a wait can lie before the span to which the system attributes the wait.
const SLACK: Duration = Duration::from_millis(300);

#[test]
fn threads_and_processes_that_keep_each_other_waiting_are_not_starved() {
    let children = "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait";
    for (name, command, tasks) in
        [("threads", ["python3", "-c", EIGHT_THREADS], 9), ("children", ["sh", "-c", children], 9)]
    {
        for program in both_ways(name, &command) {
            let program = program.with_tasks(tasks);
            let found = program.measured(0, Duration::from_secs(1)).expect("measured");
            // Whenever other programs leave the core free, one of the eight tasks runs, so each task waits for seven
            // eighths of the time that the core is free.
            assert!(found.ran >= Duration::from_millis(900), "{name}: {found}");
            assert!(found.starved + found.ran <= found.of + SLACK, "{name}: {found}");
        }
    }
}

#[test]
fn nothing_is_known_of_a_program_that_nobody_has_watched() {
    let mut meter = StarvationMeter::new(None);
    meter.look();
    meter.end();
    assert_eq!(meter.starvation(), None);
    let program = Running::start(&["sleep", "600"]).asleep();
    let mut meter = StarvationMeter::new(Some(ProgramRoot { pid: program.pid(), stages: 0, group: None }));
    assert_eq!(meter.starvation(), None);
    meter.look();
    assert_eq!((meter.starvation(), meter.last_starvation()), (None, None), "the span has not ended");
    meter.end();
    assert!(meter.starvation().is_some_and(|found| !found.explains_time_loss()));
    assert_eq!(meter.last_starvation(), meter.starvation());
}
