//! Lanes. A worker that cannot start some of the players gets all games except the games of these players.
//!
//! Each job is in a lane. Workers that can start all players take jobs from one lane; workers that lack the same
//! players share another lane. The coordinator derives the lanes from the workers' status, and puts a game only into
//! lanes whose workers can play it. Therefore, a worker never has to refuse a job, and never takes a job away from a
//! worker that could play it.

use std::collections::BTreeSet;
use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::base::hex::hex;

/// The name of a lane: a token in the subjects of its jobs, and the name of the consumer through which workers take the
/// jobs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lane(String);

impl Lane {
    /// The lane of workers that can start every player except those in `names`.
    pub(crate) fn without<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        if names.is_empty() {
            return Self("all".to_owned());
        }
        let mut digest = Sha256::new();
        for name in names {
            digest.update((name.len() as u64).to_be_bytes());
            digest.update(name);
        }
        Self(format!("but-{}", &hex(&digest.finalize())[..16]))
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_players_in_any_order_make_the_same_lane_and_others_another() {
        assert_eq!(Lane::without([]).to_string(), "all");
        assert_eq!(Lane::without(["a", "b"]), Lane::without(["b", "a", "b"]));
        let lanes: BTreeSet<Lane> = [&["ab", "c"][..], &["a", "bc"], &["abc"], &["a"], &[]]
            .into_iter()
            .map(|names| Lane::without(names.iter().copied()))
            .collect();
        assert_eq!(lanes.len(), 5);
    }
}
