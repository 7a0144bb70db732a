//! The report: its views, keys and links.

use gothello_arena::page::shown::PageKind;
use gothello_arena::referee::record::GameRecord;
use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::pages::{Reported, blundered, written};
use super::scripts::letters;
use super::tab::Tab;

/// The names of the page's parts, as in the links to them.
const TABS: [&str; 5] = ["standings", "crosstable", "games", "players", "openings"];

/// The board that the viewer shows, read from the labels of its cells, from a1 to e5.
pub(super) const BOARD: &str = "(() => {
    const cells = [...document.querySelectorAll('#viewer [role=gridcell]')];
    const named = new Map(cells.map(cell => cell.getAttribute('aria-label').match(/^([a-e][1-5]) (black|white|empty)/).slice(1)));
    const points = [1, 2, 3, 4, 5].flatMap(rank => [...'abcde'].map(file => file + rank));
    return points.map(point => ({ black: 'b', white: 'w', empty: '.' })[named.get(point)]).join('');
})()";

/// Navigates to `hash` as a link on the page does, and waits until the page shows the target.
fn follow(tab: &Tab, hash: &str) {
    tab.eval(&format!(
        "new Promise(resolve => {{
            if (location.hash === {0}) return resolve();
            addEventListener('hashchange', () => setTimeout(resolve), {{ once: true }});
            location.hash = {0};
        }})",
        json!(hash)
    ));
}

/// Opens the game `id` at ply `ply`.
fn open_game(tab: &Tab, id: &str, ply: usize) {
    follow(tab, &format!("#g={id}&p={ply}"));
    tab.wait("!document.getElementById('viewer').hidden && document.querySelector('#viewer [role=gridcell]')");
}

/// The boards before and after each ply of `record`, according to the rules.
fn boards(record: &GameRecord) -> Vec<String> {
    let mut position = record.ruleset.start();
    let mut boards = vec![letters(&*position)];
    for ply in &record.plies {
        position.play(ply.played.as_str()).expect("legal");
        boards.push(letters(&*position));
    }
    boards
}

/// Calls `look` with the report on five Gothello bots. The report must remain free of faults.
fn in_report(look: impl FnOnce(&Tab)) {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    tab.open_file(&reported.page());
    look(&tab);
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_report_loads_without_a_fault_and_asks_for_nothing() {
    let Some(browser) = Browser::start() else { return };
    for reported in [Reported::gothello(), Reported::seegover()] {
        let tab = browser.tab();
        tab.open_file(&reported.page());
        tab.wait(
            "document.documentElement.classList.contains('js') && document.querySelector('#tabs a[aria-current]')",
        );
        for part in TABS {
            follow(&tab, &format!("#t={part}"));
            assert_eq!(tab.eval(&format!("document.getElementById('{part}').hidden")), false, "{part}");
        }
        open_game(&tab, "r1-kestrel-wren", 3);
        follow(&tab, "#p=heron");
        assert_eq!(tab.faults(), [""; 0]);
        assert_eq!(tab.requests(), [format!("file://{}", reported.page().display())]);
        let loaded = tab.eval("performance.getEntriesByType('resource').map(entry => entry.name)");
        assert_eq!(loaded, json!([]), "nothing else was loaded");
    }
}

#[test]
fn keys_step_through_the_boards_of_the_game() {
    let Some(browser) = Browser::start() else { return };
    for reported in [Reported::gothello(), Reported::seegover()] {
        let tab = browser.tab();
        tab.open_file(&reported.page());
        for id in ["r1-kestrel-wren", "r2-heron-robin"] {
            let boards = boards(&reported.record(id));
            open_game(&tab, id, 0);
            for (ply, board) in boards.iter().enumerate() {
                assert_eq!(&tab.text(BOARD), board, "{id}, after ply {ply}");
                tab.keys(["ArrowRight"]);
            }
            for (key, ply) in [("Home", 0), ("j", 1), ("l", 2), ("ArrowDown", 3), ("k", 2), ("h", 1), ("ArrowUp", 0)] {
                tab.keys([key]);
                assert_eq!(tab.text(BOARD), boards[ply], "{id}: {key}");
            }
            tab.keys(["End", "ArrowLeft"]);
            assert_eq!(tab.text(BOARD), boards[boards.len() - 2], "{id}: End, then back");
            tab.wait(&format!("location.hash.endsWith('p={}')", boards.len() - 2));
        }
        assert_eq!(tab.faults(), [""; 0]);
    }
}

/// The boards that the viewer shows, from top to bottom, read from the labels of their cells; the name of the first
/// cell of each board's last rank; and which board is the large one.
const BOARDS: &str = "(() => {
    const letters = { black: 'b', white: 'w', empty: '.' };
    const boards = [...document.querySelectorAll('#viewer [role=grid]')];
    const labels = boards.map(board => [...board.querySelectorAll('[role=gridcell]')].map(cell => cell.getAttribute('aria-label')));
    const stone = label => letters[label.match(/^[a-z][0-9]+ (black|white|empty)/)[1]];
    const corners = labels.map(list => list.at(-Math.sqrt(list.length)).split(' ')[0]);
    const sizes = boards.map(board => board.getBoundingClientRect().width);
    return [labels.flat().map(stone).join(''), corners, sizes.indexOf(Math.max(...sizes)), document.querySelectorAll('#viewer .last').length];
})()";

