//! Forfeited games in the viewer: who failed, and why.

use gothello_arena::page::shown::PageKind;
use gothello_arena::referee::record::GameRecord;
use serde_json::json;

use super::chromium::Browser;
use super::pages::{Reported, written};
use super::tab::Tab;

/// The parts of the viewer that are visible.
const VISIBLE: &str =
    "['.fault', '.board', '.valuebar', '.value', '.graph', '.moves', '.steps:not(.gamenav)', '.onward'].filter(part =>
    document.querySelector('#viewer ' + part)?.checkVisibility())";

const FAULT: &str = "document.querySelector('#viewer .fault').textContent";

fn open(tab: &Tab, page: &std::path::Path, hash: &str) {
    tab.goto(&format!("file://{}{hash}", page.display()));
    tab.wait("document.querySelector('#viewer .gametop')");
}

#[test]
fn a_game_without_a_move_shows_who_failed_and_nothing_else() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    open(&tab, &reported.page(), "#g=r1-kestrel-wren&p=0");
    let id = tab.text("page.data.games.map(entry => page.id(entry)).find(id => id.startsWith('r1-kestrel-a'))");
    open(&tab, &reported.page(), &format!("#g={id}&p=0"));
    tab.wait("document.querySelector('#viewer .fault').checkVisibility()");
    assert_eq!(tab.eval(VISIBLE), json!([".fault"]));
    assert_eq!(tab.text(FAULT), "a bot with a rather long name did not show upNo move was made.");
    open(&tab, &reported.page(), "#g=r1-kestrel-wren&p=3");
    let all = json!([".board", ".graph", ".moves", ".steps:not(.gamenav)", ".onward"]);
    assert_eq!(tab.eval(VISIBLE), all, "a game that was played, without values");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_forfeit_during_the_game_is_above_the_board_with_the_stderr_of_a_private_page() {
    let Some(browser) = Browser::start() else { return };
    let text = "[Game \"game-1\"]\n[Event \"<b>Traceback</b>\"]\n[Round \"1\"]\n[Black \"wren\"]\n[White \"heron\"]\n\
        [Result \"0-1\"]\n[Termination \"crash\"]\n\n1. c3 d3 2. c4 d4 0-1\n";
    let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let winner =
        record.result.as_ref().ok().and_then(gothello_arena::referee::result::GameResult::winner).expect("a winner");
    let loser = record.players[winner.opponent()].clone();
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open(&tab, &written(dir.path(), PageKind::Report, "CS 441", &[record]), "#g=game-1&p=2");
    let seen = tab.text(FAULT);
    assert!(seen.starts_with(&format!("{loser} crashed")) && seen.contains("<b>Traceback</b>"), "{seen}");
    assert_eq!(tab.eval("document.querySelector('#viewer .fault details').open"), false);
    assert_eq!(tab.eval("document.querySelectorAll('#viewer .fault details pre b').length"), 0, "text stays text");
    assert_eq!(tab.eval("document.querySelector('#viewer .board').checkVisibility()"), true);
    let facts = tab.text("document.querySelector('#viewer .facts').textContent");
    assert!(!facts.contains("crash"), "said once: {facts}");
    assert_eq!(tab.faults(), [""; 0]);
}
