//! The definition of a scenario.

use std::time::Duration;

use super::{BoutFacts, Judgement, Plan, SCENARIOS};
use crate::base::word_enum::words;
use crate::game::{Ruleset, Side};

/// The importance of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A failure here is a forfeit or a lost result in a tournament.
    Must,
    /// A failure here does not affect results, but is worth fixing.
    Should,
    /// This goes beyond the specification and is never a failure.
    Info,
}

words! { pub Level; Must => "MUST", Should => "SHOULD", Info => "INFO" }

/// The rule sets that a scenario can be played under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeededRules {
    /// Every rule set.
    Any,
    /// Only Gothello: the scenario depends on its moves.
    Gothello,
}

/// What a scenario's plan may depend on.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The bot's side.
    pub side: Side,
    /// The rules.
    pub ruleset: Ruleset,
    /// The time for each side in an ordinary game.
    pub time: Duration,
    /// The index of the game in the scenario.
    pub game: u32,
    /// The seed of the bot and of its opponent.
    pub seed: u64,
}

/// One scenario: the actions of the arena, and what it expects of the bot.
#[derive(Debug)]
pub struct Scenario {
    /// Its name, such as `clock-uneven`.
    pub id: &'static str,
    /// How much it matters.
    pub level: Level,
    /// What the arena does, in a few words.
    pub does: &'static str,
    /// What the bot has to do to pass, in a few words. The subject of the sentence is the bot.
    pub about: &'static str,
    /// The rule sets that it can be played under.
    pub rules: NeededRules,
    /// Whether the bot has to make moves in it: it is skipped for a bot that makes none in `plain`.
    pub needs_moves: bool,
    /// The number of games on each side.
    pub games: u32,
    /// Whether all its games have the same seed, for the bot and for its opponent.
    pub same_seed: bool,
    /// Returns the arena's actions.
    pub plan: fn(&Setting) -> Plan,
    /// Returns what the games say about the bot.
    pub judge: fn(&[BoutFacts]) -> Judgement,
}

impl Scenario {
    /// The scenario that all others depend on.
    pub const HELLO: &'static str = "hello";

    /// The scenario on which all scenarios depend in which the bot has to move.
    pub const PLAIN: &'static str = "plain";

    /// The name of the scenario with the most games, against two kinds of opponents.
    pub const LEGAL_20: &'static str = "legal-20";

    /// The scenario with this name.
    pub fn find(id: &str) -> Option<&'static Self> {
        SCENARIOS.iter().find(|scenario| scenario.id == id)
    }

    /// A number that distinguishes the seed of the game with this index from those of the others.
    pub const fn seed_of(&self, game: u32) -> u32 {
        if self.same_seed { 0 } else { game }
    }
}
