//! The opening book: exact values of early positions, and a move that keeps the value.
//!
//! A position is stored up to colours and symmetries, with black to move, and without any pass before it, which is
//! accounted for as in [`crate::exact::solver`]. The eight images of each position share one line of a text that can be
//! read and compared:
//!
//! ```text
//! ..... ..... ..w.. ..... ..... loss ? b2
//! ```
//!
//! The line has the board from rank 5 to rank 1, the outcome under best play by both sides for black, who is to move,
//! the margin (`+3`, `-1`, or `?` if only the winner is known), and the move to play (`-` if none is stored).

pub mod audit;
pub mod further_positions;
pub mod planned_positions;
mod position_class;
#[cfg(test)]
mod small_books;
mod text;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use position_class::Class;
pub(crate) use position_class::ClassAndPass;
pub use text::BookError;

use crate::exact::solver::{Question, Solver, Unsolved};
use crate::game::gothello::{Board, Game, points};
use crate::game::{Move, Outcome, Side};

/// The book's entry for a position, from the perspective of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// 1 if the side to move wins, 0 if it is a draw, -1 if the other side wins.
    pub outcome: i32,
    /// The stones of the side to move minus those of the opponent at the end, if known. Its sign agrees with `outcome`.
    pub margin: Option<i32>,
    /// A move that keeps the outcome, in the orientation of [`Class::game`].
    pub reply: Option<Move>,
}

impl BookEntry {
    /// Solves a class and returns its entry.
    ///
    /// # Errors
    /// Returns an error if a limit of the solver is reached.
    pub fn solved(solver: &mut Solver<'_>, class: Class) -> Result<Self, Unsolved> {
        let entry = Self::outcome_alone(solver, class)?;
        Ok(Self { reply: solver.good_move(&class.game(), Question::Winner)?, ..entry })
    }

    /// Solves a class and returns its entry without a move, which takes less time.
    ///
    /// # Errors
    /// Returns an error if a limit of the solver is reached.
    pub fn outcome_alone(solver: &mut Solver<'_>, class: Class) -> Result<Self, Unsolved> {
        let outcome = Side::Black.score(solver.winner(&class.game())?);
        Ok(Self { outcome, margin: None, reply: None })
    }
}

/// Values and moves of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book {
    entries: BTreeMap<Class, BookEntry>,
}

impl Book {
    /// Returns the book that is built into the program.
    pub fn embedded() -> &'static Self {
        static BOOK: LazyLock<Book> =
            LazyLock::new(|| include_str!("book/opening.txt").parse().expect("the book is read in a test"));
        &BOOK
    }

    /// Returns the entry of `class`, if there is one.
    pub fn entry(&self, class: Class) -> Option<BookEntry> {
        self.entries.get(&class).copied()
    }

    /// Stores `entry`, and replaces the previous entry of `class`.
    pub fn insert(&mut self, class: Class, entry: BookEntry) {
        self.entries.insert(class, entry);
    }

    /// Returns all entries, with the emptiest boards first.
    pub fn entries(&self) -> impl Iterator<Item = (Class, BookEntry)> {
        self.entries.iter().map(|(&class, &entry)| (class, entry))
    }

    /// Returns how many positions the book contains.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the book contains no positions.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the outcome of `game` under best play by both sides, if the book has it.
    pub fn value(&self, game: &Game) -> Option<Outcome> {
        if game.is_over() {
            return Some(Outcome::of_margin(game.board().margin()));
        }
        let (class, _) = Class::of(game);
        let (outcome, margin) = match (self.entry(class), class.lead()) {
            // Another pass would end the game with the stones as they are.
            (Some(entry), lead) if game.passed() => {
                (entry.outcome.max(lead.signum()), entry.margin.map(|margin| margin.max(lead)))
            }
            (None, 1..) if game.passed() => (1, None),
            (entry, _) => entry.map(|entry| (entry.outcome, entry.margin))?,
        };
        let side = game.side();
        Some(Outcome { winner: side.winner(outcome), margin: margin.map(|margin| side.own(margin)) })
    }

    /// Returns the outcome of `game` under best play by both sides, if the book has it or it follows from another
    /// entry: the side to move wins if a placement leads to a position that is lost for the other side, or if the other
    /// side could have made its last placement in a position that was already lost for it, even if the stones were
    /// placed in a different order in the game itself.
    pub fn known(&self, game: &Game) -> Option<Outcome> {
        let is_lost = |game: &Game| self.entry(Class::of(game).0).is_some_and(|entry| entry.outcome < 0);
        let follows = || {
            points(game.placements()).any(|point| is_lost(&game.place(point)))
                || before(game).any(|game| is_lost(&game))
        };
        self.value(game).or_else(|| follows().then(|| Outcome { winner: Some(game.side()), margin: None }))
    }

    /// Returns the outcome of `game` for the side to move, if the book has it: 1, 0 or -1, as in
    /// [`BookEntry::outcome`].
    pub fn outcome(&self, game: &Game) -> Option<i32> {
        Some(game.side().score(self.value(game)?.winner))
    }

    /// Returns a move that keeps the outcome, if the book has one.
    pub fn reply(&self, game: &Game) -> Option<Move> {
        if game.is_over() {
            return None;
        }
        let (class, symmetry) = Class::of(game);
        let lead = class.lead();
        if game.passed() && lead > 0 {
            return Some(Move::PASS);
        }
        let entry = self.entry(class)?;
        if game.passed() && lead.signum() > entry.outcome {
            return Some(Move::PASS);
        }
        entry.reply.map(|reply| symmetry.back(reply))
    }
}

