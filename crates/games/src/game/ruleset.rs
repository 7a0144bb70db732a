//! The rule sets that the arena supports, and the features of each.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use super::{Move, Position, gothello, quantum, seegover};
use crate::base::suggestion::nearest;
use crate::base::word_enum::words;

/// The rule sets that the arena supports, each with its options.
///
/// A rule set's text, which logs and commands use, is its name, followed by the options that differ from the default,
/// such as `seegover cycle=superko drop=2`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ruleset {
    /// Bart Massey's Gothello on 5x5, rules of 2001.
    #[default]
    Gothello,
    /// Trevor Truran's Seegover of 1977.
    Seegover(seegover::Options),
    /// A game on squares, on points, or on both: Othello, Reverse, Go and Quantum Gothello.
    Quantum(quantum::QuantumRules),
}

impl Ruleset {
    /// Every rule set with its default options.
    pub const ALL: [Self; 2 + quantum::QuantumRules::ALL.len()] = {
        let mut all = [Self::Gothello; 2 + quantum::QuantumRules::ALL.len()];
        all[1] = Self::Seegover(seegover::Options::DEFAULT);
        let mut index = 2;
        while index < all.len() {
            all[index] = Self::Quantum(quantum::QuantumRules::ALL[index - 2]);
            index += 1;
        }
        all
    };

    /// A description of the possible names, for messages. There are too many names to list all of them.
    pub const EXPECTED: &str =
        "a rule set (`gothello`, `seegover`, `othello`, `go-9`, `quantum` or another from docs/bot/rules)";

    /// The name, without the options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gothello => "gothello",
            Self::Seegover(_) => "seegover",
            Self::Quantum(rules) => rules.lineup().name(),
        }
    }

    /// How many seats a game has.
    pub const fn seats(self) -> u8 {
        match self {
            Self::Gothello | Self::Seegover(_) => 2,
            Self::Quantum(rules) => rules.seats(),
        }
    }

    /// The modes of a game, in order, if a game consists of several modes; otherwise empty.
    pub const fn modes(self) -> &'static [quantum::Mode] {
        match self {
            Self::Quantum(rules) if rules.lineup().modes().len() > 1 => rules.lineup().modes(),
            Self::Gothello | Self::Seegover(_) | Self::Quantum(_) => &[],
        }
    }

    /// Whether the side with more points always wins. This is not certain if a seat gets compensation or if the number
    /// of modes won decides.
    pub fn margin_decides(self) -> bool {
        match self {
            Self::Gothello | Self::Seegover(_) => true,
            Self::Quantum(rules) => rules.margin_decides(),
        }
    }

    /// The position in which games of this rule set start.
    pub fn start(self) -> Box<dyn Position> {
        match self {
            Self::Gothello => Box::new(gothello::Game::default()),
            Self::Seegover(options) => Box::new(seegover::Game::new(options)),
            Self::Quantum(rules) => Box::new(quantum::Game::new(rules)),
        }
    }

    /// The board in the middle of a move that consists of two parts, such as a step and a return; `None` for any other
    /// move. `before` is the board before the move, as displayed by a [`Position`].
    pub fn between(self, before: &str, played: Move) -> Option<String> {
        match self {
            Self::Gothello | Self::Quantum(_) => None,
            Self::Seegover(options) => seegover::stepped(before, played, options).map(|board| board.to_string()),
        }
    }

    /// Checks that this rule set has `feature` with these options.
    ///
    /// # Errors
    /// Fails if the rule set does not have the feature.
    pub fn require(self, feature: Feature) -> Result<(), MissingFeature> {
        let missing = |option| Err(MissingFeature { ruleset: self.name(), feature, option });
        let options = match self {
            Self::Gothello => return Ok(()),
            Self::Seegover(options) => options,
            Self::Quantum(_) if feature == Feature::BuiltinBots => return Ok(()),
            Self::Quantum(_) => return missing(None),
        };
        match feature {
            Feature::Solver | Feature::Perfect | Feature::Adjudication => match options.unsolved() {
                Some(option) => missing(Some(option)),
                None => Ok(()),
            },
            Feature::BuiltinBots => Ok(()),
            Feature::BalancedOpenings => missing(None),
        }
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gothello => f.pad(self.name()),
            Self::Seegover(options) if *options == seegover::Options::DEFAULT => f.pad(self.name()),
            Self::Seegover(options) => f.pad(&format!("{} {options}", self.name())),
            Self::Quantum(rules) => rules.fmt(f),
        }
    }
}

