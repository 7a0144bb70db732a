//! One game under the rules of the protocol, without input or output.
//!
//! In: lines with the times at which they arrived. Out: what to say to whom, and in the end the game's record, which
//! prints as its log and reads back from it.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `clock` | time controls, and the clock of one side |
//! | `gtp` | the Go Text Protocol: what an engine is told, and what its answers mean to the referee |
//! | `moves_digest` | what was played, as a digest |
//! | `pace` | how fast a machine is, and the scale of clocks that follows |
//! | `record` | a game's record, the text of its log, and the check of both |
//! | `result` | results, terminations, voids |
//! | `sans_io` | the referee itself: rules and clocks of one game |
//! | `starvation` | how long a player's processes were kept from running in its turns |
//! | `transcript` | every byte between a player and the arena, with its time, as text |
//! | `usage` | what a player's processes used in a game |
//! | `wire` | the protocol's lines, text to values and back |

pub mod clock;
pub mod gtp;
pub mod moves_digest;
pub mod pace;
pub mod record;
pub mod result;
pub mod sans_io;
pub mod starvation;
pub mod transcript;
#[cfg(test)]
pub(crate) mod uneven;
pub mod usage;
pub mod wire;
