//! The head of the page: title, summary, tabs.

use maud::{Markup, html};

use crate::base::units::counted;
use crate::results::page::data::PageData;
use crate::results::page::kind::PageKind;

/// The tabs, each with the section that it shows first.
const TABS: [(&str, &str); 4] =
    [("standings", "Standings"), ("crosstable", "Crosstable"), ("games", "Games"), ("players", "Players")];

pub(super) fn heading(kind: PageKind, data: &PageData) -> Markup {
    html! {
        header id="head" {
            h1 { (data.title) }
            p id="summary" { (summary(data)) }
            @if data.so_far { p id="sofar" { (so_far(data)) } }
            nav id="tabs" aria-label="Parts of the page" {
                @for (id, text) in TABS { a href={ "#t=" (id) } { (text) } " " }
                @if kind == PageKind::Live { a href="#t=live" { "Live" } }
            }
        }
    }
}

/// `12 players · 660 games · 2026-11-21`.
fn summary(data: &PageData) -> String {
    let mut parts = vec![counted(data.players.len() as u64, "player"), counted(data.games.len() as u64, "game")];
    parts.extend(data.date.clone());
    parts.join(" · ")
}

fn so_far(data: &PageData) -> String {
    let played = data.games.len();
    match data.total {
        Some(total) => format!("So far: {played} of {total} games."),
        None => format!("So far: {} of a run that goes on.", counted(played as u64, "game")),
    }
}
