//! The models' probabilities of a game's three results.

/// The probabilities of a game's three results, from black's point of view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    pub(super) win: f64,
    pub(super) draw: f64,
    pub(super) loss: f64,
}

impl Chances {
    /// Returns probabilities in the ratio `e^(d/2) : nu : e^(-d/2)`.
    pub(super) fn davidson(d: f64, nu: f64) -> Self {
        if nu.is_infinite() {
            return Self { win: 0.0, draw: 1.0, loss: 0.0 };
        }
        // The exponents are relative to the larger one, so that nothing overflows.
        let equal = (-d.abs() / 2.0).exp();
        let (more, draw, less) = (1.0, nu * equal, equal * equal);
        let sum = more + draw + less;
        let (more, draw, less) = (more / sum, draw / sum, less / sum);
        if d >= 0.0 { Self { win: more, draw, loss: less } } else { Self { win: less, draw, loss: more } }
    }

    /// Returns probabilities with the expected score `E = 1 / (1 + e^-d)` and `D = nu sqrt(W L)`.
    pub(super) fn bt_half(d: f64, nu: f64) -> Self {
        Self::davidson(d, 0.0).with_draws(nu)
    }

    /// Returns probabilities with the same expected score as `self`, which has no draws, and with `D = nu sqrt(W L)`,
    /// which is a quadratic equation in `D`.
    pub(super) fn with_draws(self, nu: f64) -> Self {
        let Self { win: score, loss: missed, .. } = self;
        let most = 2.0 * score.min(missed);
        let c = nu * nu * score * missed;
        let draw = if nu.is_infinite() {
            most
        } else if c == 0.0 {
            0.0
        } else {
            let (a, b) = (1.0 - nu * nu / 4.0, nu * nu / 2.0);
            let root = (b * b + 4.0 * a * c).max(0.0).sqrt();
            (2.0 * c / (b + root)).min(most)
        };
        Self { win: score - draw / 2.0, draw, loss: missed - draw / 2.0 }
    }

    /// Returns `Var s = (W + L - (W - L)^2) / 4`, in a form without cancellation near 0 and 1.
    pub(super) fn score_variance(self) -> f64 {
        self.win * self.loss + self.draw * (self.win + self.loss) / 4.0
    }
}
