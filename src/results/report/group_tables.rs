//! The standings of games with more than two seats for people.

use super::column::{TableCell, TableColumn, grid};
use super::group_columns::{
    GroupColumn, encounter, forfeits, kinds_of_forfeits, of_player, of_seat, own, shown_elo, superiority,
};
use super::group_notes::notes;
use super::standings_columns::wdl;
use super::standings_tables::{LARGEST_CROSSTABLE, lines, titled};
use super::text_table::{Grid, Look};
use super::{Extra, Extras, ranks_table, usage_table};
use crate::referee::result::Termination;
use crate::results::rating::{RankChances, Wdl};
use crate::results::standings::{GroupRow, GroupStandings};

/// The title of the table of seats.
const SEATS_TITLE: &str =
    "Each seat's advantage over the average seat, in Elo, and the games that players played in it";

/// The title of the table with all pairs of players.
const PLACED_BEFORE_TITLE: &str = "Placed ahead-equal-behind: the row's player against the column's player";

/// The main table, the notes, and every other table that is not empty, with a blank line between them.
pub(super) fn render(standings: &GroupStandings, extras: Extras, look: Look) -> String {
    if standings.counts().all() == 0 {
        return "No games.\n".to_owned();
    }
    let mut sections = vec![
        grid(&own(standings), standings.rows()).render(look),
        lines(notes(standings, extras.explains(), look), look),
    ];
    if standings.counts().counted() > 0 {
        sections.push(titled(SEATS_TITLE, &seats(standings), look));
    }
    if let Some(grid) = forfeits_table(standings) {
        sections.push(titled("Forfeits by kind", &grid, look));
    }
    if (2..=LARGEST_CROSSTABLE).contains(&standings.rows().len()) {
        sections.push(titled(PLACED_BEFORE_TITLE, &placed_before(standings), look));
    }
    sections.extend(further(standings, extras, look));
    sections.join("\n")
}

/// The tables of `extras`.
pub(super) fn further(standings: &GroupStandings, extras: Extras, look: Look) -> Vec<String> {
    let asked = Extra::ALL.into_iter().filter(|&extra| extras.has(extra));
    asked.filter_map(|extra| extra_section(standings, extra, look)).collect()
}

/// A line for each seat. The first column contains the numbers of the seats.
fn seats(standings: &GroupStandings) -> Grid {
    grid(&of_seat(standings.seats()), standings.seat_rows())
}

/// The table of `extra` with its notes; `None` if it is only for games with two players.
fn extra_section(standings: &GroupStandings, extra: Extra, look: Look) -> Option<String> {
    Some(match extra {
        Extra::Ranks => match standings.rank_chances() {
            Some(chances) if chances.is_empty() => lines(vec![ranks_table::NOBODY.to_owned()], look),
            Some(chances) => titled(ranks_table::TITLE, &ranks(standings, &chances), look),
            None => lines(vec![ranks_table::NOT_COMPARABLE.to_owned()], look),
        },
        Extra::HeadToHead => titled(
            "Head to head: how many times the player was placed ahead of the opponent",
            &head_to_head(standings),
            look,
        ),
        Extra::Superiority => {
            let cell = |row, column| superiority(standings, row, column).into();
            titled(
                "Likelihood in % that the row's player is stronger than the column's player",
                &matrix(standings, cell),
                look,
            )
        }
        Extra::Usage => titled(usage_table::TITLE, &usage(standings), look),
        Extra::Fit | Extra::Workers => return None,
    })
}

fn ranks(standings: &GroupStandings, chances: &[RankChances]) -> Grid {
    let mut all: Vec<TableColumn<'_, (&GroupRow, &RankChances)>> = of_player(|(row, _)| row).into();
    all.push(shown_elo().of(|(row, _)| row));
    let figures = ranks_table::columns().into_iter();
    all.extend(figures.map(|column| column.of(|(_, chances): (&GroupRow, &RankChances)| *chances)));
    grid(&all, standings.rows().iter().zip(chances))
}

/// A line for each pair of players that have played together.
fn head_to_head(standings: &GroupStandings) -> Grid {
    let rows = standings.rows();
    let mut columns = vec![
        TableColumn::for_people("#", move |(row, _, _): (usize, usize, Wdl)| rows[row].rank),
        TableColumn::for_people("player", move |(row, _, _): (usize, usize, Wdl)| rows[row].player.as_str()),
        TableColumn::for_people("opponent", move |(_, other, _): (usize, usize, Wdl)| rows[other].player.as_str()),
    ];
    columns.extend(encounter().into_iter().map(|column| column.of(|(_, _, games): (usize, usize, Wdl)| games)));
    let pairs = (0..rows.len()).flat_map(|row| (row + 1..rows.len()).map(move |other| (row, other)));
    let met = pairs.map(|(row, other)| (row, other, standings.placed_before(row, other)));
    grid(&columns, met.filter(|(_, _, games)| games.games() > 0))
}

pub(super) fn usage(standings: &GroupStandings) -> Grid {
    let usage = usage_table::columns().into_iter().map(|column| column.of(|row: &GroupRow| row.into()));
    let columns: Vec<_> = of_player(|row| row).into_iter().chain(usage).collect();
    grid(&columns, standings.rows())
}

/// How many times each player forfeited, by kind; `None` if no player did.
fn forfeits_table(standings: &GroupStandings) -> Option<Grid> {
    let guilty: Vec<&GroupRow> = standings.rows().iter().filter(|row| row.forfeit_count() > 0).collect();
    if guilty.is_empty() {
        return None;
    }
    let kinds = kinds_of_forfeits().filter(|&kind| guilty.iter().any(|row| forfeits(row, kind) > 0));
    let of_kind = |kind: Termination| GroupColumn::for_people(kind.name(), move |row| forfeits(row, kind));
    let mut columns = Vec::from(of_player(|row: &GroupRow| row));
    columns.extend(kinds.map(of_kind).chain([GroupColumn::for_people("all", GroupRow::forfeit_count)]));
    Some(grid(&columns, guilty.iter().copied()))
}

/// How many times each player was placed ahead of each of the others.
pub(super) fn placed_before(standings: &GroupStandings) -> Grid {
    matrix(standings, |row, column| (row != column).then(|| wdl(standings.placed_before(row, column))).into())
}

/// A table of every player against every other, as in the standings of pairs.
fn matrix(standings: &GroupStandings, cell: impl Fn(usize, usize) -> TableCell<'static>) -> Grid {
    let names: Vec<&str> = standings.rows().iter().map(|row| row.player.as_str()).collect();
    super::standings_tables::matrix(&names, cell)
}
