//! Tests of the lines that players and observers receive.

use super::*;

#[test]
fn the_start_tells_each_player_its_side_and_observers_the_board() {
    assert_eq!(
        said(&Referee::new(timed(60, 30)).start()),
        [
            vec!["352 You will play black"],
            vec!["351 You will play white"],
            vec!["353 You will observe", "381 1 60 30 b", "382/...../...../...../...../....."],
        ]
    );
}

#[test]
fn clients_that_know_of_rules_receive_them_before_the_start() {
    let ruleset: Ruleset = "quantum start=open ko=simple compensation=0,3/2".parse().expect("a rule set");
    let mut referee = Referee::new(Terms { ruleset, ..Terms::default() });
    let options = [
        "346 start open is a rule of this game",
        "346 ko simple is a rule of this game",
        "346 compensation 0,3/2 is a rule of this game",
    ];
    let rules = |seat: &str| {
        let mut lines = vec![format!("345 quantum 2 {seat} is the game, seats, and your seat")];
        lines.extend(options.map(str::to_owned));
        lines
    };
    let [black, white, observers] = heard(&referee.start(), Dialect::NamesRules, in_one_line);
    assert_eq!(black, [rules("1"), vec!["352 You will play black".to_owned()]].concat());
    assert_eq!(white, [rules("2"), vec!["351 You will play white".to_owned()]].concat());
    assert_eq!(observers[..4], rules("."));
    assert_eq!(observers[4..6], ["353 You will observe", "380 1 b"]);
    assert!(observers[6].starts_with("383 ") && observers[6].contains(" lines follow/........../"), "{observers:?}");
    assert_eq!(said(&referee.start())[..2], [["352 You will play black"], ["351 You will play white"]]);
    let say = referee.receive(Black, line("1 e5"), at(5));
    assert_eq!(said(&say)[..2], heard(&say, Dialect::NamesRules, in_one_line)[..2]);
    let late = referee.welcome_observer();
    assert_eq!(late.iter().map(Response::code).collect::<Vec<_>>(), [345, 346, 346, 346, 353, 380, 383]);
}

#[test]
fn an_opening_is_announced_with_the_start_as_if_it_had_been_played() {
    let both =
        ["313 1 c3 60 (secs) is black move, game continues", "314 1 ... d4 30 (secs) is white move, game continues"];
    let [black, white, observers] = said(&opened(timed(60, 30), &["c3", "d4"]).start());
    assert_eq!(black, [&["352 You will play black"], &both[..]].concat());
    assert_eq!(white, [&["351 You will play white"], &both[..]].concat());
    assert_eq!(
        observers,
        [
            "353 You will observe",
            "381 1 60 30 b",
            "382/...../...../...../...../.....",
            both[0],
            "381 1 60 30 w",
            "382/...../...../..b../...../.....",
            both[1],
            "381 2 60 30 b",
            "382/...../...w./..b../...../.....",
        ]
    );
    let say = opened(Terms::default(), &["c3", "d4", "pass"]).start();
    assert_eq!(codes(&say)[..2], [[352, 311, 312, 315], [351, 311, 312, 315]]);
}

/// Otherwise, a client could not know whether the first move of its side has been made.
#[test]
fn clients_that_know_of_rules_receive_the_number_of_moves_in_an_opening_before_the_start() {
    let told = |opening: &[&str]| {
        let [black, white, observers] =
            heard(&opened(timed(60, 30), opening).start(), Dialect::NamesRules, in_one_line);
        assert!(observers.iter().all(|line| !line.starts_with("349")), "{observers:?}");
        [black, white].map(|lines| lines.into_iter().skip(2).take(3).collect::<Vec<_>>())
    };
    let count = "349 1 moves follow, which have been made";
    let only = "313 1 c3 60 (secs) is black move, game continues";
    assert_eq!(told(&["c3"]), [[count, "352 You will play black", only], [count, "351 You will play white", only]]);
    assert_eq!(told(&[]), [["352 You will play black"], ["351 You will play white"]]);
}

#[test]
fn after_an_opening_numbers_continue_and_clocks_are_full() {
    let mut referee = opened(timed(60, 60), &["c3", "d4", "c2"]);
    assert_eq!((referee.to_move(), referee.number()), (White, 2));
    assert_eq!(referee.allowance(), Some(Duration::from_mins(1)));
    let say = referee.receive(White, line("2 ... d3"), at(1_000));
    assert_eq!(said(&say)[0], ["314 2 ... d3 59 (secs) is white move, game continues"]);
    referee.receive(Black, line("3 pass"), at(1_000));
    referee.receive(White, line("3 ... pass"), at(1_000));
    let finished = referee.finish();
    let elapsed: Vec<_> = finished.plies.iter().map(|ply| ply.elapsed.is_some()).collect();
    assert_eq!(elapsed, [false, false, false, true, true, true]);
    assert!(finished.plies[..3].iter().all(|ply| ply.left.is_none()));
}

