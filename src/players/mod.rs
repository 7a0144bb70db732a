//! The arena's own players: how the built-in bots think, and a player's side of the protocol.
//!
//! In: positions and the remaining time. Out: moves. Pure, except for the client, which uses a connection.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `bots` | the thinking of the built-in bots |
//! | `client` | a player's side of the protocol |
//! | `perfect` | the perfect opponent: book and solver within what its clock allows |

pub(crate) mod client;

pub use gothello_games::players::{bots, perfect};
