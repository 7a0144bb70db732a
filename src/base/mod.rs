//! What every other wing may lean on, and what knows nothing of games.
//!
//! In: bytes, paths, times, seeds. Out: the same, made safe to use: files that are whole or not there, random numbers that a seed
//! determines, the one place that reads a clock, the signal to stop.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`console`] | the one place that prints |
//! | [`digits`] | numbers as files and logs spell them |
//! | [`files`] | files that are whole or not there |
//! | [`mod@hex`] | digests as text |
//! | [`machine`] | cores, open files and the name of this machine |
//! | [`near`] | the known word nearest to an unknown one |
//! | [`printable`] | the one place that makes foreign text fit to be printed |
//! | [`random`] | random numbers that a seed determines |
//! | [`stop`] | whether to go on |
//! | [`time`] | the one place that reads a clock |
//! | [`tree`] | what a directory holds, within bounds |

pub mod console;
pub mod digits;
pub mod files;
pub mod hex;
pub mod machine;
pub mod near;
pub mod printable;
pub mod random;
pub mod stop;
pub mod time;
pub mod tree;