#[test]
fn a_move_is_answered_and_announced_in_the_words_that_clients_know() {
    let mut referee = Referee::new(Terms::default());
    let say = referee.receive(Black, line("1 c3"), at(5));
    let status = "311 1 c3 is black move, game continues";
    assert_eq!(
        said(&say),
        [
            vec!["200 Move c3 accepted, continue playing", status],
            vec![status],
            vec![status, "380 1 w", "382/...../...../..b../...../....."],
        ]
    );
    let say = referee.receive(White, line("1 ... d4"), at(5));
    assert_eq!(said(&say)[0], ["312 1 ... d4 is white move, game continues"]);
    assert_eq!(said(&say)[2][1], "380 2 b");
}

#[test]
fn with_clocks_times_are_announced_in_whole_seconds_rounded_down() {
    let mut referee = Referee::new(timed(60, 60));
    let say = referee.receive(Black, line("1 pass"), at(1));
    assert_eq!(said(&say)[0][0], "207 59 secs remaining after move pass accepted, continue playing");
    assert_eq!(said(&say)[1], ["317 1 pass 59 (secs) is black move, game continues"]);
    assert_eq!(said(&say)[2][1], "381 1 59 60 w");
    let say = referee.receive(White, line("1 ... c3"), at(1_500));
    assert_eq!(said(&say)[1][0], "207 58 secs remaining after move c3 accepted, continue playing");
    assert_eq!(said(&say)[0], ["314 1 ... c3 58 (secs) is white move, game continues"]);
}

