//! Parses and prints the lines of the referee protocol. Pure; [`crate::host::line`] does the reading.
//!
//! Source: Bart Massey, "A Networked Gothello Referee: Specification", 2003, version 0.9, and the practice of programs
//! of version 0.9.1. Those programs add two rules: every response has a space after its code, and at least one word
//! after its last field. Only 380, 381 and 382, which are sent only to observers, are bare. Version 0.9.2 adds what the
//! rules of further games need; [`Dialect`] hides it from clients that do not know it.

mod dialect;
mod request;
mod response;

pub use dialect::{Dialect, Speech};
pub(crate) use request::BLANKS;
pub use request::{Action, BadAction, BadHello, EntityName, Hello, Role, SideWish, Version};
pub use response::{BadResponse, Decision, Response, Words};

use std::time::Duration;

/// The longest line accepted from a client, in bytes, not counting the line end.
pub const MAX_LINE: usize = 512;

/// One line from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The text without its line end, with invalid UTF-8 replaced.
    Text(String),
    /// A line of more than [`MAX_LINE`] bytes.
    TooLong,
    /// Input from a client of another protocol that has no meaning in this one: a garbled line with its own reason.
    Foreign {
        /// What the client sent, truncated to [`MAX_LINE`] bytes.
        said: String,
        /// What is wrong with it.
        why: String,
    },
}

/// The port of server number 0; server N listens on the port N above it.
pub const BASE_PORT: u16 = 29068;

/// The highest server number that client programs know.
pub const MAX_SERVER: u16 = 29;

/// The protocol version that the arena speaks.
pub const VERSION: Version = Version::new(0, 9, 2);

/// The version that the greeting names. A client receives the greeting before it has announced its own version, so the
/// greeting is the one that clients of this version have always received.
pub const GREETED_VERSION: Version = Version::new(0, 9, 1);

/// Time in the protocol's form: whole seconds, rounded down.
pub const fn seconds(time: Duration) -> u64 {
    time.as_secs()
}
