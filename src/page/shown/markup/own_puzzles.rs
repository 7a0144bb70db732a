//! The puzzles from a player's own games.

use maud::{Markup, html};

use crate::base::percent::encoded;
use crate::page::shown::content::PageContent;
use crate::page::shown::own_puzzles::OwnPuzzle;

/// The puzzles of the player with this `index`; nothing if there are none.
pub(super) fn section(content: &PageContent<'_>, index: usize) -> Markup {
    let puzzles = content.puzzles.get(index).map(Vec::as_slice).unwrap_or_default();
    html! {
        @if !puzzles.is_empty() {
            div class="puzzles" {
                h4 { "Puzzles missed in this player's own games" }
                ul { @for puzzle in puzzles { li { (one(content, puzzle)) } } }
            }
        }
    }
}

fn one(content: &PageContent<'_>, puzzle: &OwnPuzzle) -> Markup {
    let id = content.data.id(&content.data.games[puzzle.game]);
    html! {
        pre role="img" aria-label={ "Ranks from the top: " (puzzle.ranks.join(" ")) } { (drawn(&puzzle.ranks)) }
        p { (puzzle.task) }
        details { summary { "Answer" } p { b { (puzzle.answer) } } }
        p { a href={ "#g=" (encoded(&id)) "&p=" (puzzle.plies) } { (id) ", ply " (puzzle.plies + 1) } }
    }
}

/// The board with the names of ranks and files.
fn drawn(ranks: &[String]) -> String {
    let mut text = String::new();
    for (number, rank) in (1..=ranks.len()).rev().zip(ranks) {
        text += &number.to_string();
        for letter in rank.chars() {
            text.push(' ');
            text.push(match letter {
                'b' => '●',
                'w' => '○',
                _ => '·',
            });
        }
        text.push('\n');
    }
    let files = ranks.first().map_or(0, |rank| rank.chars().count());
    text.push(' ');
    for letter in ('a'..='z').take(files) {
        text.push(' ');
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_the_names_of_its_ranks_and_files() {
        let ranks = ["b.", ".w"].map(str::to_owned);
        assert_eq!(drawn(&ranks), "2 ● ·\n1 · ○\n  a b");
    }
}
