//! The positions that belong in the book, whether or not it has them.

use std::collections::BTreeSet;

use super::{Book, Class};
use crate::game::gothello::{Game, points};
use crate::game::{Move, Side};

/// The book has the values of all positions after up to this many plies.
pub const PLIES: u32 = 3;

/// With this many empty points or fewer, a search is fast enough without a book.
pub const LIVE_FROM: u32 = 18;

/// The intended contents of a book: the values of all positions of the first plies, and for either side a move in every
/// position that can arise while that side plays by the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookPlan {
    /// The position in which games begin.
    pub start: Game,
    /// The book has the values of all positions after up to this many moves.
    pub plies: u32,
    /// The number of empty points at which the book's lines end.
    pub live_from: u32,
}

/// The plan for the book of the whole game.
impl Default for BookPlan {
    fn default() -> Self {
        Self { start: Game::default(), plies: PLIES, live_from: LIVE_FROM }
    }
}

impl BookPlan {
    /// Returns the classes of all positions after up to [`BookPlan::plies`] moves, including passes. The order keeps
    /// positions that have much in common close together.
    pub fn first_plies(&self) -> Vec<Class> {
        let mut seen = BTreeSet::new();
        let mut kept = BTreeSet::new();
        let mut classes = Vec::new();
        let mut visit = vec![(self.start, self.plies)];
        while let Some((game, plies)) = visit.pop() {
            let (class, _) = Class::of(&game);
            if !seen.insert((class, game.passed(), plies)) {
                continue;
            }
            if kept.insert(class) {
                classes.push(class);
            }
            if plies > 0 {
                visit.extend(successors(&game).map(|next| (next, plies - 1)));
            }
        }
        classes
    }

    /// Returns the classes in which `side` must choose a move while it plays by the book from the start, as far as the
    /// book already has moves. This includes classes with an entry; those without one have to be solved next.
    pub fn choices(&self, book: &Book, side: Side) -> BTreeSet<Class> {
        let mut classes = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut games: Vec<Game> =
            if self.start.side() == side { vec![self.start] } else { successors(&self.start).collect() };
        while let Some(game) = games.pop() {
            let (class, _) = Class::of(&game);
            if self.is_live(&game) || !seen.insert((class, game.passed())) {
                continue;
            }
            let reply = book.reply(&game);
            // If a pass ends the game favourably, it is chosen without the book.
            if reply != Some(Move::PASS) || !game.passed() {
                classes.insert(class);
            }
            let next = reply.map(|reply| game.after(reply)).filter(|next| !next.is_over());
            games.extend(next.iter().flat_map(successors));
        }
        classes
    }

    /// Returns what to solve next; nothing if the book is complete. The positions of the first plies come first, in
    /// ascending order of their empty points: once the later positions are solved, the earlier ones take no time.
    /// Solving the returned positions can reveal more of them.
    pub fn missing(&self, book: &Book) -> Vec<Class> {
        let lacks = |class: &Class| book.entry(*class).is_none_or(|entry| entry.reply.is_none());
        let mut first: Vec<Class> = self.first_plies().into_iter().filter(lacks).collect();
        if !first.is_empty() {
            first.sort_by_key(|class| class.empty());
            return first;
        }
        let choices: BTreeSet<Class> = Side::BOTH.iter().flat_map(|&side| self.choices(book, side)).collect();
        choices.into_iter().filter(lacks).collect()
    }

    /// Returns whether the book's lines end at this position.
    pub const fn is_live(&self, game: &Game) -> bool {
        game.board().empty().count_ones() <= self.live_from
    }
}

/// Returns the positions after every move that does not end the game, with the pass last.
pub(super) fn successors(game: &Game) -> impl Iterator<Item = Game> + use<> {
    let game = *game;
    let passed = Some(game.pass()).filter(|next| !next.is_over());
    points(game.placements()).map(move |point| game.place(point)).chain(passed)
}
