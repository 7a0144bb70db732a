//! The ratings that are parameters of a fit, and the anchors' other requirements.

use super::anchors::Tie;
use super::pair_results::Field;
use crate::base::matrix::Matrix;

/// The parameters of the players. All fixed anchors share one parameter, because the differences between their ratings
/// are known.
pub(super) struct Ties {
    /// For each player, the index of its parameter, and how far the player is above it, in logits.
    of_player: Vec<(usize, f64)>,
    /// The number of parameters.
    pub(super) count: usize,
    /// The observations of differences that come from loose anchors.
    pub(super) links: Vec<Link>,
}

/// An observation of the difference between two parameters.
pub(super) struct Link {
    pub(super) high: usize,
    pub(super) low: usize,
    pub(super) gap: f64,
    pub(super) precision: f64,
}

impl Ties {
    pub(super) fn of(field: &Field) -> Self {
        let fixed: Vec<&Tie> = field.ties.iter().filter(|tie| tie.sd.is_none()).collect();
        let mut of_player = Vec::with_capacity(field.names.len());
        let (mut count, mut shared) = (0, None);
        for player in 0..field.names.len() {
            let tie = fixed.iter().find(|tie| tie.player == player);
            let (parameter, above) = match (tie, shared) {
                (Some(tie), Some((parameter, first))) => (parameter, tie.value - first),
                _ => (count, 0.0),
            };
            if let (Some(tie), None) = (tie, shared) {
                shared = Some((parameter, tie.value));
            }
            count = count.max(parameter + 1);
            of_player.push((parameter, above));
        }
        let links = links(&field.ties, &of_player);
        Self { of_player, count, links }
    }

    pub(super) const fn players(&self) -> usize {
        self.of_player.len()
    }

    pub(super) fn parameter(&self, player: usize) -> usize {
        self.of_player[player].0
    }

    /// Returns how far `player` is above its parameter.
    pub(super) fn above(&self, player: usize) -> f64 {
        self.of_player[player].1
    }

    /// Converts values, which begin with those of the players, to parameters.
    pub(super) fn contract(&self, values: &[f64]) -> Vec<f64> {
        let mut parameters = vec![0.0; self.count];
        for (&(parameter, above), value) in self.of_player.iter().zip(values) {
            parameters[parameter] = value - above;
        }
        parameters.extend(&values[self.of_player.len()..]);
        parameters
    }

    /// Undoes [`Ties::contract`].
    pub(super) fn expand(&self, parameters: &[f64]) -> Vec<f64> {
        let players = self.of_player.iter().map(|&(parameter, above)| parameters[parameter] + above);
        players.chain(parameters[self.count..].iter().copied()).collect()
    }

    /// Converts the covariance of the parameters to that of the values.
    pub(super) fn expand_covariance(&self, parameters: Matrix) -> Matrix {
        if self.count == self.players() {
            return parameters;
        }
        let further = self.count..parameters.size();
        let of_value: Vec<usize> = self.of_player.iter().map(|&(parameter, _)| parameter).chain(further).collect();
        let mut values = Matrix::zeros(of_value.len());
        for (i, &row) in of_value.iter().enumerate() {
            for (j, &column) in of_value.iter().enumerate() {
                values.add(i, j, parameters.at(row, column));
            }
        }
        values
    }
}

/// Eliminates the zero point. If there is a fixed anchor, each loose anchor is an observation of the difference between
/// it and the fixed anchor; otherwise, each pair of loose anchors is an observation of the difference between the two:
/// `sum w (y - mean y)^2` is `sum w_a w_b / sum w (y_a - y_b)^2` over all pairs.
fn links(ties: &[Tie], of_player: &[(usize, f64)]) -> Vec<Link> {
    // A loose anchor has its own parameter, and the first fixed anchor determines the position of the shared parameter.
    let link = |one: &Tie, other: &Tie, precision: f64| {
        let (high, low) = (of_player[one.player].0, of_player[other.player].0);
        Link { high, low, gap: one.value - other.value, precision }
    };
    let loose: Vec<(&Tie, f64)> = ties.iter().filter_map(|tie| Some((tie, tie.precision()?))).collect();
    if let Some(fixed) = ties.iter().find(|tie| tie.sd.is_none()) {
        return loose.into_iter().map(|(tie, precision)| link(tie, fixed, precision)).collect();
    }
    let total: f64 = loose.iter().map(|(_, precision)| precision).sum();
    let pairs = loose.iter().enumerate().flat_map(|(i, one)| loose[i + 1..].iter().map(move |other| (one, other)));
    pairs.map(|((one, p), (other, q))| link(one, other, p * q / total)).collect()
}
