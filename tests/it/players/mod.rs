//! The built-in bots, the starters, and bots in many languages.

pub(crate) mod bots;
pub(crate) mod examples;
pub(crate) mod languages;
pub(crate) mod one_side;
pub(crate) mod perfect;
pub(crate) mod quantum_bots;
pub(crate) mod seegover_bots;
pub(crate) mod starters;
pub(crate) mod use_of_time;
