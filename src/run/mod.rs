//! A run from its first game to its last line on the disk.
//!
//! In: a tournament and its schedule. Out: events, the journal, and the files derived from it. `serve` plays the same
//! game between two players that connect by themselves.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `analysis_cache` | the file in which a run keeps what its games were worth |
//! | `campaign` | what a run decides: its journal, the same tournament or not, what is replayed, cores, confinement |
//! | `collector` | takes in events: the journal first, then the derived files, then the listeners |
//! | `derived` | the files derived from a journal: game logs and tables |
//! | `elsewhere` | the seam between the executor and other machines |
//! | `entrants` | the players before the first game: found, built if need be, and digested |
//! | `event` | what happens in a run |
//! | `excused` | what the machine has spoiled, named at the end |
//! | `executor` | which game is next, and the threads that games are played on |
//! | `journal` | the source of truth of a run: checked lines, the state they add up to, the lock, the writer |
//! | `listener` | the listeners of a run, and the bounded queues that feed them |
//! | `locked_file` | files that one process at a time may write |
//! | `play` | one game, from empty seats to its record |
//! | `reporter` | events as lines on stderr |
//! | `results_dir` | a results directory: its files, and reading them |
//! | `serve` | the referee alone |

pub mod analysis_cache;
pub(crate) mod campaign;
pub mod collector;
pub(crate) mod derived;
pub mod elsewhere;
pub mod entrants;
pub mod event;
pub(crate) mod excused;
pub mod executor;
pub mod journal;
pub mod listener;
pub(crate) mod locked_file;
pub mod play;
pub mod reporter;
pub mod results_dir;
pub mod serve;
#[cfg(test)]
pub(crate) mod unplayed_record;
