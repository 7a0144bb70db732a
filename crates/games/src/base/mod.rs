//! Services that are independent of games. Every other wing may use them.
//!
//! These are the services of the operating system and the standard library that the program needs. Each of them has a
//! single place here: other wings do not print, read a clock or draw random numbers themselves.
//!
//! Input: bytes, paths, durations and seeds, as provided by the caller. Output: the same things made safe to use. A
//! file is either complete or absent, text from outside the arena is sanitised, a seed determines every random number
//! derived from it, and one signal tells all tasks to stop. This wing also provides information about the machine
//! itself: its cores, its limits, its control groups, and whether it has run short of anything.
//!
//! | room | contents |
//! | --- | --- |
//! | `console` | the only place that prints |
//! | `digits` | numbers as written in files and logs |
//! | `exit` | exit codes, and errors that lead to them |
//! | `facts` | enums with a fact about each variant |
//! | `files` | files that are either complete or absent |
//! | `held_dir` | open directories that links cannot lead out of |
//! | `hex` | digests as text |
//! | `hyperlink` | links to files in text on a terminal |
//! | `lexical_path` | paths without `.` and `..` |
//! | `machine` | cores, open files and the name of this machine |
//! | `suggestion` | the known word nearest to an unknown one |
//! | `matrix` | matrices, and systems of equations |
//! | `normal` | the normal distribution |
//! | `percent` | percent-encoding in addresses |
//! | `sanitise` | the only place that sanitises untrusted text |
//! | `random` | random numbers that a seed determines |
//! | `checksummed_line` | lines of JSON with their own checksum |
//! | `stop` | the flag that stops all tasks |
//! | `time` | the only place that reads a clock |
//! | `tree` | the contents of a directory, within limits |
//! | `units` | numbers with their units, for users |
//! | `word_enum` | enums whose values are words |
//! | `work_count` | the progress of long work |
//! | `wrapping` | lines wrapped at words |

pub mod checksummed_line;
pub mod console;
pub mod digits;
pub mod exit;
pub mod facts;
pub mod files;
pub mod held_dir;
pub mod hex;
pub mod hyperlink;
pub mod lexical_path;
pub mod machine;
pub mod matrix;
pub mod normal;
pub mod percent;
pub mod random;
pub mod sanitise;
pub mod stop;
pub mod suggestion;
pub mod time;
pub mod tree;
pub mod units;
pub mod word_enum;
pub mod work_count;
pub mod wrapping;
