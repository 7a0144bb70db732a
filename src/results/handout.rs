//! What a course gets back: grades for Moodle, Gradescope and GitHub, and feedback for students.
//!
//! In: a gradebook, the roster of the class and the files of the course. Out: the bytes of files, which depend on these alone.
//!
//! | part | what it holds |
//! | --- | --- |
//! | `feedback_zip` | the pages of all students in a file for Moodle |
//! | `number_text` | points and figures as text |
//! | `worksheet` | the grading worksheet of Moodle, with grades filled in |
//! | `zip_file` | ZIP files without a clock in them |

pub mod feedback_zip;
pub(crate) mod number_text;
pub mod worksheet;
pub(crate) mod zip_file;
