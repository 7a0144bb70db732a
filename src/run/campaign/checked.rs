//! The check that a game could have been played as recorded.

use thiserror::Error;

use super::seegover_table::for_check;
use crate::referee::record::{CheckError, GroupCheckError, LoggedGame, RepeatedProof, check_with};

/// Why a game cannot have been played as recorded.
#[derive(Debug, Error)]
pub(crate) enum Unplayable {
    /// A game with two seats.
    #[error(transparent)]
    Pair(#[from] CheckError),
    /// A game with more than two seats.
    #[error(transparent)]
    Group(#[from] GroupCheckError),
}

/// Checks that `game` could have been played as recorded. If a proof ended it, the result says whether the proof was
/// repeated.
///
/// # Errors
/// Returns the first problem.
pub(crate) fn check_game(game: &LoggedGame) -> Result<RepeatedProof, Unplayable> {
    match game {
        LoggedGame::Two(record) => Ok(check_with(record, for_check(record).as_ref())?.proof()),
        LoggedGame::Group(record) => {
            record.check()?;
            Ok(RepeatedProof::Holds)
        }
    }
}
