//! The page of a board on which people play: its script asks the program what is on the board, and what a move does.

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

/// The Content-Security-Policy of [`board_page`]: only its own script and style, and requests to its own server.
pub(crate) fn board_policy() -> String {
    let (script, style) = (source(&board_script()), source(&board_style()));
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'"
    )
}
