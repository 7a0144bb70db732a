//! Programs and connections on this machine.
//!
//! In: what to start and how it is confined; sockets and pipes. Out: seats: byte streams of lines, perhaps with a child, whose
//! certain end this wing answers for.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`mod@line`] | bounded lines over any byte stream, and when they arrived |
//! | [`lobby`] | connections before they have a seat |
//! | [`process`] | children in groups of their own, their outputs, their certain end |
//! | [`program`] | finding programs, and their digests |
//! | [`sandbox`] | how bots are confined |
//! | [`seat`] | addresses, launching a bot, waiting for its hello |
//! | [`workshop`] | the copy of a bot's directory in which its build works |

pub mod line;
pub mod lobby;
pub mod process;
pub mod program;
pub mod sandbox;
pub mod seat;
pub mod start;
pub mod workshop;
