//! The drill: scenarios that test whether a bot follows the protocol, before its games count.
//!
//! A [`Scenario`] plans one or more games. A [`Bout`] plays each of them against the bot under the same referee as every other
//! game, with an opponent that follows the plan, and alters the wire where the plan says so. [`BoutFacts`] record what happened,
//! and the scenario judges them. Nothing here does any I/O; `run::drill` transports the lines and measures the times.
//!
//! | part | what it holds |
//! | --- | --- |
//! | `scenario` | what a scenario is |
//! | `catalogue` | the table of all scenarios |
//! | `plan` | what the arena does in a bout |
//! | `scenario_plans` | what it does in each scenario |
//! | `bout` | one game of a scenario |
//! | `rival` | the opponents that need no search: `mover` knows no game, and `gothello` aims for positions of Gothello |
//! | `turned_stones` | games of Gothello with the stones that have turned |
//! | `delivery` | how the arena's lines go over the wire: whole, in pieces, late |
//! | `facts` | what happened in a bout |
//! | `judging` | what the facts say about the bot, one file for each thing to look for |
//! | `second_try` | which game of a trial is played a second time, and what that says |

mod bout;
mod catalogue;
mod delivery;
mod facts;
mod judging;
mod plan;
mod rival;
mod scenario;
mod scenario_plans;
mod second_try;
#[cfg(test)]
mod tests;
mod turned_stones;

pub use crate::referee::transcript::{Speaker, Transcript};
pub use bout::Bout;
pub use catalogue::SCENARIOS;
pub use delivery::{Act, Delivery};
pub use facts::{BoutEnd, BoutFacts, Coming, ProcessExit, ProcessFacts, Refusal};
pub use judging::{FailureCost, Finding, Judgement, TrialFailure};
pub use plan::{FalseRefusal, LastCode, Plan, Replay, ToldNames};
pub use rival::{Aim, Reply, Rival, RivalKind, play_on, pure_rival};
pub use scenario::{Level, NeededRules, Scenario, Setting};
pub use second_try::{SecondTry, why_late};
