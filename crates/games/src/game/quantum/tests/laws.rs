//! Properties of turns, refusals and resignations.

use crate::game::quantum::{Game, LegalTurn, Mode, Seat, refusal};
use crate::game::{IllegalMove, Move, Position as _, Ruleset, Side};

fn game(ruleset: &str) -> Game {
    let Ok(Ruleset::Quantum(rules)) = ruleset.parse() else { panic!("{ruleset} is a line-up") };
    Game::new(rules)
}

fn after(ruleset: &str, moves: &str) -> Game {
    let mut game = game(ruleset);
    for text in moves.split_whitespace() {
        game.play(text).unwrap_or_else(|why| panic!("{text}: {why}\n{game}"));
    }
    game
}

fn refused(mut game: Game, text: &str) -> IllegalMove {
    let before = game.to_string();
    let why = game.play(text).expect_err(text);
    assert_eq!(game.to_string(), before, "a refused move changes nothing");
    why
}

#[test]
fn each_refusal_on_squares_has_its_own_reason() {
    let unknown = IllegalMove::NotUnderstood;
    for (ruleset, moves, text, why) in [
        ("othello", "", "d4", refusal::OCCUPIED),
        ("othello", "", "a1", refusal::TURNS_NOTHING),
        ("othello", "", "pass", refusal::MUST_PLACE),
        ("othello", "", "i1", unknown),
        ("othello", "", "d3-d5", unknown),
        ("othello", "", "D3", unknown),
        ("quantum", "", "a1", unknown),
        ("quantum", "", "k1", unknown),
        ("reverse rows=one", "", "d3-d6", refusal::TURNS_NOTHING),
        ("reverse rows=one", "", "d3-k5", unknown),
        ("reverse rows=one", "d3", "f5-", unknown),
        ("quantum start=open", "", "pass", refusal::MUST_PLACE),
        ("quantum start=open", "", "d4", refusal::NOT_MIDDLE),
        ("quantum-6p", "c4", "g7", refusal::NOT_BESIDE),
        ("quantum-6p", "c4", "c4", refusal::OCCUPIED),
        ("quantum-4p", "", "e4", refusal::TURNS_NOTHING),
    ] {
        assert_eq!(refused(after(ruleset, moves), text), why, "{ruleset}: {text}");
    }
}

#[test]
fn each_refusal_on_points_has_its_own_reason() {
    for (moves, text, why) in [
        ("", "i5", IllegalMove::NotUnderstood),
        ("", "k5", IllegalMove::NotUnderstood),
        ("", "a01", IllegalMove::NotUnderstood),
        ("", "a1-a3", IllegalMove::NotUnderstood),
        ("c3", "c3", refusal::OCCUPIED),
        ("a2 pass b1", "a1", refusal::NO_LIBERTY),
        ("c4 d4 b3 e3 c2 d2 d3 c3", "d3", refusal::REPETITION),
    ] {
        assert_eq!(refused(after("go-9", moves), text), why, "{text}");
    }
    assert_eq!(refused(after("go-9", "pass pass"), "c3"), IllegalMove::GameOver);
    assert_eq!(refused(after("go-9", "pass pass"), "c33"), IllegalMove::NotUnderstood);
}

#[test]
fn several_rows_must_be_told_apart_and_a_single_one_need_not() {
    let mut game = after("reverse rows=one", "d3");
    assert_eq!(game.to_string().lines().nth(3), Some("...bb..."), "the only row was turned over");
    let several = loop {
        let legal = game.legal_moves();
        let square = |text: &str| text.split('-').next().unwrap_or_default().to_owned();
        let twice = legal.windows(2).find(|two| square(two[0].as_str()) == square(two[1].as_str()));
        if let Some(two) = twice {
            break (square(two[0].as_str()), two[1]);
        }
        game.play(legal[0].as_str()).expect("a legal move");
    };
    assert_eq!(refused(game.clone(), &several.0), refusal::WHICH_ROW);
    assert_eq!(game.play(several.1.as_str()), Ok(several.1));
}

#[test]
fn a_resignation_among_four_leaves_the_turns_of_that_seat_out() {
    let seat = |number| Seat::new(number).expect("a seat");
    let mut game = after("quantum-4p", "g5");
    assert_eq!(game.seat_to_move(), seat(2));
    game.resign(game.seat_to_move());
    assert_eq!((game.seat_to_move(), game.is_over()), (seat(3), false));
    let first = game.legal_moves()[0];
    game.play(first.as_str()).expect("a legal move");
    game.resign(game.seat_to_move());
    assert_eq!((game.seat_to_move(), game.is_over()), (seat(1), false));
    game.resign(game.seat_to_move());
    assert!(game.is_over() && game.legal_moves().is_empty());
    let placing: Vec<u8> = game.standing().placing.of(4).map(|(_, place)| *place).collect();
    assert_eq!((placing, game.standing().winner()), (vec![2, 4, 1, 3], Some(seat(3))));
}

#[test]
fn a_resignation_can_complete_the_passes_that_stop_go() {
    let mut game = game("quantum-4p");
    while game.mode() != Some(Mode::Go) {
        let first = game.legal_moves()[0];
        game.play(first.as_str()).expect("a legal move");
    }
    for _ in 0..3 {
        game.play("pass").expect("a legal move");
    }
    assert!(!game.is_proof());
    let last = game.seat_to_move();
    game.resign(game.seat_to_move());
    assert!(game.is_proof() && game.seat_to_move() == last.next(4));
    assert_eq!(game.stones_left(game.seat_to_move()), Some(31), "the seat to move is dealt the first of 121 stones");
    for _ in 0..3 {
        game.play("pass").expect("a legal move");
    }
    assert!(game.is_over());
    assert_eq!(game.standing().placing[last], 4);
}

#[test]
fn of_two_seats_the_one_that_has_not_resigned_wins_without_a_count() {
    let mut game = game("quantum");
    game.resign(game.seat_to_move());
    let outcome = game.outcome().expect("an end");
    assert_eq!((outcome.winner, outcome.margin), (Some(Side::White), None));
}

#[test]
fn white_wins_with_no_margin_by_its_compensation() {
    let mut game = game("go-9");
    game.play("pass").and_then(|_| game.play("pass")).expect("passes");
    let outcome = game.outcome().expect("an end");
    assert_eq!((outcome.winner, outcome.margin), (Some(Side::White), Some(0)));
}

#[test]
fn a_side_without_stones_may_only_pass_on_points() {
    let mut game = game("quantum-8");
    while game.mode() != Some(Mode::Go) {
        let first = game.placements().first().copied();
        game.advance(first.unwrap_or(LegalTurn::Pass));
    }
    // The side to move places all of its stones, rank by rank, while the other side passes.
    let mut points = (1..=9).flat_map(|rank| "abcdefghj".chars().map(move |file| format!("{file}{rank}")));
    loop {
        let point = points.next().expect("more points than a side has stones");
        if game.placements().is_empty() {
            assert_eq!(refused(game.clone(), &point), refusal::NO_STONES);
            assert_eq!(game.legal_moves(), [Move::PASS]);
            return;
        }
        game.play(&point).expect("an empty point next to empty points");
        game.play("pass").expect("always legal on points");
    }
}
