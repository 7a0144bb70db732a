//! How well the ratings explain the results: as text, as CSV columns and as a JSON object.

use serde::Serialize;

use super::head_to_head_tables::{self, PairingObject, four_decimals};
use super::text_table::Grid;
use crate::base::units::counted;
use crate::results::rating::{Goodness, HeadToHead};
use crate::results::standings::{Standings, worst_fitted};

/// The title of the table of the worst pairings.
pub(super) const TITLE: &str = "The pairings that the ratings predict worst";

/// How many pairings are named.
const WORST: usize = 5;

/// Below this p-value, the ratings are said not to explain the results.
pub(super) const DOUBTFUL: f64 = 0.01;

/// The columns in CSV; their values are the same for all players.
pub(super) const COLUMNS: [&str; 3] = ["fit_chi_squared", "fit_degrees_of_freedom", "fit_p_value"];

/// The object in JSON, the same in each player's.
#[derive(Serialize)]
pub(super) struct FitObject<'s> {
    chi_squared: f64,
    pairings: usize,
    degrees_of_freedom: u32,
    p_value: Option<f64>,
    worst: Vec<WorstObject<'s>>,
}

/// A pairing in [`FitObject`].
#[derive(Serialize)]
struct WorstObject<'s> {
    player: &'s str,
    opponent: &'s str,
    #[serde(flatten)]
    pairing: PairingObject,
}

/// The object of `standings`, whose pairings are `met`.
pub(super) fn object<'s>(standings: &'s Standings, met: &[HeadToHead]) -> FitObject<'s> {
    let Goodness { chi_squared, pairings, degrees, p_value } = standings.goodness(met);
    let name = |row: usize| standings.rows()[row].player.as_str();
    let worst = worst_fitted(met, WORST);
    let named = |pairing: &HeadToHead| WorstObject {
        player: name(pairing.player),
        opponent: name(pairing.other),
        pairing: pairing.into(),
    };
    FitObject {
        chi_squared: four_decimals(chi_squared),
        pairings,
        degrees_of_freedom: degrees,
        p_value: p_value.map(significant),
        worst: worst.iter().map(named).collect(),
    }
}

/// The values for [`COLUMNS`].
pub(super) fn fields(goodness: &Goodness) -> [String; COLUMNS.len()] {
    let p_value = goodness.p_value.map(|p| significant(p).to_string()).unwrap_or_default();
    [four_decimals(goodness.chi_squared).to_string(), goodness.degrees.to_string(), p_value]
}

/// The worst pairings.
pub(super) fn grid(standings: &Standings, met: &[HeadToHead]) -> Grid {
    head_to_head_tables::grid(standings, &worst_fitted(met, WORST))
}

/// The verdict, one sentence per line.
pub(super) fn notes(goodness: &Goodness) -> Vec<String> {
    let Goodness { chi_squared, pairings, degrees, p_value } = goodness;
    let Some(p_value) = p_value else {
        let fitted = "and at least as many fitted values: nothing is left to judge the fit by";
        return vec![format!("Fit: {}, {fitted}.", counted(*pairings as u64, "pairing"))];
    };
    let verdict = if *p_value < DOUBTFUL {
        "One number per player does not explain these results: trust head to head more than differences of Elo."
    } else if *p_value > 1.0 - DOUBTFUL {
        "The results vary less than chance would: games that repeat each other do that; see --distinct."
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
    if p_value < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p_value:.4}") }
}

/// Four significant digits, so that a small probability does not become zero.
pub(super) fn significant(p_value: f64) -> f64 {
    format!("{p_value:.3e}").parse().unwrap_or(p_value)
}
