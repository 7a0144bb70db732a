//! Checks of bots, and the causes of their failures.

pub(crate) mod check;
pub(crate) mod cpu_clocks;
pub(crate) mod diagnoses;
