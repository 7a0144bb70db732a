//! Whether a required relation between two figures holds.

use std::fmt;

use super::figure::Figure;
use super::{Grounds, Operand, Relation, RelationClaim, RequirementError, RequirementProblem};
use crate::results::rating::{Elo, Rating};
use crate::results::standings::{Anchor, Standings};

/// What judging a requirement found.
pub(super) struct JudgedFigure {
    pub(super) holds: bool,
    /// The values of both sides, or why they cannot be compared.
    pub(super) figure: String,
    /// With ratings, the probability that the requirement holds.
    pub(super) probability: Option<f64>,
}

impl JudgedFigure {
    /// A finding without any probability.
    pub(super) fn certain(holds: bool, figure: impl Into<String>) -> Self {
        Self { holds, figure: figure.into(), probability: None }
    }
}

/// The lead of one player over another that a requirement is about.
struct Lead<'s> {
    standings: &'s Standings,
    row: usize,
    other: usize,
    /// The lead must be greater than this.
    by: Elo,
    /// What the rating in `row` is compared with.
    bar: Bar,
}

/// What a rating is compared with.
#[derive(Clone, Copy)]
enum Bar {
    Rating(Rating),
    Number(f64),
}

impl RelationClaim {
    pub(super) fn judge(&self, grounds: Grounds<'_>) -> Result<JudgedFigure, RequirementError> {
        let standings = grounds.standings;
        let left = Figure::of(&self.left, standings)?;
        let right = match &self.right {
            Operand::Number(number) => Figure::Number(*number),
            Operand::Term(term) => Figure::of(term, standings)?,
        };
        match (left, right) {
            (Figure::Missing(why), _) | (_, Figure::Missing(why)) => Ok(JudgedFigure::certain(false, why)),
            (Figure::Number(left), Figure::Number(right)) => {
                let figure = self.relation.shown(&Plain(left), &Plain(right));
                Ok(JudgedFigure::certain(self.relation.holds(left, right), figure))
            }
            (Figure::Elo(row), Figure::Elo(other)) => {
                let bar = Bar::Rating(standings.rows()[other].rating);
                let lead = Lead { standings, row, other, by: Elo(0.0), bar };
                Ok(lead.judge(self.relation, grounds.confidence))
            }
            (Figure::Elo(row), Figure::Number(number)) => {
                Ok(self.lead_over(row, number, standings)?.judge(self.relation, grounds.confidence))
            }
            (Figure::Number(_), Figure::Elo(_)) => Err(RequirementProblem::RatingAgainstOther.at(self.left.player.at)),
        }
    }

    /// The lead of the player in `row` over `number`, as a lead over the anchor, whose rating is known.
    fn lead_over<'s>(&self, row: usize, number: f64, standings: &'s Standings) -> Result<Lead<'s>, RequirementError> {
        if let Operand::Term(term) = &self.right {
            return Err(RequirementProblem::RatingAgainstOther.at(term.player.at));
        }
        let player = &self.left.player;
        let Some(anchor) = standings.anchor() else {
            return Err(RequirementProblem::NoAnchor { player: player.text.clone() }.at(player.at));
        };
        let (other, by) = (anchor_row(standings, anchor), Elo(number - anchor.elo.0));
        Ok(Lead { standings, row, other, by, bar: Bar::Number(number) })
    }
}

impl Lead<'_> {
    fn judge(&self, relation: Relation, confidence: Option<f64>) -> JudgedFigure {
        let &Self { standings, row, other, by, bar } = self;
        let rating = standings.rows()[row].rating;
        let figure = match bar {
            Bar::Rating(others) => relation.shown(&rating, &others),
            Bar::Number(number) => relation.shown(&rating, &Plain(number)),
        };
        // Ratings count as they are shown: to a hundredth.
        let by_estimate = relation.holds(hundredths(rating.elo()), bar.hundredths());
        if row == other {
            // A player's lead over itself is certain, and so is the anchor's rating.
            return JudgedFigure { holds: by_estimate, figure, probability: Some(f64::from(u8::from(by_estimate))) };
        }
        let Some(more) = standings.superiority_by(row, other, by) else {
            return JudgedFigure::certain(false, format!("{figure}: the games do not compare them"));
        };
        let probability = relation.probability(more);
        let pooled = standings.rows()[row].component == standings.rows()[other].component;
        let figure =
            if pooled { figure } else { format!("{figure}, which rests on the prior: not comparable by games") };
        let holds = confidence.map_or(by_estimate, |confidence| probability >= confidence);
        JudgedFigure { holds, figure, probability: Some(probability) }
    }
}

impl Relation {
    /// Both values with the relation between them.
    fn shown(self, left: &dyn fmt::Display, right: &dyn fmt::Display) -> String {
        format!("{left} {self} {right}")
    }
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

/// The row of the anchor, which is a player, or there would be no standings.
fn anchor_row(standings: &Standings, anchor: &Anchor) -> usize {
    standings.rows().iter().position(|row| row.player == anchor.player).unwrap_or_default()
}

/// A number with as many decimals as it needs, at most six.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.6}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
