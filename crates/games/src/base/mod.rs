//! The services that know nothing about games. Every other wing may use them.
//!
//! A program needs these services from its operating system and its standard library. Each has one place here:
//! no other wing prints, reads a clock or draws random numbers by itself.
//!
//! In: bytes, paths, durations and seeds, as the caller has them. Out: the same things made safe to use. A file is
//! either complete or absent, text from outside the arena is fit to be printed, a seed determines every random number
//! that follows from it, and one signal tells every task to stop. This wing also answers for the machine itself: its
//! cores, its limits, its control groups, and whether it was short of something.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `console` | the one place that prints |
//! | `digits` | numbers as files and logs spell them |
//! | `exit` | exit codes, and errors that lead to them |
//! | `facts` | enums that say something of each variant |
//! | `files` | files that are whole or not there |
//! | `held_dir` | directories out of which no link leads |
//! | `hex` | digests as text |
//! | `machine` | cores, open files and the name of this machine |
//! | `suggestion` | the known word nearest to an unknown one |
//! | `normal` | the normal distribution |
//! | `sanitised` | the one place that makes foreign text fit to be printed |
//! | `random` | random numbers that a seed determines |
//! | `checksummed_line` | lines of JSON with a checksum of themselves |
//! | `stop` | whether to go on |
//! | `time` | the one place that reads a clock |
//! | `tree` | what a directory holds, within limits |
//! | `units` | numbers with their units, as people read them |
//! | `word_enum` | enums whose every value is a word |

pub mod checksummed_line;
pub mod console;
pub mod digits;
pub mod exit;
pub mod facts;
pub mod files;
pub mod held_dir;
pub mod hex;
pub mod machine;
pub mod normal;
pub mod random;
pub mod sanitise;
pub mod stop;
pub mod suggestion;
pub mod time;
pub mod tree;
pub mod units;
pub mod word_enum;
