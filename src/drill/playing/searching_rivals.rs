//! The opponents that use a search.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::base::stop::StopSignal;
use crate::drill::script::{Reply, Rival, RivalKind, Setting, play_on, pure_rival};
use crate::game::{Move, Position, Ruleset, Side, gothello, quantum, seegover};
use crate::players::bots::{Bot, ErrorRate, Thinker};
use crate::players::perfect::{BestPlay as _, Perfect};
use crate::referee::record::Ply;

/// How long the perfect rival may think in one game.
const PERFECT_TIME: Duration = Duration::from_mins(1);

/// The search depth, in plies, of a rival that cannot prove its moves.
const DEPTH: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// The search depth, in plies, on boards with many more legal moves.
const DEPTH_OF_LARGE_BOARDS: NonZeroU32 = NonZeroU32::new(2).unwrap();

/// The rival of this kind. A rival that searches aborts its search when `stop` requests an immediate end.
pub(super) fn rival(kind: RivalKind, setting: &Setting, stop: &StopSignal) -> Box<dyn Rival> {
    pure_rival(kind, setting.seed).unwrap_or_else(|| Box::new(Searcher::against(setting, stop)))
}

/// A rival that searches for its moves.
#[derive(Debug)]
enum Searcher {
    /// Plays the best moves of Gothello. As black it has the book, and wins.
    Perfect(Perfect),
    /// Plays white in Gothello, which is lost with best play by both sides: the book has few of its positions, and solving
    /// them takes minutes. Plays either side in other games. Most bots lose to a search of a few plies.
    Shallow(Bot),
}

impl Searcher {
    fn against(setting: &Setting, stop: &StopSignal) -> Self {
        match (setting.ruleset, setting.side) {
            (Ruleset::Gothello, Side::White) => {
                Self::Perfect(Perfect::new(ErrorRate::NEVER, setting.seed).until(stop.clone()))
            }
            (Ruleset::Quantum(_), _) => {
                Self::Shallow(Bot::new(Thinker::Alphabeta, Some(DEPTH_OF_LARGE_BOARDS), setting.seed))
            }
            _ => Self::Shallow(Bot::new(Thinker::Alphabeta, Some(DEPTH), setting.seed)),
        }
    }

    fn choose(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Move {
        match (self, ruleset) {
            (Self::Perfect(perfect), _) => {
                perfect.choose(&played(gothello::Game::default(), plies), Some(PERFECT_TIME)).0
            }
            (Self::Shallow(bot), Ruleset::Gothello) => bot.choose(&played(gothello::Game::default(), plies)),
            (Self::Shallow(bot), Ruleset::Seegover(options)) => {
                bot.choose(&played(seegover::Game::new(options), plies))
            }
            (Self::Shallow(bot), Ruleset::Quantum(rules)) => bot.choose(&played(quantum::Game::new(rules), plies)),
        }
    }
}

/// The position after `plies`, which are legal in a game that starts from `position`.
fn played<P: Position>(mut position: P, plies: &[Ply]) -> P {
    play_on(&mut position, plies);
    position
}

impl Rival for Searcher {
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply {
        Reply::Play(self.choose(ruleset, plies))
    }
}
