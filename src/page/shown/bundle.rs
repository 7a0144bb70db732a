//! The self-contained scripts and styles of pages.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

/// The style files of every page.
const STYLES: [&str; 6] = [
    include_str!("bundle/base.css"),
    include_str!("bundle/tables.css"),
    include_str!("bundle/board.css"),
    include_str!("bundle/viewer.css"),
    include_str!("bundle/players.css"),
    include_str!("bundle/openings.css"),
];

/// The style of the elements that only a live page contains.
const LIVE_STYLE: &str = include_str!("bundle/live.css");

/// The style for print, which overrides parts of the other styles.
const PRINT: &str = include_str!("bundle/print.css");

/// The script files of every page, in dependency order.
const SCRIPTS: [&str; 28] = [
    include_str!("bundle/dom.js"),
    include_str!("bundle/words.js"),
    include_str!("bundle/codes.js"),
    include_str!("bundle/clocks.js"),
    include_str!("bundle/data.js"),
    include_str!("bundle/game.js"),
    include_str!("bundle/score.js"),
    include_str!("bundle/claims.js"),
    include_str!("bundle/board.js"),
    include_str!("bundle/graph.js"),
    include_str!("bundle/games_link.js"),
    include_str!("bundle/games_table.js"),
    include_str!("bundle/player_page.js"),
    include_str!("bundle/move_sheet.js"),
    include_str!("bundle/sound.js"),
    include_str!("bundle/rules.js"),
    include_str!("bundle/endgame.js"),
    include_str!("bundle/alternatives.js"),
    include_str!("bundle/variation.js"),
    include_str!("bundle/picture.js"),
    include_str!("bundle/formats.js"),
    include_str!("bundle/saving.js"),
    include_str!("bundle/viewer_parts.js"),
    include_str!("bundle/viewer.js"),
    include_str!("bundle/theme.js"),
    include_str!("bundle/keys.js"),
    include_str!("bundle/page_keys.js"),
    include_str!("bundle/tabs.js"),
];

/// The additional script files of a report.
const REPORT_SCRIPTS: [&str; 3] = [
    include_str!("bundle/openings.js"),
    include_str!("bundle/sorted_table.js"),
    include_str!("bundle/rating_chart.js"),
];

/// The additional script files of a live page.
const LIVE_SCRIPTS: [&str; 13] = [
    include_str!("bundle/live_model.js"),
    include_str!("bundle/live_feed.js"),
    include_str!("bundle/live_values.js"),
    include_str!("bundle/live_seats.js"),
    include_str!("bundle/pager.js"),
    include_str!("bundle/live_boards.js"),
    include_str!("bundle/live_tables.js"),
    include_str!("bundle/live_games.js"),
    include_str!("bundle/live_stage.js"),
    include_str!("bundle/live_idle.js"),
    include_str!("bundle/live_parts.js"),
    include_str!("bundle/projector.js"),
    include_str!("bundle/live.js"),
];

/// The script files of a page with one board, in dependency order.
const STAGE_SCRIPTS: [&str; 15] = [
    SCRIPTS[0],
    SCRIPTS[1],
    SCRIPTS[2],
    SCRIPTS[3],
    SCRIPTS[4],
    SCRIPTS[5],
    include_str!("bundle/board.js"),
    include_str!("bundle/viewer_parts.js"),
    LIVE_SCRIPTS[0],
    LIVE_SCRIPTS[1],
    include_str!("bundle/live_seats.js"),
    include_str!("bundle/live_boards.js"),
    include_str!("bundle/live_games.js"),
    include_str!("bundle/live_stage.js"),
    include_str!("bundle/overlay.js"),
];

/// The style of a page with one board.
const STAGE_STYLE: &str = include_str!("bundle/overlay.css");

/// The script files of a board on which people play, in dependency order.
const BOARD_SCRIPTS: [&str; 9] = [
    SCRIPTS[0],
    SCRIPTS[1],
    SCRIPTS[2],
    include_str!("bundle/board.js"),
    include_str!("bundle/theme.js"),
    include_str!("bundle/keys.js"),
    include_str!("bundle/table_link.js"),
    include_str!("bundle/table_view.js"),
    include_str!("bundle/table.js"),
];

/// The style of a board on which people play.
const BOARD_STYLE: &str = include_str!("bundle/table.css");

/// The script files of a ladder's page, in dependency order.
const LEADERBOARD_SCRIPTS: [&str; 5] = [
    SCRIPTS[0],
    include_str!("bundle/theme.js"),
    include_str!("bundle/ladder_link.js"),
    include_str!("bundle/ladder_parts.js"),
    include_str!("bundle/ladder.js"),
];

/// The style of a ladder's page.
const LEADERBOARD_STYLE: &str = include_str!("bundle/ladder.css");

/// The file that starts the script.
const START: &str = include_str!("bundle/start.js");

/// The style of a report.
pub(super) fn report_style() -> String {
    joined(STYLES.into_iter().chain([PRINT]))
}

/// The style of a live page.
pub(super) fn live_style() -> String {
    joined(STYLES.into_iter().chain([LIVE_STYLE, PRINT]))
}

/// The style of a page with one board.
pub(super) fn stage_style() -> String {
    joined(STYLES.into_iter().chain([LIVE_STYLE, STAGE_STYLE]))
}

/// The script of a page with one board.
pub(super) fn stage_script() -> String {
    joined([STRICT].into_iter().chain(STAGE_SCRIPTS))
}

