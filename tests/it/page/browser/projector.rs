//! The projector, fed by the test: its board, its ticker, and its legibility across a room.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::Ruleset;
use gothello_arena::page::shown::game_code::GameCode;
use serde_json::json;

use super::chromium::Browser;
use super::fed_page::{
    NEXT_PLY, emit, frame, judged, line, ongoing, open, open_with, replay_is_at, shown, state, thirty_games,
};
use super::scripts::random_game;

/// The text on the projector that is not legible from a distance of ten metres.
const SMALL: &str = "[...document.querySelectorAll('#projector *')].filter(node => {
    const text = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
    const box = node.getBoundingClientRect();
    return text && box.width && getComputedStyle(node).opacity > 0 && parseFloat(getComputedStyle(node).fontSize) < 28;
}).map(node => node.outerHTML)";

/// The parts of the projector that are outside the window, or would scroll.
pub(super) const OUTSIDE: &str =
    "[document.documentElement, ...document.querySelectorAll('#projector, #projector *')].filter(node => {
    const box = node.getBoundingClientRect();
    if (getComputedStyle(node).visibility === 'hidden' || !box.width) return false;
    return box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.top < -1 || box.left < -1;
}).map(node => node.tagName + '.' + node.getAttribute('class'))";

#[test]
fn the_projector_fits_its_screen_and_reads_from_afar() {
    shown("", &thirty_games(), |tab| {
        tab.keys(["P"]);
        tab.wait("location.hash === '#projector' && !document.getElementById('projector').hidden");
        for (width, height) in [(1920, 1080), (1280, 720)] {
            tab.viewport(width, height);
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                assert_eq!(tab.eval(SMALL), json!([]), "{width}x{height}");
                assert_eq!(tab.eval(OUTSIDE), json!([]), "{width}x{height}");
                assert_eq!(tab.eval("document.scrollingElement.scrollHeight"), height);
                assert_eq!(tab.eval("document.querySelectorAll('#projector .top li').length"), 10);
                tab.screenshot(&format!("projector-{width}x{height}-{theme}"));
            }
        }
        assert_eq!(tab.eval("document.querySelectorAll('#projector .code path').length"), 1, "the address as a code");
        tab.keys(["Escape"]);
        tab.wait("document.getElementById('projector').hidden");
    });
}

#[test]
fn the_projector_replays_the_game_of_the_moment() {
    let (record, boards) = random_game(Ruleset::Gothello, &mut SplitMix64::new(4));
    let mut fast = ongoing(0, 61_000);
    fast["calm"] = json!(false);
    let mut state = state(&[fast]);
    state["moment"] = json!("r901-p0-p1");
    let code = GameCode::of(&record).expect("a legal game");
    let entry = json!([0, 1, 901, 0, 5, 0, code.moves, code.times, "", 0, null, 1]);
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    tab.before_pages(&format!(
        "window.moment = {entry}; addEventListener('DOMContentLoaded', () => {{ games['game/r901-p0-p1'] = moment; }});"
    ));
    open(&tab, &dir, "#projector", &state);
    let board = "(() => {
        const cells = [...document.querySelectorAll('#projector .cell')].map(cell => cell.textContent || '.');
        return [4, 3, 2, 1, 0].flatMap(row => cells.slice(row * 5, row * 5 + 5)).join('');
    })()";
    for (ply, expected) in boards.iter().enumerate() {
        tab.wait(&replay_is_at(ply, boards.len()));
        assert_eq!(tab.text(board), *expected, "ply {ply}");
        tab.screenshot(&format!("projector-replay-{}", ply.min(9)));
        tab.eval(NEXT_PLY);
    }
    tab.wait("document.querySelector('#projector .caption').textContent === 'kestrel won by 5'");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_projector_announces_the_decisive_move_and_shows_values() {
    let (entry, boards) = judged(7);
    let mut state = state(&[]);
    state["moment"] = json!("r901-p0-p1");
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open_with(&tab, &dir, ("#projector", &entry), &state);
    let caption = "document.querySelector('#projector .caption')";
    let bar = "document.querySelector('#projector .valuebar')";
    for ply in 0..boards.len() {
        tab.wait(&replay_is_at(ply, boards.len()));
        let value = if ply < 7 { "value: white by 3" } else { "value: black by 5" };
        assert_eq!(tab.text(&format!("{bar}.getAttribute('aria-label')")), value, "ply {ply}");
        let is_decisive = tab.eval(&format!("{caption}.textContent.endsWith(': the decisive move')"));
        assert_eq!(is_decisive, ply == 7, "ply {ply}");
        assert_eq!(tab.eval(&format!("{caption}.classList.contains('decisive')")), ply == 7, "ply {ply}");
        let share = tab.text(&format!("{bar}.querySelector('.black').getAttribute('height')"));
        assert_eq!(share, if ply < 7 { "44" } else { "60" }, "ply {ply}");
        assert_eq!(tab.eval(&format!("{bar}.getBoundingClientRect().width > 0")), true);
        tab.screenshot(&format!("projector-judged-{}", ply.min(9)));
        tab.eval(NEXT_PLY);
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_long_title_is_written_on_two_lines() {
    let mut told = thirty_games();
    told["page"]["title"] =
        json!("Introduction to Artificial Intelligence (CS 441/541), autumn term, third tournament");
    let heading = "document.querySelector('#projector h2')";
    shown("#projector", &told, |tab| {
        for (width, height) in [(1920, 1080), (1280, 720)] {
            tab.viewport(width, height);
            tab.wait(&format!("{heading}.classList.contains('long')"));
            // Letters may reach a little below their line.
            let is_cut = format!("{heading}.scrollHeight > {heading}.clientHeight + 14");
            assert_eq!(tab.eval(&is_cut), false, "{width}x{height}");
            tab.wait(&format!("{OUTSIDE}.length === 0"));
            assert_eq!(tab.eval(SMALL), json!([]), "{width}x{height}");
            tab.screenshot(&format!("projector-long-title-{height}"));
        }
    });
}

#[test]
fn a_game_without_values_has_no_bar_on_the_projector() {
    shown("#projector", &state(&[ongoing(0, 61_000)]), |tab| {
        tab.wait("document.querySelector('#projector .caption').textContent === '4. e1'");
        let width = "document.querySelector('#projector .valuebar').getBoundingClientRect().width";
        assert_eq!(tab.eval(width), 0);
        assert_eq!(tab.text("document.querySelector('#projector .mode').textContent"), "live");
    });
}

#[test]
fn the_ticker_has_the_latest_lines_and_leaves_time_to_read_them() {
    let lines = "[...document.querySelectorAll('#projector .ticker li')].map(line => line.textContent).join('; ')";
    let mut state = state(&[]);
    state["log"] = (1..=5).map(|number| line(number, "game", &format!("line {number}"), None)).collect();
    shown("#projector", &state, |tab| {
        assert!(tab.text(lines).starts_with("line 5; line 4; line 3"), "{}", tab.text(lines));
        let mut next = frame(8);
        next["log"] = json!([
            line(6, "highlight", "an upset", None),
            line(7, "game", "line 7", None),
            line(8, "game", "line 8", None),
            line(9, "game", "line 9", None)
        ]);
        emit(tab, "frame", &next);
        assert!(tab.text(lines).starts_with("line 5; "), "nobody has read line 5 yet");
        tab.eval("time += 4_100");
        tab.wait(&format!("{lines}.startsWith('line 9; line 8; an upset')"));
    });
}
