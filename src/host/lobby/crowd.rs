//! Strangers' connections, so many and no more: who takes too many places makes room for the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Display, Formatter};
use std::future::pending;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};

use crate::base::time::{Instant, now};

/// Where a stranger comes from: its address, or with IPv6 its network, since a single machine has all addresses of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Host(IpAddr);

/// The address; with IPv6 the network, `2001:db8::/64`.
impl Display for Host {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => write!(f, "{address}"),
            IpAddr::V6(network) => write!(f, "{network}/64"),
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        const NETWORK: u128 = !0 << 64;
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK)),
        })
    }
}

/// Tasks that each look after one stranger, and come to a `T`. Once there are as many as there may be, the next one takes
/// the place of another: of the host with the most, the one that came first.
#[derive(Debug)]
pub struct Crowd<T> {
    tasks: JoinSet<(u64, T)>,
    /// Who is there, in the order in which they came.
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

impl<T: Send + 'static> Crowd<T> {
    /// An empty crowd of at most so many, and at least one.
    pub fn new(most: usize) -> Self {
        Self { tasks: JoinSet::new(), members: BTreeMap::new(), hosts: HashMap::new(), most: most.max(1), next: 0 }
    }

    /// From when on there is room for one more, if those are spared that have been here for less than `grace`. `None` is
    /// now and without anybody's going.
    pub fn room_at(&self, grace: Duration) -> Option<Instant> {
        let full = self.members.len() >= self.most;
        let victim = self.victim().filter(|_| full)?;
        self.members.get(&victim).map(|member| member.since + grace)
    }

    /// Looks after one more, whoever has to go for it.
    pub fn admit(&mut self, host: Host, looking_after: impl Future<Output = T> + Send + 'static) {
        if self.members.len() >= self.most {
            self.evict();
        }
        let number = self.next;
        self.next += 1;
        let task = self.tasks.spawn(async move { (number, looking_after.await) });
        self.members.insert(number, Member { host, since: now(), task });
        self.hosts.entry(host).or_default().insert(number);
    }

    /// Lets one go, if there is one: of the host with the most, the one that came first.
    pub fn evict(&mut self) {
        if let Some(member) = self.victim().and_then(|victim| self.forget(victim)) {
            // Its connection is closed with its task.
            member.task.abort();
        }
    }

    /// What comes of the next one of whom something comes. Cancelling loses nothing.
    pub async fn next(&mut self) -> T {
        loop {
            match self.tasks.join_next().await {
                Some(Ok((number, made))) => {
                    self.forget(number);
                    return made;
                }
                // One that had to go.
                Some(Err(error)) if error.is_cancelled() => {}
                // A bug is a panic.
                Some(Err(error)) => std::panic::resume_unwind(error.into_panic()),
                None => pending().await,
            }
        }
    }

    /// Waits until nobody is left.
    pub async fn all_gone(mut self) {
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

impl Crowd<()> {
    /// Forgets those who have gone by themselves.
    pub fn forget_gone(&mut self) {
        while let Some(gone) = self.tasks.try_join_next() {
            if let Ok((number, ())) = gone {
                self.forget(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn host(number: u8) -> Host {
        Host::from(IpAddr::from([10, 0, 0, number]))
    }

    /// Who is there, by host and number.
    fn members<T>(crowd: &Crowd<T>) -> Vec<(Host, u64)> {
        crowd.members.iter().map(|(&number, member)| (member.host, number)).collect()
    }

    #[tokio::test]
    async fn one_that_takes_many_places_makes_room_and_others_stay() {
        let mut crowd: Crowd<()> = Crowd::new(4);
        for from in [1, 2, 2, 2, 2, 2, 3] {
            crowd.admit(host(from), pending());
        }
        assert_eq!(members(&crowd), [(host(1), 0), (host(2), 4), (host(2), 5), (host(3), 6)]);
        // Where all have as many, who has waited longest goes.
        crowd.admit(host(4), pending());
        crowd.admit(host(5), pending());
        assert_eq!(members(&crowd), [(host(2), 5), (host(3), 6), (host(4), 7), (host(5), 8)]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_just_come_is_spared() {
        let grace = Duration::from_millis(500);
        let mut crowd: Crowd<()> = Crowd::new(2);
        crowd.admit(host(1), pending());
        assert_eq!(crowd.room_at(grace), None);
        let start = now();
        tokio::time::advance(Duration::from_millis(100)).await;
        crowd.admit(host(1), pending());
        assert_eq!(crowd.room_at(grace), Some(start + grace));
    }

    #[tokio::test]
    async fn what_comes_of_them_is_heard_and_those_who_went_are_not() {
        let mut crowd = Crowd::new(2);
        crowd.admit(host(1), pending());
        crowd.admit(host(1), async { "one" });
        crowd.admit(host(2), async { "other" });
        let mut heard = [crowd.next().await, crowd.next().await];
        heard.sort_unstable();
        assert_eq!(heard, ["one", "other"]);
        assert!(crowd.members.is_empty() && crowd.hosts.is_empty());
    }

    #[test]
    fn a_network_of_ipv6_is_one_host() {
        let host = |text: &str| Host::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(host("2001:db8:0:1::1"), host("2001:db8:0:1:ffff::2"));
        assert_ne!(host("2001:db8:0:1::1"), host("2001:db8:0:2::1"));
        assert_eq!(host("::ffff:10.0.0.1"), host("10.0.0.1"));
        assert_ne!(host("10.0.0.1"), host("10.0.0.2"));
    }

    proptest! {
        #[test]
        fn there_are_never_too_many_and_who_has_one_place_keeps_it_while_others_have_two(
            most in 1..8_usize,
            comers in proptest::collection::vec(0..5_u8, 0..40),
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut crowd: Crowd<()> = Crowd::new(most);
                for from in comers {
                    let before = members(&crowd);
                    crowd.admit(host(from), pending());
                    let after = members(&crowd);
                    prop_assert!(after.len() <= most && crowd.hosts.values().map(BTreeSet::len).sum::<usize>() == after.len());
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
