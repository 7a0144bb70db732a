//! Everything from bots, players and untrusted files appears as text in the page: nothing is run, nothing is requested,
//! and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::page::shown::PageKind;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::{GameResult, Termination};
use serde_json::{Value, json};

use super::chromium::Browser;
use super::corpus::{spelled, texts};
use super::groups;
use super::pages;
use super::scripts::random_game;
use super::tab::Tab;
use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;

/// Games of players with the names `names`, each against the next. The strings that follow in `names` are the reason
/// for the result, the loser's stderr and the id of the game.
fn games(names: &[String]) -> Vec<GameRecord> {
    let mut random = SplitMix64::new(14);
    let name = |at: usize| names[at % names.len()].clone();
    let game = |at: usize| {
        let (record, _) = random_game(Ruleset::Gothello, &mut random);
        let players = BySide { black: name(at), white: name(at + 1) };
        let result = Ok(GameResult::forfeit(Side::Black, Termination::Crash, name(at + 2)));
        let (event, game) = (Some(name(at + 3)), Some(name(at + 4)));
        GameRecord { players, result, event, game, round: Some(1), ..record }
    };
    (0..names.len()).map(game).collect()
}

/// Panics if the page in `tab` has done anything that its text tried to make it do.
pub(super) fn assert_harmless(tab: &Tab) {
    assert_eq!(tab.text("typeof window.canary"), "undefined");
    assert_eq!(tab.faults(), [""; 0]);
    let foreign: Vec<String> = tab
        .requests()
        .into_iter()
        .filter(|request| !request.split('#').next().is_some_and(|file| file.ends_with("/page.html")))
        .collect();
    assert_eq!(foreign, [""; 0]);
    // The only link is the icon, which is embedded in the page.
    let icon = "[...document.querySelectorAll('link')].map(icon => icon.getAttributeNames() + ' ' + icon.rel + ' '
        + /^data:image\\/png;base64,[A-Za-z0-9+/=]+$/.test(icon.getAttribute('href')))";
    assert_eq!(tab.eval(icon), json!(["rel,href icon true"]));
    let tags = "[...new Set([...document.querySelectorAll(':not(link)')].map(node => node.localName))].filter(tag =>
        ['iframe', 'object', 'embed', 'img', 'image', 'video', 'audio', 'base', 'link', 'marquee', 'math', 'template',
         'use', 'animate', 'plaintext', 'frameset', 'noscript', 'xmp', 'keygen', 'foreignobject'].includes(tag))";
    assert_eq!(tab.eval(tags), json!([]), "unexpected elements");
    let attributes = "[...document.querySelectorAll(':not(link)')].flatMap(node => [...node.attributes]).filter(({ name, value }) =>
        name.startsWith('on') || ['style', 'src', 'srcset', 'srcdoc', 'action', 'formaction', 'data', 'xlink:href'].includes(name)
        || name === 'href' && !value.startsWith('#')).map(({ name, value }) => name + '=' + value)";
    assert_eq!(tab.eval(attributes), json!([]), "unexpected attributes");
}

