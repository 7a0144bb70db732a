//! The summary of standings for a screen: who won, a table that fits, and what the games do not show yet.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::headline::{Contest, level_sets};
use super::standings_columns::wdl;
use super::text_table::{Grid, Look};
use super::{Extras, group_notes, group_tables, standings_notes, standings_tables};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::base::wrapping::{columns_of, cut, wrapped};
use crate::game::Side;
use crate::referee::result::Termination;
use crate::results::rating::Elo;
use crate::results::replay::Style;
use crate::results::standings::{FieldStandings, GroupRow, GroupStandings, PlayerRow, Standings};

/// The minimum width of a table. On a narrower screen, the lines of the table are broken.
const LEAST_WIDTH: usize = 40;

/// The ANSI codes for the text about forfeits.
const RED: &str = "1;31";

/// The width of the indentation of the table.
const MARGIN: &str = "  ";

/// The data about a player that the summary needs.
struct SummaryRow<'s> {
    rank: Option<usize>,
    player: &'s str,
    /// The Elo and its error, as text.
    elo: [String; 2],
    half_points: u64,
    /// The cells of the columns that differ between games with two seats and games with more.
    others: Vec<String>,
    forfeits: &'s BTreeMap<Termination, u64>,
}

/// The data about standings that the summary needs.
struct SummaryParts<'s> {
    rows: Vec<SummaryRow<'s>>,
    /// The headings of the cells in [`SummaryRow::others`], the most important first.
    headings: Vec<&'static str>,
    contest: Contest<'s>,
    notes: Vec<String>,
    tables: Vec<String>,
}

/// The summary of `standings` with the tables of `extras`, for a screen that is `width` columns wide.
pub fn summary(standings: &FieldStandings, extras: Extras, width: usize, style: Style) -> String {
    let parts = match standings {
        FieldStandings::Pairs(standings) => of_pairs(standings, extras),
        FieldStandings::Groups(standings) => of_groups(standings, extras),
    };
    let width = width.max(LEAST_WIDTH);
    let mut text = style.bold(&wrapped(&sanitised(&parts.contest.headline()), width)) + "\n";
    let (facts, has_forfeits) = facts(&parts);
    let facts = wrapped(&sanitised(&facts), width);
    text += &if has_forfeits { style.paint(RED, &facts) } else { facts };
    text += "\n\n";
    text += &table(&parts, width, style);
    text += "\n";
    for note in &parts.notes {
        text += &(wrapped(&format!("{MARGIN}{note}"), width) + "\n");
    }
    parts.tables.iter().fold(text, |text, table| text + "\n" + table)
}

fn of_pairs(standings: &Standings, extras: Extras) -> SummaryParts<'_> {
    let has_components = standings.components() > 1;
    let mut notes =
        Vec::from_iter(not_told_apart(standings.rows().len(), |row, other| standings.superiority(row, other)));
    notes.extend(standings_notes::first_move(standings));
    notes.extend(standings_notes::on_ratings(&standings.rating_facts(), "wins and draws"));
    notes.extend(standings_notes::unrated(standings));
    notes.extend(standings_notes::on_games(standings, Look::Plain));
    let components = if has_components { &["comp."][..] } else { &[] };
    SummaryParts {
        rows: standings.rows().iter().map(|row| summary_row(row, has_components)).collect(),
        headings: [&["W-D-L"][..], components, &["as black", "as white"]].concat(),
        contest: Contest::of_pairs(standings),
        notes,
        tables: standings_tables::further(standings, extras, Look::Plain),
    }
}

/// The data that the summary needs about the player in `row`, including its component only if there are several.
fn summary_row(row: &PlayerRow, has_components: bool) -> SummaryRow<'_> {
    let component = row.rated_component().map_or_else(|| "-".to_owned(), |component| component.to_string());
    let mut others = vec![wdl(row.total())];
    others.extend(has_components.then_some(component));
    others.extend(Side::BOTH.map(|side| wdl(row.by_side[side])));
    SummaryRow {
        rank: row.rank,
        player: &row.player,
        elo: [format!("{:+.0}", row.shown_rating("-")), error(row.error95)],
        half_points: row.total().half_points(),
        others,
        forfeits: &row.forfeits,
    }
}

fn of_groups(standings: &GroupStandings, extras: Extras) -> SummaryParts<'_> {
    let mut notes =
        Vec::from_iter(not_told_apart(standings.rows().len(), |row, other| standings.superiority(row, other)));
    notes.extend(standings_notes::on_ratings(&standings.rating_facts(), group_notes::RESULTS));
    notes.extend(group_notes::unrated(standings));
    notes.extend(group_notes::on_games(standings));
    notes.extend(standings_notes::missing(standings.run(), Look::Plain));
    SummaryParts {
        rows: standings.rows().iter().map(row_of_group).collect(),
        headings: vec!["games", "mean place", "first"],
        contest: Contest::of_groups(standings),
        notes,
        tables: group_tables::further(standings, extras, Look::Plain),
    }
}

