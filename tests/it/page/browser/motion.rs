//! Stones that move, and the sounds of the viewer.

use serde_json::json;

use super::chromium::Browser;
use super::pages::Reported;
use super::tab::Tab;

/// The animations of stones: their names, and whether they last 150 ms or less and change only properties that need no
/// new layout.
const MOVING: &str = "(() => {
    const all = document.getAnimations().filter(one => one.animationName);
    const own = new Set(['offset', 'computedOffset', 'easing', 'composite', 'transform', 'opacity']);
    const isCheap = one => one.effect.getTiming().duration <= 150
        && one.effect.getKeyframes().every(frame => Object.keys(frame).every(key => own.has(key)));
    return [[...new Set(all.map(one => one.animationName))].sort().join(), all.every(isCheap)];
})()";

/// Opens the game at the position before its first ply that captures, and returns the number of that ply.
fn before_a_capture(tab: &Tab, reported: &Reported) -> usize {
    let record = reported.record("r1-kestrel-wren");
    let stones = |text: &str, letter: char| text.matches(letter).count();
    let mut position = record.ruleset.start();
    let index = record.plies.iter().position(|ply| {
        let letter = ply.side().opponent().letter();
        let before = stones(&position.to_string(), letter);
        position.play(ply.played.as_str()).expect("legal");
        stones(&position.to_string(), letter) < before
    });
    let index = index.expect("a capture");
    tab.goto(&format!("file://{}#g=r1-kestrel-wren&p={index}", reported.page().display()));
    tab.wait("document.querySelector('#viewer [role=gridcell]')");
    index + 1
}

#[test]
fn captured_stones_turn_when_a_ply_is_made_but_not_after_a_jump_and_not_with_reduced_motion() {
    let Some(browser) = Browser::start() else { return };
    for reported in [Reported::duel("gothello"), Reported::duel("othello")] {
        let tab = browser.tab();
        let ply = before_a_capture(&tab, &reported);
        // The step and the check are in one script, so the animations cannot have ended.
        let step = |key: &str| {
            tab.eval(&format!("(document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }})), {MOVING})"))
        };
        assert_eq!(step("j"), json!(["old-face,place,turn", true]));
        assert_eq!(step("k"), json!(["", true]), "backwards");
        assert_eq!(step("End"), json!(["", true]), "a jump of several plies");
        let calm = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
        tab.call("Emulation.setEmulatedMedia", &calm);
        step("Home");
        for _ in 0..ply {
            assert_eq!(step("j"), json!(["", true]), "with reduced motion");
        }
        assert_eq!(tab.faults(), [""; 0]);
    }
}

#[test]
fn there_is_no_sound_until_the_reader_wants_it() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("gothello");
    let tab = browser.tab();
    tab.before_pages(
        "window.tones = 0; window.contexts = 0;
        const node = () => new Proxy({}, { get: (_, name) => name === 'start' ? () => { tones += 1; } : name === 'connect' ? () => node()
            : name === 'frequency' || name === 'gain' ? node() : () => 0, set: () => true });
        window.AudioContext = class { constructor() { contexts += 1; this.currentTime = 0; this.destination = {}; }
            createOscillator() { return node(); } createGain() { return node(); } };",
    );
    before_a_capture(&tab, &reported);
    tab.keys(["j", "k"]);
    assert_eq!(tab.eval("[tones, contexts]"), json!([0, 0]));
    tab.keys(["s", "j"]);
    assert_eq!(tab.eval("[tones, contexts]"), json!([2, 1]), "a stone and a capture");
    tab.keys(["k"]);
    assert_eq!(tab.eval("tones"), 2, "no sound backwards");
    tab.keys(["s", "j"]);
    assert_eq!(tab.eval("[tones, contexts]"), json!([2, 1]));
    assert_eq!(tab.faults(), [""; 0]);
}
