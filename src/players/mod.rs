//! The arena's own players: how the built-in bots think, and a player's side of the protocol.
//!
//! Input: positions and the remaining time. Output: moves. All of this is pure, except for the client, which uses a
//! connection.
//!
//! | room | contents |
//! | --- | --- |
//! | `bots` | how the built-in bots choose their moves |
//! | `client` | a player's side of the protocol |
//! | `perfect` | the perfect opponent: known margins and solver, within the limits of its clock |

pub(crate) mod client;

pub use gothello_games::players::{bots, perfect};
