//! Puzzles that a person solves one after another.

use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::game::{IllegalMove, Move, Position as _};
use crate::practice::puzzles::{Puzzle, task};

/// How much of a refused move a message quotes, in characters.
const QUOTED: usize = 24;

/// The result of trying a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleTry {
    /// The move is the answer, and the puzzle is solved.
    Right(Move),
    /// The move is legal, but it is not the answer.
    Wrong(Move),
    /// The text is not a legal move, for this reason, which is printable. The attempt does not count.
    Refused(String),
}

/// How many puzzles were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PuzzleScore {
    at_once: usize,
    later: usize,
    given_up: usize,
}

/// Puzzles to be solved in order. One of them is current.
#[derive(Clone, Debug)]
pub(crate) struct PuzzleRound {
    puzzles: Vec<Puzzle>,
    index: usize,
    has_failed: bool,
    score: PuzzleScore,
}

impl PuzzleRound {
    /// Creates a round of all `puzzles`, in this order.
    pub(crate) fn new(puzzles: Vec<Puzzle>) -> Self {
        Self { puzzles, index: 0, has_failed: false, score: PuzzleScore::default() }
    }

    /// The current puzzle; `None` after the last one.
    pub(crate) fn puzzle(&self) -> Option<&Puzzle> {
        self.puzzles.get(self.index)
    }

    /// The task of the current puzzle, as a sentence.
    pub(crate) fn task(&self) -> String {
        let all = self.puzzles.len();
        self.puzzle().map_or_else(
            || "all puzzles are done".to_owned(),
            |puzzle| format!("puzzle {} of {all}: {} Difficulty {}.", self.index + 1, task(puzzle), puzzle.difficulty),
        )
    }

    /// Tries the move that `text` names. If it is the answer, moves on to the next puzzle.
    pub(crate) fn attempt(&mut self, text: &str) -> PuzzleTry {
        let typed = || sanitised(&text.chars().take(QUOTED).collect::<String>());
        let Some(&Puzzle { game, answer, .. }) = self.puzzle() else {
            return PuzzleTry::Refused(format!("{}: {}", typed(), IllegalMove::GameOver));
        };
        let mut after = game;
        match after.play(text) {
            Err(why) => PuzzleTry::Refused(format!("{}: {why}", typed())),
            Ok(played) if played == answer => {
                let solved = if self.has_failed { &mut self.score.later } else { &mut self.score.at_once };
                *solved += 1;
                self.go_on();
                PuzzleTry::Right(played)
            }
            Ok(played) => {
                self.has_failed = true;
                PuzzleTry::Wrong(played)
            }
        }
    }

    /// Gives up the puzzle, and moves on to the next one. Returns the answer; `None` after the last puzzle.
    pub(crate) fn give_up(&mut self) -> Option<Move> {
        let answer = self.puzzle()?.answer;
        self.score.given_up += 1;
        self.go_on();
        Some(answer)
    }

    const fn go_on(&mut self) {
        self.index += 1;
        self.has_failed = false;
    }

    /// The score, as a line.
    pub(crate) fn score(&self) -> String {
        let PuzzleScore { at_once, later, given_up } = self.score;
        let all = counted(self.puzzles.len() as u64, "puzzle");
        let mut text = format!("{at_once} of {all} solved on the first try");
        let rest = self.puzzles.len() - self.index;
        for (number, how) in [(later, "after another try"), (given_up, "given up"), (rest, "not done")] {
            if number > 0 {
                text = format!("{text}, {number} {how}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::game::gothello::Game;
    use crate::practice::puzzles::PuzzleGoal;

    /// Puzzles whose answers are legal, but otherwise arbitrary.
    fn round_of(answers: &[&str]) -> PuzzleRound {
        let board = "..... ..... ..b.. ..... .....".parse().expect("a board");
        let puzzle = |answer: &&str| Puzzle {
            game: Game::from_board(board, Side::White),
            goal: PuzzleGoal::Win,
            answer: answer.parse().expect("a move"),
            difficulty: 3,
            tried: None,
        };
        PuzzleRound::new(answers.iter().map(puzzle).collect())
    }

    #[test]
    fn each_puzzle_is_tried_until_it_is_solved_or_given_up() {
        let mut round = round_of(&["c4", "a1", "e5", "b2"]);
        assert_eq!(round.task(), "puzzle 1 of 4: White to move. Only one move wins. Difficulty 3.");
        let played = |text: &str| text.parse::<Move>().expect("a move");
        assert_eq!(round.attempt("c4"), PuzzleTry::Right(played("c4")));
        assert_eq!(round.attempt("b1"), PuzzleTry::Wrong(played("b1")));
        assert_eq!(round.attempt("c3"), PuzzleTry::Refused("c3: the point is occupied".to_owned()));
        assert!(matches!(round.attempt("\u{1b}[2J"), PuzzleTry::Refused(why) if !why.contains('\u{1b}')));
        assert_eq!(round.attempt("a1"), PuzzleTry::Right(played("a1")));
        assert_eq!(round.give_up(), Some(played("e5")));
        assert_eq!(
            round.score(),
            "1 of 4 puzzles solved on the first try, 1 after another try, 1 given up, 1 not done"
        );
        assert_eq!(round.attempt("b2"), PuzzleTry::Right(played("b2")));
        assert!(round.give_up().is_none() && round.puzzle().is_none());
        assert!(matches!(round.attempt("b2"), PuzzleTry::Refused(_)));
        assert_eq!(round.score(), "2 of 4 puzzles solved on the first try, 1 after another try, 1 given up");
    }
}
