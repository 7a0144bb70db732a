//! Tests of games with more than two seats: turns, drop-outs, endings, and how they are announced.

use std::time::Duration;

use proptest::prelude::*;

use super::random_groups::{RandomGame, line, move_line, recorded, seat};
use super::*;
use crate::base::random::SplitMix64;
use crate::game::IllegalMove;
use crate::referee::result::{Limit, Termination};
use crate::referee::wire::{Decision, Dialect};

const SECOND: Duration = Duration::from_secs(1);

fn terms(control: &str) -> Terms {
    let time_control = control.parse().expect("a time control");
    Terms { ruleset: "quantum-4p".parse().expect("a rule set"), time_control, ..Terms::default() }
}

fn at(seconds: u64) -> Arrival {
    Arrival { elapsed: SECOND * u32::try_from(seconds).expect("few"), ..Arrival::default() }
}

fn said(responses: &[Response]) -> Vec<String> {
    responses.iter().map(|response| response.to_string().lines().next().unwrap_or_default().to_owned()).collect()
}

/// The lines that the players receive, seat 1 first.
fn told(say: &Sayings) -> Vec<Vec<String>> {
    say.players.values().map(|responses| said(responses)).collect()
}

/// Plays the first legal move for the seat to move.
fn go_on(referee: &mut Referee, arrival: Arrival) -> Sayings {
    let (mover, played) = (referee.seat_to_move(), referee.position().legal_moves()[0]);
    let line = move_line(referee, played.as_str());
    referee.receive(mover, line, arrival)
}

fn outs(referee: &Referee) -> Vec<(u8, Termination)> {
    referee.outs().iter().map(|out| (out.seat.number(), out.termination)).collect()
}

#[test]
fn the_start_tells_each_player_its_seat_and_observers_the_board() {
    let say = Referee::new(terms("60")).start();
    for (seat, lines) in say.players.iter() {
        assert_eq!(
            said(lines),
            [
                format!("345 quantum-4p 4 {seat} is the game, seats, and your seat"),
                "347 60 is the time control".to_owned(),
                format!("354 {seat} You will play seat {seat}"),
            ]
        );
    }
    let rules = "345 quantum-4p 4 . is the game, seats, and your seat";
    let state = "381 1 60 60 60 60 1";
    assert_eq!(
        said(&say.observers),
        [rules, "347 60 is the time control", "353 You will observe", state, "383 21 lines follow"]
    );
}

#[test]
fn a_move_is_announced_to_all_with_dots_for_the_seats_before() {
    let mut referee = Referee::new(terms("60"));
    go_on(&mut referee, at(1));
    go_on(&mut referee, at(2));
    let played = referee.position().legal_moves()[0];
    let say = referee.receive(seat(3), line(format!("1 ... ... {played}")), at(2));
    let status = format!("332 1 ... ... {played} 58 (secs) is seat 3 move, game continues");
    let answer = format!("207 58 secs remaining after move {played} accepted, continue playing");
    assert_eq!(
        told(&say),
        [vec![status.clone()], vec![status.clone()], vec![answer, status.clone()], vec![status.clone()]]
    );
    assert_eq!(said(&say.observers), [status.as_str(), "381 1 59 58 58 60 4", "383 21 lines follow"]);
    go_on(&mut referee, at(0));
    assert_eq!((referee.number(), referee.seat_to_move()), (2, seat(1)));
}

#[test]
fn the_number_of_dots_depends_on_the_seat() {
    let mut referee = Referee::new(terms("-"));
    go_on(&mut referee, at(0));
    for (wrong, why) in [
        ("1 pass", "the moves of seat 2 must be preceded by 1 `...`, not by 0"),
        ("1 ... ... pass", "the moves of seat 2 must be preceded by 1 `...`, not by 2"),
        ("2 ... pass", "wrong move number (got 2, expected 1)"),
    ] {
        let say = referee.receive(seat(2), line(wrong), at(0));
        assert_eq!(told(&say), [vec![], vec![format!("299 Not understood: {why}")], vec![], vec![]], "{wrong}");
    }
}

