//! The board of `play --web`: a game by keyboard, a game by touch, and accessibility.

use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::tab::Tab;
use crate::practice::web::WebBoard;

/// The text above the board, which screen readers read out.
const NEWS: &str = "document.getElementById('news').textContent";

/// Opens `board` in `tab`, in a window of the given size.
fn open(tab: &Tab, board: &WebBoard, (width, height): (u32, u32)) {
    tab.viewport(width, height);
    tab.goto(&board.link);
    tab.wait("document.querySelector('#table:not([hidden]) .cell')");
}

/// The text of the focused field's label.
fn focused(tab: &Tab) -> String {
    tab.text("document.activeElement.getAttribute('aria-label') ?? ''")
}

/// Moves the focus with the arrow keys to the field `name` of a Gothello board, and presses Enter.
fn place(tab: &Tab, name: &str) {
    tab.keys(["ArrowUp"]);
    let at = |text: &str| (i32::from(text.as_bytes()[0]), i32::from(text.as_bytes()[1]));
    let ((x, y), (from_x, from_y)) = (at(name), at(&focused(tab)));
    let (across, up) = (x - from_x, y - from_y);
    let keys = [
        (across.max(0), "ArrowRight"),
        ((-across).max(0), "ArrowLeft"),
        (up.max(0), "ArrowUp"),
        ((-up).max(0), "ArrowDown"),
    ];
    for (times, key) in keys {
        for _ in 0..times {
            tab.keys([key]);
        }
    }
    assert!(focused(tab).starts_with(name), "{name}: {}", focused(tab));
    tab.keys(["Enter"]);
}

#[test]
fn a_game_against_greedy_is_won_by_keyboard_with_hints() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["greedy", "--seed", "1"]);
    let tab = browser.tab();
    open(&tab, &board, (1280, 800));
    assert_eq!(tab.text(NEWS), "Your turn (black).");
    assert_eq!(tab.eval("document.querySelectorAll('#hints:not([hidden]), .legal').length"), 0, "no unrequested hints");
    tab.keys(["h"]);
    let ready = "(/wins by/.test(document.title) || (!document.querySelector('#hints').hidden && !/searching|\\?/.test(document.querySelector('#hints').textContent)
        && document.querySelector('.side.next .who').textContent === 'person'))";
    for _ in 0..40 {
        tab.wait(ready);
        if tab.text("document.title").contains("wins by") {
            break;
        }
        let best = tab.text("document.querySelector('#hints li').textContent");
        let (value, moves) = best.split_once(": ").expect("moves");
        assert!(value.starts_with("black wins"), "{best}");
        let plies = tab.eval("document.querySelectorAll('.moves li').length");
        match moves.split(' ').next().expect("a move") {
            "pass" => tab.keys(["p"]),
            name => place(&tab, name),
        }
        tab.wait(&format!("document.querySelectorAll('.moves li').length > {plies}"));
    }
    assert!(tab.text("document.title").starts_with("Black wins by"), "{}", tab.text(NEWS));
    assert!(tab.text(NEWS).contains("lack wins by"), "{}", tab.text(NEWS));
    assert_eq!(tab.faults(), [""; 0]);
    tab.keys(["q", "q"]);
    tab.wait(&format!("{NEWS}.startsWith('The game was abandoned')"));
}

#[test]
fn help_is_asked_for_by_keys_and_illegal_moves_are_explained() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["--two"]);
    let tab = browser.tab();
    open(&tab, &board, (1280, 800));
    tab.keys(["l"]);
    tab.wait("document.querySelectorAll('.legal').length === 25");
    place(&tab, "c3");
    tab.wait("document.querySelectorAll('.legal').length === 24");
    assert_eq!(tab.text(NEWS), "Black: c3; white to move.");
    tab.keys(["Enter"]);
    tab.wait(&format!("{NEWS} === 'c3: the point is occupied.'"));
    place(&tab, "a1");
    tab.wait("document.querySelectorAll('.moves li').length === 2");
    tab.keys(["v"]);
    tab.wait("document.querySelector('.moves li:last-child .blunder') || /nothing away/.test(document.getElementById('why').textContent)");
    tab.keys(["u"]);
    tab.wait("document.querySelectorAll('.moves li').length === 1");
    tab.keys(["r"]);
    tab.wait(&format!("{NEWS}.startsWith('To resign')"));
    tab.keys(["r"]);
    tab.wait(&format!("{NEWS}.includes('lack wins (resignation)')"));
    tab.keys(["?"]);
    tab.wait("document.querySelector('dialog').open");
    assert_eq!(tab.faults(), [""; 0]);
    // The same link shows the same board to others; a link with a wrong token shows nothing.
    let other = browser.tab();
    open(&other, &board, (390, 844));
    assert_eq!(other.eval("document.querySelectorAll('.moves li').length"), 1);
    let wrong = browser.tab();
    wrong.goto(&format!("{}0", board.link));
    wrong.wait(&format!("{NEWS}.includes('needs the token')"));
    assert_eq!(wrong.eval("document.querySelectorAll('.stone.black').length"), 1, "only the one beside the name");
}

