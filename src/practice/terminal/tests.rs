//! Games on a screen that is only a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::game::{BySide, Ruleset};
use crate::practice::board_game::BoardGame;
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;

fn game(ruleset: &str) -> ScreenGame {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let players = BySide { black: "person 1".to_owned(), white: "person 2".to_owned() };
    let session = Session::new(BoardGame::start(ruleset), true, players);
    ScreenGame::new(GuidedGame::new(session, BoardSeating::Two).expect("a thread"))
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
    view::draw(game, ScreenLook { unicode: false, colours: false }, &mut buffer);
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
    press(&mut game, "h");
    assert!(game.game.hints().is_empty());
}

#[test]
fn a_letter_of_the_board_begins_a_move_and_capitals_are_requests() {
    let mut game = game("othello");
    press(&mut game, "h");
    assert_eq!((game.typed.as_str(), game.game.has_hints()), ("h", false));
    press(&mut game, "H");
    assert!(game.game.has_hints());
    assert_eq!(press(&mut game, "Q"), Some(ScreenEnd::Left));
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
