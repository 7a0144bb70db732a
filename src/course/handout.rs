//! The output for a course: grades for Moodle, Gradescope and GitHub, and feedback for students.
//!
//! Input: a gradebook, the roster of the class and the files of the course. Output: the contents of files, which depend
//! on nothing else.
//!
//! | room | contents |
//! | --- | --- |
//! | `class_index` | the teacher's page for a class |
//! | `feedback` | one page for each student |
//! | `feedback_zip` | the pages of all students in a file for Moodle |
//! | `game_links` | links to games in reports |
//! | `github` | lines, annotations and summaries for GitHub |
//! | `gradescope` | the results of an autograder on Gradescope |
//! | `mark_text` | the mark of an item as text |
//! | `missing_page` | the page for a student without a player |
//! | `moodle` | matches students with Moodle participants |
//! | `number_text` | points and figures as text |
//! | `points_bar` | bars of points |
//! | `worksheet` | Moodle's grading worksheet, with grades filled in |
//! | `zip_file` | ZIP files without timestamps |

pub mod class_index;
pub mod feedback;
pub mod feedback_zip;
pub mod game_links;
pub mod github;
#[cfg(test)]
mod gradebooks_for_tests;
pub mod gradescope;
pub(crate) mod mark_text;
pub mod missing_page;
pub mod moodle;
pub(crate) mod number_text;
mod points_bar;
pub mod worksheet;
pub(crate) mod zip_file;
