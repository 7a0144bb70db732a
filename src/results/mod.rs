//! What follows from the games that were played, and from what students handed in.
//!
//! In: records; names and texts of submissions. Out: ratings, standings, analyses, boards, tables as text, and the players
//! of a class. The same input gives the same bytes. All rooms are pure but [`analysis_by_solver`], which has a team of
//! threads solve positions.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `analysis` | what each move of a game was worth; accuracy |
//! | `analysis_by_solver` | judging the moves of a game within a budget of time |
//! | `diagnosis` | why a bot failed a scenario |
//! | `format_result` | the result by the format: places in a Swiss tournament, the bracket of a knockout |
//! | `grades` | what each student's bot gets for each item of a rubric, and what shows it |
//! | `handout` | what a course gets back: grades for its platform, and feedback for students |
//! | `page` | the page that shows a run: its markup, its data, its script and its style |
//! | `ply_offsets` | which part of a bot's stderr belongs to which turn |
//! | `quoting` | foreign text made fit for each medium |
//! | `rating` | ratings with error bars |
//! | `readiness` | the outcome of every scenario of the drill, by player |
//! | `replay` | boards and headings as text |
//! | `report` | standings and games as tables, CSV, JSON and markdown |
//! | `require` | requirements on standings: their grammar, and whether they hold |
//! | `roster` | who handed what in, and which player that is |
//! | `standings` | a fold of games into points, crosstable and ratings |
//! | `submissions` | what a class handed in: names, players, and how each bot is started |
//! | `text_cell` | text in the cells of a CSV file |

pub mod analysis;
pub mod analysis_by_solver;
pub mod diagnosis;
pub mod format_result;
pub mod grades;
pub mod handout;
pub mod page;
pub mod ply_offsets;
pub(crate) mod quoting;
pub mod rating;
pub mod readiness;
pub mod replay;
pub mod report;
pub mod require;
pub mod roster;
pub mod standings;
pub mod submissions;
pub(crate) mod text_cell;
