//! Several threads that solve one position together.

mod analyst;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

pub use analyst::Analyst;

use crate::rules::gothello::Game;
use crate::solver::{Crew, Solver, Table, Unsolved};

/// What a team's work came to.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The answer of whoever had it first.
    pub found: Result<T, Unsolved>,
    /// How many nodes all have searched, to within a few thousand where there are several threads.
    pub nodes: u64,
}

/// Asks `threads` solvers the same, all with one `table`, and takes the first answer. `tick` is called every `every` until
/// it is there, with the nodes searched so far; once `stop` is raised, the answer is that there is none.
///
/// # Errors
/// Never itself; [`Answer::found`] is an error when `stop` was raised.
pub fn solve_together<T: Send>(
    threads: NonZeroUsize,
    table: &Table,
    stop: &AtomicBool,
    every: Duration,
    mut tick: impl FnMut(u64),
    ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
) -> Answer<T> {
    let crew = Crew::default();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.get() {
            let sender = sender.clone();
            let (crew, ask) = (&crew, &ask);
            scope.spawn(move || {
                let mut solver = Solver::new(table).in_crew(crew).until(stop);
                let found = ask(&mut solver);
                // Nobody listens to a second answer. Those who are dismissed answer that they have none, which must not come
                // before this.
                let _ = sender.send((found, solver.nodes()));
                crew.dismiss();
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(every) {
                Ok((found, nodes)) => break Answer { found, nodes: nodes.max(crew.nodes()) },
                Err(RecvTimeoutError::Timeout) => tick(crew.nodes()),
                Err(RecvTimeoutError::Disconnected) => break Answer { found: Err(Unsolved { nodes: 0 }), nodes: 0 },
            }
        }
    })
}

/// Has `threads` solvers answer one question after the other, each about another of `games`, all with one `table`. `found` is
/// called here with each answer as it comes, the index of its game and the nodes that it took. Ends early, without the answers that
/// are missing, once `stop` is raised, which a `false` of `found` does.
pub fn solve_each<T: Send>(
    threads: NonZeroUsize,
    table: &Table,
    stop: &AtomicBool,
    games: &[Game],
    ask: impl Fn(&mut Solver<'_>, &Game) -> Result<T, Unsolved> + Sync,
    mut found: impl FnMut(usize, T, u64) -> bool,
) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.get() {
            let sender = sender.clone();
            let (ask, next) = (&ask, &next);
            scope.spawn(move || {
                let mut solver = Solver::new(table).until(stop);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(game) = games.get(index) else { break };
                    let before = solver.nodes();
                    let Ok(answer) = ask(&mut solver, game) else { break };
                    if sender.send((index, answer, solver.nodes() - before)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, answer, nodes) in receiver {
            if !found(index, answer, nodes) {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
    });
}
