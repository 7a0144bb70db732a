//! The resources that the players used, for a private page.

use maud::{Markup, html};

use crate::results::report::{USAGE_TITLE, group_usage_lines, usage_lines};
use crate::results::standings::{GroupStandings, Standings};

pub(super) fn table(standings: &Standings) -> Markup {
    lines_table(&usage_lines(standings))
}

/// The table of the players of games with more than two seats.
pub(in crate::page::shown) fn group_table(standings: &GroupStandings) -> Markup {
    lines_table(&group_usage_lines(standings))
}

fn lines_table((header, lines): &(Vec<String>, Vec<Vec<String>>)) -> Markup {
    html! {
        h3 { "Resources used by all players" }
        div class="scroll" { table {
            caption { (USAGE_TITLE) }
            thead { tr {
                @for (index, column) in header.iter().enumerate() { th scope="col" class=[(index != 1).then_some("num")] { (column) } }
            } }
            tbody {
                @for line in lines {
                    tr {
                        @for (index, cell) in line.iter().enumerate() {
                            @if index == 1 { th scope="row" { (cell) } } @else { td class="num" { (cell) } }
                        }
                    }
                }
            }
        } }
    }
}
