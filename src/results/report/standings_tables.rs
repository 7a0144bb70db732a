//! Standings for people.

use super::standings_notes::{notes, points};
use super::text_table::{Grid, Look};
use super::{Extras, accuracy_tables, format_result_text, usage_table};
use crate::referee::result::Termination;
use crate::results::rating::Wdl;
use crate::results::standings::{PlayerRow, Standings};

/// A crosstable of more players would be wider than any page.
const LARGEST_CROSSTABLE: usize = 26;

/// The main table, the notes, and every further table that has content, with a blank line between them.
pub(super) fn render(standings: &Standings, extras: Extras, look: Look) -> String {
    if standings.rows().is_empty() {
        return "No games.\n".to_owned();
    }
    let result = standings.run().result.as_ref();
    let mut sections = result.map(|result| format_result_text::sections(result, look)).unwrap_or_default();
    sections.extend([main_table(standings).render(look), notes_section(standings, look)]);
    let mut titled = |title: &str, grid: Grid| {
        let title = match look {
            Look::Plain => format!("{title}\n"),
            Look::Markdown => format!("{title}:\n\n"),
        };
        sections.push(title + &grid.render(look));
    };
    if let Some(grid) = forfeits(standings) {
        titled("Forfeits by kind", grid);
    }
    if (2..=LARGEST_CROSSTABLE).contains(&standings.rows().len()) {
        let cell = |row, column| (row != column).then(|| wdl(standings.versus(row, column)));
        titled("Won-drawn-lost by the player of the line against the player of the column", matrix(standings, cell));
    }
    if extras.superiority {
        let cell = |row, column| standings.superiority(row, column).map(|los| format!("{:.1}", 100.0 * los));
        titled(
            "Likelihood in % that the player of the line is stronger than the player of the column",
            matrix(standings, cell),
        );
    }
    if extras.usage {
        titled(usage_table::TITLE, usage_table::grid(standings));
    }
    let judged: Vec<_> =
        standings.rows().iter().filter_map(|row| Some((row.rank, row.player.as_str(), row.accuracy?))).collect();
    if !judged.is_empty() {
        for (title, grid) in accuracy_tables::tables(&judged) {
            titled(title, grid);
        }
        sections.push(lines(accuracy_tables::notes(judged.iter().map(|&(_, _, accuracy)| accuracy)), look));
    }
    sections.join("\n")
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
            row.rank.to_string(),
            row.player.clone(),
            format!("{:.1}", row.rating),
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
            cells.push(row.component.to_string());
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
        let mut cells = vec![row.rank.to_string(), row.player.clone()];
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
