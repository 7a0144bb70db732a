use super::*;
use crate::practice::board_game::BoardGame;
use crate::referee::result::Termination;

fn session() -> Session {
    let players = BySide { black: "person".to_owned(), white: "bot".to_owned() };
    Session::new(BoardGame::start(Ruleset::Gothello), true, players)
}

/// Black's seat in a game that has begun.
fn begun() -> (SeatTalk, Session) {
    let mut talk = SeatTalk::default();
    assert_eq!(talk.hear_before("352 You will play black"), Ok(BeforeGame::Begun(Side::Black)));
    (talk, session())
}

#[test]
fn the_lines_before_the_game_give_the_rules_the_names_the_times_and_the_side() {
    let mut talk = SeatTalk::default();
    let hear =
        |talk: &mut SeatTalk, line: &str| talk.hear_before(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let greeting = hear(&mut talk, "000 Gothello 0.9.1 gothello-arena is ready");
    assert_eq!(greeting, BeforeGame::Greeting(Ruleset::Gothello));
    for line in ["101 60 7 Request accepted", "342 \"ada\" is the black player", "349 2 moves so far"] {
        assert_eq!(hear(&mut talk, line), BeforeGame::Nothing);
    }
    assert_eq!(hear(&mut talk, "351 You will play white"), BeforeGame::Begun(Side::White));
    assert_eq!((talk.side(), talk.name(Side::Black), talk.name(Side::White)), (Side::White, Some("ada"), None));
    let left = Side::BOTH.map(|side| talk.left(side).map(|left| left.as_secs()));
    assert_eq!(left, [Some(7), Some(60)]);
    let mut session = session();
    assert!(!talk.is_settled(&session), "two moves are to come");
    for line in ["311 1 c3 is black move", "312 1 ... b2 is white move"] {
        assert_eq!(talk.hear(line, &mut session), Ok(InGame::Goes));
    }
    assert!(talk.is_settled(&session) && session.plies().len() == 2);
}

#[test]
fn a_server_that_gives_no_seat_is_quoted_without_what_steers_a_terminal() {
    for (line, said) in [
        ("191 \u{1b}[2Jtaken", "the server refused the request for a seat: `191 \\u{1b}[2Jtaken`"),
        ("000 Gothello 0.9.1 quantum-4p gothello-arena is ready", "`play` does not support the server's game: "),
        ("HTTP/1.1 400 Bad Request", "unexpected line from the referee: `HTTP/1.1 400 Bad Request`"),
        ("311 1 c3 x", "unexpected line from the referee: `311 1 c3 x`"),
    ] {
        let error = SeatTalk::default().hear_before(line).expect_err(line).to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let long = SeatTalk::default().hear_before(&"x".repeat(4000)).expect_err("nonsense").to_string();
    assert!(long.len() < 200, "{long}");
}

#[test]
fn the_person_s_move_is_confirmed_and_the_opponent_s_is_played() {
    let (mut talk, mut session) = begun();
    session.play("c3").expect("legal");
    assert_eq!(move_line(&session).as_deref(), Some("1 c3"));
    assert!(!talk.is_settled(&session));
    assert_eq!(talk.hear("200 Move c3 accepted", &mut session), Ok(InGame::Goes));
    assert_eq!(talk.hear("311 1 c3 is black move", &mut session), Ok(InGame::Goes));
    assert_eq!(resignation_line(&session), "1 ... resign");
    assert_eq!(talk.hear("312 1 ... b2 is white move", &mut session), Ok(InGame::Goes));
    assert!(talk.is_settled(&session));
    assert_eq!((session.plies().len(), resignation_line(&session)), (2, "2 resign".to_owned()));
    for (line, winner, termination) in [
        ("328 White wins by Black resignation", Side::White, Termination::Resignation),
        ("361 Black wins by White time expiring", Side::Black, Termination::Time),
        ("392 White disconnected", Side::Black, Termination::Disconnect),
    ] {
        let mut session = session.clone();
        assert_eq!(talk.clone().hear(line, &mut session), Ok(InGame::Over), "{line}");
        let result = session.result().expect("a result");
        assert_eq!((result.winner(), result.termination()), (Some(winner), termination), "{line}");
    }
    assert_eq!(talk.clone().hear("399 Problem: no disk", &mut session), Ok(InGame::Over));
    assert_eq!(session.end(), Some(Err(Void { reason: "no disk".to_owned() })));
}

#[test]
fn a_refused_move_is_taken_back_and_a_refused_resignation_takes_nothing_back() {
    let (mut talk, mut session) = begun();
    session.play("c3").expect("legal");
    let refused = talk.hear("291 Illegal move no \u{202e}such", &mut session).expect("it makes sense");
    assert!(matches!(&refused, InGame::Refused(why) if !why.contains('\u{202e}')), "{refused:?}");
    assert!(session.plies().is_empty() && talk.is_settled(&session));
    assert!(matches!(talk.hear("299 Not understood: what?", &mut session), Ok(InGame::Refused(_))));
}

#[test]
fn lines_that_do_not_fit_the_game_end_it() {
    for line in [
        "312 1 ... c3 is white move",
        "311 2 c3 is black move",
        "311 1 z9 is black move",
        "321 1 c3 ends the game",
        "353 You will observe",
        "+100",
        "",
        "335 1 is out, time",
    ] {
        let (mut talk, mut session) = begun();
        assert!(matches!(talk.hear(line, &mut session), Err(TalkError::NoSense(_))), "{line}");
    }
    let (mut talk, mut session) = begun();
    session.play("c3").expect("legal");
    assert!(talk.hear("311 1 b2 is black move", &mut session).is_err(), "the person played c3");
}

#[test]
fn the_end_of_the_connection_counts_as_the_referee_has_announced() {
    let (mut talk, mut session) = begun();
    assert_eq!(talk.hear_end(&mut session), Err(TalkError::Closed));
    assert_eq!(talk.hear("201 You win", &mut session), Ok(InGame::Goes));
    assert_eq!(talk.hear_end(&mut session), Ok(InGame::Over));
    assert_eq!(session.result().and_then(|result| result.winner()), Some(Side::Black));
    let (mut talk, mut session) = begun();
    for played in ["c3", "pass"] {
        session.play(played).expect("legal");
        talk.heard += 1;
    }
    assert_eq!(talk.hear("321 2 pass ends the game, black wins", &mut session), Ok(InGame::Over));
    assert_eq!(session.result().and_then(|result| result.winner()), Some(Side::Black));
}