/// The style of a board on which people play.
pub(super) fn board_style() -> String {
    joined([STYLES[0], STYLES[2], BOARD_STYLE])
}

/// The script of a board on which people play.
pub(super) fn board_script() -> String {
    joined([STRICT].into_iter().chain(BOARD_SCRIPTS))
}

/// The style of a ladder's page.
pub(super) fn leaderboard_style() -> String {
    joined([STYLES[0], STYLES[1], LEADERBOARD_STYLE, PRINT])
}

/// The script of a ladder's page.
pub(super) fn leaderboard_script() -> String {
    joined([STRICT].into_iter().chain(LEADERBOARD_SCRIPTS))
}

/// The style of boards on a page that is not a report on a run.
pub(crate) const STILL_BOARD_STYLE: &str = STYLES[2];

/// The style of a page that is not a report on a run, with the page's `own` additions.
pub(super) fn document_style(own: &[&'static str]) -> String {
    joined([STYLES[0], STYLES[1]].iter().chain(own).copied().chain([PRINT]))
}

/// The script of a page that is not a report on a run: only the page's `own` script.
pub(super) fn document_script(own: &'static str) -> String {
    joined([STRICT, own])
}

const STRICT: &str = "\"use strict\";";

/// The script of a report.
pub(super) fn report_script() -> String {
    joined([STRICT].into_iter().chain(SCRIPTS).chain(REPORT_SCRIPTS).chain([START]))
}

/// The script of a live page.
pub(super) fn live_script() -> String {
    joined([STRICT].into_iter().chain(SCRIPTS).chain(LIVE_SCRIPTS).chain([START]))
}

/// The icon of every page, as a data URL.
pub(super) fn favicon() -> String {
    const ICON: &[u8] = include_bytes!("bundle/favicon.png");
    format!("data:image/png;base64,{}", BASE64_STANDARD.encode(ICON))
}

/// The lines of `files` without indentation, and without lines that contain only comments.
fn joined(files: impl IntoIterator<Item = &'static str>) -> String {
    let mut text = String::new();
    let mut is_comment = false;
    for line in files.into_iter().flat_map(str::lines).map(str::trim) {
        is_comment |= line.starts_with("/*");
        let ends_here = line.ends_with("*/");
        if !is_comment && !line.is_empty() && !line.starts_with("//") {
            text.push_str(line);
            text.push('\n');
        }
        is_comment &= !ends_here;
    }
    text
}

/// The source expression with which a Content-Security-Policy allows exactly `text` as a script or style.
pub(super) fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> [String; 10] {
        [
            report_style(),
            live_style(),
            stage_style(),
            stage_script(),
            board_style(),
            leaderboard_style(),
            report_script(),
            live_script(),
            board_script(),
            leaderboard_script(),
        ]
    }

    #[test]
    fn nothing_ends_the_elements_of_the_bundle_early() {
        for text in texts() {
            let text = text.to_lowercase();
            assert!(!text.contains("</script") && !text.contains("</style") && !text.contains("<!--"));
            // Otherwise, a browser would hash a different text.
            assert!(!text.contains('\r') && !text.contains('\0') && !text.starts_with('\u{feff}'));
        }
    }

    #[test]
    fn the_bundle_names_no_place_but_the_namespace_of_svg() {
        for text in texts() {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for foreign in ["://", "url(", "@import", "import("] {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
    }

    #[test]
    fn text_never_becomes_markup_or_code() {
        for text in texts() {
            let wrong = [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "DOMParser",
                "createContextualFragment",
                "srcdoc",
                "setHTML",
                "parseHTML",
            ];
            for way in wrong {
                assert!(!text.contains(way), "{way}");
            }
        }
    }

    #[test]
    fn leaving_out_comments_and_indentation_changes_no_text() {
        let files = STYLES.into_iter().chain(SCRIPTS).chain(LIVE_SCRIPTS).chain(BOARD_SCRIPTS);
        let files = files.chain(LEADERBOARD_SCRIPTS).chain(REPORT_SCRIPTS).chain(STAGE_SCRIPTS);
        let files = files.chain([LIVE_STYLE, STAGE_STYLE, BOARD_STYLE, LEADERBOARD_STYLE, PRINT, START]);
        for line in files.flat_map(str::lines) {
            assert!(line.matches('`').count() % 2 == 0, "a string that spans several lines: {line}");
            let begins = line.trim_start().starts_with("/*");
            assert!(begins || !line.contains("/*"), "a comment after code: {line}");
            assert!(!line.contains("*/") || line.ends_with("*/"), "code after a comment: {line}");
        }
    }

    #[test]
    fn scripts_are_small() {
        // Of the report's script, 8 KiB are for games with more than two seats, and 13 KiB for openings, sorting and
        // the values in charts. Of the live page's script, 12 KiB are for games with more than two seats, and 5 KiB for
        // the next games, openings, questions to the arena, and switching between boards. Of either script, 14 KiB are
        // for the points of games without values, forfeits, and stones that move; 5 KiB for lists that the address
        // stores; 18 KiB for trying moves; 3 KiB for claims; and 16 KiB for games as pictures and in other formats.
        assert!(report_script().len() <= 143 * 1024, "{}", report_script().len());
        assert!(live_script().len() <= 186 * 1024, "{}", live_script().len());
        assert!(stage_script().len() <= 80 * 1024, "{}", stage_script().len());
        assert!(board_script().len() <= 48 * 1024, "{}", board_script().len());
        assert!(leaderboard_script().len() <= 28 * 1024, "{}", leaderboard_script().len());
    }
}
