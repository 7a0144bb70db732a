//! The whole HTML file of a page.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::bundle::{SCRIPT, STYLE};
use super::data::PageData;
use super::gzip::gzip;
use super::kind::PageKind;
use super::markup;
use crate::results::standings::Standings;

/// The page of `data`, which follow from `standings`, as one HTML file.
pub fn page(kind: PageKind, data: &PageData, standings: &Standings) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-kind=(kind.name()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(kind.policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (data.title) }
                style { (PreEscaped(STYLE)) }
            }
            (markup::body(kind, data, standings, &scripts(kind, data)))
        }
    };
    markup.into_string()
}

/// What the body ends with: the data, and the script.
fn scripts(kind: PageKind, data: &PageData) -> Markup {
    html! {
        @if kind == PageKind::Report {
            script type="application/octet-stream" id="d" { (BASE64_STANDARD.encode(gzip(data.json().as_bytes()))) }
        }
        script { (PreEscaped(SCRIPT)) }
    }
}
