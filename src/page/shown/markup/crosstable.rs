//! The results of every player against every other, as text and as colour.

use maud::{Markup, html};

use super::{breakable, section_title};
use crate::page::shown::content::PageContent;
use crate::results::rating::Wdl;

/// The maximum number of players in a crosstable. With more, browsers take seconds to lay out the table.
pub(in crate::page::shown) const MOST: usize = 150;

/// The maximum number of players for which the columns have names. With more players, columns have only labels.
pub(in crate::page::shown) const NAMED: usize = 12;

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let all = content.data.players.len();
    let shown = all.min(MOST);
    html! {
        section id="crosstable" {
            (section_title("crosstable", "Crosstable"))
            @if shown < 2 {
                p { "A crosstable needs two players." }
            } @else {
                (table(content, shown))
                @if shown < all {
                    p class="legend" {
                        "The crosstable shows the best " (shown) " of " (all) " players. "
                        "The other results are on the players' pages."
                    }
                }
            }
        }
    }
}

fn table(content: &PageContent<'_>, shown: usize) -> Markup {
    let players = &content.data.players[..shown];
    let lines = line_labels(content.standings.rows().iter().take(shown).map(|row| row.rank));
    html! {
        div class="scroll" { table class="heat" {
            caption {
                span class="wdl" { "Won-drawn-lost by" } span class="pts" { "Points of" }
                " the row's player against the column's player. Blue: ahead in this pairing. Orange: behind."
            }
            thead { tr {
                th scope="col" { "player" }
                @for (player, line) in players.iter().zip(&lines) {
                    th scope="col" title=(player.name) { (line) @if shown <= NAMED { span { " " (player.name) } } }
                }
            } }
            tbody {
                @for (index, (player, line)) in players.iter().zip(&lines).enumerate() {
                    tr {
                        th scope="row" { (head(line, &player.slug, &player.name)) }
                        @for other in 0..shown { (cell(index, other, content.standings.versus(index, other))) }
                    }
                }
            }
        } }
    }
}

/// The head of a player's row: its label and its name, each in a column of its own.
pub(in crate::page::shown) fn head(line: &str, slug: &str, name: &str) -> Markup {
    html! { a href={ "#p=" (slug) } { span class="line" { (line) } " " span class="who" { (breakable(name)) } } }
}

/// The labels of rows and columns: the ranks of their players in the standings, with a letter after a rank that several
/// players share. Players without a rank come last, with a dash.
pub(in crate::page::shown) fn line_labels(ranks: impl Iterator<Item = Option<usize>>) -> Vec<String> {
    let ranks: Vec<Option<usize>> = ranks.collect();
    let label = |same: &[Option<usize>]| -> Vec<String> {
        let Some(rank) = same[0] else { return vec!["–".to_owned(); same.len()] };
        if same.len() == 1 {
            return vec![rank.to_string()];
        }
        (0..same.len()).map(|place| format!("{rank}{}", letters(place))).collect()
    };
    ranks.chunk_by(|one, next| one == next).flat_map(label).collect()
}

/// `a` for 0, `z` for 25, `aa` for 26.
fn letters(number: usize) -> String {
    let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[number % 26]);
    let before = if number < 26 { String::new() } else { letters(number / 26 - 1) };
    format!("{before}{letter}")
}

pub(in crate::page::shown) fn cell(row: usize, column: usize, games: Wdl) -> Markup {
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
    fn lines_have_the_ranks_of_the_standings_and_are_told_apart() {
        let ranks = [Some(1), Some(2), Some(2), Some(4), None, None];
        assert_eq!(line_labels(ranks.into_iter()), ["1", "2a", "2b", "4", "–", "–"]);
        let all = line_labels(std::iter::repeat_n(Some(1), 150));
        assert_eq!([&all[25], &all[26], &all[149]], ["1z", "1aa", "1et"]);
    }

    #[test]
    fn a_score_has_the_colour_of_its_tenth() {
        let score = |wins, draws, losses| tenths(Wdl { wins, draws, losses });
        assert_eq!([score(1, 0, 0), score(0, 0, 3), score(0, 1, 0), score(1, 0, 1), score(0, 1, 9)], [10, 0, 5, 5, 1]);
    }
}
