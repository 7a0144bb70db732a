//! The part of a page about games with more than two seats that is shown without a script, and in print.

use std::collections::BTreeMap;
use std::time::Duration;

use maud::{Markup, html};

use super::page_data::GroupContent;
use crate::base::percent::encoded;
use crate::base::sanitise::sanitised;
use crate::base::units::{counted, grouped};
use crate::game::Seat;
use crate::page::shown::claim_tally::{ClaimTally, EndForOne};
use crate::page::shown::game_code::decoded_times;
use crate::page::shown::kind::PageKind;
use crate::page::shown::markup::crosstable::{self, MOST, NAMED, cell, line_labels};
use crate::page::shown::markup::heading::{Head, head, of_games, so_far, summary};
use crate::page::shown::markup::headline::text;
use crate::page::shown::markup::players::time_used;
use crate::page::shown::markup::standings::{BarScale, forfeits_by_kind, forfeits_class};
use crate::page::shown::markup::{
    breakable, claims, counted_points, elo, footer, games, points, section_title, shown_elo, think_times, usage,
};
use crate::page::shown::prose::prose;
use crate::page::shown::rating_history::whole;
use crate::page::shown::think_times::ThinkTimes;
use crate::results::rating::{Elo, Wdl};
use crate::results::report::{PageHeadline, group_page_headline, group_page_notes};
use crate::results::standings::{GroupResult, GroupRow, PlacingTotals};

/// The maximum number of a player's drop-outs that a page lists. The others are only counted.
const LISTED: usize = 20;

/// The maximum number of players for which each player's page lists all others.
const ALL_OTHERS: usize = 60;

/// The body of the page of `content`, with `scripts` at its end.
pub(in crate::page::shown) fn body(kind: PageKind, content: &GroupContent<'_>, scripts: &Markup) -> Markup {
    let data = content.data;
    // A live page does not contain the data of the games, which is sent game by game.
    let counts = content.standings.counts();
    let (played, finished) = match kind {
        PageKind::Report => (data.games.len() as u64, data.finished()),
        PageKind::Live => (counts.all(), counts.all() - counts.void),
    };
    let texts = Head {
        title: &data.title,
        summary: summary(data.players.len(), played, data.date.as_deref()),
        so_far: data.so_far.then(|| so_far(finished, &of_games(data.total, false), data.delay)),
        has_result: false,
        crosstable: "Head to head",
    };
    html! {
        body {
            a class="skip" href="#main" { "Skip to the content" }
            (head(kind, &texts))
            main id="main" {
                @if let Some(headline) = headline(kind, content) { section id="headline" { (text(&headline)) } }
                (standings(content))
                (placed_before(content))
                (endings(kind, content))
                (games(data.has_moves()))
                section id="viewer" {}
                (players(content))
                @if kind == PageKind::Live { section id="live" {} }
            }
            (footer(kind, content.is_private, content.is_anonymous))
            (scripts)
        }
    }
}

/// The headline; a live page has its own.
fn headline(kind: PageKind, content: &GroupContent<'_>) -> Option<PageHeadline> {
    if kind == PageKind::Report { group_page_headline(content.standings) } else { None }
}

fn standings(content: &GroupContent<'_>) -> Markup {
    html! {
        section id="standings" {
            (section_title("standings", "Standings"))
            @if content.standings.rows().is_empty() {
                p { "No game has been played yet." }
            } @else {
                (players_table(content))
                p class="legend" {
                    "Dot: Elo. Line: 95% confidence interval."
                    @if content.standings.rows().iter().any(|row| shown_elo(row.rating, row.basis).ends_with('?')) {
                        " ?: too few links between players."
                    }
                }
                details {
                    summary { "How ratings work" }
                    p class="legend" { (prose(&group_page_notes(content.standings).join(" "))) }
                }
                h3 { "Seats" }
                (seats_table(content))
            }
        }
    }
}

