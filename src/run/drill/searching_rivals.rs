//! The opponents that search.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::base::stop::StopSignal;
use crate::exact::solvable::position;
use crate::game::rules::{Ruleset, Side};
use crate::players::bots::{Bot, Engine, ErrorRate};
use crate::players::perfect::Perfect;
use crate::referee::drill::{Reply, Rival, RivalKind, Setting, pure_rival};
use crate::referee::record::Ply;

/// How much time the perfect rival has for its game.
const PERFECT_TIME: Duration = Duration::from_mins(1);

/// How many plies the rival looks ahead that cannot hope for a proof.
const DEPTH: NonZeroU32 = NonZeroU32::new(4).unwrap();

/// The rival of this kind. One that searches ends its search when `stop` asks to end at once.
pub(super) fn rival(kind: RivalKind, setting: &Setting, stop: &StopSignal) -> Box<dyn Rival> {
    pure_rival(kind, setting.seed).unwrap_or_else(|| Box::new(Searcher::against(setting, stop)))
}

/// A rival that searches for its moves.
#[derive(Debug)]
enum Searcher {
    /// Plays the best moves. As black it has the book, and wins.
    Perfect(Perfect),
    /// Plays white, which is lost with best play by both: the book has few of its positions, and to solve them takes minutes.
    /// Most bots lose to a search of a few plies.
    Shallow(Bot),
}

impl Searcher {
    fn against(setting: &Setting, stop: &StopSignal) -> Self {
        match setting.side {
            Side::White => Self::Perfect(Perfect::new(ErrorRate::NEVER, setting.seed).until(stop.clone())),
            Side::Black => Self::Shallow(Bot::new(Engine::Alphabeta, Some(DEPTH), setting.seed)),
        }
    }
}

impl Rival for Searcher {
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply {
        // A rule set without a solver has no scenario with this rival.
        let Ok(game) = position(ruleset, plies.iter().map(|ply| ply.played)) else { return Reply::Resign };
        Reply::Play(match self {
            Self::Perfect(perfect) => perfect.choose(&game, Some(PERFECT_TIME)).0,
            Self::Shallow(bot) => bot.choose(&game),
        })
    }
}
