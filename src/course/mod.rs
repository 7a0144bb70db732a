//! A class: its input is submissions, and its output is grades with their reasons.
//!
//! | room | contents |
//! | --- | --- |
//! | `submissions` | the submissions of a class: names, players, and how each bot is started |
//! | `unpacking` | the submissions of a class, unpacked and put in place |
//! | `roster` | who handed in which submission, and which player it became |
//! | `rubric` | the points that facts about a bot are worth, and the games that show these facts |
//! | `evidence` | gathers and keeps the evidence for grading: drills and games |
//! | `grades` | the marks of each student's bot for each item of a rubric, with the evidence |
//! | `grade_files` | the files that a grading run writes |
//! | `assignment` | what a user asks the arena to grade |
//! | `autograder` | grades one submission within the time limit of an autograder |
//! | `handout` | the output for a course: grades for its platform, and feedback for students |

pub(crate) mod assignment;
pub(crate) mod autograder;
pub(crate) mod evidence;
pub(crate) mod grade_files;
pub mod grades;
pub mod handout;
pub mod roster;
pub mod rubric;
pub mod submissions;
pub(crate) mod unpacking;
