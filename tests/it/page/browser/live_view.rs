//! The live page, fed by the test: boards, clocks, tables, events.

use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::fed_page::{
    NAMES, emit, ended, frame, judged, line, ongoing, open_with, players, shown, state, thirty_games, won,
};

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
fn clocks_run_in_the_terms_of_each_sides_control() {
    let board = |left: [&str; 2]| {
        let mut game = ongoing(0, 0);
        game["left"] = json!(left);
        game
    };
    let mut state = state(&[board(["8:3x30", "1/move+42bank"])]);
    state["page"]["clocks"] = json!(["120:3x30", "1/move+60bank"]);
    for (hash, part) in [("#t=live", ".card"), ("#projector", "#projector")] {
        let clocks =
            format!("[...document.querySelectorAll('{part} .clock')].map(clock => clock.textContent).join(' / ')");
        shown(hash, &state, |tab| {
            let white = "0:01.0, bank 0:42";
            for (passed, black) in [
                (0, "0:08.0 + 3 x 30s"),
                (8_000, "0:30, 3 periods"),
                (7_000, "0:23, 3 periods"),
                (60_000, "0:23, last period"),
                (15_500, "0:07.5, last period"),
            ] {
                tab.eval(&format!("time += {passed}"));
                tab.wait(&format!("{clocks} === '{white} / {black}'"));
            }
            let mut next = frame(8);
            let mut game = board(["0:1x30", "1/move+42bank"]);
            (game["to"], game["spent"]) = (json!("w"), json!([0, 500]));
            next["on"] = json!([game]);
            emit(tab, "frame", &next);
            for (passed, white) in [(0, "0:00.5, bank 0:42"), (10_500, "0:00.0, bank 0:32")] {
                tab.eval(&format!("time += {passed}"));
                tab.wait(&format!("{clocks} === '{white} / 0:30, last period'"));
            }
            tab.screenshot(&format!("clocks-{}", part.trim_matches(['.', '#'])));
        });
    }
}

