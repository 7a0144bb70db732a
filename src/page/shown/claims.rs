//! The claims of a game's players, as a page stores them.

use std::fmt::Write as _;
use std::time::Duration;

use crate::base::digits::rounded;
use crate::game::Seat;
use crate::referee::record::{GameRecord, GroupRecord, Ply};
use crate::referee::thought::{ClaimedChance, ClaimedPoints};

/// The claims that a game's players made before their moves.
#[derive(Clone, Debug, Default)]
pub struct ShownClaims {
    /// Whether the claims are public.
    are_public: bool,
    pub(super) all: Vec<ShownClaim>,
}

/// The claim that a player made before one of its moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownClaim {
    /// The index of the ply.
    index: usize,
    pub(super) seat: Seat,
    pub(super) value: Option<ClaimedPoints>,
    pub(super) win: Option<ClaimedChance>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    /// The time of the move.
    pub(super) elapsed: Option<Duration>,
}

impl ShownClaims {
    /// The claims of the game of `record`.
    pub fn of(record: &GameRecord) -> Self {
        Self::in_plies(&record.plies, record.has_public_thoughts())
    }

    /// The claims of the game of `record`, which has more than two seats.
    pub fn of_group(record: &GroupRecord) -> Self {
        Self::in_plies(&record.plies, record.has_public_thoughts())
    }

    fn in_plies(plies: &[Ply], are_public: bool) -> Self {
        let all = plies.iter().enumerate().filter_map(|(index, ply)| {
            let thought = ply.thought.as_deref()?;
            Some(ShownClaim {
                index,
                seat: ply.seat,
                value: thought.value(),
                win: thought.win(),
                depth: thought.depth(),
                nodes: thought.nodes(),
                elapsed: ply.elapsed,
            })
        });
        Self { are_public, all: all.collect() }
    }

    /// Removes everything that is not public.
    pub fn make_public(&mut self) {
        if !self.are_public {
            self.all.clear();
        }
    }

    /// The values and chances for the script: for each ply up to the last one with a claim, the points from the mover's
    /// side and, after a colon, its chance in per cent, with commas between the plies: `3:73,,-1.5,:40`. `None` if
    /// there are none.
    pub fn coded(&self) -> Option<String> {
        let (mut text, mut plies) = (String::new(), 0);
        for claim in self.all.iter().filter(|claim| claim.value.is_some() || claim.win.is_some()) {
            text.extend(std::iter::repeat_n(',', claim.index - plies));
            plies = claim.index;
            if let Some(value) = claim.value {
                let _ = write!(text, "{}", value.points());
            }
            if let Some(win) = claim.win {
                let _ = write!(text, ":{}", rounded(100.0 * win.chance(), 0));
            }
        }
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(tag: &str) -> ShownClaims {
        let text = format!(
            "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n{tag}\n1. c3 {{[%eval +3 W0.734]}} b2 2. d4 {{[%eval -1.5 D3]}} e5 \
             {{[%eval D9]}} 3. a1 {{[%eval W0.4]}} b1 0-1\n"
        );
        ShownClaims::of(&text.parse().unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn the_script_gets_the_claims_by_ply() {
        assert_eq!(claims("").coded().as_deref(), Some("3:73,,-1.5,,:40"));
        assert_eq!(ShownClaims::default().coded(), None);
    }

    #[test]
    fn only_public_claims_stay_on_a_public_page() {
        for (tag, stays) in [("[Thoughts \"public\"]\n", true), ("[Thoughts \"private\"]\n", false), ("", false)] {
            let mut claims = claims(tag);
            claims.make_public();
            assert_eq!(claims.coded().is_some(), stays, "{tag}");
        }
    }
}
