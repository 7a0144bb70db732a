//! The columns of the standings for each player.

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn};
use crate::game::Side;
use crate::referee::result::Termination;
use crate::results::rating::Wdl;
use crate::results::standings::{PlayerRow, Standings};

/// The columns of [`own`] that standings.csv does not contain. In CSV, these columns come after those of standings.csv.
pub(super) const NOT_IN_FILE: [&str; 2] = ["rests_on", "adjudicated"];

/// A column of a table of players.
pub(super) type PlayerColumn<'s> = TableColumn<'s, &'s PlayerRow>;

/// The columns of a player's rank and name, for a table whose rows contain the player's row.
pub(super) fn of_player<'s, R: 's>(row: impl Fn(R) -> &'s PlayerRow + Copy + 's) -> [TableColumn<'s, R>; 2] {
    [
        PlayerColumn::for_people("#", |row| row.rank).of(row),
        PlayerColumn::for_people("player", |row| row.player.as_str()).of(row),
    ]
}

/// A player's Elo, with a mark if it is unbounded or not determined by games.
pub(super) fn shown_elo<'s>() -> PlayerColumn<'s> {
    PlayerColumn::for_people("Elo", |row| format!("{:.1}", row.shown_rating("-")))
}

/// A player's own columns.
pub(super) fn own(standings: &Standings) -> Vec<PlayerColumn<'_>> {
    let mut columns = vec![
        PlayerColumn::new("rank", "#", |row| row.rank),
        PlayerColumn::new("player", "player", |row| row.player.as_str()),
        shown_elo(),
        // The field is empty if the rating is unbounded, as the next column then shows, or if the player has no rated
        // game.
        PlayerColumn::for_programs("elo", PlayerRow::finite_rating),
        PlayerColumn::for_programs("elo_text", |row| {
            TableCell::Verbatim(row.rating.map_or_else(|| "-".to_owned(), |rating| rating.to_string()))
        }),
        PlayerColumn::new("elo_error95", "±95%", |row| row.error95),
        PlayerColumn::for_programs("rests_on", |row| row.basis.name()),
        PlayerColumn::new("games", "games", |row| row.total().games()),
    ];
    columns.extend(results().into_iter().map(|column| column.of(PlayerRow::total)));
    columns.extend([
        PlayerColumn::new("points", "points", |row| points(row.total())),
        PlayerColumn::for_programs("score", |row| score(row.total())),
        PlayerColumn::new("margin", "margin", |row| TableCell::Balance(row.margin)),
        PlayerColumn::for_programs("forfeits", PlayerRow::forfeit_count),
        PlayerColumn::in_json("forfeits_by_kind", forfeits_by_kind),
    ]);
    columns.extend(Termination::ALL.into_iter().filter(|kind| kind.is_forfeit()).map(|kind| {
        let name = format!("forfeits_{}", kind.name().replace(' ', "_"));
        PlayerColumn::in_csv(name, move |row| forfeits(row, kind))
    }));
    columns.extend([
        PlayerColumn::for_programs("duplicates", |row| row.duplicates),
        PlayerColumn::for_programs("adjudicated", |row| row.adjudicated),
    ]);
    for side in Side::BOTH {
        columns.extend(PlayerColumn::nested(side.name(), results, move |row| row.by_side[side]));
        columns.push(PlayerColumn::for_people(format!("as {side}"), move |row| wdl(row.by_side[side])));
    }
    if standings.components() > 1 {
        columns.push(PlayerColumn::for_people("comp.", PlayerRow::rated_component));
    }
    columns.extend([
        PlayerColumn::in_csv("component", |row| row.component),
        PlayerColumn::in_json("component", PlayerRow::rated_component),
        PlayerColumn::for_programs("model", |_| standings.model().name()),
        PlayerColumn::for_programs("prior", |_| standings.prior().name()),
    ]);
    columns
}

/// Games by their results.
fn results<'s>() -> Vec<TableColumn<'s, Wdl>> {
    vec![
        TableColumn::new("wins", "W", |games: Wdl| games.wins),
        TableColumn::new("draws", "D", |games: Wdl| games.draws),
        TableColumn::new("losses", "L", |games: Wdl| games.losses),
    ]
}

/// How many times a player forfeited by `kind`.
pub(super) fn forfeits(row: &PlayerRow, kind: Termination) -> u64 {
    row.forfeits.get(&kind).copied().unwrap_or(0)
}

fn forfeits_by_kind(row: &PlayerRow) -> JsonObject<'_> {
    JsonObject::by_name(row.forfeits.iter().map(|(kind, &count)| (kind.name(), count)))
}

/// The likelihood that the player in the row `index` is stronger than the player in the row `other`.
pub(super) fn superiority(standings: &Standings, index: usize, other: usize) -> Option<RoundedFigure> {
    Some(RoundedFigure::to(4, standings.superiority(index, other)?).percentage().padded())
}

/// `5-1-2`, or a dash if there was no game.
pub(super) fn wdl(games: Wdl) -> String {
    let Wdl { wins, draws, losses } = games;
    if games.games() == 0 { "-".to_owned() } else { format!("{wins}-{draws}-{losses}") }
}

fn points(games: Wdl) -> f64 {
    number(games.half_points()) / 2.0
}

/// Points per game.
fn score(games: Wdl) -> Option<RoundedFigure> {
    (games.games() > 0).then(|| RoundedFigure::to(4, points(games) / number(games.games())))
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
const fn number(count: u64) -> f64 {
    count as f64
}
