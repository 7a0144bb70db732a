//! Requirements on standings, such as `alice > greedy` or `alice.score >= 0.55`, which can make a build fail.
//!
//! ```text
//! requirement = term comparison ( number | term ) | "sprt == H1" | "sprt == H0" | "champion == " name
//! term        = name { "." key }
//! comparison  = ">=" | ">" | "<=" | "<" | "=="
//! ```
//!
//! A name or a key is quoted (`"` or `'`) if it contains characters other than letters, digits, `_` and `-`. A name
//! alone means that player's rating. The keys are the figures of a player in the standings' JSON, except `usage` and
//! `accuracy`. The value `true` counts as 1. A nested key has two parts: `alice.black.wins`,
//! `alice.forfeits_by_kind."no show"`. Figures shared by all players need no name: `fit.p_value`, `sprt.llr`, unless a
//! player has this name. Text on the right-hand side that could be a number is read as a number.
//!
//! For games with more than two seats, the figures are those in the JSON of their standings: `alice.mean_placing <= 2`,
//! `alice.places.1 >= 3`.

mod champion;
mod comparing;
mod figure;
mod further_tables;
mod of_group;
mod of_player;
mod of_run;
mod parse;
mod problem;
mod rated_field;

use std::fmt;

use crate::base::word_enum::words;
use crate::tournament::sprt::SprtVerdict;
use comparing::JudgedFigure;
pub use problem::{RequirementError, RequirementProblem};
pub use rated_field::RatedField;

/// A well-formed requirement. Standings are needed to resolve its names.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    text: String,
    claim: Claim,
}

/// The required condition.
#[derive(Clone, Debug, PartialEq)]
enum Claim {
    Relation(RelationClaim),
    Sprt(SprtVerdict),
    /// The champion of the knockout is the player with this name.
    Champion(Word),
}

/// A required relation between two figures.
#[derive(Clone, Debug, PartialEq)]
struct RelationClaim {
    left: Term,
    relation: Relation,
    right: Operand,
}

/// A player's rating, or another figure of a player.
#[derive(Clone, Debug, PartialEq)]
struct Term {
    player: Word,
    keys: Vec<Word>,
}

/// A name or a key, and the position of the first character in the requirement, from 1.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    at: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Number(f64),
    Term(Term),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtLeast,
    More,
    AtMost,
    Less,
    Equal,
}

words! { Relation; AtLeast => ">=", More => ">", AtMost => "<=", Less => "<", Equal => "==" }

impl Relation {
    #[expect(clippy::float_cmp, reason = "the requirement asks for it")]
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::AtLeast => left >= right,
            Self::More => left > right,
            Self::AtMost => left <= right,
            Self::Less => left < right,
            Self::Equal => left == right,
        }
    }

    /// The probability that the relation is true, where `more` is the probability that the left side is greater. Two
    /// ratings are never known to be equal.
    fn probability(self, more: f64) -> f64 {
        match self {
            Self::AtLeast | Self::More => more,
            Self::AtMost | Self::Less => 1.0 - more,
            Self::Equal => 0.0,
        }
    }
}

/// The basis for judging requirements.
#[derive(Clone, Copy, Debug)]
pub struct Grounds<'g> {
    /// The standings, with the result and the sequential test of their run, if there are any.
    pub standings: RatedField<'g>,
    /// The minimum probability, from 0 to 1, with which a requirement on ratings must be met. If `None`, ratings are
    /// compared as displayed.
    pub confidence: Option<f64>,
}

/// A requirement and whether it is met.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRequirement {
    /// The requirement as it was written.
    pub requirement: String,
    /// Whether the requirement is met.
    pub holds: bool,
    /// The values of both sides, or why they cannot be compared.
    pub figure: String,
    /// For ratings, the probability from 0 to 1 that the requirement is met.
    pub probability: Option<f64>,
}

impl fmt::Display for JudgedRequirement {
    /// One line: `held: alice > greedy (120.51 > -3.20, probability 98.7%)`, or `NOT HELD: ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.holds { "held" } else { "NOT HELD" };
        write!(f, "{verdict}: {} ({}", self.requirement, self.figure)?;
        if let Some(probability) = self.probability {
            // Do not print 0% or 100% for a probability that is merely close.
            match probability {
                p if (0.9995..1.0).contains(&p) => f.write_str(", probability above 99.9%")?,
                p if p > 0.0 && p < 0.0005 => f.write_str(", probability below 0.1%")?,
                p => write!(f, ", probability {:.1}%", 100.0 * p)?,
            }
        }
        f.write_str(")")
    }
}

impl Requirement {
    /// Reads a requirement.
    ///
    /// # Errors
    /// Returns an error if the text does not follow the grammar described at the top of this module.
    pub fn parse(text: &str) -> Result<Self, RequirementError> {
        parse::requirement(text)
    }

    /// The requirement as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the requirement refers to a figure of a machine. It does not if one of the `players` has the name that
    /// otherwise refers to machines.
    pub fn is_about_machines<'n>(&self, mut players: impl Iterator<Item = &'n str>) -> bool {
        let is_machine = |term: &Term| term.player.text == further_tables::WORKERS;
        if players.any(|player| player == further_tables::WORKERS) {
            return false;
        }
        match &self.claim {
            Claim::Relation(RelationClaim { left, right, .. }) => {
                is_machine(left) || matches!(right, Operand::Term(term) if is_machine(term))
            }
            Claim::Sprt(_) | Claim::Champion(_) => false,
        }
    }

    /// Judges the requirement.
    ///
    /// # Errors
    /// Returns an error if the requirement names something that does not exist, or compares figures that cannot be
    /// compared.
    pub fn judge(&self, grounds: Grounds<'_>) -> Result<JudgedRequirement, RequirementError> {
        let Self { text, claim } = self;
        let JudgedFigure { holds, figure, probability } = match claim {
            Claim::Sprt(verdict) => {
                if matches!(grounds.standings, RatedField::Groups(_)) {
                    return Err(RequirementProblem::OnlyOfTwo { key: parse::SPRT.to_owned() }.at(1));
                }
                let test = grounds.standings.run().test.as_ref().ok_or_else(|| RequirementProblem::NoSprt.at(1))?;
                JudgedFigure::certain(test.progress.verdict() == *verdict, test.progress.to_string())
            }
            Claim::Champion(player) => champion::judge(player, grounds.standings)?,
            Claim::Relation(claim) => claim.judge(grounds)?,
        };
        Ok(JudgedRequirement { requirement: text.clone(), holds, figure, probability })
    }
}

#[cfg(test)]
mod group_tests;
#[cfg(test)]
mod tests;
