//! The page, which contains nothing about the ladder: its script requests everything.

use maud::html;

use crate::page::shown::leaderboard_page;

/// The page as one HTML file.
pub(super) fn page() -> String {
    let body = html! {
        a class="skip" href="#main" { "Skip to the ranking" }
        header id="head" {
            h1 { "Ladder" }
            p id="summary" { }
            div id="tools" { }
        }
        main id="main" tabindex="-1" {
            p id="news" role="status" { "Fetching the ranking." }
            noscript { p { "The ranking is shown by a script, which does not run here." } }
        }
    };
    leaderboard_page("Ladder", &body)
}
