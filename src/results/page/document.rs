//! The whole HTML file of a page.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::content::PageContent;
use super::gzip::gzip;
use super::kind::PageKind;
use super::markup;

/// The page of `content` as one HTML file.
pub fn page(kind: PageKind, content: &PageContent<'_>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-kind=(kind.name()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(kind.policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (content.data.title) }
                style { (PreEscaped(kind.style())) }
            }
            (markup::body(kind, content, &scripts(kind, content)))
        }
    };
    markup.into_string()
}

/// What the body ends with: the data, and the script.
fn scripts(kind: PageKind, content: &PageContent<'_>) -> Markup {
    html! {
        @if kind == PageKind::Report {
            script type="application/octet-stream" id="d" {
                (BASE64_STANDARD.encode(gzip(content.data.json().as_bytes())))
            }
        }
        script { (PreEscaped(kind.script())) }
    }
}
