//! Tests of how long a turn may take, what it costs, and who loses on time.

use super::*;

/// The time that black may use for each of its turns, in milliseconds, if the turns take these times. White uses no
/// time.
fn allowances(control: &str, turns: &[u64]) -> Vec<Option<u128>> {
    let mut referee = Referee::new(under(control));
    let moves = ["c3", "c2", "c4", "b2", "b3"];
    let mut allowances = vec![referee.allowance().map(|time| time.as_millis())];
    for (index, &millis) in turns.iter().enumerate() {
        let number = index + 1;
        referee.receive(Black, line(&format!("{number} {}", moves[index])), at(millis));
        referee.receive(White, line(&format!("{number} ... pass")), Arrival::default());
        allowances.push(referee.allowance().filter(|_| !referee.is_over()).map(|time| time.as_millis()));
    }
    allowances
}

#[test]
fn each_control_decides_what_the_next_turn_may_take() {
    for (control, turns, expected) in [
        ("5", &[2_000, 3_001][..], &[Some(5_000), Some(3_000), None][..]),
        ("5+2", &[4_000, 3_000, 2_001], &[Some(5_000), Some(3_000), Some(2_000), None]),
        ("5:2x3", &[5_001, 3_000, 3_001, 3_001], &[Some(11_000), Some(6_000), Some(6_000), Some(3_000), None]),
        ("3/move", &[3_000, 2_999, 3_001], &[Some(3_000), Some(3_000), Some(3_000), None]),
        ("3/move+2bank", &[4_500, 1_000, 3_501], &[Some(5_000), Some(3_500), Some(3_500), None]),
    ] {
        assert_eq!(allowances(control, turns), expected, "{control}");
    }
}

/// Clients of 0.9.1 are informed of the seconds that they may use, and clients of 0.9.2 also of the control.
#[test]
fn a_control_is_announced_in_the_seconds_that_may_be_used() {
    let start = Referee::new(under("black 5:2x3 white 1/move+9bank")).start();
    let told = heard(&start, Dialect::NamesRules, in_one_line);
    let clocks = "347 black 5:2x3 white 1/move+9bank is the time control";
    assert!(told.iter().all(|lines| lines.iter().any(|line| line == clocks)), "{told:?}");
    assert_eq!(said(&start)[2][1], "381 1 11 10 b");
    assert!(said(&start).iter().flatten().all(|line| !line.starts_with("347")));
    let mut referee = Referee::new(under("5+2"));
    assert_eq!(
        said(&referee.receive(Black, line("1 c3"), at(1_500)))[0][0],
        "207 5 secs remaining after move c3 accepted, continue playing"
    );
}

#[test]
fn a_flag_that_falls_is_explained_in_the_terms_of_the_control() {
    let reason = |control: &str, millis: u64| {
        let mut referee = Referee::new(under(control));
        referee.time_is_up(Duration::from_millis(millis));
        referee.result().and_then(Result::ok).and_then(|result| result.reason().map(str::to_owned)).unwrap_or_default()
    };
    assert_eq!(reason("60", 60_001), "used more than 1m");
    assert_eq!(reason("1/move", 1_001), "used more than the remaining 1s for move 1 (1s/move)");
    assert_eq!(reason("5:2x3", 11_001), "used more than the remaining 11s for move 1 (5s, 2 x 3s)");
}

/// Late credit charges the whole allowance, so it ends a period or the bank, but not the game.
#[test]
fn late_credit_uses_up_exactly_the_allowance() {
    for (control, allowance, after) in
        [("5+2", 5_000, 2_000), ("5:2x3", 11_000, 3_000), ("3/move", 3_000, 3_000), ("3/move+2bank", 5_000, 3_000)]
    {
        let mut referee = Referee::new(under(control));
        let arrival = Arrival { lateness: Duration::from_millis(9), ..at(allowance + 9) };
        referee.receive(Black, line("1 c3"), arrival);
        referee.receive(White, line("1 ... pass"), Arrival::default());
        assert_eq!(referee.allowance(), Some(Duration::from_millis(after)), "{control}");
        let ply = &referee.plies()[0];
        assert!(ply.late_credit && ply.elapsed == Some(Duration::from_millis(allowance)), "{ply:?}");
        referee.void("stopped".to_owned(), Duration::ZERO);
        let record = recorded(referee.finish());
        check(&record).unwrap_or_else(|error| panic!("{error}\n{record}"));
    }
}

#[test]
fn a_clock_at_exactly_zero_has_not_fallen_and_a_microsecond_more_has() {
    let exactly = Arrival { elapsed: Duration::from_secs(2), lateness: Duration::ZERO, ..Arrival::default() };
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), exactly);
    assert_eq!(referee.plies()[0].left, Some(Duration::ZERO));
    assert!(!referee.plies()[0].late_credit);

    let more = Arrival { elapsed: Duration::from_micros(2_000_001), ..exactly };
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), more);
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    // Fractions of a microsecond are not charged.
    let less = Arrival { elapsed: Duration::from_nanos(2_000_000_999), ..exactly };
    assert!(!after_black(less).is_over());
}

fn after_black(arrival: Arrival) -> Referee {
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 c3"), arrival);
    referee
}

