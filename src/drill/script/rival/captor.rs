//! The rival that causes groups of all sizes to turn in Gothello, until the bot's last placements depend on turned
//! stones.
//!
//! For each of its candidate moves, the rival plays many random games against a bot that turns no stones, and chooses
//! the move after which such a bot most often passes although it may place a stone.

use super::{Reply, Rival, SoFar, next_number};
use crate::base::random::SplitMix64;
use crate::drill::script::turned_stones::Turning;
use crate::game::gothello::{Point, Points, points};
use crate::game::{Move, Ruleset, Side};
use crate::referee::record::Ply;

/// The number of playouts per move.
const PLAYOUTS: usize = 40;

/// How many of its own moves the rival makes at random before it pursues its aim, so that games differ.
const AIMLESS: u32 = 1;

/// The value of a wrong pass, where each kind of capture is worth 1.
const WRONG_PASS: u32 = 6;

/// A rival that captures and lets itself be captured.
#[derive(Debug)]
pub(super) struct Captor {
    random: SplitMix64,
}

impl Captor {
    pub(super) const fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed) }
    }

    fn choose(&mut self, history: &History, number: u32) -> Move {
        let now = &history.now;
        let placements: Vec<Move> = points(now.placements()).map(Point::to_move).collect();
        if number <= AIMLESS && !placements.is_empty() {
            return placements[below(&mut self.random, placements.len())];
        }
        let pass = (!now.game.passed() || placements.is_empty()).then_some(Move::PASS);
        let scored = placements.into_iter().chain(pass).map(|played| (self.score(history, played), played));
        let best = scored.max_by_key(|(score, _)| *score);
        best.map_or(Move::PASS, |(_, played)| played)
    }

    /// The score of `played`, summed over all playouts from the position after it.
    fn score(&mut self, history: &History, played: Move) -> u32 {
        (0..PLAYOUTS).map(|_| self.play_out(history.play(played))).sum()
    }

    fn play_out(&mut self, mut history: History) -> u32 {
        while !history.now.game.is_over() {
            let is_bots = history.now.game.side() != history.rival;
            if is_bots && history.now.depends_on_turned() && history.is_pass_wrong() {
                return WRONG_PASS + history.seen.count();
            }
            let choices = if is_bots { history.now.placements_unturned() } else { history.now.placements() };
            history = match self.any(choices) {
                Some(point) => history.step(history.now.place(point)),
                None => history.play(Move::PASS),
            };
        }
        history.seen.count()
    }

    /// One of the points in `choices`, chosen with equal probability.
    fn any(&mut self, choices: Points) -> Option<Point> {
        let count = usize::try_from(choices.count_ones()).unwrap_or_default();
        points(choices).nth(below(&mut self.random, count))
    }
}

fn below(random: &mut SplitMix64, count: usize) -> usize {
    usize::try_from(random.below(count as u64)).unwrap_or_default()
}

impl Rival for Captor {
    fn reply(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Reply {
        let plies = so_far.plies;
        let Some(history) = History::of(ruleset, plies) else { return Reply::Resign };
        Reply::Play(self.choose(&history, next_number(plies, history.rival)))
    }
}

/// A game, with the stones that have turned in it so far.
#[derive(Clone, Copy, Debug)]
struct History {
    rival: Side,
    now: Turning,
    seen: SeenCaptures,
}

/// The kinds of captures that have occurred.
#[derive(Clone, Copy, Debug, Default)]
struct SeenCaptures {
    /// Whether the rival turned a group of exactly one stone, of exactly two, and of at least four.
    by_rival: [bool; 3],
    by_bot: bool,
}

impl SeenCaptures {
    fn count(self) -> u32 {
        self.by_rival.into_iter().chain([self.by_bot]).map(u32::from).sum()
    }
}

impl History {
    /// The game after `plies`, in which the rival is to move.
    fn of(ruleset: Ruleset, plies: &[Ply]) -> Option<Self> {
        let moves = || plies.iter().map(|ply| ply.played);
        let rival = Turning::after(ruleset, moves())?.game.side();
        let start = Self { rival, now: Turning::after(ruleset, [])?, seen: SeenCaptures::default() };
        Some(moves().fold(start, |history, played| history.play(played)))
    }

    /// Whether a pass by the bot is a mistake, because it does not immediately win or draw the game.
    fn is_pass_wrong(&self) -> bool {
        let game = &self.now.game;
        !game.passed() || self.rival.own(game.board().margin()) > 0
    }

    fn play(&self, played: Move) -> Self {
        self.step(self.now.play(played))
    }

    fn step(&self, next: Turning) -> Self {
        let mut seen = self.seen;
        for size in self.now.turned_until(&next) {
            match size {
                _ if self.now.game.side() != self.rival => seen.by_bot = true,
                1 => seen.by_rival[0] = true,
                2 => seen.by_rival[1] = true,
                4.. => seen.by_rival[2] = true,
                _ => {}
            }
        }
        Self { now: next, seen, ..*self }
    }
}
