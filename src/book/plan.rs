//! Which positions belong into the book.

use std::collections::BTreeSet;

use super::{Book, Class};
use crate::rules::gothello::{Game, points};
use crate::rules::{Move, Side};

/// All positions of so many plies have their values in the book.
pub const PLIES: u32 = 3;

/// From so few empty points on, a search is quick enough without a book.
pub const LIVE_FROM: u32 = 18;

/// The classes of all positions after up to `plies` moves, passes included, in an order in which those that have much in
/// common follow each other.
pub fn first_plies(plies: u32) -> Vec<Class> {
    let mut seen = BTreeSet::new();
    let mut classes = Vec::new();
    visit(&Game::default(), plies, &mut seen, &mut classes);
    classes
}

fn visit(game: &Game, plies: u32, seen: &mut BTreeSet<(Class, bool, u32)>, classes: &mut Vec<Class>) {
    let (class, _) = Class::of(game);
    if !seen.insert((class, game.passed(), plies)) {
        return;
    }
    if !classes.contains(&class) {
        classes.push(class);
    }
    if plies > 0 {
        for next in successors(game) {
            visit(&next, plies - 1, seen, classes);
        }
    }
}

/// The positions after every move that does not end the game, the pass last.
fn successors(game: &Game) -> impl Iterator<Item = Game> {
    let passed = Some(game.pass()).filter(|next| !next.is_over());
    points(game.placements()).map(|point| game.place(point)).chain(passed)
}

/// The classes in which `side`, from the empty board on, has to choose a move while it plays by the book, as far as the book
/// has moves already; those with an entry included. Those for which there is none are next.
pub fn choices(book: &Book, side: Side) -> BTreeSet<Class> {
    let mut classes = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let start = Game::default();
    let mut games = if side == Side::Black { vec![start] } else { successors(&start).collect() };
    while let Some(game) = games.pop() {
        let (class, _) = Class::of(&game);
        if class.empty() <= LIVE_FROM || !seen.insert((class, game.passed())) {
            continue;
        }
        let reply = book.reply(&game);
        if reply != Some(Move::PASS) || !game.passed() {
            classes.insert(class);
        }
        if let Some(reply) = reply {
            let next = game.after(reply);
            if !next.is_over() {
                games.extend(successors(&next));
            }
        }
    }
    classes
}
