//! A run from its first game to its last line on the disk.
//!
//! In: a tournament and its schedule. Out: events, the journal, and the files that follow from it. `serve` is the same
//! game between two players who connect by themselves.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`campaign`] | what a run decides: its journal, the same tournament or not, what is played again, cores, confinement |
//! | [`collector`] | events in: the journal first, then what follows from it, then the listeners |
//! | [`derived`] | the files that follow from a journal: game logs and tables |
//! | [`entrants`] | each player's program found, built and digested before the first game |
//! | [`event`] | what happens in a run |
//! | [`executor`] | which game is next, and the threads they are played on |
//! | [`journal`] | the truth of a run: checked lines, what they come to, the lock, the writer |
//! | [`listener`] | whoever listens to a run, and bounded queues through which they do |
//! | [`play`] | one game, from empty seats to its record |
//! | [`reporter`] | events as lines on stderr |
//! | [`results_dir`] | a results directory: its files, and what they say together |
//! | [`serve`] | the referee alone |

pub(crate) mod campaign;
pub mod collector;
pub(crate) mod derived;
pub mod entrants;
pub mod event;
pub mod executor;
pub mod journal;
pub mod listener;
pub mod play;
pub mod reporter;
pub mod results_dir;
pub mod serve;
