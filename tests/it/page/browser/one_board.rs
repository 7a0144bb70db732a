//! The pages with one board, fed by the test: the overlay for streaming software, and the page that other sites can
//! show in a frame.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, OnceLock};

use gothello_arena::page::shown::{StageKind, stage_page};
use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::corpus::{spelled, texts};
use super::fed_page::{NEXT_PLY, emit, ended, frame, judged, ongoing, replay_is_at, state};
use super::hostile::assert_harmless;
use super::live_server::LiveRun;
use super::tab::Tab;
use crate::harness::arena::Arena;

/// The names, the clocks and the text below the board.
const TOLD: &str =
    "[...document.querySelectorAll('#stage .who, #stage .clock, #stage .caption')].map(node => node.textContent)";

/// The stones from rank 5 down.
const STONES: &str = "[...document.querySelectorAll('#stage .cell')].map(cell => cell.textContent || '.').join('')";

/// Opens the page of `kind` with the query `query` after it has received `state`, with `entry` as the entry of the game
/// `r901-p0-p1`.
fn open(tab: &Tab, dir: &tempfile::TempDir, (kind, query): (StageKind, &str), (state, entry): (&Value, &Value)) {
    let path = dir.path().join("page.html");
    fs::write(&path, stage_page(kind, "CS 441")).expect("written");
    tab.before_pages(include_str!("feed.js"));
    tab.before_pages(&format!("games['game/r901-p0-p1'] = {entry};"));
    tab.goto(&format!("file://{}{query}", path.display()));
    tab.wait("feeds.length > 0");
    emit(tab, "state", state);
    tab.wait("document.querySelector('#stage .stage')");
}

/// Runs `look` on the page of `kind` with the query `query`, after it has received `state`.
fn shown((kind, query): (StageKind, &str), state: &Value, look: impl FnOnce(&Tab)) {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open(&tab, &dir, (kind, query), (state, &Value::Null));
    look(&tab);
    assert_eq!(tab.faults(), [""; 0]);
    let foreign = |request: &String| !request.starts_with("file://") || !request.contains("page.html");
    assert_eq!(tab.requests().into_iter().filter(foreign).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn an_overlay_shows_the_best_game_on_a_transparent_background_and_nothing_to_press() {
    shown((StageKind::Overlay, ""), &state(&[ongoing(3, 61_000), ongoing(0, 9_400)]), |tab| {
        assert_eq!(tab.eval(TOLD), json!(["heron", "1:05", "kestrel", "0:09.4", "4. e1"]));
        assert_eq!(tab.text(STONES), "w...................b..bb");
        assert_eq!(tab.eval("document.querySelectorAll('.cell.last').length"), 1);
        let short = "[...document.querySelectorAll('.clock')].map(clock => clock.classList.contains('short'))";
        assert_eq!(tab.eval(short), json!([false, true]));
        let grounds = "[document.documentElement, document.body, document.querySelector('#stage')].map(node => getComputedStyle(node).backgroundColor)";
        assert_eq!(tab.eval(grounds), json!(vec!["rgba(0, 0, 0, 0)"; 3]));
        assert_eq!(tab.eval("document.querySelectorAll('a, button, input, select, [tabindex]').length"), 0);
        tab.eval("time += 5_000");
        tab.wait("document.querySelectorAll('.clock')[1].textContent === '0:04.4'");
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            let outside = "[...document.querySelectorAll('#stage *')].filter(node => {
                const box = node.getBoundingClientRect();
                return box.width > 1 && (box.bottom > innerHeight || box.right > innerWidth);
            }).map(node => node.className)";
            assert_eq!(tab.eval(outside), json!([]), "{width}x{height}");
            let size = tab.eval("parseFloat(getComputedStyle(document.querySelector('.seat .who')).fontSize)");
            let least = if width > 400 { 28.0 } else { 16.0 };
            assert!(size.as_f64().is_some_and(|size| size >= least), "{width}x{height}: {size}");
            tab.screenshot(&format!("overlay-{width}x{height}"));
        }
    });
}

