//! What follows from the games that were played.
//!
//! In: records. Out: ratings, standings, analyses, boards and tables as text. Pure: the same records give the same bytes.
//!
//! | room | what it holds |
//! | --- | --- |
//! | [`analysis`] | what each move of a game was worth; accuracy |
//! | [`rating`] | ratings with error bars |
//! | [`replay`] | boards and headings as text |
//! | [`report`] | standings and games as tables, CSV, JSON and markdown |
//! | [`require`] | requirements on standings: their grammar, and whether they hold |
//! | [`standings`] | a fold of games into points, crosstable and ratings |

pub mod analysis;
pub mod rating;
pub mod replay;
pub mod report;
pub mod require;
pub mod standings;