/// `1st`, `2nd`, `3rd`, `4th`.
fn ordinal(place: usize) -> String {
    let ending = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

/// The headings of the columns with games, points and places.
fn total_heads(seats: u8) -> Markup {
    html! {
        th scope="col" class="num" { "games" }
        th scope="col" class="num" { "points" }
        th scope="col" class="num" { "mean place" }
        @for place in 1..=usize::from(seats) { th scope="col" class="num wide" { (ordinal(place)) } }
    }
}

fn total_cells(total: &PlacingTotals) -> Markup {
    html! {
        td class="num games" { (grouped(total.games)) }
        td class="num points" { (points(total.half_points)) }
        td class="num mean" { (mean(total)) }
        @for &times in &total.places { td class="num wide" { (grouped(times)) } }
    }
}

fn mean(total: &PlacingTotals) -> String {
    total.mean_placing().map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"))
}

fn bar_of(error: Option<Elo>) -> String {
    error.map_or_else(|| "–".to_owned(), |bar| whole(bar).to_string())
}

fn players_table(content: &GroupContent<'_>) -> Markup {
    let rows = content.standings.rows();
    let scale = BarScale::of(rows.iter().map(|row| (row.rating, row.error95)));
    html! {
        div class="scroll" { table class="standings cards" {
            caption { "All players, best first" }
            thead { tr {
                th scope="col" class="num" { "#" }
                th scope="col" { "player" }
                th scope="col" class="num" { "Elo" }
                th scope="col" class="num wide" { "±95%" }
                th scope="col" { (scale.head()) }
                (total_heads(content.data.seats))
                th scope="col" class="num" { "forfeits" }
            } }
            tbody {
                @for (index, (row, player)) in rows.iter().zip(&content.data.players).enumerate() {
                    tr data-p=(index) {
                        td class="num rank" { (rank(row)) }
                        th scope="row" { a href={ "#p=" (player.slug) } { (breakable(&player.name)) } }
                        td class="num elo" { (shown_elo(row.rating, row.basis)) }
                        td class="num wide" { (bar_of(row.error95)) }
                        td class="scaled" { (scale.bar(row.rating, row.error95)) }
                        (total_cells(&row.total))
                        td class=(forfeits_class(&row.forfeits)) { (forfeits_by_kind(&row.forfeits)) }
                    }
                }
            }
        } }
    }
}

fn rank(row: &GroupRow) -> String {
    row.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string())
}

fn seats_table(content: &GroupContent<'_>) -> Markup {
    let rows = content.standings.seat_rows();
    let advantage = |index: usize| rows[index].effect.map(|effect| effect.advantage);
    let error = |index: usize| rows[index].effect.and_then(|effect| effect.error95);
    let scale = BarScale::of((0..rows.len()).map(|index| (advantage(index), error(index))));
    html! {
        div class="scroll" { table class="standings cards of-seats" {
            caption { "Each seat's advantage over the average seat, in Elo, and the games that players played in it" }
            thead { tr {
                th scope="col" { "seat" }
                th scope="col" class="num" { "advantage" }
                th scope="col" class="num wide" { "±95%" }
                th scope="col" { (scale.head()) }
                (total_heads(content.data.seats))
            } }
            tbody {
                @for (index, row) in rows.iter().enumerate() {
                    tr {
                        th scope="row" { (row.seat) }
                        td class="num elo" { (advantage(index).map_or_else(|| "–".to_owned(), elo)) }
                        td class="num wide" { (bar_of(error(index))) }
                        td class="scaled" { (scale.bar(advantage(index), error(index))) }
                        (total_cells(&row.total))
                    }
                }
            }
        } }
    }
}