impl FromStr for Ruleset {
    type Err = UnknownRuleset;

    fn from_str(text: &str) -> Result<Self, UnknownRuleset> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        match Self::ALL.into_iter().find(|ruleset| ruleset.name() == name) {
            None => match sizes(name).as_slice() {
                [] => Err(UnknownRuleset::Name { near: nearest(name, Self::ALL.map(Self::name)) }),
                _ => Err(UnknownRuleset::Size { sizes: sizes(name) }),
            },
            Some(Self::Gothello) if words.next().is_some() => Err(UnknownRuleset::NoOptions),
            Some(Self::Gothello) => Ok(Self::Gothello),
            Some(Self::Seegover(_)) => Ok(Self::Seegover(seegover::Options::read(words)?)),
            Some(Self::Quantum(rules)) => Ok(Self::Quantum(quantum::QuantumRules::read(rules.lineup(), words)?)),
        }
    }
}

impl Serialize for Ruleset {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ruleset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// The error for text that does not name a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownRuleset {
    /// The name is unknown.
    #[error("{}", expected(*near))]
    Name {
        /// The known name that was probably meant.
        near: Option<&'static str>,
    },
    /// The name is that of a known game, but with an unknown board size.
    #[error("this game does not come in this size; available: {}", with_sizes(sizes))]
    Size {
        /// The available sizes.
        sizes: Vec<&'static quantum::Lineup>,
    },
    /// There are options after the name of a rule set that does not have any.
    #[error("`gothello` has no options")]
    NoOptions,
    /// A word is not an option of Seegover.
    #[error(transparent)]
    Option(#[from] seegover::OptionError),
    /// A word is not an option of the line-up.
    #[error(transparent)]
    QuantumOption(#[from] quantum::QuantumOptionError),
}

/// The available sizes of the game in `name`, which is a name with a size, such as `quantum-11` or `quantum-22-4p`;
/// empty for any other name.
fn sizes(name: &str) -> Vec<&'static quantum::Lineup> {
    static LINEUPS: [quantum::Lineup; quantum::Lineup::ALL.len()] = quantum::Lineup::ALL;
    let Some((family, rest)) = name.split_once('-') else { return Vec::new() };
    let digits = rest.trim_end_matches("-4p").trim_end_matches("-6p");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Vec::new();
    }
    let suffix = &rest[digits.len()..];
    let lineups = LINEUPS.iter().filter(|lineup| {
        let size = lineup.name().strip_prefix(family).and_then(|rest| rest.strip_suffix(suffix));
        size.is_some_and(|size| size.is_empty() || size[1..].bytes().all(|digit| digit.is_ascii_digit()))
    });
    lineups.collect()
}

/// Formats the line-ups as `quantum` (10x10), `quantum-8` (8x8), and so on.
fn with_sizes(lineups: &[&quantum::Lineup]) -> String {
    let shown = lineups.iter().map(|lineup| {
        let size = if lineup.squares() == 0 { lineup.points() } else { lineup.squares() };
        format!("`{lineup}` ({size}x{size})")
    });
    shown.collect::<Vec<String>>().join(", ")
}

fn expected(near: Option<&str>) -> String {
    match near {
        Some(near) => format!("no rule set has this name: did you mean `{near}`?"),
        None => format!("expected {}", Ruleset::EXPECTED),
    }
}

/// Something that a rule set can have in addition to its rules. Code that reads a file or a log checks for it with
/// [`Ruleset::require`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The exact value of any position, given enough time.
    Solver,
    /// The arena's own bots.
    BuiltinBots,
    /// The built-in bot that always plays a best move.
    Perfect,
    /// The openings that are closest to a draw.
    BalancedOpenings,
    /// Proofs that end a game early.
    Adjudication,
}

// The name in messages, after `has no`.
words! {
    pub Feature;
    Solver => "solver",
    BuiltinBots => "built-in bots",
    Perfect => "`perfect` bot",
    BalancedOpenings => "balanced openings",
    Adjudication => "adjudication",
}

