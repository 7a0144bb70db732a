//! Positions beyond the first plies of the plan. A book can have the outcomes of any of them, but does not need them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::planned_positions::BookPlan;
use super::{Book, Class};
use crate::game::gothello::points;

/// The last ply after which an extension of the book looks for positions. Most later positions can be solved in less
/// than a second.
pub const LAST_PLY: u32 = 5;

impl BookPlan {
    /// Returns what to solve next: classes of positions after more than [`BookPlan::plies`] and up to `last`
    /// placements, without passes, whose outcomes [`Book::known`] does not find. The list is empty if there are none.
    /// Solving the returned classes also settles others, since the outcomes of all positions after a lost position
    /// follow from it.
    ///
    /// `played` contains how often a class has occurred in games. The list contains the open classes that were played
    /// at the earliest ply; if there are none, those of the next ply; and once all classes that were played are known,
    /// the other classes, ply by ply. Classes that were played more often come first. Among the other classes, those
    /// that follow the same position stay together, because the results for one help with the rest.
    pub fn further(&self, book: &Book, last: u32, played: &BTreeMap<Class, usize>) -> Vec<Class> {
        let mut before = BTreeSet::from([Class::of(&self.start).0]);
        let mut open: Vec<(u32, Class)> = Vec::new();
        for ply in 1..=last {
            let mut after = BTreeSet::new();
            for class in before {
                let game = class.game();
                for next in points(game.placements()).map(|point| Class::of(&game.place(point)).0) {
                    if after.insert(next) && ply > self.plies && book.known(&next.game()).is_none() {
                        open.push((ply, next));
                    }
                }
            }
            before = after;
        }
        let times = |class: &Class| played.get(class).copied().unwrap_or_default();
        let turn = |(ply, class): &(u32, Class)| (times(class) == 0, *ply);
        let next = open.iter().map(turn).min();
        let mut next: Vec<Class> =
            open.iter().filter(|found| Some(turn(found)) == next).map(|&(_, class)| class).collect();
        next.sort_by_key(|class| Reverse(times(class)));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::exact::book::BookEntry;
    use crate::exact::book::audit::check;
    use crate::exact::book::small_books::{any_start, build};
    use crate::exact::solver::{Solver, TranspositionTable};
    use crate::game::gothello::Game;

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
            let table = TranspositionTable::for_game(&plan.start);
            let mut solver = Solver::new(&table);
            let mut book = build(&plan);
            let mut rounds = 0;
            loop {
                let next = plan.further(&book, 3, &BTreeMap::new());
                if next.is_empty() {
                    break;
                }
                rounds += 1;
                for class in next {
                    assert!(book.entry(class).is_none() && class.empty() < 8, "{class:?}");
                    book.insert(class, BookEntry::outcome_alone(&mut solver, class).expect("there is no limit"));
                }
            }
            assert!(rounds <= 2);
            assert_eq!(check(&book, &plan).contradictions, []);
            let mut positions = vec![plan.start];
            for _ in 0..3 {
                let after = |game: &Game| points(game.placements()).map(|point| game.place(point)).collect::<Vec<_>>();
                positions = positions.iter().flat_map(after).collect();
                for game in &positions {
                    let winner = solver.winner(game).expect("there is no limit");
                    assert_eq!(book.known(game).map(|known| known.winner), Some(winner), "{game:?}");
                }
            }
        }
    }

    #[test]
    fn what_was_played_comes_first_and_the_earlier_ply_before_the_later_one() {
        let plan = late_plan(0, &mut SplitMix64::new(8));
        let table = TranspositionTable::for_game(&plan.start);
        let mut solver = Solver::new(&table);
        let mut book = Book::default();
        let first = plan.further(&book, 2, &BTreeMap::new());
        assert!(first.len() > 3 && first.iter().all(|class| class.empty() == 8));
        let later: Vec<Class> =
            points(first[0].game().placements()).map(|point| Class::of(&first[0].game().place(point)).0).collect();
        let played = BTreeMap::from([(later[0], 1), (first[3], 1), (first[1], 9), (later[2], 2)]);
        assert_eq!(plan.further(&book, 2, &played), [first[1], first[3]]);
        for class in [first[1], first[3]] {
            book.insert(class, BookEntry::outcome_alone(&mut solver, class).expect("there is no limit"));
        }
        let next = plan.further(&book, 2, &played);
        assert!(
            !next.is_empty()
                && [later[2], later[0]].iter().filter(|class| book.known(&class.game()).is_none()).eq(&next)
        );
        for class in next {
            book.insert(class, BookEntry::outcome_alone(&mut solver, class).expect("there is no limit"));
        }
        let rest = plan.further(&book, 2, &played);
        assert!(!rest.is_empty() && rest.iter().all(|class| class.empty() == 8 && !played.contains_key(class)));
    }
}
