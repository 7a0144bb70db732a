//! Standings for people.

use super::column::{TableCell, TableColumn, grid};
use super::standings_columns::{forfeits, of_player, own, superiority, wdl};
use super::standings_notes::notes;
use super::text_table::{Grid, Look};
use super::{
    Extra, Extras, accuracy_tables, fit_table, format_result_text, head_to_head_tables, ranks_table, usage_table,
    workers_table,
};
use crate::referee::result::Termination;
use crate::results::standings::{PlayerRow, Standings};

/// The maximum number of players in a crosstable: with more players, it would be wider than any page.
pub(super) const LARGEST_CROSSTABLE: usize = 26;

/// The main table, the notes, and every other table that is not empty, with a blank line between them.
pub(super) fn render(standings: &Standings, extras: Extras, look: Look) -> String {
    if standings.counts().all() == 0 {
        return "No games.\n".to_owned();
    }
    let result = standings.run().result.as_ref();
    let mut sections = result.map(|result| format_result_text::sections(result, look)).unwrap_or_default();
    sections.extend([
        grid(&own(standings), standings.rows()).render(look),
        lines(notes(standings, extras.explains(), look), look),
    ]);
    if let Some(grid) = forfeits_table(standings) {
        sections.push(titled("Forfeits by kind", &grid, look));
    }
    if (2..=LARGEST_CROSSTABLE).contains(&standings.rows().len()) {
        let cell = |row, column| (row != column).then(|| wdl(standings.versus(row, column))).into();
        let title = "Won-drawn-lost by the row's player against the column's player";
        sections.push(titled(title, &matrix(&names(standings), cell), look));
    }
    sections.extend(further(standings, extras, look));
    sections.join("\n")
}

/// The tables of `extras`, and how accurately players played, if games were judged.
pub(super) fn further(standings: &Standings, extras: Extras, look: Look) -> Vec<String> {
    let asked = Extra::ALL.into_iter().filter(|&extra| extras.has(extra));
    let tables = asked.flat_map(|extra| extra_sections(standings, extra, look));
    tables.chain(accuracy(standings, look)).collect()
}

/// A table under its title.
pub(super) fn titled(title: &str, grid: &Grid, look: Look) -> String {
    let end = match look {
        Look::Plain => "\n",
        Look::Markdown => ":\n\n",
    };
    format!("{title}{end}{}", grid.render(look))
}

/// The tables of `extra`, with their notes.
fn extra_sections(standings: &Standings, extra: Extra, look: Look) -> Vec<String> {
    match extra {
        Extra::Ranks => match standings.rank_chances() {
            Some(chances) if chances.is_empty() => vec![lines(vec![ranks_table::NOBODY.to_owned()], look)],
            Some(chances) => vec![titled(ranks_table::TITLE, &ranks_table::table(standings, &chances), look)],
            None => vec![lines(vec![ranks_table::NOT_COMPARABLE.to_owned()], look)],
        },
        Extra::HeadToHead => {
            let met = standings.head_to_head();
            let all = head_to_head_tables::all_table(standings, &standings.opposition(&met));
            let each = head_to_head_tables::table(standings, &met);
            vec![titled(head_to_head_tables::ALL_TITLE, &all, look), titled(head_to_head_tables::TITLE, &each, look)]
        }
        Extra::Fit => {
            let met = standings.head_to_head();
            let goodness = standings.goodness(&met);
            let notes = lines(fit_table::notes(&goodness), look);
            let worst = || titled(fit_table::TITLE, &fit_table::table(standings, &met), look);
            std::iter::once(notes).chain(goodness.p_value.map(|_| worst())).collect()
        }
        Extra::Superiority => {
            let cell = |row, column| superiority(standings, row, column).into();
            let title = "Likelihood in % that the row's player is stronger than the column's player";
            vec![titled(title, &matrix(&names(standings), cell), look)]
        }
        Extra::Usage => vec![titled(usage_table::TITLE, &usage_table::table(standings), look)],
        Extra::Workers => match standings.machines() {
            Some(rows) => vec![
                titled(workers_table::TITLE, &workers_table::table(rows), look),
                lines(workers_table::notes(rows, &standings.goodness(&standings.head_to_head()), look), look),
            ],
            None => vec![lines(vec![workers_table::UNKNOWN.to_owned()], look)],
        },
    }
}

/// How accurately players played, if games were judged.
fn accuracy(standings: &Standings, look: Look) -> Vec<String> {
    let judged =
        standings.rows().iter().filter_map(|row| Some((row.shown_rank("-"), row.player.as_str(), row.accuracy?)));
    let judged: Vec<_> = judged.collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let tables = accuracy_tables::tables(&judged).map(|(title, grid)| titled(title, &grid, look));
    let notes = accuracy_tables::notes(judged.iter().map(|(_, _, accuracy)| *accuracy));
    tables.into_iter().chain([lines(notes, look)]).collect()
}

/// Notes, one per line.
pub(super) fn lines(notes: Vec<String>, look: Look) -> String {
    let prefix = match look {
        Look::Plain => "",
        Look::Markdown => "- ",
    };
    let lines: Vec<String> = notes.into_iter().map(|note| format!("{prefix}{note}")).collect();
    lines.join("\n") + "\n"
}

/// How many times each player forfeited, by kind; `None` if no player did.
fn forfeits_table(standings: &Standings) -> Option<Grid> {
    let guilty: Vec<&PlayerRow> = standings.rows().iter().filter(|row| row.forfeit_count() > 0).collect();
    if guilty.is_empty() {
        return None;
    }
    let kinds = Termination::ALL.into_iter().filter(|&kind| guilty.iter().any(|row| forfeits(row, kind) > 0));
    let of_kind = |kind: Termination| TableColumn::for_people(kind.name(), move |row| forfeits(row, kind));
    let mut columns = Vec::from(of_player(|row: &PlayerRow| row));
    columns.extend(kinds.map(of_kind).chain([TableColumn::for_people("all", PlayerRow::forfeit_count)]));
    Some(grid(&columns, guilty.iter().copied()))
}

/// A table of every player against every other, by their names. The columns are headed by line numbers, because several
/// players may share a rank.
pub(super) fn matrix(names: &[&str], cell: impl Fn(usize, usize) -> TableCell<'static>) -> Grid {
    let cell = &cell;
    let mut columns = vec![
        TableColumn::for_people("line", |row: usize| row + 1),
        TableColumn::for_people("player", |row: usize| names[row]),
    ];
    let number = |column: usize| (column + 1).to_string();
    columns
        .extend((0..names.len()).map(|column| TableColumn::for_people(number(column), move |row| cell(row, column))));
    grid(&columns, 0..names.len())
}

/// The players of `standings`.
fn names(standings: &Standings) -> Vec<&str> {
    standings.rows().iter().map(|row| row.player.as_str()).collect()
}

#[cfg(test)]
mod tests;