#[test]
fn both_boards_of_a_quantum_game_are_those_that_the_rules_make() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("quantum-8");
    let record = reported.record("r1-kestrel-wren");
    let tab = browser.tab();
    tab.open_file(&reported.page());
    open_game(&tab, "r1-kestrel-wren", 0);
    let mut position = record.ruleset.start();
    let mut plies = record.plies.iter();
    let mut modes = Vec::new();
    loop {
        let shown = tab.eval(BOARDS);
        let text = position.to_string();
        let step = record.plies.len() - plies.len();
        assert_eq!(shown[0], text.lines().collect::<String>(), "after ply {step}");
        let mode = position.mode_name().unwrap_or("over");
        if modes.last() != Some(&mode) {
            assert_eq!(shown[1], json!(["a8", "a1"]));
            let large = if mode == "over" { shown[2].clone() } else { json!(usize::from(mode != "othello")) };
            assert_eq!(shown[2], large, "in {mode}");
            modes.push(mode);
        }
        let Some(ply) = plies.next() else { break };
        tab.keys(["ArrowRight"]);
        let what = tab.text("document.querySelector('#viewer .what').textContent");
        assert!(what.to_lowercase().starts_with(mode) && what.contains(ply.played.as_str()), "{mode}: {what}");
        position.play(ply.played.as_str()).expect("legal");
    }
    assert_eq!(modes, ["othello", "go", "proof", "over"]);
    let judged =
        "['.value', '.valuebar', '.mistake', '#values'].every(one => !document.querySelector(one)?.checkVisibility())";
    assert_eq!(tab.eval(judged), true, "the page shows no values");
    for (width, height) in [(1920, 1080), (1280, 1024), (800, 1000), (390, 844)] {
        tab.viewport(width, height);
        let wide = tab.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().is_some_and(|wide| wide <= width.into()), "{wide} at {width}x{height}");
        tab.screenshot(&format!("report-quantum-viewer-{width}x{height}"));
    }
    assert_eq!(tab.faults(), [""; 0]);
}

