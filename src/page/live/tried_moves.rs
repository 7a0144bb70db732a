//! The questions of readers who try moves in a game that has ended: what is the resulting position worth?
//!
//! The thread that analyzes games answers these questions, one at a time, before it analyzes another game. A reader has
//! at most one open question, since a new question replaces the old one; the number of questions is limited; and a
//! question that is replaced, or that waits too long, receives an answer without a value.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::game::{Move, Outcome};

/// The number of questions that may wait.
const MOST_WAITING: usize = 16;

/// The time that a question may wait. This time and a search together are shorter than the time for which a connection
/// may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// The longest name that a reader may give itself, in bytes.
const MOST_NAME: usize = 32;

/// The maximum number of moves in a question, which is more than any game on a 5x5 board has.
const MOST_MOVES: usize = 400;

/// A reader: its address, and the name that its page has chosen, since a whole class can have the same address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReaderName {
    host: Option<IpAddr>,
    own: String,
}

impl ReaderName {
    /// The reader at `host` that calls itself `own`; `None` if the name is empty, too long, or contains unusual
    /// characters.
    pub(super) fn new(host: Option<IpAddr>, own: &str) -> Option<Self> {
        let is_name = !own.is_empty() && own.len() <= MOST_NAME && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_name.then(|| Self { host, own: own.to_owned() })
    }
}

/// The moves that `text` lists, separated by commas; `None` if there are too many, or if one of them is not a move in
/// any game.
pub(super) fn listed_moves(text: &str) -> Option<Vec<Move>> {
    let count = text.split(',').count();
    let moves = || text.split(',').map(|played| played.parse().ok()).collect();
    if text.is_empty() { Some(Vec::new()) } else { (count <= MOST_MOVES).then(moves).flatten() }
}

/// The error for a question that is not accepted, because too many are waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyQuestions;

/// A question that has not been answered.
#[derive(Debug)]
struct TriedQuestion {
    reader: ReaderName,
    /// The moves from the start of the game.
    moves: Vec<Move>,
    /// The time at which the question is no longer worth a search.
    until: Duration,
    answer: oneshot::Sender<Option<Outcome>>,
}

impl TriedQuestion {
    /// Answers that the value is unknown.
    fn give_up(self) {
        // The reader may have gone.
        let _ = self.answer.send(None);
    }
}

/// The questions that have not been answered.
#[derive(Debug, Default)]
pub(super) struct TriedMoves {
    waiting: VecDeque<TriedQuestion>,
    /// The question that is being answered.
    searched: Option<TriedQuestion>,
}

impl TriedMoves {
    /// On behalf of `reader`, asks at the time `at` for the value of the position after `moves`. The question replaces
    /// the reader's open question. The answer is an error if the page ends first.
    ///
    /// # Errors
    /// Fails if too many questions are waiting.
    pub(super) fn ask(
        &mut self,
        reader: ReaderName,
        moves: Vec<Move>,
        at: Duration,
    ) -> Result<oneshot::Receiver<Option<Outcome>>, TooManyQuestions> {
        self.expire(at);
        let replaced = self.waiting.iter().position(|question| question.reader == reader);
        let replaced = replaced.and_then(|place| self.waiting.remove(place));
        // If the old question is being searched, its answer is no longer needed.
        if let Some(old) = replaced.or_else(|| self.searched.take_if(|question| question.reader == reader)) {
            old.give_up();
        }
        if self.waiting.len() >= MOST_WAITING {
            return Err(TooManyQuestions);
        }
        let (answer, found) = oneshot::channel();
        self.waiting.push_back(TriedQuestion { reader, moves, until: at + PATIENCE, answer });
        Ok(found)
    }

    /// Removes the questions of readers who have gone, and answers those that have waited too long.
    fn expire(&mut self, at: Duration) {
        self.waiting.retain(|question| !question.answer.is_closed());
        while let Some(late) = self.waiting.pop_front_if(|question| question.until <= at) {
            late.give_up();
        }
    }

    /// The moves of the next question at the time `at`. This question counts as being answered from now on.
    pub(super) fn next(&mut self, at: Duration) -> Option<Vec<Move>> {
        self.expire(at);
        let question = self.waiting.pop_front()?;
        let moves = question.moves.clone();
        self.searched = Some(question);
        Some(moves)
    }

