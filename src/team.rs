//! Several threads that solve one position together.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

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
                crew.dismiss();
                // Nobody listens to a second answer.
                let _ = sender.send((found, solver.nodes()));
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