/// The error when a rule set does not have a feature that a file, a log or a command requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingFeature {
    /// The rule set's name.
    pub ruleset: &'static str,
    /// The missing feature.
    pub feature: Feature,
    /// The option of Seegover that rules out the feature, with its value; `None` if the rule set does not have the
    /// feature with any options.
    pub option: Option<(&'static str, &'static str)>,
}

impl std::error::Error for MissingFeature {}

impl fmt::Display for MissingFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.ruleset;
        match self.option {
            None => write!(f, "the rule set `{name}` has no {}", self.feature),
            Some((key, value)) => write!(
                f,
                "the rule set `{name}` has no {} with `{key} = \"{value}\"`: which turns are legal then depends on \
                 earlier positions of the game, but a table contains values only for positions without a history \
                 (there is a table for each combination of `capture` and `back` with `cycle = \"draw\"`)",
                self.feature
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_rule_set_reads_back_from_its_name() {
        for ruleset in Ruleset::ALL {
            assert_eq!(ruleset.name().parse(), Ok(ruleset));
            assert_eq!(ruleset.to_string(), ruleset.name());
        }
        let all: BTreeSet<&str> = Ruleset::ALL.map(Ruleset::name).into_iter().collect();
        assert_eq!(all.len(), Ruleset::ALL.len());
        let examples: Vec<&str> = Ruleset::EXPECTED.split('`').skip(1).step_by(2).collect();
        assert!(examples.len() > 2 && examples.iter().all(|name| all.contains(name)), "{examples:?}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_one() {
        let said = |name: &str| name.parse::<Ruleset>().expect_err("no rule set").to_string();
        assert_eq!(said("otello"), "no rule set has this name: did you mean `othello`?");
        assert_eq!(said("go9"), "no rule set has this name: did you mean `go-9`?");
        assert!(said("chess").starts_with("expected a rule set (`gothello`, `seegover`,"));
    }

    #[test]
    fn options_follow_the_name_of_their_rule_set() {
        let ruleset: Ruleset = "seegover drop=2  cycle=superko".parse().expect("a rule set");
        let text = "seegover cycle=superko drop=2";
        assert_eq!((ruleset.to_string().as_str(), ruleset.name()), (text, "seegover"));
        assert_eq!(serde_json::to_string(&ruleset).expect("text"), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Ruleset>(&format!("\"{text}\"")).expect("a rule set"), ruleset);
        assert_eq!("gothello drop=2".parse::<Ruleset>(), Err(UnknownRuleset::NoOptions));
        assert!(matches!("seegover drop=3".parse::<Ruleset>(), Err(UnknownRuleset::Option(_))));
    }

    #[test]
    fn a_feature_that_is_missing_is_named() {
        for feature in Feature::ALL {
            assert_eq!(Ruleset::Gothello.require(feature), Ok(()));
        }
        let seegover: Ruleset = "seegover".parse().expect("a rule set");
        let missing = seegover.require(Feature::BalancedOpenings).expect_err("for Gothello alone");
        assert_eq!(missing.to_string(), "the rule set `seegover` has no balanced openings");
        let othello: Ruleset = "othello compensation=0,1/2".parse().expect("a rule set");
        let missing = othello.require(Feature::Solver).expect_err("for other rule sets");
        assert_eq!(missing.to_string(), "the rule set `othello` has no solver");
    }

    #[test]
    fn an_option_that_takes_a_feature_away_is_named() {
        for options in ["cycle=superko", "cycle=superko drop=2 capture=single"] {
            let ruleset: Ruleset = format!("seegover {options}").parse().expect("a rule set");
            for feature in [Feature::Solver, Feature::Perfect, Feature::Adjudication] {
                let said = ruleset.require(feature).expect_err("there is no table").to_string();
                let begin =
                    format!("the rule set `seegover` has no {feature} with `cycle = \"superko\"`: which turns are");
                assert!(said.starts_with(&begin), "{said}");
            }
        }
        let magazine: Ruleset = "seegover drop=2 capture=single back=capture".parse().expect("a rule set");
        assert_eq!(magazine.require(Feature::Perfect), Ok(()));
    }
}
