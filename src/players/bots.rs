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

    /// Returns a legal move that is not in `refused`, found without a search: any placement for [`Engine::Random`], and a
    /// greedy one for the others. The pass comes last, unless it wins at once; it is also the answer when `refused` holds
    /// all legal moves.
    pub(crate) fn instead(&mut self, game: &Game, refused: &[Move]) -> Move {
        let may_pass = !refused.contains(&Move::PASS);
        let left = points(game.placements()).filter(|point| !refused.contains(&point.to_move()));
        let placement = match self.engine {
            Engine::Random => one_of(left.map(|point| (0, point)), &mut self.random),
            _ if may_pass && wins_by_passing(game) => None,
            _ => most_captured(game, left, &mut self.random),
        };
        placement.map_or(Move::PASS, Point::to_move)
    }
}

/// Returns the placement that captures most, or `None` to pass.
fn greedy(game: &Game, random: &mut SplitMix64) -> Option<Point> {
    if wins_by_passing(game) { None } else { most_captured(game, points(game.placements()), random) }
}

/// Returns whether the side to move wins at once if it passes.
const fn wins_by_passing(game: &Game) -> bool {
    game.passed() && lead(game, game.side()) > 0
}

/// Returns the placement among `placements` that captures most, or `None` if there are none.
fn most_captured(game: &Game, placements: impl Iterator<Item = Point>, random: &mut SplitMix64) -> Option<Point> {
    let side = game.side();
    one_of(placements.map(|point| (lead(&game.place(point), side), point)), random)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::rules::Position as _;
    use crate::game::rules::gothello::Board;

    fn game(board: &str) -> Game {
        Game::from_board(board.parse::<Board>().expect("a board"), Side::Black)
    }

    #[test]
    fn refused_moves_are_replaced_by_every_other_legal_move_the_pass_last() {
        for board in ["..... ..... ..... ..... .....", "..w.. .wb.. ..w.. b...w ....."] {
            let game = game(board);
            let mut legal = game.legal_moves();
            for engine in Engine::ALL {
                let mut bot = Bot::new(engine, None, 1);
                let mut refused = Vec::new();
                for _ in 0..legal.len() {
                    refused.push(bot.instead(&game, &refused));
                }
                assert_eq!(refused.last(), Some(&Move::PASS), "{engine} on {board}");
                refused.sort_by_key(Move::to_string);
                legal.sort_by_key(Move::to_string);
                assert_eq!(refused, legal, "{engine} on {board}");
            }
        }
    }

    #[test]
    fn the_moves_instead_of_refused_ones_capture_most_unless_the_bot_is_random() {
        let game = game("w.... b.... ..... ...bb ...ww");
        let captures = |played: &Move| lead(&game.place(Point::parse(played.as_str()).expect("a point")), Side::Black);
        for engine in Engine::ALL {
            let mut refused = Vec::new();
            let mut bot = Bot::new(engine, None, 1);
            for _ in 1..game.legal_moves().len() {
                refused.push(bot.instead(&game, &refused));
            }
            let is_greedy = refused.is_sorted_by_key(|played| -captures(played));
            assert_eq!(is_greedy, engine != Engine::Random, "{engine}: {refused:?}");
        }
    }

    #[test]
    fn a_pass_that_wins_at_once_comes_first_while_nobody_has_refused_it() {
        let game = Game::from_board("..... ..... ..b.. ..... .....".parse().expect("a board"), Side::White).pass();
        for engine in Engine::ALL.into_iter().filter(|&engine| engine != Engine::Random) {
            let mut bot = Bot::new(engine, None, 1);
            let placed = game.legal_moves()[0];
            assert_eq!(bot.instead(&game, &[placed]), Move::PASS, "{engine}");
            assert_ne!(bot.instead(&game, &[Move::PASS]), Move::PASS, "{engine}");
        }
    }
}
