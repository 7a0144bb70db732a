//! The winner of a position of the drop phase: a search to the end of the drops, where the table takes over.
//!
//! The side that has the first turn after the drops is the opener, which is black unless a game begins in the middle.
//! The search asks whether the opener can reach a bound. The answer is either yes or no for every way the drops can
//! end, and thus also for every earlier position. For all positions of a question, the drops end with the same numbers
//! of stones, so the table's answers fit into one bit for each set of the opener's stones.

mod ends;
mod memo;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use self::ends::Ends;
use self::memo::{DropImages, Memo};
use super::table::Tablebase;
use super::worth::{Value, Worth};
use crate::exact::solver::{Span, Unsolved};
use crate::game::Side;
use crate::game::seegover::{ALL, Board, CENTRE, DropRule, FULL, Square, Squares, squares};

/// A position of the drop phase, without colours.
#[derive(Clone, Copy, Debug)]
struct Dropping {
    /// The stones of the side that has the first turn after the drops.
    opener: Squares,
    /// The stones of the other side.
    follower: Squares,
}

impl Dropping {
    const fn free(self) -> Squares {
        ALL & !(self.opener | self.follower | CENTRE.bit())
    }

    const fn left(self) -> u32 {
        self.free().count_ones()
    }

    const fn with(self, square: Square, is_openers: bool) -> Self {
        if is_openers {
            Self { opener: self.opener | square.bit(), ..self }
        } else {
            Self { follower: self.follower | square.bit(), ..self }
        }
    }
}

/// Returns whether the opener drops the next stone if `left` squares are free.
const fn is_openers(drop: DropRule, left: u32) -> bool {
    left.div_ceil(drop.stones()).is_multiple_of(2)
}

/// The parameters of a question: how many stones the opener has after the drops, and the rank of [`Worth`] to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DropSubject {
    stones: u32,
    bound: i32,
}

/// The limits that can end a search before it finds an answer.
#[derive(Clone, Debug)]
struct DropLimits {
    /// The maximum number of nodes.
    nodes: u64,
    /// The flag that ends the search once it is raised.
    stop: Option<Arc<AtomicBool>>,
    /// The approximate number of nodes of all searches so far.
    searched: Arc<AtomicU64>,
}

impl DropLimits {
    /// After how many nodes the flag is read again and the count is updated; a power of two.
    const TIMEOUT: u64 = 1 << 10;

    fn is_raised(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether a search that has visited `nodes` nodes must end.
    fn are_reached(&self, nodes: u64) -> bool {
        let is_time = nodes.is_multiple_of(Self::TIMEOUT);
        if is_time && nodes > 0 {
            self.searched.fetch_add(Self::TIMEOUT, Ordering::Relaxed);
        }
        nodes >= self.nodes || is_time && self.is_raised()
    }
}

/// A search of the drop phase that remembers its results.
#[derive(Debug)]
pub struct DropSearch {
    table: Arc<Tablebase>,
    drop: DropRule,
    questions: BTreeMap<DropSubject, DropQuestion>,
    nodes: u64,
    limits: DropLimits,
}

impl DropSearch {
    /// Creates a search that drops stones by `drop` and then uses `table`.
    pub fn new(table: Arc<Tablebase>, drop: DropRule) -> Self {
        let limits = DropLimits { nodes: u64::MAX, stop: None, searched: Arc::default() };
        Self { table, drop, questions: BTreeMap::new(), nodes: 0, limits }
    }

    /// Ends each of the later searches after `nodes` more nodes.
    #[must_use]
    pub fn within(self, nodes: u64) -> Self {
        Self { limits: DropLimits { nodes, ..self.limits }, ..self }
    }

    /// Ends each of the later searches soon after `stop` is raised.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Self {
        Self { limits: DropLimits { stop: Some(stop), ..self.limits }, ..self }
    }

    /// Does the same as [`DropSearch::until`] for an existing search. Returns the previous flag.
    pub(super) const fn set_stop(&mut self, stop: Option<Arc<AtomicBool>>) -> Option<Arc<AtomicBool>> {
        std::mem::replace(&mut self.limits.stop, stop)
    }

