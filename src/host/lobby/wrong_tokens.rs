//! Backoff after wrong tokens: each wrong token makes the host that sent it wait longer for the next answer.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::source_host::Host;
use crate::base::time::Instant;

/// How long a host waits after its first wrong token. Each further wrong token doubles the delay.
const FIRST_DELAY: Duration = Duration::from_millis(50);

/// The longest delay. It allows a host 3,600 guesses an hour, too few to find an eight-character token, yet a player
/// with a typo in its command line does not miss its game.
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// How long a host must go without a wrong token before its delay starts again at [`FIRST_DELAY`].
const FORGIVEN_AFTER: Duration = Duration::from_mins(10);

/// How many hosts to remember. If there are more, the host that has been quiet the longest is forgotten.
const MAX_HOSTS: usize = 1024;

/// How many hosts the report names.
const HOSTS_NAMED: usize = 5;

/// The wrong tokens of a run, shared between the public port and the report.
pub(crate) type SharedWrongTokens = Arc<Mutex<WrongTokens>>;

/// The wrong names and tokens that were tried at a public port, by host.
///
/// A host waits only under the names for which it sent a wrong token. Other players from the same host do not wait, and
/// neither does any player from another host. A correct token for such a name has to wait as well; otherwise, the speed
/// of the answer would reveal that it is correct.
#[derive(Debug, Default)]
pub(crate) struct WrongTokens {
    hosts: HashMap<Host, Suspect>,
    total: u64,
    hasher: RandomState,
}

/// A host that sent a wrong token.
#[derive(Debug)]
struct Suspect {
    wrong: u64,
    /// How many of the wrong tokens count towards the delay.
    level: u32,
    until: Instant,
    last: Instant,
    /// The names that the host tried, as one bit for each of 64 groups of names. Names in the tournament are treated
    /// like any other names.
    names: u64,
}

impl WrongTokens {
    /// The time until which to hold a hello from `host` under `name`; `None` if it can be judged at `now`.
    pub(crate) fn held_until(&self, host: Host, name: &str, now: Instant) -> Option<Instant> {
        let suspect = self.hosts.get(&host)?;
        (suspect.names & self.group(name) != 0 && suspect.until > now).then_some(suspect.until)
    }

    /// Counts a wrong token, or a wrong name, that `host` sent at `now`.
    pub(crate) fn wrong(&mut self, host: Host, name: &str, now: Instant) {
        self.total = self.total.saturating_add(1);
        let group = self.group(name);
        if self.hosts.len() >= MAX_HOSTS && !self.hosts.contains_key(&host) {
            let quietest = self.hosts.iter().min_by_key(|(_, suspect)| suspect.last).map(|(host, _)| *host);
            quietest.and_then(|quietest| self.hosts.remove(&quietest));
        }
        let new = Suspect { wrong: 0, level: 0, until: now, last: now, names: 0 };
        let suspect = self.hosts.entry(host).or_insert(new);
        if now.saturating_duration_since(suspect.last) > FORGIVEN_AFTER {
            (suspect.level, suspect.names) = (0, 0);
        }
        suspect.until = suspect.until.max(now) + delay(suspect.level);
        suspect.level = suspect.level.saturating_add(1);
        suspect.wrong = suspect.wrong.saturating_add(1);
        suspect.names |= group;
        suspect.last = now;
    }

    fn group(&self, name: &str) -> u64 {
        1 << (self.hasher.hash_one(name) % u64::from(u64::BITS))
    }
}

/// The delay for the next wrong token after `level` earlier ones.
fn delay(level: u32) -> Duration {
    FIRST_DELAY.saturating_mul(2_u32.saturating_pow(level)).min(LONGEST_DELAY)
}

