//! The part of a page that is shown without a script, and in print.
//!
//! The ids of elements and the `data-` attributes are those that the script looks for. The markup is XML except for its
//! head, so that a test can parse it.

pub(super) mod claims;
pub(super) mod crosstable;
mod endings;
pub(super) mod heading;
pub(super) mod headline;
mod mistakes;
mod own_puzzles;
pub(super) mod players;
mod ratings;
mod result;
pub(super) mod sequential_test;
pub(super) mod standings;
pub(super) mod think_times;
pub(super) mod usage;
mod versions;

use std::time::Duration;

use maud::{Markup, html};

use super::content::PageContent;
use super::kind::PageKind;
use super::rating_history::whole;
use crate::results::rating::{Basis, Rating};
pub(super) use crate::results::report::{counted_points, halves as points};
use crate::results::standings::PlayerRow;

/// The body of the page of `content`, with `scripts` at its end.
pub(super) fn body(kind: PageKind, content: &PageContent<'_>, scripts: &Markup) -> Markup {
    html! {
        body {
            a class="skip" href="#main" { "Skip to the content" }
            (heading::heading(kind, content))
            main id="main" {
                @if kind == PageKind::Report { (headline::section(content)) }
                @if let (PageKind::Live, Some(figures)) = (kind, content.figures) {
                    section id="test" aria-label="Sequential test" { (sequential_test::live_figures(figures)) }
                }
                @if let Some(result) = result::section(kind, content) { (result) }
                (standings::section(content))
                (ratings::section(kind, content))
                (crosstable::section(content))
                (endings::section(kind, content))
                (games(content.data.has_moves()))
                section id="viewer" {}
                (players::section(content))
                @if kind == PageKind::Report && content.data.has_moves() { section id="openings" {} }
                @if kind == PageKind::Live { section id="live" {} }
            }
            (footer(kind, content.is_private, content.is_anonymous))
            (scripts)
        }
    }
}

/// The placeholder for the games until the script shows them.
pub(super) fn games(has_moves: bool) -> Markup {
    html! {
        section id="games" {
            (section_title("games", "Games"))
            @if has_moves {
                p {
                    "This page needs JavaScript to show the games. Their logs are in the run directory, in "
                    code { "games" } "; " code { "gothello-arena replay" } " can show them."
                }
            } @else {
                p { "This page contains no moves." }
            }
        }
    }
}

pub(super) fn footer(kind: PageKind, is_private: bool, is_anonymous: bool) -> Markup {
    html! {
        footer {
            p {
                "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) ". "
                @if is_private {
                    "This page is private: it shows the bots' output on stderr and the resources that they used."
                } @else {
                    "Bots' output on stderr, paths, digests, tokens and the machine's name are left out, because "
                    @match kind {
                        PageKind::Report => "this page is meant to be published.",
                        PageKind::Live => "anyone who can open this page can read it.",
                    }
                }
                @if is_anonymous { " The names of the players are made up." }
            }
        }
    }
}

/// The heading of the section `id`. Links of the form `#t=standings` lead here if no script runs.
pub(super) fn section_title(id: &str, text: &str) -> Markup {
    html! { h2 id={ "t=" (id) } { (text) } }
}

/// The player's Elo, or a dash without a rated game. A question mark marks a rating that the games do not determine.
fn elo_of(row: &PlayerRow) -> String {
    shown_elo(row.rating, row.basis)
}

/// Like [`elo_of`], for `rating`, which is based on `basis`.
pub(super) fn shown_elo(rating: Option<Rating>, basis: Basis) -> String {
    let is_marked = basis == Basis::Prior && rating.and_then(Rating::finite).is_some();
    rating.map_or_else(|| "–".to_owned(), |rating| elo(rating) + if is_marked { "?" } else { "" })
}

/// `+174`, `−154` or `0`, with `> ` or `< ` before an unbounded rating.
pub(super) fn elo(rating: Rating) -> String {
    let bound = match rating {
        Rating::Finite(_) => "",
        Rating::Above(_) => "> ",
        Rating::Below(_) => "< ",
    };
    format!("{bound}{}", signed(whole(rating.elo())))
}

/// `+174`, `−154` or `0`: with the minus sign that the script writes, which is as wide as the plus sign.
fn signed(number: i64) -> String {
    match number {
        0 => "0".to_owned(),
        1.. => format!("+{number}"),
        ..0 => format!("−{}", number.unsigned_abs()),
    }
}

/// A time in about three digits.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        0.0..0.001 => format!("{:.0} µs", 1e6 * seconds),
        0.001..1.0 => format!("{:.1} ms", 1e3 * seconds),
        _ => format!("{seconds:.1} s"),
    }
}

/// `name`, which a narrow table may break after a `_`, `-` or `.`, rather than within a word.
pub(super) fn breakable(name: &str) -> Markup {
    let pieces: Vec<&str> = name.split_inclusive(['_', '-', '.']).collect();
    html! { @for (index, piece) in pieces.iter().enumerate() { @if index > 0 { wbr {} } (piece) } }
}

/// `94%`, or a dash for a share that is not known.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.0}%", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::rating::Elo;

    #[test]
    fn elo_is_rounded_once_and_has_the_sign_of_the_script() {
        let shown = |elo: f64| super::elo(Rating::Finite(Elo(elo)));
        assert_eq!([174.49, 174.5, -0.4, 0.0, -153.5].map(shown), ["+174", "+175", "0", "0", "−154"]);
        assert_eq!(super::elo(Rating::Above(Elo(12.0))), "> +12");
    }

    #[test]
    fn names_break_between_words() {
        let shown = |name: &str| breakable(name).into_string();
        assert_eq!(shown("minimax_depth3_<b>"), "minimax_<wbr></wbr>depth3_<wbr></wbr>&lt;b&gt;");
        assert_eq!((shown("wren"), shown("_"), shown("")), ("wren".into(), "_".into(), String::new()));
    }
}
