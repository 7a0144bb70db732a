//! The report and the live page.

pub(crate) mod browser;
pub(crate) mod leaderboard;
pub(crate) mod live;
pub(crate) mod page_size;
pub(crate) mod report;
