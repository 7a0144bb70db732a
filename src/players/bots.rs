//! The thinking of the built-in bots: pure functions of the game and of their own random numbers.
//!
//! None of them looks at a clock, so that the same seeds give the same games on every machine.

mod alphabeta;
mod builtin;
mod mcts;

use std::num::NonZeroU32;

pub use builtin::{Builtin, Engine, ErrorRate, InvalidErrorRate, UnknownEngine};

use crate::base::random::SplitMix64;
use crate::game::rules::gothello::{Game, Point, points};
use crate::game::rules::{Move, Side};

/// How many plies [`Engine::Alphabeta`] looks ahead unless told otherwise.
pub const DEFAULT_DEPTH: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// How many playouts a move [`Engine::Mcts`] has unless told otherwise.
pub const DEFAULT_PLAYOUTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// A built-in bot with the random numbers of one game.
#[derive(Clone, Debug)]
pub struct Bot {
    engine: Engine,
    depth: NonZeroU32,
    playouts: NonZeroU32,
    error: ErrorRate,
    random: SplitMix64,
}

impl Bot {
    /// A bot that never errs and whose random numbers are those of `seed`. `depth`, [`DEFAULT_DEPTH`] if `None`, is for
    /// [`Engine::Alphabeta`] alone.
    pub fn new(engine: Engine, depth: Option<NonZeroU32>, seed: u64) -> Self {
        Self::of(Builtin { depth, ..Builtin::new(engine) }, seed)
    }

    /// This bot, its random numbers being those of `seed` unless it has a seed of its own.
    pub fn of(bot: Builtin, seed: u64) -> Self {
        Self {
            engine: bot.engine,
            depth: bot.depth.unwrap_or(DEFAULT_DEPTH),
            playouts: bot.playouts.unwrap_or(DEFAULT_PLAYOUTS),
            error: bot.error,
            random: SplitMix64::new(bot.seed.unwrap_or(seed)),
        }
    }

    /// The move of the side whose turn it is; the game must not be over. The same bot, asked the same games in the same
    /// order, gives the same moves.
    ///
    /// Every bot passes when it may place no stone. [`Engine::Greedy`] and [`Engine::Alphabeta`] also pass when that wins
    /// at once, unless the search sees a bigger win, and neither passes into a lost ending that it can avoid. One that errs
    /// makes another legal move than the one found, with the chance that it was given.
    ///
    /// Of [`Engine::Perfect`] this is what it plays where it can prove nothing, by playouts; the rest needs a clock, and is
    /// [`Perfect`](crate::players::perfect::Perfect)'s.
    pub fn choose(&mut self, game: &Game) -> Move {
        let found = self.find(game, || true);
        if self.errs() { self.another(game, &[found]) } else { found }
    }

    /// The same without error. `go_on` is asked before each playout, if it has any, and ends them by saying no.
    pub(crate) fn find(&mut self, game: &Game, go_on: impl FnMut() -> bool) -> Move {
        let placement = match self.engine {
            Engine::Random => one_of(points(game.placements()).map(|point| (0, point)), &mut self.random),
            Engine::Greedy => greedy(game, &mut self.random),
            Engine::Alphabeta => alphabeta::best(game, self.depth.get(), &mut self.random),
            Engine::Mcts | Engine::Perfect => mcts::best(game, self.playouts.get(), go_on, &mut self.random),
        };
        placement.map_or(Move::PASS, Point::to_move)
    }

    /// The same bot with so many playouts a move, if it has any.
    pub(crate) const fn set_playouts(&mut self, playouts: NonZeroU32) {
        self.playouts = playouts;
    }

    /// Whether to err this time. One that never does draws no random number for it.
    pub(crate) fn errs(&mut self) -> bool {
        let millionths = u64::from(self.error.millionths());
        millionths > 0 && self.random.below(ErrorRate::WHOLE.into()) < millionths
    }

    /// Any legal move but the `best`, of which there must be one, each as likely as the next; the first of the best where there
    /// is no other.
    pub(crate) fn another(&mut self, game: &Game, best: &[Move]) -> Move {
        let moves = points(game.placements()).map(Point::to_move).chain([Move::PASS]);
        let others: Vec<Move> = moves.filter(|other| !best.contains(other)).collect();
        let nth = usize::try_from(self.random.below(others.len() as u64)).unwrap_or(0);
        others.get(nth).copied().unwrap_or(best[0])
    }
}

/// The placement that captures most, or `None` to pass.
fn greedy(game: &Game, random: &mut SplitMix64) -> Option<Point> {
    let side = game.side();
    if game.passed() && lead(game, side) > 0 {
        return None;
    }
    one_of(points(game.placements()).map(|point| (lead(&game.place(point), side), point)), random)
}

/// One of the points with the highest score, each of them as likely as the next; `None` if there are no points at all.
fn one_of(scored: impl Iterator<Item = (i32, Point)>, random: &mut SplitMix64) -> Option<Point> {
    let mut choice = Choice::default();
    for (score, point) in scored {
        choice.offer(score, point, random);
    }
    choice.best.map(|(_, point)| point)
}

/// A random choice among the best of what is offered one by one.
#[derive(Default)]
struct Choice {
    best: Option<(i32, Point)>,
    /// How many were offered that are as good as the best.
    equals: u64,
}

impl Choice {
    /// The best score so far.
    fn score(&self) -> Option<i32> {
        self.best.map(|(score, _)| score)
    }

    /// Takes `point` if it is better than the best so far, or with chance 1/n if it is the n-th of the best ones.
    fn offer(&mut self, score: i32, point: Point, random: &mut SplitMix64) {
        self.equals = match self.score() {
            Some(best) if score < best => return,
            Some(best) if score == best => self.equals + 1,
            _ => 1,
        };
        if random.below(self.equals) == 0 {
            self.best = Some((score, point));
        }
    }
}

/// The stones of `side` minus its opponent's.
const fn lead(game: &Game, side: Side) -> i32 {
    match side {
        Side::Black => game.board().margin(),
        Side::White => -game.board().margin(),
    }
}
