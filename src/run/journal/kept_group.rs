//! The data that a ledger keeps about a game with more than two seats.

use std::sync::Arc;
use std::time::Duration;

use crate::game::{BySeat, Fraction};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::Termination;
use crate::referee::time_control::SideControl;
use crate::referee::usage::Usage;
use crate::results::standings::{GroupResult, GroupSummary, SeatOut};

/// The facts about a game with more than two seats, except those that every game has.
#[derive(Clone, Debug)]
pub(super) struct KeptGroup {
    players: BySeat<Arc<str>>,
    seats: BySeat<KeptSeat>,
    plies: u32,
    left: Option<Box<BySeat<Option<SideControl>>>>,
    usage: Option<Box<BySeat<Option<Usage>>>>,
    has_odds: bool,
    moves: MovesDigest,
}

/// The facts about one seat.
#[derive(Clone, Debug)]
struct KeptSeat {
    /// The place, from 1; 0 in a void game.
    place: u8,
    points: u8,
    /// Whether the seat dropped out, and if so, how many other seats had dropped out before, and why.
    out: Option<(u8, Termination)>,
    total: Fraction,
    /// The time used, in nanoseconds.
    used: u64,
}

impl KeptGroup {
    /// Keeps `game`, whose strings are shared with the ledger.
    pub(super) fn of(game: GroupSummary<Arc<str>>) -> Self {
        let GroupSummary { players, result, plies, used, left, usage, has_odds, moves, .. } = game;
        let result = result.as_ref();
        let seats = BySeat::from_fn(players.seats(), |seat| {
            let outs = result.map(GroupResult::outs).unwrap_or_default();
            let out = (0..).zip(outs).find(|(_, out)| out.seat == seat);
            KeptSeat {
                place: result.map_or(0, |result| result.placing()[seat]),
                points: result.map_or(0, |result| result.points()[seat]),
                out: out.map(|(before, out)| (before, out.termination)),
                total: result.map_or(Fraction::new(0, 1), |result| result.totals()[seat]),
                used: u64::try_from(used[seat].as_nanos()).unwrap_or(u64::MAX),
            }
        });
        let plies = u32::try_from(plies).unwrap_or(u32::MAX);
        Self { players, seats, plies, left: boxed(left), usage: boxed(usage), has_odds, moves }
    }

    /// The summary of the game, whose id is `game`.
    pub(super) fn summary<'k>(&'k self, game: &'k str, round: Option<u32>) -> GroupSummary<&'k str> {
        let is_void = self.seats.values().any(|seat| seat.place == 0);
        let result = || {
            let placing = self.seats.as_ref().map(|seat| seat.place);
            let totals = self.seats.as_ref().map(|seat| seat.total);
            GroupResult::of_record(&placing, totals, self.seats.as_ref().map(|seat| seat.points), self.outs())
        };
        GroupSummary {
            game,
            round,
            players: self.players.as_ref().map(|name| &**name),
            result: (!is_void).then(result),
            plies: usize::try_from(self.plies).unwrap_or(usize::MAX),
            used: self.seats.as_ref().map(|seat| Duration::from_nanos(seat.used)),
            left: self.left.as_deref().cloned().unwrap_or_else(|| self.seats.as_ref().map(|_| None)),
            usage: self.usage.as_deref().cloned().unwrap_or_else(|| self.seats.as_ref().map(|_| None)),
            has_odds: self.has_odds,
            moves: self.moves,
        }
    }

    /// The seats that dropped out, in chronological order, and why.
    fn outs(&self) -> Vec<SeatOut> {
        let out = |(before, termination), seat| (before, SeatOut { seat, termination });
        let outs = self.seats.iter().filter_map(|(seat, kept)| kept.out.map(|kept| out(kept, seat)));
        let mut outs: Vec<(u8, SeatOut)> = outs.collect();
        outs.sort_unstable_by_key(|(before, _)| *before);
        outs.into_iter().map(|(_, out)| out).collect()
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
        if ending == Termination::Normal {
            return self.seats.values().all(|seat| seat.place > 0 && seat.out.is_none());
        }
        self.seats.values().any(|seat| seat.place > 0 && seat.out.is_some_and(|(_, why)| why == ending))
    }
}

/// Boxes `facts`; returns `None` if there are no facts about any seat.
fn boxed<T>(facts: BySeat<Option<T>>) -> Option<Box<BySeat<Option<T>>>> {
    let is_known = facts.values().any(Option::is_some);
    is_known.then(|| Box::new(facts))
}
