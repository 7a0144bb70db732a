//! A limited number of tasks for strangers' connections. When all places are taken and another stranger arrives, the
//! host that occupies the most places loses one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::pending;
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};

use super::source_host::Host;
use crate::base::time::{Instant, now};

/// Tasks that each serve one stranger and return a `T`. Once all places are taken, the next stranger takes the place of
/// the oldest stranger from the host with the most places.
#[derive(Debug)]
pub(crate) struct BoundedTasks<T> {
    tasks: JoinSet<(u64, T)>,
    /// The strangers, in order of arrival.
    members: BTreeMap<u64, Member>,
    hosts: HashMap<Host, BTreeSet<u64>>,
    most: usize,
    next: u64,
}

#[derive(Debug)]
struct Member {
    host: Host,
    since: Instant,
    task: AbortHandle,
}

impl<T: Send + 'static> BoundedTasks<T> {
    /// Creates places for `most` tasks, or for one task if `most` is 0.
    pub(crate) fn new(most: usize) -> Self {
        Self { tasks: JoinSet::new(), members: BTreeMap::new(), hosts: HashMap::new(), most: most.max(1), next: 0 }
    }

    /// The time from which another stranger can be admitted without evicting a stranger that has had its place for less
    /// than `grace`; `None` if a place is free.
    pub(crate) fn room_at(&self, grace: Duration) -> Option<Instant> {
        let full = self.members.len() >= self.most;
        let victim = self.victim().filter(|_| full)?;
        self.members.get(&victim).map(|member| member.since + grace)
    }

    /// Admits a stranger from `host`, served by the task `looking_after`. Evicts another stranger if all places are
    /// taken.
    pub(crate) fn admit(&mut self, host: Host, looking_after: impl Future<Output = T> + Send + 'static) {
        if self.members.len() >= self.most {
            self.evict();
        }
        let number = self.next;
        self.next += 1;
        let task = self.tasks.spawn(async move { (number, looking_after.await) });
        self.members.insert(number, Member { host, since: now(), task });
        self.hosts.entry(host).or_default().insert(number);
    }

    /// Evicts the oldest stranger from the host with the most places, if there is any.
    pub(crate) fn evict(&mut self) {
        if let Some(member) = self.victim().and_then(|victim| self.forget(victim)) {
            // Aborting the task closes the connection.
            member.task.abort();
        }
    }

    /// The output of the next task to finish. This is cancel safe.
    pub(crate) async fn next(&mut self) -> T {
        loop {
            match self.tasks.join_next().await {
                Some(Ok((number, made))) => {
                    self.forget(number);
                    return made;
                }
                // The stranger was evicted.
                Some(Err(error)) if error.is_cancelled() => {}
                // The task panicked, which is a bug.
                Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
                None => pending().await,
            }
        }
    }

    /// Waits until no task is left.
    pub(crate) async fn all_gone(mut self) {
        while !self.tasks.is_empty() {
            self.next().await;
        }
    }

    fn victim(&self) -> Option<u64> {
        let first = |members: &BTreeSet<u64>| members.first().copied().unwrap_or(u64::MAX);
        let most = self.hosts.values().max_by_key(|members| (members.len(), Reverse(first(members))));
        most.and_then(|members| members.first().copied())
    }

    fn forget(&mut self, number: u64) -> Option<Member> {
        let member = self.members.remove(&number)?;
        if let Some(members) = self.hosts.get_mut(&member.host) {
            members.remove(&number);
            if members.is_empty() {
                self.hosts.remove(&member.host);
            }
        }
        Some(member)
    }
}

impl BoundedTasks<()> {
    /// Removes the tasks that have finished.
    pub(crate) fn forget_gone(&mut self) {
        while let Some(gone) = self.tasks.try_join_next() {
            if let Ok((number, ())) = gone {
                self.forget(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use proptest::prelude::*;

    fn host(number: u8) -> Host {
        Host::from(IpAddr::from([10, 0, 0, number]))
    }

    /// The strangers that have places, by host and number.
    fn members<T>(tasks: &BoundedTasks<T>) -> Vec<(Host, u64)> {
        tasks.members.iter().map(|(&number, member)| (member.host, number)).collect()
    }

    #[tokio::test]
    async fn a_host_that_takes_many_places_makes_room_and_others_stay() {
        let mut tasks: BoundedTasks<()> = BoundedTasks::new(4);
        for from in [1, 2, 2, 2, 2, 2, 3] {
            tasks.admit(host(from), pending());
        }
        assert_eq!(members(&tasks), [(host(1), 0), (host(2), 4), (host(2), 5), (host(3), 6)]);
        // If all hosts have the same number of places, the stranger that arrived first is evicted.
        tasks.admit(host(4), pending());
        tasks.admit(host(5), pending());
        assert_eq!(members(&tasks), [(host(2), 5), (host(3), 6), (host(4), 7), (host(5), 8)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stranger_that_has_just_come_is_spared() {
        let grace = Duration::from_millis(500);
        let mut tasks: BoundedTasks<()> = BoundedTasks::new(2);
        tasks.admit(host(1), pending());
        assert_eq!(tasks.room_at(grace), None);
        let start = now();
        tokio::time::advance(Duration::from_millis(100)).await;
        tasks.admit(host(1), pending());
        assert_eq!(tasks.room_at(grace), Some(start + grace));
    }

    #[tokio::test]
    async fn outputs_of_finished_tasks_are_returned_and_evicted_tasks_are_forgotten() {
        let mut tasks = BoundedTasks::new(2);
        tasks.admit(host(1), pending());
        tasks.admit(host(1), async { "one" });
        tasks.admit(host(2), async { "other" });
        let mut heard = [tasks.next().await, tasks.next().await];
        heard.sort_unstable();
        assert_eq!(heard, ["one", "other"]);
        assert!(tasks.members.is_empty() && tasks.hosts.is_empty());
    }

    proptest! {
        #[test]
        fn there_are_never_too_many_and_a_host_with_one_place_keeps_it_while_others_have_two(
            most in 1..8_usize,
            comers in proptest::collection::vec(0..5_u8, 0..40),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut tasks: BoundedTasks<()> = BoundedTasks::new(most);
                for from in comers {
                    let before = members(&tasks);
                    tasks.admit(host(from), pending());
                    let after = members(&tasks);
                    prop_assert!(after.len() <= most && tasks.hosts.values().map(BTreeSet::len).sum::<usize>() == after.len());
                    let of = |host: Host| before.iter().filter(|(other, _)| *other == host).count();
                    let greediest = before.iter().map(|(host, _)| of(*host)).max().unwrap_or(0);
                    for gone in before.iter().filter(|member| !after.contains(member)) {
                        prop_assert_eq!(of(gone.0), greediest);
                    }
                }
                Ok(())
            })?;
        }
    }
}
