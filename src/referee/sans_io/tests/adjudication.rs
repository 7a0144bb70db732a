//! Tests of games that end by a proof.

use super::*;

/// The terms of a game in which the referee asks for a proof of the outcome after each move, from this ply on.
fn adjudicated(after_ply: u32) -> Terms {
    Terms { adjudicate: Adjudication::new(1_000, after_ply), ..timed(60, 60) }
}

const BLACK_BY_THREE: Option<Outcome> = Some(Outcome { winner: Some(Black), margin: Some(3) });

#[test]
fn a_move_that_is_proven_to_decide_the_game_ends_it_like_a_last_pass() {
    for (moves, found, expected) in [
        (&["1 c3"][..], BLACK_BY_THREE, ["201 Move c3 accepted, You win", "321 1 c3 and black wins"]),
        (&["1 c3", "1 ... d4"], BLACK_BY_THREE, ["202 Move d4 accepted, You lose", "324 1 ... d4 and white loses"]),
        (
            &["1 pass"],
            Some(Outcome { winner: None, margin: Some(0) }),
            ["203 Move pass accepted, You draw", "325 1 pass and black draws"],
        ),
        (
            &["1 c3", "1 ... pass"],
            Some(Outcome { winner: Some(White), margin: None }),
            ["201 Move pass accepted, You win", "323 1 ... pass and white wins"],
        ),
    ] {
        let (last, before) = moves.split_last().expect("a move");
        let mut referee = Referee::new(adjudicated(0));
        for text in before {
            referee.receive(referee.to_move(), line(text), at(1_000));
            referee.proven(None);
        }
        let mover = referee.to_move();
        assert!(
            referee.receive(mover, line(last), at(1_000)).is_empty(),
            "nobody receives a line before the proof has been tried"
        );
        let say = said(&referee.proven(found));
        let other = usize::from(mover == Black);
        assert_eq!(say[1 - other], expected);
        assert_eq!(say[other], [expected[1]]);
        assert!(say[2][0] == expected[1] && say[2][1].ends_with(" ."), "{say:?}");
        let Finished { plies, unfinished, result, .. } = referee.finish();
        assert_eq!(result, Ok(GameEnd::Two(GameResult::adjudicated(found.expect("something")))));
        assert_eq!((plies.len(), unfinished), (moves.len(), Vec::new()));
    }
}

#[test]
fn an_attempt_that_fails_changes_nothing() {
    let mut plain = Referee::new(timed(60, 60));
    let mut tried = Referee::new(adjudicated(3));
    let lines = ["1 c3", "1 ... d4", "2 c2", "2 ... z9", "2 ... d3", "3 pass", "3 ... pass"];
    for (index, text) in lines.into_iter().enumerate() {
        let side = plain.to_move();
        let expected = plain.receive(side, line(text), at(1_000));
        let mut heard = tried.receive(side, line(text), at(1_000));
        // A proof is due after the third ply, and after each later ply that did not end the game by the rules.
        assert_eq!(tried.to_prove().is_some(), [2, 4, 5].contains(&index), "{text}");
        heard.append_all(tried.proven(None));
        assert_eq!(heard, expected);
    }
    let tried = Finished { terms: timed(60, 60), ..tried.finish() };
    assert_eq!(plain.finish(), tried);
}

#[test]
fn lines_that_arrive_during_an_attempt_are_judged_after_it_and_cost_no_time() {
    let mut referee = Referee::new(adjudicated(0));
    assert!(referee.receive(Black, line("1 c3"), at(1_000)).is_empty());
    assert!(referee.receive(White, line("1 ... z9"), at(70_000)).is_empty());
    assert!(referee.receive(White, line("1 ... d4"), at(70_000)).is_empty());
    assert!(referee.receive(Black, line("2 c2"), at(70_000)).is_empty());
    let position = |referee: &Referee| referee.to_prove().map(|case| case.position().to_string().replace('\n', "/"));
    assert_eq!(position(&referee).as_deref(), Some("...../...../..b../...../....."));
    assert_eq!(codes(&referee.proven(None))[..2], [vec![207, 313], vec![313, 299]]);
    assert_eq!(position(&referee).as_deref(), Some("...../...w./..b../...../....."));
    assert_eq!(codes(&referee.proven(None))[..2], [vec![314], vec![207, 314]]);
    assert_eq!(codes(&referee.proven(BLACK_BY_THREE))[..2], [vec![201, 321], vec![321]]);
    let elapsed: Vec<_> = referee.plies().iter().map(|ply| ply.elapsed.expect("timed").as_millis()).collect();
    assert_eq!(elapsed, [1_000, 0, 0]);
    assert!(referee.proven(BLACK_BY_THREE).is_empty() && referee.to_prove().is_none());
}

#[test]
fn a_game_that_ends_during_an_attempt_ends_on_the_same_move() {
    let start = || {
        let mut referee = Referee::new(adjudicated(0));
        referee.receive(Black, line("1 pass"), at(1_000));
        referee
    };
    let mut gone = start();
    assert_eq!(
        codes(&gone.departed(Black, Departure::Disconnect, Duration::ZERO))[..2],
        [vec![207, 317, 391], vec![317, 391]]
    );
    assert_eq!((ending(&gone), gone.plies().len()), (Some((Termination::Disconnect, Some(White))), 1));
    assert_eq!(gone.finish().unfinished, []);

    // The lines that the player sent before it left are judged first.
    let mut passed = start();
    passed.receive(White, line("1 ... pass"), at(1_000));
    assert_eq!(
        codes(&passed.departed(White, Departure::Disconnect, Duration::ZERO))[..2],
        [vec![207, 317, 326], vec![317, 203, 326]]
    );
    assert_eq!(ending(&passed), Some((Termination::Normal, None)));

    let mut void = start();
    assert_eq!(codes(&void.void("no power".to_owned(), Duration::ZERO))[..2], [vec![207, 317, 399], vec![317, 399]]);

    let mut flooded = start();
    for _ in 0..=MAX_KEPT_LINES {
        flooded.receive(White, line("hurry"), Arrival::default());
    }
    assert_eq!(ending(&flooded), Some((Termination::Protocol, Some(Black))));
}

#[test]
fn the_plies_of_an_opening_count_but_are_not_tried() {
    let mut referee = opened(adjudicated(2), &["c3", "d4"]);
    assert!(referee.to_prove().is_none());
    referee.receive(Black, line("2 c2"), at(1));
    assert!(referee.to_prove().is_some());
}
