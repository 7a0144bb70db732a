//! Checks that a book is sound: nothing in its plan is missing, and no entry contradicts another.
//!
//! The check does not search. It compares every entry with the book's entries for the positions after its moves, and it
//! follows the reply of every entry to the positions after each of the opponent's answers. At the ends of its lines,
//! the book promises results that only a search can confirm. These positions are collected, so that a sample of them
//! can be solved again.
//!
//! Some entries of the first plies are never reached while either side plays by the book, so they do not have lines.
//! They are compared with their neighbours but do not follow from them; [`Findings::following`] contains the entries
//! that do follow.

mod follow;
mod leaf;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use thiserror::Error;

use super::planned_positions::{BookPlan, successors};
use super::{Book, BookEntry, Class, ClassAndPass};
use crate::base::random::SplitMix64;
use crate::exact::solver::Span;
use crate::game::gothello::{Game, Point, points};
use crate::game::{Move, Outcome, Side};
use follow::Following;
pub use leaf::Leaf;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// How many positions are lost, drawn and won for the side to move.
    pub outcomes: [usize; 3],
    /// How many margins are known.
    pub margins: usize,
    /// How many classes there are in the first plies.
    pub first_plies: usize,
    /// The number of classes in which black must choose a move while it plays by the book, and the same for white.
    pub choices: [usize; 2],
    /// How many moves lead from one position of the book to another.
    pub moves: usize,
    /// How many replies were followed through every answer, either to another position of the book or to the end of the
    /// lines.
    pub replies: usize,
    /// The entries whose outcomes follow, using only moves of the book, from the positions where its lines end.
    pub following: BTreeSet<Class>,
    /// The positions where the book's lines end with a promise, without duplicates.
    pub leaves: Vec<Leaf>,
    /// How many positions end the lines of a side that has lost, where nothing is promised.
    pub lost_leaves: usize,
    /// All problems that were found.
    pub contradictions: Vec<BookContradiction>,
}

/// A problem with a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookContradiction {
    /// The position.
    pub class: Class,
    /// The problem.
    pub problem: BookProblem,
}

/// Writes, for example, `..... ..... ..b.. ..... .....: its entry is missing`, where black is to move.
impl fmt::Display for BookContradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.class.game().board().to_string().replace('\n', " ");
        write!(f, "{board}: {}", self.problem)
    }
}

/// A problem with a position. All values are from the perspective of black, who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BookProblem {
    /// A position of the plan has no entry.
    #[error("its entry is missing")]
    Missing,
    /// A position of the plan has no move.
    #[error("its entry has no move")]
    NoReply,
    /// The rules do not allow the move.
    #[error("`{0}` is not a legal move there")]
    Illegal(Move),
    /// The outcome is not one of the three, or the margin does not match the outcome.
    #[error("the margin {margin:+} does not fit a {}", word(*outcome))]
    Margin {
        /// The entry's margin.
        margin: i32,
        /// The entry's outcome.
        outcome: i32,
    },
    /// A move leads to a better result than the entry states.
    #[error("{} is too little: `{by}` leads to {}", of(*said), of(*found))]
    TooLittle {
        /// The entry's value.
        said: Span,
        /// The move.
        by: Move,
        /// The value that follows from that after the move.
        found: Span,
    },
    /// No move leads to a result as good as the entry states.
    #[error("{} is too much: the best of its moves leads to {}", of(*said), of(*found))]
    TooMuch {
        /// The entry's value.
        said: Span,
        /// The value that follows from the best of all moves.
        found: Span,
    },
    /// The entry with the other side to move implies a better result.
    #[error("{} is too little: it would be {} if white were to move", of(*said), of(*found))]
    OnMove {
        /// The entry's value.
        said: Span,
        /// The value that follows from the entry for the same stones with the other side to move, from black's
        /// perspective.
        found: Span,
    },
    /// The reply does not keep the outcome.
    #[error("`{reply}` does not keep the {}: it leads to {}", word(*outcome), of(*found))]
    Loses {
        /// The entry's value.
        outcome: i32,
        /// The entry's move.
        reply: Move,
        /// The value that follows from that after the move.
        found: Span,
    },
    /// A position where the book's lines end is worth less than the book promised.
    #[error("{}a {} was promised, but it is a {}", if *passed { "after a pass, " } else { "" }, word(*promised), word(*found))]
    Leaf {
        /// Whether white has just passed.
        passed: bool,
        /// The promised result: 1 for a win, 0 for a draw.
        promised: i32,
        /// The outcome that was found by solving the position.
        found: i32,
    },
}

