//! The arena's own players: how the built-in bots think, and a player's side of the protocol.
//!
//! In: positions and what is left of the clock. Out: moves. Pure, but for the client, which speaks over a connection.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `bots` | the thinking of the built-in bots |
//! | `client` | a player's side of the protocol |
//! | `perfect` | the perfect opponent: book and solver within what its clock allows |

pub(crate) mod client;

pub use gothello_games::players::{bots, perfect};
