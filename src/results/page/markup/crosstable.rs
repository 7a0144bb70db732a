//! The results of every player against every other.

use maud::{Markup, html};

use super::section_title;
use crate::results::page::data::PageData;
use crate::results::rating::Wdl;
use crate::results::standings::Standings;

pub(super) fn section(data: &PageData, standings: &Standings) -> Markup {
    let players = &data.players;
    html! {
        section id="crosstable" {
            (section_title("crosstable", "Crosstable"))
            table class="heat" {
                caption { "Won-drawn-lost by the player of the line against the player of the column" }
                thead { tr {
                    th scope="col" { "player" }
                    @for number in 1..=players.len() { th scope="col" { (number) } }
                } }
                tbody {
                    @for (index, player) in players.iter().enumerate() {
                        tr {
                            th scope="row" { (index + 1) ". " a href={ "#p=" (player.slug) } { (player.name) } }
                            @for other in 0..players.len() { (cell(index, other, standings.versus(index, other))) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(row: usize, column: usize, games: Wdl) -> Markup {
    if games.games() == 0 {
        return html! { td { @if row == column { "" } @else { "–" } } };
    }
    let tenths = (games.half_points() * 10 + games.games()) / (2 * games.games());
    html! {
        td class={ "heat" (tenths) } data-a=(row) data-b=(column) {
            (games.wins) "-" (games.draws) "-" (games.losses)
        }
    }
}
