//! The live page, fed by the test: boards, clocks, tables, events.

use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::fed_page::{emit, frame, judged, line, ongoing, open_with, players, shown, state, won};

#[test]
fn a_live_page_shows_boards_progress_and_events() {
    shown("", &state(&[ongoing(0, 61_000), ongoing(1, 9_400)]), |tab| {
        assert_eq!(tab.text("document.title"), "412/660 CS 441");
        assert_eq!(tab.text("document.querySelector('#live .count').textContent"), "412 of 660 games · 3 min left");
        let cards = "[...document.querySelectorAll('.card')].map(card =>
            [...card.querySelectorAll('.seat')].map(seat => seat.textContent).join(' ') + ' ' + card.querySelector('.ply').firstChild.textContent)";
        let expected = ["wheron1:05 bkestrel1:01 4. e1", "wa bot with a rather long name1:05 bheron0:09.4 4. e1"];
        assert_eq!(tab.eval(cards), json!(expected));
        let stones =
            "[...document.querySelectorAll('.card .cell')].slice(0, 25).map(cell => cell.textContent || '.').join('')";
        assert_eq!(tab.text(stones), "w...................b..bb", "from rank 5 down");
        let events = "[...document.querySelectorAll('.log li')].map(line => line.textContent)";
        let lines = ["forfeit: heron v wren: black wins (crash)", "kestrel v heron: black wins by 5"];
        assert_eq!(tab.eval(events), json!(lines), "the latest on top");
        assert_eq!(tab.eval("document.querySelectorAll('#standings tbody tr').length"), 12);
        let cell = "document.querySelector('#crosstable td[data-a=\"0\"][data-b=\"1\"]').textContent";
        assert_eq!(tab.text(cell), "1-0-0");
    });
}

#[test]
fn clocks_run_between_frames_and_only_that_of_the_side_to_move() {
    let clocks = "[...document.querySelectorAll('.card .clock')].map(clock => clock.textContent).join()";
    shown("", &state(&[ongoing(0, 61_000)]), |tab| {
        assert_eq!(tab.text(clocks), "1:05,1:01");
        tab.eval("time += 55_600");
        tab.wait(&format!("{clocks} === '1:05,0:05.4'"));
        tab.eval("time += 9_000");
        tab.wait(&format!("{clocks} === '1:05,0:00.0'"));
        let mut next = frame(8);
        next["on"] = json!([ongoing(0, 30_000)]);
        emit(tab, "frame", &next);
        assert_eq!(tab.text(clocks), "1:05,0:30", "the server knows better");
    });
}

#[test]
fn a_frame_changes_tables_and_outlines_the_cells_for_a_moment() {
    shown("#t=crosstable", &state(&[ongoing(0, 61_000)]), |tab| {
        let mut next = frame(8);
        next["off"] = json!([0]);
        next["done"] = json!([won(903, 0, 1)]);
        next["standings"] = players(-10);
        emit(tab, "frame", &next);
        assert_eq!(tab.text("document.title"), "413/660 CS 441");
        let cell = |a: u32, b: u32| format!("document.querySelector('#crosstable td[data-a=\"{a}\"][data-b=\"{b}\"]')");
        assert_eq!(tab.text(&format!("{}.textContent", cell(0, 1))), "2-0-0");
        assert_eq!(tab.text(&format!("{}.textContent", cell(1, 0))), "0-0-2");
        let fresh =
            "[...document.querySelectorAll('td.fresh')].map(cell => cell.dataset.a + cell.dataset.b).sort().join()";
        assert_eq!(tab.text(fresh), "01,10");
        tab.wait("!document.querySelector('td.fresh')");
        let trends = "[...document.querySelectorAll('#standings tbody tr')].map(row => row.children[4].textContent)";
        assert_eq!(tab.eval(trends)[1], "▲ 50");
        assert_eq!(tab.eval("document.querySelectorAll('.card').length"), 0, "the game is over");
    });
}

#[test]
fn a_missed_frame_asks_for_everything_again() {
    shown("", &state(&[]), |tab| {
        emit(tab, "frame", &frame(9));
        tab.wait("feeds.length === 2 && feeds[0].readyState === 2");
        assert_eq!(tab.text("document.title"), "412/660 CS 441", "nothing of it is shown");
    });
}

