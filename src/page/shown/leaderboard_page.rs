//! The page of a ladder: its script asks the program for the standings.

use maud::{Markup, html};

use super::bundle::{leaderboard_script, leaderboard_style, source};
use super::document::{HtmlFile, html_file, script_of};

/// The page with `body`, as one HTML file. The script is at the end of the body.
pub(crate) fn leaderboard_page(title: &str, body: &Markup) -> String {
    let (style, script) = (leaderboard_style(), leaderboard_script());
    let body = html! {
        body {
            (body)
            (script_of(&script))
        }
    };
    html_file(&HtmlFile {
        kind: Some("ladder"),
        policy: &leaderboard_policy(),
        style: &style,
        title,
        description: None,
        body: &body,
    })
}

/// The Content-Security-Policy of [`leaderboard_page`]: only its own script and style, and requests to its own server.
pub(crate) fn leaderboard_policy() -> String {
    let (script, style) = (source(&leaderboard_script()), source(&leaderboard_style()));
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'"
    )
}
