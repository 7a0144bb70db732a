//! Parses and prints the lines of the referee protocol. Pure; [`crate::host::line`] does the reading.
//!
//! Source: Bart Massey, "A Networked Gothello Referee: Specification", 2003, version 0.9, with what programs of version
//! 0.9.1 do in practice. Those programs add two rules: every response has a blank after its code, and at least one word
//! after its last field. Only 380, 381 and 382, which go to observers alone, are bare. Version 0.9.2 adds what the rules of
//! further games need; [`Dialect`] keeps it from clients that do not know it.

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
    /// The text without its line end; invalid UTF-8 has been replaced.
    Text(String),
    /// A line of more than [`MAX_LINE`] bytes.
    TooLong,
    /// What a client of another protocol said that means nothing in this one: a garbled line with a reason of its own.
    Foreign {
        /// What the client said, of which only the first [`MAX_LINE`] bytes are kept.
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

/// The version that the greeting names. A client hears it before it has told its own version, and hears what clients of
/// this version have always heard.
pub const GREETED_VERSION: Version = Version::new(0, 9, 1);

/// Time as the protocol gives it: whole seconds, rounded down.
pub const fn seconds(time: Duration) -> u64 {
    time.as_secs()
}
