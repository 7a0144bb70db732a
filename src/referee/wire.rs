//! Parses and prints the lines of the referee protocol. This module is pure; [`crate::host::line`] reads the lines.
//!
//! Source: Bart Massey, "A Networked Gothello Referee: Specification", 2003, version 0.9, and the practice of programs
//! of version 0.9.1. Those programs add two rules: every response has a space after its code, and at least one word
//! after its last field. The only exceptions are 380, 381 and 382, which are sent only to observers. Version 0.9.2 adds
//! the lines that the rules of further games need; [`Dialect`] hides these from clients that do not support them.

mod dialect;
mod request;
mod response;

pub use dialect::{Dialect, Speech};
pub(crate) use request::BLANKS;
pub use request::{Action, BadAction, BadHello, EntityName, Hello, Role, SeatWish, Version};
pub use response::{BadResponse, Decision, Response, ToMove, Words};

use std::time::Duration;

/// The maximum length of a line from a client, in bytes, without the line ending.
pub const MAX_LINE: usize = 512;

/// A line from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The text without its line ending, with invalid UTF-8 replaced.
    Text(String),
    /// A line of more than [`MAX_LINE`] bytes.
    TooLong,
    /// Input from a client of another protocol, which has no meaning in this protocol. It counts as a garbled line,
    /// with its own reason.
    Foreign {
        /// The input, truncated to [`MAX_LINE`] bytes.
        said: String,
        /// The reason why it is garbled.
        why: String,
    },
}

/// The port of server number 0. Server N listens on this port plus N.
pub const BASE_PORT: u16 = 29068;

/// The highest server number that client programs accept.
pub const MAX_SERVER: u16 = 29;

/// The protocol version that the arena speaks.
pub const VERSION: Version = Version::new(0, 9, 2);

/// The version in the greeting. A client receives the greeting before it has announced its own version, so the greeting
/// contains the version that clients have always received.
pub const GREETED_VERSION: Version = Version::new(0, 9, 1);

/// Converts a time to the protocol's form: whole seconds, rounded down.
pub const fn seconds(time: Duration) -> u64 {
    time.as_secs()
}