/// Every way a seat can fail in its own turn, with the lines that its player receives before it is out, and the
/// termination.
#[test]
fn a_seat_that_fails_in_its_turn_is_out_and_the_next_one_is_to_move() {
    type Failure = fn(&mut Referee) -> Sayings;
    let failures: [(Failure, &[&str], Termination); 8] = [
        (|r| r.receive(seat(2), line("resign"), at(3)), &["204 Resignation accepted"], Termination::Resignation),
        (|r| r.receive(seat(2), line("1 ... resign"), at(3)), &["204 Resignation accepted"], Termination::Resignation),
        (|r| r.time_is_up(SECOND * 61), &["202 You lose"], Termination::Time),
        (|r| r.receive(seat(2), line("1 ... pass"), at(61)), &["202 You lose"], Termination::Time),
        (|r| r.departed(seat(2), Departure::Disconnect, SECOND * 3), &[], Termination::Disconnect),
        (|r| r.departed(seat(2), Departure::Crash("status 1".into()), SECOND * 3), &[], Termination::Crash),
        (
            |r| r.departed(seat(2), Departure::Limit(Limit::Memory, "1 GB".into()), SECOND * 3),
            &["202 You lose"],
            Termination::Limit(Limit::Memory),
        ),
        (
            |r| r.forfeits(seat(2), Termination::Protocol, "mumbled".into(), SECOND * 3),
            &["202 You lose"],
            Termination::Protocol,
        ),
    ];
    for (fail, hears, why) in failures {
        let mut referee = Referee::new(terms("60"));
        go_on(&mut referee, at(1));
        assert_eq!(referee.turns_ended(), 1);
        let say = fail(&mut referee);
        let status = format!("335 2 is out, {why}");
        let own = hears.iter().map(|line| (*line).to_owned()).chain([status.clone()]).collect();
        assert_eq!(told(&say), [vec![status.clone()], own, vec![status.clone()], vec![status.clone()]], "{why}");
        let left = if why == Termination::Time { 0 } else { 57 };
        assert_eq!(said(&say.observers)[..2], [status, format!("381 1 59 {left} 60 60 3")], "{why}");
        assert_eq!((referee.seat_to_move(), referee.turns_ended(), referee.is_over()), (seat(3), 2, false));
        assert!(!referee.is_in(seat(2)) && referee.receive(seat(2), line("pass"), at(0)).is_empty());
        assert_eq!(referee.allowance(), Some(SECOND * 60));
        go_on(&mut referee, at(1));
        go_on(&mut referee, at(1));
        let say = go_on(&mut referee, at(1));
        assert!(said(&say.observers)[0].starts_with("332 2 "), "{why}: {:?}", said(&say.observers));
        assert!(told(&say)[1].is_empty(), "{why}: no line for a seat that is out");
        assert_eq!((referee.seat_to_move(), outs(&referee)), (seat(3), vec![(2, why)]));
        let finished = referee.finish();
        let [turn] = finished.unfinished.as_slice() else { panic!("{why}: {:?}", finished.unfinished) };
        assert_eq!((turn.seat, finished.outs[0].after_plies), (seat(2), 1));
    }
}

#[test]
fn a_seat_that_fails_while_another_thinks_does_not_end_that_turn() {
    let mut referee = Referee::new(terms("60"));
    go_on(&mut referee, at(1));
    referee.receive(seat(2), line("huh"), at(2));
    referee.departed(seat(1), Departure::Disconnect, SECOND * 5);
    assert_eq!((referee.seat_to_move(), referee.turns_ended()), (seat(2), 1));
    go_on(&mut referee, at(7));
    let ply = &referee.plies()[1];
    assert_eq!((ply.elapsed, ply.left, ply.tries.shown.len()), (Some(SECOND * 7), Some(SECOND * 53), 1));
    assert!(referee.departed(seat(1), Departure::Crash("status 1".into()), SECOND).is_empty(), "it is out already");
}

#[test]
fn lines_that_came_early_are_judged_when_the_seat_before_drops_out() {
    let mut referee = Referee::new(terms("60"));
    go_on(&mut referee, at(1));
    referee.receive(seat(3), line("1 ... ... resign"), at(0));
    let say = referee.time_is_up(SECOND * 61);
    assert_eq!(outs(&referee), [(2, Termination::Time), (3, Termination::Resignation)]);
    assert_eq!(told(&say)[3], ["335 2 is out, time", "335 3 is out, resignation"]);
    assert_eq!(referee.seat_to_move(), seat(4));
}

#[test]
fn when_one_seat_is_left_the_game_is_over() {
    let mut referee = Referee::new(terms("60"));
    go_on(&mut referee, at(1));
    referee.departed(seat(4), Departure::Disconnect, SECOND);
    referee.departed(seat(1), Departure::Disconnect, SECOND);
    let say = referee.departed(seat(3), Departure::Crash("status 1".into()), SECOND * 2);
    assert!(referee.is_over());
    let last = ["335 3 is out, crash", "336 3 1 2 4 is the placing, game over"];
    assert_eq!(told(&say), [vec![], last.to_vec(), vec!["335 3 is out, crash"], vec![]]);
    assert_eq!(
        said(&say.observers),
        [last[0], "381 1 59 58 60 60 .", "383 21 lines follow", last[1], "381 1 59 58 60 60 .", "383 21 lines follow"]
    );
    let finished = referee.finish();
    assert_eq!(
        finished.unfinished.iter().map(|turn| (turn.seat, turn.elapsed)).collect::<Vec<_>>(),
        [(seat(2), Some(SECOND * 2))]
    );
    assert!(matches!(finished.result, Ok(GameEnd::Group(standing)) if standing.winner() == Some(seat(2))));
}