/// The names in the table of standings, sorted.
fn names_shown(tab: &Tab) -> Vec<String> {
    let names = tab.eval("[...document.querySelectorAll('#standings tbody th')].map(cell => cell.textContent)");
    let mut names: Vec<String> = serde_json::from_value(names).expect("texts");
    names.sort();
    names
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

/// Panics at the first text in `shown` that differs from its counterpart in `expected`.
fn assert_same(shown: &[String], expected: &[String]) {
    for (shown, expected) in shown.iter().zip(expected) {
        assert_eq!(shown, expected);
    }
    assert_eq!(shown.len(), expected.len());
}

#[test]
fn the_corpus_holds_two_hundred_texts_and_each_once() {
    let texts = texts();
    assert!(texts.len() >= 200, "{}", texts.len());
    assert_eq!(texts.iter().collect::<std::collections::BTreeSet<_>>().len(), texts.len());
}

#[test]
fn names_and_reasons_are_text_in_the_report() {
    let Some(browser) = Browser::start() else { return };
    let names = texts();
    let dir = tempfile::tempdir().expect("a directory");
    let page = pages::written(dir.path(), PageKind::Report, &names[0], &games(&names));
    let tab = browser.tab();
    tab.open_file(&page);
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    let expected = sorted(names.iter().map(|name| spelled(name)));
    assert_same(&names_shown(&tab), &expected);
    assert_eq!(tab.text("document.querySelector('h1').textContent"), names[0]);
    assert_eq!(tab.text("document.title"), format!("Standings · {}", names[0]), "the visible part, then the title");
    assert_harmless(&tab);
    let lines =
        tab.text("[...document.querySelectorAll('article.player')].map(player => player.textContent).join('\\n')");
    // Text between backticks is shown as code, without the backticks.
    let told = |text: &str| {
        let is_code = |from: &str| lines.contains(&from.replace('`', ""));
        let reason = format!("crash ({})", spelled(text));
        lines.contains(&reason) || is_code(&reason)
    };
    let untold: Vec<&String> = names.iter().filter(|text| !told(text)).collect();
    assert!(untold.is_empty(), "reasons that the page does not show: {untold:?}");
    let written = tab.eval("[...document.querySelectorAll('article.player pre')].map(text => text.textContent)");
    let mut written: Vec<String> = serde_json::from_value(written).expect("texts");
    written.sort();
    let by_line = |text: &String| text.lines().map(|line| spelled(line) + "\n").collect::<String>();
    assert_same(&written, &sorted(names.iter().map(by_line)));
    walk(&tab, names.len());
    assert_harmless(&tab);
}

/// Visits every part of the page, some games, and the pages of some players, through the page's own links.
fn walk(tab: &Tab, players: usize) {
    for part in ["crosstable", "games", "players", "standings"] {
        tab.eval(&format!("location.hash = '#t={part}'"));
        tab.wait(&format!("!document.getElementById('{part}').hidden"));
    }
    let links = tab.eval("[...document.querySelectorAll('#standings tbody a')].map(link => link.getAttribute('href'))");
    let links: Vec<String> = serde_json::from_value(links).expect("texts");
    assert_eq!(links.len(), players);
    tab.eval("location.hash = '#t=games'");
    tab.wait("document.querySelector('#games tbody a')");
    let games = tab.eval("[...document.querySelectorAll('#games tbody a')].map(link => link.getAttribute('href'))");
    let games: Vec<String> = serde_json::from_value(games).expect("texts");
    let forfeits = tab.eval(
        "[...document.querySelectorAll('article.player a[href*=\"#g=\"]')].map(link => link.getAttribute('href'))",
    );
    let forfeits: Vec<String> = serde_json::from_value(forfeits).expect("texts");
    assert!(forfeits.len() >= players, "at least one forfeit per player: {}", forfeits.len());
    // A link to the page's current address would change nothing.
    let mut walk: Vec<&String> = links.iter().chain(&games).chain(&forfeits).collect();
    walk.dedup();
    for link in walk {
        assert!(link.starts_with('#'), "{link}");
        let came = "addEventListener('hashchange', () => setTimeout(() => { came = true; }), { once: true })";
        tab.eval(&format!("window.came = false; {came}; location.hash = {}", json!(link)));
        tab.wait("came");
        let shown = tab.eval("document.getElementById('say').textContent");
        assert_eq!(shown, "", "the page's own link {link} leads somewhere");
    }
}

#[test]
fn names_and_reasons_of_larger_games_are_text_in_the_report() {
    let Some(browser) = Browser::start() else { return };
    let names = texts();
    let dir = tempfile::tempdir().expect("a directory");
    let page = pages::written_groups(dir.path(), &names[0], &groups::named(&names));
    let tab = browser.tab();
    tab.open_file(&page);
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    let shown = "[...document.querySelectorAll('#standings tr[data-p] th')].map(cell => cell.textContent)";
    let shown: Vec<String> = serde_json::from_value(tab.eval(shown)).expect("texts");
    assert_same(&sorted(shown.into_iter()), &sorted(names.iter().map(|name| spelled(name))));
    assert_eq!(tab.text("document.querySelector('h1').textContent"), names[0]);
    assert_harmless(&tab);
    let written = tab.eval("[...document.querySelectorAll('article.player pre')].map(text => text.textContent)");
    let written: Vec<String> = serde_json::from_value(written).expect("texts");
    let by_line = |text: &String| text.lines().map(|line| spelled(line) + "\n").collect::<String>();
    assert_same(&sorted(written.into_iter()), &sorted(names.iter().map(by_line)));
    tab.eval("location.hash = '#t=games'");
    tab.wait("document.querySelectorAll('#games tbody tr').length === 200");
    assert_harmless(&tab);
}

#[test]
fn names_of_a_foreign_table_are_text() {
    let Some(browser) = Browser::start() else { return };
    let names = texts();
    let dir = tempfile::tempdir().expect("a directory");
    let mut table = csv::Writer::from_path(dir.path().join("foreign.csv")).expect("a file");
    table.write_record(["first", "second", "first_score"]).expect("written");
    for (at, name) in names.iter().enumerate() {
        table.write_record([name, &names[(at + 1) % names.len()], "1"]).expect("written");
    }
    table.flush().expect("written");
    let written = report(dir.path(), &["foreign.csv", "--out", "page.html"]);
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let tab = browser.tab();
    tab.open_file(&dir.path().join("page.html"));
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    assert_same(&names_shown(&tab), &sorted(names.iter().map(|name| spelled(name))));
    assert_harmless(&tab);
}

fn report(dir: &Path, args: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(program());
    command.arg("report").args(args).current_dir(dir).output_in_time().expect("the program starts")
}

#[test]
fn titles_are_text() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("two.csv"), "first,second,first_score\na,b,1\n").expect("written");
    let tab = browser.tab();
    for title in texts().iter().filter(|title| !title.contains('\0')).step_by(7) {
        let written = report(dir.path(), &["two.csv", "--out", "page.html", &format!("--title={title}")]);
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        tab.goto("about:blank");
        tab.open_file(&dir.path().join("page.html"));
        assert_eq!(tab.text("document.querySelector('h1').textContent"), spelled(title));
        assert_harmless(&tab);
    }
}

