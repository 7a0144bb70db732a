//! The tree of openings in a report, and the games that it leads to.

use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::game::gothello::Game;
use gothello_arena::page::shown::PageKind;
use gothello_arena::referee::record::GameRecord;
use serde_json::json;

use super::chromium::Browser;
use super::pages::{Reported, written};
use super::tab::Tab;

/// The text of each cell in the table of moves played from the position shown, row by row.
const MOVES: &str = "[...document.querySelectorAll('#openings tbody tr')].map(row =>
    [0, 1, 3].map(cell => row.cells[cell].textContent.replace(' games', '')))";

/// The game of Gothello with the given number, moves and result; the result `0-1` is a win for black.
fn game(number: usize, moves: &str, result: &str) -> GameRecord {
    let plies: Vec<String> = moves
        .split(' ')
        .enumerate()
        .map(|(ply, played)| if ply % 2 == 0 { format!("{}. {played}", ply / 2 + 1) } else { played.to_owned() })
        .collect();
    let text = format!(
        "[Game \"game-{number}\"]\n[Round \"1\"]\n[Black \"wren\"]\n[White \"heron\"]\n[Result \"{result}\"]\n\
         [Termination \"resignation\"]\n\n{} {result}\n",
        plies.join(" ")
    );
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Opens the page in `tab` at `hash`, as a new visitor would.
fn visit(tab: &Tab, page: &std::path::Path, hash: &str) {
    tab.goto("about:blank");
    tab.goto(&format!("file://{}{hash}", page.display()));
    tab.wait("document.querySelector('#tabs a[aria-current]')");
}

#[test]
fn moves_that_are_images_of_one_another_are_one_and_have_the_exact_value() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let games = [
        ("c3 d3 b2", "1-0"),
        ("c3 b3 d2", "1-0"),
        ("c3 c4 b2", "0-1"),
        ("c3 d4", "0-1"),
        ("a1 c3", "1-0"),
        ("e5 c3", "1-0"),
        ("e1 c3 a1", "0-1"),
    ];
    let records: Vec<GameRecord> =
        games.iter().enumerate().map(|(number, (moves, result))| game(number, moves, result)).collect();
    let page = written(dir.path(), PageKind::Report, "Openings", &records);
    let tab = browser.tab();
    visit(&tab, &page, "#t=openings");
    assert_eq!(tab.eval(MOVES), json!([["1. c3", "4", "2-0-2"], ["1. a1", "3", "1-0-2"]]));
    assert_eq!(tab.eval("document.querySelectorAll('#openings .cell.known').length"), 2, "a ring for each move");
    tab.eval("document.querySelector('#openings .cell.known').click()");
    tab.wait("location.hash.startsWith('#t=openings&o=')");
    visit(&tab, &page, "#t=openings");
    tab.eval("document.querySelector('#openings tbody th a').click()");
    tab.wait("location.hash === '#t=openings&o=c3'");
    assert_eq!(tab.eval(MOVES), json!([["1… b3", "3", "1-0-2"], ["1… d4", "1", "1-0-0"]]));
    let after = |moves: &[&str]| {
        let game = moves.iter().fold(Game::default(), |game, played| game.after(played.parse().expect("a move")));
        KnownMargins::Embedded.outcome(&game).expect("few stones").margin.expect("a margin")
    };
    let shown = "[...document.querySelectorAll('#openings tbody td:last-child')].map(cell =>
        { const [, side, margin] = /(black|white|draw)(?: by (\\d+))?/.exec(cell.textContent); return side === 'white' ? -margin : +(margin ?? 0); })";
    assert_eq!(tab.eval(shown), json!([after(&["c3", "b3"]), after(&["c3", "d4"])]));
    // In the orientation in which white's stone is at b3, the third moves are d4, d2 and d2, which are images of one
    // another.
    visit(&tab, &page, "#t=openings&o=c3%2Cb3");
    assert_eq!(tab.eval(MOVES), json!([["2. d2", "3", "1-0-2"]]));
    tab.eval("document.querySelector('#openings .at a').click()");
    tab.wait("location.hash.startsWith('#t=games')");
    assert_eq!(tab.eval("document.querySelectorAll('#games tbody tr').length"), 3);
    assert!(tab.text("document.querySelector('#games form').textContent").contains("Opening 1. c3 b3"));
    tab.eval("document.querySelector('#games form button').click()");
    tab.wait("document.querySelectorAll('#games tbody tr').length === 7 && location.hash === '#t=games'");
    for bad in ["#t=openings&o=a2", "#t=openings&o=c3%2Cx"] {
        visit(&tab, &page, bad);
        assert!(tab.text("document.getElementById('say').textContent").contains("opening"), "{bad}");
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_openings_of_every_rule_set_count_all_games_with_a_result() {
    let Some(browser) = Browser::start() else { return };
    for reported in [Reported::gothello(), Reported::seegover(), Reported::duel("othello"), Reported::duel("quantum-8")]
    {
        let tab = browser.tab();
        visit(&tab, &reported.page(), "#t=openings");
        let counted = "page.data.games.filter(entry => entry[3] < 3 && entry[6]).length";
        let shown = "[...document.querySelectorAll('#openings tbody td:nth-child(2)')].reduce((sum, cell) => sum + parseInt(cell.textContent), 0)";
        assert_eq!(tab.eval(shown), tab.eval(counted));
        for _ in 0..6 {
            tab.eval("document.querySelector('#openings tbody th a')?.click()");
        }
        tab.wait("document.querySelectorAll('#openings .trail li').length === 7");
        assert_eq!(tab.faults(), [""; 0]);
        for (width, height) in [(1920, 1080), (390, 844)] {
            tab.viewport(width, height);
            assert_eq!(tab.eval("document.scrollingElement.scrollWidth"), width);
        }
    }
}
