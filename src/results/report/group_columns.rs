//! The columns of the standings of games with more than two seats, for each player and for each seat.

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn};
use crate::game::{MOST_SEATS, Seat};
use crate::referee::result::Termination;
use crate::results::rating::{Rating, SeatEffect, Wdl};
use crate::results::standings::{GroupRow, GroupStandings, PlacingTotals, SeatRow};

/// The name of the rating model.
pub(super) const MODEL: &str = "plackett-luce";

/// A column of a table of players.
pub(super) type GroupColumn<'s> = TableColumn<'s, &'s GroupRow>;

/// A column of a table of seats.
type SeatColumn<'s> = TableColumn<'s, &'s SeatRow>;

/// The columns of a player's rank and name, for a table whose rows contain the player's row.
pub(super) fn of_player<'s, R: 's>(row: impl Fn(R) -> &'s GroupRow + Copy + 's) -> [TableColumn<'s, R>; 2] {
    [
        GroupColumn::for_people("#", |row| row.rank).of(row),
        GroupColumn::for_people("player", |row| row.player.as_str()).of(row),
    ]
}

/// A player's Elo, with a mark if it is unbounded or not determined by games.
pub(super) fn shown_elo<'s>() -> GroupColumn<'s> {
    GroupColumn::for_people("Elo", |row| format!("{:.1}", row.shown_rating("-")))
}

/// A player's own columns.
pub(super) fn own(standings: &GroupStandings) -> Vec<GroupColumn<'_>> {
    let seats = standings.seats();
    let mut columns = vec![
        GroupColumn::new("rank", "#", |row| row.rank),
        GroupColumn::new("player", "player", |row| row.player.as_str()),
        shown_elo(),
        GroupColumn::for_programs("elo", GroupRow::finite_rating),
        GroupColumn::for_programs("elo_text", |row| {
            TableCell::Verbatim(row.rating.map_or_else(|| "-".to_owned(), |rating| rating.to_string()))
        }),
        GroupColumn::new("elo_error95", "±95%", |row| row.error95),
        GroupColumn::for_programs("rests_on", |row| row.basis.name()),
    ];
    columns.extend(totals(seats).into_iter().map(|column| column.of(|row: &GroupRow| &row.total)));
    columns.extend([
        GroupColumn::new("forfeits", "forfeits", GroupRow::forfeit_count),
        GroupColumn::in_json("forfeits_by_kind", |row| {
            JsonObject::by_name(row.forfeits.iter().map(|(kind, &count)| (kind.name(), count)))
        }),
    ]);
    columns.extend(kinds_of_forfeits().map(|kind| {
        let name = format!("forfeits_{}", kind.name().replace(' ', "_"));
        GroupColumn::in_csv(name, move |row| forfeits(row, kind))
    }));
    columns.extend([
        GroupColumn::for_programs("resignations", |row| row.resignations),
        GroupColumn::for_programs("duplicates", |row| row.duplicates),
        GroupColumn::for_programs("odds", |row| row.odds),
        GroupColumn::in_json("by_seat", move |row| by_seat(row)),
    ]);
    for seat in Seat::all(seats) {
        columns.extend([
            GroupColumn::in_csv(format!("seat{seat}_games"), move |row: &GroupRow| row.by_seat[seat].games),
            GroupColumn::in_csv(format!("seat{seat}_points"), move |row: &GroupRow| row.by_seat[seat].points()),
        ]);
    }
    if standings.components() > 1 {
        columns.push(GroupColumn::for_people("comp.", GroupRow::rated_component));
    }
    columns.extend([
        GroupColumn::in_csv("component", |row| row.component),
        GroupColumn::in_json("component", GroupRow::rated_component),
        GroupColumn::for_programs("model", |_| MODEL),
        GroupColumn::for_programs("prior", |_| standings.prior().name()),
        GroupColumn::for_programs("seats", move |_| u32::from(seats)),
    ]);
    columns
}

/// The terminations that are forfeits by one player.
pub(super) fn kinds_of_forfeits() -> impl Iterator<Item = Termination> {
    Termination::ALL.into_iter().filter(|kind| kind.is_forfeit() && *kind != Termination::DoubleForfeit)
}

