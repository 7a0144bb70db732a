//! One game under the rules of the protocol, without any I/O of its own.
//!
//! Input: lines with their arrival times. Output: the responses for each connection and, in the end, the game's record,
//! which can be printed as its log and parsed back.
//!
//! | room | contents |
//! | --- | --- |
//! | `clock` | the clock of one side, and what clocks measure |
//! | `gtp` | the Go Text Protocol: translating between the referee and an engine |
//! | `moves_digest` | the moves of a game, as a digest |
//! | `pace` | how fast a machine is, and the resulting clock scale |
//! | `record` | a game's record, the text of its log, and the check of both |
//! | `result` | results, terminations, voids |
//! | `sans_io` | the referee itself: the rules and clocks of one game |
//! | `starvation` | how long a player's processes were prevented from running during its turns |
//! | `thought` | what a bot reports about its thinking: a line on stderr, and its form in a log |
//! | `time_control` | how much time a side has, and what a turn costs |
//! | `times` | times in whole microseconds, and as text in seconds |
//! | `transcript` | every byte between a player and the arena, with its time, as text |
//! | `usage` | the resources that a player's processes used in a game |
//! | `wire` | parsing and printing the protocol's lines |

pub mod clock;
pub mod gtp;
pub mod moves_digest;
pub mod pace;
pub mod record;
pub mod result;
pub mod sans_io;
pub mod starvation;
pub mod thought;
pub mod time_control;
pub mod times;
pub mod transcript;
#[cfg(test)]
pub(crate) mod uneven;
pub mod usage;
pub mod wire;