/// Touches the middle of the element `selector`.
fn touch(tab: &Tab, selector: &str) {
    let middle = tab.eval(&format!(
        "(() => {{ const node = document.querySelector(\"{selector}\"); node.scrollIntoView({{ block: 'center' }});
            const box = node.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
    ));
    let point = json!([{ "x": middle[0], "y": middle[1] }]);
    tab.call("Input.dispatchTouchEvent", &json!({ "type": "touchStart", "touchPoints": point }));
    tab.call("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] }));
}

fn plies(tab: &Tab, number: usize) {
    tab.wait(&format!("document.querySelectorAll('.moves li').length === {number}"));
}

#[test]
fn a_game_is_played_by_touch_on_a_phone() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let board = WebBoard::start(dir.path(), &["--two"]);
    let tab = browser.tab();
    tab.call("Emulation.setTouchEmulationEnabled", &json!({ "enabled": true }));
    open(&tab, &board, (390, 844));
    assert_eq!(tab.eval("document.documentElement.scrollWidth <= 390"), Value::Bool(true));
    touch(&tab, ".cell[aria-label^='c3']");
    plies(&tab, 1);
    touch(&tab, "#do-undo");
    plies(&tab, 0);
    touch(&tab, ".cell[aria-label^='c3']");
    plies(&tab, 1);
    touch(&tab, "#do-pass");
    plies(&tab, 2);
    touch(&tab, "#do-pass");
    tab.wait(&format!("{NEWS}.includes('lack wins by 1')"));
    assert_eq!(tab.faults(), [""; 0]);
    // On small fields, a move takes two touches.
    let board = WebBoard::start(dir.path(), &["--two", "--ruleset", "go-19"]);
    open(&tab, &board, (390, 844));
    touch(&tab, ".cell[aria-label^='q16']");
    tab.wait(&format!("{NEWS} === 'q16: tap again to play there.'"));
    touch(&tab, ".cell[aria-label^='q16']");
    plies(&tab, 1);
    assert_eq!(tab.eval("document.documentElement.scrollWidth <= 390"), Value::Bool(true));
}

#[test]
fn axe_finds_nothing_on_boards_of_each_kind() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let Some(script) = axe::script() else { return };
    for (ruleset, moves) in [("gothello", "c3 d3"), ("quantum", "e4 d4"), ("go-9", "e5 c3")] {
        let board = WebBoard::start(dir.path(), &["--two", "--ruleset", ruleset]);
        for (theme, size) in [("light", (1280, 800)), ("dark", (390, 844))] {
            let tab = browser.tab();
            tab.media("screen", theme);
            open(&tab, &board, size);
            for played in moves.split(' ').filter(|_| theme == "light") {
                let count = tab.eval("document.querySelectorAll('.moves li').length");
                tab.eval(&format!("document.getElementById('typed').value = '{played}'"));
                tab.eval("document.querySelector('#type button').click()");
                tab.wait(&format!("document.querySelectorAll('.moves li').length > {count} || {NEWS}.includes(': ')"));
            }
            if theme == "light" {
                tab.keys(["h", "v", "l"]);
            } else {
                tab.keys(["l"]);
            }
            tab.wait("document.querySelectorAll('.legal').length > 0");
            tab.wait("!/searching/.test(document.getElementById('aside').textContent)");
            assert_eq!(axe::violations(&tab, &script), [""; 0], "{ruleset} in the {theme} theme");
            tab.screenshot(&format!("table-{ruleset}-{theme}"));
            assert_eq!(tab.faults(), [""; 0]);
        }
    }
}