/// Prints one line for the report at the end of a run, or nothing if no token was wrong.
impl Display for WrongTokens {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.total == 0 {
            return Ok(());
        }
        let mut hosts: Vec<_> = self.hosts.iter().map(|(host, suspect)| (suspect.wrong, host.to_string())).collect();
        hosts.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        let named: Vec<String> =
            hosts.iter().take(HOSTS_NAMED).map(|(wrong, host)| format!("{wrong} from {host}")).collect();
        let hellos = if self.total == 1 { "1 hello" } else { &*format!("{} hellos", self.total) };
        write!(f, "{hellos} had a wrong name or token: {}", named.join(", "))?;
        if hosts.len() > HOSTS_NAMED {
            write!(f, ", and the rest from {} other hosts", hosts.len() - HOSTS_NAMED)?;
        }
        f.write_str("; after each, the next hello from the same host was delayed a little longer")
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    use super::*;
    use crate::base::time::now;

    fn host(number: u32) -> Host {
        IpAddr::V4(Ipv4Addr::from_bits(number)).into()
    }

    #[test]
    fn each_wrong_token_makes_its_host_wait_longer_under_that_name_alone() {
        let (mut wrong_tokens, mut time) = (WrongTokens::default(), now());
        let mut delays = Vec::new();
        for _ in 0..7 {
            wrong_tokens.wrong(host(1), "carol", time);
            let until = wrong_tokens.held_until(host(1), "carol", time).expect("held");
            delays.push((until - time).as_millis());
            time = until;
            assert_eq!(wrong_tokens.held_until(host(1), "carol", time), None);
        }
        assert_eq!(delays, [50, 100, 200, 400, 800, 1_000, 1_000]);
        wrong_tokens.wrong(host(1), "carol", time);
        assert_eq!(wrong_tokens.held_until(host(2), "carol", time), None);
        // The names of most other players are in a different group from carol's.
        let others = (0..64).map(|number| wrong_tokens.held_until(host(1), &format!("player {number}"), time));
        assert!(others.filter(Option::is_none).count() > 32);
    }

    #[test]
    fn wrong_tokens_at_the_same_time_wait_one_after_the_other() {
        let (mut wrong_tokens, time) = (WrongTokens::default(), now());
        wrong_tokens.wrong(host(1), "carol", time);
        wrong_tokens.wrong(host(1), "carol", time);
        assert_eq!(wrong_tokens.held_until(host(1), "carol", time), Some(time + Duration::from_millis(150)));
    }

    #[test]
    fn a_host_is_forgiven_and_a_network_of_ipv6_is_one_host() {
        let (mut wrong_tokens, time) = (WrongTokens::default(), now());
        let one: Host = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)).into();
        let other: Host = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 7, 0, 0, 9)).into();
        for _ in 0..6 {
            wrong_tokens.wrong(one, "carol", time);
        }
        assert!(wrong_tokens.held_until(other, "carol", time).is_some());
        let later = time + FORGIVEN_AFTER + Duration::from_secs(30);
        wrong_tokens.wrong(other, "carol", later);
        assert_eq!(wrong_tokens.held_until(one, "carol", later), Some(later + FIRST_DELAY));
        assert!(wrong_tokens.to_string().starts_with("7 hellos had a wrong name or token: 7 from 2001:db8::/64; "));
    }

    #[test]
    fn any_number_of_hosts_costs_bounded_memory_and_all_are_counted() {
        let (mut wrong_tokens, time) = (WrongTokens::default(), now());
        let hosts = u32::try_from(MAX_HOSTS).expect("few") + 100;
        for number in 0..hosts {
            wrong_tokens.wrong(host(number), "carol", time + Duration::from_millis(number.into()));
        }
        assert_eq!(wrong_tokens.hosts.len(), MAX_HOSTS);
        assert!(!wrong_tokens.hosts.contains_key(&host(0)) && wrong_tokens.hosts.contains_key(&host(hosts - 1)));
        assert!(wrong_tokens.to_string().starts_with(&format!("{hosts} hellos ")));
        assert_eq!(WrongTokens::default().to_string(), "");
    }
}
