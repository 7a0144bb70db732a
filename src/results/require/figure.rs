//! The figures of a player, by the keys of the standings' JSON.

use super::problem::{unknown_key, unknown_player};
use super::{RequirementError, RequirementProblem, Term, Word};
use crate::referee::result::Termination;
use crate::results::rating::{Rating, Wdl};
use crate::results::standings::{PlayerRow, Standings};

/// The value of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figure {
    /// The rating of the player in this row.
    Elo(usize, Rating),
    /// Another figure on the scale of the ratings.
    OnScale(f64),
    /// Any other figure.
    Number(f64),
    /// The games do not yield this figure, for the reason given.
    Missing(&'static str),
}

/// The keys that are figures, in the order of the JSON.
const KEYS: [&str; 21] = [
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
    "superiority",
];

/// Why a player without a rated game lacks a figure.
const UNRATED: &str = "the player has no rated game";

/// The keys of one colour's results.
const RESULTS: [&str; 3] = ["wins", "draws", "losses"];

impl Figure {
    /// The rating of the player in the row `index`.
    const fn rating(index: usize, row: &PlayerRow) -> Self {
        match row.rating {
            Some(rating) => Self::Elo(index, rating),
            None => Self::Missing(UNRATED),
        }
    }

    /// The value that `term` stands for.
    pub(super) fn of(term: &Term, standings: &Standings) -> Result<Self, RequirementError> {
        let index = row_of(&term.player, standings)?;
        let row = &standings.rows()[index];
        let Some((key, inner)) = term.keys.split_first() else {
            return Ok(Self::rating(index, row));
        };
        let total = row.total();
        let figure = match key.text.as_str() {
            "elo" => Self::rating(index, row),
            "rank" => match row.rank {
                Some(rank) => whole(rank as u64),
                None => Self::Missing("the player has no rank"),
            },
            "elo_error95" => match row.error95 {
                Some(bar) => Self::Number(bar.0),
                None => Self::Missing("there is no error bar"),
            },
            "games" => whole(total.games()),
            "wins" => whole(total.wins),
            "draws" => whole(total.draws),
            "losses" => whole(total.losses),
            "points" => Self::Number(number(total.half_points()) / 2.0),
            "score" if total.games() == 0 => Self::Missing("there are no games to score in"),
            "score" => Self::Number(number(total.half_points()) / 2.0 / number(total.games())),
            #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 stones")]
            "margin" => Self::Number(row.margin as f64),
            "forfeits" => whole(row.forfeit_count()),
            "forfeits_by_kind" => return forfeits(key, inner, row),
            "duplicates" => whole(row.duplicates),
            "adjudicated" => whole(row.adjudicated),
            "black" => return results(key, inner, row.by_side.black),
            "white" => return results(key, inner, row.by_side.white),
            "component" => match row.rated_component() {
                Some(component) => whole(component as u64),
                None => Self::Missing(UNRATED),
            },
            "expected" | "opponents_elo" | "performance" => opposition(&key.text, index, standings),
            "superiority" => return superiority(key, inner, index, standings),
            _ => return Err(unknown_key(key, &KEYS)),
        };
        match inner.first() {
            Some(inner) => {
                Err(RequirementProblem::Expected { expected: "a comparison: this figure holds no others" }.at(inner.at))
            }
            None => Ok(figure),
        }
    }
}

fn row_of(player: &Word, standings: &Standings) -> Result<usize, RequirementError> {
    let row = standings.rows().iter().position(|row| row.player == player.text);
    row.ok_or_else(|| unknown_player(player, standings))
}

/// The one key within `key`.
fn only<'w>(key: &Word, inner: &'w [Word], known: &[&str]) -> Result<&'w Word, RequirementError> {
    match inner {
        [inner] => Ok(inner),
        [_, further, ..] => {
            Err(RequirementProblem::Expected { expected: "a comparison: this figure holds no others" }.at(further.at))
        }
        [] => {
            let known = known.iter().map(|&key| key.to_owned()).collect();
            Err(RequirementProblem::Several { key: key.text.clone(), known }.at(key.at))
        }
    }
}

fn forfeits(key: &Word, inner: &[Word], row: &PlayerRow) -> Result<Figure, RequirementError> {
    let kinds: Vec<&str> = Termination::ALL.iter().filter(|kind| kind.is_forfeit()).map(|kind| kind.name()).collect();
    let word = only(key, inner, &kinds)?;
    match word.text.parse::<Termination>() {
        Ok(kind) if kind.is_forfeit() => Ok(whole(row.forfeits.get(&kind).copied().unwrap_or(0))),
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
    value.unwrap_or(Figure::Missing("the player has no rated game, or an opponent without a bound"))
}

fn superiority(key: &Word, inner: &[Word], row: usize, standings: &Standings) -> Result<Figure, RequirementError> {
    let players: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    let other = row_of(only(key, inner, &players)?, standings)?;
    Ok(standings.superiority(row, other).map_or(Figure::Missing("the games do not compare them"), Figure::Number))
}

fn whole(count: u64) -> Figure {
    Figure::Number(number(count))
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
const fn number(count: u64) -> f64 {
    count as f64
}
