//! The worst mistakes of a player as a table. The page's script replaces it with boards.

use maud::{Markup, html};

use crate::base::percent::encoded;
use crate::game::Move;
use crate::page::shown::content::PageContent;
use crate::page::shown::mistakes::{ShownMistake, WORST};

/// The number of mistakes that are shown for all players together. The data contains ten for every player.
const IN_ALL: usize = 60;

/// The number of mistakes that are shown for each of `players` players.
const fn most(players: usize) -> usize {
    match IN_ALL.checked_div(players) {
        Some(most) if most < WORST => most,
        _ => WORST,
    }
}

/// The worst mistakes of the player with this `index`.
pub(super) fn section(content: &PageContent<'_>, index: usize) -> Markup {
    let (all, most) = (&content.data.players[index].worst, most(content.data.players.len()));
    let shown = || all.iter().take(most).filter_map(|&(game, ply)| Some((game, find(content, game, ply)?)));
    html! {
        @if shown().next().is_some() {
            div class="mistakes" {
                h4 { @if all.len() < most { "Mistakes, worst first" } @else { "The worst mistakes" } }
                div class="scroll" { table {
                    caption class="sr" { "Mistakes, worst first" }
                    thead { tr {
                        @for column in ["game", "ply", "move", "better move", "loss"] { th scope="col" { (column) } }
                    } }
                    tbody { @for (game, mistake) in shown() { (line(content, game, mistake)) } }
                } }
            }
        }
    }
}

fn find<'p>(content: &PageContent<'p>, game: usize, ply: usize) -> Option<&'p ShownMistake> {
    content.games[game].mistakes.iter().find(|mistake| mistake.ply == ply)
}

fn line(content: &PageContent<'_>, game: usize, mistake: &ShownMistake) -> Markup {
    let id = content.data.id(&content.data.games[game]);
    html! {
        tr {
            th scope="row" { a href={ "#g=" (encoded(&id)) "&p=" (mistake.ply) } { (id) } }
            td { (mistake.ply) }
            td { (mistake.analyzed.played) }
            td { (mistake.analyzed.better.as_ref().map_or("–", Move::as_str)) }
            td { (mistake.loss()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mistakes_of_large_fields_are_bounded() {
        assert_eq!([0, 1, 6, 7, 20, 60, 61].map(most), [10, 10, 10, 8, 3, 1, 0]);
        assert!((1..2000).all(|players| players * most(players) <= IN_ALL));
    }
}
