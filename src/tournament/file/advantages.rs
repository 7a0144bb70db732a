//! Handicap and compensation that the file gives to a player, once all players are known.

use super::flaw::Flaw;
use super::problem_places::KeyReader;
use crate::game::{Fraction, Ruleset};
use crate::tournament::{Advantages, Player, PlayerCompensation, PlayerHandicap, Quoted};

/// A player that the file names in a value.
#[derive(Clone, Debug)]
pub(super) struct NamedPlayer {
    pub(super) name: String,
    /// Where the name is in the file.
    pub(super) offset: usize,
}

/// What the file gives to players, before the players are known. Each value has its offset in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct AdvantagesDraft {
    pub(super) handicap: Option<(NamedPlayer, u8, usize)>,
    pub(super) compensation: Option<(NamedPlayer, Fraction, usize)>,
}

impl AdvantagesDraft {
    /// The advantages in games of `ruleset` between `players`. Records each problem.
    pub(super) fn of(self, reader: &mut KeyReader<'_>, ruleset: Ruleset, players: &[Player]) -> Advantages {
        let Ruleset::Quantum(rules) = ruleset else { return Advantages::default() };
        let mut of = |named: NamedPlayer, key| {
            let player = players.iter().position(|player| player.name.as_str() == named.name);
            if player.is_none() {
                let known = players.iter().map(|player| player.name.clone()).collect();
                reader.note(named.offset, Flaw::NoSuchPlayer { key, text: Quoted::new(&named.name), known });
            }
            player
        };
        let handicap = self.handicap.and_then(|(named, stones, offset)| {
            Some((PlayerHandicap { player: of(named, "handicap")?, stones }, offset))
        });
        let compensation = self.compensation.and_then(|(named, points, offset)| {
            Some((PlayerCompensation { player: of(named, "compensation")?, points }, offset))
        });
        let (handicap_alone, compensation_alone) =
            (handicap.map(|(handicap, _)| handicap), compensation.map(|(compensation, _)| compensation));
        // Each is checked without the other, so that a problem is recorded at its own place.
        let offsets = [handicap.map(|(_, offset)| offset), compensation.map(|(_, offset)| offset)];
        let checks = [Advantages::new(rules, handicap_alone, None), Advantages::new(rules, None, compensation_alone)];
        for (offset, check) in offsets.into_iter().zip(checks) {
            if let (Some(offset), Err(why)) = (offset, check) {
                reader.note(offset, Flaw::Misfit(why));
            }
        }
        Advantages::new(rules, handicap_alone, compensation_alone).unwrap_or_default()
    }
}
