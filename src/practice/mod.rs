//! A person at the board.
//!
//! | room | contents |
//! | --- | --- |
//! | `puzzles` | positions in which only one move is right, from games that were played and at random |

pub mod puzzles;
