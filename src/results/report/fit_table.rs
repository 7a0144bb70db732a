//! How well the ratings explain the results.

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn};
use super::head_to_head_tables::{self, pairing_columns};
use super::text_table::Grid;
use crate::base::units::counted;
use crate::results::rating::{Goodness, HeadToHead};
use crate::results::standings::{Standings, worst_fitted};

/// The title of the table of the worst pairings.
pub(super) const TITLE: &str = "The pairings that the ratings predict worst";

/// The number of pairings in the table.
const WORST: usize = 5;

/// The p-value below which the notes say that the ratings do not explain the results.
pub(super) const DOUBTFUL: f64 = 0.01;

/// A column with a figure about the fit of the ratings.
type FitColumn<'s> = TableColumn<'s, Goodness>;

/// The figures for `standings`, whose pairings are `met`. They are the same for all players.
pub(super) fn columns<'s>(standings: &'s Standings, met: &'s [HeadToHead]) -> Vec<FitColumn<'s>> {
    let worst = move |_| {
        let columns = pairing_columns(standings);
        let worst = worst_fitted(met, WORST).into_iter();
        worst.map(|pairing| JsonObject::of(&columns, pairing).into()).collect::<Vec<TableCell<'_>>>()
    };
    vec![
        FitColumn::for_programs("chi_squared", |fit| RoundedFigure::to(4, fit.chi_squared)),
        FitColumn::in_json("pairings", |fit| fit.pairings),
        FitColumn::for_programs("degrees_of_freedom", |fit| fit.degrees),
        FitColumn::for_programs("p_value", |fit| fit.p_value.map(TableCell::PValue)),
        FitColumn::in_json("worst", worst),
    ]
}

/// The table of the pairings that the ratings predict worst.
pub(super) fn table(standings: &Standings, met: &[HeadToHead]) -> Grid {
    head_to_head_tables::table(standings, &worst_fitted(met, WORST))
}

/// The verdict on the ratings, one sentence per line.
pub(super) fn notes(goodness: &Goodness) -> Vec<String> {
    let Goodness { chi_squared, pairings, degrees, p_value } = goodness;
    let Some(p_value) = p_value else {
        let fitted = "and at least as many fitted values: no data is left to test the fit";
        return vec![format!("Fit: {}, {fitted}.", counted(*pairings as u64, "pairing"))];
    };
    let verdict = if *p_value < DOUBTFUL {
        "One number per player does not explain these results: trust head-to-head results more than differences in Elo."
    } else if *p_value > 1.0 - DOUBTFUL {
        "The results vary less than chance would predict, as they do if games repeat each other; see --distinct."
    } else {
        "The results are as scattered as the ratings predict."
    };
    let p_value = p_value_text(*p_value);
    let degrees = if *degrees == 1 { "1 degree".to_owned() } else { format!("{degrees} degrees") };
    vec![
        format!(
            "Fit: chi-squared {chi_squared:.2} over {} with {degrees} of freedom, {p_value}.",
            counted(*pairings as u64, "pairing")
        ),
        verdict.to_owned(),
    ]
}

/// The p-value for people: `p = 0.0321`.
pub(super) fn p_value_text(p_value: f64) -> String {
    let text = TableCell::PValue(p_value).text();
    if text.starts_with('<') { format!("p {text}") } else { format!("p = {text}") }
}