#[test]
fn of_many_games_24_are_boards_and_a_pin_makes_any_one() {
    let games: Vec<Value> = (0..30).map(|slot| ongoing(slot, 60_000)).collect();
    shown("", &state(&games), |tab| {
        let ids = "[...document.querySelectorAll('.card .pin')].map(pin => pin.getAttribute('aria-label'))";
        assert_eq!(tab.eval(ids).as_array().expect("a list").len(), 24);
        assert_eq!(tab.text("document.querySelector('.playing summary').textContent"), "6 more");
        tab.eval("document.querySelector('.playing summary').click()");
        tab.wait("document.querySelectorAll('.rest li').length === 6");
        let hidden = tab.text("document.querySelector('.rest .pin').getAttribute('aria-label')");
        tab.eval("document.querySelector('.rest .pin').click()");
        let pinned = "document.querySelector('.card.pinned .pin')";
        assert_eq!(tab.text(&format!("{pinned}.getAttribute('aria-pressed')")), "true", "{hidden}");
        assert_eq!(tab.eval("document.querySelectorAll('.card').length"), 24);
        tab.eval("const order = document.getElementById('order'); order.value = 'leads'; order.dispatchEvent(new Event('change'))");
        let leads = "[...document.querySelectorAll('.card .who')].map(name => name.textContent)";
        assert_eq!(tab.eval(leads).as_array().expect("names").len(), 48);
        assert_eq!(tab.eval("document.querySelectorAll('.card.pinned').length"), 1, "the pinned one stays");
    });
}

#[test]
fn a_paused_view_stands_still_while_the_run_goes_on() {
    shown("", &state(&[ongoing(0, 61_000)]), |tab| {
        tab.keys(["v"]);
        let mut next = frame(8);
        next["off"] = json!([0]);
        next["log"] = json!([line(3, "game", "later", None)]);
        emit(tab, "frame", &next);
        assert_eq!(tab.text("document.title"), "413/660 CS 441");
        assert_eq!(tab.eval("document.querySelectorAll('.card').length"), 1);
        assert_eq!(tab.eval("document.querySelector('.paused').hidden"), false);
        tab.keys(["v"]);
        assert_eq!(tab.eval("document.querySelectorAll('.card').length"), 0);
        assert_eq!(tab.text("document.querySelector('.log li').textContent"), "later");
    });
}

#[test]
fn the_fewer_boards_there_are_the_larger_they_are() {
    let board = "document.querySelector('.card .grid').getBoundingClientRect().width";
    let mut last = f64::INFINITY;
    for count in [1, 2, 4, 6, 30] {
        let games: Vec<Value> = (0..count).map(|slot| ongoing(slot, 60_000)).collect();
        shown("", &state(&games), |tab| {
            tab.viewport(1920, 1080);
            let width = tab.eval(board).as_f64().expect("a number");
            assert!(width < last, "{count} boards of {width} pixels, fewer of {last}");
            last = width;
            let all = "[...document.querySelectorAll('.card')].every(card => card.getBoundingClientRect().bottom < innerHeight)";
            assert_eq!(tab.eval(all), count < 30, "{count} boards fit");
            tab.screenshot(&format!("live-{count}-boards"));
        });
    }
    assert!(last > 100.0, "{last}");
}

#[test]
fn a_page_without_a_game_in_progress_shows_those_that_have_ended() {
    let (entry, boards) = judged(7);
    let mut state = state(&[]);
    state["over"] = json!(true);
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open_with(&tab, &dir, ("#t=live", &entry), &state);
    let told = "document.querySelector('.idle .told').textContent";
    assert_eq!(tab.text(told), "The run is over: kestrel is first, with +300 Elo and 3 points.");
    assert_eq!(tab.text("document.querySelector('.best h3').textContent"), "Final standings");
    assert_eq!(tab.eval("document.querySelectorAll('.leaders li').length"), 10);
    let links = "[...document.querySelectorAll('.past a')].map(link => link.getAttribute('href') + ' ' + link.querySelector('.who').textContent)";
    let last = format!("#g=r901-p0-p1&p={}", boards.len() - 1);
    tab.wait(&format!("document.querySelector('.past a').getAttribute('href') === '{last}'"));
    let expected =
        [format!("{last} kestrel v heron"), "#g=r902-p1-p2&p=0 heron v a bot with a rather long name".to_owned()];
    assert_eq!(tab.eval(links), json!(expected), "the game of the latest line comes first");
    let caption = "document.querySelector('.idle .caption').textContent";
    tab.wait(&format!("{caption} === 'the game of the moment'"));
    tab.eval(&format!("time += {}", 700 * boards.len()));
    tab.wait(&format!("{caption} === 'black won by 5'"));
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_pause_between_two_games_changes_nothing_for_some_seconds() {
    shown("", &state(&[ongoing(0, 61_000)]), |tab| {
        let mut next = frame(8);
        next["off"] = json!([0]);
        emit(tab, "frame", &next);
        assert_eq!(tab.eval("document.querySelector('.idle').hidden"), true);
        tab.eval("time += 3_100");
        tab.wait("!document.querySelector('.idle').hidden");
        assert_eq!(
            tab.text("document.querySelector('.idle .told').textContent"),
            "No game is being played at the moment."
        );
        let mut next = frame(9);
        next["on"] = json!([ongoing(1, 60_000)]);
        emit(tab, "frame", &next);
        assert_eq!(tab.eval("document.querySelector('.idle').hidden"), true);
    });
}

#[test]
fn the_tabs_of_a_live_page_stand_in_one_line() {
    shown("", &state(&[]), |tab| {
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            let lines = "new Set([...document.querySelectorAll('#tabs a')].map(link => Math.round(link.getBoundingClientRect().top))).size";
            assert_eq!(tab.eval(lines), 1, "{width}x{height}");
        }
        tab.viewport(1280, 720);
        let line = "(() => {
            const [title, tabs] = ['#head h1', '#tabs'].map(name => document.querySelector(name).getBoundingClientRect());
            return title.top < tabs.bottom && tabs.top < title.bottom;
        })()";
        assert_eq!(tab.eval(line), true, "the title and the tabs");
    });
}

