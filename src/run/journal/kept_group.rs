//! The part of a game of more than two seats that a ledger keeps.

use std::sync::Arc;
use std::time::Duration;

use crate::game::{BySeat, Fraction, Seat};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::Termination;
use crate::referee::usage::Usage;
use crate::results::standings::{GroupSummary, PlacedSeat};

/// The facts about a game of more than two seats, except those that every game has.
#[derive(Clone, Debug)]
pub(super) struct KeptGroup {
    players: BySeat<Arc<str>>,
    seats: BySeat<KeptSeat>,
    plies: u32,
    usage: Option<Box<BySeat<Option<Usage>>>>,
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
    /// Keeps `game`, whose texts are shared with the ledger.
    pub(super) fn of(game: GroupSummary<Arc<str>>) -> Self {
        let GroupSummary { players, result, outs, plies, used, usage, moves, .. } = game;
        let seats = BySeat::from_fn(players.seats(), |seat| {
            let placed = result.as_ref().map(|result| result[seat]);
            let out = (0..).zip(&outs).find(|(_, (out, _))| *out == seat);
            KeptSeat {
                place: placed.map_or(0, |placed| placed.place),
                points: placed.map_or(0, |placed| placed.points),
                out: out.map(|(before, &(_, termination))| (before, termination)),
                total: placed.map_or(Fraction::new(0, 1), |placed| placed.total),
                used: u64::try_from(used[seat].as_nanos()).unwrap_or(u64::MAX),
            }
        });
        let is_measured = usage.values().any(Option::is_some);
        let usage = is_measured.then(|| Box::new(usage));
        Self { players, seats, plies: u32::try_from(plies).unwrap_or(u32::MAX), usage, moves }
    }

    /// The summary of the game, whose id is `game`.
    pub(super) fn summary<'k>(&'k self, game: &'k str, round: Option<u32>) -> GroupSummary<&'k str> {
        let is_void = self.seats.values().any(|seat| seat.place == 0);
        let placed = |seat: &KeptSeat| PlacedSeat { place: seat.place, total: seat.total, points: seat.points };
        GroupSummary {
            game,
            round,
            players: self.players.as_ref().map(|name| &**name),
            result: (!is_void).then(|| self.seats.as_ref().map(placed)),
            outs: self.outs(),
            plies: usize::try_from(self.plies).unwrap_or(usize::MAX),
            used: self.seats.as_ref().map(|seat| Duration::from_nanos(seat.used)),
            usage: self.usage.as_deref().cloned().unwrap_or_else(|| self.seats.as_ref().map(|_| None)),
            moves: self.moves,
        }
    }

    /// The seats that dropped out, in this order, and why.
    fn outs(&self) -> Vec<(Seat, Termination)> {
        let outs = self.seats.iter().filter_map(|(seat, kept)| kept.out.map(|(before, why)| (before, seat, why)));
        let mut outs: Vec<(u8, Seat, Termination)> = outs.collect();
        outs.sort_unstable_by_key(|(before, ..)| *before);
        outs.into_iter().map(|(_, seat, why)| (seat, why)).collect()
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
