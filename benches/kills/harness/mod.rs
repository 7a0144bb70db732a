//! The parts of the integration tests' harness that campaigns need.

#[path = "../../../tests/it/harness/arena.rs"]
pub(crate) mod arena;
#[path = "../../../tests/it/harness/broker.rs"]
pub(crate) mod broker;
#[path = "../../../tests/it/harness/kills/mod.rs"]
pub(crate) mod kills;
#[path = "../../../tests/it/harness/restricted.rs"]
pub(crate) mod restricted;
#[path = "../../../tests/it/harness/skipping.rs"]
pub(crate) mod skipping;
#[path = "../../../tests/it/harness/waiting.rs"]
pub(crate) mod waiting;
