//! The figures of the additional tables of standings: rank chances, head to head, and the fit.

use std::time::Duration;

use super::RequirementError;
use super::Word;
use super::figure::{Figure, count, known_row, names, only, whole};
use super::problem::{no_inner, several, unknown_key};
use crate::base::sanitise::sanitised;
use crate::results::rating::{Goodness, RankChances};
use crate::results::standings::Standings;

/// The figures of the rank chances.
pub(super) const RANKS: [&str; 3] = ["first_probability", "best", "worst"];

/// The figures of the fit.
const FIT: [&str; 4] = ["chi_squared", "pairings", "degrees_of_freedom", "p_value"];

/// The word for the figures of machines. It is used in the position of a player's name.
pub(super) const WORKERS: &str = "workers";

/// The figure for all machines: how many of them differ from the others.
const DIFFERING: &str = "differing";

/// The figures of a machine.
const MACHINE: [&str; 13] = [
    "speed",
    "games",
    "voids",
    "time_losses",
    "idle_time_losses",
    "late_seconds",
    "latest_seconds",
    "rated",
    "chi_squared",
    "degrees_of_freedom",
    "p_value",
    "strangest_excess",
    "differs",
];

/// Why a machine's results cannot be compared with those of the other machines.
const ALONE: &str = "the games on other machines do not link its players";

/// The figures of a pairing.
const PAIRING: [&str; 8] = ["games", "wins", "draws", "losses", "score", "expected", "difference", "deviation"];

/// The rank chances of the player in `row`.
pub(super) fn ranks(key: &Word, inner: &[Word], row: usize, standings: &Standings) -> Result<Figure, RequirementError> {
    rank_chance(only(key, inner, &RANKS)?, row, standings.rank_chances().as_deref())
}

/// The figure `word` among the rank chances of the player in `row`; `chances` contains those of all players with a
/// rank.
pub(super) fn rank_chance(
    word: &Word,
    row: usize,
    chances: Option<&[RankChances]>,
) -> Result<Figure, RequirementError> {
    if !RANKS.contains(&word.text.as_str()) {
        return Err(unknown_key(word, &RANKS));
    }
    let Some(chances) = chances else {
        return Ok(Figure::Missing("the games do not link all players, so they cannot be compared"));
    };
    let Some(own) = chances.get(row) else { return Ok(Figure::NO_RANK) };
    Ok(match word.text.as_str() {
        "first_probability" => Figure::Number(own.first),
        "best" => count(own.best),
        _ => count(own.worst),
    })
}

/// How well the ratings explain the results.
pub(super) fn fit(key: &Word, inner: &[Word], standings: &Standings) -> Result<Figure, RequirementError> {
    let word = only(key, inner, &FIT)?;
    let Goodness { chi_squared, pairings, degrees, p_value } = standings.goodness(&standings.head_to_head());
    match word.text.as_str() {
        "chi_squared" => Ok(Figure::Number(chi_squared)),
        "pairings" => Ok(count(pairings)),
        "degrees_of_freedom" => Ok(Figure::Number(f64::from(degrees))),
        "p_value" => Ok(Figure::or_missing(p_value, "the fit has no degrees of freedom")),
        _ => Err(unknown_key(word, &FIT)),
    }
}

/// A figure of a machine, or how many machines differ from the others.
pub(super) fn workers(key: &Word, inner: &[Word], standings: &Standings) -> Result<Figure, RequirementError> {
    let rows = standings.machines().unwrap_or_default();
    let machines: Vec<String> = rows.iter().map(|row| sanitised(row.machine.name())).collect();
    let names: Vec<&str> = std::iter::once(DIFFERING).chain(machines.iter().map(String::as_str)).collect();
    let Some((machine, inner)) = inner.split_first() else { return Err(several(key, &names)) };
    // A worker may have any name, even the name that stands for the coordinator here.
    let meant = rows.iter().rev().find(|row| row.machine.name() == machine.text);
    let Some(row) = meant else {
        return match (machine.text.as_str(), inner.first()) {
            (DIFFERING, None) => Ok(count(rows.iter().filter(|row| row.fit.differs).count())),
            (DIFFERING, Some(further)) => Err(no_inner(further)),
            _ => Err(unknown_key(machine, &names)),
        };
    };
    let word = only(machine, inner, &MACHINE)?;
    let seconds = |time: Option<Duration>| {
        Figure::or_missing(time.map(|time| time.as_secs_f64()), "no game on this machine records the arena's lateness")
    };
    Ok(match word.text.as_str() {
        "speed" => row.speed.map_or(Figure::Missing("its speed is not known"), |speed| whole(speed.nodes_per_second())),
        "games" => whole(row.games),
        "voids" => whole(row.voids),
        "time_losses" => whole(row.time_losses),
        "idle_time_losses" => whole(row.idle_time_losses),
        "late_seconds" => seconds(row.late),
        "latest_seconds" => seconds(row.latest),
        "rated" => whole(row.fit.games),
        "chi_squared" => Figure::Number(row.fit.chi_squared),
        "degrees_of_freedom" => whole(row.fit.degrees.into()),
        "p_value" => Figure::or_missing(row.fit.p_value, ALONE),
        "strangest_excess" => Figure::or_missing(row.strangest.as_ref().map(|(_, excess)| *excess), ALONE),
        "differs" => whole(row.fit.differs.into()),
        _ => return Err(unknown_key(word, &MACHINE)),
    })
}

/// The games of the player in `row` against an opponent.
pub(super) fn head_to_head(
    key: &Word,
    inner: &[Word],
    row: usize,
    standings: &Standings,
) -> Result<Figure, RequirementError> {
    let Some((opponent, inner)) = inner.split_first() else { return Err(several(key, &names(standings))) };
    let other = known_row(opponent, standings)?;
    let word = only(opponent, inner, &PAIRING)?;
    if !PAIRING.contains(&word.text.as_str()) {
        return Err(unknown_key(word, &PAIRING));
    }
    let met = standings.head_to_head();
    let both_ways = met.iter().flat_map(|pairing| [*pairing, pairing.reversed()]);
    let Some(own) = both_ways.into_iter().find(|pairing| (pairing.player, pairing.other) == (row, other)) else {
        return Ok(Figure::Missing("they have played no rated games against each other"));
    };
    Ok(match word.text.as_str() {
        "games" => whole(own.games.games()),
        "wins" => whole(own.games.wins),
        "draws" => whole(own.games.draws),
        "losses" => whole(own.games.losses),
        "score" => Figure::Number(own.score()),
        "expected" => Figure::Number(own.expected),
        "difference" => Figure::Number(own.score() - own.expected),
        _ => Figure::Number(own.deviation()),
    })
}
