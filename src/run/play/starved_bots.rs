//! Excuses players that lost because the machine could not provide the resources that they need.

use super::Arena;
use crate::game::{BySide, Side};
use crate::host::process::Remains;
use crate::host::shortage::MachineLack;
use crate::referee::clock::Meter;
use crate::referee::record::{GameRecord, STARVATION_TAG};
use crate::referee::result::{Termination, Void};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::SideControl;
use crate::tournament::schedule::GameSpec;

/// Whether a game may have ended with `termination` because a bot did not get the resources that it needs to run at
/// all.
pub(super) const fn may_be_for_lack(termination: Termination) -> bool {
    use Termination::{Crash, Disconnect, DoubleForfeit, NoShow};
    matches!(termination, NoShow | Crash | Disconnect | DoubleForfeit)
}

impl Arena {
    /// Makes the game void if the machine lacked something for the player at fault. If a player lost on time, records
    /// how much it was starved.
    pub(super) fn excuse(&self, spec: &GameSpec, record: &mut GameRecord, remains: &BySide<Remains>) {
        let starvation = self.starvation_of_loser(record, remains);
        let Ok(result) = &record.result else { return };
        let lack_of_core = MachineLack::of_core(starvation.filter(|_| self.excuses_starved));
        let at_fault = Side::BOTH.into_iter().filter(|&side| result.fault().is_on(side));
        let excuse = at_fault.filter_map(|side| {
            let lacks = [remains[side].lack, lack_of_core].into_iter().flatten();
            let lack = lacks.into_iter().find(|lack| lack.excuses(result.termination()))?;
            Some(format!("player `{}` {lack}", self.name(spec, side)))
        });
        let excuse = excuse.into_iter().next();
        record.other_tags.extend(starvation.map(|figures| (STARVATION_TAG.to_owned(), figures.to_string())));
        if let Some(reason) = excuse {
            record.result = Err(Void { reason });
        }
    }

    /// How the player that lost on time was starved in its turns, or in its last turn if that alone decided; `None` after any
    /// other game, or if this is unknown.
    fn starvation_of_loser(&self, record: &GameRecord, remains: &BySide<Remains>) -> Option<Starvation> {
        let result = record.result.as_ref().ok().filter(|result| result.termination() == Termination::Time)?;
        let loser = result.winner()?.opponent();
        // Waiting costs no CPU time, so a player that used up its CPU time did not lose because of waiting.
        let mut own = record.plies.iter().rev().filter(|ply| ply.side() == loser);
        let left = own.find_map(|ply| ply.left).or(self.clocks().first_allowance(loser));
        let last_turn = record.unfinished.as_ref().filter(|turn| turn.side() == loser).and_then(|turn| turn.elapsed);
        let is_spent = last_turn.zip(left).is_some_and(|(elapsed, left)| elapsed > left);
        let control = self.clocks().of(loser);
        let decides_alone = control.is_some_and(SideControl::is_the_same_each_turn);
        let starvation = if decides_alone { remains[loser].last_starvation } else { remains[loser].starvation };
        starvation.filter(|_| self.tournament.meter == Meter::Wall || !is_spent)
    }
}
