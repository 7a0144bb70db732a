//! The rule sets that the arena knows, and what each of them has beside its rules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Position, gothello};

/// The rule sets that the arena knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ruleset {
    /// Bart Massey's Gothello on 5x5, rules of 2001.
    #[default]
    #[serde(rename = "gothello")]
    Gothello,
}

impl Ruleset {
    /// Every rule set.
    pub const ALL: [Self; 1] = [Self::Gothello];

    /// What a file can name, in words for messages.
    pub const EXPECTED: &str = "a rule set (`gothello`)";

    /// The position in which games of this rule set start.
    pub fn start(self) -> Box<dyn Position> {
        match self {
            Self::Gothello => Box::new(gothello::Game::default()),
        }
    }

    /// The name that files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gothello => "gothello",
        }
    }

    /// What this rule set has beside its rules.
    pub const fn features(self) -> &'static [Feature] {
        match self {
            Self::Gothello => &Feature::ALL,
        }
    }

    /// Asks for `feature`.
    ///
    /// # Errors
    /// Says that this rule set does not have it.
    pub fn require(self, feature: Feature) -> Result<(), MissingFeature> {
        if self.features().contains(&feature) { Ok(()) } else { Err(MissingFeature { ruleset: self, feature }) }
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name of no rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", Ruleset::EXPECTED)]
pub struct UnknownRuleset;

impl FromStr for Ruleset {
    type Err = UnknownRuleset;

    fn from_str(text: &str) -> Result<Self, UnknownRuleset> {
        Self::ALL.into_iter().find(|ruleset| ruleset.name() == text).ok_or(UnknownRuleset)
    }
}

/// Something that a rule set may have beside its rules. Whoever needs it asks [`Ruleset::require`] where a file or a log
/// is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The exact value of any position, given enough time.
    Solver,
    /// Exact values of early positions.
    Book,
    /// Bots of the arena's own.
    BuiltinBots,
    /// The built-in bot that plays best moves.
    Perfect,
    /// Openings that are nearest to a draw.
    BalancedOpenings,
    /// Proofs that end a game early.
    Adjudication,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 6] =
        [Self::Solver, Self::Book, Self::BuiltinBots, Self::Perfect, Self::BalancedOpenings, Self::Adjudication];

    /// What messages call it, after `has no`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solver => "solver",
            Self::Book => "opening book",
            Self::BuiltinBots => "built-in bots",
            Self::Perfect => "`perfect` bot",
            Self::BalancedOpenings => "balanced openings",
            Self::Adjudication => "adjudication",
        }
    }
}

/// A rule set does not have what a file, a log or a command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the rule set `{ruleset}` has no {}", .feature.name())]
pub struct MissingFeature {
    /// The rule set.
    pub ruleset: Ruleset,
    /// What it does not have.
    pub feature: Feature,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_set_reads_back_from_its_name_and_is_named_in_messages() {
        for ruleset in Ruleset::ALL {
            assert_eq!(ruleset.name().parse(), Ok(ruleset));
            assert!(Ruleset::EXPECTED.contains(&format!("`{ruleset}`")));
        }
        assert_eq!("go".parse::<Ruleset>(), Err(UnknownRuleset));
    }

    #[test]
    fn a_feature_that_is_missing_is_named() {
        for feature in Feature::ALL {
            assert_eq!(Ruleset::Gothello.require(feature), Ok(()));
        }
        let missing = MissingFeature { ruleset: Ruleset::Gothello, feature: Feature::BalancedOpenings };
        assert_eq!(missing.to_string(), "the rule set `gothello` has no balanced openings");
    }
}
