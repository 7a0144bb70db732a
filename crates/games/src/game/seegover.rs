//! Seegover on 5x5, on bitboards, with the choices that its sources leave open.
//!
//! Source of the rules: Trevor Truran, "Seegover", 1977, in a later description whose text decides where it speaks, and
//! in Games & Puzzles 66, which fills its gaps. The sides first drop 24 two-coloured stones, anywhere but in the centre.
//! Then each turn moves an own stone into the one empty square and captures by enclosure, in each of the four directions
//! by itself. A side with four stones or fewer loses. [`Options`] are what the sources disagree about.
//!
//! [`View`] is the fast part: the stones as the side to move sees them, without history. [`Game`] adds the history that
//! the rules against cycles need, and the drops.

mod board;
mod game;
mod lines;
mod options;
mod play;
mod squares;
mod view;

pub use board::{Board, stepped};
pub use game::{Ending, Game, UnplayableBoard};
pub use options::{BackRule, CaptureRule, CycleRule, DropRule, OptionError, Options};
pub use play::Play;
pub use squares::{ALL, CENTRE, SIZE, Square, Squares, neighbours, squares};
pub use view::{FULL, MOST_OF_A_LOSER, View};
