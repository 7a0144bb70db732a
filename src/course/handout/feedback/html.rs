//! A page of feedback as HTML.

use maud::{Markup, html};

use super::lost_games::DecisiveMove;
use super::{FeedbackPage, ForfeitNote, LostGame, NextStep, RootCause, more_forfeits};
use crate::base::sanitise::sanitised;
use crate::course::handout::game_links::GameLinks;
use crate::course::handout::points_bar::{self, points_bar};
use crate::page::shown::{PlainPage, STILL_BOARD_STYLE, StillBoard, StillMark, plain_page, prose};
use crate::results::quoting::capitalised;

pub(in crate::course::handout) const STYLE: &str = include_str!("feedback.css");

/// Renders `page` as a complete HTML file.
pub(super) fn html(page: &FeedbackPage, links: &GameLinks) -> String {
    let title = format!("{}: {}", sanitised(&page.title), sanitised(&page.player));
    let body = html! {
        main id="main" class="feedback" {
            h1 { (title) }
            p class="total" { (prose(&page.total)) }
            (points_bar(page.share, page.class.as_ref().map(|class| class.median)))
            @if let Some(class) = &page.class { p class="legend" { (class.text) " The lines on the bars are the medians." } }
            @match &page.root {
                Some(root) if root.is_total => {
                    (root_cause(root))
                    details class="consequences" {
                        summary { "Consequences" @if !page.forfeits.is_empty() { ": the points and the forfeited games" } @else { ": the points" } }
                        (points(page))
                        (forfeits(page, links))
                    }
                }
                Some(root) => {
                    (root_cause(root))
                    (points(page))
                    (next(page))
                    (lost_games(page, links))
                    @if !page.forfeits.is_empty() {
                        details class="consequences" {
                            summary { "Consequences: the forfeited games" }
                            (forfeits(page, links))
                        }
                    }
                }
                None => {
                    (points(page))
                    (next(page))
                    (lost_games(page, links))
                    @if !page.forfeits.is_empty() {
                        h2 { "Forfeited games" }
                        (forfeits(page, links))
                    }
                }
            }
            @if !page.used.is_empty() {
                h2 { "Time and memory" }
                p { (page.used.join(" ")) }
            }
        }
        footer { p { "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) ". This page is only about one bot." } }
    };
    let styles = [points_bar::STYLE, STILL_BOARD_STYLE, STYLE];
    plain_page(&PlainPage { title: &title, styles: &styles, script: None, body: &body })
}

fn points(page: &FeedbackPage) -> Markup {
    html! {
        table class="items" {
            caption { "Points, and the reason for them" }
            thead { tr { @for column in ["item", "points", "why"] { th scope="col" { (column) } } } }
            tbody {
                @for line in &page.points {
                    tr {
                        th scope="row" { (prose(&line.title)) }
                        td class="gained" {
                            b { (line.points) } @if line.worth != "0" { " of " (line.worth) }
                            @if let Some(share) = line.share { (points_bar(share, line.median)) }
                        }
                        td { (prose(&line.why)) }
                    }
                }
            }
        }
        @if !page.doubts.is_empty() { p class="legend" { (page.doubts) } }
        (figures(page))
    }
}

/// The figures that determine the points, hidden until the reader unfolds them.
fn figures(page: &FeedbackPage) -> Markup {
    html! {
        details {
            summary { "The figures behind the points" }
            div class="scroll" { table {
                caption class="sr" { "The figures behind the points" }
                thead { tr {
                    th scope="col" { "item" }
                    @for column in ["figure", "interval"] { th scope="col" class="num" { (column) } }
                } }
                tbody {
                    @for line in &page.points {
                        tr {
                            th scope="row" { (line.item) }
                            td class="num" { (line.figure) }
                            td class="num" { (line.interval) }
                        }
                    }
                }
            } }
        }
    }
}

/// The root cause, which is all that the student has to read at first.
fn root_cause(root: &RootCause) -> Markup {
    html! {
        section class="root" {
            h2 { (prose(&root.step.title)) }
            (step(&root.step))
        }
    }
}

fn next(page: &FeedbackPage) -> Markup {
    html! {
        @if !page.next.is_empty() {
            h2 { @if page.root.is_some() { "What to do after that" } @else { "What to do next" } }
            ol class="next" {
                @for one in &page.next {
                    li {
                        b { (prose(&one.title)) }
                        (step(one))
                    }
                }
            }
        }
    }
}

/// The text after the title of `step`.
fn step(step: &NextStep) -> Markup {
    html! {
        @if !step.aside().is_empty() { span class="gain" { " " (step.aside()) } }
        p { (prose(&step.text)) }
        @if !step.output.is_empty() { pre { @for line in &step.output { (line) "\n" } } }
    }
}

fn lost_games(page: &FeedbackPage, links: &GameLinks) -> Markup {
    html! {
        @if !page.lost.is_empty() {
            h2 { "Moves that lost games" }
            @for game in &page.lost { (lost_game(game, links)) }
        }
    }
}

fn forfeits(page: &FeedbackPage, links: &GameLinks) -> Markup {
    html! {
        @if !page.forfeits.is_empty() {
            p { (page.forfeits_in_all) }
            @for note in &page.forfeits { (forfeit(note, links)) }
            @if page.more_forfeits > 0 {
                p { (more_forfeits(page.more_forfeits)) }
            }
        }
    }
}

/// The id of a game, which leads to the position after `ply` plies.
fn game_id(id: &str, ply: usize, links: &GameLinks) -> Markup {
    html! {
        span class="quiet" {
            @match links.game(id, ply) {
                Some(address) => a href=(address) { (sanitised(id)) },
                None => (sanitised(id)),
            }
        }
    }
}

fn lost_game(game: &LostGame, links: &GameLinks) -> Markup {
    let LostGame { file, ply, .. } = game;
    let replay = format!("Save it as `{file}`; then `gothello-arena replay --ply {ply} {file}` shows the move.");
    html! {
        article class="lost" {
            h3 { (prose(&capitalised(&game.heading))) " " (game_id(&game.game, *ply, links)) }
            p { (prose(&game.what)) }
            (boards(&game.decisive))
            details {
                summary { "The log of the game" }
                p { (prose(&replay)) }
                pre { @for line in game.log.lines() { (sanitised(line)) "\n" } }
            }
        }
    }
}

/// The boards before and after the move that lost the game.
fn boards(decisive: &DecisiveMove) -> Markup {
    let before = match decisive.better {
        Some(better) => format!("Before your move: * is the better {better}."),
        None => "Before your move.".to_owned(),
    };
    let better = |row: usize, file: usize| {
        if decisive.is_better(row, file) { StillMark::Better } else { StillMark::Plain }
    };
    let changed = |row: usize, file: usize| {
        let [was, is] = [&decisive.before, &decisive.after].map(|ranks| ranks[row][file]);
        match (was, is) {
            _ if decisive.is_played(row, file) => StillMark::Last,
            (was, is) if was == is => StillMark::Plain,
            (_, '.') => StillMark::Left,
            _ => StillMark::Flip,
        }
    };
    let captures = (0..decisive.after.len())
        .any(|row| (0..decisive.after[row].len()).any(|file| changed(row, file) == StillMark::Flip));
    let dashes = if captures { ": dashes mark what it captured" } else { "" };
    let after = format!("After your {}{dashes}.", decisive.played);
    html! {
        div class="pair" {
            figure {
                (StillBoard { label: &before, ranks: &decisive.before, mark: &better }.markup())
                figcaption class="legend" { (before) }
            }
            figure {
                (StillBoard { label: &after, ranks: &decisive.after, mark: &changed }.markup())
                figcaption class="legend" { (after) }
            }
        }
    }
}

fn forfeit(note: &ForfeitNote, links: &GameLinks) -> Markup {
    html! {
        h3 { (prose(&capitalised(&note.what))) " " (game_id(&note.game, note.plies, links)) }
        @if !note.reason.is_empty() { p { (prose(&note.reason)) } }
        @if !note.stderr.is_empty() {
            p { "The last lines that your bot wrote to stderr:" }
            pre { @for line in &note.stderr { (line) "\n" } }
        }
    }
}
