//! A player's figures in games with more than two seats, by their keys in the standings' JSON.

use super::figure::{Figure, count, known_row, only, row_of, whole};
use super::further_tables::{self, RANKS};
use super::of_player::forfeits;
use super::problem::{no_inner, several, unknown_key, unknown_player};
use super::{RatedField, RequirementError, RequirementProblem, Term, Word};
use crate::results::rating::Wdl;
use crate::results::standings::{GroupStandings, PlacingTotals};

/// The keys of figures, in their order in the JSON.
const KEYS: [&str; 17] = [
    "rank",
    "elo",
    "elo_error95",
    "games",
    "points",
    "score",
    "mean_placing",
    "places",
    "forfeits",
    "forfeits_by_kind",
    "resignations",
    "duplicates",
    "odds",
    "component",
    "ranks",
    "head_to_head",
    "superiority",
];

/// The figures of games with another player.
const ENCOUNTER: [&str; 4] = ["games", "before", "equal", "behind"];

/// The words for figures that exist only in standings of games with two players. They are used in the position of a
/// player or a figure.
const OF_TWO: [&str; 4] = ["fit", "sprt", further_tables::WORKERS, "result"];

const NO_GAMES: Figure = Figure::Missing("the player has no games");

/// The value of `term`.
pub(super) fn figure(term: &Term, standings: &GroupStandings) -> Result<Figure, RequirementError> {
    let Some(index) = row_of(&term.player, standings) else {
        return Err(if OF_TWO.contains(&term.player.text.as_str()) {
            only_of_two(&term.player)
        } else {
            unknown_player(&term.player, standings)
        });
    };
    let row = &standings.rows()[index];
    let rating = row.rating.map_or(Figure::Missing("the player has no rated games"), |elo| Figure::Elo(index, elo));
    let Some((key, inner)) = term.keys.split_first() else {
        return Ok(rating);
    };
    let total = &row.total;
    let figure = match key.text.as_str() {
        "elo" => rating,
        "rank" => row.rank.map_or(Figure::NO_RANK, count),
        "elo_error95" => Figure::or_missing(row.error95.map(|bar| bar.0), "there is no error bar"),
        "games" => whole(total.games),
        "points" => Figure::Number(total.points()),
        "score" => total.score().map_or(NO_GAMES, Figure::Number),
        "mean_placing" => total.mean_placing().map_or(NO_GAMES, Figure::Number),
        "places" => return places(key, inner, total),
        "forfeits" => whole(row.forfeit_count()),
        "forfeits_by_kind" => return forfeits(key, inner, &row.forfeits),
        "resignations" => whole(row.resignations),
        "duplicates" => whole(row.duplicates),
        "odds" => whole(row.odds),
        "component" => row.rated_component().map_or(Figure::Missing("the player has no rated games"), count),
        "ranks" => {
            let word = only(key, inner, &RANKS)?;
            return further_tables::rank_chance(word, index, standings.rank_chances().as_deref());
        }
        "head_to_head" => return head_to_head(key, inner, index, standings),
        "superiority" => {
            let other = known_row(only(key, inner, &RatedField::from(standings).names())?, standings)?;
            let missing = "the games do not link these players, so they cannot be compared";
            return Ok(Figure::or_missing(standings.superiority(index, other), missing));
        }
        of_two if OF_TWO.contains(&of_two) => return Err(only_of_two(key)),
        _ => return Err(unknown_key(key, &KEYS)),
    };
    match inner.first() {
        Some(inner) => Err(no_inner(inner)),
        None => Ok(figure),
    }
}

/// How many times the player finished in a place: `places.1`.
fn places(key: &Word, inner: &[Word], total: &PlacingTotals) -> Result<Figure, RequirementError> {
    let known: Vec<String> = (1..=total.places.len()).map(|place| place.to_string()).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let word = only(key, inner, &known)?;
    let place = known.iter().position(|place| *place == word.text);
    place.map(|place| whole(total.places[place])).ok_or_else(|| unknown_key(word, &known))
}

/// The games of the player in `row` with another player.
fn head_to_head(
    key: &Word,
    inner: &[Word],
    row: usize,
    standings: &GroupStandings,
) -> Result<Figure, RequirementError> {
    let names = RatedField::from(standings).names();
    let Some((other, inner)) = inner.split_first() else { return Err(several(key, &names)) };
    let index = known_row(other, standings)?;
    let word = only(other, inner, &ENCOUNTER)?;
    let games: Wdl = standings.placed_before(row, index);
    Ok(match word.text.as_str() {
        "games" => whole(games.games()),
        "before" => whole(games.wins),
        "equal" => whole(games.draws),
        "behind" => whole(games.losses),
        _ => return Err(unknown_key(word, &ENCOUNTER)),
    })
}

fn only_of_two(word: &Word) -> RequirementError {
    RequirementProblem::OnlyOfTwo { key: word.text.clone() }.at(word.at)
}
