//! How the built-in bots think: pure functions of the game and of each bot's own random numbers.
//!
//! No bot here looks at a clock, so the same seeds give the same games on every machine.

mod alphabeta;
mod builtin;
mod mcts;

use std::num::NonZeroU32;

pub use builtin::{Builtin, Engine, ErrorRate, InvalidErrorRate, UnknownEngine};

use crate::base::random::SplitMix64;
use crate::game::rules::gothello::{Game, Point, points};
use crate::game::rules::{Move, Side};

/// How many plies [`Engine::Alphabeta`] looks ahead by default.
pub const DEFAULT_DEPTH: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// How many playouts [`Engine::Mcts`] spends on a move by default.
pub const DEFAULT_PLAYOUTS: NonZeroU32 = NonZeroU32::new(1000).unwrap();

/// A built-in bot, with the random numbers of one game.
#[derive(Clone, Debug)]
pub struct Bot {
    engine: Engine,
    depth: NonZeroU32,
    playouts: NonZeroU32,
    error: ErrorRate,
    random: SplitMix64,
}

impl Bot {
    /// Makes a bot that never errs and takes its random numbers from `seed`. Only [`Engine::Alphabeta`] uses `depth`;
    /// `None` means [`DEFAULT_DEPTH`].
    pub fn new(engine: Engine, depth: Option<NonZeroU32>, seed: u64) -> Self {
        Self::of(Builtin { depth, ..Builtin::new(engine) }, seed)
    }

    /// Makes this bot. Its random numbers come from `seed`, unless the bot has a seed of its own.
    pub fn of(bot: Builtin, seed: u64) -> Self {
        Self {
            engine: bot.engine,
            depth: bot.depth.unwrap_or(DEFAULT_DEPTH),
            playouts: bot.playouts.unwrap_or(DEFAULT_PLAYOUTS),
            error: bot.error,
            random: SplitMix64::new(bot.seed.unwrap_or(seed)),
        }
    }

    /// Returns the move of the side to move; the game must not be over. The same bot, asked about the same games in the
    /// same order, returns the same moves.
    ///
    /// Every bot passes if it cannot place a stone. [`Engine::Greedy`] and [`Engine::Alphabeta`] also pass if that wins
    /// at once, unless the search sees a bigger win, and neither of them passes into a lost ending that it can avoid. A
    /// bot that errs plays another legal move than the one it found, with the probability that it was given.
    ///
    /// For [`Engine::Perfect`], this is only the move that it plays by playouts when it can prove nothing. The rest
    /// needs a clock, and belongs to [`Perfect`](crate::players::perfect::Perfect).
    pub fn choose(&mut self, game: &Game) -> Move {
        let found = self.find(game, || true);
        if self.errs() { self.another(game, &[found]) } else { found }
    }

    /// Does what [`Bot::choose`] does, but never errs. If the bot makes playouts, `go_on` is called before each of
    /// them; when it returns `false`, there are no more playouts.
    pub(crate) fn find(&mut self, game: &Game, go_on: impl FnMut() -> bool) -> Move {
        let placement = match self.engine {
            Engine::Random => one_of(points(game.placements()).map(|point| (0, point)), &mut self.random),
            Engine::Greedy => greedy(game, &mut self.random),
            Engine::Alphabeta => alphabeta::best(game, self.depth.get(), &mut self.random),
            Engine::Mcts | Engine::Perfect => mcts::best(game, self.playouts.get(), go_on, &mut self.random),
        };
        placement.map_or(Move::PASS, Point::to_move)
    }

    /// Sets the number of playouts for a move, if the bot makes any.
    pub(crate) const fn set_playouts(&mut self, playouts: NonZeroU32) {
        self.playouts = playouts;
    }

    /// Returns whether to err this time. A bot that never errs draws no random number for this.
    pub(crate) fn errs(&mut self) -> bool {
        let millionths = u64::from(self.error.millionths());
        millionths > 0 && self.random.below(ErrorRate::WHOLE.into()) < millionths
    }

    /// Returns any legal move except those in `best`, all equally likely. `best` must not be empty; if there is no
    /// other move, its first move is returned.
    pub(crate) fn another(&mut self, game: &Game, best: &[Move]) -> Move {
        let moves = points(game.placements()).map(Point::to_move).chain([Move::PASS]);
        let others: Vec<Move> = moves.filter(|other| !best.contains(other)).collect();
        let nth = usize::try_from(self.random.below(others.len() as u64)).unwrap_or(0);
        others.get(nth).copied().unwrap_or(best[0])
    }
}

/// Returns the placement that captures most, or `None` to pass.
fn greedy(game: &Game, random: &mut SplitMix64) -> Option<Point> {
    let side = game.side();
    if game.passed() && lead(game, side) > 0 {
        return None;
    }
    one_of(points(game.placements()).map(|point| (lead(&game.place(point), side), point)), random)
}

/// Returns one of the points with the highest score, all equally likely; `None` if there are no points at all.
fn one_of(scored: impl Iterator<Item = (i32, Point)>, random: &mut SplitMix64) -> Option<Point> {
    let mut choice = Choice::default();
    for (score, point) in scored {
        choice.offer(score, point, random);
    }
    choice.best.map(|(_, point)| point)
}

/// A random choice among the best of the points that are offered one by one.
#[derive(Default)]
struct Choice {
    best: Option<(i32, Point)>,
    /// How many of the points offered so far are as good as the best.
    equals: u64,
}

impl Choice {
    /// Returns the best score so far.
    fn score(&self) -> Option<i32> {
        self.best.map(|(score, _)| score)
    }

    /// Takes `point` if it is better than the best so far, or with probability 1/n if it is the n-th of the best
    /// points.
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

/// Returns the stones of `side` minus its opponent's.
const fn lead(game: &Game, side: Side) -> i32 {
    match side {
        Side::Black => game.board().margin(),
        Side::White => -game.board().margin(),
    }
}