/// The data that the summary needs about a player of games with more than two seats.
fn row_of_group(row: &GroupRow) -> SummaryRow<'_> {
    let mean = row.total.mean_placing().map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"));
    let first = row.total.places.first().copied().unwrap_or_default();
    SummaryRow {
        rank: row.rank,
        player: &row.player,
        elo: [format!("{:+.0}", row.shown_rating("-")), error(row.error95)],
        half_points: row.total.half_points,
        others: vec![row.total.games.to_string(), mean, first.to_string()],
        forfeits: &row.forfeits,
    }
}

fn error(error: Option<Elo>) -> String {
    error.map_or_else(|| "-".to_owned(), |error| format!("{error:.0}"))
}

/// The sentence that says how many games there are and who forfeited, and whether any player did.
fn facts(parts: &SummaryParts<'_>) -> (String, bool) {
    let guilty = |row: &SummaryRow<'_>| -> Option<(u64, String)> {
        let all: u64 = row.forfeits.values().sum();
        let kinds: Vec<String> = row.forfeits.iter().map(|(kind, times)| format!("{times} {kind}")).collect();
        (all > 0).then(|| (all, format!("{} {}", row.player, kinds.join(", "))))
    };
    let mut guilty: Vec<(u64, String)> = parts.rows.iter().filter_map(guilty).collect();
    guilty.sort_by_key(|(all, _)| std::cmp::Reverse(*all));
    let games = counted(parts.contest.games, "game");
    if guilty.is_empty() {
        return (format!("{games}, no forfeits"), false);
    }
    let all: u64 = guilty.iter().map(|(all, _)| all).sum();
    let each: Vec<&str> = guilty.iter().map(|(_, text)| text.as_str()).collect();
    (format!("{games}, {}: {}", counted(all, "forfeit"), each.join("; ")), true)
}

/// The table, with as many columns as fit into `width`. Names are cut if nothing else helps.
fn table(parts: &SummaryParts<'_>, width: usize, style: Style) -> String {
    let mut shown = parts.headings.len();
    let mut names = parts.rows.iter().map(|row| columns_of(&sanitised(row.player))).max().unwrap_or_default();
    loop {
        let text = grid(parts, shown, names).render(Look::Plain);
        let needed = MARGIN.len() + text.lines().map(columns_of).max().unwrap_or_default();
        // The heading of the names is wider than the shortest names.
        let least = columns_of("player");
        if needed > width && shown > 1 {
            shown -= 1;
        } else if needed > width && names > least {
            names = names.saturating_sub(needed - width).max(least);
        } else {
            return painted(parts, &text, style);
        }
    }
}

fn grid(parts: &SummaryParts<'_>, shown: usize, names: usize) -> Grid {
    let error_width = parts.rows.iter().map(|row| columns_of(&row.elo[1])).max().unwrap_or_default();
    let mut header = ["#", "player", "Elo ±95%", "points"].map(str::to_owned).to_vec();
    header.extend(parts.headings[..shown].iter().map(|&heading| heading.to_owned()));
    let cells = |row: &SummaryRow<'_>| {
        let name = sanitised(row.player);
        let name = if columns_of(&name) > names { cut(&name, names.saturating_sub(1)) + "~" } else { name };
        let [elo, error] = &row.elo;
        let rank = row.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string());
        let mut cells = vec![rank, name, format!("{elo} ± {error:>error_width$}"), points(row.half_points)];
        cells.extend(row.others[..shown].iter().cloned());
        cells
    };
    Grid { header, rows: parts.rows.iter().map(cells).collect() }
}

/// Points with one decimal, so that the points of a column are aligned.
fn points(half_points: u64) -> String {
    format!("{}.{}", half_points / 2, if half_points % 2 == 1 { 5 } else { 0 })
}

/// The lines of a table, indented by the margin, with the first players in bold.
fn painted(parts: &SummaryParts<'_>, text: &str, style: Style) -> String {
    /// The header and the line below it.
    const ABOVE: usize = 2;
    let line = |(index, line): (usize, &str)| {
        let row = index.checked_sub(ABOVE).and_then(|row| parts.rows.get(row));
        let is_first = row.is_some_and(|row| row.rank == Some(1));
        let line = if is_first { style.bold(line) } else { line.to_owned() };
        format!("{MARGIN}{line}\n")
    };
    text.lines().enumerate().map(line).collect()
}

/// Which of the best of `rows` players the games cannot tell apart. `superiority` returns the likelihood that one
/// player is stronger than another.
fn not_told_apart(rows: usize, superiority: impl Fn(usize, usize) -> Option<f64>) -> Option<String> {
    let &(first, last) = level_sets(rows, superiority).first()?;
    let joined = if last == first + 1 { "and" } else { "to" };
    Some(format!("The games cannot tell places {} {joined} {} apart (95%).", first + 1, last + 1))
}
