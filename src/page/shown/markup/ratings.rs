//! The ratings over time: a chart of the best players' ratings, and a table of its data.

use maud::{Markup, html};

use super::{section_title, signed};
use crate::base::digits::rounded;
use crate::base::units::grouped;
use crate::page::shown::content::PageContent;
use crate::page::shown::data::PageData;
use crate::page::shown::kind::PageKind;
use crate::page::shown::prose::prose;
use crate::results::report::page_notes;

/// The maximum number of players in the picture: more lines would be indistinguishable.
const LINES: usize = 8;

/// The maximum number of players in the table.
const COLUMNS: usize = 12;

/// The maximum number of rows in the table. The data contains all cuts.
const ROWS: usize = 10;

/// The minimum number of games for a history: with fewer, the picture would be a few meaningless strokes.
const LEAST_GAMES: usize = 10;

/// The colour and the dashes of each line. The colours have enough contrast on light and on dark pages.
const STROKES: [(&str, &str); LINES] = [
    ("#2b7bb9", "none"),
    ("#d1600f", "none"),
    ("#1b8f6c", "none"),
    ("#a45bb5", "none"),
    ("#2b7bb9", "6 3"),
    ("#d1600f", "6 3"),
    ("#1b8f6c", "6 3"),
    ("#a45bb5", "6 3"),
];

/// The section of the ratings over time and of the first move. A report without either does not have it; a live page
/// says in it how old it is.
pub(super) fn section(kind: PageKind, content: &PageContent<'_>) -> Markup {
    let data = content.data;
    let unknown =
        (kind == PageKind::Live).then(|| "The games so far do not show the value of the first move.".to_owned());
    let first_move = page_notes(content.standings).first_move.or(unknown);
    let has_chart = data.over.at.len() > 1 && data.over.at.last().is_some_and(|&games| games >= LEAST_GAMES);
    html! {
        @if has_chart || first_move.is_some() {
            section id="ratings" {
                @if has_chart {
                    (section_title("ratings", "Ratings over time"))
                    (picture(data))
                    (legend(data))
                    (table(data))
                } @else {
                    (section_title("ratings", "First move"))
                }
                @if let Some(first_move) = &first_move {
                    @if has_chart { h3 { "First move" } }
                    p { (prose(first_move)) }
                }
            }
        }
    }
}

/// What the axes of the picture are, and whose lines it shows.
fn legend(data: &PageData) -> Markup {
    let players = data.players.len();
    html! {
        p class="legend" {
            "Vertical: Elo. Horizontal: games played."
            @if players > LINES { " The best " (LINES) " of " (players) " players." }
        }
    }
}

/// The frame of the picture, in its own units. The names beside it are a separate picture, which is hidden on a phone.
const WIDTH: f64 = 558.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

/// Converts numbers of games and Elo to positions in the picture.
struct Axes {
    games: usize,
    least: i64,
    most: i64,
    step: i64,
}

impl Axes {
    fn of(data: &PageData, lines: usize) -> Self {
        let known = || data.over.elo[..lines].iter().flatten().flatten().copied();
        let (least, most) = (known().min().unwrap_or(0).min(0), known().max().unwrap_or(0).max(0));
        // There are three to eight horizontal lines.
        let step = [50, 100, 200, 500, 1000].into_iter().find(|step| (most - least) / step < 8).unwrap_or(2000);
        let (least, most) = (least.div_euclid(step) * step, (most + step - 1).div_euclid(step) * step);
        Self { games: data.over.at.last().copied().unwrap_or(1), least, most: most.max(least + step), step }
    }

    #[expect(clippy::cast_precision_loss, reason = "a picture is not that fine")]
    fn x(&self, games: usize) -> f64 {
        rounded(LEFT + games as f64 / self.games as f64 * (WIDTH - LEFT - RIGHT), 1)
    }

    #[expect(clippy::cast_precision_loss, reason = "a picture is not that fine")]
    fn y(&self, elo: i64) -> f64 {
        let share = (elo - self.least) as f64 / (self.most - self.least) as f64;
        rounded(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)
    }

    /// The numbers of games with a mark on the axis: multiples of a round number, at most six of them.
    fn marks(&self) -> impl Iterator<Item = usize> {
        let round = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
        let step = round.into_iter().find(|step| self.games / step <= 6).unwrap_or(self.games);
        (0..=self.games).step_by(step)
    }

    /// The Elo of the horizontal lines.
    fn rules(&self) -> impl Iterator<Item = i64> {
        let step = usize::try_from(self.step).unwrap_or(1);
        (self.least..=self.most).step_by(step)
    }
}

