//! Gives way to more important threads.

use std::io;

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{CpuSet, gettid, sched_setaffinity};

/// Lowers the priority of this thread by `steps` of niceness. This has an effect only on Linux, where niceness belongs
/// to a thread.
///
/// # Errors
/// Fails if the system refuses.
pub fn step_back(steps: i32) -> io::Result<()> {
    if cfg!(any(target_os = "linux", target_os = "android")) {
        let thread = Some(gettid());
        setpriority_process(thread, getpriority_process(thread)? + steps)?;
    }
    Ok(())
}

/// Pins this thread to `cpus`, unless `cpus` is empty.
///
/// # Errors
/// Fails if the system refuses.
pub fn keep_to(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    let known = cpus.iter().filter_map(|&cpu| usize::try_from(cpu).ok()).filter(|&cpu| cpu < CpuSet::MAX_CPU);
    known.for_each(|cpu| set.set(cpu));
    if set.count() > 0 {
        sched_setaffinity(None, &set)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of this thread's status, such as `Cpus_allowed_list`.
    fn status(field: &str) -> String {
        let text = std::fs::read_to_string("/proc/thread-self/status").expect("Linux");
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{field}:")));
        line.expect("a field").trim().to_owned()
    }

    /// The niceness of this thread.
    fn niceness() -> i32 {
        let text = std::fs::read_to_string("/proc/thread-self/stat").expect("Linux");
        let after_name = text.rsplit(')').next().expect("a name");
        after_name.split_whitespace().nth(16).expect("a field").parse().expect("a number")
    }

    #[test]
    fn one_thread_steps_back_and_the_others_do_not() {
        let before = niceness();
        let stepped = std::thread::spawn(|| {
            step_back(5).expect("anybody may");
            niceness()
        });
        assert_eq!(stepped.join().expect("no panic"), (before + 5).min(19));
        assert_eq!(niceness(), before);
    }

    #[test]
    fn a_thread_keeps_to_the_cpus_that_it_is_given() {
        let list = status("Cpus_allowed_list");
        let first: u32 = list.split(['-', ',']).next().and_then(|cpu| cpu.parse().ok()).expect("a CPU");
        let kept = std::thread::spawn(move || {
            keep_to(&[]).expect("nothing to do");
            let before = status("Cpus_allowed_list");
            keep_to(&[first, u32::MAX]).expect("it may run there");
            (before, status("Cpus_allowed_list"))
        });
        assert_eq!(kept.join().expect("no panic"), (list, first.to_string()));
    }
}
