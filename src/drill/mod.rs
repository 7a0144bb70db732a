//! Whether a bot is ready to play and, if not, why.
//!
//! Input: a bot, and the scenarios to test it with. Output: the outcome of every scenario, with the causes of failures.
//!
//! | room | contents |
//! | --- | --- |
//! | `script` | the scenarios: what the arena does in each, and what it expects of the bot |
//! | `playing` | plays the scenarios |
//! | `selection` | the scenarios and the players that a user has selected |
//! | `sources` | a bot's source files, read for diagnoses |
//! | `readiness` | the outcome of every scenario of the drill, by player |
//! | `diagnosis` | why a bot failed a scenario |
//! | `report` | the outcomes as text, TAP, JUnit, JSON and markdown |

pub mod diagnosis;
pub(crate) mod playing;
pub mod readiness;
pub mod report;
pub mod script;
pub(crate) mod selection;
pub(crate) mod sources;
