//! The rule sets that the arena knows, and the features of each.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Position, gothello};
use crate::base::word_enum::{alternatives, words};

/// The rule sets that the arena knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ruleset {
    /// Bart Massey's Gothello on 5x5, rules of 2001.
    #[default]
    #[serde(rename = "gothello")]
    Gothello,
}

impl Ruleset {
    /// What a file may name here, for messages.
    pub const EXPECTED: &str = "a rule set (`gothello`)";

    /// The position in which games of this rule set start.
    pub fn start(self) -> Box<dyn Position> {
        match self {
            Self::Gothello => Box::new(gothello::Game::default()),
        }
    }

    /// The features that this rule set has.
    pub const fn features(self) -> &'static [Feature] {
        match self {
            Self::Gothello => &Feature::ALL,
        }
    }

    /// Checks that this rule set has `feature`.
    ///
    /// # Errors
    /// When it does not.
    pub fn require(self, feature: Feature) -> Result<(), MissingFeature> {
        if self.features().contains(&feature) { Ok(()) } else { Err(MissingFeature { ruleset: self, feature }) }
    }
}

// The names that files use.
words! { pub Ruleset, UnknownRuleset, Gothello => "gothello" }

/// Text that names no rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {}", alternatives(&Ruleset::ALL.map(Ruleset::name)))]
pub struct UnknownRuleset;

/// Something that a rule set may have besides its rules. Code that reads a file or a log checks for it with
/// [`Ruleset::require`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The exact value of any position, given enough time.
    Solver,
    /// Exact values of early positions.
    Book,
    /// The arena's own bots.
    BuiltinBots,
    /// The built-in bot that plays best moves.
    Perfect,
    /// Openings that are nearest to a draw.
    BalancedOpenings,
    /// Proofs that end a game early.
    Adjudication,
}

// What messages call it, after `has no`.
words! {
    pub Feature;
    Solver => "solver",
    Book => "opening book",
    BuiltinBots => "built-in bots",
    Perfect => "`perfect` bot",
    BalancedOpenings => "balanced openings",
    Adjudication => "adjudication",
}

/// A rule set does not have what a file, a log or a command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the rule set `{ruleset}` has no {feature}")]
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
