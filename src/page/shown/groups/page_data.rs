//! The data of a page about games with more than two seats as JSON.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use super::entry::{GroupEntry, GroupExtras};
use super::game::ShownGroupGame;
use super::player::PageGroupPlayer;
use crate::base::sanitise::sanitised;
use crate::page::shown::data::{PageLabel, VERSION};
use crate::page::shown::layers::Layers;
use crate::page::shown::page_boards::PageBoards;
use crate::page::shown::page_clocks::PageClocks;
use crate::page::shown::slugs::slugs;
use crate::results::standings::GroupStandings;

/// The contents of a page about games with more than two seats.
#[derive(Clone, Copy, Debug)]
pub struct GroupContent<'p> {
    /// The data for the page's script.
    pub data: &'p GroupPageData<'p>,
    /// The standings from which `data` was made.
    pub standings: &'p GroupStandings,
    /// The games from which `data` was made.
    pub games: &'p [ShownGroupGame],
    /// Whether the page shows information that only its author should see.
    pub is_private: bool,
    /// Whether the players' names are made up.
    pub is_anonymous: bool,
}

/// Everything that the page's script needs. docs/reference/report.md describes every member.
#[derive(Clone, Debug, Serialize)]
pub struct GroupPageData<'p> {
    v: u32,
    /// The heading.
    pub title: String,
    name: String,
    /// The day of the last game, as `2026-11-21`.
    pub date: Option<String>,
    ruleset: String,
    size: u8,
    /// The number of seats.
    pub seats: u8,
    #[serde(flatten)]
    boards: Option<PageBoards>,
    #[serde(skip_serializing_if = "PageClocks::are_none")]
    clocks: PageClocks,
    /// Whether scheduled games are missing.
    #[serde(rename = "soFar")]
    pub so_far: bool,
    /// The number of games in the schedule, if it is known.
    pub total: Option<u64>,
    /// How far the page is behind the run.
    #[serde(skip)]
    pub delay: Duration,
    /// The players, the best first.
    pub players: Vec<PageGroupPlayer>,
    /// The games in the schedule's order.
    pub games: Vec<GroupEntry<'p>>,
}

impl<'p> GroupPageData<'p> {
    /// The data of a run with `standings` after `games`, which are in the schedule's order.
    ///
    /// # Panics
    /// Panics if a game has a player that is not in `standings`.
    pub fn new(label: PageLabel, standings: &GroupStandings, games: &'p [ShownGroupGame]) -> Self {
        let rows = standings.rows();
        let last = rows.iter().filter(|row| row.rank.is_some()).count() + 1;
        let slugs = slugs(rows.iter().map(|row| row.player.as_str()));
        let players = rows.iter().zip(slugs).map(|(row, slug)| PageGroupPlayer::new(row, slug, last)).collect();
        let numbers: HashMap<&str, usize> =
            rows.iter().enumerate().map(|(index, row)| (row.player.as_str(), index)).collect();
        let clocks = PageClocks::of(games.iter().find_map(|game| game.clocks));
        let entry = |game: &'p ShownGroupGame| GroupEntry {
            players: game.summary.players.as_ref().map(|name| numbers[name.as_str()]),
            game: &game.summary,
            code: game.code.code.clone(),
            id: Some(sanitised(&game.summary.game)),
            extras: extras(game, &clocks),
        };
        let games = games.iter().map(entry).collect();
        // The number of games with more than two seats is always known.
        let PageLabel { title, name, date, ruleset, so_far, total, is_most: _, logs: _, delay } = label;
        Self {
            v: VERSION,
            title: sanitised(&title),
            name: sanitised(&name),
            date: date.map(|date| sanitised(&date)),
            ruleset: ruleset.to_string(),
            size: Layers::of(ruleset).size(),
            seats: standings.seats(),
            boards: PageBoards::of(ruleset),
            clocks,
            so_far,
            delay,
            total,
            players,
            games,
        }
    }

    /// Whether any game has moves.
    pub fn has_moves(&self) -> bool {
        self.games.iter().any(|entry| !entry.code.moves.is_empty())
    }

    /// The number of games that have a result.
    pub fn finished(&self) -> u64 {
        self.games.iter().filter(|entry| entry.game.result.is_some()).count() as u64
    }

    /// The JSON text.
    pub fn json(&self) -> String {
        // A page's data is plain, with text keys, so JSON can always represent it.
        serde_json::to_string(self).unwrap_or_else(|error| unreachable!("a page's data is JSON: {error}"))
    }
}

/// The members of `game` that only some games have.
fn extras(game: &ShownGroupGame, usual_clocks: &PageClocks) -> Option<GroupExtras> {
    let clocks = PageClocks::of(game.clocks).unlike(usual_clocks);
    let of_outs = game.outs.iter().filter_map(|out| Some(format!("seat {}: {}", out.seat, out.reason.as_deref()?)));
    let reasons: Vec<String> = game.void.iter().cloned().chain(of_outs).map(|reason| sanitised(&reason)).collect();
    let why = (!reasons.is_empty()).then(|| reasons.join("; "));
    let say = if game.code.code.moves.is_empty() { None } else { game.claims.coded() };
    let extras = GroupExtras { clocks, why, supplies: game.code.supplies.clone(), say };
    (extras != GroupExtras::default()).then_some(extras)
}
