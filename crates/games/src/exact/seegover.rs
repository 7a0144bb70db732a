//! Seegover, solved: a table of its move phase for each of the four [`MoveRules`](crate::game::seegover::MoveRules).

mod certainty;
mod drops;
mod expert;
mod first_turns;
mod full;
mod opening;
mod place;
mod retrograde;
mod table;
#[cfg(test)]
mod tests;
pub mod verification;
mod worth;

pub use drops::DropSearch;
pub use expert::Expert;
pub use first_turns::FirstTurns;
pub use opening::{Opening, OpeningError};
pub use retrograde::{Retrograde, TooDeep};
pub use table::{Census, Tablebase};
pub use worth::{Value, Worth};
