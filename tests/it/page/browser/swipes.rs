//! Fingers on the board of the viewer.

use serde_json::{Value, json};

use super::chromium::Browser;
use super::pages::Reported;
use super::tab::Tab;
use crate::harness::waiting::until;

/// Moves a finger over the page, from the first of `points` to the last. Each point is relative to the middle of the
/// board.
fn touch(tab: &Tab, points: &[[f64; 2]]) {
    let middle = "(() => {
        const box = document.querySelector('#viewer .points').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    })()";
    let middle: [f64; 2] = serde_json::from_value(tab.eval(middle)).expect("a point");
    for (number, [x, y]) in points.iter().enumerate() {
        let kind = if number == 0 { "touchStart" } else { "touchMove" };
        let at = json!([{ "x": middle[0] + x, "y": middle[1] + y }]);
        tab.call("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": at }));
    }
    tab.call("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] }));
}

/// The ply that the viewer shows.
fn ply(tab: &Tab) -> Value {
    tab.eval("document.querySelector('#viewer [data-ply][aria-current]')?.dataset.ply ?? '0'")
}

#[test]
fn a_swipe_over_the_board_steps_through_the_game() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    tab.viewport(390, 844);
    tab.call("Emulation.setTouchEmulationEnabled", &json!({ "enabled": true }));
    tab.open_file(&reported.page());
    tab.wait("page.data?.games.length");
    tab.eval("location.hash = page.link(page.id(page.data.games.find(entry => codes.plies(entry[6]).length > 6)), 3)");
    tab.wait("document.querySelector('#viewer [data-ply=\"3\"][aria-current]')");
    let [left, right] = [[[60.0, 0.0], [0.0, 8.0], [-60.0, 10.0]], [[-60.0, 0.0], [0.0, -8.0], [60.0, -10.0]]];
    touch(&tab, &left);
    tab.wait("document.querySelector('#viewer [data-ply=\"4\"][aria-current]')");
    touch(&tab, &right);
    touch(&tab, &right);
    tab.wait("document.querySelector('#viewer [data-ply=\"2\"][aria-current]')");
    assert_eq!(tab.eval("document.querySelector('.variation').hidden"), true, "a swipe tries no move");
    assert_eq!(tab.text("String(getSelection())"), "");

    // A finger that moves up scrolls the page, even if it does not move straight up.
    assert_eq!(tab.eval("scrollY"), 0);
    touch(&tab, &[[20.0, 100.0], [10.0, 60.0], [0.0, 0.0], [-30.0, -60.0], [-45.0, -100.0]]);
    tab.wait("scrollY > 0");
    assert_eq!(ply(&tab), "2");
    tab.eval("scrollTo(0, 0)");

    // A short movement is none, and a tap tries the move of the point.
    touch(&tab, &[[0.0, 0.0], [-30.0, 0.0]]);
    assert_eq!(ply(&tab), "2");
    let free = "[...document.querySelectorAll('#viewer [role=gridcell]')].find(cell => / empty/.test(cell.getAttribute('aria-label')))";
    let offset = format!(
        "(() => {{
            const [cell, all] = [{free}, document.querySelector('#viewer .points')].map(node => node.getBoundingClientRect());
            return [cell.x + cell.width / 2 - all.x - all.width / 2, cell.y + cell.height / 2 - all.y - all.height / 2];
        }})()"
    );
    let is_tried = "!document.querySelector('.variation').hidden || !!document.querySelector('#viewer [data-ply=\"3\"][aria-current]') || document.querySelector('#toast').textContent !== ''";
    until("the move of the tapped point", || {
        if tab.eval(is_tried) == true {
            return Some(());
        }
        // On a busy machine, the page may still be scrolling, so that the tap does not find its point.
        tab.eval("scrollTo(0, 0)");
        let offset: [f64; 2] = serde_json::from_value(tab.eval(&offset)).expect("a point");
        touch(&tab, &[offset]);
        None
    });
    assert_eq!(tab.faults(), [""; 0]);
}
