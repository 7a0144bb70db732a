//! Figures that only a run has: the result according to the tournament's format, and the sequential test.

use super::figure::{Figure, count, only, whole};
use super::problem::{no_result, unknown_key};
use super::{RequirementError, RequirementProblem, Word};
use crate::results::format_result::{FormatResult, KnockoutPlace, KnockoutResult, SwissPlace, SwissResult};
use crate::results::standings::Standings;

/// The figures of a Swiss tournament's result.
const SWISS: [&str; 7] = ["final", "place", "points", "byes", "buchholz", "sonneborn_berger", "direct_encounter"];

/// The figures of a knockout's result.
const KNOCKOUT: [&str; 5] = ["final", "champion", "place", "seed", "last_round"];

/// The figures of a sequential test.
const SPRT: [&str; 15] = [
    "elo0",
    "elo1",
    "alpha",
    "beta",
    "lower",
    "upper",
    "llr",
    "final",
    "pairs",
    "distinct_pairs",
    "normalized_elo",
    "normalized_elo_error95",
    "elo",
    "elo_low",
    "elo_high",
];

/// The result of `player` according to the tournament's format.
pub(super) fn result(
    key: &Word,
    inner: &[Word],
    player: &str,
    standings: &Standings,
) -> Result<Figure, RequirementError> {
    match standings.run().result.as_ref() {
        Some(FormatResult::Swiss(swiss)) => of_swiss(only(key, inner, &SWISS)?, swiss, swiss.place(player)),
        Some(FormatResult::Knockout(knockout)) => {
            of_knockout(only(key, inner, &KNOCKOUT)?, knockout, knockout.place(player))
        }
        None => Err(no_result(&key.text, key.at)),
    }
}

fn of_swiss(word: &Word, swiss: &SwissResult, own: Option<&SwissPlace>) -> Result<Figure, RequirementError> {
    const LEVEL: &str = "no direct encounter decides between this player and others";

    if !SWISS.contains(&word.text.as_str()) {
        return Err(unknown_key(word, &SWISS));
    }
    let Some(own) = own else { return Ok(Figure::NO_PLACE) };
    let points = |half_points: u32| f64::from(half_points) / 2.0;
    Ok(match word.text.as_str() {
        "final" => whole(swiss.is_final.into()),
        "place" => count(own.place),
        "points" => Figure::Number(points(own.half_points)),
        "byes" => whole(own.byes.into()),
        "buchholz" => Figure::Number(points(own.buchholz)),
        #[expect(clippy::cast_precision_loss, reason = "exact for any number of rounds")]
        "sonneborn_berger" => Figure::Number(own.sonneborn_berger as f64 / 4.0),
        _ => Figure::or_missing(own.direct_encounter.map(points), LEVEL),
    })
}

fn of_knockout(
    word: &Word,
    knockout: &KnockoutResult,
    own: Option<&KnockoutPlace>,
) -> Result<Figure, RequirementError> {
    if !KNOCKOUT.contains(&word.text.as_str()) {
        return Err(unknown_key(word, &KNOCKOUT));
    }
    let Some(own) = own else { return Ok(Figure::NO_PLACE) };
    Ok(match word.text.as_str() {
        "final" => whole(knockout.champion.is_some().into()),
        "champion" => whole((knockout.champion.as_ref() == Some(&own.player)).into()),
        "place" => own.place.map_or(Figure::Missing("the player is still in the tournament"), count),
        "seed" => count(own.seed),
        _ => count(own.round),
    })
}

/// The progress of the sequential test.
pub(super) fn sprt(key: &Word, inner: &[Word], standings: &Standings) -> Result<Figure, RequirementError> {
    const ALIKE: &str = "no pair counts, or all pairs have the same score";
    const NO_END: &str = "the interval is unbounded at this end";

    let word = only(key, inner, &SPRT)?;
    let Some(test) = &standings.run().test else { return Err(RequirementProblem::NoSprt.at(key.at)) };
    let (progress, question, pairs) = (test.progress, test.progress.sprt(), test.progress.pairs());
    let (normalized, lead) = (pairs.normalized_elo(), progress.lead());
    Ok(match word.text.as_str() {
        "elo0" => Figure::Number(question.elo0()),
        "elo1" => Figure::Number(question.elo1()),
        "alpha" => Figure::Number(question.alpha()),
        "beta" => Figure::Number(question.beta()),
        "lower" => Figure::Number(question.lower()),
        "upper" => Figure::Number(question.upper()),
        "llr" => Figure::Number(progress.llr()),
        "final" => whole(progress.is_over().into()),
        "pairs" => whole(progress.all_pairs()),
        "distinct_pairs" => whole(pairs.pairs()),
        "normalized_elo" => Figure::or_missing(normalized.map(|normalized| normalized.elo), ALIKE),
        "normalized_elo_error95" => Figure::or_missing(normalized.map(|normalized| normalized.error95), ALIKE),
        "elo" => Figure::or_missing(lead.map(|lead| lead.elo), ALIKE),
        "elo_low" => lead.map_or(Figure::Missing(ALIKE), |lead| Figure::or_missing(lead.low, NO_END)),
        "elo_high" => lead.map_or(Figure::Missing(ALIKE), |lead| Figure::or_missing(lead.high, NO_END)),
        _ => return Err(unknown_key(word, &SPRT)),
    })
}
