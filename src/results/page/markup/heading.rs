//! The head of the page: title, summary, tabs.

use maud::{Markup, html};

use crate::base::units::grouped;
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
    let mut parts = vec![many(data.players.len(), "player"), many(data.games.len(), "game")];
    parts.extend(data.date.clone());
    parts.join(" · ")
}

/// `1 game`, `1,560 games`.
fn many(number: usize, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

fn so_far(data: &PageData) -> String {
    let played = grouped(data.finished());
    match data.total {
        Some(total) => format!("So far: {played} of {} games are finished.", grouped(total)),
        None => format!("So far: {played} games are finished."),
    }
}