/// How many times a player forfeited by `kind`.
pub(super) fn forfeits(row: &GroupRow, kind: Termination) -> u64 {
    row.forfeits.get(&kind).copied().unwrap_or(0)
}

/// The games, the points and the places of a player or of a seat.
fn totals<'s>(seats: u8) -> Vec<TableColumn<'s, &'s PlacingTotals>> {
    let mut columns = vec![
        TableColumn::new("games", "games", |total: &PlacingTotals| total.games),
        TableColumn::new("points", "points", |total: &PlacingTotals| total.points()),
        TableColumn::for_programs("score", |total: &PlacingTotals| {
            total.score().map(|score| RoundedFigure::to(4, score))
        }),
        TableColumn::new("mean_placing", "mean place", |total: &PlacingTotals| {
            total.mean_placing().map(|mean| RoundedFigure::to(4, mean))
        }),
        TableColumn::in_json("places", |total: &PlacingTotals| {
            TableCell::List(total.places.iter().map(|&times| TableCell::Count(times)).collect())
        }),
    ];
    for place in 0..usize::from(seats) {
        columns.push(TableColumn::for_people(ordinal(place + 1), move |total: &PlacingTotals| total.places[place]));
        columns
            .push(TableColumn::in_csv(format!("place{}", place + 1), move |total: &PlacingTotals| total.places[place]));
    }
    columns
}

/// `1st`, `2nd`, `3rd`, `4th` and so on, up to ten.
fn ordinal(number: usize) -> String {
    let ending = match number {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The games and the points of a player in each seat, seat 1 first.
fn by_seat(row: &GroupRow) -> TableCell<'_> {
    let object =
        |total: &PlacingTotals| JsonObject::default().with("games", total.games).with("points", total.points()).into();
    TableCell::List(row.by_seat.values().map(object).collect())
}

/// The order of the seats' turns.
const TURNS: [&str; MOST_SEATS] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// The columns of a seat.
pub(super) fn of_seat<'s>(seats: u8) -> Vec<SeatColumn<'s>> {
    let mut columns = vec![
        SeatColumn::new("seat", "seat", |row| u32::from(row.seat.number())),
        SeatColumn::for_people("turn", |row| TURNS[row.seat.index()]),
        SeatColumn::for_people("advantage", |row| {
            row.effect.map(|effect| match effect.advantage {
                Rating::Finite(elo) => format!("{elo:+.1}"),
                rating @ (Rating::Above(_) | Rating::Below(_)) => format!("{rating:.1}"),
            })
        }),
        SeatColumn::in_json("elo", |row| row.effect.and_then(|effect| effect.advantage.finite())),
        SeatColumn::in_json("elo_text", |row| {
            TableCell::Verbatim(row.effect.map_or_else(|| "-".to_owned(), |effect| effect.advantage.to_string()))
        }),
        SeatColumn::new("elo_error95", "±95%", |row| row.effect.and_then(|effect: SeatEffect| effect.error95)),
    ];
    columns.extend(totals(seats).into_iter().map(|column| column.of(|row: &SeatRow| &row.total)));
    columns
}

/// All seats in JSON.
pub(super) fn seat_objects(standings: &GroupStandings) -> Vec<TableCell<'_>> {
    let columns = of_seat(standings.seats());
    standings.seat_rows().iter().map(|row| JsonObject::of(&columns, row).into()).collect()
}

/// How many times a player was placed ahead of another, shared a place with it, and was placed behind it.
pub(super) fn encounter<'s>() -> Vec<TableColumn<'s, Wdl>> {
    vec![
        TableColumn::new("games", "games", |games: Wdl| games.games()),
        TableColumn::new("before", "before", |games: Wdl| games.wins),
        TableColumn::new("equal", "equal", |games: Wdl| games.draws),
        TableColumn::new("behind", "behind", |games: Wdl| games.losses),
    ]
}

/// The likelihood that the player in the row `index` is stronger than the player in the row `other`.
pub(super) fn superiority(standings: &GroupStandings, index: usize, other: usize) -> Option<RoundedFigure> {
    Some(RoundedFigure::to(4, standings.superiority(index, other)?).percentage().padded())
}
