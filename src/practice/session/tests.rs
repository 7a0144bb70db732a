use super::*;
use crate::base::random::SplitMix64;
use crate::game::{Ruleset, gothello};
use crate::referee::time_control::SideControl;

fn session(ruleset: Ruleset) -> Session {
    let players = BySide { black: "person".to_owned(), white: "bot".to_owned() };
    Session::new(BoardGame::start(ruleset), true, players)
}

fn two_seats() -> impl Iterator<Item = Ruleset> {
    Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2)
}

fn random_move(session: &Session, random: &mut SplitMix64) -> Move {
    let legal = session.game().position().legal_moves();
    let placing: Vec<Move> = legal.iter().copied().filter(|played| !played.is_pass()).collect();
    let choice = if placing.is_empty() { &legal } else { &placing };
    choice[usize::try_from(random.below(choice.len() as u64)).expect("small")]
}

#[test]
fn a_game_of_every_rule_set_is_a_log_that_checks_at_each_of_its_plies() {
    for ruleset in two_seats() {
        let (mut session, mut random) = (session(ruleset), SplitMix64::new(7));
        for ply in 0..400 {
            if session.result().is_some() {
                break;
            }
            let played = random_move(&session, &mut random);
            assert_eq!(session.play(played.as_str()), Ok(played), "{ruleset}");
            if ply % 40 == 3 || session.result().is_some() {
                let text = session.record().expect("a game from its start").to_string();
                let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{ruleset}: {error}"));
                assert!(check(&record).is_ok(), "{ruleset}: {text}");
            }
        }
    }
}

#[test]
fn taking_back_restores_the_position_before_the_own_move() {
    for ruleset in two_seats() {
        let (mut session, mut random) = (session(ruleset), SplitMix64::new(3));
        for _ in 0..12 {
            let played = random_move(&session, &mut random);
            session.play(played.as_str()).expect("a legal move");
        }
        let side = session.to_move();
        let index = session.last_of(side).expect("its own move");
        let before = session.around(index).0.position().to_string();
        assert_eq!(session.take_back(side), Some(12 - index), "{ruleset}");
        let restored = session.game().position();
        assert_eq!((restored.to_string(), restored.to_move(), session.plies().len()), (before, side, index));
    }
}

#[test]
fn what_was_given_cannot_be_taken_back() {
    let mut session = session(Ruleset::Gothello);
    session.play("c3").expect("legal");
    session.play("b2").expect("legal");
    let mut session = session.with_plies_given();
    assert_eq!(session.take_back(Side::Black), None);
    session.play("d4").expect("legal");
    assert_eq!((session.take_back(Side::Black), session.plies().len()), (Some(1), 2));
    assert_eq!(session.record().map(|record| record.opening_plies), Some(2));
}

#[test]
fn a_refusal_names_the_rule_and_changes_nothing() {
    let mut session = session(Ruleset::Gothello);
    session.play("c3").expect("legal");
    for (typed, said) in [
        ("c3", "c3: the point is occupied"),
        ("x9", "x9: not a move in this game (for example, a1 is legal)"),
        ("\u{1b}[2J", "\\u{1b}[2J: not a move in this game (for example, a1 is legal)"),
    ] {
        let refused = session.play(typed).expect_err("illegal").to_string();
        assert_eq!((refused.as_str(), session.plies().len()), (said, 1));
    }
    assert!(session.play(&"a".repeat(100_000)).expect_err("illegal").to_string().len() < 100);
}

#[test]
fn a_resignation_is_the_result_and_can_be_taken_back() {
    let mut session = session(Ruleset::Gothello);
    session.play("c3").expect("legal");
    session.resign();
    assert_eq!(session.result(), Some(GameResult::resigned(Side::White)));
    assert!(check(&session.record().expect("a log")).is_ok());
    assert!(session.play("b2").is_err());
    assert_eq!((session.take_back(Side::White), session.result()), (Some(0), None));
}

#[test]
fn a_board_of_its_own_has_no_log() {
    let board: gothello::Board = ".bbw. .wwbb w.bww .bbbw bww..".parse().expect("a board");
    let start = BoardGame::Gothello(gothello::Game::from_board(board, Side::White));
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let mut session = Session::new(start, false, players);
    assert!(session.shown(Style::PLAIN).starts_with("start\n\n5 . b b w .\n"), "{}", session.shown(Style::PLAIN));
    session.play("pass").expect("legal");
    assert!(session.shown(Style::PLAIN).starts_with("ply 1: pass by b (white)\n"));
    assert_eq!(session.record(), None);
}

/// A game with five seconds for each side.
fn timed() -> Session {
    session(Ruleset::Gothello).with_clocks(TimeControl::both(SideControl::sudden_death(Duration::from_secs(5))))
}

#[test]
fn a_clock_counts_the_turns_of_its_side_and_a_move_that_is_taken_back_gives_its_time_back() {
    let mut session = timed();
    for (played, millis) in [("c3", 1500), ("b2", 20), ("d4", 500)] {
        session.play_after(played, Duration::from_millis(millis)).expect("legal");
    }
    let left = |session: &Session, side| session.clock(side).left().expect("a clock").as_millis();
    assert_eq!((left(&session, Side::Black), left(&session, Side::White)), (3000, 4980));
    session.take_back(Side::Black);
    assert_eq!(left(&session, Side::Black), 3500);
    assert!(check(&session.record().expect("a log")).is_ok());
    assert!(!session.tick(Duration::from_millis(3500)), "at zero, the flag has not fallen");
    assert!(session.play_after("d4", Duration::from_millis(3501)).is_err());
    let result = session.result().expect("a result");
    assert_eq!((result.winner(), result.termination()), (Some(Side::White), Termination::Time));
    assert_eq!(result.reason(), Some("used more than 5s"));
    assert!(check(&session.record().expect("a log")).is_ok());
    assert_eq!((session.take_back(Side::Black), session.end()), (Some(0), None));
}

#[test]
fn the_referee_s_record_replaces_the_game() {
    let mut session = session(Ruleset::Gothello);
    session.play("c3").expect("legal");
    session.play("b2").expect("legal");
    let mut record = session.record().expect("a log");
    record.plies.truncate(1);
    record.result = Ok(GameResult::forfeit(Side::White, Termination::Crash, "exited with status 1"));
    session.conclude(record.clone());
    assert_eq!((session.plies().len(), session.record()), (1, Some(record)));
    assert!(session.play("b2").is_err());
}
