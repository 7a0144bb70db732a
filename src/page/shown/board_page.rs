//! The page with a board on which people play. Its script asks the program for the position, and for the effect of a
//! move.

use maud::{Markup, html};

use super::bundle::{board_script, board_style, source};
use super::document::{HtmlFile, html_file, script_of};

/// The page with `body`, as one HTML file. The script is at the end of the body.
pub(crate) fn board_page(title: &str, body: &Markup) -> String {
    let (style, script) = (board_style(), board_script());
    let body = html! {
        body {
            (body)
            (script_of(&script))
        }
    };
    html_file(&HtmlFile {
        kind: Some("board"),
        policy: &board_policy(),
        style: &style,
        title,
        description: None,
        body: &body,
    })
}

/// The Content-Security-Policy of [`board_page`]: it allows only the page's own script and style, and requests to the
/// page's own server.
pub(crate) fn board_policy() -> String {
    let (script, style) = (source(&board_script()), source(&board_style()));
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'"
    )
}