const fn word(outcome: i32) -> &'static str {
    match outcome {
        1.. => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// Formats margins for users: `a win`, `at most a draw`, `+3`.
fn of(span: Span) -> String {
    match (span.lower, span.upper) {
        (lower, upper) if lower == upper && lower != 0 => format!("{lower:+}"),
        (0, 0) => "a draw".to_owned(),
        (1, upper) if upper == Span::OPEN.upper => "a win".to_owned(),
        (lower, -1) if lower == Span::OPEN.lower => "a loss".to_owned(),
        (lower, upper) => format!("{lower:+} to {upper:+}"),
    }
}

/// Checks everything about a book that can be checked without a search.
pub fn check(book: &Book, plan: &BookPlan) -> Findings {
    let mut findings = Findings::default();
    for (class, entry) in book.entries() {
        findings.outcomes[usize::try_from(entry.outcome.signum() + 1).unwrap_or_default()] += 1;
        findings.margins += usize::from(entry.margin.is_some());
        let problems = unreadable(class, entry);
        findings.contradictions.extend(problems.map(|problem| BookContradiction { class, problem }));
    }
    // The lines of a book can only be followed if its moves are legal.
    if findings.contradictions.is_empty() {
        let mut leaves = BTreeMap::new();
        for (class, entry) in book.entries() {
            EntryCheck { book, plan, class, entry }.check(&mut findings, &mut leaves);
        }
        let promised =
            leaves.iter().map(|(&ClassAndPass { class, passed }, &promised)| Leaf { class, passed, promised });
        findings.leaves = promised.filter(|leaf| leaf.promised >= 0).collect();
        findings.lost_leaves = leaves.len() - findings.leaves.len();
        complete(book, plan, &mut findings);
        let mut following = Following::new(book, plan);
        let classes = book.entries().map(|(class, _)| class);
        findings.following = classes.filter(|class| following.exactly(&class.game())).collect();
    }
    findings
}

/// Returns a random sample of `count` leaves, all equally likely, or all leaves if there are not more.
pub fn sample(leaves: &[Leaf], count: usize, seed: u64) -> Vec<Leaf> {
    let mut random = SplitMix64::new(seed);
    let mut leaves = leaves.to_vec();
    let count = count.min(leaves.len());
    for place in 0..count {
        let others = random.below((leaves.len() - place) as u64);
        leaves.swap(place, place + usize::try_from(others).unwrap_or_default());
    }
    leaves.truncate(count);
    leaves
}

/// Returns the problems with a single entry. A book that was read from a text does not have such problems.
fn unreadable(class: Class, entry: BookEntry) -> impl Iterator<Item = BookProblem> {
    let legal = class.game().placements();
    let point = entry.reply.map(|reply| (reply, Point::parse(reply.as_str())));
    let illegal = point.filter(|(_, point)| point.is_some_and(|point| legal & point.bit() == 0));
    let margin = entry.margin.filter(|margin| margin.signum() != entry.outcome.signum());
    let margin = margin.map(|margin| BookProblem::Margin { margin, outcome: entry.outcome });
    illegal.map(|(reply, _)| BookProblem::Illegal(reply)).into_iter().chain(margin)
}

/// Checks that the book has everything that the plan requires.
fn complete(book: &Book, plan: &BookPlan, findings: &mut Findings) {
    let first = plan.first_plies();
    findings.first_plies = first.len();
    let mut wanted: BTreeSet<Class> = first.into_iter().collect();
    for (side, count) in Side::BOTH.into_iter().zip(&mut findings.choices) {
        let choices = plan.choices(book, side);
        *count = choices.len();
        wanted.extend(choices);
    }
    for class in wanted {
        let problem = match book.entry(class) {
            None => BookProblem::Missing,
            Some(BookEntry { reply: None, .. }) => BookProblem::NoReply,
            Some(_) => continue,
        };
        findings.contradictions.push(BookContradiction { class, problem });
    }
}

/// Compares one entry with the others.
struct EntryCheck<'a> {
    book: &'a Book,
    plan: &'a BookPlan,
    class: Class,
    entry: BookEntry,
}

