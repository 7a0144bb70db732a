//! The clocks of boards: they run between frames, in the terms of each side.

use serde_json::json;

use crate::page::browser::fed_page::{emit, frame, ongoing, shown, state};

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
