//! Positions beyond the first plies of the plan: a book may have the outcomes of any of them, and needs none.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::planned_positions::BookPlan;
use super::{Book, Class};
use crate::game::rules::gothello::points;

/// The last ply after which an extension of the book looks for positions. Most later positions are solved in less than a second.
pub const LAST_PLY: u32 = 5;

impl BookPlan {
    /// Returns the classes of positions after more than [`BookPlan::plies`] and up to `last` placements, without passes,
    /// that have no entry in `book`, in the order in which to solve them.
    ///
    /// `played` says how often a class has occurred in games. Those classes come first, and in either part the later plies,
    /// since a position takes next to no time once all positions after its moves are solved. In a ply, the classes that were
    /// played more often come first, and then those that follow the same position stay together, because what is found about
    /// one helps with the others.
    ///
    /// The list leaves out what every analysis knows without an entry: any move from a lost position leads to a position
    /// that is won for the other side.
    pub fn further(&self, book: &Book, last: u32, played: &BTreeMap<Class, usize>) -> Vec<Class> {
        let mut before = BTreeSet::from([Class::of(&self.start).0]);
        let mut open: Vec<(u32, Class)> = Vec::new();
        for ply in 1..=last {
            let mut after = BTreeSet::new();
            let mut follows = BTreeSet::new();
            let mut found = Vec::new();
            for class in before {
                let is_lost = book.entry(class).is_some_and(|entry| entry.outcome < 0);
                let game = class.game();
                for next in points(game.placements()).map(|point| Class::of(&game.place(point)).0) {
                    if is_lost {
                        follows.insert(next);
                    }
                    if after.insert(next) && ply > self.plies && book.entry(next).is_none() {
                        found.push(next);
                    }
                }
            }
            open.extend(found.into_iter().filter(|class| !follows.contains(class)).map(|class| (ply, class)));
            before = after;
        }
        let times = |class: &Class| played.get(class).copied().unwrap_or_default();
        open.sort_by_key(|(ply, class)| (times(class) == 0, Reverse(*ply), Reverse(times(class))));
        open.into_iter().map(|(_, class)| class).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::exact::book::BookEntry;
    use crate::exact::book::audit::check;
    use crate::exact::book::small_books::{any_start, build};
    use crate::exact::solver::{Solver, Table};
    use crate::game::rules::gothello::Game;

    /// The plan of a game with nine empty points.
    fn late_plan(plies: u32, random: &mut SplitMix64) -> BookPlan {
        let start = (0..100).find_map(|_| any_start(9, 0, random)).expect("most random placements get that far");
        BookPlan { start, plies, live_from: 5 }
    }

    #[test]
    fn an_extended_book_knows_every_position_of_the_further_plies() {
        let mut random = SplitMix64::new(5);
        for _ in 0..6 {
            let plan = late_plan(1, &mut random);
            let table = Table::for_game(&plan.start);
            let mut solver = Solver::new(&table);
            let mut book = build(&plan);
            for class in plan.further(&book, 3, &BTreeMap::new()) {
                assert!(book.entry(class).is_none() && class.empty() < 8, "{class:?}");
                book.insert(class, BookEntry::outcome_alone(&mut solver, class).expect("there is no limit"));
            }
            assert_eq!(plan.further(&book, 3, &BTreeMap::new()), []);
            assert_eq!(check(&book, &plan).contradictions, []);
            // Each position has an entry, or follows a lost one.
            let mut positions = vec![plan.start];
            for _ in 0..3 {
                let after = |game: &Game| points(game.placements()).map(|point| game.place(point)).collect::<Vec<_>>();
                positions = positions.iter().flat_map(after).collect();
                for game in &positions {
                    let entry = book.entry(Class::of(game).0);
                    let outcome = game.side().score(solver.winner(game).expect("there is no limit"));
                    assert_eq!(entry.map_or(1, |entry| entry.outcome), outcome, "{game:?}");
                }
            }
        }
    }

    #[test]
    fn what_was_played_comes_first_and_the_later_ply_before_the_earlier_one() {
        let plan = late_plan(0, &mut SplitMix64::new(8));
        let all = plan.further(&Book::default(), 2, &BTreeMap::new());
        let [second, first]: [Vec<Class>; 2] =
            [7, 8].map(|empty| all.iter().copied().filter(|class| class.empty() == empty).collect());
        assert_eq!(all, [second.clone(), first.clone()].concat());
        let played = BTreeMap::from([(second[3], 1), (first[1], 9), (second[5], 2)]);
        let order = plan.further(&Book::default(), 2, &played);
        assert_eq!(order[..3], [second[5], second[3], first[1]]);
        let rest: Vec<Class> = all.into_iter().filter(|class| !played.contains_key(class)).collect();
        assert_eq!(order[3..], rest);
    }
}