#[test]
fn missing_players_drop_out_before_the_start() {
    let mut referee = Referee::new(terms("60"));
    assert!(referee.did_not_come(seat(1), Termination::NoShow, "late".into()).is_empty());
    assert!(referee.did_not_come(seat(3), Termination::NotStarted, "no such file".into()).is_empty());
    let say = referee.start();
    assert!(say.players[seat(1)].is_empty() && say.players[seat(3)].is_empty());
    let out = ["335 1 is out, no show", "335 3 is out, not started"];
    assert_eq!(told(&say)[1][2..], ["354 2 You will play seat 2", out[0], out[1]]);
    assert_eq!((referee.seat_to_move(), referee.number()), (seat(2), 1));
    let say = referee.did_not_come(seat(2), Termination::NoShow, "late".into());
    assert_eq!(told(&say)[3], [out[0], out[1], "335 2 is out, no show", "336 4 2 3 1 is the placing, game over"]);
    assert!(referee.is_over());
    referee.did_not_come(seat(4), Termination::NoShow, "late".into());
    assert_eq!(outs(&referee).len(), 4, "nobody came");
}

#[test]
fn void_stays_void() {
    let mut referee = Referee::new(terms("60"));
    go_on(&mut referee, at(1));
    referee.departed(seat(4), Departure::Disconnect, SECOND);
    let say = referee.departed(seat(3), Departure::Void("no memory".into()), SECOND * 2);
    assert_eq!(told(&say)[2], ["399 Problem: the game is void: no memory"]);
    assert!(told(&say)[3].is_empty());
    let finished = referee.finish();
    assert_eq!((finished.outs.len(), finished.unfinished.len()), (1, 1));
    assert_eq!(finished.result, Err(Void { reason: "no memory".to_owned() }));
}

#[test]
fn without_clocks_the_slowest_drops_out_and_the_others_have_the_rest_of_the_limit() {
    let mut referee = Referee::new(Terms { game_limit: Some(SECOND * 10), ..terms("-") });
    go_on(&mut referee, at(2));
    go_on(&mut referee, at(5));
    assert_eq!(referee.allowance(), Some(SECOND * 3));
    let say = referee.time_is_up(SECOND * 4);
    assert_eq!(told(&say)[0], ["335 2 is out, time"]);
    assert_eq!((referee.seat_to_move(), referee.allowance()), (seat(3), Some(SECOND * 8)));
    let reason = referee.outs()[0].reason.as_deref();
    assert_eq!(
        reason,
        Some("the players' total thinking time exceeded 10s (key `game_limit`), and seat 2 used the most")
    );
    referee.time_is_up(SECOND * 9);
    assert_eq!((outs(&referee)[1], referee.seat_to_move()), ((3, Termination::Time), seat(4)));
}

/// One or two seats that end the mode by dropping out while the seat to move has to pass, which makes this pass
/// illegal, and a move that is illegal before they drop out and legal afterwards.
fn outdating(referee: &Referee) -> Option<(Vec<Seat>, Move)> {
    let (legal, mover) = (referee.position().legal_moves(), referee.seat_to_move());
    if legal != [Move::PASS] {
        return None;
    }
    let others: Vec<Seat> = Seat::all(4).filter(|&seat| seat != mover).collect();
    let pairs = (0..3).flat_map(|one| (one..3).map(move |other| [one, other]));
    let sets = pairs.map(|pair| pair.map(|index| others[index]).to_vec());
    sets.into_iter().find_map(|leaving| {
        let [mut before, mut after] = [(); 2].map(|()| referee.terms.ruleset.start());
        for position in [&mut before, &mut after] {
            assert!(referee.plies().iter().all(|ply| position.play(ply.played.as_str()).is_ok()));
        }
        for &seat in &leaving {
            after.drop_out(seat);
        }
        let legal = after.legal_moves();
        let is_outdated = after.seat_to_move() == mover && !after.is_over() && !legal.contains(&Move::PASS);
        let mut was_illegal = |later: &Move| matches!(before.play(later.as_str()), Err(IllegalMove::Refused(_)));
        let later = legal.into_iter().find(|later| is_outdated && was_illegal(later))?;
        Some((leaving, later))
    })
}

