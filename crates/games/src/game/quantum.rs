//! Quantum Gothello, and with it Othello, Reverse and Go: two, four or six players turn over rows on the squares of a
//! grid, and then enclose chains on the intersections of its lines.
//!
//! Sources of the rules: the larger Gothello for squares and lines as described by its author; for Othello, the rules
//! of the World Othello Federation; for Go, those of John Tromp and Bill Taylor, without suicide. The handicap's points
//! are those of version 2 of the Go Text Protocol. The rule of `stuck=beside`, for a seat that cannot enclose a row, is
//! that of Rolit.
//!
//! [`Lineup`] names the games, [`QuantumRules`] adds their options, and [`Game`] plays them. Squares and points are two
//! separate boards: [`squares`] handles rows, and [`points`] handles chains.

mod choices;
mod compensation;
mod game;
mod lineup;
mod modes;
mod notation;
mod option_text;
mod options;
mod perft;
mod point_layer;
pub mod points;
mod position;
pub mod refusal;
mod seats;
mod square_layer;
pub mod squares;
mod standing;
mod supplies;

pub use crate::game::{Fraction, MOST_SEATS, NotAFraction, Seat};
pub use choices::{CountRule, RowRule, ScoringRule, StartRule, StuckRule, SuicideRule};
pub use compensation::{Compensation, CompensationError};
pub use game::{Game, LegalTurn};
pub use lineup::{INNER, Lineup, Mode, StoneLimit};
pub use modes::ModeCounts;
pub use option_text::QuantumOptionError;
pub use options::{Handicap, Misfit, OptionValue, QuantumRules};
pub use perft::CountedPasses;
pub use points::KoRule;
pub use seats::PerSeat;
pub(crate) use square_layer::on_squares;
pub use square_layer::{SquareField, SquareLayer};
pub use standing::FinalStanding;

#[cfg(test)]
mod tests;