#[test]
fn parts_that_the_server_writes_say_how_old_they_are_and_endings_are_counted_anew() {
    shown("#t=standings", &state(&[]), |tab| {
        let note = "document.querySelector('#ratings .dated')";
        let text = format!("{note}.firstChild.data");
        assert_eq!(tab.text(&text), "1 game has ended since this part was written. ");
        let mut next = frame(8);
        next["done"] = json!([won(903, 0, 1)]);
        emit(tab, "frame", &next);
        assert_eq!(tab.text(&text), "2 games have ended since this part was written. ");
        assert_eq!(tab.text("document.querySelector('#endings tbody tr').textContent"), "normal3100.0 %300");
        tab.eval(&format!("{note}.querySelector('button').click()"));
        tab.wait(&format!("{text}.startsWith('The server does not answer. 2 games have')"));
    });
}

#[test]
fn standings_say_which_players_nothing_compares() {
    let heads = "[...document.querySelectorAll('#standings thead th')].map(head => head.textContent).slice(-2).join()";
    let mut state = state(&[]);
    state["page"]["players"][0]["comp"] = json!(1);
    shown("#t=standings", &state, |tab| assert_eq!(tab.text(heads), "points,forfeits"));
    state["page"]["players"][1]["comp"] = json!(2);
    state["page"]["players"][1]["f"] = json!({ "crash": 2, "time": 1 });
    shown("#t=standings", &state, |tab| {
        assert_eq!(tab.text(heads), "forfeits,comp.");
        let row = "[...document.querySelectorAll('#standings tbody tr')[1].children].map(cell => cell.textContent).slice(-2).join()";
        assert_eq!(tab.text(row), "2 crash, 1 time,2");
    });
}

#[test]
fn no_live_view_is_wider_than_its_window() {
    let games: Vec<Value> = (0..30).map(|slot| ongoing(slot, 60_000)).collect();
    shown("", &state(&games), |tab| {
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                for part in ["live", "standings", "crosstable", "games", "players"] {
                    tab.eval(&format!("location.hash = '#t={part}'"));
                    tab.wait(&format!("!document.getElementById('{part}').hidden"));
                    let sizes = tab.eval("[document.scrollingElement.scrollWidth, innerWidth]");
                    assert_eq!(sizes, json!([width, width]), "{part} at {width}x{height}");
                    tab.screenshot(&format!("live-{part}-{width}x{height}-{theme}"));
                }
            }
        }
    });
}

#[test]
fn nothing_bars_people_from_the_live_page() {
    let Some(script) = axe::script() else { return };
    let games: Vec<Value> = (0..30).map(|slot| ongoing(slot, 60_000)).collect();
    let mut found: Vec<Value> = Vec::new();
    shown("", &state(&games), |tab| {
        for theme in ["light", "dark"] {
            tab.media("screen", theme);
            for hash in ["#t=live", "#t=standings", "#t=crosstable", "#t=games", "#projector"] {
                tab.eval(&format!("location.hash = '{hash}'"));
                tab.wait(&format!(
                    "document.documentElement.classList.contains('projecting') === {}",
                    hash == "#projector"
                ));
                found.extend(axe::violations(tab, &script).into_iter().map(|line| json!([theme, hash, line])));
            }
        }
    });
    assert!(found.is_empty(), "{:#}", Value::Array(found));
}
