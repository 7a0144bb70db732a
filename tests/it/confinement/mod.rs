//! The resources that confined bots and builds can reach, and those that they cannot.

pub(crate) mod builds;
pub(crate) mod environment;
pub(crate) mod host_names;
pub(crate) mod incidents;
pub(crate) mod killed_stages;
pub(crate) mod leftover_directories;
pub(crate) mod open_files;
pub(crate) mod probes;
pub(crate) mod restricted_systems;
pub(crate) mod self_test;
pub(crate) mod strangers;
pub(crate) mod stray_links;
pub(crate) mod tier_c;
pub(crate) mod traces;
pub(crate) mod visible_files;
