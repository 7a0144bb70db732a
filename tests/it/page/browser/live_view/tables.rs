//! The tables of the live page.

use serde_json::{Value, json};

use crate::page::browser::fed_page::{emit, frame, ongoing, players, shown, state, thirty_games, won};

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
fn players_of_one_rank_have_lines_of_their_own_in_the_crosstable() {
    let mut state = state(&[]);
    state["page"]["players"][2]["rank"] = json!(2);
    let lines =
        "[...document.querySelectorAll('#crosstable thead th')].slice(1, 5).map(head => head.textContent).join()";
    shown("#t=crosstable", &state, |tab| assert_eq!(tab.text(lines), "1,2a,2b,4"));
}

#[test]
fn the_leaders_of_a_knockout_are_in_the_order_of_its_places() {
    let mut state = state(&[]);
    for (player, place) in
        [(0, json!([2, 3, "out"])), (1, json!([0, null, "round 2"])), (2, json!([1, null, "round 1"]))]
    {
        state["page"]["players"][player]["place"] = place;
    }
    state["page"]["players"] = json!(state["page"]["players"].as_array().expect("players")[..3]);
    let leaders = "[...document.querySelectorAll('.leaders li')].map(line => [0, 1, 4].map(at => line.children[at]).map(part => part.textContent).join(' '))";
    let expected = ["– heron round 2", "– a bot with a rather long name round 1", "3 kestrel out"];
    shown("#t=live", &state, |tab| {
        assert_eq!(tab.eval(leaders), json!(expected), "two players are still in");
        // The table of ratings keeps its own order.
        assert_eq!(tab.text("document.querySelector('#standings tbody th').textContent"), "kestrel");
    });
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
