//! The drill: scenarios that test whether a bot follows the protocol, before its games count.
//!
//! A [`Scenario`] plans one or more games. A [`Bout`] plays each game against the bot, with the same referee as any
//! other game and an opponent that follows the plan. If the plan says so, the bout changes what is sent over the wire.
//! [`BoutFacts`] record what happened, and the scenario judges them. Nothing here does any I/O; `drill::playing`
//! transports the lines and measures the times.
//!
//! | room | contents |
//! | --- | --- |
//! | `scenario` | the definition of a scenario |
//! | `catalogue` | the table of all scenarios |
//! | `ordinary_clock` | the clock of each side in an ordinary game |
//! | `plan` | the arena's actions in a bout |
//! | `prelude` | the moves before the mode that a bot plays for its team |
//! | `scenario_plans` | the arena's actions in each scenario |
//! | `scenario_clocks` | the clocks of the scenarios about one kind of time control |
//! | `bout` | one game of a scenario |
//! | `bot_seat` | the seat in which a bot is tried |
//! | `rival` | the opponents that need no search, for any game (`mover`) and for Gothello (`captor`, `gothello`) |
//! | `turned_stones` | games of Gothello in which turned stones are tracked |
//! | `delivery` | how the arena's lines are sent over the wire: whole, in pieces, late |
//! | `facts` | what happened in a bout |
//! | `clock_use` | how close a bot came to the end of its clock |
//! | `judging` | judges the bot by the facts, with one file for each aspect |
//! | `second_try` | which game of a trial is repeated, and the effect of the second try |

mod bot_seat;
mod bout;
mod catalogue;
mod clock_use;
mod delivery;
mod facts;
mod judging;
mod ordinary_clock;
mod plan;
mod prelude;
mod rival;
mod scenario;
mod scenario_clocks;
mod scenario_plans;
mod second_try;
#[cfg(test)]
mod tests;
mod turned_stones;

pub use crate::referee::transcript::{Speaker, Transcript};
pub use bot_seat::BotSeat;
pub use bout::Bout;
pub use catalogue::SCENARIOS;
pub use clock_use::{ClockPart, ClockUse};
pub use delivery::{Act, Delivery};
pub use facts::{BoutEnd, BoutFacts, Coming, ProcessExit, ProcessFacts, Refusal};
pub use judging::{FailureCost, Finding, Judgement, TrialFailure};
pub use ordinary_clock::OrdinaryClock;
pub use plan::{FalseRefusal, LastCode, Plan, Replay, ToldNames};
pub use rival::{Aim, DropOut, Reply, Rival, RivalKind, SoFar, pure_rival};
pub use scenario::{Level, NeededClocks, NeededRules, Scenario, Setting};
pub use second_try::{SecondTry, why_late};
