//! Pages of a live run with one board and nothing else: an overlay for streaming software, and a page for frames on
//! other sites. Their script asks the program what is being played.

use maud::{Markup, html};

use super::bundle::{source, stage_script, stage_style};
use super::document::{HtmlFile, html_file, script_of};

/// The kind of a page with one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// Large, on a transparent background.
    Overlay,
    /// In the colours of the live page.
    Embed,
}

impl StageKind {
    /// The name of the kind for the script and the style.
    const fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Embed => "embed",
        }
    }
}

/// The page of `kind` for the run called `title`, as one HTML file.
pub fn stage_page(kind: StageKind, title: &str) -> String {
    let (style, script) = (stage_style(), stage_script());
    html_file(&HtmlFile {
        kind: Some(kind.name()),
        policy: &stage_policy(),
        style: &style,
        title,
        description: None,
        body: &body(title, &script),
    })
}

fn body(title: &str, script: &str) -> Markup {
    html! {
        body {
            main id="stage" aria-label=(title) {
                p { "This page needs JavaScript." }
            }
            p id="say" class="sr" role="status" {}
            p id="toast" class="sr" {}
            (script_of(script))
        }
    }
}

/// The Content-Security-Policy of [`stage_page`]: only its own script and style, and requests to its own server.
pub(crate) fn stage_policy() -> String {
    let (script, style) = (source(&stage_script()), source(&stage_style()));
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'"
    )
}
