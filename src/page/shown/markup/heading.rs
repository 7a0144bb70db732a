//! The head of the page: title, summary, tabs.

use maud::{Markup, html};

use crate::base::units::{counted, grouped};
use crate::page::shown::content::PageContent;
use crate::page::shown::data::PageData;
use crate::page::shown::kind::PageKind;

/// The tabs, each with the section that it shows first. With a script, the tab of the standings also has the result.
const TABS: [(&str, &str); 4] =
    [("standings", "Standings"), ("crosstable", "Crosstable"), ("games", "Games"), ("players", "Players")];

pub(super) fn heading(kind: PageKind, content: &PageContent<'_>) -> Markup {
    let (data, played) = (content.data, HeadCounts::on(kind, content));
    html! {
        header id="head" {
            h1 { (data.title) }
            p id="summary" { (summary(data, played.games)) }
            @if data.so_far { p id="sofar" { (so_far(data, played.finished)) } }
            nav id="tabs" aria-label="Parts of the page" {
                @if content.standings.run().result.is_some() { a href="#result" { "Result" } " " }
                @for (id, text) in TABS { a href={ "#t=" (id) } { (text) } " " }
                @if kind == PageKind::Live { a href="#t=live" { "Live" } }
            }
        }
    }
}

/// The numbers of games for the heading.
#[derive(Clone, Copy)]
struct HeadCounts {
    games: u64,
    /// The number of games with a result.
    finished: u64,
}

impl HeadCounts {
    /// The numbers for `content`. A live page is written without the data of games, which are sent one by one.
    fn on(kind: PageKind, content: &PageContent<'_>) -> Self {
        match kind {
            PageKind::Report => Self { games: content.data.games.len() as u64, finished: content.data.finished() },
            PageKind::Live => {
                let counts = content.standings.counts();
                let finished = counts.rated + counts.odds + counts.double_forfeits;
                Self { games: finished + counts.void, finished }
            }
        }
    }
}

/// `12 players · 660 games · 2026-11-21`.
fn summary(data: &PageData, games: u64) -> String {
    let mut parts = vec![counted(data.players.len() as u64, "player"), counted(games, "game")];
    parts.extend(data.date.clone());
    parts.join(" · ")
}

fn so_far(data: &PageData, finished: u64) -> String {
    let played = grouped(finished);
    match data.total {
        Some(total) => format!("So far: {played} of {} games are finished.", grouped(total)),
        None => format!("So far: {played} games are finished."),
    }
}
