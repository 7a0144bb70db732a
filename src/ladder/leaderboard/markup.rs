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
            p id="news" role="status" { "Loading the ranking." }
            noscript { p { "This page needs JavaScript to show the ranking." } }
        }
    };
    leaderboard_page("Ladder", &body)
}
