//! The referee protocol's lines, text to values and back. Pure; [`crate::host::line`] does the reading.
//!
//! Source: Bart Massey, "A Networked Gothello Referee: Specification", 2003, version 0.9, with what programs of version
//! 0.9.1 do in practice. Two rules follow from those programs: every response has a blank after its code, and at least
//! one word after its last field; only 380, 381 and 382, which observers alone see, are bare.

mod request;
mod response;

pub(crate) use request::BLANKS;
pub use request::{Action, BadAction, BadHello, EntityName, Hello, Role, SideWish, Version};
pub use response::{BadResponse, Decision, Response, Words};

use std::time::Duration;

/// The longest line taken from a client, in bytes without its end.
pub const MAX_LINE: usize = 512;

/// One line from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its text without its end; what is not UTF-8 has been replaced.
    Text(String),
    /// It had more than [`MAX_LINE`] bytes.
    TooLong,
}

/// The port of server number 0; server N listens on the port N above it.
pub const BASE_PORT: u16 = 29068;

/// The highest server number that client programs know.
pub const MAX_SERVER: u16 = 29;

/// The version that the arena speaks.
pub const VERSION: Version = Version::new(0, 9, 1);

/// Time as the protocol gives it: whole seconds, rounded down.
pub const fn seconds(time: Duration) -> u64 {
    time.as_secs()
}
