//! Positions of Gothello with exact values, for training models and for measuring them.
//!
//! Input: games, whose moves lead to the positions. Output: the bytes of a data set, the card that describes it, and
//! the score of predictions.
//!
//! | room | contents |
//! | --- | --- |
//! | `sample` | the positions of games, at most one of each class |
//! | `example` | a position as fields, and its class under symmetries |
//! | `symmetry` | the symmetries of the board |
//! | `label` | the value and the best moves of a position under best play |
//! | `move_places` | the places of points and moves in lists |
//! | `labelling` | finds labels on several threads, and stores them so that a stopped command can continue |
//! | `encoding` | the data set as CSV, JSON lines, or NPZ |
//! | `card` | the page that describes a data set |
//! | `baseline` | how accurate simple predictions are |
//! | `score` | how accurate the predictions in a file are |

pub mod baseline;
pub mod card;
pub mod encoding;
pub mod example;
pub mod label;
pub mod labelling;
pub mod move_places;
pub mod sample;
pub mod score;
pub mod symmetry;
