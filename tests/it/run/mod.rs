//! Runs of tournaments: played, killed, resumed and disturbed.

pub(crate) mod adjudication;
pub(crate) mod disturbed_journals;
pub(crate) mod failing_bots;
pub(crate) mod golden;
pub(crate) mod group_fields;
pub(crate) mod group_games;
pub(crate) mod groups;
pub(crate) mod irregular_files;
pub(crate) mod journal;
pub(crate) mod kills;
pub(crate) mod listeners;
pub(crate) mod original_port;
pub(crate) mod progress;
pub(crate) mod remote_players;
pub(crate) mod resource_usage;
pub(crate) mod resume;
pub(crate) mod several_arenas;
pub(crate) mod shards;
pub(crate) mod side_by_side;
pub(crate) mod signals;
pub(crate) mod stderr_by_ply;
pub(crate) mod teams;
pub(crate) mod thoughts;
pub(crate) mod tournaments;
