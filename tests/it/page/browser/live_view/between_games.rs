//! What the page shows when games have ended, and before others begin.

use serde_json::{Value, json};

use crate::page::browser::chromium::Browser;
use crate::page::browser::fed_page::{NAMES, emit, ended, frame, judged, ongoing, open_with, players, shown, state};

#[test]
fn a_page_without_a_game_in_progress_shows_those_that_have_ended() {
    let (entry, boards) = judged(7);
    let mut state = state(&[]);
    state["over"] = json!(true);
    state["ending"] = json!({ "complete": true, "text": "The run is over. kestrel is first, with 3 of 5 points." });
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open_with(&tab, &dir, ("#t=live", &entry), &state);
    let told = "document.querySelector('.idle .told').textContent";
    assert_eq!(tab.text(told), "The run is over. kestrel is first, with 3 of 5 points.");
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
    tab.eval(&format!("time += {}", 2_100 * boards.len()));
    tab.wait(&format!("{caption} === 'kestrel won by 5'"));
    assert_eq!(tab.faults(), [""; 0]);
}

/// A frame in which `games` have ended and the games in `on` are being played.
fn after(seq: u64, games: &[Value], on: &[Value]) -> Value {
    let mut next = frame(seq);
    let (boards, entries): (Vec<Value>, Vec<Value>) = games.iter().map(ended).unzip();
    next["off"] = games.iter().map(|game| game["slot"].clone()).collect();
    (next["ended"], next["done"], next["on"]) = (json!(boards), json!(entries), json!(on));
    next
}

/// Each board's ply, whether its game has ended, and the outcome.
const CARDS: &str =
    "[...document.querySelectorAll('.card')].map(card => [card.querySelector('.ply').firstChild.textContent,
    card.classList.contains('ended'), card.querySelector('.outcome').textContent])";

const IDLE: &str = "!document.querySelector('.idle').hidden";

#[test]
fn a_board_stays_with_its_result_until_its_slot_is_taken_again() {
    shown("", &state(&[ongoing(0, 61_000), ongoing(1, 60_000)]), |tab| {
        emit(tab, "frame", &after(8, &[ongoing(1, 60_000)], &[]));
        let won = "heron won by 5";
        assert_eq!(tab.eval(CARDS), json!([["4. e1", false, ""], ["4. e2", true, won]]));
        assert_eq!(tab.eval("document.querySelectorAll('.card.ended .turn').length"), 0, "neither side is to move");
        tab.screenshot("live-ended-board");
        tab.eval("time += 60_000");
        let mut again = ongoing(1, 60_000);
        again["id"] = json!("r2-p1-p2");
        emit(tab, "frame", &after(9, &[], &[again]));
        assert_eq!(tab.eval(CARDS), json!([["4. e1", false, ""], ["4. e1", false, ""]]));
        assert_eq!(tab.eval(IDLE), false);
    });
}

#[test]
fn while_games_end_fast_the_page_has_a_replay_and_the_latest_games_and_is_never_blank() {
    let quick = |slot| {
        let mut game = ongoing(slot, 61_000);
        game["calm"] = json!(false);
        game
    };
    let filled = format!("{CARDS}.length > 0 || {IDLE}");
    shown("", &state(&[quick(0), quick(1)]), |tab| {
        let mut seq = 7;
        let mut step = |ended: &[Value], on: &[Value]| {
            seq += 1;
            tab.eval("time += 250");
            emit(tab, "frame", &after(seq, ended, on));
            assert_eq!(tab.eval(&filled), true, "frame {seq}");
            tab.eval(IDLE) == true
        };
        let idle: Vec<bool> = (0..8).map(|nth| step(&[quick(nth % 2)], &[quick(1 - nth % 2)])).collect();
        assert_eq!(idle, [false, false, false, false, false, true, true, true], "the sixth within ten seconds");
        let told = tab.text("document.querySelector('.idle .told').textContent");
        assert_eq!(told, "Games end too fast to follow.");
        tab.wait("document.querySelectorAll('.past').length > 0");
        tab.screenshot("live-fast-games");
        // A game that is slow enough to follow still has a board.
        let mut slow = ongoing(5, 61_000);
        slow["id"] = json!("r9-p5-p6");
        assert!(!step(&[], std::slice::from_ref(&slow)));
        assert_eq!(tab.eval(CARDS), json!([["4. e1", false, ""]]));
        assert!(!step(&[slow], &[]));
        assert_eq!(tab.eval(CARDS), json!([["4. e2", true, "finch won by 5"]]));
        // Ten seconds later, games end slowly again.
        tab.eval("time += 10_000");
        emit(tab, "frame", &after(18, &[], &[quick(0)]));
        tab.wait(&format!("!({IDLE}) && {CARDS}.some(([, ended]) => !ended)"));
    });
}

