//! The live page, fed by the test: boards, clocks, tables, events.

mod between_games;
mod clocks;
mod layout;
mod tables;

use serde_json::{Value, json};

use super::fed_page::{emit, frame, line, ongoing, players, shown, state};

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
        let lines = ["forfeit: heron beats wren (crash)", "kestrel beats heron by 5"];
        assert_eq!(tab.eval(events), json!(lines), "the latest on top");
        assert_eq!(tab.eval("document.querySelectorAll('#standings tbody tr').length"), 12);
        let cell = "document.querySelector('#crosstable td[data-a=\"0\"][data-b=\"1\"]').textContent";
        assert_eq!(tab.text(cell), "1-0-0");
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
        assert_eq!(tab.eval("document.querySelectorAll('.card.pinned').length"), 1, "the pinned game stays");
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
fn the_total_of_a_knockout_is_a_maximum() {
    let mut state = state(&[ongoing(0, 61_000)]);
    state["progress"]["most"] = json!(true);
    shown("", &state, |tab| {
        let count = "document.querySelector('#live .count').textContent";
        assert_eq!(tab.text(count), "412 games (at most 660) · at most 3 min left");
        assert_eq!(tab.text("document.title"), "412 CS 441");
        assert_eq!(tab.eval("document.querySelector('#live progress').hidden"), true, "nobody knows how far it is");
        let mut last = frame(8);
        last["progress"]["most"] = json!(true);
        // The ratings are fitted once more at the end.
        last["standings"] = players(40);
        last["ending"] = json!({ "complete": true, "text": "The run is over. kestrel wins the knockout." });
        emit(tab, "frame", &last);
        emit(tab, "end", &json!({}));
        assert_eq!(tab.text(count), "413 games · the run has ended");
        for place in [".told", "#standings .verdict"] {
            let told = tab.text(&format!("document.querySelector('{place}').textContent"));
            assert_eq!(told, "The run is over. kestrel wins the knockout.", "{place}");
        }
        assert_eq!(tab.text("document.querySelector('.best h3').textContent"), "Final standings");
    });
}

#[test]
fn the_standings_of_a_run_that_has_ended_early_are_not_final() {
    let mut state = state(&[]);
    state["over"] = json!(true);
    state["ending"] =
        json!({ "complete": false, "text": "The run has ended early. So far, 2 of 660 games are finished." });
    shown("", &state, |tab| {
        assert!(tab.text("document.querySelector('.told').textContent").starts_with("The run has ended early. "));
        assert_eq!(tab.text("document.querySelector('.best h3').textContent"), "Standings");
        assert_eq!(
            tab.text("document.querySelector('#live .count').textContent"),
            "412 of 660 games · the run has ended"
        );
    });
}

#[test]
fn a_page_that_is_behind_says_so() {
    let mut state = state(&[ongoing(0, 61_000)]);
    state["delay_s"] = json!(30);
    shown("", &state, |tab| {
        let count = |part: &str| format!("document.querySelector('{part} .count').textContent");
        assert_eq!(tab.text(&count("#live")), "412 of 660 games · 3 min left · 30 s behind");
        assert!(tab.text("document.querySelector('#summary').textContent").ends_with(" · 30\u{a0}s\u{a0}behind"));
        tab.eval("location.hash = '#projector'");
        tab.wait(&format!("{}.endsWith(' · 30 s behind')", count("#projector")));
    });
}

#[test]
fn a_board_names_its_opening() {
    let mut game = ongoing(0, 61_000);
    game["opening"] = json!("c3 d3 (black by 2)");
    shown("", &state(&[game, ongoing(1, 60_000)]), |tab| {
        let openings =
            "[...document.querySelectorAll('.card .opening')].map(line => line.hidden ? null : line.textContent)";
        assert_eq!(tab.eval(openings), json!(["opening c3 d3 (black by 2)", null]));
    });
}

#[test]
fn captured_stones_of_a_live_board_are_seen_to_turn() {
    let mut game = ongoing(0, 61_000);
    shown("", &state(&[game.clone()]), |tab| {
        // From rank 5 down: white takes two stones with a move to c1.
        (game["board"], game["ply"], game["last"], game["to"]) =
            (json!("w...................w.wwb"), json!(5), json!("c1"), json!("b"));
        let mut next = frame(8);
        next["on"] = json!([game]);
        emit(tab, "frame", &next);
        let marked =
            "[...document.querySelectorAll('.card .cell')].map((cell, i) => [cell.className.replace('cell ', ''), i])
            .filter(([name]) => name !== 'cell')";
        assert_eq!(tab.eval(marked), json!([["flip moving", 20], ["last moving", 22], ["flip moving", 23]]));
        // Without the previous ply, the captures are unknown.
        (game["ply"], game["last"]) = (json!(9), json!("b1"));
        let mut next = frame(9);
        next["on"] = json!([game]);
        emit(tab, "frame", &next);
        assert_eq!(tab.eval(marked), json!([["last", 21]]));
    });
}
