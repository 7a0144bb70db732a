//! Machines that are short of a resource, stopped or busy: no player loses because of the machine.

pub(crate) mod games_and_builds;
pub(crate) mod gradings;
pub(crate) mod lacking_resources;
pub(crate) mod many_remote_games;
pub(crate) mod starved_bots;
pub(crate) mod stopped_arena;
pub(crate) mod void_games;
