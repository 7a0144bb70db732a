//! What a page shows without a script, and in print.
//!
//! The ids of elements and the `data-` attributes are those that the script looks for. The markup is XML but for its head, so
//! that a test can read it.

mod crosstable;
mod endings;
mod heading;
mod players;
mod ratings;
mod result;
mod standings;
mod usage;

use maud::{Markup, html};

use super::content::PageContent;
use super::kind::PageKind;

/// The body of the page of `content`; `scripts` stand at its end.
pub(super) fn body(kind: PageKind, content: &PageContent<'_>, scripts: &Markup) -> Markup {
    html! {
        body {
            a class="skip" href="#main" { "Skip to the content" }
            (heading::heading(kind, content))
            main id="main" {
                @if let Some(result) = result::section(content) { (result) }
                (standings::section(content))
                (crosstable::section(content))
                (ratings::section(content))
                (endings::section(content))
                (games(content))
                section id="viewer" {}
                (players::section(content))
                @if kind == PageKind::Live { section id="live" {} }
            }
            (footer(content))
            (scripts)
        }
    }
}

/// What stands in place of the games until the script shows them.
fn games(content: &PageContent<'_>) -> Markup {
    html! {
        section id="games" {
            (section_title("games", "Games"))
            @if content.data.has_moves() {
                p {
                    "The script of this page shows the games, and it does not run here. The logs of the games are in the \
                     directory of the run, in " code { "games" } "; " code { "gothello-arena replay" } " shows them."
                }
            } @else {
                p { "This page has no moves of games." }
            }
        }
    }
}

fn footer(content: &PageContent<'_>) -> Markup {
    html! {
        footer {
            p {
                "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) ". "
                @if content.is_private {
                    "This page is private: it shows what bots wrote to stderr, and what they used."
                } @else {
                    "What bots wrote to stderr, paths, digests, tokens and the name of the machine are left out, since this page \
                     is made to be published."
                }
                @if content.is_anonymous { " The names of the players are made up." }
            }
        }
    }
}

/// The heading of the section `id`. Links of the form `#t=standings` lead here where no script runs.
fn section_title(id: &str, text: &str) -> Markup {
    html! { h2 id={ "t=" (id) } { (text) } }
}

/// `7` or `7.5`.
fn points(half_points: u64) -> String {
    format!("{}{}", half_points / 2, if half_points % 2 == 1 { ".5" } else { "" })
}

/// `94 %`, or a dash for a share that is not known.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}