#[test]
fn the_address_chooses_a_game_which_stays_when_it_has_ended() {
    let [first, second] = [ongoing(0, 61_000), ongoing(4, 30_000)];
    shown((StageKind::Overlay, "?game=r4-p4-p5"), &state(&[first, second.clone()]), |tab| {
        assert_eq!(tab.eval(TOLD)[2], "robin");
        let (board, entry) = ended(&second);
        let mut next = frame(8);
        next["off"] = json!([4]);
        (next["ended"], next["done"]) = (json!([board]), json!([entry]));
        emit(tab, "frame", &next);
        assert_eq!(tab.eval(TOLD)[4], "robin won by 5");
        let mut next = frame(9);
        let mut other = ongoing(4, 30_000);
        other["id"] = json!("r5-p0-p1");
        next["on"] = json!([other]);
        emit(tab, "frame", &next);
        assert_eq!((tab.eval(TOLD)[2].clone(), tab.eval(TOLD)[4].clone()), (json!("robin"), json!("robin won by 5")));
        emit(tab, "end", &json!({}));
        assert_eq!(tab.eval(TOLD)[4], "robin won by 5");
    });
    shown((StageKind::Overlay, "?game=%3Cb%3Er9"), &state(&[ongoing(0, 61_000)]), |tab| {
        assert_eq!(tab.eval(TOLD)[4], "Waiting for the game <b>r9.");
    });
}

#[test]
fn the_address_chooses_a_table_whose_last_board_stays_until_its_next_game() {
    let [first, second] = [ongoing(0, 61_000), ongoing(1, 30_000)];
    shown((StageKind::Embed, "?table=2"), &state(&[first, second.clone()]), |tab| {
        assert_eq!(tab.eval(TOLD)[2], "heron");
        let (board, entry) = ended(&second);
        let mut next = frame(8);
        next["off"] = json!([1]);
        (next["ended"], next["done"]) = (json!([board]), json!([entry]));
        emit(tab, "frame", &next);
        tab.eval("time += 60_000");
        emit(tab, "frame", &frame(9));
        assert_eq!(tab.eval(TOLD)[4], "heron won by 5");
        let mut next = frame(10);
        let mut other = ongoing(1, 30_000);
        (other["id"], other["black"]) = (json!("r7-p6-p2"), json!(6));
        next["on"] = json!([other]);
        emit(tab, "frame", &next);
        assert_eq!((tab.eval(TOLD)[2].clone(), tab.eval(TOLD)[4].clone()), (json!("osprey"), json!("4. e1")));
    });
    shown((StageKind::Embed, "?table=9"), &state(&[ongoing(0, 61_000)]), |tab| {
        assert_eq!(tab.eval(TOLD)[4], "Waiting for a game at table 9.");
    });
}

#[test]
fn a_game_that_has_ended_is_replayed() {
    let (entry, boards) = judged(7);
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    let state = state(&[ongoing(0, 61_000)]);
    open(&tab, &dir, (StageKind::Overlay, "?game=r901-p0-p1"), (&state, &entry));
    let board = "(() => {
        const cells = [...document.querySelectorAll('#stage .cell')].map(cell => cell.textContent || '.');
        return [4, 3, 2, 1, 0].flatMap(row => cells.slice(row * 5, row * 5 + 5)).join('');
    })()";
    for (ply, expected) in boards.iter().enumerate() {
        tab.wait(&replay_is_at(ply, boards.len()));
        assert_eq!(tab.text(board), *expected, "ply {ply}");
        tab.eval(NEXT_PLY);
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_page_with_one_board_says_how_far_it_is_behind_and_whether_it_is_connected() {
    let mut state = state(&[ongoing(0, 61_000)]);
    state["delay_s"] = json!(90);
    for (kind, text) in
        [(StageKind::Overlay, "2 min behind"), (StageKind::Embed, "412 of 660 games · 3 min left · 2 min behind")]
    {
        shown((kind, ""), &state, |tab| {
            let notes = "document.querySelector('.notes').textContent";
            assert_eq!(tab.text(notes), text);
            tab.eval("feeds[0].onerror()");
            assert_eq!(tab.text(notes), "no connection");
            tab.eval("feeds[0].onopen()");
            assert_eq!(tab.text(notes), text);
        });
    }
}

#[test]
fn a_page_in_a_frame_has_the_theme_of_its_address_and_fits() {
    for theme in ["light", "dark", "contrast"] {
        shown((StageKind::Embed, &format!("?theme={theme}")), &state(&[ongoing(0, 61_000)]), |tab| {
            assert_eq!(tab.text("document.documentElement.dataset.theme"), theme);
            assert_eq!(tab.text("document.querySelector('h1').textContent"), "CS 441");
            for (width, height) in [(640, 720), (390, 520)] {
                tab.viewport(width, height);
                let sizes = tab.eval("[document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight]");
                assert_eq!(sizes, json!([width, height]));
                tab.screenshot(&format!("embed-{theme}-{width}x{height}"));
            }
        });
    }
    shown((StageKind::Embed, "?theme=%22%3E"), &state(&[]), |tab| {
        assert_eq!(tab.eval("document.documentElement.dataset.theme"), Value::Null);
    });
}

#[test]
fn nothing_bars_people_from_a_page_with_one_board() {
    let Some(script) = axe::script() else { return };
    for kind in [StageKind::Overlay, StageKind::Embed] {
        shown((kind, ""), &state(&[ongoing(0, 9_000)]), |tab| {
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                assert_eq!(axe::violations(tab, &script), [""; 0], "{kind:?}, {theme}");
            }
        });
    }
}