/// The record of the game `game-{number}` with the given tags.
fn timed(number: u32, tags: &str) -> GameRecord {
    let text = format!(
        "[Game \"game-{number}\"]\n[Round \"1\"]\n[Black \"wren\"]\n[White \"heron\"]\n[Result \"0-1\"]\n\
         [Termination \"crash\"]\n{tags}\n\
         1. c3 {{[%emt 0:00:41]}} d3 {{[%emt 0:00:03]}} 2. c4 {{[%emt 0:00:22]}} d4 {{[%emt 0:00:02]}} 0-1\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_viewer_shows_what_is_left_of_both_clocks_after_each_ply() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let control = "[TimeControl \"black 30:3x20 white 1/move+60bank\"]\n";
    let records = [
        timed(1, control),
        timed(2, &format!("{control}[TimeScale \"2.00\"]\n")),
        timed(3, "[TimeControl \"-\"]\n"),
        timed(4, "[TimeControl \"black 90+1 white 9/move\"]\n"),
    ];
    let tab = browser.tab();
    tab.open_file(&written(dir.path(), PageKind::Report, "CS 441", &records));
    let left =
        "[...document.querySelectorAll('#viewer .what:not([hidden])')].slice(1).map(line => line.textContent).join()";
    for (game, ply, expected) in [
        (1, 0, "Left: black 0:30 + 3 x 20s, white 1:00 in the bank"),
        (1, 1, "Left: black 3 x 20s, white 1:00 in the bank"),
        (1, 2, "Left: black 3 x 20s, white 0:58 in the bank"),
        (1, 4, "Left: black 2 x 20s, white 0:57 in the bank"),
        (2, 4, "Left: black 3 x 40s, white 1:59 in the bank"),
        (3, 4, ""),
        (4, 4, "Left: black 0:29 + 1s"),
    ] {
        open_game(&tab, &format!("game-{game}"), ply);
        tab.wait(&format!("{left} === {}", json!(expected)));
        tab.screenshot(&format!("viewer-clocks-{game}-{ply}"));
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_link_shows_its_ply_and_a_bad_one_the_first_part_with_a_sentence() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let boards = boards(&reported.record("r1-kestrel-wren"));
    let tab = browser.tab();
    tab.goto(&format!("file://{}#g=r1-kestrel-wren&p=7", reported.page().display()));
    tab.wait("document.querySelector('#viewer [role=gridcell]')");
    assert_eq!(tab.text(BOARD), boards[7]);
    let said = "document.getElementById('say').textContent";
    for bad in
        ["#g=r9-nobody-here&p=1", "#p=nobody", "#t=nothing", "#%", "#g=", "#projector", "#g=r1-kestrel-wren&p=x&g=%00"]
    {
        follow(&tab, bad);
        let is_bad_ply = bad.contains("p=x");
        let shown = if is_bad_ply { "viewer" } else { "standings" };
        tab.wait(&format!("!document.getElementById('{shown}').hidden && {said}.length > 10"));
    }
    follow(&tab, "#p=heron");
    assert_eq!(tab.text(said), "", "a valid link causes no message");
    assert_eq!(tab.eval("getComputedStyle(document.getElementById('p=heron')).display !== 'none'"), true);
    tab.eval("new Promise(resolve => { addEventListener('hashchange', () => setTimeout(resolve), { once: true }); history.back(); })");
    assert_ne!(tab.text("location.hash"), "#p=heron", "every step is one back");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_filter_of_games_keeps_those_of_a_player() {
    in_report(|tab| {
        follow(tab, "#t=games");
        let rows = "document.querySelectorAll('#games tbody tr').length";
        assert_eq!(tab.eval(rows), 40, "five players, two rounds of both colours");
        tab.keys(["/"]);
        tab.wait("document.activeElement.matches('#games input')");
        tab.keys(["h", "e", "r", "o", "n"]);
        tab.wait(&format!("{rows} === 16"));
        let others = "[...document.querySelectorAll('#games tbody tr')].filter(row => !row.textContent.includes('heron')).length";
        assert_eq!(tab.eval(others), 0);
        tab.keys(["Escape"]);
    });
}

#[test]
fn numbers_are_the_parts_and_the_question_mark_is_the_help() {
    in_report(|tab| {
        tab.wait("document.querySelector('#tabs a[aria-current]')");
        for (key, part) in ["1", "2", "3", "4", "5"].into_iter().zip(TABS) {
            tab.keys([key]);
            tab.wait(&format!("!document.getElementById('{part}').hidden"));
            let shown =
                "[...document.querySelectorAll('#tabs a[aria-current]')].map(link => link.getAttribute('href')).join()";
            assert_eq!(tab.text(shown), format!("#t={part}"));
        }
        tab.keys(["?"]);
        assert_eq!(tab.eval("document.querySelector('dialog').open"), true);
        tab.keys(["Escape"]);
        tab.wait("!document.querySelector('dialog').open");
    });
}

#[test]
fn without_a_script_and_on_paper_everything_stands_one_below_the_other() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let visible = "['standings', 'crosstable', 'ratings', 'endings', 'players'].filter(id =>
        document.getElementById(id).getBoundingClientRect().height > 20)";
    let everything = json!(["standings", "crosstable", "ratings", "endings", "players"]);
    let tab = browser.tab();
    tab.open_file(&reported.page());
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    tab.media("print", "dark");
    assert_eq!(tab.eval(visible), everything);
    let hidden = "['viewer', 'tabs', 'tools', 'games'].filter(id => document.getElementById(id).getBoundingClientRect().height > 0)";
    assert_eq!(tab.eval(hidden), json!([]), "parts that are useless on paper");
    let sheets = "[...document.querySelectorAll('article.player')].map(one => getComputedStyle(one).breakBefore)";
    assert_eq!(tab.eval(sheets), json!(vec!["page"; 5]), "a sheet for each player");
    tab.media("screen", "light");
    tab.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    tab.open_file(&reported.page());
    tab.call("Emulation.setScriptExecutionDisabled", &json!({ "value": false }));
    assert_eq!(tab.eval(visible), everything);
    assert_eq!(tab.eval("document.documentElement.classList.contains('js')"), false);
}

#[test]
fn mistakes_are_a_table_without_the_script_and_boards_with_it() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let dir = tempfile::tempdir().expect("a directory");
    let record = reported.record("r1-heron-wren");
    let page = blundered(dir.path(), std::slice::from_ref(&record));
    let shown = "['.mistakes tbody tr', '.worst li', '.worst [role=img]'].map(part =>
        document.getElementById('p=heron').querySelectorAll(part).length)";
    let tab = browser.tab();
    tab.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    tab.open_file(&page);
    tab.call("Emulation.setScriptExecutionDisabled", &json!({ "value": false }));
    assert_eq!(tab.eval(shown), json!([10, 0, 0]));
    let tab = browser.tab();
    tab.goto(&format!("file://{}#p=heron", page.display()));
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    assert_eq!(tab.eval(shown), json!([0, 10, 20]), "each mistake has a board before it and one after it");
    tab.eval("document.querySelector('.worst a').click()");
    tab.wait("!document.getElementById('viewer').hidden && document.querySelector('#viewer [role=gridcell]')");
    assert_eq!(tab.text(BOARD), boards(&record)[1], "the first of several equal mistakes");
    assert_eq!(tab.text("document.querySelector('#viewer .value').textContent"), "White wins by 3 with best play");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_skip_link_leads_to_what_is_shown() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::gothello();
    let tab = browser.tab();
    tab.open_file(&reported.page());
    open_game(&tab, "r1-kestrel-wren", 3);
    tab.eval("document.querySelector('.skip').focus()");
    tab.keys(["Enter"]);
    tab.wait("document.activeElement === document.getElementById('main')");
    assert!(tab.text("location.hash").starts_with("#g=r1-kestrel-wren"));
    assert_eq!(tab.eval("document.getElementById('viewer').hidden"), false);
    tab.keys(["ArrowRight"]);
    assert_eq!(tab.text(BOARD), boards(&reported.record("r1-kestrel-wren"))[4]);
}

