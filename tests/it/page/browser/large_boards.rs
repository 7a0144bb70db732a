//! Boards of squares and points in the report: their size, the text next to them, and the graph of the points.

use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::pages::Reported;
use super::tab::Tab;

/// Opens the game of `reported` at ply `ply`.
fn open(tab: &Tab, reported: &Reported, ply: usize) {
    tab.goto(&format!("file://{}#g=r1-kestrel-wren&p={ply}", reported.page().display()));
    tab.wait("document.querySelector('#viewer [role=gridcell]')");
}

/// The height of the board in play, its left and top edges, the distance from its letters to the text below it, and the
/// lower edge of the buttons.
const LARGE: &str = "(() => {
    const layer = document.querySelector('#viewer .layer:not(.resting)');
    const box = layer.querySelector('.grid').getBoundingClientRect();
    const text = document.querySelector('#viewer .table > .what').getBoundingClientRect();
    const below = layer.getBoundingClientRect().bottom;
    const steps = document.querySelector('#viewer .table > .steps').getBoundingClientRect();
    return [box.height, box.left, box.top, text.top - below, steps.bottom].map(Math.round);
})()";

#[test]
fn a_large_board_fills_seventy_percent_of_the_height_if_the_buttons_below_it_are_still_in_the_window() {
    let Some(browser) = Browser::start() else { return };
    for ruleset in ["othello", "go-9", "quantum-8"] {
        let reported = Reported::duel(ruleset);
        let tab = browser.tab();
        for (width, height) in [(1920, 1080), (1280, 720), (2560, 1440)] {
            tab.viewport(width, height);
            open(&tab, &reported, 20);
            let seen = tab.eval(LARGE);
            let [tall, _, _, gap, buttons] = [0, 1, 2, 3, 4].map(|at| seen[at].as_i64().expect("a number"));
            let most = i64::from(height) * 7 / 10;
            let least = most.min(i64::from(height) - 320);
            assert!(buttons <= i64::from(height), "{ruleset}: the buttons end at {buttons} at {width}x{height}");
            assert!((least..=most + 6).contains(&tall), "{ruleset} is {tall} high at {width}x{height}");
            assert!((0..=24).contains(&gap), "{ruleset}: the text is {gap} below the board");
            let wide = tab.eval("document.scrollingElement.scrollWidth");
            assert_eq!(wide, width, "{ruleset} at {width}x{height}");
        }
        // In a narrower window, more lines are above the board.
        tab.viewport(1024, 768);
        open(&tab, &reported, 20);
        let buttons = tab.eval(LARGE)[4].as_i64().expect("a number");
        assert!(buttons <= 768, "{ruleset}: the buttons end at {buttons} at 1024x768");
        assert_eq!(tab.faults(), [""; 0]);
    }
}

#[test]
fn both_boards_of_a_quantum_game_keep_their_places_from_mode_to_mode() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("quantum-8");
    let tab = browser.tab();
    tab.viewport(1440, 900);
    open(&tab, &reported, 5);
    let places = format!(
        "[{LARGE}.slice(0, 3), (() => {{
            const box = document.querySelector('#viewer .resting .ranks').getBoundingClientRect();
            return [box.left, box.top].map(Math.round); }})(), document.querySelector('#viewer .what').textContent.split(' ')[0]]"
    );
    let first = tab.eval(&places);
    tab.keys(["End"]);
    tab.wait("document.querySelector('#viewer .what').textContent.includes('pass')");
    let last = tab.eval(&places);
    assert_ne!(first[2], last[2], "the mode has changed");
    assert_eq!((&first[0], &first[1]), (&last[0], &last[1]));
}

