//! Go mode: the points, the stones on them, and the legal placements.
//!
//! [`GoBoard`] judges and plays the turns of one game, for two to six seats. It does not track the order of turns or
//! the supplies: the game queries it for one seat at a time. It is based on the board's geometry ([`GoPoint`] and
//! [`GoPoints`]), on the stones alone ([`Arrangement`]), on chains that are updated as stones are placed and removed,
//! and on the history of the mode, in which repetitions are detected.

mod arrangement;
mod board;
mod chains;
mod count;
mod eyes;
mod geometry;
mod handicap;
mod past;
mod repetition;
mod set;
#[cfg(test)]
mod tests;

pub use arrangement::Arrangement;
pub use board::{GoBoard, GoRules, PointRefusal};
pub use geometry::{GoPoint, LARGEST};
pub use handicap::{handicap_points, most_handicap};
pub use repetition::KoRule;
pub use set::GoPoints;
