//! A class: submissions come in, and grades with their reasons go out.
//!
//! | room | what it holds |
//! | --- | --- |
//! | `submissions` | what a class handed in: names, players, and how each bot is started |
//! | `unpacking` | the submissions of a class, unpacked and put in place |
//! | `roster` | who handed what in, and which player that is |
//! | `rubric` | which facts about a bot are worth how many points, and the games that show them |
//! | `evidence` | gathers the evidence of a grading: drills and games, kept and found again |
//! | `grades` | what each student's bot gets for each item of a rubric, and what shows it |
//! | `handout` | what a course gets back: grades for its platform, and feedback for students |

pub(crate) mod evidence;
pub mod grades;
pub mod handout;
pub mod roster;
pub mod rubric;
pub mod submissions;
pub(crate) mod unpacking;
