//! Numbers that are rounded differently for programs and for people.

use crate::base::digits::rounded;
use crate::results::rating::Elo;

/// A number that is rounded differently for programs and for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::results::report) struct RoundedFigure {
    value: f64,
    /// The decimals for programs.
    places: u8,
    /// Whether CSV shows all of these decimals, including trailing zeros.
    is_padded: bool,
    look: FigureLook,
}

/// How a figure is shown to people.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FigureLook {
    Decimals(usize),
    /// With two decimals and a sign; a zero has no sign.
    Signed,
    /// In percent, followed by this unit, which is empty if the table's title contains it.
    Percent(&'static str),
}

impl RoundedFigure {
    /// `value` with `places` decimals for programs, and two for people.
    pub(in crate::results::report) const fn to(places: u8, value: f64) -> Self {
        Self { value, places, is_padded: false, look: FigureLook::Decimals(2) }
    }

    /// This figure with `decimals` for people.
    pub(in crate::results::report) const fn shown_to(self, decimals: usize) -> Self {
        Self { look: FigureLook::Decimals(decimals), ..self }
    }

    /// This figure as a difference.
    pub(in crate::results::report) const fn signed(self) -> Self {
        Self { look: FigureLook::Signed, ..self }
    }

    /// This figure as a share: `91.8%` for people.
    pub(in crate::results::report) const fn share(self) -> Self {
        Self { look: FigureLook::Percent("%"), ..self }
    }

    /// This figure as a share in a table whose title says that it is in %: `91.8` for people.
    pub(in crate::results::report) const fn percentage(self) -> Self {
        Self { look: FigureLook::Percent(""), ..self }
    }

    /// This figure with trailing zeros in CSV.
    pub(in crate::results::report) const fn padded(self) -> Self {
        Self { is_padded: true, ..self }
    }

    pub(super) fn rounded(self) -> f64 {
        rounded(self.value, self.places)
    }

    pub(super) fn csv(self) -> String {
        let places = usize::from(self.places);
        if self.is_padded { format!("{:.places$}", self.rounded()) } else { self.rounded().to_string() }
    }

    pub(super) fn text(self) -> String {
        match self.look {
            FigureLook::Decimals(decimals) => format!("{:.decimals$}", self.value),
            // `Elo` is displayed with the sign that differences need.
            FigureLook::Signed => format!("{:+.2}", Elo(self.value)),
            FigureLook::Percent(unit) => format!("{:.1}{unit}", 100.0 * self.value),
        }
    }
}
