//! A player's figures, by their keys in the standings' JSON.

use std::collections::BTreeMap;

use super::figure::{Figure, count, known_row, names, number, only, row_of, whole};
use super::problem::{no_inner, unknown_key, unknown_player};
use super::{RequirementError, Term, Word, further_tables, of_run};
use crate::referee::result::Termination;
use crate::results::rating::Wdl;
use crate::results::standings::{PlayerRow, Standings};

/// The keys of figures, in their order in the JSON.
const KEYS: [&str; 26] = [
    "rank",
    "elo",
    "elo_error95",
    "games",
    "wins",
    "draws",
    "losses",
    "points",
    "score",
    "margin",
    "forfeits",
    "forfeits_by_kind",
    "duplicates",
    "adjudicated",
    "black",
    "white",
    "component",
    "expected",
    "opponents_elo",
    "performance",
    "ranks",
    "head_to_head",
    "fit",
    "superiority",
    "sprt",
    "result",
];

/// Why a player without a rated game lacks a figure.
const UNRATED: &str = "the player has no rated games";

/// The keys of one colour's results.
const RESULTS: [&str; 3] = ["wins", "draws", "losses"];

/// The rating of the player in the row `index`.
const fn rating(index: usize, row: &PlayerRow) -> Figure {
    match row.rating {
        Some(rating) => Figure::Elo(index, rating),
        None => Figure::Missing(UNRATED),
    }
}

/// The value of `term`.
pub(super) fn figure(term: &Term, standings: &Standings) -> Result<Figure, RequirementError> {
    let Some(index) = row_of(&term.player, standings) else {
        return of_all_players(term, standings);
    };
    let row = &standings.rows()[index];
    let Some((key, inner)) = term.keys.split_first() else {
        return Ok(rating(index, row));
    };
    let total = row.total();
    let figure = match key.text.as_str() {
        "elo" => rating(index, row),
        "rank" => row.rank.map_or(Figure::NO_RANK, count),
        "elo_error95" => match row.error95 {
            Some(bar) => Figure::Number(bar.0),
            None => Figure::Missing("there is no error bar"),
        },
        "games" => whole(total.games()),
        "wins" => whole(total.wins),
        "draws" => whole(total.draws),
        "losses" => whole(total.losses),
        "points" => Figure::Number(number(total.half_points()) / 2.0),
        "score" if total.games() == 0 => Figure::Missing("the player has no games"),
        "score" => Figure::Number(number(total.half_points()) / 2.0 / number(total.games())),
        #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 stones")]
        "margin" => Figure::Number(row.margin as f64),
        "forfeits" => whole(row.forfeit_count()),
        "forfeits_by_kind" => return forfeits(key, inner, &row.forfeits),
        "duplicates" => whole(row.duplicates),
        "adjudicated" => whole(row.adjudicated),
        "black" => return results(key, inner, row.by_side.black),
        "white" => return results(key, inner, row.by_side.white),
        "component" => row.rated_component().map_or(Figure::Missing(UNRATED), count),
        "expected" | "opponents_elo" | "performance" => opposition(&key.text, index, standings),
        "ranks" => return further_tables::ranks(key, inner, index, standings),
        "head_to_head" => return further_tables::head_to_head(key, inner, index, standings),
        "fit" => return further_tables::fit(key, inner, standings),
        "superiority" => return superiority(key, inner, index, standings),
        "sprt" => return of_run::sprt(key, inner, standings),
        "result" => return of_run::result(key, inner, &row.player, standings),
        _ => return Err(unknown_key(key, &KEYS)),
    };
    match inner.first() {
        Some(inner) => Err(no_inner(inner)),
        None => Ok(figure),
    }
}

/// The value of `term`, which does not begin with a player's name: a figure shared by all players.
fn of_all_players(term: &Term, standings: &Standings) -> Result<Figure, RequirementError> {
    match term.player.text.as_str() {
        "fit" => further_tables::fit(&term.player, &term.keys, standings),
        "sprt" => of_run::sprt(&term.player, &term.keys, standings),
        further_tables::WORKERS => further_tables::workers(&term.player, &term.keys, standings),
        _ => Err(unknown_player(&term.player, standings)),
    }
}

/// How many times a player forfeited in one way, from the counts of all kinds of forfeits.
pub(super) fn forfeits(
    key: &Word,
    inner: &[Word],
    by_kind: &BTreeMap<Termination, u64>,
) -> Result<Figure, RequirementError> {
    let kinds: Vec<&str> = Termination::ALL.iter().filter(|kind| kind.is_forfeit()).map(|kind| kind.name()).collect();
    let word = only(key, inner, &kinds)?;
    match word.text.parse::<Termination>() {
        Ok(kind) if kind.is_forfeit() => Ok(whole(by_kind.get(&kind).copied().unwrap_or(0))),
        _ => Err(unknown_key(word, &kinds)),
    }
}

fn results(key: &Word, inner: &[Word], games: Wdl) -> Result<Figure, RequirementError> {
    let word = only(key, inner, &RESULTS)?;
    match word.text.as_str() {
        "wins" => Ok(whole(games.wins)),
        "draws" => Ok(whole(games.draws)),
        "losses" => Ok(whole(games.losses)),
        _ => Err(unknown_key(word, &RESULTS)),
    }
}

fn opposition(key: &str, row: usize, standings: &Standings) -> Figure {
    let own = standings.opposition(&standings.head_to_head())[row];
    let value = match key {
        "expected" => (own.games > 0).then_some(Figure::Number(own.expected)),
        "opponents_elo" => own.opponents.map(|elo| Figure::OnScale(elo.0)),
        _ => own.performance.map(|elo| Figure::OnScale(elo.0)),
    };
    value.unwrap_or(Figure::Missing("the player has no rated games, or an opponent's rating is unbounded"))
}

fn superiority(key: &Word, inner: &[Word], row: usize, standings: &Standings) -> Result<Figure, RequirementError> {
    let other = known_row(only(key, inner, &names(standings))?, standings)?;
    Ok(Figure::or_missing(
        standings.superiority(row, other),
        "the games do not link these players, so they cannot be compared",
    ))
}
