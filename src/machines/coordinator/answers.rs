//! The answers that the coordinator has not acknowledged yet, and that the broker therefore still keeps. Only their
//! handles are stored, without the contents, since there may be as many answers as the tournament has games.

use std::collections::HashMap;

use super::SavedGame;

/// Unacknowledged answers, each as the handle with which to acknowledge it.
#[derive(Debug)]
pub(super) struct Answers<M> {
    /// Answers to games that are not saved yet.
    unsaved: HashMap<SavedGame, Vec<M>>,
    /// Answers that arrived before their game was requested, for example after a restart.
    early: HashMap<u64, M>,
}

impl<M> Default for Answers<M> {
    fn default() -> Self {
        Self { unsaved: HashMap::new(), early: HashMap::new() }
    }
}

impl<M> Answers<M> {
    /// Keeps an answer until `game` is saved. The same answer may be redelivered in the meantime, for example if the disk
    /// is slow. If the game is void, it may even have been played again and answered before it is saved as void.
    pub(super) fn keep(&mut self, game: SavedGame, answer: M) {
        self.unsaved.entry(game).or_default().push(answer);
    }

    /// Keeps an answer until its game is requested.
    pub(super) fn keep_early(&mut self, number: u64, answer: M) {
        self.early.insert(number, answer);
    }

    /// Takes the answer that arrived before the game `number` was requested, if there is one.
    pub(super) fn take_early(&mut self, number: u64) -> Option<M> {
        self.early.remove(&number)
    }

    /// Removes and returns the answers to acknowledge now that the game is in the journal. An early answer is useless
    /// if the game has another result.
    pub(super) fn done_with(&mut self, saved: SavedGame) -> Vec<M> {
        let mut answers = self.unsaved.remove(&saved).unwrap_or_default();
        if !saved.is_void {
            answers.extend(self.unsaved.remove(&SavedGame { is_void: true, ..saved }).unwrap_or_default());
            answers.extend(self.early.remove(&saved.number));
        }
        answers
    }

    /// Whether there are no answers.
    pub(super) fn is_empty(&self) -> bool {
        self.unsaved.is_empty() && self.early.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn saved(number: u64, is_void: bool) -> SavedGame {
        SavedGame { number, is_void }
    }

    #[test]
    fn no_answer_is_let_go_of_before_its_game_is_saved_however_long_that_takes() {
        let mut answers = Answers::default();
        answers.keep(saved(1, true), "first");
        answers.keep(saved(2, false), "other");
        // The disk is so slow that the broker redelivers the answer.
        answers.keep(saved(1, true), "first again");
        assert_eq!(answers.done_with(saved(3, false)), [""; 0]);
        assert_eq!(answers.done_with(saved(1, true)), ["first", "first again"]);
        assert!(!answers.is_empty());
        assert_eq!(answers.done_with(saved(2, false)), ["other"]);
        assert!(answers.is_empty());
    }

    #[test]
    fn the_answer_to_a_game_that_is_played_again_does_not_count_as_saved_with_its_void_try() {
        let mut answers = Answers::default();
        answers.keep(saved(1, true), "void");
        answers.keep(saved(1, false), "result");
        assert_eq!(answers.done_with(saved(1, true)), ["void"]);
        assert_eq!(answers.done_with(saved(1, false)), ["result"]);
        // No answer is left behind.
        answers.keep(saved(2, true), "void");
        assert_eq!(answers.done_with(saved(2, false)), ["void"]);
        assert!(answers.is_empty());
    }

    #[test]
    fn an_early_answer_waits_for_its_game_unless_another_machine_has_ended_it() {
        let mut answers = Answers::default();
        answers.keep_early(1, "one");
        answers.keep_early(2, "two");
        assert_eq!(answers.done_with(saved(1, true)), [""; 0], "the game will be requested again");
        assert_eq!(answers.take_early(1), Some("one"));
        assert_eq!(answers.take_early(1), None);
        assert_eq!(answers.done_with(saved(2, false)), ["two"], "this machine has played it");
        assert!(answers.is_empty());
    }
}