/// The table of how many times each player was placed ahead of each other player.
fn placed_before(content: &GroupContent<'_>) -> Markup {
    let all = content.data.players.len();
    let shown = all.min(MOST);
    let lines = line_labels(content.standings.rows().iter().take(shown).map(|row| row.rank));
    let players = &content.data.players[..shown];
    html! {
        section id="crosstable" {
            (section_title("crosstable", "Head to head"))
            div class="scroll" { table class="heat" {
                caption {
                    span class="wdl" { "Placed ahead, in the same place, placed behind: " } span class="pts" { "Points of " }
                    "the row's player against the column's player, in the games that both played. "
                    "Blue: ahead. Orange: behind."
                }
                thead { tr {
                    th scope="col" { "player" }
                    @for (player, line) in players.iter().zip(&lines) {
                        th scope="col" title=(player.name) { (line) @if shown <= NAMED { span { " " (player.name) } } }
                    }
                } }
                tbody {
                    @for (index, (player, line)) in players.iter().zip(&lines).enumerate() {
                        tr {
                            th scope="row" { (crosstable::head(line, &player.slug, &player.name)) }
                            @for other in 0..shown { (cell(index, other, content.standings.placed_before(index, other))) }
                        }
                    }
                }
            } }
            @if shown < all {
                p class="legend" { "The table shows the best " (shown) " of " (all) " players." }
            }
        }
    }
}