#[test]
fn the_seats_of_go_show_points_compensation_and_captures_and_the_board_its_star_points() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("go-9");
    let record = reported.record("r1-kestrel-wren");
    let tab = browser.tab();
    open(&tab, &reported, record.plies.len());
    let counts =
        tab.text("[...document.querySelectorAll('#viewer .seat .count')].map(one => one.textContent).join('; ')");
    let (black, white) = counts.split_once("; ").expect("two seats");
    let number = |text: &str| text.split(' ').next().and_then(|word| word.parse::<i32>().ok()).expect("a number");
    let margin = record
        .result
        .as_ref()
        .ok()
        .and_then(gothello_arena::referee::result::GameResult::margin)
        .expect("a game to its end");
    assert_eq!(number(black) - number(white), margin, "{counts}");
    assert!(white.contains(" + 7.5 points"), "{counts}");
    let stars = "[...document.querySelectorAll('#viewer [data-star]')].map(cell => cell.getAttribute('aria-label').split(' ')[0]).join()";
    assert_eq!(tab.text(stars), "c7,g7,e5,c3,g3");
    let facts = tab.text("document.querySelector('#viewer .facts').textContent");
    let ahead = f64::from(margin) - 7.5;
    let side = if ahead > 0.0 { "black" } else { "white" };
    assert!(facts.contains(&format!("{side} won by {}", ahead.abs())), "{facts}");
}

#[test]
fn the_graph_of_a_game_without_values_tells_who_is_ahead_and_leads_to_a_ply() {
    let Some(browser) = Browser::start() else { return };
    for ruleset in ["othello", "quantum-8"] {
        let reported = Reported::duel(ruleset);
        let tab = browser.tab();
        open(&tab, &reported, 0);
        let line = tab.text("document.querySelector('#viewer .graph .known').getAttribute('d')");
        assert!(line.matches('H').count() > 40, "{line}");
        let fire = |kind: &str, buttons: u8| {
            format!(
                "(() => {{ const graph = document.querySelector('#viewer .graph'); const box = graph.getBoundingClientRect();
                    const [x, y] = [box.left + box.width * 0.6, box.top + 40];
                    graph.dispatchEvent(new PointerEvent('{kind}', {{ clientX: x, clientY: y, buttons: {buttons}, bubbles: true }})); }})()"
            )
        };
        tab.eval(&fire("pointermove", 0));
        let tip = tab.text("document.querySelector('#viewer .graph .tip').textContent");
        assert!(tip.contains(" by ") || tip.contains("level"), "{tip}");
        assert!(
            tab.text("document.querySelector('#viewer .what').textContent").starts_with("Start"),
            "hovering moves nothing"
        );
        tab.eval(&fire("pointerdown", 1));
        let what = tab.text("document.querySelector('#viewer .what').textContent");
        let played = tip.split(" · ").next().expect("a move");
        assert!(what.contains(played), "{what}: {tip}");
        assert_eq!(tab.faults(), [""; 0]);
    }
}

#[test]
fn stones_have_letters_only_with_a_high_contrast() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("othello");
    let tab = browser.tab();
    tab.media("screen", "light");
    open(&tab, &reported, 4);
    let letters = "[...new Set([...document.querySelectorAll('#viewer .cell .stone:is(.black, .white)')].map(stone => getComputedStyle(stone).color))].sort()";
    assert_eq!(tab.eval(letters), json!(["rgba(0, 0, 0, 0)"]));
    for theme in ["dark", "contrast"] {
        tab.eval("document.getElementById('theme').click()");
        assert_eq!(tab.text("document.documentElement.dataset.theme"), theme);
    }
    assert_eq!(tab.eval(letters), json!(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]));
    tab.eval("document.getElementById('theme').click()");
    assert_eq!(tab.text("document.documentElement.dataset.theme"), "light");
    tab.media("print", "light");
    assert_eq!(tab.eval(letters), json!(["rgb(0, 0, 0)", "rgb(255, 255, 255)"]));
}

#[test]
fn nothing_bars_people_from_large_boards() {
    let Some(script) = axe::script() else { return };
    let Some(browser) = Browser::start() else { return };
    let mut found: Vec<Value> = Vec::new();
    for ruleset in ["othello", "go-9", "quantum-8"] {
        let reported = Reported::duel(ruleset);
        let tab = browser.tab();
        for theme in ["light", "dark"] {
            tab.media("screen", theme);
            open(&tab, &reported, 12);
            found.extend(axe::violations(&tab, &script).into_iter().map(|line| json!([ruleset, theme, line])));
        }
    }
    assert!(found.is_empty(), "{:#}", Value::Array(found));
}
