//! Requirements on standings, such as `alice > greedy` or `alice.score >= 0.55`: what a build can be made to fail by.
//!
//! ```text
//! requirement = term comparison ( number | term ) | "sprt == H1" | "sprt == H0"
//! term        = name { "." key }
//! comparison  = ">=" | ">" | "<=" | "<" | "=="
//! ```
//!
//! A name, and a key too, stands in quotes (`"` or `'`) where it has other than letters, digits, `_` and `-`. A name alone
//! is that player's rating. The keys are those of a player in the standings' JSON, the ones within others by two steps:
//! `alice.black.wins`, `alice.forfeits_by_kind."no show"`. On the right-hand side, what could be a number is one.

mod figure;
mod parse;

use std::fmt;

use thiserror::Error;

use crate::base::near::nearest;
use crate::base::words::words;
use crate::results::rating::Elo;
use crate::results::standings::{Anchor, Standings};
use crate::tournament::sprt::{Progress, Verdict};
use figure::Figure;

/// A requirement that is well-formed; whether its names mean anything, only standings can tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    text: String,
    claim: Claim,
}

/// What is required.
#[derive(Clone, Debug, PartialEq)]
enum Claim {
    Comparison { left: Term, comparison: Comparison, right: Operand },
    Sprt(Verdict),
}

/// A player's rating, or another fact of it.
#[derive(Clone, Debug, PartialEq)]
struct Term {
    player: Word,
    keys: Vec<Word>,
}

/// A name or a key with its place: the character of the requirement at which it begins, from 1.
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
enum Comparison {
    AtLeast,
    More,
    AtMost,
    Less,
    Equal,
}

words! { Comparison; AtLeast => ">=", More => ">", AtMost => "<=", Less => "<", Equal => "==" }

impl Comparison {
    #[expect(clippy::float_cmp, reason = "it is what was asked for")]
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::AtLeast => left >= right,
            Self::More => left > right,
            Self::AtMost => left <= right,
            Self::Less => left < right,
            Self::Equal => left == right,
        }
    }

    /// The probability that it holds, given that of the left side being more. That both are equal has none.
    fn probability(self, more: f64) -> f64 {
        match self {
            Self::AtLeast | Self::More => more,
            Self::AtMost | Self::Less => 1.0 - more,
            Self::Equal => 0.0,
        }
    }
}

/// What requirements are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Grounds<'g> {
    /// The standings.
    pub standings: &'g Standings,
    /// The sequential test of these games, if there is one.
    pub sprt: Option<&'g Progress>,
    /// How probable it has to be that a requirement on ratings holds, from 0 to 1; without it, the ratings themselves
    /// decide, as they are shown.
    pub confidence: Option<f64>,
}

/// A requirement and whether it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The requirement as it was written.
    pub requirement: String,
    /// Whether it holds.
    pub holds: bool,
    /// The values of both sides, or why they cannot be compared.
    pub figure: String,
    /// With ratings, how probable it is that it holds, from 0 to 1.
    pub probability: Option<f64>,
}

impl fmt::Display for Judged {
    /// One line: `held: alice > greedy (120.51 > -3.20, probability 98.7 %)`, or `NOT HELD: ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.holds { "held" } else { "NOT HELD" };
        write!(f, "{verdict}: {} ({}", self.requirement, self.figure)?;
        if let Some(probability) = self.probability {
            // What is rounded to all or nothing is neither.
            match probability {
                p if (0.9995..1.0).contains(&p) => f.write_str(", probability above 99.9 %")?,
                p if p > 0.0 && p < 0.0005 => f.write_str(", probability below 0.1 %")?,
                p => write!(f, ", probability {:.1} %", 100.0 * p)?,
            }
        }
        f.write_str(")")
    }
}

/// A requirement that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("character {at}: {problem}")]
pub struct RequirementError {
    /// Where in its text, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// Something else should stand there.
    #[error("expected {expected}")]
    Expected {
        /// What.
        expected: &'static str,
    },
    /// A quotation mark without its counterpart.
    #[error("the name that begins here has no end")]
    OpenQuote,
    /// Nobody has this name.
    #[error("no player is named `{name}` ({})", meant.as_ref().map_or_else(
        || format!("there are `{}`", players.join("`, `")),
        |meant| format!("did you mean `{meant}`?")
    ))]
    UnknownPlayer {
        /// The name.
        name: String,
        /// Who may be meant.
        meant: Option<String>,
        /// All players.
        players: Vec<String>,
    },
    /// There is no such key.
    #[error("`{key}` is no figure of a player ({})", meant.as_ref().map_or_else(
        || format!("there are `{}`", known.join("`, `")),
        |meant| format!("did you mean `{meant}`?")
    ))]
    UnknownKey {
        /// The key.
        key: String,
        /// Which may be meant.
        meant: Option<String>,
        /// All keys that there are.
        known: Vec<String>,
    },
    /// A key of an object.
    #[error("`{key}` is several figures: go on with `.{}`", known.join("`, `."))]
    Several {
        /// The key.
        key: String,
        /// The keys within it.
        known: Vec<String>,
    },
    /// A rating against another kind of figure.
    #[error("a rating can be compared with a rating or a number only")]
    RatingAgainstOther,
    /// A rating against a number, without a zero.
    #[error("`{player}` against a number needs a zero that means something: add `--anchor NAME=ELO`")]
    NoAnchor {
        /// Whose rating.
        player: String,
    },
    /// There is no sequential test.
    #[error("`sprt` needs to know what is tested: add `--sprt player=NAME,elo0=0,elo1=10`")]
    NoSprt,
}

