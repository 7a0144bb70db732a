//! Seegover on 5x5, using bitboards, with options for the points that its sources leave open.
//!
//! Source of the rules: Trevor Truran, "Seegover", 1977, as published in Games & Puzzles 66, and in a later
//! description. The later description takes precedence, and the magazine fills its gaps. The sides first drop 24
//! two-coloured stones, anywhere except in the centre. Then, in each turn, the side to move moves one of its stones
//! into the only empty square and captures by enclosure, in each of the four directions separately. A side with four
//! stones or fewer loses. [`Options`] cover the points on which the sources disagree.
//!
//! [`View`] is the fast part: the stones from the perspective of the side to move, without history. [`Game`] adds the
//! drops, and the history needed for the rules against cycles.

mod board;
mod game;
mod lines;
mod options;
mod play;
mod squares;
mod view;

pub use board::{Board, stepped};
pub use game::{Ending, Game, UnplayableBoard};
pub use options::{BackRule, CaptureRule, CycleRule, DropRule, MoveRules, OptionError, Options};
pub use play::Play;
pub use squares::{ALL, CENTRE, SIZE, Square, Squares, neighbours, squares};
pub use view::{FULL, MOST_OF_A_LOSER, View};
