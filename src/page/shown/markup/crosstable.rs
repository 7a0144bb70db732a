//! The results of every player against every other, as text and as colour.

use maud::{Markup, html};

use super::section_title;
use crate::page::shown::content::PageContent;
use crate::results::rating::Wdl;

/// The most players of a crosstable. With more, browsers take seconds to lay the table out.
const MOST: usize = 150;

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let all = content.data.players.len();
    let shown = all.min(MOST);
    html! {
        section id="crosstable" {
            (section_title("crosstable", "Crosstable"))
            @if shown < 2 {
                p { "A crosstable takes two players." }
            } @else {
                (table(content, shown))
                @if shown < all {
                    p class="legend" {
                        "The crosstable has the best " (shown) " of " (all) " players. The page of each player has the others."
                    }
                }
            }
        }
    }
}

fn table(content: &PageContent<'_>, shown: usize) -> Markup {
    let players = &content.data.players[..shown];
    html! {
        div class="scroll" { table class="heat" {
            caption {
                "Won-drawn-lost by the player of the line against the player of the column. The more points, the bluer; the \
                 fewer, the more orange."
            }
            thead { tr {
                th scope="col" { "player" }
                @for (index, player) in players.iter().enumerate() { th scope="col" title=(player.name) { (index + 1) } }
            } }
            tbody {
                @for (index, player) in players.iter().enumerate() {
                    tr {
                        th scope="row" { a href={ "#p=" (player.slug) } { (index + 1) " " (player.name) } }
                        @for other in 0..shown { (cell(index, other, content.standings.versus(index, other))) }
                    }
                }
            }
        } }
    }
}

fn cell(row: usize, column: usize, games: Wdl) -> Markup {
    if row == column {
        return html! { td class="self" { "–" } };
    }
    if games.games() == 0 {
        return html! { td {} };
    }
    html! {
        td class={ "heat" (tenths(games)) } data-a=(row) data-b=(column) {
            (games.wins) "-" (games.draws) "-" (games.losses)
        }
    }
}

/// The score of `games` in tenths, rounded.
fn tenths(games: Wdl) -> u64 {
    (games.half_points() * 10 + games.games()) / (2 * games.games())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_has_the_colour_of_its_tenth() {
        let score = |wins, draws, losses| tenths(Wdl { wins, draws, losses });
        assert_eq!([score(1, 0, 0), score(0, 0, 3), score(0, 1, 0), score(1, 0, 1), score(0, 1, 9)], [10, 0, 5, 5, 1]);
    }
}