#[test]
fn before_the_first_game_there_is_nothing_wrong_and_nothing_invented() {
    let mut state = state(&[]);
    state["page"]["games"] = json!([]);
    state["log"] = json!([]);
    state["page"]["players"] = json!([]);
    shown("#projector", &state, |tab| {
        tab.wait("document.querySelector('#projector .caption').textContent === 'No game has begun yet.'");
        assert_eq!(tab.text("document.querySelector('#projector h2').textContent"), "CS 441");
        for part in ["live", "standings"] {
            tab.eval(&format!("location.hash = '#t={part}'"));
            tab.wait(&format!("!document.getElementById('{part}').hidden"));
        }
    });
    let unknown = |(index, name): (usize, &&str)| {
        json!({ "n": name, "s": format!("p{index}"), "rank": 1, "elo": null, "e95": null, "pts": 0,
                "g": [0, 0, 0], "b": [0, 0, 0], "f": {}, "acc": null })
    };
    state["page"]["players"] = NAMES.iter().enumerate().map(unknown).collect();
    shown("#t=live", &state, |tab| {
        let ranks = "[...new Set([...document.querySelectorAll('.leaders .rank, #standings tbody td:first-child')].map(cell => cell.textContent))]";
        assert_eq!(tab.eval(ranks), json!(["–"]));
        let waiting = "[...document.querySelectorAll('.best > .quiet:not([hidden]), #standings caption')].map(text => text.textContent)";
        assert_eq!(tab.eval(waiting), json!(vec!["Waiting for the first result."; 2]));
        let mut next = frame(8);
        next["standings"] = players(40);
        emit(tab, "frame", &next);
        assert_eq!(tab.eval(ranks).as_array().map(Vec::len), Some(12));
        assert_eq!(tab.eval(waiting), json!(["All players, best first"]));
    });
}

#[test]
fn a_pause_between_two_games_changes_nothing_for_some_seconds() {
    shown("", &state(&[ongoing(0, 61_000)]), |tab| {
        emit(tab, "frame", &after(8, &[ongoing(0, 61_000)], &[]));
        assert_eq!(tab.eval("document.querySelector('.idle').hidden"), true);
        assert_eq!(tab.eval(CARDS).as_array().map(Vec::len), Some(1));
        tab.eval("time += 3_100");
        tab.wait("!document.querySelector('.idle').hidden");
        assert_eq!(tab.eval(CARDS), json!([]));
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
fn a_page_that_is_opened_between_two_games_shows_the_last_board() {
    let (board, entry) = ended(&ongoing(0, 61_000));
    let mut state = state(&[ongoing(1, 61_000)]);
    state["ended"] = json!([board]);
    state["page"]["games"].as_array_mut().expect("games").push(entry);
    shown("", &state, |tab| {
        let ended = "document.querySelector('.card.ended')";
        tab.wait(ended);
        assert_eq!(tab.text(&format!("{ended}.querySelector('.outcome').textContent")), "kestrel won by 5");
        let mut next = frame(8);
        let mut game = ongoing(0, 60_000);
        game["id"] = json!("r7-p4-p5");
        next["on"] = json!([game]);
        emit(tab, "frame", &next);
        assert_eq!(
            tab.eval("[document.querySelectorAll('.card').length, document.querySelectorAll('.card.ended').length]"),
            json!([2, 0])
        );
    });
}

#[test]
fn the_next_games_are_listed_until_there_are_none() {
    let mut state = state(&[ongoing(0, 61_000)]);
    state["next"] = json!([{ "players": [1, 3], "round": 2 }, { "players": [2, 0], "round": 2 }]);
    shown("", &state, |tab| {
        let list = "[...document.querySelectorAll('.coming li')].map(line => line.textContent)";
        assert_eq!(tab.eval(list), json!(["round 2 heron v wren", "round 2 a bot with a rather long name v kestrel"]));
        let mut next = frame(8);
        next["next"] = json!([{ "players": [2, 0], "round": 2 }]);
        emit(tab, "frame", &next);
        assert_eq!(tab.eval(list).as_array().map(Vec::len), Some(1));
        emit(tab, "frame", &frame(9));
        assert_eq!(tab.eval(list).as_array().map(Vec::len), Some(1), "no news");
        tab.eval("location.hash = '#projector'");
        tab.wait("document.querySelector('#projector .next').textContent === 'next: a bot with a rather long name v kestrel'");
        let mut next = frame(10);
        next["next"] = json!([]);
        emit(tab, "frame", &next);
        assert_eq!(
            tab.eval(
                "document.querySelector('section.next').hidden && document.querySelector('#projector .next').hidden"
            ),
            true
        );
    });
}
