//! The headline of a report: who won, by how much, what the games do not show yet, and what a sequential test found.

use maud::{Markup, html};

use super::sequential_test;
use crate::base::sanitise::sanitised;
use crate::page::shown::content::PageContent;
use crate::results::report::{PageHeadline, page_headline};

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let Some(headline) = page_headline(content.standings) else { return html! {} };
    html! {
        section id="headline" {
            (text(&headline))
            @if let Some(figures) = content.figures {
                (sequential_test::figures(figures))
                (sequential_test::explained(content, figures))
            }
        }
    }
}

/// The sentences of `headline`.
pub(in crate::page::shown) fn text(headline: &PageHeadline) -> Markup {
    html! {
        h2 { (sanitised(&headline.sentence)) }
        @for detail in &headline.details { p { (sanitised(detail)) } }
    }
}
