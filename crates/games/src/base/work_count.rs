//! The progress of a long piece of work: one thread counts, and another one informs the user.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The progress of a piece of work, which consists of steps.
#[derive(Debug, Default)]
pub struct WorkCount(Mutex<WorkStep>);

/// A step of the work, and how much of it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkStep {
    /// A description of the step; empty before the first step.
    pub doing: &'static str,
    /// How many parts are done.
    pub done: u64,
    /// How many parts there are, if that is known.
    pub of: Option<u64>,
}

impl WorkCount {
    /// Begins the next step, which has `of` parts, if their number is known.
    pub fn begin(&self, doing: &'static str, of: Option<u64>) {
        *self.step_mut() = WorkStep { doing, done: 0, of };
    }

    /// Counts one more part of the current step.
    pub fn add_one(&self) {
        self.step_mut().done += 1;
    }

    /// Sets how many parts of the current step are done.
    pub fn reach(&self, done: u64) {
        self.step_mut().done = done;
    }

    /// Returns the current step.
    pub fn step(&self) -> WorkStep {
        *self.step_mut()
    }

    fn step_mut(&self) -> MutexGuard<'_, WorkStep> {
        // A panic of the thread that counts does not damage the count.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_counted_from_the_beginning() {
        let count = WorkCount::default();
        count.begin("reading", Some(3));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| count.add_one());
            }
        });
        assert_eq!(count.step(), WorkStep { doing: "reading", done: 2, of: Some(3) });
        count.begin("writing", None);
        assert_eq!(count.step(), WorkStep { doing: "writing", done: 0, of: None });
    }
}
