//! Lines from servers, and what is known once they have been received.

use super::*;

/// What is known once these lines have been received.
fn heard(lines: &[&str]) -> ObservedGame {
    let mut game = ObservedGame::new(None);
    for line in lines {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    game
}

const START: [&str; 5] = [
    "000 Gothello 0.9.1 server is ready",
    "101 60 50 Request accepted with time controls (you / opp)",
    "341 \"bo\" is the white player",
    "342 \"ann\" is the black player",
    "353 The game starts, you observe",
];

fn label(game: &ObservedGame) -> String {
    game.story().map(|story| story.last().label.clone()).unwrap_or_default()
}

#[test]
fn a_game_is_followed_from_its_start_by_moves_and_boards() {
    let mut game = ObservedGame::new(EntityName::new("me"));
    assert_eq!(game.hear(START[0]).ok(), Some(ObservedNews::Greeted("0.9.1 observer \"me\"".to_owned())));
    for line in &START[1..] {
        game.hear(line).expect("understood");
    }
    let story = game.story().expect("a story");
    assert_eq!(story.heading(), "gothello: ann - bo");
    assert_eq!(story.last().left.values().flatten().map(Duration::as_secs).collect::<Vec<_>>(), [50, 60]);
    let lines = [
        "313 1 c3 49 (secs) is the black move, game continues",
        "381 1 60 49 w",
        "382",
        ".....",
        ".....",
        "..b..",
        ".....",
    ];
    for line in lines {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    assert_eq!(game.story().map(GameStory::plies), Some(0), "the board is not complete");
    game.hear(".....").expect("a rank");
    let story = game.story().expect("a story");
    assert_eq!((story.plies(), story.last().label.as_str()), (1, "1. c3 by ann (black)"));
    assert!(story.last().game.is_some() && story.last().to_move == Some(Side::White.into()));
    game.hear("361 Black wins on time").expect("an end");
    assert!(game.is_over());
}

#[test]
fn a_late_observer_sees_boards_and_can_solve_those_of_gothello() {
    let mut game = heard(&START);
    let rows = ["380 4 b", "382", "b....", ".....", "..w..", ".....", "....."];
    for line in rows {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    let story = game.story().expect("a story");
    assert_eq!((story.plies(), story.last().board.field(0, 0)), (0, 'b'));
    assert!(story.last().game.is_some());
    let rows =
        ["315 4 pass is the black move, game continues", "380 4 w", "382", "b....", ".....", "..w..", ".....", "....."];
    for line in rows {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    assert_eq!(label(&game), "4. pass by ann (black)");
}

#[test]
fn a_server_without_boards_is_followed_by_the_rules() {
    let mut game = heard(&START);
    for line in ["311 1 c3 is the black move", "312 1 ... b3 is the white move", "399 Problem: gone"] {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    game.close();
    assert_eq!(game.story().map(GameStory::plies), Some(2));
}

#[test]
fn hostile_lines_are_shown_printably_or_refused() {
    let mut game = heard(&START);
    for line in
        ["777 \u{1b}[2J what", "\u{202e}", "312", "383 9999 lines follow", "382", "\u{1b}]0;x\u{7}", "a", "b", "c", "d"]
    {
        game.hear(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    game.miss();
    let lines = &game.story().expect("a story").last().lines;
    assert!(lines.iter().any(|line| line.contains("server: 777 \\u{1b}[2J what")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("does not fit the rules")), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains(['\u{1b}', '\u{202e}'])), "{lines:?}");
    let refused = ObservedGame::new(None).hear("HTTP/1.1 200 OK");
    assert!(refused.is_ok_and(|news| news == ObservedNews::Nothing));
    assert!(ObservedGame::new(None).hear("100 accepted").is_err());
    let mut private = heard(&START[..1]);
    assert!(private.hear("193 no observers").is_err());
    let mut endless = heard(&START);
    assert!((0..=MOST_LINES).any(|_| endless.hear("344 3 observers").is_err()));
}
