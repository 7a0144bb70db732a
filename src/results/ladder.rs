//! The numbers behind a ladder: how its versions are rated, and which pair plays next.
//!
//! A ladder is a field that changes while it is played: players hand in versions, and each version is rated on its own.
//! Input: the list of versions, the results so far by pair, and the pairings that were decided but not finished.
//! Output: ratings, and the next pairing. The same input always produces the same output, and the order of the games
//! does not matter.
//!
//! | part | contents |
//! | --- | --- |
//! | `agreement` | whether the randomly drawn games agree with the others |
//! | `counts` | the results of all games, by pair of versions |
//! | `field` | the versions, and which of them play |
//! | `fit` | the ratings of the versions |
//! | `gains` | how much a game between two versions would reduce the variance of the ratings |
//! | `pairing` | the next pairing |

mod agreement;
mod counts;
mod field;
mod fit;
mod gains;
mod pairing;

pub use agreement::SelectionTest;
pub use counts::{CountsProblem, LadderCounts, Selection};
pub use field::{LadderVersion, VersionState, active_versions};
pub use fit::{LadderAnchor, LadderFit, VersionRating};
pub use pairing::{LadderPairer, LadderPairing, PairingReason, PairingRules, fit_interval};

#[cfg(test)]
mod tests;
