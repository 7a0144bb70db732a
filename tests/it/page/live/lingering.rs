//! Pages that stay after the run, and pages that are behind it.

use serde_json::json;

use super::{ALIKE, start};
use crate::harness::arena::Arena;
use crate::harness::waiting::is_refused;

#[test]
fn a_page_that_lingers_stays_until_it_is_told_to_go() {
    let arena = Arena::new(ALIKE);
    let (mut running, page) = start(&arena, &["--web-linger"]);
    running.hear("the live page stays open until you press Ctrl-C");
    // The page may be notified of the end a moment later.
    page.events(None).until(|heard| heard.name == "end");
    let state = page.state();
    assert_eq!((&state["over"], &state["page"]["soFar"]), (&json!(true), &json!(false)));
    assert_eq!(state["page"]["games"].as_array().map(Vec::len), Some(6));
    let names: Vec<String> = std::iter::from_fn({
        let mut events = page.events(None);
        move || events.next()
    })
    .map(|heard| heard.name)
    .collect();
    assert_eq!(names, ["state", "end"]);
    running.signal(rustix::process::Signal::INT);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("Ctrl-C: closing the page") && !stderr.contains("no new games"), "{stderr}");
}

#[test]
fn a_page_that_lingers_for_a_time_says_how_long_and_leaves_the_exit_code_to_the_games() {
    let arena = Arena::new(&ALIKE.replace("builtin = \"greedy\"", "command = [\"/bin/false\"]"));
    let (mut running, _) = start(&arena, &["--web-linger=1h", "--strict"]);
    running.hear("the live page stays open for 1h, or until you press Ctrl-C");
    running.signal(rustix::process::Signal::TERM);
    let (code, stderr) = running.end();
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("SIGTERM: closing the page"), "{stderr}");
}

#[test]
fn a_page_that_is_behind_ends_with_ctrl_c_without_telling_the_rest() {
    let arena = Arena::new(ALIKE);
    let (mut running, page) = start(&arena, &["--web-delay", "1h"]);
    running.hear("the page is 1h behind the games, and closes after it has shown the last game");
    running.hear("the live page still has to show the last 1h; press Ctrl-C to close it now");
    let state = page.state();
    assert_eq!((&state["page"]["games"], &state["log"], &state["over"]), (&json!([]), &json!([]), &json!(false)));
    assert_eq!((&state["progress"]["done"], &state["delay_s"]), (&json!(0), &json!(3600)));
    assert_eq!(page.get("/game/r1-random-greedy").status, 404);
    let mut events = page.events(None);
    assert_eq!(events.next().map(|heard| heard.name).as_deref(), Some("state"));
    running.signal(rustix::process::Signal::INT);
    assert_eq!(events.next().map(|heard| heard.name), None, "neither a frame nor the end");
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn a_page_that_is_behind_stays_until_it_has_shown_the_last_game() {
    let arena = Arena::new(ALIKE);
    let (running, page) = start(&arena, &["--web-delay", "1s"]);
    let mut events = page.events(None);
    let done = events.until(|heard| heard.name == "frame" && heard.data["progress"]["done"] == 6);
    assert_eq!(done.data["progress"]["total"], 6);
    events.until(|heard| heard.name == "end");
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(is_refused(page.0), "the page ends with the run");
}
