//! Games on a screen that is only a buffer.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::*;
use crate::practice::screen_loop::{ScreenEnd, ScreenView};
use crate::practice::screen_text::ScreenLook;

/// A game that black wins because white's bot crashes, with clocks and a comment.
fn log(black: &str, white: &str) -> String {
    format!(
        "[Round \"1\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"0-1\"]\n[Termination \"crash\"]\n[Reason \"exit \
         status 1\"]\n[Game \"r1-{black}-{white}\"]\n[TimeControl \"10\"]\n\n1. c3 {{[%emt 0:00:01.000000] [%clk \
         0:00:09.000000]}} b3 {{[%emt 0:00:00.250000] [%clk 0:00:09.750000]}}\n2. d3 {{[%emt 0:00:00.500000] [%clk \
         0:00:08.500000]}} 0-1\n"
    )
}

/// A browser of the logs of games between these players.
fn browser(dir: &Path, games: &[[&str; 2]]) -> GameBrowser {
    let paths = games.iter().map(|[black, white]| {
        let path = dir.join(format!("r1-{black}-{white}.log"));
        fs::write(&path, log(black, white)).expect("written");
        path
    });
    let paths: Vec<_> = paths.collect();
    let library = GameLibrary::read(&paths).unwrap_or_else(|error| panic!("{error}"));
    GameBrowser::new(library, NonZeroUsize::MIN).unwrap_or_else(|error| panic!("{error}"))
}

fn press(view: &mut impl ScreenView, keys: &str) -> Option<ScreenEnd> {
    let mut end = None;
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '>' => KeyCode::Right,
            '<' => KeyCode::Left,
            '!' => KeyCode::Esc,
            letter => KeyCode::Char(letter),
        };
        end = view.press(KeyEvent::new(code, KeyModifiers::NONE));
    }
    end
}

fn shown(view: &impl ScreenView, width: u16, height: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    view.draw(ScreenLook { unicode: false, colours: false }, &mut buffer);
    let rows = buffer.content().chunks(usize::from(width));
    rows.map(|cells| cells.iter().map(Cell::symbol).collect::<String>() + "\n").collect()
}

#[test]
fn a_game_is_stepped_through_with_its_clocks_and_its_ending() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut browser = browser(dir.path(), &[["ann", "bo"]]);
    let text = shown(&browser, 80, 24);
    assert!(text.contains("ann - bo") && text.contains("start") && text.contains("b ann 0:10.0, to move"), "{text}");
    press(&mut browser, ">>");
    let text = shown(&browser, 80, 24);
    for part in ["ply 2/3: 1... b3 by bo (white)", "(w)  b", "w bo 0:09.7", "0:00.250 spent", "1. c3 [1... b3] 2. d3"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    press(&mut browser, "j>>>");
    let text = shown(&browser, 80, 24);
    assert!(text.contains("ply 3/3") && text.contains("black wins (crash): ann beats bo (exit status 1)"), "{text}");
    press(&mut browser, "<kn");
    let text = shown(&browser, 80, 24);
    assert!(text.contains("no mistake is known after this ply") && text.contains("ply 1/3"), "{text}");
    assert_eq!(press(&mut browser, "q"), Some(ScreenEnd::Left));
}

#[test]
fn a_position_is_solved_and_its_command_is_kept() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut browser = browser(dir.path(), &[["ann", "bo"]]);
    assert!(shown(&browser, 80, 24).contains("value: ? (s solves)"));
    press(&mut browser, ">s");
    while !shown(&browser, 80, 24).contains("value: black wins by 3") {
        browser.collect().expect("threads");
    }
    press(&mut browser, "!y");
    let text = shown(&browser, 80, 24);
    assert!(text.contains("printed at the end: gothello-arena solve --log "), "{text}");
}