/// How many times players dropped out, by kind and by seat.
fn endings(kind: PageKind, content: &GroupContent<'_>) -> Markup {
    let seats = content.data.seats;
    let mut kinds: BTreeMap<&'static str, Vec<u64>> = BTreeMap::new();
    for game in content.games {
        for out in game.summary.result.iter().flat_map(GroupResult::outs) {
            let counts = kinds.entry(out.termination.name()).or_insert_with(|| vec![0; seats.into()]);
            counts[out.seat.index()] += 1;
        }
    }
    html! {
        section id="endings" {
            (section_title("endings", "Who dropped out"))
            @if kind == PageKind::Live {
                p { "The standings list each player's forfeits." }
            } @else if kinds.is_empty() {
                p { "No player dropped out of a game." }
            } @else {
                div class="scroll" { table {
                    caption { "How many times a player dropped out while the others played on" }
                    thead { tr {
                        th scope="col" { "ending" }
                        @for seat in Seat::all(seats) { th scope="col" class="num" { "seat " (seat) } }
                        th scope="col" class="num" { "all" }
                    } }
                    tbody {
                        @for (kind, counts) in &kinds {
                            tr {
                                th scope="row" { (kind) }
                                @for &count in counts { td class="num" { (grouped(count)) } }
                                td class="num" { (grouped(counts.iter().sum::<u64>())) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// Facts about one player, collected from the games.
#[derive(Default)]
struct GroupPlayerFacts<'g> {
    think_times: ThinkTimes,
    /// The total time used in all games with known times, and the maximum in one game.
    used: Duration,
    most_used: Duration,
    timed_games: u32,
    /// The drop-outs that are listed: for each, the game's number and the text.
    outs: Vec<(usize, &'g super::game::DropOutText)>,
    out_count: usize,
    /// The player's claims, compared with the outcomes of its games.
    claims: ClaimTally,
}

fn facts<'g>(content: &GroupContent<'g>) -> Vec<GroupPlayerFacts<'g>> {
    let mut facts: Vec<GroupPlayerFacts<'g>> =
        content.data.players.iter().map(|_| GroupPlayerFacts::default()).collect();
    for (number, (entry, game)) in content.data.games.iter().zip(content.games).enumerate() {
        let times = decoded_times(&game.code.code.times).unwrap_or_default();
        for (&seat, time) in game.movers.iter().zip(times) {
            if let Some(time) = time {
                facts[entry.players[seat]].think_times.add(time);
            }
        }
        for claim in &game.claims.all {
            let end = EndForOne::of_group(game.summary.result.as_ref(), claim.seat);
            facts[entry.players[claim.seat]].claims.add(claim, end);
        }
        for (seat, &used) in game.summary.used.iter().filter(|(_, used)| !used.is_zero()) {
            let facts = &mut facts[entry.players[seat]];
            facts.used = facts.used.saturating_add(used);
            facts.most_used = facts.most_used.max(used);
            facts.timed_games += 1;
        }
        for out in &game.outs {
            let facts = &mut facts[entry.players[out.seat]];
            facts.out_count += 1;
            if facts.outs.len() < LISTED {
                facts.outs.push((number, out));
            }
        }
    }
    facts
}

fn players(content: &GroupContent<'_>) -> Markup {
    html! {
        section id="players" {
            (section_title("players", "Players"))
            @for (index, facts) in facts(content).iter().enumerate() { (article(content, index, facts)) }
            @if content.is_private && content.standings.rows().iter().any(|row| row.usage.games > 0) {
                (usage::group_table(content.standings))
            }
        }
    }
}

fn article(content: &GroupContent<'_>, index: usize, facts: &GroupPlayerFacts<'_>) -> Markup {
    let (row, player) = (&content.standings.rows()[index], &content.data.players[index]);
    html! {
        article class="player" id={ "p=" (player.slug) } data-p=(index) {
            h3 { (player.name) }
            p { (sentence(row)) }
            div class="halves" {
                div {
                    (by_seat(content, row))
                    @if content.data.players.len() <= ALL_OTHERS { (others(content, index)) }
                }
                div {
                    (think_times::section(&facts.think_times))
                    @if let Some(time) = time_used(facts.used, facts.most_used, facts.timed_games) { p { (time) } }
                    (claims::section(&facts.claims))
                    @if facts.out_count > 0 {
                        h4 { "Dropped out" }
                        ul { @for &(number, out) in &facts.outs { li { (out_line(content, number, out)) } } }
                        @if facts.out_count > facts.outs.len() { p { "and " (facts.out_count - facts.outs.len()) " more" } }
                    }
                }
            }
        }
    }
}

/// `Rank 2, Elo +240 ± 31, 35 points in 16 games, mean place 1.81, forfeits: 8 crash.`
fn sentence(row: &GroupRow) -> String {
    let bar = row.error95.map(|bar| format!(" ± {}", whole(bar))).unwrap_or_default();
    format!(
        "Rank {}, Elo {}{bar}, {} in {}, mean place {}, forfeits: {}.",
        rank(row),
        shown_elo(row.rating, row.basis),
        counted_points(row.total.half_points),
        counted(row.total.games, "game"),
        mean(&row.total),
        forfeits_by_kind(&row.forfeits)
    )
}

fn by_seat(content: &GroupContent<'_>, row: &GroupRow) -> Markup {
    html! {
        div class="scroll" { table {
            caption { "By seat" }
            thead { tr { th scope="col" { "seat" } (total_heads(content.data.seats)) } }
            tbody {
                @for (seat, total) in row.by_seat.iter() { tr { th scope="row" { (seat) } (total_cells(total)) } }
            }
        } }
    }
}

/// How many times the player was placed ahead of each other player.
fn others(content: &GroupContent<'_>, index: usize) -> Markup {
    let standings = content.standings;
    let met: Vec<(usize, Wdl)> = (0..standings.rows().len())
        .map(|other| (other, standings.placed_before(index, other)))
        .filter(|&(other, games)| other != index && games.games() > 0)
        .collect();
    html! {
        @if !met.is_empty() {
            div class="scroll" { table {
                caption { "Games with each other player" }
                thead { tr {
                    th scope="col" { "player" }
                    @for column in ["Elo", "placed ahead", "same place", "placed behind"] {
                        th scope="col" class="num" { (column) }
                    }
                } }
                tbody {
                    @for (other, games) in met {
                        tr {
                            th scope="row" {
                                a href={ "#p=" (content.data.players[other].slug) } { (breakable(&content.data.players[other].name)) }
                            }
                            td class="num" { (shown_elo(standings.rows()[other].rating, standings.rows()[other].basis)) }
                            td class="num" { (grouped(games.wins)) }
                            td class="num" { (grouped(games.draws)) }
                            td class="num" { (grouped(games.losses)) }
                        }
                    }
                }
            } }
        }
    }
}

fn out_line(content: &GroupContent<'_>, number: usize, out: &super::game::DropOutText) -> Markup {
    let id = content.data.games[number].id.as_deref().unwrap_or_default();
    html! {
        a href={ "#g=" (encoded(id)) } { (id) } ", seat " (out.seat) ": " (out.termination)
        @if let Some(reason) = &out.reason { " (" (prose(&sanitised(reason))) ")" }
        @if !out.stderr.is_empty() { pre { @for line in out.stderr.lines() { (sanitised(line)) "\n" } } }
    }
}