impl Problem {
    const fn at(self, at: usize) -> RequirementError {
        RequirementError { at, problem: self }
    }
}

impl Requirement {
    /// Reads a requirement.
    ///
    /// # Errors
    /// Where it leaves the grammar at the head of this module.
    pub fn parse(text: &str) -> Result<Self, RequirementError> {
        parse::requirement(text)
    }

    /// The requirement as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Judges the requirement.
    ///
    /// # Errors
    /// When it names what is not there, or compares what cannot be compared.
    pub fn judge(&self, grounds: Grounds<'_>) -> Result<Judged, RequirementError> {
        let Self { text, claim } = self;
        let (holds, figure, probability) = match claim {
            Claim::Sprt(verdict) => {
                let test = grounds.sprt.ok_or_else(|| Problem::NoSprt.at(1))?;
                (test.verdict() == *verdict, test.to_string(), None)
            }
            Claim::Comparison { left, comparison, right } => {
                let (left_figure, right_figure) = (
                    Figure::of(left, grounds.standings)?,
                    match right {
                        Operand::Number(number) => Figure::Number(*number),
                        Operand::Term(term) => Figure::of(term, grounds.standings)?,
                    },
                );
                compare(left, &left_figure, *comparison, right, &right_figure, grounds)?
            }
        };
        Ok(Judged { requirement: text.clone(), holds, figure, probability })
    }
}

/// Whether a comparison holds, its figure, and the probability if it is of ratings.
type Compared = (bool, String, Option<f64>);

fn compare(
    left_term: &Term,
    left: &Figure,
    comparison: Comparison,
    right_operand: &Operand,
    right: &Figure,
    grounds: Grounds<'_>,
) -> Result<Compared, RequirementError> {
    let standings = grounds.standings;
    let shown = |left: &dyn fmt::Display, right: &dyn fmt::Display| format!("{left} {} {right}", comparison.name());
    let place = |term: &Term| term.player.at;
    let (row, other, lead, rating, bar) = match (left, right, right_operand) {
        (Figure::Missing(why), _, _) | (_, Figure::Missing(why), _) => return Ok((false, (*why).to_owned(), None)),
        (Figure::Number(left), Figure::Number(right), _) => {
            let figure = shown(&Plain(*left), &Plain(*right));
            return Ok((comparison.holds(*left, *right), figure, None));
        }
        (Figure::Elo(row), Figure::Elo(other), _) => {
            let (own, others) = (standings.rows()[*row].rating, standings.rows()[*other].rating);
            (*row, *other, 0.0, own, Bar::Rating(others))
        }
        (Figure::Elo(row), Figure::Number(number), Operand::Number(_)) => {
            let Some(anchor) = standings.anchor() else {
                return Err(Problem::NoAnchor { player: left_term.player.text.clone() }.at(place(left_term)));
            };
            let lead = number - anchor.elo.0;
            (*row, anchor_row(standings, anchor), lead, standings.rows()[*row].rating, Bar::Number(*number))
        }
        (Figure::Elo(_), Figure::Number(_), Operand::Term(term)) => {
            return Err(Problem::RatingAgainstOther.at(place(term)));
        }
        (Figure::Number(_), Figure::Elo(_), _) => return Err(Problem::RatingAgainstOther.at(place(left_term))),
    };
    let figure = match bar {
        Bar::Rating(others) => shown(&rating, &others),
        Bar::Number(number) => shown(&rating, &Plain(number)),
    };
    // As they are shown: to a hundredth.
    let by_estimate = comparison.holds(hundredths(rating.elo()), bar.hundredths());
    if row == other {
        // Nothing is uncertain about a player's lead over itself, and the anchor's rating is given.
        return Ok((by_estimate, figure, Some(f64::from(u8::from(by_estimate)))));
    }
    let Some(more) = standings.superiority_by(row, other, Elo(lead)) else {
        return Ok((false, format!("{figure}: the games do not compare them"), None));
    };
    let probability = comparison.probability(more);
    let pooled = standings.rows()[row].component == standings.rows()[other].component;
    let figure = if pooled { figure } else { format!("{figure}, which rests on the prior: not comparable by games") };
    let holds = grounds.confidence.map_or(by_estimate, |confidence| probability >= confidence);
    Ok((holds, figure, Some(probability)))
}

/// What a rating is compared with.
#[derive(Clone, Copy)]
enum Bar {
    Rating(crate::results::rating::Rating),
    Number(f64),
}

impl Bar {
    fn hundredths(self) -> f64 {
        match self {
            Self::Rating(rating) => hundredths(rating.elo()),
            Self::Number(number) => 100.0 * number,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact for any rating")]
fn hundredths(elo: Elo) -> f64 {
    elo.hundredths() as f64
}

/// The anchor is one of the rows, or there would be no standings.
fn anchor_row(standings: &Standings, anchor: &Anchor) -> usize {
    standings.rows().iter().position(|row| row.player == anchor.player).unwrap_or_default()
}

/// A number with as many decimals as it needs, six at most.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.6}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The known word that `text` is, or what to say of it.
fn unknown_player(word: &Word, standings: &Standings) -> RequirementError {
    let players: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    let meant = nearest(&word.text, players.iter().copied()).map(str::to_owned);
    let players = players.into_iter().map(str::to_owned).collect();
    Problem::UnknownPlayer { name: word.text.clone(), meant, players }.at(word.at)
}

fn unknown_key(word: &Word, known: &[&str]) -> RequirementError {
    let meant = nearest(&word.text, known.iter().copied()).map(str::to_owned);
    let known = known.iter().map(|&key| key.to_owned()).collect();
    Problem::UnknownKey { key: word.text.clone(), meant, known }.at(word.at)
}
