//! Differences in strength on the 400-point scale, and fitted ratings.

use std::fmt;

/// One Elo in units of the models' exponent: `ln 10 / 400`.
pub(super) const LOGITS_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// A difference in strength on the 400-point scale: a player that is stronger by 400 points scores ten times as much as
/// its opponent (in the `bt-half` model; Davidson's scale is wider; see [`super::Model`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    pub(in crate::results) fn from_logits(logits: f64) -> Self {
        Self(logits / LOGITS_PER_ELO)
    }

    pub(in crate::results) fn logits(self) -> f64 {
        self.0 * LOGITS_PER_ELO
    }

    /// Returns the value in hundredths, rounded, which is shown in files and used for ordering players.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any rating")]
    pub fn hundredths(self) -> i64 {
        (self.0 * 100.0).round() as i64
    }
}

impl fmt::Display for Elo {
    /// Writes two decimals, or as many as the format's precision demands; zero has no sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(2);
        let text = format!("{:.decimals$}", self.0);
        let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        let text = if is_zero { text.trim_start_matches('-') } else { &text };
        if f.sign_plus() && self.0 > 0.0 && !is_zero { write!(f, "+{text}") } else { f.write_str(text) }
    }
}

/// A fitted value, which may be unbounded without a prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// The value that fits best.
    Finite(Elo),
    /// The value has no upper bound: the higher, the better the fit. The number is the fit with the weak prior.
    Above(Elo),
    /// The value has no lower bound: the lower, the better the fit. The number is the fit with the weak prior.
    Below(Elo),
}

impl Rating {
    /// Returns the number, even if it only represents a bound.
    pub const fn elo(self) -> Elo {
        match self {
            Self::Finite(elo) | Self::Above(elo) | Self::Below(elo) => elo,
        }
    }

    /// Returns the number if it is the value that fits best.
    pub const fn finite(self) -> Option<Elo> {
        match self {
            Self::Finite(elo) => Some(elo),
            Self::Above(_) | Self::Below(_) => None,
        }
    }

    /// Returns this rating, increased by `by`.
    pub(super) fn shifted(self, by: f64) -> Self {
        let shift = |elo: Elo| Elo(elo.0 + by);
        match self {
            Self::Finite(elo) => Self::Finite(shift(elo)),
            Self::Above(elo) => Self::Above(shift(elo)),
            Self::Below(elo) => Self::Below(shift(elo)),
        }
    }
}

impl fmt::Display for Rating {
    /// Writes `12.34`, `> 12.34` or `< 12.34`, with two decimals, or as many as the format's precision demands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite(_) => {}
            Self::Above(_) => f.write_str("> ")?,
            Self::Below(_) => f.write_str("< ")?,
        }
        fmt::Display::fmt(&self.elo(), f)
    }
}
