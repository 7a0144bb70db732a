//! The page itself, which contains nothing about the game.

use maud::html;

use crate::page::shown::board_page;

/// The page as one HTML file.
pub(super) fn page() -> String {
    let body = html! {
        a class="skip" href="#main" { "Skip to the board" }
        header id="head" {
            h1 { "Gothello board" }
            p id="summary" { }
            div id="tools" { }
        }
        main id="main" {
            p id="news" role="status" { "Fetching the board." }
            noscript { p { "This page needs JavaScript to show the board." } }
        }
    };
    board_page("Gothello board", &body)
}
