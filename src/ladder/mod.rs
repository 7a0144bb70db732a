//! A ladder: a tournament whose players hand in new versions of their bots while it is played.
//!
//! Input: directories, Git repositories and uploads of the players. Output: hand-ins, each with the sources that
//! arrived. A run of a ladder decides what to do with them.
//!
//! | room | contents |
//! | --- | --- |
//! | `hand_in` | what a door delivers: sources, or the reason why they are refused |
//! | `sources_digest` | the digest that identifies sources |
//! | `tokens` | the tokens with which players submit |
//! | `doors` | the three ways versions arrive: a directory, a Git repository, and an upload |
//! | `checking` | whether a hand-in plays: how it is started, its build, and the scenarios that every bot must pass |
//! | `class_file` | the class that a frozen ladder leaves behind, for `grade` |
//! | `keeper` | keeps a ladder going: hand-ins, checks, decisions, requests |
//! | `leaderboard` | the page: the standings, and what each player may see of its versions |
//! | `mailbox` | the teacher's requests to a running ladder |
//! | `places` | where the parts of a ladder are |
//! | `overview` | every version with its rating, as a table |
//! | `queue` | the waiting hand-ins, and which of them is next |
//! | `state` | what follows from the journal: ratings, the next games, the versions to pause |
//! | `submitter` | a player's side of the third door: packing a directory, and sending it |

mod checking;
mod class_file;
pub(crate) mod doors;
pub(crate) mod hand_in;
pub(crate) mod keeper;
pub(crate) mod leaderboard;
pub(crate) mod mailbox;
pub(crate) mod overview;
pub(crate) mod places;
mod queue;
mod sources_digest;
pub(crate) mod state;
pub(crate) mod submitter;
pub(crate) mod tokens;
