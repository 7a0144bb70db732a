//! Books of games that begin in late positions, for tests.

use super::planned_positions::BookPlan;
use super::{Book, BookEntry};
use crate::base::random::SplitMix64;
use crate::exact::solver::{Solver, Table};
use crate::game::Side;
use crate::game::gothello::{Game, Point, points};

/// Makes a position of random placements with `empty` empty points and the side numbered `side` to move.
pub(super) fn any_start(empty: u32, side: usize, random: &mut SplitMix64) -> Option<Game> {
    let mut game = Game::default();
    while game.board().empty().count_ones() > empty {
        let placements: Vec<Point> = points(game.placements()).collect();
        let chosen = usize::try_from(random.below(placements.len() as u64)).ok()?;
        game = game.place(*placements.get(chosen)?);
    }
    Some(Game::from_board(game.board(), Side::BOTH[side]))
}

/// Builds a complete book, as the command does.
pub(super) fn build(plan: &BookPlan) -> Book {
    let table = Table::for_game(&plan.start);
    let mut solver = Solver::new(&table);
    let mut book = Book::default();
    loop {
        let missing = plan.missing(&book);
        if missing.is_empty() {
            return book;
        }
        for class in missing {
            book.insert(class, BookEntry::solved(&mut solver, class).unwrap());
        }
    }
}
