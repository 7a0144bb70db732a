//! Excuses players that lost because the machine could not provide the resources that they need.

use std::time::Duration;

use super::Arena;
use crate::game::{BySeat, Seat};
use crate::host::process::Remains;
use crate::host::shortage::MachineLack;
use crate::referee::clock::Meter;
use crate::referee::record::{LoggedGame, STARVATION_TAG, Unfinished};
use crate::referee::result::{Termination, Void};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::SideControl;
use crate::tournament::schedule::GameSpec;

/// Whether a player may have failed with `termination` because its bot did not get resources without which it cannot
/// run.
pub(super) const fn may_be_for_lack(termination: Termination) -> bool {
    use Termination::{Crash, Disconnect, DoubleForfeit, NoShow};
    matches!(termination, NoShow | Crash | Disconnect | DoubleForfeit)
}

/// The players that failed in a game with a result, and how: players that lost a game with two seats by a fault, or
/// that dropped out of a game of more than two.
pub(super) fn failures(record: &LoggedGame) -> Vec<(Seat, Termination)> {
    match record {
        LoggedGame::Two(record) => {
            let Ok(result) = &record.result else { return Vec::new() };
            let seats = Seat::all(2).filter(|seat| result.fault().is_on(seat.side()));
            seats.map(|seat| (seat, result.termination())).collect()
        }
        LoggedGame::Group(record) if record.result.is_err() => Vec::new(),
        LoggedGame::Group(record) => record.outs.iter().map(|out| (out.seat, out.termination)).collect(),
    }
}

impl Arena {
    /// Makes the game void if the machine lacked a resource that a failed player needed. If a player failed on time,
    /// records how much it was starved. Returns whether a game with a starved player became void.
    pub(super) fn excuse(&self, spec: &GameSpec, record: &mut LoggedGame, remains: &BySeat<Remains>) -> bool {
        let (mut excuse, mut has_starved) = (None, false);
        let mut tags = Vec::new();
        for (seat, termination) in failures(record) {
            let starvation = self.starvation_of_late(record, (seat, termination), remains);
            let lack_of_core = MachineLack::of_core(starvation.filter(|_| self.excuses_starved));
            let mut lacks = [remains[seat].lack, lack_of_core].into_iter().flatten();
            if let Some(lack) = lacks.find(|lack| lack.excuses(termination)) {
                excuse.get_or_insert_with(|| format!("player `{}` {lack}", self.name(spec, seat)));
            }
            if let Some(figures) = starvation {
                has_starved = true;
                tags.push((starvation_tag(seat, spec.players.seats()), figures.to_string()));
            }
        }
        record.other_tags_mut().extend(tags);
        let is_excused = excuse.is_some();
        if let Some(reason) = excuse {
            record.make_void(Void { reason });
        }
        is_excused && has_starved
    }

    /// How much a player that failed on time was starved in its turns, or only in its last turn if no other turn
    /// mattered; `None` after any other failure, or if this is unknown.
    fn starvation_of_late(
        &self,
        record: &LoggedGame,
        (seat, termination): (Seat, Termination),
        remains: &BySeat<Remains>,
    ) -> Option<Starvation> {
        if termination != Termination::Time {
            return None;
        }
        // Waiting costs no CPU time, so a player that used up its CPU time did not fail because of waiting.
        let mut own = record.plies().iter().rev().filter(|ply| ply.seat == seat);
        let left = own.find_map(|ply| ply.left).or(self.clocks().first_allowance(seat.side()));
        let is_spent = last_turn(record, seat).zip(left).is_some_and(|(elapsed, left)| elapsed > left);
        let control = self.clocks().of(seat.side());
        let decides_alone = control.is_some_and(SideControl::is_the_same_each_turn);
        let starvation = if decides_alone { remains[seat].last_starvation } else { remains[seat].starvation };
        starvation.filter(|_| self.tournament.meter == Meter::Wall || !is_spent)
    }
}

/// The length of the turn in which the player in `seat` failed, if it was on move.
fn last_turn(record: &LoggedGame, seat: Seat) -> Option<Duration> {
    let unfinished: &[Unfinished] = match record {
        LoggedGame::Two(record) => record.unfinished.as_slice(),
        LoggedGame::Group(record) => &record.unfinished,
    };
    unfinished.iter().find(|turn| turn.seat == seat)?.elapsed
}

/// The name of the tag with the starvation of the player in `seat`. In a game with two seats, only one player can fail
/// on time.
fn starvation_tag(seat: Seat, seats: u8) -> String {
    if seats == 2 { STARVATION_TAG.to_owned() } else { format!("{STARVATION_TAG}{seat}") }
}
