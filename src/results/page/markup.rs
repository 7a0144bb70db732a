//! What a page shows without a script, and in print.
//!
//! The element ids and the `data-` attributes are those that the script looks for.

mod crosstable;
mod heading;
mod standings;

use maud::{Markup, html};

use super::data::PageData;
use super::kind::PageKind;
use crate::results::standings::Standings;

/// The body of the page of `data`; `scripts` stand at its end.
pub(super) fn body(kind: PageKind, data: &PageData, standings: &Standings, scripts: &Markup) -> Markup {
    html! {
        body {
            a class="skip" href="#main" { "Skip to the content" }
            (heading::heading(kind, data))
            main id="main" {
                (standings::section(data, standings))
                (crosstable::section(data, standings))
                section id="ratings" { (section_title("ratings", "Ratings over time")) }
                section id="endings" { (section_title("endings", "How games ended")) }
                section id="players" { (section_title("players", "Players")) }
                section id="games" {
                    (section_title("games", "Games"))
                    p class="nojs" {
                        "The games themselves are shown by this page's script, which does not run here. Their logs are in the \
                         run's directory, in " code { "games" } "; " code { "gothello-arena replay" } " shows them."
                    }
                }
                section id="viewer" {}
                @if kind == PageKind::Live { section id="live" {} }
            }
            footer {
                p { "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) "." }
            }
            (scripts)
        }
    }
}

/// The heading of the section `id`. Links of the form `#t=standings` lead here where no script runs.
fn section_title(id: &str, text: &str) -> Markup {
    html! { h2 id={ "t=" (id) } { (text) } }
}
