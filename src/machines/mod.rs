//! A run on several machines. Games are sent to workers through a NATS broker with `JetStream`, and records are
//! returned.
//!
//! The coordinator is the machine with the journal. It publishes a job for each game that may begin, and a manifest
//! that describes the run. Workers take jobs, play the games as `run` does, and publish answers. The journal is the
//! source of truth: an answer is acknowledged, which removes it from the broker, only after its game's line is on disk.
//!
//! Without the feature `nats`, the wing is empty.
//!
//! | room | contents |
//! | --- | --- |
//! | `broker` | the connection to the broker, and the names of everything stored there |
//! | `bundle` | a player's files as one archive, packed and unpacked within limits |
//! | `cache` | a worker's cache of bundles |
//! | `coordinator` | the machine with the journal, which sends jobs and receives records |
//! | `lane` | which workers get which games |
//! | `messages` | the messages that go through the broker |
//! | `sent_player` | a player as the coordinator describes it to workers |
//! | `speed` | measures how fast this machine is |
//! | `worker` | a machine that plays for coordinators |

#[cfg(feature = "nats")]
pub(crate) mod broker;
#[cfg(feature = "nats")]
pub(crate) mod bundle;
#[cfg(feature = "nats")]
pub(crate) mod cache;
#[cfg(feature = "nats")]
pub(crate) mod coordinator;
#[cfg(feature = "nats")]
pub(crate) mod lane;
#[cfg(feature = "nats")]
pub(crate) mod messages;
#[cfg(feature = "nats")]
pub(crate) mod sent_player;
#[cfg(feature = "nats")]
pub(crate) mod speed;
#[cfg(feature = "nats")]
pub(crate) mod worker;