/// Returns the positions from which a placement that captures nothing leads to `game`. None of them follows a pass; it
/// does not matter whether `game` does.
fn before(game: &Game) -> impl Iterator<Item = Game> {
    let (board, mover) = (game.board(), game.side().opponent());
    points(board.stones(mover)).filter_map(move |point| {
        let [black, white] = Side::BOTH.map(|side| board.stones(side) & !point.bit());
        let earlier = Game::from_board(Board::new(black, white)?, mover);
        let leads_here = earlier.placements() & point.bit() != 0 && earlier.place(point).board() == board;
        leads_here.then_some(earlier)
    })
}

#[cfg(test)]
mod tests {
    use super::small_books::any_start;
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::exact::solver::TranspositionTable;

    #[test]
    fn what_follows_from_one_lost_position_is_known_and_true() {
        let mut random = SplitMix64::new(12);
        let (mut won_before, mut won_after) = (0, 0);
        for _ in 0..20 {
            let start =
                (0..100).find_map(|_| any_start(8, 0, &mut random)).expect("most random placements get that far");
            let table = TranspositionTable::for_game(&start);
            let mut solver = Solver::new(&table);
            let successors = |game: &Game| points(game.placements()).map(|point| game.place(point)).collect::<Vec<_>>();
            let mut winner = |game: &Game| solver.winner(game).expect("there is no limit");
            let Some(lost) = successors(&start).into_iter().find(|game| winner(game) == Some(game.side().opponent()))
            else {
                continue;
            };
            let mut book = Book::default();
            book.insert(Class::of(&lost).0, BookEntry { outcome: -1, margin: None, reply: None });
            assert_eq!(book.known(&start).expect("it has a winning move").winner, Some(start.side()));
            for game in successors(&start).iter().flat_map(successors) {
                for game in [game, game.pass()] {
                    let Some(known) = book.known(&game) else { continue };
                    assert_eq!((known.winner, known.margin), (winner(&game), known.margin.filter(|_| game.is_over())));
                    won_after += 1;
                }
            }
            for point in points(lost.placements()) {
                let after = lost.place(point);
                let captures = after.board().stones(after.side()) != lost.board().stones(after.side());
                assert!(captures || book.known(&after).is_some(), "{after:?}");
            }
            won_before += 1;
        }
        assert!(won_before > 5 && won_after > 50, "{won_before} {won_after}");
    }
    #[test]
    fn a_position_before_leads_to_the_position_and_captures_nothing() {
        let mut random = SplitMix64::new(13);
        let mut takings = 0;
        for round in 0..400 {
            let Some(game) = any_start(6 + round % 18, 0, &mut random) else { continue };
            let next = points(game.placements()).map(|point| game.place(point));
            for after in next {
                let theirs = |game: &Game| game.board().stones(after.side());
                let captured = theirs(&after) != theirs(&game);
                assert!(captured || before(&after).any(|found| found == game), "{after:?}");
                for found in before(&after) {
                    assert!(points(found.placements()).any(|point| found.place(point) == after), "{found:?}");
                    assert_eq!(theirs(&found), theirs(&after));
                }
                takings += usize::from(captured);
            }
        }
        assert!(takings > 100, "{takings}");
    }
    #[test]
    fn no_stone_of_a_group_without_liberties_was_placed_last_unless_it_captured() {
        let enclosed = "..... ..... ww... bbw.. bbw..".parse().expect("a board");
        assert_eq!(before(&Game::from_board(enclosed, Side::White)).count(), 0);
        let open = "..... ..... ww... bb... bbw..".parse().expect("a board");
        assert_eq!(before(&Game::from_board(open, Side::White)).count(), 4);
    }
}