#[test]
fn what_a_live_page_is_told_is_text() {
    let Some(browser) = Browser::start() else { return };
    let shown: Vec<String> = texts().iter().map(|text| spelled(text)).collect();
    let dir = tempfile::tempdir().expect("a directory");
    let page =
        pages::written(dir.path(), PageKind::Live, "live", &games(&["a".to_owned(), "b".to_owned(), "c".to_owned()]));
    let tab = browser.tab();
    tab.before_pages(include_str!("feed.js"));
    tab.goto(&format!("file://{}", page.display()));
    tab.wait("feeds.length > 0");
    tab.eval(&format!("emit('state', {})", live_state(&shown)));
    tab.wait("document.querySelectorAll('.card').length === 24");
    assert_same(&names_shown(&tab), &sorted(shown.iter().cloned()));
    let lines = tab.eval("[...document.querySelectorAll('.log li')].map(line => line.textContent).reverse()");
    assert_eq!(lines, json!(shown[shown.len() - 200..]), "the latest lines");
    for part in ["#t=crosstable", "#t=games", "#projector", "#t=live"] {
        tab.eval(&format!("location.hash = '{part}'"));
        tab.wait("document.getElementById('projector').hidden === (location.hash !== '#projector')");
        assert_harmless(&tab);
    }
}

/// The state of a run in which every name is one of `texts`.
fn live_state(texts: &[String]) -> Value {
    let player = |(index, name): (usize, &String)| {
        json!({ "n": name, "s": format!("p{index}"), "rank": index + 1, "elo": 9, "e95": null, "pts": 0, "g": [0, 0, 0],
                "b": [0, 0, 0], "f": {}, "acc": null })
    };
    let board = |slot: usize| {
        json!({ "slot": slot, "id": texts[slot], "black": slot, "white": slot + 1, "board": ".........................",
                "ply": 0, "to": "b", "left": [null, null], "last": null, "run": false, "behind": false, "leads": 0, "calm": true })
    };
    let line =
        |(index, text): (usize, &String)| json!({ "n": index + 1, "kind": "game", "text": text, "game": texts[7] });
    json!({
        "page": { "v": 1, "title": texts[0], "name": texts[1], "date": texts[2], "ruleset": texts[3], "size": 5, "soFar": true,
                  "total": null, "players": texts.iter().enumerate().map(player).collect::<Vec<_>>(), "terms": [texts[4]],
                  "over": { "at": [], "elo": [], "e95": [] },
                  "games": [[0, 1, 1, 0, 5, 0, "", "", "", 0, texts[7], 1]] },
        "seq": 1, "now": (0..30).map(board).collect::<Vec<_>>(), "log": texts.iter().enumerate().map(line).collect::<Vec<_>>(),
        "progress": { "done": 1, "total": null, "eta_s": null, "test": texts[5], "missed": 0 },
        "moment": texts[7], "address": texts[6], "qr": ["1"], "over": false
    })
}

#[test]
fn only_the_page_writes_markup_as_it_is() {
    fn files(dir: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).expect("a folder").flatten().map(|entry| entry.path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let raw = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains("PreEscaped"));
    let raw: Vec<PathBuf> = files(&src).into_iter().filter(raw).collect();
    assert_eq!(raw, [src.join("page/shown/document.rs")], "the script and the style, and nothing else");
}
