//! The result by the tournament's own format, for scripts: fields of a player in JSON, and columns in CSV.

use serde::Serialize;

use super::result_points::{halves, quarters};
use crate::game::Side;
use crate::results::format_result::{
    BracketSeat, FormatResult, KnockoutPlace, KnockoutResult, SwissPlace, SwissResult, SwissRound,
};
use crate::results::text_cell::text_cell;
use crate::tournament::Legs;

/// The columns of a Swiss tournament.
const SWISS_COLUMNS: [&str; 6] =
    ["result_place", "result_points", "result_byes", "buchholz", "sonneborn_berger", "direct_encounter"];

/// The columns of a knockout.
const KNOCKOUT_COLUMNS: [&str; 5] =
    ["result_place", "result_seed", "result_last_round", "result_lost_to", "result_last_reason"];

/// One player's result in JSON.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum ResultObject<'r> {
    /// In a Swiss tournament.
    Swiss {
        r#final: bool,
        place: usize,
        points: f64,
        byes: u32,
        buchholz: f64,
        sonneborn_berger: f64,
        direct_encounter: Option<f64>,
        rounds: Vec<RoundObject<'r>>,
    },
    /// In a knockout.
    Knockout {
        r#final: bool,
        champion: bool,
        place: Option<usize>,
        seed: usize,
        last_round: usize,
        lost_to: Option<&'r str>,
        rounds: Vec<RoundObject<'r>>,
    },
}

/// What a player did in one round.
#[derive(Serialize)]
pub(super) struct RoundObject<'r> {
    round: usize,
    opponent: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<&'static str>,
    points: Option<f64>,
    opponent_points: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advances: Option<bool>,
    reason: Option<&'static str>,
}

/// The result of `player` in JSON; `None` if the tournament's format has none of its own.
pub(super) fn object<'r>(result: Option<&'r FormatResult>, player: &str) -> Option<ResultObject<'r>> {
    match result? {
        FormatResult::Swiss(swiss) => {
            let place = swiss.places.iter().find(|place| place.player == player)?;
            Some(of_swiss(swiss, place))
        }
        FormatResult::Knockout(knockout) => {
            let place = knockout.places.iter().find(|place| place.player == player)?;
            Some(of_knockout(knockout, place))
        }
    }
}

fn of_swiss<'r>(swiss: &SwissResult, place: &'r SwissPlace) -> ResultObject<'r> {
    #[expect(clippy::cast_precision_loss, reason = "exact for any number of rounds")]
    let sonneborn_berger = place.sonneborn_berger as f64 / 4.0;
    let round = |(round, played): (usize, &'r SwissRound)| RoundObject {
        round,
        opponent: played.opponent.as_deref(),
        colour: played.side.filter(|_| swiss.legs == Legs::One).map(Side::name),
        points: played.half_points.map(|[own, _]| points(own)),
        opponent_points: played.half_points.filter(|_| played.opponent.is_some()).map(|[_, other]| points(other)),
        advances: None,
        reason: match (&played.opponent, played.is_walkover) {
            (None, _) => Some("bye"),
            (Some(_), true) => Some("walkover"),
            (Some(_), false) => None,
        },
    };
    ResultObject::Swiss {
        r#final: swiss.is_final,
        place: place.place,
        points: points(place.half_points),
        byes: place.byes,
        buchholz: points(place.buchholz),
        sonneborn_berger,
        direct_encounter: place.direct_encounter.map(points),
        rounds: (1..).zip(&place.rounds).map(round).collect(),
    }
}

fn of_knockout<'r>(knockout: &'r KnockoutResult, place: &'r KnockoutPlace) -> ResultObject<'r> {
    ResultObject::Knockout {
        r#final: knockout.champion.is_some(),
        champion: knockout.champion.as_ref() == Some(&place.player),
        place: place.place,
        seed: place.seed,
        last_round: place.round,
        lost_to: place.lost_to.as_deref(),
        rounds: rounds_of(knockout, &place.player),
    }
}

/// The rounds that `player` has reached.
fn rounds_of<'r>(knockout: &'r KnockoutResult, player: &str) -> Vec<RoundObject<'r>> {
    let mut rounds = Vec::new();
    for (round, pairings) in (1..).zip(&knockout.rounds) {
        for pairing in &pairings.pairings {
            let Some(own) = pairing.seats.iter().position(|seat| seat.name() == Some(player)) else { continue };
            let scored = |seat: &BracketSeat| match seat {
                BracketSeat::Player { half_points, .. } => half_points.map(points),
                BracketSeat::Bye | BracketSeat::Open => None,
            };
            let opponent = &pairing.seats[1 - own];
            rounds.push(RoundObject {
                round,
                opponent: opponent.name(),
                colour: None,
                points: scored(&pairing.seats[own]),
                opponent_points: scored(opponent),
                advances: pairing.won.map(|(winner, _)| winner == own),
                reason: pairing.won.and_then(|(_, by)| by.reason()),
            });
        }
    }
    rounds
}

/// The columns of a tournament with this result.
pub(super) const fn columns(result: Option<&FormatResult>) -> &'static [&'static str] {
    match result {
        Some(FormatResult::Swiss(_)) => &SWISS_COLUMNS,
        Some(FormatResult::Knockout(_)) => &KNOCKOUT_COLUMNS,
        None => &[],
    }
}

/// The cells of `player` in [`columns`].
pub(super) fn cells(result: Option<&FormatResult>, player: &str) -> Vec<String> {
    let found = match result {
        Some(FormatResult::Swiss(swiss)) => swiss.places.iter().find(|place| place.player == player).map(swiss_cells),
        Some(FormatResult::Knockout(knockout)) => {
            let place = knockout.places.iter().find(|place| place.player == player);
            place.map(|place| knockout_cells(knockout, place))
        }
        None => None,
    };
    found.unwrap_or_else(|| vec![String::new(); columns(result).len()])
}

fn swiss_cells(place: &SwissPlace) -> Vec<String> {
    vec![
        place.place.to_string(),
        halves(place.half_points),
        place.byes.to_string(),
        halves(place.buchholz),
        quarters(place.sonneborn_berger),
        place.direct_encounter.map(halves).unwrap_or_default(),
    ]
}

fn knockout_cells(knockout: &KnockoutResult, place: &KnockoutPlace) -> Vec<String> {
    let decided = rounds_of(knockout, &place.player).into_iter().rev().find(|round| round.advances.is_some());
    vec![
        place.place.map(|place| place.to_string()).unwrap_or_default(),
        place.seed.to_string(),
        place.round.to_string(),
        place.lost_to.as_deref().map(|name| text_cell(name).into_owned()).unwrap_or_default(),
        decided.and_then(|round| round.reason).unwrap_or_default().to_owned(),
    ]
}

fn points(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}
