//! The opponents that use a search.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::base::stop::StopSignal;
use crate::drill::script::{Reply, Rival, RivalKind, Setting, SoFar, pure_rival};
use crate::game::{Move, Position, Ruleset, Side, gothello, quantum, seegover};
use crate::players::bots::{Bot, ErrorRate, Thinker};
use crate::players::perfect::{BestPlay as _, Perfect};

/// How long the perfect rival may think in one game.
const PERFECT_TIME: Duration = Duration::from_mins(1);

/// The search depth, in plies, of a rival that cannot prove its moves.
const DEPTH: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// The search depth, in plies, on boards with many more legal moves.
const DEPTH_OF_LARGE_BOARDS: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// Returns the rival of the given `kind`. A rival that searches aborts its search when `stop` requests an immediate
/// end.
pub(super) fn rival(kind: RivalKind, setting: &Setting, stop: &StopSignal) -> Box<dyn Rival> {
    pure_rival(kind, setting.seed).unwrap_or_else(|| Box::new(Searcher::against(setting, stop)))
}

/// A rival that searches for its moves.
#[derive(Debug)]
enum Searcher {
    /// Plays Gothello perfectly, which wins as black.
    Perfect(Perfect),
    /// Plays white in Gothello, and either side in other games. White loses Gothello if both sides play perfectly, but
    /// most bots lose even to a search of a few plies.
    Shallow(Bot),
}

impl Searcher {
    fn against(setting: &Setting, stop: &StopSignal) -> Self {
        match (setting.ruleset, setting.side.side()) {
            (Ruleset::Gothello, Side::White) => {
                Self::Perfect(Perfect::new(ErrorRate::NEVER, setting.seed).until(stop.clone()))
            }
            (Ruleset::Quantum(_), _) => {
                Self::Shallow(Bot::new(Thinker::Alphabeta, Some(DEPTH_OF_LARGE_BOARDS), setting.seed))
            }
            _ => Self::Shallow(Bot::new(Thinker::Alphabeta, Some(DEPTH), setting.seed)),
        }
    }

    fn choose(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Move {
        match (self, ruleset) {
            (Self::Perfect(perfect), _) => {
                perfect.choose(&played(gothello::Game::default(), so_far), Some(PERFECT_TIME)).0
            }
            (Self::Shallow(bot), Ruleset::Gothello) => bot.choose(&played(gothello::Game::default(), so_far)),
            (Self::Shallow(bot), Ruleset::Seegover(options)) => {
                bot.choose(&played(seegover::Game::new(options), so_far))
            }
            (Self::Shallow(bot), Ruleset::Quantum(rules)) => bot.choose(&played(quantum::Game::new(rules), so_far)),
        }
    }
}

/// The position reached by playing `so_far` from `position`.
fn played<P: Position>(mut position: P, so_far: &SoFar<'_>) -> P {
    so_far.play_in(&mut position);
    position
}

impl Rival for Searcher {
    fn reply(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Reply {
        Reply::Play(self.choose(ruleset, so_far))
    }
}
