//! What a run shows on a terminal at its end: who forfeited, and the slowest games.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::referee::record::LoggedGame;
use crate::referee::result::Termination;

/// How many of the slowest games are named.
const SLOWEST: usize = 5;

/// The minimum time used by both players together for a game to count as slow.
const SLOW: Duration = Duration::from_secs(1);

/// How many games each player has forfeited, by kind of forfeit.
#[derive(Clone, Debug, Default)]
pub(super) struct ForfeitCounts(BTreeMap<String, BTreeMap<Termination, u64>>);

impl ForfeitCounts {
    /// Counts the forfeits of `game`.
    pub(super) fn add(&mut self, game: &LoggedGame) {
        for (seat, name) in game.players() {
            if let Some((termination, _)) = game.failure(seat) {
                *self.0.entry(name.to_owned()).or_default().entry(termination).or_default() += 1;
            }
        }
    }

    /// `forfeits 9 (heron 8 crash)`, with the most frequent kind; `None` if no player has forfeited.
    pub(super) fn brief(&self) -> Option<String> {
        let all: u64 = self.0.values().flat_map(BTreeMap::values).sum();
        let kinds = self.0.iter().flat_map(|(name, kinds)| kinds.iter().map(move |kind| (name, kind)));
        let (name, (kind, count)) = kinds.max_by_key(|(_, (_, count))| **count)?;
        Some(format!("forfeits {all} ({} {count} {kind})", sanitised(name)))
    }

    /// `forfeits: heron 9 (8 crash, 1 time), wren 1 (1 illegal)`; `None` if no player has forfeited.
    fn line(&self) -> Option<String> {
        let mut players: Vec<_> =
            self.0.iter().map(|(name, kinds)| (name, kinds.values().sum::<u64>(), kinds)).collect();
        // Players with equal numbers of forfeits stay in the order of their names.
        players.sort_by_key(|(_, all, _)| Reverse(*all));
        let one = |(name, all, kinds): &(&String, u64, &BTreeMap<Termination, u64>)| {
            let mut kinds: Vec<_> = kinds.iter().collect();
            kinds.sort_by_key(|(_, count)| Reverse(**count));
            let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            format!("{name} {all} ({})", kinds.join(", "))
        };
        (!players.is_empty()).then(|| format!("forfeits: {}", players.iter().map(one).collect::<Vec<_>>().join(", ")))
    }
}

/// The forfeits and the slowest games of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct RunDigest {
    forfeits: ForfeitCounts,
    /// The slowest games, slowest first, each with the time that its players used.
    slowest: Vec<(Duration, String)>,
}

impl RunDigest {
    /// Adds a game that has a result.
    pub(super) fn add(&mut self, game: &LoggedGame) {
        self.forfeits.add(game);
        let used = game.players().into_iter().map(|(seat, _)| game.used(seat)).sum();
        let is_slow = used >= SLOW && self.slowest.get(SLOWEST - 1).is_none_or(|(least, _)| used > *least);
        if is_slow && let Some(id) = game.game() {
            let place = self.slowest.partition_point(|(time, _)| *time >= used);
            self.slowest.insert(place, (used, id.to_owned()));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// The lines about these games: the forfeits of each player first, then the slowest games.
    pub(super) fn lines(&self) -> Vec<String> {
        let slowest: Vec<String> =
            self.slowest.iter().map(|(time, id)| format!("{id} {:.1}s", time.as_secs_f64())).collect();
        let slowest = (!slowest.is_empty()).then(|| format!("slowest games: {}", slowest.join(", ")));
        self.forfeits.line().into_iter().chain(slowest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game in which black used `seconds`, and which white lost by `termination`.
    fn game(id: &str, seconds: u32, termination: &str) -> LoggedGame {
        let reason = if termination == "normal" { "" } else { "[Reason \"why\"]\n" };
        let text = format!(
            "[Round \"1\"]\n[Black \"ann\"]\n[White \"bo\"]\n[Result \"0-1\"]\n[Termination \"{termination}\"]\n\
             {reason}[Game \"{id}\"]\n\n1. c3 {{[%emt 0:00:{seconds:02}.000000]}} 0-1\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn forfeits_come_first_and_then_the_five_slowest_games() {
        let mut digest = RunDigest::default();
        assert_eq!(digest.lines(), Vec::<String>::new());
        digest.add(&game("r0", 0, "crash"));
        assert_eq!(digest.lines(), ["forfeits: bo 1 (1 crash)"]);
        for (id, seconds) in [("r1", 3), ("r2", 9), ("r3", 1), ("r4", 7), ("r5", 5), ("r6", 3), ("r7", 2)] {
            digest.add(&game(id, seconds, "crash"));
        }
        digest.add(&game("r8", 1, "disconnect"));
        let lines = digest.lines();
        assert_eq!(lines[0], "forfeits: bo 9 (8 crash, 1 disconnect)");
        assert_eq!(lines[1], "slowest games: r2 9.0s, r4 7.0s, r5 5.0s, r1 3.0s, r6 3.0s");
        assert_eq!(digest.forfeits.brief().as_deref(), Some("forfeits 9 (bo 8 crash)"));
    }
}
