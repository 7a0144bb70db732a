//! Go mode: the points, the stones on them, and what may be placed where.
//!
//! [`GoBoard`] judges and plays the turns of one game, for two to six seats. It knows neither the order of turns nor
//! the supplies: the game queries it for one seat at a time. Below it, [`GoPoint`] and [`GoPoints`] are the board's
//! geometry, [`Arrangement`] holds just the stones, the chains are maintained as stones come and go, and the history of
//! the mode is kept to judge repetitions.

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