#[test]
fn stderr_is_shown_at_the_ply_at_which_it_was_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        fs::write(dir.path().join(format!("r1-ann-bo.{name}")), text).expect("written");
    };
    write("black.stderr", "hello\nply 1\nply 3 \u{1b}[31m\nthe end\n");
    write("black.stderr.plies", "1 6\n3 12\n5 24\n");
    write("white.stderr", "ply 2\nlast words\n");
    write("white.stderr.plies", "2 0\n4 6\n");
    let mut browser = browser(dir.path(), &[["ann", "bo"]]);
    assert!(!shown(&browser, 80, 24).contains("hello"));
    press(&mut browser, "e");
    let text = shown(&browser, 80, 24);
    assert!(text.contains("ann (black) wrote:") && text.contains("| hello"), "{text}");
    for ply in 1..=3 {
        press(&mut browser, ">");
        let text = shown(&browser, 80, 24);
        let told: Vec<bool> = (1..=3).map(|other| text.contains(&format!("| ply {other}"))).collect();
        assert_eq!(told, [1, 2, 3].map(|other| other == ply), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    // The turn during which the game ended has no ply of its own.
    assert!(shown(&browser, 80, 24).contains("| last words"));
    press(&mut browser, "e");
    assert!(!shown(&browser, 80, 24).contains("last words"));
}

#[test]
fn stderr_that_is_missing_or_does_not_fit_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut browser = browser(dir.path(), &[["ann", "bo"]]);
    press(&mut browser, "e");
    assert!(shown(&browser, 80, 40).contains("there is no"), "{}", shown(&browser, 80, 40));
    let lines: Vec<String> = (1..=99).map(|number| format!("line {number}\n")).collect();
    fs::write(dir.path().join("r1-ann-bo.black.stderr"), lines.concat()).expect("written");
    fs::write(dir.path().join("r1-ann-bo.black.stderr.plies"), "1 0\n").expect("written");
    press(&mut browser, "ee>");
    for (width, height) in [(80, 24), (40, 16)] {
        let text = shown(&browser, width, height);
        assert!(text.contains("| line 99") && !text.contains("| line 1 "), "{text}");
        assert!(text.contains("(more before)") && text.contains("q quit"), "{text}");
    }
}

#[test]
fn text_without_room_leaves_a_mark() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut browser = browser(dir.path(), &[["ann", "bo"]]);
    press(&mut browser, "y");
    for height in 16..40 {
        let text = shown(&browser, 40, height);
        let is_cut = text.lines().any(|line| line.trim_end().ends_with("..."));
        assert!(text.contains("solves)") || is_cut, "{text}");
    }
}

#[test]
fn a_list_is_filtered_and_games_are_opened_from_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut browser = browser(dir.path(), &[["ann", "bo"], ["bo", "cy"], ["cy", "ann"]]);
    let text = shown(&browser, 80, 24);
    assert!(
        text.contains("3 of 3 games") && text.contains("> r1-ann-bo  ann - bo  black wins (crash), 3 plies"),
        "{text}"
    );
    press(&mut browser, "/cy\n");
    assert!(shown(&browser, 80, 24).contains("2 of 3 games, filter: cy"));
    press(&mut browser, "f");
    assert!(shown(&browser, 80, 24).contains("2 of 3 games, forfeits only, filter: cy"));
    press(&mut browser, "m");
    assert!(shown(&browser, 80, 24).contains("no game has been analyzed"));
    press(&mut browser, "mj\n");
    assert!(shown(&browser, 80, 24).contains("cy - ann"));
    press(&mut browser, "[");
    assert!(shown(&browser, 80, 24).contains("bo - cy"));
    press(&mut browser, "!!");
    assert!(shown(&browser, 80, 24).contains("3 of 3 games"));
    assert_eq!(press(&mut browser, "q"), Some(ScreenEnd::Left));
}

#[test]
fn hostile_logs_and_small_windows_do_no_harm() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("a.log"), "\u{1b}[31mnot a log").expect("written");
    fs::write(dir.path().join("b.log"), log("x\u{202e}y", "bo")).expect("written");
    let library = GameLibrary::read(&[dir.path().to_owned()]).unwrap_or_else(|error| panic!("{error}"));
    let mut browser = GameBrowser::new(library, NonZeroUsize::MIN).unwrap_or_else(|error| panic!("{error}"));
    for (width, height) in [(80, 24), (40, 16), (20, 3), (1, 1), (200, 60)] {
        let text = shown(&browser, width, height);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
    press(&mut browser, "\n");
    assert!(shown(&browser, 80, 24).contains("a.log"), "{}", shown(&browser, 80, 24));
    press(&mut browser, "j\n");
    for (width, height) in [(80, 24), (40, 16), (20, 3), (1, 1), (200, 60)] {
        assert!(!shown(&browser, width, height).contains('\u{202e}'));
    }
    assert!(shown(&browser, 39, 16).contains("needs 40x16"));
}
