//! The reason why a bot could not be confined.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::control_messages::{Blame, Failed};
use crate::base::machine::{explained, is_shortage};

/// The reason why a bot could not be confined.
#[derive(Debug, Error)]
pub enum CageError {
    /// A stage has reported a failure.
    #[error("{0}")]
    Failed(Failed),
    /// The arena's own part has failed.
    #[error("could not {step}: {}", explained(source))]
    Io {
        /// The step that the arena tried.
        step: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// In the confinement, the self-test did something that a bot must not be able to do, or could not do something
    /// that a bot needs.
    #[error("{0}")]
    Breached(String),
    /// The stages did not answer within this time.
    #[error("confinement was not ready within {} s", .0.as_secs())]
    Late(Duration),
}

impl CageError {
    /// Whether the error shows that this machine is unable to confine bots by this tier. Temporary shortages and bugs
    /// in the arena do not count.
    pub fn is_inability(&self) -> bool {
        match self {
            Self::Failed(failed) => {
                failed.blame == Blame::Machine && !failed.error().is_some_and(|error| is_shortage(&error))
            }
            Self::Io { source, .. } => source.raw_os_error().is_some() && !is_shortage(source),
            Self::Breached(_) => true,
            Self::Late(_) => false,
        }
    }
}

/// Returns a function that wraps an error in the arena's own `step`.
pub(super) fn io_error(step: &'static str) -> impl Fn(io::Error) -> CageError {
    move |source| CageError::Io { step, source }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::super::confined::lost;
    use super::*;
    use crate::host::sandbox::control_messages::InStep as _;

    #[test]
    fn only_what_the_machine_cannot_do_is_an_inability() {
        let failed = |errno: Errno| CageError::Failed(Err::<(), _>(errno).step("receive the order").expect_err("one"));
        let by_arena = |errno: Errno| io_error("start the confinement")(errno.into());
        // A weaker tier would allow bots more than the user wants, so a transient failure must not lead to a weaker
        // tier.
        for shortage in [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOSPC, Errno::NOBUFS] {
            assert!(!failed(shortage).is_inability() && !by_arena(shortage).is_inability(), "{shortage}");
        }
        for refusal in [Errno::PERM, Errno::NOSYS, Errno::INVAL] {
            assert!(failed(refusal).is_inability() && by_arena(refusal).is_inability(), "{refusal}");
        }
        assert!(CageError::Failed(Failed::by_machine("apply Landlock".to_owned())).is_inability());
        assert!(CageError::Breached("the self-test failed".to_owned()).is_inability());
        let by_bug = Err::<(), _>(io::Error::other("no order")).step("receive the order").expect_err("one");
        assert!(!CageError::Failed(by_bug).is_inability());
        assert!(!CageError::Failed(lost()).is_inability() && !CageError::Late(Duration::ZERO).is_inability());
        let by_program = Failed { step: "run the program".to_owned(), errno: None, blame: Blame::Program };
        assert!(!CageError::Failed(by_program).is_inability());
    }
}