    /// A count that grows during a search: the approximate number of nodes of all searches so far.
    pub(super) fn searched(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.limits.searched)
    }

    /// The number of nodes of all searches so far.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The winner of a position of the drop phase under best play by both sides; `None` if it is a draw.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn winner(&mut self, board: Board, to_move: Side) -> Result<Option<Side>, Unsolved> {
        self.winner_in(board, to_move, Span::OPEN)
    }

    /// Returns the same as [`DropSearch::winner`], given what is already `known` about the outcome, which saves
    /// questions.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn winner_in(&mut self, board: Board, to_move: Side, known: Span) -> Result<Option<Side>, Unsolved> {
        let opener = self.opener(board, to_move);
        let known = known.seen_by(opener);
        if known.lower > 0 || known.upper > 0 && self.reaches(board, opener, 1)? {
            return Ok(Some(opener));
        }
        let holds = known.lower == 0 || known.upper >= 0 && self.reaches(board, opener, 0)?;
        Ok(if holds { None } else { Some(opener.opponent()) })
    }

    /// The winner of a position of the drop phase, and the number of plies to the end of the game.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub fn value(&mut self, board: Board, to_move: Side) -> Result<Value, Unsolved> {
        let opener = self.opener(board, to_move);
        let winner = self.winner(board, to_move)?;
        let Some(winner) = winner else { return Ok(Value { winner, depth: None }) };
        // The opener wins after an odd number of plies and loses after an even number, so both odd and even ranks
        // occur.
        let (mut reached, mut missed) =
            if winner == opener { (1, Worth::Won(0).rank() + 1) } else { (Worth::Lost(0).rank(), 0) };
        while missed - reached > 1 {
            let middle = i32::midpoint(reached, missed);
            if self.reaches_once(board, opener, middle)? {
                reached = middle;
            } else {
                missed = middle;
            }
        }
        let plies = Worth::of_rank(reached).plies().map_or(0, u32::from);
        Ok(Value { winner: Some(winner), depth: Some(plies + self.turns_left(board)) })
    }

    /// Whether a position of the drop phase has the value `value`. The true value must not be better for the side that
    /// had the last turn.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    pub(super) fn is_as_good(&mut self, board: Board, to_move: Side, value: Value) -> Result<bool, Unsolved> {
        let opener = self.opener(board, to_move);
        let rank = self.rank(board, opener, value);
        // If the opener is to move, a better value would be above the rank; otherwise, it would be below it.
        if opener == to_move { Ok(!self.reaches(board, opener, rank + 1)?) } else { self.reaches(board, opener, rank) }
    }

    /// The rank of a value for `opener` at the end of the drops.
    fn rank(&self, board: Board, opener: Side, value: Value) -> i32 {
        let drops = self.turns_left(board);
        let plies = value.depth.and_then(|depth| u8::try_from(depth.saturating_sub(drops)).ok()).unwrap_or_default();
        match value.winner {
            None => Worth::Drawn.rank(),
            Some(winner) if winner == opener => Worth::Won(plies).rank(),
            Some(_) => Worth::Lost(plies).rank(),
        }
    }

    /// The number of turns before the move phase.
    const fn turns_left(&self, board: Board) -> u32 {
        (FULL - board.count()) / self.drop.stones()
    }

    /// The side that has the first turn after the drops.
    fn opener(&self, board: Board, to_move: Side) -> Side {
        if is_openers(self.drop, FULL - board.count()) { to_move } else { to_move.opponent() }
    }

    /// Whether `opener` can reach a worth of rank `bound` at the end of the drops.
    fn reaches(&mut self, board: Board, opener: Side, bound: i32) -> Result<bool, Unsolved> {
        let (from, subject) = self.subject(board, opener, bound);
        let mut question = match self.questions.remove(&subject) {
            Some(known) => known,
            None => self.question(subject)?,
        };
        question.memo.grow_for(from.left());
        let answer = self.ask(&mut question, from);
        self.questions.insert(subject, question);
        answer
    }

    /// Answers the same question as `reaches` without storing it, for a bound that comes up only once.
    fn reaches_once(&mut self, board: Board, opener: Side, bound: i32) -> Result<bool, Unsolved> {
        let (from, subject) = self.subject(board, opener, bound);
        let mut question = self.question(subject)?;
        question.memo.grow_for(from.left());
        self.ask(&mut question, from)
    }

    fn subject(&self, board: Board, opener: Side, bound: i32) -> (Dropping, DropSubject) {
        let from = Dropping { opener: board.stones(opener), follower: board.stones(opener.opponent()) };
        let to_come: u32 = (1..=from.left()).map(|left| u32::from(is_openers(self.drop, left))).sum();
        (from, DropSubject { stones: from.opener.count_ones() + to_come, bound })
    }

    fn question(&self, subject: DropSubject) -> Result<DropQuestion, Unsolved> {
        let go_on = || !self.limits.is_raised();
        let ends = Ends::new(&self.table, subject.stones, subject.bound, go_on).ok_or(Unsolved { nodes: 0 })?;
        let limits = self.limits.clone();
        Ok(DropQuestion { drop: self.drop, ends, memo: Memo::default(), merits: [[0; 25]; 2], nodes: 0, limits })
    }

    fn ask(&mut self, question: &mut DropQuestion, from: Dropping) -> Result<bool, Unsolved> {
        (question.nodes, question.limits) = (0, self.limits.clone());
        let answer = question.reaches(from, DropImages::of(from.opener, from.follower));
        self.nodes += question.nodes;
        answer
    }
}

