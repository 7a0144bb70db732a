//! The results of games.
//!
//! Input: records. Output: ratings, standings, analyses, boards, and tables as text. The same input always produces the
//! same bytes. Everything is pure except `analysis::by_solver`, which solves positions with a pool of threads.
//!
//! | room | contents |
//! | --- | --- |
//! | `analysis` | the value of each move of a game; accuracy |
//! | `format_result` | the result according to the format: places in a Swiss tournament, the bracket of a knockout |
//! | `ladder` | a field that changes while it is played: ratings of versions, and the next pairing |
//! | `quoting` | quoting of untrusted text for each output format |
//! | `rating` | ratings with error bars |
//! | `replay` | boards and headings as text |
//! | `report` | standings and games as tables, CSV, JSON and markdown; each column is described once |
//! | `require` | requirements on standings: their grammar, and whether they are met |
//! | `standings` | points, crosstable and ratings, computed from games |
//! | `text_cell` | text in the cells of a CSV file |
//! | `victory` | who won a game, in words |

pub mod analysis;
pub mod format_result;
pub mod ladder;
pub(crate) mod quoting;
pub mod rating;
pub mod replay;
pub mod report;
pub mod require;
pub mod standings;
pub(crate) mod text_cell;
pub(crate) mod victory;
