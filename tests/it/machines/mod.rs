//! Runs whose games other machines play.

pub(crate) mod machine_speeds;
#[cfg(feature = "nats")]
pub(crate) mod nats;