/// A question, with the results found so far.
#[derive(Debug)]
struct DropQuestion {
    drop: DropRule,
    ends: Ends,
    memo: Memo,
    /// For the follower and the opener, how many times a stone on each square decided a position, weighted by the work
    /// that this saved.
    merits: [[i64; 25]; 2],
    nodes: u64,
    limits: DropLimits,
}

impl DropQuestion {
    /// The number of free squares for which [`Ends::reaches_from_six`] finds the answer.
    const SIX: u32 = 6;
    /// Positions with at least this many free squares are remembered. With fewer, searching again is as fast.
    const REMEMBERED: u32 = 8;

    fn reaches(&mut self, from: Dropping, key: DropImages) -> Result<bool, Unsolved> {
        let left = from.left();
        if left == Self::SIX {
            return Ok(self.ends.reaches_from_six(self.drop, from.opener, from.free()));
        }
        if left == 0 {
            return Ok(self.ends.has(from.opener));
        }
        if left < Self::REMEMBERED {
            return self.search(from, key);
        }
        let canonical = key.canonical();
        if let Some(known) = self.memo.find(canonical) {
            return Ok(known);
        }
        let answer = self.search(from, key)?;
        self.memo.insert(canonical, left, answer);
        Ok(answer)
    }

    /// Tries the drops one after another, until one of them reaches the goal of the side to move.
    fn search(&mut self, from: Dropping, key: DropImages) -> Result<bool, Unsolved> {
        if self.limits.are_reached(self.nodes) {
            return Err(Unsolved { nodes: self.nodes });
        }
        self.nodes += 1;
        let left = from.left();
        let wanted = is_openers(self.drop, left);
        let (order, count) = self.order(from, wanted);
        if left > Self::REMEMBERED
            && order[..count].iter().any(|&at| self.memo.find(key.with(at, wanted).canonical()) == Some(wanted))
        {
            return Ok(wanted);
        }
        for (tried, &at) in order[..count].iter().enumerate() {
            if self.reaches(from.with(at, wanted), key.with(at, wanted))? == wanted {
                self.reward(&order[..=tried], wanted, left);
                return Ok(wanted);
            }
        }
        Ok(!wanted)
    }

    /// The free squares, most promising first, and their number.
    fn order(&self, from: Dropping, is_openers: bool) -> ([Square; 24], usize) {
        let merits = &self.merits[usize::from(is_openers)];
        let (mut order, mut count) = ([CENTRE; 24], 0);
        for square in squares(from.free()) {
            let merit = |square: Square| merits[usize::from(square.index())];
            let mut place = count;
            while place > 0 && merit(order[place - 1]) < merit(square) {
                order[place] = order[place - 1];
                place -= 1;
            }
            order[place] = square;
            count += 1;
        }
        (order, count)
    }

    /// Makes the last of `tried`, which decided a position, more promising, and the others less so.
    fn reward(&mut self, tried: &[Square], is_openers: bool, left: u32) {
        let merits = &mut self.merits[usize::from(is_openers)];
        let size = 1 << (left / 2);
        if let Some((best, others)) = tried.split_last() {
            merits[usize::from(best.index())] += size;
            for other in others {
                merits[usize::from(other.index())] -= size / 2;
            }
        }
    }
}
