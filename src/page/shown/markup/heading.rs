//! The head of the page: title, summary, tabs.

use std::time::Duration;

use maud::{Markup, html};

use crate::base::units::{counted, grouped, spaced};
use crate::page::shown::content::PageContent;
use crate::page::shown::kind::PageKind;

/// The tabs, each with the section that it shows first. With a script, the tab of the standings also shows the result.
const TABS: [(&str, &str); 4] =
    [("standings", "Standings"), ("crosstable", "Crosstable"), ("games", "Games"), ("players", "Players")];

pub(super) fn heading(kind: PageKind, content: &PageContent<'_>) -> Markup {
    let (data, played) = (content.data, HeadCounts::on(kind, content));
    head(
        kind,
        &Head {
            title: &data.title,
            summary: summary(data.players.len(), played.games, data.date.as_deref()),
            so_far: data.so_far.then(|| so_far(played.finished, &of_games(data.total, data.is_most), data.delay)),
            has_result: content.standings.run().result.is_some(),
            crosstable: "Crosstable",
        },
    )
}

/// The contents of a page's head.
pub(in crate::page::shown) struct Head<'h> {
    /// The title.
    pub(in crate::page::shown) title: &'h str,
    /// The numbers of players and games, and the date.
    pub(in crate::page::shown) summary: String,
    /// How many games are finished, if some are missing.
    pub(in crate::page::shown) so_far: Option<String>,
    /// Whether the page has a section for the result of a tournament.
    pub(in crate::page::shown) has_result: bool,
    /// The title of the table with all pairs of players.
    pub(in crate::page::shown) crosstable: &'static str,
}

/// The head of a page of `kind`.
pub(in crate::page::shown) fn head(kind: PageKind, head: &Head<'_>) -> Markup {
    html! {
        header id="head" {
            h1 { (head.title) }
            p id="summary" { (head.summary) }
            @if let Some(so_far) = &head.so_far { p id="sofar" { (so_far) } }
            nav id="tabs" aria-label="Parts of the page" {
                @if head.has_result { a href="#result" { "Result" } " " }
                @for (id, text) in TABS {
                    a href={ "#t=" (id) } { (if id == "crosstable" { head.crosstable } else { text }) } " "
                }
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
    /// The numbers for `content`. A live page is written without the data of games, which is sent game by game.
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
pub(in crate::page::shown) fn summary(players: usize, games: u64, date: Option<&str>) -> String {
    let mut parts = vec![counted(players as u64, "player"), counted(games, "game")];
    parts.extend(date.map(str::to_owned));
    parts.join(" · ")
}

/// ` of 20` or ` of at most 20`, after a number of games; empty if the total is not known.
pub(in crate::page::shown) fn of_games(total: Option<u64>, is_most: bool) -> String {
    let bound = if is_most { "at most " } else { "" };
    total.map(|total| format!(" of {bound}{}", grouped(total))).unwrap_or_default()
}

/// `So far: 3 of 20 games are finished. This page is 30s behind.` The text `of_games` follows the number of games.
pub(in crate::page::shown) fn so_far(finished: u64, of_games: &str, delay: Duration) -> String {
    let finished = format!("So far: {}{of_games} games are finished.", grouped(finished));
    if delay.is_zero() { finished } else { format!("{finished} This page is {} behind.", spaced(delay)) }
}