fn picture(data: &PageData) -> Markup {
    let lines = data.players.len().min(LINES);
    let axes = Axes::of(data, lines);
    let labels = labels(data, lines, &axes);
    html! {
        div class="rating-history" {
            svg class="lines" viewBox="0 0 558 280" width="558" height="280" role="img"
                data-box={ (LEFT) " " (TOP) " " (WIDTH - RIGHT) " " (HEIGHT - BOTTOM) } data-elo={ (axes.least) " " (axes.most) }
                aria-label="Elo of the best players over the course of the games. The table below lists the numbers." {
                @for elo in axes.rules() {
                    line class="rule" x1=(LEFT) x2=(WIDTH - RIGHT) y1=(axes.y(elo)) y2=(axes.y(elo))
                        stroke="currentColor" stroke-opacity="0.2" {}
                    text class="tick" x=(LEFT - 6.0) y=(axes.y(elo) + 4.0) text-anchor="end" fill="currentColor" font-size="12" {
                        (signed(elo))
                    }
                }
                @for &(index, _) in &labels {
                    path data-p=(index) d=(path(data, index, &axes)) fill="none" stroke=(STROKES[index].0)
                        stroke-dasharray=(STROKES[index].1) stroke-width="2" {}
                }
                @for games in axes.marks() {
                    line class="rule" x1=(axes.x(games)) x2=(axes.x(games)) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM + 4.0)
                        stroke="currentColor" stroke-opacity="0.2" {}
                    text class="tick" x=(axes.x(games)) y=(HEIGHT - 8.0) text-anchor="middle" fill="currentColor" font-size="12" {
                        (grouped(games as u64))
                    }
                }
            }
            svg class="names" viewBox="0 0 162 280" width="162" height="280" aria-hidden="true" {
                @for &(index, place) in &labels {
                    (stroke(index, place))
                    text x="26" y=(place + 4.0) fill="currentColor" font-size="12" {
                        (shortened(&data.players[index].name))
                    }
                }
            }
            ul class="names" {
                @for &(index, _) in &labels {
                    li {
                        svg viewBox="0 0 20 8" width="20" height="8" aria-hidden="true" { (stroke(index, 4.0)) }
                        " " (data.players[index].name)
                    }
                }
            }
        }
    }
}

/// The stroke of player `index`, to be shown next to the player's name.
fn stroke(index: usize, y: f64) -> Markup {
    let (colour, dashes) = STROKES[index];
    html! { line x1="0" x2="20" y1=(y) y2=(y) stroke=(colour) stroke-dasharray=(dashes) stroke-width="2" {} }
}

/// The line of player `index`.
fn path(data: &PageData, index: usize, axes: &Axes) -> String {
    let places = data.over.at.iter().zip(&data.over.elo[index]);
    let places = places.filter_map(|(&games, elo)| Some(format!("{} {}", axes.x(games), axes.y((*elo)?))));
    format!("M{}", places.collect::<Vec<_>>().join("L"))
}

/// The positions for the names of the first `lines` players: next to their last ratings, but not on top of each other.
fn labels(data: &PageData, lines: usize, axes: &Axes) -> Vec<(usize, f64)> {
    const APART: f64 = 16.0;
    let end = |index: usize| data.over.elo[index].last().copied().flatten();
    let mut places: Vec<(usize, f64)> =
        (0..lines).filter_map(|index| end(index).map(|elo| (index, axes.y(elo)))).collect();
    places.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut least = TOP;
    for (_, place) in &mut places {
        *place = place.max(least);
        least = *place + APART;
    }
    let mut most = HEIGHT - BOTTOM;
    for (_, place) in places.iter_mut().rev() {
        *place = rounded(place.min(most), 1);
        most = *place - APART;
    }
    places
}

/// `name`, truncated to fit next to the picture.
fn shortened(name: &str) -> String {
    const MOST: usize = 18;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

fn table(data: &PageData) -> Markup {
    let columns = data.players.len().min(COLUMNS);
    let cuts = data.over.at.len();
    // Cuts are counted from the end, so the last cut is always shown.
    let is_shown = |cut: usize| (cuts - 1 - cut).is_multiple_of(cuts.div_ceil(ROWS));
    html! {
        details {
            summary { "The numbers" }
            div class="scroll" { table {
                caption {
                    "Elo ±95% after the number of games in the first column"
                    @if columns < data.players.len() { ", for the best " (columns) " players" }
                }
                thead { tr {
                    th scope="col" class="num" { "games" }
                    @for player in &data.players[..columns] { th scope="col" class="num" { (player.name) } }
                } }
                tbody {
                    @for (cut, games) in data.over.at.iter().enumerate().filter(|&(cut, _)| is_shown(cut)) {
                        tr {
                            th scope="row" class="num" { (grouped(*games as u64)) }
                            @for player in 0..columns { td { (numbers(data, player, cut)) } }
                        }
                    }
                }
            } }
        }
    }
}

/// `+312 ± 40`.
fn numbers(data: &PageData, player: usize, cut: usize) -> String {
    match (data.over.elo[player][cut], data.over.e95[player][cut]) {
        (None, _) => "–".to_owned(),
        (Some(elo), None) => signed(elo),
        (Some(elo), Some(bar)) => format!("{} ± {bar}", signed(elo)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_has_at_most_seven_marks_at_round_numbers_of_games() {
        let marks = |games| Axes { games, least: 0, most: 100, step: 50 }.marks().collect::<Vec<_>>();
        assert_eq!(marks(10), [0, 2, 4, 6, 8, 10]);
        assert_eq!(marks(72), [0, 20, 40, 60]);
        assert_eq!(marks(3120), [0, 500, 1000, 1500, 2000, 2500, 3000]);
        assert!((1..5000).all(|games| marks(games).len() <= 7));
    }
}
