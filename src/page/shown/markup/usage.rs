//! The resources that the players used, for a private page.

use maud::{Markup, html};

use crate::results::report::{USAGE_TITLE, usage_lines};
use crate::results::standings::Standings;

pub(super) fn table(standings: &Standings) -> Markup {
    let (header, lines) = usage_lines(standings);
    html! {
        h3 { "Resources used" }
        div class="scroll" { table {
            caption { (USAGE_TITLE) }
            thead { tr {
                @for (index, column) in header.iter().enumerate() { th scope="col" class=[(index != 1).then_some("num")] { (column) } }
            } }
            tbody {
                @for line in &lines {
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
