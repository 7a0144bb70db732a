//! The endings of the games.

use maud::{Markup, html};

use super::section_title;
use crate::base::units::grouped;
use crate::page::shown::content::PageContent;
use crate::page::shown::data::{PageData, RowResult};
use crate::page::shown::kind::PageKind;
use crate::page::shown::prose::prose;
use crate::results::report::page_notes;

pub(super) fn section(kind: PageKind, content: &PageContent<'_>) -> Markup {
    let notes = page_notes(content.standings);
    // A report has a separate section for a test.
    let test = if kind == PageKind::Live { notes.test } else { Vec::new() };
    html! {
        section id="endings" {
            (section_title("endings", "How games ended"))
            @if !content.data.games.is_empty() { (table(content.data)) }
            @for note in notes.games.iter().chain(&test) { p { (prose(note)) } }
        }
    }
}

/// The numbers of games with one kind of ending.
#[derive(Clone, Copy, Default)]
struct EndingCount {
    games: u64,
    black: u64,
    white: u64,
    draws: u64,
}

/// The number of games that ended in each of the ways in `data.terms`.
fn counts(data: &PageData) -> Vec<EndingCount> {
    let mut counts = vec![EndingCount::default(); data.terms.len()];
    for game in &data.games {
        let count = &mut counts[game.termination];
        count.games += 1;
        match game.result {
            RowResult::Black => count.black += 1,
            RowResult::White => count.white += 1,
            RowResult::Draw => count.draws += 1,
            RowResult::BothLost | RowResult::Void => {}
        }
    }
    counts
}

fn table(data: &PageData) -> Markup {
    let all = data.games.len() as u64;
    let counts = counts(data);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&term| std::cmp::Reverse(counts[term].games));
    html! {
        div class="scroll" { table {
            caption { "Endings as recorded in the game logs" }
            thead { tr {
                th scope="col" { "ending" }
                @for column in ["games", "share", "black won", "white won", "draws"] {
                    th scope="col" class="num" { (column) }
                }
            } }
            tbody {
                @for term in order {
                    tr {
                        th scope="row" { (data.terms[term]) }
                        td class="num" { (grouped(counts[term].games)) }
                        td class="num" { (share(counts[term].games, all)) }
                        td class="num" { (grouped(counts[term].black)) }
                        td class="num" { (grouped(counts[term].white)) }
                        td class="num" { (grouped(counts[term].draws)) }
                    }
                }
            }
        } }
    }
}

/// `12.5%`.
fn share(part: u64, whole: u64) -> String {
    let tenths = (part * 1000 + whole / 2) / whole.max(1);
    format!("{}.{}%", tenths / 10, tenths % 10)
}
