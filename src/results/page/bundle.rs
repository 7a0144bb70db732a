//! The script and the style of a page, which need nothing from outside it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// The style.
pub(super) const STYLE: &str = concat!(
    include_str!("bundle/base.css"),
    include_str!("bundle/tables.css"),
    include_str!("bundle/board.css"),
    include_str!("bundle/viewer.css"),
    include_str!("bundle/players.css"),
    include_str!("bundle/print.css"),
);

/// The script: its files in an order in which each finds what it uses, the one that begins last.
pub(super) const SCRIPT: &str = concat!(
    "\"use strict\";
",
    include_str!("bundle/dom.js"),
    include_str!("bundle/words.js"),
    include_str!("bundle/codes.js"),
    include_str!("bundle/data.js"),
    include_str!("bundle/game.js"),
    include_str!("bundle/board.js"),
    include_str!("bundle/graph.js"),
    include_str!("bundle/games_table.js"),
    include_str!("bundle/player_page.js"),
    include_str!("bundle/viewer.js"),
    include_str!("bundle/theme.js"),
    include_str!("bundle/keys.js"),
    include_str!("bundle/tabs.js"),
    include_str!("bundle/start.js"),
);

/// The word by which a Content-Security-Policy allows exactly `text` as a script or a style.
pub(super) fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_elements_of_the_bundle_early() {
        for text in [STYLE, SCRIPT] {
            let text = text.to_lowercase();
            assert!(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"));
            // A browser would read another text than the digest is of.
            assert!(!text.contains('\r') && !text.contains('\0') && !text.starts_with('\u{feff}'));
        }
    }

    #[test]
    fn the_bundle_names_no_place_but_the_namespace_of_svg() {
        for text in [STYLE, SCRIPT] {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for foreign in
                ["://", "url(", "@import", "import(", "innerHTML", "outerHTML", "insertAdjacentHTML", "eval("]
            {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
    }
}