impl EntryCheck<'_> {
    fn check(&self, findings: &mut Findings, leaves: &mut BTreeMap<ClassAndPass, i32>) {
        let game = self.class.game();
        let said = span_of(self.entry);
        let mut problems = Vec::new();
        // These bounds are from the perspective of black, who is to move.
        let mut best = Span { lower: Span::OPEN.lower, upper: Span::OPEN.lower };
        let moves = points(game.placements()).map(Point::to_move).chain([Move::PASS]);
        for by in moves {
            let next = game.after(by);
            let mut found = known(self.book, &next);
            let mut also = None;
            findings.moves += usize::from(self.book.value(&next).is_some());
            if self.entry.reply == Some(by) {
                let (after, whole) = self.after_answers(&next, leaves);
                findings.replies += usize::from(whole);
                let both = found.and(after);
                // If the two contradict each other, each is reported separately.
                if both.lower <= both.upper {
                    found = both;
                } else {
                    also = Some(after);
                }
            }
            for found in [Some(found), also].into_iter().flatten() {
                if self.entry.reply == Some(by) && found.upper < least(self.entry.outcome) {
                    problems.push(BookProblem::Loses { outcome: self.entry.outcome, reply: by, found });
                }
                if found.lower > said.upper {
                    problems.push(BookProblem::TooLittle { said, by, found });
                }
            }
            best = Span { lower: best.lower.max(found.lower), upper: best.upper.max(found.upper) };
        }
        if best.upper < said.lower {
            problems.push(BookProblem::TooMuch { said, found: best });
        }
        // Having the move is never a disadvantage: see the solver.
        let other = Game::from_board(game.board(), Side::White);
        if let Some(entry) = self.book.entry(Class::of(&other).0) {
            let found = negated(span_of(entry));
            if found.lower > said.upper {
                problems.push(BookProblem::OnMove { said, found });
            }
        }
        let class = self.class;
        findings.contradictions.extend(problems.into_iter().map(|problem| BookContradiction { class, problem }));
    }

    /// Returns the bounds on the value of a position that follow from the book's values after each of white's moves,
    /// from black's perspective. Also returns whether each move leads to a position of the book or to the end of its
    /// lines. The latter positions are added to `leaves`, with the results that the entry promises for them.
    fn after_answers(&self, game: &Game, leaves: &mut BTreeMap<ClassAndPass, i32>) -> (Span, bool) {
        let mut whole = true;
        let mut value = Span { lower: Span::OPEN.upper, upper: Span::OPEN.upper };
        let ending = Some(game.pass()).filter(Game::is_over);
        for next in successors(game).chain(ending) {
            let found = known(self.book, &next);
            let live = self.plan.is_live(&next) && !next.is_over();
            if live {
                let promised = leaves.entry(ClassAndPass::from(&next)).or_insert(-1);
                *promised = self.entry.outcome.max(*promised);
            }
            whole &= live || self.book.value(&next).is_some();
            value = Span { lower: value.lower.min(found.lower), upper: value.upper.min(found.upper) };
        }
        (value, whole)
    }
}

/// Returns what is known about a position from the book, from black's perspective: its value and, after a pass, the
/// fact that another pass ends the game.
fn known(book: &Book, game: &Game) -> Span {
    let value = book.value(game).map_or(Span::OPEN, Span::of);
    if game.passed() { value.and(Span::exactly(game.board().margin()).before(game.side())) } else { value }
}

/// Returns the value in an entry, from the perspective of black, who is to move.
fn span_of(entry: BookEntry) -> Span {
    Span::of(Outcome { winner: Side::ahead(entry.outcome), margin: entry.margin })
}

const fn negated(span: Span) -> Span {
    Span { lower: -span.upper, upper: -span.lower }
}

/// Returns the smallest margin of an outcome.
const fn least(outcome: i32) -> i32 {
    if outcome < 0 { Span::OPEN.lower } else { outcome }
}

#[cfg(test)]
mod tests;