#[test]
fn the_arenas_own_lateness_is_credited_and_no_more() {
    let late = |elapsed, lateness| {
        after_black(Arrival {
            elapsed: Duration::from_micros(elapsed),
            lateness: Duration::from_micros(lateness),
            ..Arrival::default()
        })
    };
    let credited = late(2_005_000, 5_000);
    assert!(credited.plies()[0].late_credit);
    assert_eq!(credited.plies()[0].left, Some(Duration::ZERO));
    assert_eq!(credited.plies()[0].elapsed, Some(Duration::from_secs(2)));
    assert!(late(2_005_001, 5_000).is_over());
    // A line that needs no credit is charged in full.
    assert_eq!(late(1_000_000, 5_000).plies()[0].left, Some(Duration::from_secs(1)));
}

#[test]
fn lateness_is_credited_against_the_limit_of_a_game_without_clocks_but_no_clock_bears_the_mark() {
    let terms = Terms { game_limit: Some(Duration::from_nanos(2_000_000_500)), ..Terms::default() };
    let [credited, lost] = [2_005_000, 2_005_001].map(|elapsed| {
        let mut referee = Referee::new(terms);
        let arrival = Arrival {
            elapsed: Duration::from_micros(elapsed),
            lateness: Duration::from_millis(5),
            ..Arrival::default()
        };
        referee.receive(Black, line("1 c3"), arrival);
        referee
    });
    // Like all times, the limit is truncated to whole microseconds.
    assert_eq!(credited.plies()[0].elapsed, Some(Duration::from_secs(2)));
    assert!(!credited.plies()[0].late_credit);
    assert_eq!(credited.allowance(), Some(Duration::ZERO));
    assert_eq!(ending(&lost), Some((Termination::Time, Some(White))));
}

#[test]
fn with_cpu_clocks_wall_time_has_its_own_limit_and_neither_is_charged_to_the_other() {
    let mut referee = Referee::new(Terms { meter: counted(10), ..timed(2, 2) });
    let both = |millis, wall| Arrival { wall: Duration::from_secs(wall), ..at(millis) };
    referee.receive(Black, line("1 c3"), both(1_500, 4));
    assert_eq!(referee.plies()[0].left, Some(Duration::from_millis(500)));
    assert_eq!(
        (referee.allowance(), referee.wall_allowance()),
        (Some(Duration::from_secs(2)), Some(Duration::from_secs(10)))
    );
    referee.receive(White, line("1 ... d4"), both(0, 9));
    assert_eq!(
        (referee.allowance(), referee.wall_allowance()),
        (Some(Duration::from_millis(500)), Some(Duration::from_secs(6)))
    );
    referee.time_is_up(Duration::from_millis(100));
    let reason = |referee: &Referee| referee.result().unwrap().unwrap().reason().unwrap().to_owned();
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    assert_eq!(reason(&referee), "its turns took more than 10s (key `wall_limit`), of which 1.600 s was CPU time");
    let mut referee = Referee::new(Terms { meter: counted(10), ..timed(2, 2) });
    referee.receive(Black, line("1 c3"), both(2_001, 3));
    assert_eq!(reason(&referee), "used more than 2s of CPU time");
    assert_eq!(Referee::new(timed(2, 2)).wall_allowance(), None);
}

#[test]
fn clocks_may_differ_and_each_pays_for_its_own_turns() {
    let mut referee = Referee::new(timed(10, 3));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(10)));
    referee.receive(Black, line("1 c3"), at(4_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(3)));
    referee.receive(White, line("1 ... d4"), at(1_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(6)));
}

#[test]
fn refused_lines_stop_no_clock() {
    let mut referee = Referee::new(timed(2, 2));
    assert_eq!(codes(&referee.receive(Black, line("1 z9"), at(1_000)))[0], [299]);
    assert_eq!(referee.allowance(), Some(Duration::from_secs(2)));
    referee.receive(Black, line("1 c3"), at(1_500));
    assert_eq!(referee.plies()[0].left, Some(Duration::from_millis(500)));
    // Once the time is spent, a refused line is too late as well.
    let mut referee = Referee::new(timed(2, 2));
    referee.receive(Black, line("1 z9"), at(2_001));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
}

#[test]
fn without_clocks_the_side_that_used_more_forfeits_at_the_limit() {
    let terms = Terms { game_limit: Some(Duration::from_secs(10)), ..Terms::default() };
    let mut referee = after(terms, &[]);
    referee.receive(Black, line("1 c3"), at(6_000));
    assert_eq!(referee.allowance(), Some(Duration::from_secs(4)));
    referee.time_is_up(Duration::from_millis(4_001));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    // In a tie, the side to move loses.
    let mut referee = Referee::new(terms);
    referee.receive(Black, line("1 c3"), at(5_000));
    referee.time_is_up(Duration::from_secs(5));
    assert_eq!(ending(&referee), Some((Termination::Time, Some(Black))));
    assert_eq!(Referee::new(Terms::default()).allowance(), None);
}

#[test]
fn a_side_that_waits_can_lose_by_the_limit_too() {
    for (endings, white_hears) in [(Endings::Documented, vec![362]), (Endings::Compatible, vec![201, 323])] {
        let terms = Terms { game_limit: Some(Duration::from_secs(10)), endings, ..Terms::default() };
        let mut referee = Referee::new(terms);
        referee.receive(Black, line("1 c3"), at(6_000));
        let say = referee.time_is_up(Duration::from_millis(4_001));
        assert_eq!(codes(&say), [vec![202, 362], white_hears, vec![362, 380, 382]]);
        assert_eq!(ending(&referee), Some((Termination::Time, Some(White))));
    }
}
