//! Checks whether a required relation between two figures is true.

use std::fmt;

use super::figure::Figure;
use super::{
    Grounds, Operand, RatedField, Relation, RelationClaim, RequirementError, RequirementProblem, Term, of_group,
    of_player,
};
use crate::results::rating::{Basis, Elo, Rating};

/// The outcome of judging a requirement.
pub(super) struct JudgedFigure {
    pub(super) holds: bool,
    /// The values of both sides, or why they cannot be compared.
    pub(super) figure: String,
    /// For ratings, the probability that the requirement is met.
    pub(super) probability: Option<f64>,
}

impl JudgedFigure {
    /// An outcome without a probability.
    pub(super) fn certain(holds: bool, figure: impl Into<String>) -> Self {
        Self { holds, figure: figure.into(), probability: None }
    }
}

/// The comparison that a requirement makes between a player's rating and a bar.
struct Lead<'s> {
    standings: RatedField<'s>,
    row: usize,
    rating: Rating,
    bar: Bar,
}

/// The right-hand side of a comparison with a rating.
#[derive(Clone, Copy)]
enum Bar {
    /// The player in a row, and its rating.
    Player(usize, Rating),
    Number(f64),
}

impl RelationClaim {
    pub(super) fn judge(&self, grounds: Grounds<'_>) -> Result<JudgedFigure, RequirementError> {
        let mut judged = self.judge_figures(grounds)?;
        let result = grounds.standings.run().result.as_ref();
        if self.is_about_the_result() && result.is_some_and(|result| !result.is_final()) {
            judged.figure.push_str(": the tournament is not over");
        }
        Ok(judged)
    }

    /// Whether one of the figures comes from the result according to the tournament's format.
    fn is_about_the_result(&self) -> bool {
        let of_result = |term: &Term| term.keys.first().is_some_and(|key| key.text == "result");
        of_result(&self.left) || matches!(&self.right, Operand::Term(term) if of_result(term))
    }

    fn judge_figures(&self, grounds: Grounds<'_>) -> Result<JudgedFigure, RequirementError> {
        let standings = grounds.standings;
        let left = figure(&self.left, standings)?;
        let right = match &self.right {
            Operand::Number(number) => Figure::Number(*number),
            Operand::Term(term) => figure(term, standings)?,
        };
        match (left, right) {
            (Figure::Missing(why), _) | (_, Figure::Missing(why)) => Ok(JudgedFigure::certain(false, why)),
            (Figure::Number(left), Figure::Number(right)) | (Figure::OnScale(left), Figure::OnScale(right)) => {
                Ok(self.relation.compared(left, right))
            }
            (Figure::OnScale(left), Figure::Number(right)) => {
                self.refuse_without_zero(standings)?;
                Ok(self.relation.compared(left, right))
            }
            (Figure::Elo(row, rating), Figure::Elo(other, others)) => {
                let lead = Lead { standings, row, rating, bar: Bar::Player(other, others) };
                Ok(lead.judge(self.relation, grounds.confidence))
            }
            (Figure::Elo(row, rating), Figure::Number(number)) => {
                self.refuse_without_zero(standings)?;
                let lead = Lead { standings, row, rating, bar: Bar::Number(number) };
                Ok(lead.judge(self.relation, grounds.confidence))
            }
            (Figure::Elo(..), Figure::OnScale(_))
            | (Figure::OnScale(_), Figure::Elo(..))
            | (Figure::Number(_), Figure::Elo(..) | Figure::OnScale(_)) => {
                Err(RequirementProblem::RatingAgainstOther.at(self.left.player.at))
            }
        }
    }

    /// Checks that a rating, or a figure on its scale, may be compared with the right-hand side, which must be a number
    /// and not a player's figure, and that an anchor fixes the zero point.
    fn refuse_without_zero(&self, standings: RatedField<'_>) -> Result<(), RequirementError> {
        if let Operand::Term(term) = &self.right {
            return Err(RequirementProblem::RatingAgainstOther.at(term.player.at));
        }
        let player = &self.left.player;
        if standings.anchors().is_empty() {
            let keys = self.left.keys.iter().map(|key| key.text.as_str());
            let figure: Vec<&str> = std::iter::once(player.text.as_str()).chain(keys).collect();
            return Err(RequirementProblem::NoAnchor { figure: figure.join(".") }.at(player.at));
        }
        Ok(())
    }
}

/// The value of `term`.
fn figure(term: &Term, standings: RatedField<'_>) -> Result<Figure, RequirementError> {
    match standings {
        RatedField::Pairs(standings) => of_player::figure(term, standings),
        RatedField::Groups(standings) => of_group::figure(term, standings),
    }
}

impl Lead<'_> {
    fn judge(&self, relation: Relation, confidence: Option<f64>) -> JudgedFigure {
        let &Self { standings, row, rating, bar } = self;
        let figure = match bar {
            Bar::Player(_, others) => relation.shown(&rating, &others),
            Bar::Number(number) => relation.shown(&rating, &Plain(number)),
        };
        // Ratings are compared as displayed: to a hundredth.
        let by_estimate = relation.holds(hundredths(rating.elo()), bar.hundredths());
        if self.is_certain() {
            return JudgedFigure { holds: by_estimate, figure, probability: Some(f64::from(u8::from(by_estimate))) };
        }
        let more = match bar {
            Bar::Player(other, _) => standings.superiority(row, other),
            Bar::Number(number) => standings.superiority_over(row, Elo(number)),
        };
        let Some(more) = more else {
            let figure = format!("{figure}: the games do not link these players, so they cannot be compared");
            return JudgedFigure::certain(false, figure);
        };
        let probability = relation.probability(more);
        let figure = if self.is_compared() {
            figure
        } else {
            format!("{figure}, which depends on the prior: the games do not link these players")
        };
        let holds = confidence.map_or(by_estimate, |confidence| probability >= confidence);
        JudgedFigure { holds, figure, probability: Some(probability) }
    }

    /// Whether there is nothing to estimate: a player's lead over itself, or the rating of the only anchor.
    fn is_certain(&self) -> bool {
        match self.bar {
            Bar::Player(other, _) => self.row == other,
            Bar::Number(_) => {
                let player = self.standings.player(self.row);
                self.standings.anchors().iter().any(|anchor| anchor.player == player && anchor.deviation.is_none())
            }
        }
    }

    /// Whether the two sides are compared by games, and not only by the prior.
    fn is_compared(&self) -> bool {
        match self.bar {
            Bar::Player(other, _) => self.standings.component(self.row) == self.standings.component(other),
            Bar::Number(_) => self.standings.basis(self.row) == Basis::Games,
        }
    }
}

impl Relation {
    /// Judges two exact values.
    fn compared(self, left: f64, right: f64) -> JudgedFigure {
        JudgedFigure::certain(self.holds(left, right), self.shown(&Plain(left), &Plain(right)))
    }

    /// Both values with the relation between them.
    fn shown(self, left: &dyn fmt::Display, right: &dyn fmt::Display) -> String {
        format!("{left} {self} {right}")
    }
}

impl Bar {
    fn hundredths(self) -> f64 {
        match self {
            Self::Player(_, rating) => hundredths(rating.elo()),
            Self::Number(number) => 100.0 * number,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact for any rating")]
fn hundredths(elo: Elo) -> f64 {
    elo.hundredths() as f64
}

/// A number with as many decimals as it needs, at most six.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.6}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
