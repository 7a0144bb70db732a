//! The tournament file and the schedule.

pub(crate) mod file;
pub(crate) mod schedule;
