//! The table of all players.

use maud::{Markup, html};

use super::section_title;
use crate::results::page::data::{PageData, PagePlayer};
use crate::results::standings::{PlayerRow, Standings};

pub(super) fn section(data: &PageData, standings: &Standings) -> Markup {
    let rows = standings.rows();
    let scale = BarScale::of(rows);
    html! {
        section id="standings" {
            (section_title("standings", "Standings"))
            table {
                caption { "All players, the best first" }
                thead { tr {
                    th scope="col" { "#" }
                    th scope="col" { "player" }
                    th scope="col" { "Elo" }
                    th scope="col" { "±95 %" }
                    th scope="col" { "from " (scale.least) " to " (scale.most) }
                    th scope="col" { "games" }
                    th scope="col" { "W-D-L" }
                    th scope="col" { "points" }
                    th scope="col" { "forfeits" }
                } }
                tbody {
                    @for (index, (row, player)) in rows.iter().zip(&data.players).enumerate() {
                        (line(index, row, player, &scale))
                    }
                }
            }
        }
    }
}

fn line(index: usize, row: &PlayerRow, player: &PagePlayer, scale: &BarScale) -> Markup {
    let total = row.total();
    html! {
        tr data-p=(index) {
            td { (row.rank) }
            th scope="row" { a href={ "#p=" (player.slug) } { (player.name) } }
            td { (format!("{:+.0}", row.rating)) }
            td { (row.error95.map_or_else(|| "–".to_owned(), |bar| format!("{bar:.0}"))) }
            td { (scale.bar(row)) }
            td { (total.games()) }
            td { (total.wins) "-" (total.draws) "-" (total.losses) }
            td { (points(total.half_points())) }
            td { (row.forfeit_count()) }
        }
    }
}

/// `7` or `7.5`.
pub(super) fn points(half_points: u64) -> String {
    format!("{}{}", half_points / 2, if half_points % 2 == 1 { ".5" } else { "" })
}

/// From which Elo to which the error bars reach.
struct BarScale {
    least: i64,
    most: i64,
}

impl BarScale {
    /// The width of a bar's picture, in its own units.
    const WIDTH: f64 = 200.0;

    fn of(rows: &[PlayerRow]) -> Self {
        let bar = |row: &PlayerRow| row.error95.map_or(0.0, |bar| bar.0);
        let ends = rows.iter().map(|row| row.rating.elo().0.abs() + bar(row)).fold(0.0, f64::max);
        #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any rating")]
        let reach = ((ends / 100.0).ceil().max(1.0) * 100.0) as i64;
        Self { least: -reach, most: reach }
    }

    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    fn place(&self, elo: f64) -> f64 {
        let (least, most) = (self.least as f64, self.most as f64);
        ((elo.clamp(least, most) - least) / (most - least) * Self::WIDTH * 10.0).round() / 10.0
    }

    fn bar(&self, row: &PlayerRow) -> Markup {
        let (elo, half) = (row.rating.elo().0, row.error95.map_or(0.0, |bar| bar.0));
        let (from, to, zero, at) = (self.place(elo - half), self.place(elo + half), self.place(0.0), self.place(elo));
        html! {
            svg class="bar" viewBox="0 0 200 16" width="200" height="16" aria-hidden="true" {
                line x1=(zero) y1="0" x2=(zero) y2="16" stroke="currentColor" stroke-opacity="0.3" {}
                line x1=(from) y1="8" x2=(to) y2="8" stroke="currentColor" stroke-width="2" {}
                circle cx=(at) cy="8" r="4" fill="currentColor" {}
            }
        }
    }
}
