//! The script and the style of a page, which need nothing from outside it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::kind::PageKind;

/// The style of every page, before the rules for print.
const STYLE: &str = concat!(
    include_str!("bundle/base.css"),
    include_str!("bundle/tables.css"),
    include_str!("bundle/board.css"),
    include_str!("bundle/viewer.css"),
    include_str!("bundle/players.css"),
);

/// The style of a live page alone.
const LIVE_STYLE: &str = include_str!("bundle/live.css");

/// The rules for print, which come last since they override others.
const PRINT_STYLE: &str = include_str!("bundle/print.css");

/// The script of every page, each file after those that it uses while it is read.
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
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
);

/// The script of a live page alone.
const LIVE_SCRIPT: &str = concat!(
    include_str!("bundle/live_model.js"),
    include_str!("bundle/live_boards.js"),
    include_str!("bundle/live_tables.js"),
    include_str!("bundle/live_feed.js"),
    include_str!("bundle/projector.js"),
    include_str!("bundle/live.js"),
);

/// The file that begins, when all others have been read.
const START: &str = include_str!("bundle/start.js");

/// The script and the style of one kind of pages.
#[derive(Debug)]
pub(super) struct Bundle {
    /// The script.
    pub(super) script: String,
    /// The style.
    pub(super) style: String,
}

impl Bundle {
    /// The bundle of pages of `kind`.
    pub(super) fn of(kind: PageKind) -> &'static Self {
        static REPORT: LazyLock<Bundle> = LazyLock::new(|| Bundle::new(&[SCRIPT, START], &[STYLE, PRINT_STYLE]));
        static LIVE: LazyLock<Bundle> =
            LazyLock::new(|| Bundle::new(&[SCRIPT, LIVE_SCRIPT, START], &[STYLE, LIVE_STYLE, PRINT_STYLE]));
        match kind {
            PageKind::Report => &REPORT,
            PageKind::Live => &LIVE,
        }
    }

    fn new(scripts: &[&str], styles: &[&str]) -> Self {
        Self { script: slim(scripts), style: slim(styles) }
    }
}

/// The lines of `files` without indentation, comments that have lines of their own, and empty lines.
fn slim(files: &[&str]) -> String {
    let mut slim = String::new();
    let mut in_comment = false;
    for line in files.iter().flat_map(|file| file.lines()).map(str::trim) {
        let begins = line.starts_with("/*");
        let is_code = !in_comment && !begins && !line.starts_with("//") && !line.is_empty();
        in_comment = (in_comment || begins) && !line.ends_with("*/");
        if is_code {
            slim.push_str(line);
            slim.push('\n');
        }
    }
    slim
}

/// The word by which a Content-Security-Policy allows exactly `text` as a script or a style.
pub(super) fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of the bundle.
    const FILES: [&str; 6] = [STYLE, LIVE_STYLE, PRINT_STYLE, SCRIPT, LIVE_SCRIPT, START];

    #[test]
    fn nothing_ends_the_elements_of_the_bundle_early() {
        for text in FILES {
            let text = text.to_lowercase();
            assert!(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"));
            // A browser would read another text than the digest is of.
            assert!(!text.contains('\r') && !text.contains('\0') && !text.contains('\u{feff}'));
        }
    }

    #[test]
    fn the_bundle_names_no_place_but_the_namespace_of_svg_and_writes_no_markup() {
        let foreign = ["://", "url(", "@import", "import(", "innerHTML", "outerHTML", "insertAdjacentHTML"];
        let writing = ["document.write", "eval(", "new Function", "setHTML", "srcdoc", "DOMParser", ".style."];
        for text in FILES {
            let text = text.replace("\"http://www.w3.org/2000/svg\"", "");
            for word in foreign.iter().chain(&writing) {
                assert!(!text.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn only_whole_lines_are_left_out_of_the_bundle() {
        assert_eq!(slim(&["a\n  // b\n\n  c // d\n", "/** e */\n/* f\n g */\nh\n"]), "a\nc // d\nh\n");
        for file in FILES {
            for line in file.lines() {
                // A text over several lines would lose its indentation.
                assert!(line.matches('`').count() % 2 == 0, "{line}");
                assert!(!line.contains("/*") || line.trim().starts_with("/*"), "{line}");
                assert!(!line.contains("*/") || line.trim().ends_with("*/"), "{line}");
            }
        }
    }

    #[test]
    fn the_script_of_a_report_is_within_its_budget() {
        let Bundle { script, style } = Bundle::of(PageKind::Report);
        assert!(script.len() <= 64 << 10, "{} bytes of script", script.len());
        assert!(style.len() <= 24 << 10, "{} bytes of style", style.len());
        assert!(!script.contains("EventSource"), "a report has no server");
    }
}
