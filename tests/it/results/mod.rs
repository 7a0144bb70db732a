//! The results of games.

pub(crate) mod analysis;
pub(crate) mod analysis_cache;
pub(crate) mod format_results;
pub(crate) mod group_standings;
pub(crate) mod ranks;
pub(crate) mod require;
pub(crate) mod standings;
