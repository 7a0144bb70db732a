//! What the tests share: runs of the program, waits that end, referees and machines of their own.

pub(crate) mod arena;
pub(crate) mod hardship;
pub(crate) mod scripted;
pub(crate) mod skipping;
pub(crate) mod waiting;