#[test]
fn a_line_that_a_drop_out_has_outdated_is_refused_for_free() {
    let terms = Terms { illegal_tries: Some(1), garbled_tries: Some(0), ..terms("60") };
    let mut random = SplitMix64::new(1);
    for _ in 0..1_000 {
        let mut referee = Referee::new(terms);
        while !referee.is_over() && referee.plies().len() < 70 {
            if let Some((leaving, later)) = outdating(&referee) {
                let mover = referee.seat_to_move();
                let [pass, later] = ["pass", later.as_str()].map(|played| move_line(&referee, played));
                let is_refused = |say: &Sayings| told(say)[mover.index()][0].starts_with("291 ");
                assert!(is_refused(&referee.receive(mover, later, at(1))), "it is legal only later");
                for other in leaving {
                    referee.departed(other, Departure::Disconnect, SECOND);
                }
                assert!(is_refused(&referee.receive(mover, pass.clone(), at(2))));
                assert!(referee.is_in(mover), "this refusal is free");
                referee.receive(mover, pass, at(3));
                assert!(!referee.is_in(mover), "and the next one is not");
                let record = recorded(referee);
                assert_eq!(record.check().map(|_| ()), Ok(()), "{record}");
                return;
            }
            let legal = referee.position().legal_moves();
            let index = usize::try_from(random.below(legal.len() as u64)).expect("an index");
            let (mover, sent) = (referee.seat_to_move(), move_line(&referee, legal[index].as_str()));
            referee.receive(mover, sent, at(0));
        }
    }
    panic!("no such position was found");
}

#[test]
fn the_mover_of_the_last_turn_receives_the_meaning_of_its_place() {
    let mut last = Sayings::nothing(4);
    let game = RandomGame {
        ruleset: "quantum-8-4p".parse().expect("a rule set"),
        time_control: TimeControl::Unlimited,
        seed: 4,
        failures: 0,
    };
    let referee = game.play(|_, say| last = say.clone());
    let Some(Ok(GameEnd::Group(standing))) = referee.end() else { panic!("it is over") };
    let mover = referee.plies().last().expect("a ply").seat;
    let code = if standing.placing[mover] == 1 { "201 Move " } else { "202 Move " };
    for (seat, lines) in last.players.iter() {
        let lines = said(lines);
        let (own, shared) = lines.split_at(lines.len() - 2);
        assert!(shared[0].starts_with("331 ") && shared[1].starts_with("336 "), "{lines:?}");
        assert_eq!(own.len(), usize::from(seat == mover));
        assert!(own.iter().all(|line| line.starts_with(code)), "{lines:?}");
    }
    let placing = BySeat::new(vec![1, 1, 3, 4]).expect("seats");
    assert_eq!(
        Seat::all(4).map(|seat| Decision::by_placing(&placing, seat)).collect::<Vec<_>>(),
        [Decision::Draw, Decision::Draw, Decision::Loss, Decision::Loss]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever happens, every response can be parsed back from its line, players that are out receive nothing, and the
    /// placing reflects the order in which seats drop out.
    #[test]
    fn players_receive_the_same_lines_until_they_are_out(seed: u64, failures in prop_oneof![Just(0_u64), 1..60_u64], six: bool) {
        let ruleset: Ruleset = if six { "quantum-6p" } else { "quantum-8-4p" }.parse().expect("a rule set");
        let time_control = "9+1".parse().expect("a time control");
        let mut gone: Vec<Seat> = Vec::new();
        let mut places = None;
        let referee = RandomGame { ruleset, time_control, seed, failures }.play(|referee, say| {
            for (seat, lines) in say.players.iter() {
                assert!(!gone.contains(&seat) || lines.is_empty(), "{seat}: {lines:?}");
                for response in lines {
                    let line = Dialect::NamesRules.say(response).expect("a line").to_string();
                    assert_eq!(line.parse().as_ref(), Ok(response));
                    if let Response::Placed(placing) = response {
                        places = Some(placing.clone());
                    }
                }
            }
            gone = referee.outs().iter().map(|out| out.seat).collect();
            assert!(gone.iter().all(|&seat| !referee.is_in(seat)));
            assert!(referee.is_over() || referee.is_in(referee.seat_to_move()));
        });
        let Some(Ok(GameEnd::Group(standing))) = referee.end() else { panic!("it is over") };
        if let Some(places) = places {
            prop_assert_eq!(&places, &standing.placing);
        }
        let seats = referee.seats();
        for (place, out) in (1..=seats).rev().zip(referee.outs()).take(usize::from(seats) - 1) {
            prop_assert_eq!(standing.placing[out.seat], place);
        }
    }
}