#[test]
fn a_side_that_is_short_of_time_is_marked() {
    let marks = |part: &str| {
        format!("[...document.querySelectorAll('{part} .clock')].map(clock => clock.classList.contains('short'))")
    };
    let short = &marks(".card");
    let mut game = ongoing(0, 0);
    game["left"] = json!(["1/move", "9.5+1"]);
    let mut state = state(&[game]);
    state["page"]["clocks"] = json!(["1/move", "60+1"]);
    shown("", &state, |tab| {
        assert_eq!(tab.eval(short), json!([true, false]), "white has less than ten seconds");
        tab.eval("time += 700");
        tab.wait(&format!("{short}[1]"));
        tab.eval("location.hash = '#projector'");
        tab.wait(&format!("{}.every(Boolean)", marks("#projector")));
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
fn players_of_one_rank_have_lines_of_their_own_in_the_crosstable() {
    let mut state = state(&[]);
    state["page"]["players"][2]["rank"] = json!(2);
    let lines =
        "[...document.querySelectorAll('#crosstable thead th')].slice(1, 5).map(head => head.textContent).join()";
    shown("#t=crosstable", &state, |tab| assert_eq!(tab.text(lines), "1,2a,2b,4"));
}

#[test]
fn a_bar_that_leaves_the_scale_of_the_standings_ends_in_an_arrow() {
    let mut state = state(&[]);
    (state["page"]["players"][0]["elo"], state["page"]["players"][0]["e95"]) = (json!(1893), json!(199));
    shown("#t=standings", &state, |tab| {
        let scale = "document.querySelector('#standings .scale')";
        assert_eq!(tab.text(&format!("{scale}.textContent")), "−2,000 0 +2,000");
        let bar = |row: u32| format!("document.querySelectorAll('#standings .bar')[{row}]");
        assert_eq!(tab.text(&format!("{}.querySelector('.cut').getAttribute('d')", bar(0))), "M194 4L200 8L194 12");
        assert_eq!(tab.eval(&format!("{}.querySelector('.cut')", bar(1))), Value::Null);
        // The 0 in the head of the table is above the line for 0.
        let middle = |what: &str| format!("(box => (box.left + box.right) / 2)({what}.getBoundingClientRect())");
        let line = format!("{}.querySelector('.zero')", bar(0));
        let apart = tab.eval(&format!("{} - {}", middle(&format!("{scale}.children[1]")), middle(&line)));
        assert!(apart.as_f64().is_some_and(|apart| apart.abs() < 1.5), "{apart}");
    });
}

#[test]
fn on_a_phone_what_is_cut_fades_and_the_crosstable_has_points() {
    shown("#t=crosstable", &thirty_games(), |tab| {
        tab.viewport(390, 844);
        let cell = "document.querySelector('#crosstable td[data-a=\"0\"][data-b=\"1\"]')";
        assert_eq!(tab.eval(&format!("Math.round({cell}.getBoundingClientRect().width)")), 44);
        let points = format!("getComputedStyle({cell}.querySelector('a'), '::after').content");
        tab.wait(&format!("{cell}.querySelector('a').dataset.points === '1' && {points}.startsWith('\"1\"')"));
        assert_eq!(tab.text(&format!("getComputedStyle({cell}.querySelector('a')).fontSize")), "0px");
        let box_of = |part: &str| format!("document.querySelector('#{part} .scroll')");
        tab.wait(&format!("{}.classList.contains('cut')", box_of("crosstable")));
        let first = "document.querySelector('#crosstable tbody th').getBoundingClientRect().left";
        let before = tab.eval(first);
        tab.eval(&format!("{}.scrollLeft = 10_000", box_of("crosstable")));
        tab.wait(&format!("!{}.classList.contains('cut')", box_of("crosstable")));
        assert_eq!(tab.eval(first), before, "the first column stays");
        tab.eval("location.hash = '#t=standings'");
        tab.wait(&format!("!{}.classList.contains('cut')", box_of("standings")));
        assert_eq!(tab.eval("document.querySelector('#standings th:nth-child(4)').checkVisibility()"), false);
        tab.eval("location.hash = '#projector'");
        tab.wait("!document.getElementById('projector').hidden");
        let cut = "[...document.querySelectorAll('#projector .seat .who, #projector .top .who')]
            .filter(name => name.textContent.length < 10 && name.scrollWidth > name.clientWidth).map(name => name.textContent)";
        assert_eq!(tab.eval(cut), json!([]), "names of nine letters fit");
        tab.screenshot("projector-390x844-light");
        tab.viewport(1280, 720);
        tab.eval("location.hash = '#t=crosstable'");
        tab.wait(&format!("{cell}.getBoundingClientRect().width > 60"));
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

#[test]
fn on_a_phone_one_board_fills_the_width_and_a_swipe_or_a_key_turns_to_the_next() {
    let games: Vec<Value> = (0..5).map(|slot| ongoing(slot, 60_000)).collect();
    shown("", &state(&games), |tab| {
        tab.viewport(390, 844);
        tab.media("screen", "light");
        let place = "document.querySelector('.pages .place').textContent";
        tab.wait(&format!("{place} === 'Board 1 of 5'"));
        let widths = "[...document.querySelectorAll('.card')].map(card => card.getBoundingClientRect().width / document.querySelector('.boards').clientWidth)";
        assert_eq!(tab.eval(widths), json!([1, 1, 1, 1, 1]));
        let disabled = "[...document.querySelectorAll('.pages button')].map(button => button.disabled)";
        assert_eq!(tab.eval(disabled), json!([true, false]));
        tab.keys(["ArrowRight"]);
        tab.wait(&format!("{place} === 'Board 2 of 5'"));
        tab.eval("document.querySelector('.pages button:last-child').click()");
        tab.wait(&format!("{place} === 'Board 3 of 5'"));
        // A swipe scrolls the list.
        tab.eval("document.querySelector('.boards').scrollLeft = 10_000");
        tab.wait(&format!("{place} === 'Board 5 of 5'"));
        assert_eq!(tab.eval(disabled), json!([false, true]));
        tab.screenshot("live-phone-boards");
        if let Some(script) = axe::script() {
            assert_eq!(axe::violations(tab, &script), [""; 0]);
        }
        tab.keys(["ArrowLeft"]);
        tab.wait(&format!("{place} === 'Board 4 of 5'"));
        tab.viewport(1280, 720);
        tab.wait("document.querySelector('.pages').hidden && !document.querySelector('.boards.paged')");
        assert_eq!(tab.eval("document.querySelector('.boards').hasAttribute('tabindex')"), false);
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
        assert_eq!(tab.text("document.querySelector('#endings tbody tr').textContent"), "normal3100.0%300");
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
        assert_eq!(tab.text(heads), "forfeits,group");
        let row = "[...document.querySelectorAll('#standings tbody tr')[1].children].map(cell => cell.textContent).slice(-2).join()";
        assert_eq!(tab.text(row), "2 crash, 1 time,2");
    });
}

/// The short names that are cut off on the boards, and the clocks that extend beyond their boards.
const CUT: &str = "[...document.querySelectorAll('.card .seat')].filter(seat => {
    const [name, clock] = ['.who', '.clock'].map(part => seat.querySelector(part));
    const isOutside = clock.getBoundingClientRect().right > seat.getBoundingClientRect().right + 1;
    return isOutside || (name.textContent.length < 8 && name.scrollWidth > name.clientWidth);
}).map(seat => seat.textContent)";

#[test]
fn no_live_view_is_wider_than_its_window() {
    shown("", &thirty_games(), |tab| {
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
                    assert_eq!(tab.eval(CUT), json!([]), "{part} at {width}x{height}");
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
