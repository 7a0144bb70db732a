//! How bots connect to their seats, and which games are repeated.

use super::*;
use crate::drill::script::{SecondTry, why_late};
use crate::game::BySide;
use crate::referee::result::{GameResult, Limit};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::TimeControl;

/// How long a bot may take to send its hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

const SHORT: Duration = Duration::from_secs(1);

fn scenario(id: &str) -> &'static Scenario {
    Scenario::find(id).expect("a scenario")
}

/// A correct bot's game in the scenario `id`.
fn fine(id: &str) -> BoutFacts {
    games(scenario(id), Side::Black, 1, BotFault::None, Taste::Random).remove(0)
}

/// A game in which the arena gave up on the bot after `came_after`.
fn absent(came_after: Duration, reason: &str) -> BoutFacts {
    let coming = Coming::Failed { termination: Termination::NoShow, reason: reason.to_owned() };
    let not_begun = BoutFacts::not_begun(Side::Black, Ruleset::default(), TimeControl::Unlimited);
    BoutFacts { coming, came_after, took: came_after + SHORT, ..not_begun }
}

/// The second try after `game` in the scenario `id`.
fn after(id: &str, game: BoutFacts) -> Option<SecondTry> {
    let games = [game];
    let judgement = (scenario(id).judge)(&games);
    let [game] = &games;
    SecondTry::after(scenario(id), &judgement, game, HELLO_TIMEOUT)
}

fn ended(id: &str, end: BoutEnd, took: Duration) -> BoutFacts {
    BoutFacts { took, end, ..fine(id) }
}

#[test]
fn a_hello_for_either_side_is_reported_and_one_on_a_second_connection_is_a_warning() {
    let hello = |said: &[&str], talkers: usize| {
        let mut game = BoutFacts { talkers, ..fine("hello") };
        for line in said {
            game.transcript.add(Duration::ZERO, Speaker::Bot, format!("{line}\r\n").as_bytes());
        }
        (scenario("hello").judge)(&[game])
    };
    assert_eq!(hello(&["0.9.1 player black"], 1), Judgement::good());
    assert_eq!(hello(&["0.9.1 player black", "1 c3 ?"], 1), Judgement::good());
    let either = hello(&["0.9.1 player ? \"a bot\""], 1);
    assert_eq!(either.finding, Finding::Told);
    assert!(either.summary.starts_with("Its hello asks for either side (`player ?`)"), "{either:?}");
    let twice = hello(&["0.9.1 player ?", "0.9.1 player ?"], 2);
    assert_eq!(twice.finding, Finding::Poor);
    assert!(twice.summary.starts_with("It sent lines on 2 connections. "), "{twice:?}");
}

#[test]
fn a_must_that_fails_in_a_short_game_is_tried_again() {
    let resigned = |took| ended("plain", BoutEnd::Resigned, took);
    assert_eq!(after("plain", resigned(SHORT)), Some(SecondTry::Alike));
    assert_eq!(after("plain", resigned(SecondTry::LONGEST)), Some(SecondTry::Alike));
    assert_eq!(after("hello", absent(SHORT, "exited with code 1 before it said hello")), Some(SecondTry::Alike));
    // A second try would take too long.
    assert_eq!(after("plain", resigned(SecondTry::LONGEST + SHORT)), None);
    for end in [BoutEnd::TimedOut, BoutEnd::FlagFell] {
        assert_eq!(after("plain", ended("plain", end.clone(), SHORT)), None, "{end:?}");
    }
    assert_eq!(after("plain", absent(HELLO_TIMEOUT, "no hello by its deadline")), None);
    // No result is affected, or nothing is wrong.
    assert_eq!(after("refused", ended("refused", BoutEnd::Resigned, SHORT)), None);
    assert_eq!(after("names", ended("names", BoutEnd::Resigned, SHORT)), None);
    assert_eq!(after("plain", ended("plain", BoutEnd::Void("out of memory".to_owned()), SHORT)), None);
    assert_eq!(after("plain", fine("plain")), None);
}

