//! The margin of every Gothello position, by retrograde analysis over the number of stones.
//!
//! A placement adds a stone, and no stone ever leaves the board. So the values of all positions with `k` stones, a
//! *layer*, follow from those with `k + 1`. Let `f` be the best value that a placement leads to, `f'` the same for the
//! other side on the same board, and `s` the stones of the side to move minus those of the other side. The margin of a
//! position that does not follow a pass is then `max(f, min(-f', s))`; after a pass it is `max(f, s)`, which is the
//! larger of that margin and `s`.
//!
//! After a legal placement, every group has a liberty: a captured group joins that of its captor. So the positions are
//! the colourings of the board in which every group has a liberty. A layer consists of *blocks*, one for each class of
//! sets of empty points under the eight symmetries of the board. In a block, the index of a position has one bit for
//! each stone, which is set if the stone belongs to the side to move.
//!
//! | part | contents |
//! | --- | --- |
//! | `block` | the entries of a block from those of its children, 256 positions at a time |
//! | `build` | all layers, and the directory from which an interrupted build continues |
//! | `checking` | the comparison of a finished table with the rules |
//! | `classes` | the sets of empty points up to symmetry |
//! | `coding` | blocks in compressed form |
//! | `embedded` | the margins in the program |
//! | `entry` | the meaning of an entry |
//! | `extract` | the margins in the program as a file |
//! | `grid` | the points and symmetries of a board of any of three sizes |
//! | `known` | the margins that a solver does not have to search |
//! | `layer_files` | the files of a build |
//! | `numbering` | where the entry of a position is |
//! | `table_file` | the finished table |
//! | `tally` | the counts of a layer |
//! | `verification` | the entries of a block, computed again position by position |
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
