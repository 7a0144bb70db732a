//! Positions of Gothello with exact values, for learning and for measuring what was learned.
//!
//! Input: games, whose moves lead to the positions. Output: the bytes of a data set, the card that describes it, and the
//! score of predictions.
//!
//! | room | contents |
//! | --- | --- |
//! | `sample` | which positions of which games there are, without two of one class |
//! | `example` | a position as fields, and its class under symmetries |
//! | `symmetry` | the symmetries of the board |
//! | `label` | what is known about a position with best play |
//! | `move_places` | the places of points and moves in lists |
//! | `labelling` | labels found on several threads, and kept in a file from which a stopped command goes on |
//! | `encoding` | the data set as CSV, lines of JSON, or NPZ |
//! | `card` | the page that describes a data set |
//! | `baseline` | how well simple predictions do |
//! | `score` | how well a file of predictions does |

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
