//! Games on a screen that is only a buffer.

use std::num::NonZeroUsize;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::layout::Rect;

use super::*;
use crate::game::{BySide, Ruleset};
use crate::practice::board_game::BoardGame;
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::referee::time_control::{SideControl, TimeControl};

fn game(ruleset: &str) -> ScreenGame {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let session = Session::new(BoardGame::start(ruleset), true, players);
    ScreenGame::new(GuidedGame::new(session, BoardSeating::Two, NonZeroUsize::MIN).expect("a thread"))
}

fn press(game: &mut ScreenGame, keys: &str) -> Option<ScreenEnd> {
    let mut end = None;
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '^' => KeyCode::Up,
            '<' => KeyCode::Left,
            letter => KeyCode::Char(letter),
        };
        end = game.press(KeyEvent::new(code, KeyModifiers::NONE));
    }
    end
}

fn shown(game: &ScreenGame, width: u16, height: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    game.draw(ScreenLook { unicode: false, colours: false }, &mut buffer);
    let rows = buffer.content().chunks(usize::from(width));
    let lines = rows.map(|cells| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>() + "\n");
    lines.collect()
}

#[test]
fn moves_are_made_with_the_cursor_and_by_typing() {
    let mut game = game("gothello");
    press(&mut game, "\n^<\nD2\n");
    let moves: Vec<&str> = game.game.session().plies().iter().map(|ply| ply.played.as_str()).collect();
    assert_eq!(moves, ["c3", "b4", "d2"]);
    press(&mut game, "\n");
    assert!(shown(&game, 80, 24).contains("b4: the point is occupied"), "{}", shown(&game, 80, 24));
    press(&mut game, "uu");
    assert_eq!(game.game.session().plies().len(), 1);
    assert_eq!(press(&mut game, "r"), None);
    assert!(game.game.session().result().is_none(), "a resignation is confirmed");
    press(&mut game, "r");
    assert!(game.game.session().result().is_some());
    assert_eq!(press(&mut game, "q"), Some(ScreenEnd::Left));
}

#[test]
fn a_game_that_goes_on_is_left_by_a_second_q_only() {
    let mut game = game("gothello");
    assert_eq!(press(&mut game, "q"), None);
    assert!(shown(&game, 80, 24).contains("press q again"), "{}", shown(&game, 80, 24));
    // A different key withdraws the request to quit, and a request to resign does not confirm it.
    assert_eq!(press(&mut game, "?q"), None);
    assert_eq!(press(&mut game, "rq"), None);
    assert_eq!(press(&mut game, "r"), None);
    assert!(game.game.session().result().is_none());
    assert_eq!(press(&mut game, "qq"), Some(ScreenEnd::Left));
}

#[test]
fn hints_stand_on_their_points_once_they_are_asked_for() {
    let mut game = game("gothello");
    assert!(!shown(&game, 80, 24).contains("+3"));
    press(&mut game, "h");
    while !shown(&game, 80, 24).contains("+3") || !shown(&game, 80, 24).contains("pass") {
        game.collect().expect("threads");
    }
    press(&mut game, "a1\nv");
    while !shown(&game, 80, 24).contains("instead of") {
        game.collect().expect("threads");
    }
    // The better line is shown on the board, and the game stays unchanged.
    while game.game.better_line().is_none() {
        game.collect().expect("threads");
    }
    press(&mut game, "l");
    assert!(shown(&game, 80, 24).contains("better line, move 1 of"), "{}", shown(&game, 80, 24));
    press(&mut game, " ");
    assert!(shown(&game, 80, 24).contains("better line, move 2 of"), "{}", shown(&game, 80, 24));
    press(&mut game, "l");
    assert!(shown(&game, 80, 24).contains("last: a1 by black") && game.game.session().plies().len() == 1);
    press(&mut game, "h");
    assert!(game.game.hints().is_empty());
}

#[test]
fn a_letter_of_the_board_begins_a_move_and_capitals_are_requests() {
    let mut game = game("othello");
    press(&mut game, "h");
    assert_eq!((game.input.typed.as_str(), game.game.has_hints()), ("h", false));
    assert!(
        shown(&game, 80, 24).contains("H hint") && shown(&game, 80, 24).contains("u undo"),
        "the letters that work"
    );
    press(&mut game, "H");
    assert!(game.game.has_hints());
    // The game goes on, so the person is asked first.
    assert_eq!(press(&mut game, "Q"), None);
    assert!(shown(&game, 80, 24).contains("to leave the game, press q again"), "no file is called q");
    assert_eq!(press(&mut game, "Q"), Some(ScreenEnd::Left));
}

#[test]
fn a_letter_that_neither_is_a_key_nor_begins_a_move_is_explained() {
    let mut game = game("gothello");
    press(&mut game, "z");
    assert_eq!(game.input.typed, "");
    assert!(shown(&game, 80, 24).contains("z is neither a key nor the start of a move"), "{}", shown(&game, 80, 24));
    press(&mut game, "pass\npass\n");
    assert!(game.game.session().end().is_some());
    assert!(!shown(&game, 80, 24).contains("r resign"), "{}", shown(&game, 80, 24));
}

#[test]
fn every_board_of_two_seats_is_shown_or_asks_for_a_larger_window() {
    for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2) {
        let game = game(ruleset.name());
        let text = shown(&game, 80, 24);
        assert!(text.contains("black to move"), "{ruleset}: {text}");
        for (width, height) in [(40, 16), (20, 3), (1, 1), (200, 60)] {
            shown(&game, width, height);
        }
    }
    let small = game("gothello");
    assert!(shown(&small, 40, 16).contains("black to move"), "{}", shown(&small, 40, 16));
    assert!(shown(&small, 39, 16).contains("needs 40x16"), "{}", shown(&small, 39, 16));
}

#[test]
fn the_clocks_are_shown_and_a_fallen_flag_ends_the_game() {
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let control = TimeControl::both(SideControl::sudden_death(Duration::from_millis(300)));
    let session = Session::new(BoardGame::start(Ruleset::Gothello), true, players).with_clocks(control);
    let mut game = ScreenGame::new(GuidedGame::new(session, BoardSeating::Two, NonZeroUsize::MIN).expect("a thread"));
    assert!(shown(&game, 80, 24).contains("black 0:01, white 0:01"), "{}", shown(&game, 80, 24));
    while !shown(&game, 80, 24).contains("white wins (time)") {
        game.collect().expect("threads");
    }
    assert!(shown(&game, 80, 24).contains("used more than 300ms"), "{}", shown(&game, 80, 24));
    // The end by the fallen flag is taken back first, and the clock runs again.
    press(&mut game, "u");
    assert!(game.game.session().end().is_none());
}