#[test]
fn a_failure_that_does_not_come_again_is_still_a_failure_and_says_so() {
    let plain = scenario("plain");
    let first = ended("plain", BoutEnd::Resigned, SHORT);
    let after = |second: &BoutFacts| {
        let judgement = (plain.judge)(std::slice::from_ref(&first));
        let (judgement, is_flaky) = judgement.after_second_try(plain, second);
        assert_eq!(judgement.finding, Finding::Bad);
        assert!(judgement.summary.starts_with("It resigned "), "{judgement:?}");
        assert_eq!(judgement.summary.contains("failed in one of two tries (FLAKY)"), is_flaky, "{judgement:?}");
        is_flaky
    };
    assert!(after(&fine("plain")));
    assert!(!after(&first));
    assert!(!after(&ended("plain", BoutEnd::TimedOut, SHORT)));
    assert!(!after(&ended("plain", BoutEnd::Void("out of memory".to_owned()), SHORT)), "it says nothing");
}

#[test]
fn a_bot_without_a_hello_is_given_four_times_as_long_and_the_reason_says_how_long_it_took() {
    assert_eq!(after("hello", absent(HELLO_TIMEOUT, "no hello by its deadline")), Some(SecondTry::Patient));
    assert_eq!(SecondTry::Patient.hello_timeout(HELLO_TIMEOUT), 4 * HELLO_TIMEOUT);
    assert_eq!(SecondTry::Alike.hello_timeout(HELLO_TIMEOUT), HELLO_TIMEOUT);
    let came = BoutFacts { came_after: Duration::from_millis(12_340), ..fine("hello") };
    let never = absent(4 * HELLO_TIMEOUT, "no hello by its deadline");
    let ended = Coming::Failed { termination: Termination::Limit(Limit::Memory), reason: "too much memory".to_owned() };
    let why = |second: &BoutFacts| why_late(second, HELLO_TIMEOUT);
    assert!(why(&came).contains("within 10s (key `hello_timeout`), and in a second try it came after 12.3 s;"));
    let void = BoutFacts { end: BoutEnd::Void("out of memory".to_owned()), ..came.clone() };
    assert!(why(&void).ends_with("no hello within 10s (key `hello_timeout`)"), "the second try says nothing");
    assert!(why(&never).ends_with("within 10s (key `hello_timeout`), and none within 40s in a second try"));
    assert!(why(&BoutFacts { coming: ended, ..never }).ends_with(", and in a second try: too much memory"));
}

#[test]
fn a_game_that_ended_by_time_says_if_nobody_knows_whether_the_machine_was_busy() {
    for end in [BoutEnd::FlagFell, BoutEnd::TimedOut] {
        for (starvation, is_doubtful) in [(None, true), (Some(Starvation::default()), false)] {
            let game = BoutFacts { starvation, ..ended("plain", end.clone(), SHORT) };
            let Judgement { finding, summary, .. } = (scenario("plain").judge)(&[game]);
            assert!(finding >= Finding::Bad, "{summary}");
            assert_eq!(summary.contains("a busy machine may be to blame"), is_doubtful, "{summary}");
        }
    }
}

#[test]
fn a_bot_that_waited_for_a_core_is_not_warned_for_that_time() {
    let clock = 10 * SHORT;
    for (starved, is_warned) in [(None, true), (Some(SHORT / 5), true), (Some(SHORT / 2), false)] {
        let starvation = starved.map(|starved| Starvation { starved, ..Starvation::default() });
        let end = BoutEnd::Played(GameResult::resigned(Side::White));
        let time_control = TimeControl::sudden_death(BySide { black: clock, white: clock });
        let game = BoutFacts { time_control, starvation, used: clock * 93 / 100, ..ended("clock", end, SHORT) };
        let Judgement { finding, summary, .. } = (scenario("clock").judge)(&[game]);
        assert_eq!(finding == Finding::Poor, is_warned, "{starved:?}: {summary}");
    }
}
