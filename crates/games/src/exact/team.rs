//! Several threads that solve a position together.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::{Crew, Solver, TranspositionTable, Unsolved};
use crate::exact::threads::start_threads;
use crate::game::gothello::Game;

/// The result of a team's work.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The answer of the first thread that found it.
    pub found: Result<T, Unsolved>,
    /// How many nodes all threads have searched.
    pub nodes: u64,
}

/// Threads that solve positions together.
#[derive(Clone, Copy, Debug)]
pub struct Team<'t> {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// The table that the threads share.
    pub table: &'t TranspositionTable,
    /// The margins that need no search.
    pub known: KnownMargins<'t>,
    /// The flag that stops all threads once it is raised.
    pub stop: &'t AtomicBool,
}

impl Team<'_> {
    /// Asks all solvers the same question and returns the first answer. Until there is an answer, `tick` is called once
    /// every `every`, with the number of nodes searched so far. Once `stop` is raised, the answer is an error.
    ///
    /// # Errors
    /// This function itself never fails; [`Answer::found`] is an error if `stop` was raised.
    pub fn solve_together<T: Send>(
        &self,
        every: Duration,
        mut tick: impl FnMut(u64),
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> Answer<T> {
        let &Self { threads, table, known, stop } = self;
        let crew = Crew::default();
        // The crew's own count lacks the last few thousand nodes of each thread.
        let nodes = AtomicU64::new(0);
        let work = |sender: Sender<_>| {
            let mut solver = Solver::new(table).looking_up(known).in_crew(&crew).until(stop);
            let found = ask(&mut solver);
            // A second answer is discarded. The threads that are dismissed return an error as their answer, so this
            // answer must be sent before the crew is dismissed.
            let _ = sender.send(found);
            crew.dismiss();
            nodes.fetch_add(solver.nodes(), Ordering::Relaxed);
        };
        let found = std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            start_threads(scope, threads, &sender, &work);
            drop(sender);
            loop {
                match receiver.recv_timeout(every) {
                    Ok(found) => break found,
                    Err(RecvTimeoutError::Timeout) => tick(crew.nodes()),
                    Err(RecvTimeoutError::Disconnected) => break Err(Unsolved { nodes: 0 }),
                }
            }
        });
        // By now, all threads have ended.
        Answer { found, nodes: nodes.into_inner() }
    }

    /// Makes the solvers answer one question about each of `games`. Each answer is passed to `found` on the calling
    /// thread as it arrives, with the index of its game and the number of nodes that it took. Once `stop` is raised,
    /// the call returns early, without the missing answers; if `found` returns `false`, `stop` is raised.
    pub fn solve_each<T: Send>(
        &self,
        games: &[Game],
        ask: impl Fn(&mut Solver<'_>, &Game) -> Result<T, Unsolved> + Sync,
        mut found: impl FnMut(usize, T, u64) -> bool,
    ) {
        let &Self { threads, table, known, stop } = self;
        let next = AtomicUsize::new(0);
        let work = |sender: Sender<_>| {
            let mut solver = Solver::new(table).looking_up(known).until(stop);
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(game) = games.get(index) else { break };
                let before = solver.nodes();
                let Ok(answer) = ask(&mut solver, game) else { break };
                if sender.send((index, answer, solver.nodes() - before)).is_err() {
                    break;
                }
            }
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            start_threads(scope, threads, &sender, &work);
            drop(sender);
            for (index, answer, nodes) in receiver {
                if !found(index, answer, nodes) {
                    stop.store(true, Ordering::Relaxed);
                    break;
                }
            }
        });
    }
}

/// Runs `work` on a separate thread, and calls `tick` once every `every` until the work is done.
///
/// # Panics
/// Panics if `work` does.
pub fn watched<T: Send>(every: Duration, mut tick: impl FnMut(), work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let run = |sender: Sender<T>| {
        let work = work.lock().ok().and_then(|mut work| work.take());
        if let Some(work) = work {
            // The receiver exists until the work is done.
            let _ = sender.send(work());
        }
    };
    let done = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        start_threads(scope, NonZeroUsize::MIN, &sender, &run);
        drop(sender);
        loop {
            match receiver.recv_timeout(every) {
                Ok(done) => break Some(done),
                Err(RecvTimeoutError::Timeout) => tick(),
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        }
    });
    done.expect("a scope panics if one of its threads has")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solver::Question;
    use crate::game::Side;
    use crate::game::gothello::Board;

    #[test]
    fn the_nodes_of_all_threads_are_counted() {
        let board: Board = ".bbw. .wwb. w.bww .b.bw bww..".parse().expect("a board");
        let game = Game::from_board(board, Side::Black);
        let table = TranspositionTable::for_game(&game);
        let each = Mutex::new(Vec::new());
        let threads = NonZeroUsize::MIN.saturating_add(2);
        let team = Team { threads, table: &table, known: KnownMargins::Embedded, stop: &AtomicBool::new(false) };
        let answer = team.solve_together(
            Duration::from_mins(1),
            |_| (),
            |solver| {
                let found = solver.solve(&game, Question::Margin);
                each.lock().expect("no thread panics").push(solver.nodes());
                found
            },
        );
        let each = each.into_inner().expect("no thread panics");
        assert_eq!(answer.found.map(|solution| solution.outcome.margin), Ok(Some(-4)));
        assert_eq!((each.len(), each.iter().sum()), (3, answer.nodes));
    }
}
