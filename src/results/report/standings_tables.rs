//! Standings for people.

use super::standings_notes::{notes, points};
use super::text_table::{Grid, Look};
use super::{
    Extra, Extras, accuracy_tables, fit_table, format_result_text, head_to_head_tables, ranks_table, usage_table,
    workers_table,
};
use crate::referee::result::Termination;
use crate::results::rating::Wdl;
use crate::results::standings::{PlayerRow, Standings};

/// A crosstable of more players would be wider than any page.
const LARGEST_CROSSTABLE: usize = 26;

/// The main table, the notes, and every further table that has content, with a blank line between them.
pub(super) fn render(standings: &Standings, extras: Extras, look: Look) -> String {
    if standings.counts().all() == 0 {
        return "No games.\n".to_owned();
    }
    let result = standings.run().result.as_ref();
    let mut sections = result.map(|result| format_result_text::sections(result, look)).unwrap_or_default();
    sections.extend([main_table(standings).render(look), notes_section(standings, look)]);
    if let Some(grid) = forfeits(standings) {
        sections.push(titled("Forfeits by kind", &grid, look));
    }
    if (2..=LARGEST_CROSSTABLE).contains(&standings.rows().len()) {
        let cell = |row, column| (row != column).then(|| wdl(standings.versus(row, column)));
        let title = "Won-drawn-lost by the player of the line against the player of the column";
        sections.push(titled(title, &matrix(standings, cell), look));
    }
    for extra in Extra::ALL.into_iter().filter(|&extra| extras.has(extra)) {
        sections.extend(extra_sections(standings, extra, look));
    }
    sections.extend(accuracy(standings, look));
    sections.join("\n")
}

fn titled(title: &str, grid: &Grid, look: Look) -> String {
    let end = match look {
        Look::Plain => "\n",
        Look::Markdown => ":\n\n",
    };
    format!("{title}{end}{}", grid.render(look))
}

/// The tables of `extra`, with what there is to say about them.
fn extra_sections(standings: &Standings, extra: Extra, look: Look) -> Vec<String> {
    match extra {
        Extra::Ranks => match standings.rank_chances() {
            Some(chances) if chances.is_empty() => vec![lines(vec![ranks_table::NOBODY.to_owned()], look)],
            Some(chances) => vec![titled(ranks_table::TITLE, &ranks_table::grid(standings, &chances), look)],
            None => vec![lines(vec![ranks_table::NOT_COMPARABLE.to_owned()], look)],
        },
        Extra::HeadToHead => {
            let met = standings.head_to_head();
            let all = head_to_head_tables::all_grid(standings, &standings.opposition(&met));
            let each = head_to_head_tables::grid(standings, &met);
            vec![titled(head_to_head_tables::ALL_TITLE, &all, look), titled(head_to_head_tables::TITLE, &each, look)]
        }
        Extra::Fit => {
            let met = standings.head_to_head();
            let goodness = standings.goodness(&met);
            let notes = lines(fit_table::notes(&goodness), look);
            let worst = || titled(fit_table::TITLE, &fit_table::grid(standings, &met), look);
            std::iter::once(notes).chain(goodness.p_value.map(|_| worst())).collect()
        }
        Extra::Superiority => {
            let cell = |row, column| standings.superiority(row, column).map(|los| format!("{:.1}", 100.0 * los));
            let title = "Likelihood in % that the player of the line is stronger than the player of the column";
            vec![titled(title, &matrix(standings, cell), look)]
        }
        Extra::Usage => vec![titled(usage_table::TITLE, &usage_table::grid(standings), look)],
        Extra::Workers => match standings.machines() {
            Some(rows) => vec![
                titled(workers_table::TITLE, &workers_table::grid(rows), look),
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

fn main_table(standings: &Standings) -> Grid {
    let pooled = standings.components() > 1;
    let mut header = vec!["#", "player", "Elo", "±95%", "games", "W", "D", "L", "points", "margin"];
    header.extend(["as black", "as white"]);
    if pooled {
        header.push("comp.");
    }
    let mut grid = Grid::new(header);
    for row in standings.rows() {
        let total = row.total();
        let mut cells = vec![
            row.shown_rank("-"),
            row.player.clone(),
            format!("{:.1}", row.shown_rating("-")),
            row.error95.map_or_else(|| "-".to_owned(), |bar| format!("{bar:.1}")),
            total.games().to_string(),
            total.wins.to_string(),
            total.draws.to_string(),
            total.losses.to_string(),
            points(total),
            format!("{:+}", row.margin).replace("+0", "0"),
            wdl(row.by_side.black),
            wdl(row.by_side.white),
        ];
        if pooled {
            cells.push(row.rated_component().map_or_else(|| "-".to_owned(), |component| component.to_string()));
        }
        grid.push(cells);
    }
    grid
}

fn notes_section(standings: &Standings, look: Look) -> String {
    lines(notes(standings, look), look)
}

/// Notes, one per line.
fn lines(notes: Vec<String>, look: Look) -> String {
    let prefix = match look {
        Look::Plain => "",
        Look::Markdown => "- ",
    };
    let lines: Vec<String> = notes.into_iter().map(|note| format!("{prefix}{note}")).collect();
    lines.join("\n") + "\n"
}

/// How often each player forfeited, by kind; `None` if no player did.
fn forfeits(standings: &Standings) -> Option<Grid> {
    let guilty: Vec<&PlayerRow> = standings.rows().iter().filter(|row| row.forfeit_count() > 0).collect();
    if guilty.is_empty() {
        return None;
    }
    let count = |row: &PlayerRow, kind| row.forfeits.get(&kind).copied().unwrap_or(0);
    let kinds: Vec<Termination> =
        Termination::ALL.into_iter().filter(|&kind| guilty.iter().any(|row| count(row, kind) > 0)).collect();
    let header = ["#", "player"].into_iter().chain(kinds.iter().map(|kind| kind.name())).chain(["all"]);
    let mut grid = Grid::new(header);
    for row in guilty {
        let mut cells = vec![row.shown_rank("-"), row.player.clone()];
        cells.extend(kinds.iter().map(|&kind| count(row, kind).to_string()));
        cells.push(row.forfeit_count().to_string());
        grid.push(cells);
    }
    Some(grid)
}

/// Every player against every other. The columns are line numbers, because ranks may be shared.
fn matrix(standings: &Standings, cell: impl Fn(usize, usize) -> Option<String>) -> Grid {
    let players = standings.rows().len();
    let numbers = (1..=players).map(|number| number.to_string());
    let mut grid = Grid::new(["line".to_owned(), "player".to_owned()].into_iter().chain(numbers));
    for (index, row) in standings.rows().iter().enumerate() {
        let mut cells = vec![(index + 1).to_string(), row.player.clone()];
        cells.extend((0..players).map(|column| cell(index, column).unwrap_or_else(|| "-".to_owned())));
        grid.push(cells);
    }
    grid
}

/// `5-1-2`, or a dash if there was no game.
fn wdl(games: Wdl) -> String {
    let Wdl { wins, draws, losses } = games;
    if games.games() == 0 { "-".to_owned() } else { format!("{wins}-{draws}-{losses}") }
}

#[cfg(test)]
mod tests;
