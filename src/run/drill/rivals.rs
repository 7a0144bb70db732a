//! The opponents that search.

use std::time::Duration;

use crate::exact::solvable::position;
use crate::game::rules::Ruleset;
use crate::players::bots::ErrorRate;
use crate::players::perfect::Perfect;
use crate::referee::drill::{Reply, Rival, RivalKind, pure_rival};
use crate::referee::record::Ply;

/// How much time the perfect rival has for its game.
const PERFECT_TIME: Duration = Duration::from_mins(1);

/// The rival of this kind.
pub(super) fn rival(kind: RivalKind, seed: u64) -> Box<dyn Rival> {
    pure_rival(kind, seed).unwrap_or_else(|| Box::new(PerfectRival(Perfect::new(ErrorRate::NEVER, seed))))
}

/// A rival that plays the best moves.
#[derive(Debug)]
struct PerfectRival(Perfect);

impl Rival for PerfectRival {
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply {
        match position(ruleset, plies.iter().map(|ply| ply.played)) {
            Ok(game) => Reply::Play(self.0.choose(&game, Some(PERFECT_TIME)).0),
            // A rule set without a solver has no scenario with this rival.
            Err(_) => Reply::Resign,
        }
    }
}
