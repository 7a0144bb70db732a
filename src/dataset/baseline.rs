//! How accurate simple predictions of the margin are.

use super::example::{DatasetExample, SplitName, own};
use super::move_places::POINTS;

/// How far predictions of margins are from the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PredictionErrors {
    /// The number of predictions.
    pub count: u32,
    /// The number of predictions with the right sign.
    pub right: u32,
    /// The number of predictions whose true margin is known. `distance` is the sum of their absolute errors.
    pub with_margin: u32,
    /// See `with_margin`.
    pub distance: f64,
}

impl PredictionErrors {
    /// Adds a prediction for a position with this winner and margin. A prediction between -0.5 and 0.5 counts as a
    /// draw.
    pub fn add(&mut self, predicted: f64, winner: i8, margin: Option<i8>) {
        self.count += 1;
        let sign = i8::from(predicted >= 0.5) - i8::from(predicted <= -0.5);
        self.right += u32::from(sign == winner);
        if let Some(margin) = margin {
            self.with_margin += 1;
            self.distance += (predicted - f64::from(margin)).abs();
        }
    }

    /// The mean absolute error, in stones; `None` if no true margin is known.
    pub fn mean(&self) -> Option<f64> {
        (self.with_margin > 0).then(|| self.distance / f64::from(self.with_margin))
    }

    /// The share of predictions with the right winner.
    pub fn accuracy(&self) -> f64 {
        f64::from(self.right) / f64::from(self.count.max(1))
    }
}

/// A simple prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimplePrediction {
    /// Every position is drawn.
    Draw,
    /// The margin is the lead on the board.
    Stones,
    /// The margin is a linear function of the 25 points, fitted to the training examples.
    Linear,
}

impl SimplePrediction {
    /// All simple predictions, with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Draw, "always a draw"), (Self::Stones, "the lead on the board"), (Self::Linear, "linear on 25 points")];

    /// The errors on the test examples.
    pub fn errors(self, examples: &[DatasetExample]) -> PredictionErrors {
        let weights = if self == Self::Linear { fitted(examples) } else { [0.0; INPUTS] };
        let mut errors = PredictionErrors::default();
        for example in examples.iter().filter(|example| example.split == SplitName::Test) {
            let inputs = inputs(example);
            let predicted = match self {
                Self::Draw => 0.0,
                Self::Stones => inputs[..POINTS].iter().sum(),
                Self::Linear => inputs.iter().zip(weights).map(|(input, weight)| input * weight).sum(),
            };
            errors.add(predicted, example.label.winner, example.label.margin);
        }
        errors
    }
}

/// The number of inputs: the points, and a constant.
const INPUTS: usize = POINTS + 1;

/// The value added to the sums of squares of the inputs, so that the equations have a solution however few examples
/// there are.
const RIDGE: f64 = 1e-3;

fn inputs(example: &DatasetExample) -> [f64; INPUTS] {
    let mut inputs = [1.0; INPUTS];
    inputs.iter_mut().zip(own(&example.game)).for_each(|(input, value)| *input = value.into());
    inputs
}

/// The weights with the least sum of squared errors on the training examples. The target is the margin or, if it is
/// unknown, the winner.
fn fitted(examples: &[DatasetExample]) -> [f64; INPUTS] {
    let mut equations = [[0.0; INPUTS + 1]; INPUTS];
    for (row, equation) in equations.iter_mut().enumerate() {
        equation[row] = RIDGE;
    }
    for example in examples.iter().filter(|example| example.split == SplitName::Train) {
        let inputs = inputs(example);
        let target = f64::from(example.label.margin.unwrap_or(example.label.winner));
        for (equation, input) in equations.iter_mut().zip(inputs) {
            for (cell, other) in equation.iter_mut().zip(inputs.into_iter().chain([target])) {
                *cell += input * other;
            }
        }
    }
    solution(&mut equations)
}

/// Solves equations whose matrix is positive definite, so no rows have to be exchanged.
fn solution(equations: &mut [[f64; INPUTS + 1]; INPUTS]) -> [f64; INPUTS] {
    for pivot in 0..INPUTS {
        let scale = equations[pivot][pivot];
        equations[pivot].iter_mut().for_each(|cell| *cell /= scale);
        let own = equations[pivot];
        for (_, equation) in equations.iter_mut().enumerate().filter(|&(row, _)| row != pivot) {
            let factor = equation[pivot];
            equation.iter_mut().zip(own).for_each(|(cell, value)| *cell -= factor * value);
        }
    }
    equations.map(|equation| equation[INPUTS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let mut equations = [[0.0; INPUTS + 1]; INPUTS];
        for (row, equation) in (0_u8..).zip(&mut equations) {
            equation[usize::from(row)] = 2.0;
            equation[INPUTS] = f64::from(row);
        }
        equations[0][1] = 1.0;
        equations[1][0] = 1.0;
        let found = solution(&mut equations);
        assert!((2.0 * found[0] + found[1]).abs() < 1e-9 && (found[0] + 2.0 * found[1] - 1.0).abs() < 1e-9);
        assert!((found[25] - 12.5).abs() < 1e-9);
    }

    #[test]
    fn a_prediction_is_right_if_its_sign_is() {
        let mut errors = PredictionErrors::default();
        errors.add(3.0, 1, Some(5));
        errors.add(0.4, 0, Some(0));
        errors.add(-0.5, 1, None);
        assert_eq!((errors.count, errors.right, errors.with_margin), (3, 2, 2));
        assert!((errors.mean().expect("margins") - 1.2).abs() < 1e-9);
    }
}