/// The views of a report: a name for pictures, and the address.
const VIEWS: [(&str, &str); 7] = [
    ("standings", "#t=standings"),
    ("crosstable", "#t=crosstable"),
    ("games", "#t=games"),
    ("players", "#t=players"),
    ("player", "#p=wren"),
    ("openings", "#t=openings"),
    ("viewer", "#g=r1-kestrel-wren&p=9"),
];

#[test]
fn no_view_is_wider_than_its_window() {
    let Some(browser) = Browser::start() else { return };
    for (game, reported) in [("gothello", Reported::gothello()), ("seegover", Reported::seegover())] {
        let tab = browser.tab();
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                for (name, hash) in VIEWS {
                    tab.goto(&format!("file://{}{hash}", reported.page().display()));
                    tab.wait("document.querySelector('#tabs a[aria-current]')");
                    let sizes = tab.eval("[document.scrollingElement.scrollWidth, innerWidth]");
                    assert_eq!(sizes, json!([width, width]), "{game}, {name} at {width}x{height}");
                    tab.screenshot(&format!("report-{game}-{name}-{width}x{height}-{theme}"));
                }
            }
        }
    }
}

#[test]
fn nothing_bars_people_from_the_report() {
    let Some(script) = axe::script() else { return };
    let Some(browser) = Browser::start() else { return };
    let tab = browser.tab();
    let mut found: Vec<Value> = Vec::new();
    for (game, reported) in [("gothello", Reported::gothello()), ("seegover", Reported::seegover())] {
        let views = VIEWS.iter().flat_map(|view| ["light", "dark"].map(|theme| (theme, view)));
        for (theme, (name, hash)) in views {
            tab.media("screen", theme);
            tab.goto(&format!("file://{}{hash}", reported.page().display()));
            tab.wait("document.querySelector('#tabs a[aria-current]')");
            found.extend(axe::violations(&tab, &script).into_iter().map(|line| json!([game, theme, name, line])));
        }
    }
    assert!(found.is_empty(), "{:#}", Value::Array(found));
}