#[test]
fn names_are_text_on_a_page_with_one_board() {
    let names = texts();
    for kind in [StageKind::Overlay, StageKind::Embed] {
        // The pages need separate browsers: in the same browser, the second page would get its events from the first.
        let Some(browser) = Browser::start() else { return };
        let dir = tempfile::tempdir().expect("a directory");
        let tab = browser.tab();
        let mut all = state(&[ongoing(0, 61_000)]);
        all["page"]["title"] = json!(spelled(&names[0]));
        all["page"]["players"] = json!([]);
        let player = |(index, name): (usize, &String)| {
            json!({ "n": spelled(name), "s": format!("p{index}"), "rank": 1, "elo": null, "e95": null, "pts": 0,
                    "g": [0, 0, 0], "b": [0, 0, 0], "f": {}, "acc": null })
        };
        all["page"]["players"] = names.iter().enumerate().map(player).collect();
        open(&tab, &dir, (kind, ""), (&all, &Value::Null));
        for pair in 0..names.len() / 2 {
            let mut next = frame(8 + pair as u64);
            let mut game = ongoing(0, 61_000);
            (game["black"], game["white"], game["id"]) =
                (json!(2 * pair), json!(2 * pair + 1), json!(format!("r{pair}")));
            next["on"] = json!([game]);
            emit(&tab, "frame", &next);
            let shown = tab.eval("[...document.querySelectorAll('#stage .who')].map(name => name.textContent)");
            assert_eq!(shown, json!([spelled(&names[2 * pair + 1]), spelled(&names[2 * pair])]));
        }
        assert_harmless(&tab);
    }
}

/// Answers every request with a page that shows `path` on the server `site` in a frame. Returns the origin of the page
/// with the frame.
fn embedder(site: &Arc<OnceLock<String>>, path: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let origin = format!("http://{}", listener.local_addr().expect("bound"));
    let site = Arc::clone(site);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // A browser sends its whole request immediately.
            let _ = stream.read(&mut [0; 4096]);
            let url = site.get().map_or("", String::as_str);
            let frame = format!("<iframe src=\"{url}{path}\"></iframe>");
            let body = format!("<!doctype html><title>club</title><link rel=icon href=data:,>{frame}");
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n", body.len());
            let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
        }
    });
    origin
}

#[test]
fn only_the_page_for_frames_appears_in_a_frame_and_only_for_the_named_origin() {
    let Some(browser) = Browser::start() else { return };
    let arena = Arena::new(
        "rounds = 1\n[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n[[player]]\nname = \"bob\"\nbuiltin = \"random\"\n",
    );
    let site = Arc::default();
    let [club, stranger] = [(); 2].map(|()| embedder(&site, "/embed"));
    let [overlay, whole] = ["/overlay", "/"].map(|path| embedder(&site, path));
    let run = LiveRun::start_with(&arena, "127.0.0.1:0", &["--web-embed", &club, "--web-embed", &overlay]);
    site.set(run.url.clone()).expect("once");
    for (origin, is_shown) in [(&club, true), (&stranger, false), (&overlay, false), (&whole, false)] {
        let tab = browser.tab();
        tab.goto(origin);
        assert_eq!(tab.frames() == [format!("{}/embed", run.url)], is_shown, "{origin}: {:?}", tab.frames());
    }
}
