//! Which positions belong into the book.

use std::collections::BTreeSet;

use super::{Book, Class};
use crate::game::rules::gothello::{Game, points};
use crate::game::rules::{Move, Side};

/// All positions of so many plies have their values in the book.
pub const PLIES: u32 = 3;

/// From so few empty points on, a search is quick enough without a book.
pub const LIVE_FROM: u32 = 18;

/// What a book is to hold: the values of all positions of the first plies, and for either side a move in every position that can
/// arise while it plays by the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where games begin.
    pub start: Game,
    /// All positions after up to so many moves have their values.
    pub plies: u32,
    /// With so few empty points, the book's lines end.
    pub live_from: u32,
}

/// The book of the whole game.
impl Default for Plan {
    fn default() -> Self {
        Self { start: Game::default(), plies: PLIES, live_from: LIVE_FROM }
    }
}

impl Plan {
    /// The classes of all positions after up to [`Plan::plies`] moves, passes included, in an order in which those that have
    /// much in common follow each other.
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

    /// The classes in which `side`, from the start on, has to choose a move while it plays by the book, as far as the book has
    /// moves already; those with an entry included. Those for which there is none are next.
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
            // A pass that ends the game for the better is chosen by the rules alone.
            if reply != Some(Move::PASS) || !game.passed() {
                classes.insert(class);
            }
            let next = reply.map(|reply| game.after(reply)).filter(|next| !next.is_over());
            games.extend(next.iter().flat_map(successors));
        }
        classes
    }

    /// What is to be solved next, to begin with the positions of the fewest empty points of the first plies: what comes before
    /// them is then known at once. Nothing if the book is whole; otherwise there may be more after these.
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

    /// Whether the book's lines end there.
    pub const fn is_live(&self, game: &Game) -> bool {
        game.board().empty().count_ones() <= self.live_from
    }
}

/// The positions after every move that does not end the game, the pass last.
pub(super) fn successors(game: &Game) -> impl Iterator<Item = Game> + use<> {
    let game = *game;
    let passed = Some(game.pass()).filter(|next| !next.is_over());
    points(game.placements()).map(move |point| game.place(point)).chain(passed)
}
