//! One game under the protocol: lines, clocks and records.

pub(crate) mod clocks;
pub(crate) mod dialects;
pub(crate) mod engines;
pub(crate) mod group_logs;
pub(crate) mod group_protocol;
pub(crate) mod random_scripts;
pub(crate) mod record;
pub(crate) mod serve;
pub(crate) mod time_controls;
pub(crate) mod transcripts;
