//! Players' claims, next to the values of a game: lines in the graph, the text below the board, and the table.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::page::shown::PageKind;
use gothello_arena::referee::record::GameRecord;
use serde_json::json;

use super::axe;
use super::chromium::Browser;
use super::pages::{written, written_groups};
use super::scripts::random_group;

#[test]
fn claims_are_dashed_lines_beside_the_values_and_words_at_their_plies() {
    let Some(browser) = Browser::start() else { return };
    let text = "[Game \"game-1\"]\n[Round \"1\"]\n[Black \"wren\"]\n[White \"heron\"]\n[Result \"0-1\"]\n[Termination \"resignation\"]\n\
        [Thoughts \"public\"]\n\n1. c3 {[%eval +3 W0.7]} d3 {[%eval -2.5]} 2. c4 {[%eval +4]} d4 {[%eval W0.25]} 0-1\n";
    let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let dir = tempfile::tempdir().expect("a directory");
    let page = written(dir.path(), PageKind::Report, "CS 441", &[record]);
    let tab = browser.tab();
    for (width, height) in [(1280, 720), (390, 844)] {
        tab.viewport(width, height);
        tab.goto(&format!("file://{}#g=game-1&p=2", page.display()));
        tab.wait("document.querySelector('#viewer .graph')");
        let lines = tab.eval("[...document.querySelectorAll('#viewer .graph .told')].map(line => [line.classList[1], line.getAttribute('d').split('L').length])");
        assert_eq!(lines, json!([["black", 2], ["white", 1]]));
        let what = tab.text("document.querySelector('#viewer .what').textContent");
        assert!(what.ends_with("claims \u{2212}2.5"), "{what}");
        assert!(
            tab.text("document.querySelector('#viewer .legend').textContent")
                .contains("Dashed: what black and white claimed.")
        );
        assert_eq!(tab.eval("document.scrollingElement.scrollWidth"), width);
    }
    let cells = "[...document.querySelectorAll('#values tbody tr')].map(row => row.lastChild.textContent)";
    tab.eval("document.querySelector('[aria-controls=values]').click()");
    assert_eq!(tab.eval(cells), json!(["+3, 70%", "\u{2212}2.5", "+4", "25%"]));
    if let Some(script) = axe::script() {
        assert_eq!(axe::violations(&tab, &script), [""; 0]);
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn claims_of_four_seats_are_words_at_their_plies_and_figures_on_the_pages_of_their_players() {
    let Some(browser) = Browser::start() else { return };
    let mut record = random_group("quantum-8-4p".parse().expect("a rule set"), &mut SplitMix64::new(5), 0);
    let claims = ["+3 W0.75 D4 N2000", "-2.5", "W0.25"];
    for (ply, claim) in record.plies.iter_mut().zip(claims) {
        ply.thought = Some(Box::new(claim.parse().expect("a thought")));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let page = written_groups(dir.path(), "CS 441", &[record]);
    let tab = browser.tab();
    for (ply, expected) in [(1, "claims +3, 75%"), (2, "claims \u{2212}2.5"), (3, "claims 25%")] {
        tab.goto("about:blank");
        tab.open_file(&page);
        tab.wait("document.querySelector('#tabs a[aria-current]')");
        tab.eval(&format!("location.hash = '#g=' + encodeURIComponent(page.id(page.data.games[0])) + '&p={ply}'"));
        tab.wait("document.querySelector('#viewer .graph')");
        let what = tab.text("document.querySelector('#viewer .what').textContent");
        assert!(what.ends_with(expected), "{what}");
        let legend = tab.text("document.querySelector('#viewer .legend').textContent");
        assert!(!legend.contains("claimed"), "the graph of points has no claims: {legend}");
    }
    let told = "[...document.querySelectorAll('article.player')].filter(one => one.textContent.includes('The player made claims before 1 move.')).length";
    assert_eq!(tab.eval(told), 3);
    let caption = "[...document.querySelectorAll('article.player caption')].filter(one => one.textContent.startsWith('Claimed chances')).length";
    assert_eq!(tab.eval(caption), 2);
    assert_eq!(tab.faults(), [""; 0]);
}
