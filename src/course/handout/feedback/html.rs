//! A page of feedback as HTML.

use maud::{Markup, html};

use super::lost_games::FieldMark;
use super::{FeedbackPage, ForfeitNote, LostGame, NextStep, RootCause, more_forfeits};
use crate::base::sanitise::sanitised;
use crate::game::Side;
use crate::page::shown::{PlainPage, plain_page, prose};

pub(in crate::course::handout) const STYLE: &str = include_str!("feedback.css");

/// Renders `page` as a complete HTML file.
pub(super) fn html(page: &FeedbackPage) -> String {
    let title = format!("{}: {}", sanitised(&page.title), sanitised(&page.player));
    let body = html! {
        main id="main" class="feedback" {
            h1 { (title) }
            p class="total" { (prose(&page.total)) }
            @match &page.root {
                Some(root) if root.is_total => {
                    (root_cause(root))
                    details class="consequences" {
                        summary { "What follows from it" @if !page.forfeits.is_empty() { ": the points and the forfeited games" } @else { ": the points" } }
                        (points(page))
                        (forfeits(page))
                    }
                }
                Some(root) => {
                    (root_cause(root))
                    (points(page))
                    (next(page))
                    (lost_games(page))
                    @if !page.forfeits.is_empty() {
                        details class="consequences" {
                            summary { "What follows from it: the forfeited games" }
                            (forfeits(page))
                        }
                    }
                }
                None => {
                    (points(page))
                    (next(page))
                    (lost_games(page))
                    @if !page.forfeits.is_empty() {
                        h2 { "Forfeited games" }
                        (forfeits(page))
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
    plain_page(&PlainPage { title: &title, style: STYLE, script: None, body: &body })
}

fn points(page: &FeedbackPage) -> Markup {
    html! {
        div class="scroll" { table {
            caption { "Points, and the evidence for them" }
            thead { tr {
                th scope="col" { "item" }
                @for column in ["points", "of", "figure", "interval"] { th scope="col" class="num" { (column) } }
                th scope="col" { "why" }
            } }
            tbody {
                @for line in &page.points {
                    tr {
                        th scope="row" { (line.item) }
                        @for cell in [&line.points, &line.worth, &line.figure] { td class="num" { (cell) } }
                        td class="num interval" { (line.interval.replace(" %", "\u{a0}%")) }
                        td { (prose(&line.why)) }
                    }
                }
            }
        } }
    }
}

/// The root cause, which is all that the student has to read first.
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
            h2 { @if page.root.is_some() { "What to do then" } @else { "What to do next" } }
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

/// What follows the title of `step`.
fn step(step: &NextStep) -> Markup {
    html! {
        @if !step.aside().is_empty() { span class="gain" { " " (step.aside()) } }
        p { (prose(&step.text)) }
        @if !step.output.is_empty() { pre { @for line in &step.output { (line) "\n" } } }
    }
}

fn lost_games(page: &FeedbackPage) -> Markup {
    html! {
        @if !page.lost.is_empty() {
            h2 { "Moves that lost games" }
            @for game in &page.lost { (lost_game(game)) }
        }
    }
}

fn forfeits(page: &FeedbackPage) -> Markup {
    html! {
        @if !page.forfeits.is_empty() {
            p { (page.forfeits_in_all) }
            @for note in &page.forfeits { (forfeit(note)) }
            @if page.more_forfeits > 0 {
                p { (more_forfeits(page.more_forfeits)) }
            }
        }
    }
}

fn lost_game(game: &LostGame) -> Markup {
    html! {
        article class="lost" {
            (board(game))
            div {
                h3 { (sanitised(&game.game)) " " span class="quiet" { (prose(&game.heading)) } }
                p { (prose(&game.what)) }
                p class="legend" { (game.board.legend()) }
                details {
                    summary { "The log of the game" }
                    p {
                        "Save it as " code { (game.file) } "; then "
                        code { "gothello-arena replay --ply " (game.ply) " " (game.file) } " shows the move."
                    }
                    pre { @for line in game.log.lines() { (sanitised(line)) "\n" } }
                }
            }
        }
    }
}

/// The board before the move. Stones differ both by fill and by letter.
fn board(game: &LostGame) -> Markup {
    let board = &game.board;
    let files = board.ranks.first().map_or(0, Vec::len);
    html! {
        table class="stones" {
            caption class="sr" { "The board before ply " (game.ply) ". " (board.legend()) }
            @for (row, rank) in board.ranks.iter().enumerate() {
                tr {
                    th scope="row" { (board.ranks.len() - row) }
                    @for (file, &stone) in rank.iter().enumerate() { (field(stone, board.mark(row, file), board.side)) }
                }
            }
            tr {
                td {}
                @for letter in ('a'..='z').take(files) { th scope="col" { (letter) } }
            }
        }
    }
}

fn field(stone: char, mark: FieldMark, side: Side) -> Markup {
    let class = |letter: char| match letter {
        'b' => "stone black",
        'w' => "stone white",
        _ => "empty",
    };
    match mark {
        FieldMark::Played | FieldMark::Both => html! {
            td class="played" { span class=(class(side.letter())) { "(" (side.letter()) ")" } }
        },
        FieldMark::Better => html! { td class="better" { "*" } },
        FieldMark::Plain => html! { td { span class=(class(stone)) { (stone) } } },
    }
}

fn forfeit(note: &ForfeitNote) -> Markup {
    html! {
        h3 { (sanitised(&note.game)) " " span class="quiet" { (prose(&note.what)) } }
        @if !note.reason.is_empty() { p { (prose(&note.reason)) } }
        @if !note.stderr.is_empty() {
            p { "The last lines that your bot wrote to stderr:" }
            pre { @for line in &note.stderr { (line) "\n" } }
        }
    }
}
