//! The result according to the tournament's own format: the columns of the table of places, and a player's rounds for
//! scripts.

use super::column::{JsonObject, TableCell, TableColumn};
use super::result_points::points;
use crate::game::Side;
use crate::results::format_result::{
    BracketPairing, BracketSeat, FormatResult, KnockoutPlace, KnockoutResult, SwissPlace, SwissResult, SwissRound,
};
use crate::tournament::Legs;

/// A column of the places in a Swiss tournament.
type SwissColumn<'r> = TableColumn<'r, &'r SwissPlace>;

/// A column of the places in a knockout.
type KnockoutColumn<'r> = TableColumn<'r, &'r KnockoutPlace>;

/// The result of `player` in JSON; `None` if it has no place.
pub(super) fn object<'r>(result: &'r FormatResult, player: &str) -> Option<JsonObject<'r>> {
    Some(match result {
        FormatResult::Swiss(swiss) => JsonObject::of(&of_swiss(swiss), swiss.place(player)?),
        FormatResult::Knockout(knockout) => JsonObject::of(&of_knockout(knockout), knockout.place(player)?),
    })
}

/// The columns of the places in a Swiss tournament.
pub(super) fn of_swiss<'r>(swiss: &'r SwissResult) -> Vec<SwissColumn<'r>> {
    let rounds = |place: &'r SwissPlace| {
        (1..).zip(&place.rounds).map(|(round, played)| swiss_round(swiss.legs, round, played).into()).collect()
    };
    vec![
        SwissColumn::in_json("kind", |_| "swiss"),
        SwissColumn::in_json("final", |_| swiss.is_final),
        SwissColumn::new("place", "#", |place| place.place).csv_name("result_place"),
        SwissColumn::for_people("player", |place| place.player.as_str()),
        SwissColumn::new("points", "points", |place| points(place.half_points)).csv_name("result_points"),
        SwissColumn::new("byes", "byes", |place| place.byes).csv_name("result_byes"),
        SwissColumn::new("buchholz", "Buchholz", |place| points(place.buchholz)),
        #[expect(clippy::cast_precision_loss, reason = "exact for any number of rounds")]
        SwissColumn::new("sonneborn_berger", "Sonneborn-Berger", |place| place.sonneborn_berger as f64 / 4.0),
        SwissColumn::new("direct_encounter", "direct", |place| place.direct_encounter.map(points)),
        SwissColumn::in_json("rounds", move |place| TableCell::List(rounds(place))),
    ]
}

/// The JSON object for a player's round of a Swiss tournament.
fn swiss_round(legs: Legs, round: usize, played: &SwissRound) -> JsonObject<'_> {
    let reason = match (&played.opponent, played.is_walkover) {
        (None, _) => Some("bye"),
        (Some(_), true) => Some("walkover"),
        (Some(_), false) => None,
    };
    let opposed = played.half_points.filter(|_| played.opponent.is_some());
    JsonObject::default()
        .with("round", round)
        .with("opponent", played.opponent.as_deref())
        .with_any("colour", played.side.filter(|_| legs == Legs::One).map(Side::name))
        .with("points", played.half_points.map(|[own, _]| points(own)))
        .with("opponent_points", opposed.map(|[_, other]| points(other)))
        .with("reason", reason)
}

/// The columns of the places in a knockout.
pub(super) fn of_knockout<'r>(knockout: &'r KnockoutResult) -> Vec<KnockoutColumn<'r>> {
    let rounds = |place: &'r KnockoutPlace| {
        let reached = rounds_of(knockout, &place.player);
        reached.map(|(round, own, pairing)| knockout_round(round, own, pairing).into()).collect()
    };
    let last_reason = |place: &KnockoutPlace| {
        let (_, by) = rounds_of(knockout, &place.player).filter_map(|(.., pairing)| pairing.won).last()?;
        by.reason()
    };
    vec![
        KnockoutColumn::in_json("kind", |_| "knockout"),
        KnockoutColumn::in_json("final", |_| knockout.champion.is_some()),
        KnockoutColumn::in_json("champion", |place| knockout.champion.as_ref() == Some(&place.player)),
        KnockoutColumn::new("place", "place", |place| place.place).csv_name("result_place"),
        KnockoutColumn::for_people("player", |place| place.player.as_str()),
        KnockoutColumn::new("seed", "seed", |place| place.seed).csv_name("result_seed"),
        KnockoutColumn::new("last_round", "last round", |place| place.round).csv_name("result_last_round"),
        KnockoutColumn::new("lost_to", "lost to", |place| place.lost_to.as_deref()).csv_name("result_lost_to"),
        KnockoutColumn::in_csv("result_last_reason", last_reason),
        KnockoutColumn::in_json("rounds", move |place| TableCell::List(rounds(place))),
    ]
}

/// The pairings of the rounds that `player` has reached, each with the number of the round and the index of the
/// player's seat.
fn rounds_of<'r>(
    knockout: &'r KnockoutResult,
    player: &str,
) -> impl Iterator<Item = (usize, usize, &'r BracketPairing)> {
    let pairings = (1..)
        .zip(&knockout.rounds)
        .flat_map(|(round, pairings)| pairings.pairings.iter().map(move |pairing| (round, pairing)));
    pairings.filter_map(move |(round, pairing)| {
        let own = pairing.seats.iter().position(|seat| seat.name() == Some(player))?;
        Some((round, own, pairing))
    })
}

/// The JSON object for the round of a knockout in which the player has the seat `own` of `pairing`.
fn knockout_round(round: usize, own: usize, pairing: &BracketPairing) -> JsonObject<'_> {
    let scored = |seat: &BracketSeat| match seat {
        BracketSeat::Player { half_points, .. } => half_points.map(points),
        BracketSeat::Bye | BracketSeat::Open => None,
    };
    let opponent = &pairing.seats[1 - own];
    JsonObject::default()
        .with("round", round)
        .with("opponent", opponent.name())
        .with("points", scored(&pairing.seats[own]))
        .with("opponent_points", scored(opponent))
        .with_any("advances", pairing.won.map(|(winner, _)| winner == own))
        .with("reason", pairing.won.and_then(|(_, by)| by.reason()))
}