    /// Answers the question that was being searched.
    pub(super) fn found(&mut self, outcome: Option<Outcome>) {
        if let Some(question) = self.searched.take() {
            // The reader may have gone.
            let _ = question.answer.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn reader(own: &str) -> ReaderName {
        ReaderName::new(None, own).expect("a name")
    }

    fn moves(text: &str) -> Vec<Move> {
        listed_moves(text).expect("moves")
    }

    #[test]
    fn questions_are_answered_in_order() {
        let mut tried = TriedMoves::default();
        let mut first = tried.ask(reader("a"), moves("c3"), SECOND).expect("asked");
        let mut second = tried.ask(reader("b"), moves("c3,d3"), SECOND).expect("asked");
        assert_eq!(tried.next(SECOND), Some(moves("c3")));
        tried.found(Some(Outcome::of_margin(3)));
        assert_eq!(first.try_recv(), Ok(Some(Outcome::of_margin(3))));
        assert_eq!(tried.next(SECOND), Some(moves("c3,d3")));
        assert_eq!(tried.next(SECOND), None);
        tried.found(None);
        assert_eq!(second.try_recv(), Ok(None));
    }

    #[test]
    fn a_reader_has_one_question_which_a_new_one_replaces() {
        let mut tried = TriedMoves::default();
        let mut first = tried.ask(reader("a"), moves("c3"), SECOND).expect("asked");
        let mut second = tried.ask(reader("a"), moves("d4"), SECOND).expect("asked");
        assert_eq!((first.try_recv(), tried.waiting.len()), (Ok(None), 1));
        assert_eq!(tried.next(SECOND), Some(moves("d4")));
        let mut third = tried.ask(reader("a"), moves("e5"), SECOND).expect("asked");
        assert_eq!(second.try_recv(), Ok(None), "it was being searched");
        tried.found(Some(Outcome::of_margin(3)));
        assert!(third.try_recv().is_err(), "this is the answer to another question");
        assert_eq!(tried.next(SECOND), Some(moves("e5")));
        tried.found(Some(Outcome::of_margin(-1)));
        assert_eq!(third.try_recv(), Ok(Some(Outcome::of_margin(-1))));
    }

    #[test]
    fn a_reader_who_has_gone_leaves_room() {
        let mut tried = TriedMoves::default();
        drop(tried.ask(reader("a"), moves("c3"), SECOND));
        assert!(tried.ask(reader("a"), moves("d4"), SECOND).is_ok());
        let others: Vec<_> =
            (1..MOST_WAITING).map(|number| tried.ask(reader(&format!("r{number}")), moves(""), SECOND)).collect();
        assert_eq!(others.iter().filter(|asked| asked.is_ok()).count(), MOST_WAITING - 1, "both have gone");
        assert_eq!(tried.ask(reader("z"), moves(""), SECOND).map(|_| ()), Ok(()));
    }

    #[test]
    fn no_more_questions_wait_than_there_is_room_for_and_none_waits_for_long() {
        let mut tried = TriedMoves::default();
        let mut asked: Vec<_> = (0..MOST_WAITING)
            .map(|number| tried.ask(reader(&format!("r{number}")), moves(""), SECOND).expect("asked"))
            .collect();
        assert_eq!(tried.ask(reader("z"), moves(""), SECOND).err(), Some(TooManyQuestions));
        assert_eq!(tried.next(SECOND + PATIENCE), None);
        assert!(asked.iter_mut().all(|answer| answer.try_recv() == Ok(None)));
        assert!(tried.ask(reader("z"), moves(""), SECOND + PATIENCE).is_ok());
    }

    #[test]
    fn names_and_moves_are_checked() {
        for (name, is_good) in [("a1", true), ("", false), ("a b", false), ("<b>", false), (&"a".repeat(33), false)] {
            assert_eq!(ReaderName::new(None, name).is_some(), is_good, "{name}");
        }
        assert_eq!(moves("").len(), 0);
        assert_eq!(moves("c3,pass,b1-a1").len(), 3);
        for wrong in [",", "c3,", "C3 D4", &"c3,".repeat(MOST_MOVES), "a-very-long-move-of-no-game"] {
            assert_eq!(listed_moves(wrong), None, "{wrong}");
        }
    }
}
