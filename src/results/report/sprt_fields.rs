//! The progress of a sequential test for scripts: an object in JSON and columns in CSV, with the same values for all players.

use serde::Serialize;

use super::head_to_head_tables::four_decimals;
use crate::results::standings::Test;
use crate::results::text_cell::text_cell;

/// The columns in CSV.
pub(super) const COLUMNS: [&str; 23] = [
    "sprt_player",
    "sprt_opponent",
    "sprt_elo0",
    "sprt_elo1",
    "sprt_alpha",
    "sprt_beta",
    "sprt_lower",
    "sprt_upper",
    "sprt_llr",
    "sprt_verdict",
    "sprt_final",
    "sprt_pairs",
    "sprt_distinct_pairs",
    "sprt_half_points_0",
    "sprt_half_points_1",
    "sprt_half_points_2",
    "sprt_half_points_3",
    "sprt_half_points_4",
    "sprt_normalized_elo",
    "sprt_normalized_elo_error95",
    "sprt_elo",
    "sprt_elo_low",
    "sprt_elo_high",
];

/// The object in JSON, the same in each player's.
#[derive(Serialize)]
pub(super) struct SprtObject<'t> {
    player: &'t str,
    opponent: &'t str,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    lower: f64,
    upper: f64,
    llr: f64,
    verdict: &'static str,
    /// Whether further pairs change nothing.
    r#final: bool,
    pairs: u64,
    distinct_pairs: u64,
    /// The distinct pairs in which the player had 0 to 4 half points.
    pentanomial: [u64; 5],
    normalized_elo: Option<f64>,
    normalized_elo_error95: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
}

impl<'t> From<&'t Test> for SprtObject<'t> {
    fn from(Test { player, opponent, progress }: &'t Test) -> Self {
        let (sprt, pairs) = (progress.sprt(), progress.pairs());
        let (normalized, lead) = (pairs.normalized_elo(), progress.lead());
        Self {
            player,
            opponent,
            elo0: sprt.elo0(),
            elo1: sprt.elo1(),
            alpha: sprt.alpha(),
            beta: sprt.beta(),
            lower: four_decimals(sprt.lower()),
            upper: four_decimals(sprt.upper()),
            llr: four_decimals(progress.llr()),
            verdict: progress.verdict().name(),
            r#final: progress.is_over(),
            pairs: progress.all_pairs(),
            distinct_pairs: pairs.pairs(),
            pentanomial: pairs.counts,
            normalized_elo: normalized.map(|normalized| hundredths(normalized.elo)),
            normalized_elo_error95: normalized.map(|normalized| hundredths(normalized.error95)),
            elo: lead.map(|lead| hundredths(lead.elo)),
            elo_low: lead.and_then(|lead| lead.low).map(hundredths),
            elo_high: lead.and_then(|lead| lead.high).map(hundredths),
        }
    }
}

/// The values of [`COLUMNS`].
pub(super) fn cells(test: &Test) -> Vec<String> {
    let object = SprtObject::from(test);
    let optional = |figure: Option<f64>| figure.map(|figure| figure.to_string()).unwrap_or_default();
    let mut cells = vec![text_cell(object.player).into_owned(), text_cell(object.opponent).into_owned()];
    let SprtObject { elo0, elo1, alpha, beta, lower, upper, llr, .. } = object;
    cells.extend([elo0, elo1, alpha, beta, lower, upper, llr].map(|figure| figure.to_string()));
    cells.extend([object.verdict.to_owned(), object.r#final.to_string()]);
    cells.extend([object.pairs, object.distinct_pairs].map(|count| count.to_string()));
    cells.extend(object.pentanomial.map(|count| count.to_string()));
    let SprtObject { normalized_elo, normalized_elo_error95, elo, elo_low, elo_high, .. } = object;
    cells.extend([normalized_elo, normalized_elo_error95, elo, elo_low, elo_high].map(optional));
    cells
}

fn hundredths(elo: f64) -> f64 {
    (elo * 100.0).round() / 100.0
}
