//! The part of a game of more than two seats that a ledger keeps.

use std::sync::Arc;
use std::time::Duration;

use crate::game::BySeat;
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::Termination;
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;
use crate::results::standings::{GroupResult, GroupSummary};

/// The facts about a game of more than two seats, except those that every game has.
#[derive(Clone, Debug)]
pub(super) struct KeptGroup {
    players: BySeat<Arc<str>>,
    result: Option<GroupResult>,
    plies: u32,
    /// The time used, in nanoseconds.
    used: BySeat<u64>,
    left: Option<Box<BySeat<Option<SideControl>>>>,
    usage: Option<Box<BySeat<Option<Usage>>>>,
    has_odds: bool,
    moves: MovesDigest,
}

impl KeptGroup {
    /// Keeps `game`, whose texts are shared with the ledger.
    pub(super) fn of(game: GroupSummary<Arc<str>>) -> Self {
        let GroupSummary { game: _, round: _, players, result, plies, used, left, usage, has_odds, moves } = game;
        let plies = u32::try_from(plies).unwrap_or(u32::MAX);
        let used = used.map(|used| u64::try_from(used.as_nanos()).unwrap_or(u64::MAX));
        Self { players, result, plies, used, left: boxed(left), usage: boxed(usage), has_odds, moves }
    }

    /// The summary of the game, whose id is `game`.
    pub(super) fn summary<'k>(&'k self, game: &'k str, round: Option<u32>) -> GroupSummary<&'k str> {
        GroupSummary {
            game,
            round,
            players: self.players.as_ref().map(|name| &**name),
            result: self.result.clone(),
            plies: usize::try_from(self.plies).unwrap_or(usize::MAX),
            used: self.used.as_ref().map(|&used| Duration::from_nanos(used)),
            left: unboxed(self.left.as_deref(), self.seats()),
            usage: unboxed(self.usage.as_deref(), self.seats()),
            has_odds: self.has_odds,
            moves: self.moves,
        }
    }

    /// How many seats the game had.
    pub(super) fn seats(&self) -> u8 {
        self.players.seats()
    }

    /// Whether `player` played the game.
    pub(super) fn is_of(&self, player: &str) -> bool {
        self.players.values().any(|name| **name == *player)
    }

    /// Whether a seat dropped out in this way or, for the normal ending, whether no seat dropped out of a game with a
    /// result.
    pub(super) fn is_ended_by(&self, ending: Termination) -> bool {
        let Some(result) = &self.result else { return false };
        match ending {
            Termination::Normal => result.outs().is_empty(),
            _ => result.outs().iter().any(|out| out.termination == ending),
        }
    }
}

/// `facts` in a box, or nothing if there is none of any seat.
fn boxed<T>(facts: BySeat<Option<T>>) -> Option<Box<BySeat<Option<T>>>> {
    let has_any = facts.values().any(Option::is_some);
    has_any.then(|| Box::new(facts))
}

/// The contents of a box, or nothing for each of the `seats` if there is none.
fn unboxed<T: Clone>(facts: Option<&BySeat<Option<T>>>, seats: u8) -> BySeat<Option<T>> {
    facts.cloned().unwrap_or_else(|| BySeat::from_fn(seats, |_| None))
}
