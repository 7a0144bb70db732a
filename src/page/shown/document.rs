//! The whole HTML file of a page.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::bundle::{document_script, document_style, favicon, source};
use super::content::PageContent;
use super::groups::{self, GroupContent};
use super::gzip::gzip;
use super::kind::PageKind;
use super::markup;
use crate::base::sanitise::sanitised;
use crate::results::report::{PageHeadline, group_page_headline, page_headline};

/// The page of `content` as one HTML file.
pub fn page(kind: PageKind, content: &PageContent<'_>) -> String {
    let scripts = scripts(kind, || content.data.json());
    let headline = page_headline(content.standings);
    document(kind, (&content.data.title, headline), &markup::body(kind, content, &scripts))
}

/// The page of `content`, which has games with more than two seats, as one HTML file.
pub fn group_page(kind: PageKind, content: &GroupContent<'_>) -> String {
    let scripts = scripts(kind, || content.data.json());
    let headline = group_page_headline(content.standings);
    document(kind, (&content.data.title, headline), &groups::body(kind, content, &scripts))
}

/// The file with `body`, with a title and a headline. A live page has no headline, since it would soon be outdated.
fn document(kind: PageKind, (title, headline): (&str, Option<PageHeadline>), body: &Markup) -> String {
    let headline = headline.filter(|_| kind == PageKind::Report);
    let description = headline.map(|headline| sanitised(&headline.sentence));
    html_file(&HtmlFile {
        kind: Some(kind.name()),
        policy: &kind.policy(),
        style: &kind.style(),
        title,
        description: description.as_deref(),
        body,
    })
}

/// The parts of an HTML file that loads nothing, and runs only what its policy allows.
pub(super) struct HtmlFile<'f> {
    /// The kind of the page, for its script and its style.
    pub(super) kind: Option<&'static str>,
    /// The Content-Security-Policy.
    pub(super) policy: &'f str,
    /// The text of the style.
    pub(super) style: &'f str,
    /// The title.
    pub(super) title: &'f str,
    /// A sentence about the page, for searches and for previews of links.
    pub(super) description: Option<&'f str>,
    /// The element `body`.
    pub(super) body: &'f Markup,
}

/// The text of `file`.
pub(super) fn html_file(file: &HtmlFile<'_>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-kind=[file.kind] {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(file.policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (file.title) }
                @if let Some(description) = file.description {
                    meta name="description" content=(description);
                    meta property="og:title" content=(file.title);
                    meta property="og:description" content=(description);
                }
                link rel="icon" href=(favicon());
                style { (PreEscaped(file.style)) }
            }
            (file.body)
        }
    };
    markup.into_string()
}

/// A standalone page, without the data of games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainPage<'p> {
    /// The title.
    pub(crate) title: &'p str,
    /// The styles in addition to the style of every page.
    pub(crate) styles: &'p [&'static str],
    /// The script, if there is one. The page is complete without it.
    pub(crate) script: Option<&'static str>,
    /// The contents of the body.
    pub(crate) body: &'p Markup,
}

/// `page` as one HTML file, which loads nothing and runs no script except its own.
pub(crate) fn plain_page(page: &PlainPage<'_>) -> String {
    let (style, script) = (document_style(page.styles), page.script.map(document_script));
    let scripts = script.as_ref().map_or_else(|| "'none'".to_owned(), |script| source(script));
    let policy = format!(
        "default-src 'none'; script-src {scripts}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        source(&style)
    );
    let body = html! {
        body {
            (page.body)
            @if let Some(script) = script { (script_of(&script)) }
        }
    };
    html_file(&HtmlFile {
        kind: None,
        policy: &policy,
        style: &style,
        title: page.title,
        description: None,
        body: &body,
    })
}

/// The end of the body: the data and the script.
fn scripts(kind: PageKind, json: impl FnOnce() -> String) -> Markup {
    html! {
        @if kind == PageKind::Report {
            script type="application/octet-stream" id="d" {
                (BASE64_STANDARD.encode(gzip(json().as_bytes())))
            }
        }
        (script_of(&kind.script()))
    }
}

/// The element with `script`, which is part of this program.
pub(super) fn script_of(script: &str) -> Markup {
    html! {
        script { (PreEscaped(script)) }
    }
}
