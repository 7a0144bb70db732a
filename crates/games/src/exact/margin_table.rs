//! The margin of every position of Gothello, by retrograde analysis over the number of stones.
//!
//! A placement adds a stone, and no stone ever leaves the board. So the values of all positions with `k` stones, a
//! *layer*, follow from those with `k + 1`. With `f` the best that a placement leads to, `f'` the same for the other side
//! on the same board, and `s` the stones of the side to move minus those of the other, the margin of a position that does
//! not follow a pass is `max(f, min(-f', s))`; after a pass it is `max(f, s)`, and thus the larger of the margin and `s`.
//!
//! After a legal placement every group has a liberty: a captured group joins its captor's. So the positions are the
//! colourings of the board in which every group has a liberty. A layer consists of *blocks*, one for each class of sets of
//! empty points under the eight symmetries of the board. In a block, the index of a position has one bit for each stone,
//! which is set if the stone belongs to the side to move.
//!
//! | part | contents |
//! | --- | --- |
//! | `block` | the entries of a block from those of its children, 256 positions at a time |
//! | `build` | all layers, with a directory from which a build that was interrupted goes on |
//! | `checking` | a finished table, compared with the rules |
//! | `classes` | the sets of empty points up to symmetry |
//! | `coding` | blocks in few bytes |
//! | `embedded` | the margins in the program |
//! | `entry` | what an entry says |
//! | `extract` | the margins in the program as a file |
//! | `grid` | the points and symmetries of a board of any of three sizes |
//! | `known` | the margins that a solver does not have to search |
//! | `layer_files` | the files of a build |
//! | `numbering` | where the entry of a position is |
//! | `table_file` | the finished table |
//! | `tally` | the counts of a layer |
//! | `verification` | the entries of a block once more, position by position |
//! | `winners` | who wins, in two bits |

pub mod block;
pub mod build;
pub mod checking;
pub mod classes;
mod coding;
pub mod embedded;
pub mod entry;
pub mod extract;
pub mod grid;
pub mod known;
pub mod layer_files;
pub mod numbering;
pub mod table_file;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod verification;
pub mod winners;
