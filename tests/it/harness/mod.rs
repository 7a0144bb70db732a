//! Code that the tests share: runs of the program, waits with time limits, scripted referees, and simulated machines.

pub(crate) mod arena;
pub(crate) mod broker;
pub(crate) mod hardship;
pub(crate) mod kills;
pub(crate) mod on_terminal;
pub(crate) mod restricted;
pub(crate) mod scripted;
pub(crate) mod skipping;
pub(crate) mod waiting;