#[test]
fn two_passes_end_the_game_with_the_numbers_of_the_last_move() {
    let lines = [(Black, "1 c3"), (White, "1 ... pass")];
    let say = after(Terms::default(), &lines).receive(Black, line("2 pass"), at(0));
    assert_eq!(codes(&say), [vec![201, 321], vec![321], vec![321, 380, 382]]);
    assert_eq!(said(&say)[2][..2], ["321 2 pass and black wins", "380 2 ."]);

    let lines = [(Black, "1 c3"), (White, "1 ... d4"), (Black, "2 c2"), (White, "2 ... pass"), (Black, "3 pass")];
    let referee = after(Terms::default(), &lines);
    assert_eq!(ending(&referee), Some((Termination::Normal, Some(Black))));

    let say = after(Terms::default(), &[(Black, "1 c3"), (White, "1 ... d4"), (Black, "2 pass")]);
    let mut referee = say;
    let say = referee.receive(White, line("2 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![326], vec![203, 326], vec![326, 380, 382]]);
    assert_eq!(referee.result().map(|result| result.map(GameResult::margin)), Some(Ok(Some(0))));
}

#[test]
fn white_winning_or_losing_by_the_last_pass_has_its_own_codes() {
    let lines = [(Black, "1 pass"), (White, "1 ... c3"), (Black, "2 pass")];
    let say = after(Terms::default(), &lines).receive(White, line("2 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![323], vec![201, 323], vec![323, 380, 382]]);
    let lines = [(Black, "1 c3"), (White, "1 ... pass")];
    let mut referee = after(Terms::default(), &lines);
    referee.receive(Black, line("2 d3"), at(0));
    referee.receive(White, line("2 ... e5"), at(0));
    referee.receive(Black, line("3 pass"), at(0));
    let say = referee.receive(White, line("3 ... pass"), at(0));
    assert_eq!(codes(&say), [vec![324], vec![202, 324], vec![324, 380, 382]]);
    let lines = [(Black, "1 pass"), (White, "1 ... c3"), (Black, "2 pass")];
    assert!(ending(&after(Terms::default(), &lines)).is_none());
    // Black's own last pass can end the game with a loss or a draw for black.
    let lines = [
        (Black, "1 pass"),
        (White, "1 ... c3"),
        (Black, "2 a1"),
        (White, "2 ... c4"),
        (Black, "3 a5"),
        (White, "3 ... c5"),
    ];
    let mut referee = after(Terms::default(), &lines);
    referee.receive(Black, line("4 e1"), at(0));
    referee.receive(White, line("4 ... c2"), at(0));
    referee.receive(Black, line("5 e5"), at(0));
    referee.receive(White, line("5 ... pass"), at(0));
    let say = referee.receive(Black, line("6 pass"), at(0));
    assert_eq!(codes(&say), [vec![203, 325], vec![325], vec![325, 380, 382]]);
}

#[test]
fn every_loss_outside_the_rules_is_announced_as_documented_or_as_old_clients_understand_it() {
    let second = Duration::from_secs(1);
    let losses = [
        Loss {
            end: |r| r.time_is_up(Duration::from_secs(61)),
            ending: Termination::Time,
            loser: White,
            loser_hears: &[202, 361],
            documented: &[361],
            compatible: &[324],
            observers: &[361, 381, 382],
        },
        Loss {
            end: |r| r.receive(White, line("1 ... resign"), at(0)),
            ending: Termination::Resignation,
            loser: White,
            loser_hears: &[204, 327],
            documented: &[327],
            compatible: &[324],
            observers: &[327, 381, 382],
        },
        Loss {
            end: |r| r.departed(White, Departure::Disconnect, Duration::ZERO),
            ending: Termination::Disconnect,
            loser: White,
            loser_hears: &[392],
            documented: &[392],
            compatible: &[324],
            observers: &[392, 381, 382],
        },
        Loss {
            end: |r| r.departed(Black, Departure::Crash("killed".to_owned()), Duration::ZERO),
            ending: Termination::Crash,
            loser: Black,
            loser_hears: &[391],
            documented: &[391],
            compatible: &[201, 323],
            observers: &[391, 381, 382],
        },
        Loss {
            end: |r| {
                let flood = (0..=MAX_KEPT_LINES).map(|_| r.receive(Black, line("2 c4"), at(0)));
                flood.last().expect("a response")
            },
            ending: Termination::Protocol,
            loser: Black,
            loser_hears: &[202, 391],
            documented: &[391],
            compatible: &[201, 323],
            observers: &[391, 381, 382],
        },
        Loss {
            end: |r| {
                let tries = (0..4).map(|_| r.receive(White, line("1 ... c3"), at(0)));
                tries.last().expect("a response")
            },
            ending: Termination::Illegal,
            loser: White,
            loser_hears: &[291, 202, 392],
            documented: &[392],
            compatible: &[324],
            observers: &[392, 381, 382],
        },
    ];
    for (endings, loss) in
        [Endings::Documented, Endings::Compatible].into_iter().flat_map(|e| losses.iter().map(move |l| (e, l)))
    {
        let terms = Terms { endings, illegal_tries: Some(3), ..timed(60, 60) };
        let mut referee = after(terms, &[(Black, "1 c3")]);
        let [black, white, observers] = codes(&(loss.end)(&mut referee));
        let (loser, winner) = if loss.loser == Black { (black, white) } else { (white, black) };
        assert_eq!(ending(&referee), Some((loss.ending, Some(loss.loser.opponent()))));
        let expected = if endings == Endings::Documented { loss.documented } else { loss.compatible };
        assert_eq!(winner, expected, "{:?} to the winner, {endings:?}", loss.ending);
        assert_eq!(loser, loss.loser_hears, "{:?} to the loser", loss.ending);
        assert_eq!(observers, loss.observers, "{:?} to observers", loss.ending);
        let say = referee.time_is_up(second);
        assert!(say.is_empty(), "a game that is over does not change");
    }
}

#[test]
fn old_clients_are_told_the_number_of_the_next_move() {
    let terms = Terms { endings: Endings::Compatible, ..timed(60, 60) };
    let mut referee = after(terms, &[(Black, "1 c3"), (White, "1 ... d4")]);
    assert_eq!(said(&referee.time_is_up(Duration::from_secs(61)))[1], ["322 2 pass and black loses"]);
    let mut referee = after(terms, &[(Black, "1 c3"), (White, "1 ... d4")]);
    let say = referee.departed(White, Departure::Disconnect, Duration::ZERO);
    assert_eq!(said(&say)[0], ["201 You win", "321 2 pass and black wins"]);
}

#[test]
fn a_player_left_alone_before_the_start_is_told_that_it_won() {
    for (endings, codes_heard) in [(Endings::Documented, vec![392]), (Endings::Compatible, vec![352, 201, 321])] {
        let mut referee = Referee::new(Terms { endings, ..Terms::default() });
        let say = referee.did_not_come(White, Termination::NoShow, "late".to_owned());
        assert_eq!(codes(&say)[0], codes_heard);
        assert_eq!(ending(&referee), Some((Termination::NoShow, Some(Black))));
    }
    let mut referee = Referee::new(Terms::default());
    referee.nobody_came("both late".to_owned());
    assert_eq!(ending(&referee), Some((Termination::DoubleForfeit, None)));
}

#[test]
fn a_void_game_has_no_result_and_everybody_is_notified() {
    let mut referee = after(Terms::default(), &[(Black, "1 c3")]);
    let say = referee.void("no power".to_owned(), Duration::ZERO);
    assert_eq!(codes(&say), [vec![399], vec![399], vec![399, 380, 382]]);
    assert_eq!(referee.finish().result, Err(Void { reason: "no power".to_owned() }));
}

#[test]
fn at_the_end_observers_see_the_clocks_as_they_stopped_and_the_number_of_the_last_move() {
    let one_more = Duration::from_micros(60_000_001);
    let state = |mut referee: Referee| said(&referee.time_is_up(one_more))[2][1].clone();
    // Before the first move, there is no last move, so the state contains the number of the first move.
    assert_eq!(state(Referee::new(timed(60, 30))), "381 1 0 30 .");
    let two = [(Black, "1 c3"), (White, "1 ... d4")];
    assert_eq!(state(after(timed(60, 30), &two)), "381 1 0 30 .");
    let three = [two[0], two[1], (Black, "2 c4")];
    assert_eq!(state(after(timed(60, 30), &three)), "381 2 60 0 .");
}
