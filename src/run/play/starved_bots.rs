//! Excuses players that lost because the machine could not give them what they need.

use super::{Arena, PlayedGame};
use crate::game::rules::Side;
use crate::referee::result::{Termination, Void};
use crate::tournament::schedule::GameSpec;

/// Whether a game may have ended with `termination` because a bot did not get what it needs to run at all.
pub(super) const fn may_be_for_lack(termination: Termination) -> bool {
    use Termination::{Crash, Disconnect, DoubleForfeit, NoShow};
    matches!(termination, NoShow | Crash | Disconnect | DoubleForfeit)
}

impl Arena {
    /// Makes the game void if the machine lacked something for the player at fault.
    pub(super) fn excuse(&self, spec: &GameSpec, played: &mut PlayedGame) {
        let Ok(result) = &played.record.result else { return };
        let at_fault = Side::BOTH.into_iter().filter(|&side| result.fault().is_on(side));
        let excuse = at_fault.filter_map(|side| {
            let lack = played.remains[side].lack.filter(|lack| lack.excuses(result.termination()))?;
            Some(format!("player `{}` {lack}", self.name(spec, side)))
        });
        if let Some(reason) = excuse.into_iter().next() {
            played.record.result = Err(Void { reason });
        }
    }
}
