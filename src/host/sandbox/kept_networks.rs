//! The network namespaces of bots that have ended. The arena keeps them for a while, so that the kernel removes several
//! at once.
//!
//! The kernel removes a network namespace some time after its last user has ended, in a thread of its own that many
//! kernels do not preempt: this takes 1 ms or more of a core on which a later game is played. It removes several at
//! once in about a quarter of the time for each. See docs/dev/decisions/0046-networks-are-removed-together.md.

use std::fs;
use std::os::fd::OwnedFd;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The maximum number of namespaces that are kept. Each takes about 0.4 MB of the kernel's memory.
const MOST: usize = 48;

/// The arena keeps at most one in this many of the network namespaces that the system allows.
const SHARE: usize = 8;

/// The maximum number of namespaces that this process keeps.
static ALLOWED: LazyLock<usize> =
    LazyLock::new(|| allowed(fs::read_to_string("/proc/sys/user/max_net_namespaces").ok().as_deref()));

static KEPT: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// The network namespace of a bot, which is kept for a while when this value is dropped.
#[derive(Debug)]
pub(super) struct KeptNetwork(Option<OwnedFd>);

impl KeptNetwork {
    /// Takes the `descriptor` of a network namespace.
    pub(super) const fn new(descriptor: OwnedFd) -> Self {
        Self(Some(descriptor))
    }
}

impl Drop for KeptNetwork {
    fn drop(&mut self) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        keep(&mut kept, self.0.take(), *ALLOWED);
    }
}

/// Adds `one` to `kept`. If that makes more than `most`, all are released, and the list is empty.
fn keep<T>(kept: &mut Vec<T>, one: Option<T>, most: usize) {
    kept.extend(one);
    if kept.len() > most {
        kept.clear();
    }
}

/// How many namespaces may be kept if the system's limit reads `limit`; `None` if it cannot be read.
fn allowed(limit: Option<&str>) -> usize {
    limit.and_then(|limit| limit.trim().parse().ok()).map_or(MOST, |limit: usize| MOST.min(limit / SHARE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_released_together() {
        let mut kept = Vec::new();
        let counts = (0..7).map(|one| {
            keep(&mut kept, Some(one), 2);
            kept.len()
        });
        assert_eq!(counts.collect::<Vec<_>>(), [1, 2, 0, 1, 2, 0, 1]);
        keep(&mut kept, Some(7), 0);
        assert!(kept.is_empty());
    }

    #[test]
    fn a_low_limit_of_the_system_leaves_enough_for_games() {
        assert_eq!(allowed(Some("96365\n")), MOST);
        assert_eq!(allowed(Some("10\n")), 1);
        assert_eq!(allowed(Some("7\n")), 0);
        assert_eq!(allowed(Some("0\n")), 0);
        assert_eq!([allowed(None), allowed(Some("?"))], [MOST; 2]);
    }
}
