//! A thread that evaluates moves while the game goes on.
//!
//! In Gothello, values that are in the table of margins need no search. For the others, the solver finds out who wins
//! before it finds the margins. In Seegover, the values come from the game's table, if it is in the cache, and in the
//! drop phase from a search. Values that are not found before the question is dropped stay unknown; they are never
//! guessed.

mod gothello;
mod seegover;

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::task::Poll;

use crate::base::time::{Instant, now};
use crate::game::{Feature, Move, Ruleset};
use crate::practice::board_game::BoardGame;
use crate::practice::findings::MoveFinding;
use gothello::GothelloKnowledge;
use seegover::SeegoverKnowledge;

/// A question about a game.
#[derive(Clone, Debug)]
enum BoardQuestion {
    /// What each legal move in this position is worth.
    Moves(BoardGame),
    /// What a move gave away, given the positions before and after it.
    Loss { before: BoardGame, played: Move, after: BoardGame },
}

/// Where findings are sent, and the flag that ends the search for more.
#[derive(Debug)]
struct MoveFindings {
    sender: Sender<MoveFinding>,
    stop: Arc<AtomicBool>,
}

impl MoveFindings {
    fn tell(&self, finding: MoveFinding) {
        // The question may have been dropped.
        let _ = self.sender.send(finding);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A question that has been asked. Dropping it ends the search for its answer.
#[derive(Debug)]
pub(crate) struct BoardInquiry {
    findings: Receiver<MoveFinding>,
    stop: Arc<AtomicBool>,
}

impl BoardInquiry {
    /// The next finding, as soon as there is one; `None` if there are no more findings, or if none arrives before
    /// `deadline`.
    pub(crate) fn next_before(&self, deadline: Instant) -> Option<MoveFinding> {
        self.findings.recv_timeout(deadline.saturating_duration_since(now())).ok()
    }

    /// The next finding; pending if none has arrived yet, and `None` if there are no more findings.
    pub(crate) fn next_now(&self) -> Poll<Option<MoveFinding>> {
        match self.findings.try_recv() {
            Ok(finding) => Poll::Ready(Some(finding)),
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
            Err(TryRecvError::Empty) => Poll::Pending,
        }
    }
}

impl Drop for BoardInquiry {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The thread that answers questions, one after another.
#[derive(Debug)]
pub(crate) struct Adviser {
    questions: Sender<(BoardQuestion, MoveFindings)>,
}

impl Adviser {
    /// Starts the thread for games of `ruleset`. The solver uses `threads` threads. The adviser's thread ends when the
    /// adviser and all inquiries are dropped.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(crate) fn start(ruleset: Ruleset, threads: NonZeroUsize) -> io::Result<Self> {
        let (questions, asked) = mpsc::channel::<(BoardQuestion, MoveFindings)>();
        std::thread::Builder::new().name("hints".to_owned()).spawn(move || {
            let mut knowledge = None;
            for (question, findings) in asked {
                knowledge.get_or_insert_with(|| Knowledge::about(ruleset, threads)).answer(&question, &findings);
            }
        })?;
        Ok(Self { questions })
    }

    /// Asks what each legal move in the position of `game` is worth.
    pub(crate) fn moves(&self, game: &BoardGame) -> BoardInquiry {
        self.ask(BoardQuestion::Moves(game.clone()))
    }

    /// Asks what the move `played` gave away, given the positions before and after it.
    pub(crate) fn loss(&self, before: &BoardGame, played: Move, after: &BoardGame) -> BoardInquiry {
        self.ask(BoardQuestion::Loss { before: before.clone(), played, after: after.clone() })
    }

    fn ask(&self, question: BoardQuestion) -> BoardInquiry {
        let ((sender, findings), stop) = (mpsc::channel(), Arc::<AtomicBool>::default());
        // If the thread is gone, there are no findings.
        let _ = self.questions.send((question, MoveFindings { sender, stop: Arc::clone(&stop) }));
        BoardInquiry { findings, stop }
    }
}

/// The sources of move values under a rule set.
#[derive(Debug)]
enum Knowledge {
    Gothello(GothelloKnowledge),
    Seegover(Box<SeegoverKnowledge>),
    /// Nothing, for this reason.
    Nothing(String),
}

impl Knowledge {
    fn about(ruleset: Ruleset, threads: NonZeroUsize) -> Self {
        match ruleset.require(Feature::Solver) {
            Err(missing) => Self::Nothing(missing.to_string()),
            Ok(()) => match ruleset {
                Ruleset::Gothello => Self::Gothello(GothelloKnowledge::new(threads)),
                Ruleset::Seegover(options) => SeegoverKnowledge::new(options)
                    .map_or_else(Self::Nothing, |knowledge| Self::Seegover(Box::new(knowledge))),
                Ruleset::Quantum(rules) => Self::Nothing(format!("the rule set `{rules}` has no solver")),
            },
        }
    }

    fn answer(&mut self, question: &BoardQuestion, findings: &MoveFindings) {
        use BoardGame::{Gothello, Seegover};
        match (self, question) {
            (Self::Nothing(why), _) => findings.tell(MoveFinding::Lack(why.clone())),
            (Self::Gothello(known), BoardQuestion::Moves(Gothello(game))) => known.moves(game, findings),
            (
                Self::Gothello(known),
                BoardQuestion::Loss { before: Gothello(before), played, after: Gothello(after) },
            ) => {
                known.loss([before, after], *played, findings);
            }
            (Self::Seegover(known), BoardQuestion::Moves(Seegover(game))) => known.moves(game, findings),
            (
                Self::Seegover(known),
                BoardQuestion::Loss { before: Seegover(before), played, after: Seegover(after) },
            ) => {
                known.loss([before, after], *played, findings);
            }
            (Self::Gothello(_) | Self::Seegover(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::{Side, gothello};

    fn all(inquiry: &BoardInquiry) -> Vec<MoveFinding> {
        let deadline = now() + Duration::from_mins(2);
        std::iter::from_fn(|| inquiry.next_before(deadline)).collect()
    }

    fn after(moves: &[&str]) -> BoardGame {
        let mut game = BoardGame::start(Ruleset::Gothello);
        for played in moves {
            game.position_mut().play(played).expect("a legal move");
        }
        game
    }

    #[test]
    fn the_first_moves_are_known_with_their_margins_at_once() {
        let adviser = Adviser::start(Ruleset::Gothello, NonZeroUsize::MIN).expect("a thread");
        let found = all(&adviser.moves(&after(&[])));
        let margins: Vec<(String, Option<i32>)> = found
            .iter()
            .filter_map(|finding| match finding {
                MoveFinding::Value(played, value) => Some((played.to_string(), value.outcome.margin)),
                _ => None,
            })
            .collect();
        assert_eq!(margins.len(), 26, "{found:?}");
        assert!(margins.contains(&("pass".to_owned(), Some(0))) || margins.iter().all(|(_, margin)| margin.is_some()));
    }

    #[test]
    fn a_mistake_is_judged_with_a_better_move_and_its_line() {
        let board: gothello::Board = ".bbw. .wwbb w.bww .bbbw bww..".parse().expect("a board");
        let before = BoardGame::Gothello(gothello::Game::from_board(board, Side::Black));
        let mut worse = before.clone();
        worse.position_mut().play("pass").expect("legal");
        let adviser = Adviser::start(Ruleset::Gothello, NonZeroUsize::MIN).expect("a thread");
        let found = all(&adviser.loss(&before, Move::PASS, &worse));
        let judged = found.iter().rev().find_map(|finding| match finding {
            MoveFinding::Judged(judged) => Some(judged),
            _ => None,
        });
        let judged = judged.expect("a judgement");
        assert_eq!(judged.before.and_then(|before| before.margin), Some(11));
        assert!(judged.lost().is_some_and(|lost| lost > 0) && judged.better.is_some(), "{judged:?}");
        assert!(found.iter().any(|finding| matches!(finding, MoveFinding::BetterLine(line) if !line.is_empty())));
    }

    #[test]
    fn a_rule_set_without_a_solver_says_so() {
        let othello: Ruleset = "othello".parse().expect("a rule set");
        let adviser = Adviser::start(othello, NonZeroUsize::MIN).expect("a thread");
        let found = all(&adviser.moves(&BoardGame::start(othello)));
        assert_eq!(found, [MoveFinding::Lack("the rule set `othello` has no solver".to_owned())]);
    }
}
