//! Quantum Gothello.

pub mod points;
mod seats;

pub use seats::{MOST_SEATS, PerSeat, Seat};
