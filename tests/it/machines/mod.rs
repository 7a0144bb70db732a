//! Runs whose games are played by other machines.

pub(crate) mod machine_speeds;
#[cfg(feature = "nats")]
pub(crate) mod nats;
