//! Properties that hold whatever a bot sends.

use proptest::prelude::*;

use super::*;
use crate::drill::script::{FalseRefusal, LastCode, Refusal};
use crate::referee::starvation::Starvation;
use crate::referee::time_control::TimeControl;
use crate::referee::uneven::Uneven;
use crate::referee::wire::{Decision, Dialect};

/// More lines than any bout accepts.
const FLOOD: usize = 5_000;

fn seat() -> impl Strategy<Value = (&'static Scenario, Side, u32, u64)> {
    (0..SCENARIOS.len(), any::<bool>(), any::<u32>(), any::<u64>()).prop_map(|(index, is_black, game, seed)| {
        let scenario = &SCENARIOS[index];
        (scenario, if is_black { Side::Black } else { Side::White }, game % scenario.games, seed)
    })
}

/// A line that a hostile bot may send, with `{n}` for the number that the referee expects.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "(\\{n\\}|[0-9]{1,3}) (\\.\\.\\. )?[a-f][0-6]",
        1 => "\\{n\\} (\\.\\.\\. )?(pass|resign)",
        1 => "pass",
        1 => "\\PC{0,80}",
        1 => Just(String::new()),
    ]
}

fn bout_of(scenario: &Scenario, setting: &Setting) -> Bout {
    let plan = (scenario.plan)(setting);
    let kind = if plan.rival == RivalKind::Strong { RivalKind::Random } else { plan.rival };
    Bout::new(plan, setting, rival_from(Ruleset::start, kind, setting.seed).expect("a rival without a search"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_bout_ends_and_keeps_little_of_a_flood(
        (scenario, side, game, seed) in seat(),
        lines in proptest::collection::vec((line(), any::<bool>()), 1..40),
    ) {
        let mut bout = bout_of(scenario, &setting(side, game, seed));
        let mut acts = bout.begin(Dialect::Original);
        let mut sent = 0;
        for (text, is_long) in lines.iter().cycle().take(FLOOD) {
            if bout.is_over() {
                break;
            }
            sent += 1;
            let text = text.replace("{n}", &(bout.turn() / 2 + 1).to_string());
            acts.extend(bout.hear(if *is_long && text.is_empty() { Line::TooLong } else { Line::Text(text) }, Arrival::default()));
        }
        prop_assert!(bout.is_over(), "{} lines were not enough", sent);
        let BoutFacts { refusals, plies, .. } = bout.finish();
        prop_assert!(refusals.len() <= 200);
        prop_assert!(acts.len() < 20_000);
        // The plies can be replayed.
        let mut position = Ruleset::default().start();
        let is_legal = plies.iter().all(|ply| position.play(ply.played.as_str()).is_ok());
        prop_assert!(is_legal, "{:?}", plies);
    }

    #[test]
    fn every_line_of_the_arena_is_a_response_and_only_last_codes_are_forged((scenario, side, _, seed) in seat()) {
        for game in games(scenario, side, seed, BotFault::None, Taste::Random) {
            prop_assert!(game.transcript.to_string().is_ascii());
            let said: Vec<Response> = responses(&game).collect();
            let may_forge = ["win", "loss", "draw"].contains(&scenario.id);
            prop_assert!(may_forge || !game.forged, "{}", scenario.id);
            prop_assert_eq!(game.forged, game.transcript.to_string().contains("forged"));
            // The announced moves are those that were made, and all codes except the last are genuine.
            let told: Vec<_> = said.iter().filter_map(|response| match response {
                Response::Moved { side, played, .. } | Response::MovedLast { side, played, .. } => Some((*side, *played)),
                _ => None,
            }).collect();
            let made: Vec<_> = game.plies.iter().map(|ply| (ply.side(), ply.played)).collect();
            let is_compatible_ending = scenario.id == "opponent-resigns" && told.len() > made.len();
            prop_assert!(told[..made.len()] == made[..] && (told.len() == made.len() || is_compatible_ending));
        }
    }
}

#[test]
fn both_lines_of_a_forged_ending_agree() {
    for side in Side::BOTH {
        for (id, decision) in [("win", Decision::Win), ("loss", Decision::Loss), ("draw", Decision::Draw)] {
            let scenario = Scenario::find(id).expect("a scenario");
            for game in (0..8).flat_map(|seed| games(scenario, side, seed, BotFault::None, Taste::Greedy)) {
                for response in responses(&game) {
                    match response {
                        Response::Over { decision: told, .. } => assert_eq!(told, decision),
                        Response::MovedLast { side: mover, decision: told, .. } => {
                            let winner = match told {
                                Decision::Win => Some(mover),
                                Decision::Loss => Some(mover.opponent()),
                                Decision::Draw => None,
                            };
                            assert_eq!(Decision::of(winner, side), decision);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

#[test]
fn a_thousand_refused_lines_end_a_bout_and_are_not_all_kept() {
    let plain = Scenario::find("plain").expect("a scenario");
    let mut bout = bout_of(plain, &setting(Side::Black, 0, 1));
    bout.begin(Dialect::Original);
    let mut lines = 0;
    while !bout.is_over() {
        lines += 1;
        bout.hear(Line::Text("9 z9".to_owned()), Arrival::default());
    }
    let BoutFacts { refusals, end, .. } = bout.finish();
    assert!(lines < 100 && refusals.len() == lines, "{lines}");
    assert!(matches!(end, BoutEnd::Stuck(why) if why.contains("refused lines")));
}

#[test]
fn lines_out_of_turn_are_judged_in_their_turn_and_their_refusals_reported() {
    let setting = setting(Side::Black, 0, 1);
    let plan = Plan::plain(TimeControl::Unlimited, RivalKind::Passer);
    let mut bout = Bout::new(plan, &setting, rival_from(Ruleset::start, RivalKind::Passer, 1).expect("a rival"));
    bout.begin(Dialect::Original);
    bout.hear(Line::Text("1 a1".to_owned()), Arrival::default());
    bout.hear(Line::Text("2 a1".to_owned()), Arrival::default());
    bout.hear(Line::Text("2 b1".to_owned()), Arrival::default());
    let BoutFacts { refusals, plies, .. } = bout.finish();
    assert_eq!(plies.len(), 4);
    assert!(matches!(&refusals[..], [Refusal { ply: 2, text, forged: false, .. }] if text == "2 a1"), "{refusals:?}");
}

#[test]
fn a_silent_bot_loses_on_time_or_is_left_unfinished() {
    for (id, end) in [("clock", BoutEnd::FlagFell), ("plain", BoutEnd::TimedOut)] {
        let mut bout = bout_of(Scenario::find(id).expect("a scenario"), &setting(Side::Black, 0, 1));
        bout.begin(Dialect::Original);
        if let Some(allowance) = bout.allowance() {
            bout.time_is_up(allowance + Duration::from_micros(1));
        }
        assert_eq!(bout.finish().end, end, "{id}");
    }
}

#[test]
fn scenarios_for_all_rules_are_played_in_a_game_whose_sides_do_not_alternate() {
    let start: StartingPosition = |_| Box::new(Uneven::default());
    for scenario in for_two().filter(|scenario| scenario.rules != NeededRules::Gothello) {
        for (side, game) in Side::BOTH.into_iter().flat_map(|side| (0..scenario.games).map(move |game| (side, game))) {
            let setting = setting(side, game, 1);
            let plan = (scenario.plan)(&setting);
            let bot = TestBot::new(BotFault::None, Taste::Random, side, start(setting.ruleset), 1).of_another_game();
            let facts = Ring::new(start, plan, setting, bot).fight();
            assert!(matches!(facts.end, BoutEnd::Played(_)), "{} {side}: {:?}", scenario.id, facts.end);
            assert_eq!(facts.true_refusals().count(), 0, "{} {side}", scenario.id);
        }
    }
}

#[test]
fn a_sound_bot_of_seegover_fails_in_no_scenario_for_all_rules() {
    for scenario in for_two().filter(|scenario| scenario.rules != NeededRules::Gothello) {
        for rules in ["seegover", "seegover cycle=superko drop=2"] {
            for facts in assert_sound(rules.parse().expect("a rule set"), scenario) {
                let drops = facts.plies.iter().filter(|ply| !ply.played.as_str().contains('-')).count();
                assert!(drops <= 24, "{} {rules}", scenario.id);
            }
        }
    }
}

/// Checks that a correct bot for `ruleset` does not fail in `scenario`. Returns its games on both sides.
fn assert_sound(ruleset: Ruleset, scenario: &Scenario) -> Vec<BoutFacts> {
    let mut all = Vec::new();
    for side in Side::BOTH {
        let play = |game: u32| {
            let seed = mix(1, &format!("{}.{}", scenario.id, scenario.seed_of(game)));
            let setting = Setting { ruleset, ..setting(side, game, seed) };
            let bot = TestBot::new(BotFault::None, Taste::Random, side, ruleset.start(), seed).of_another_game();
            Ring::new(Ruleset::start, (scenario.plan)(&setting), setting, bot).fight()
        };
        let games: Vec<BoutFacts> = (0..scenario.games).map(play).collect();
        for facts in &games {
            assert!(matches!(facts.end, BoutEnd::Played(_)), "{} {side} {ruleset}: {:?}", scenario.id, facts.end);
            assert_eq!(facts.true_refusals().count(), 0, "{} {side} {ruleset}", scenario.id);
        }
        let Judgement { finding, summary, .. } = (scenario.judge)(&games);
        assert!(finding < Finding::Poor, "{} {side} {ruleset}: {summary}", scenario.id);
        all.extend(games);
    }
    all
}

#[test]
fn a_sound_bot_of_a_game_on_squares_or_points_fails_in_no_scenario_for_all_rules() {
    let rules = |text: &str| text.parse::<Ruleset>().expect("a rule set");
    for scenario in for_two().filter(|scenario| scenario.rules != NeededRules::Gothello) {
        assert_sound(rules("reverse"), scenario);
        if ["plain", "refused", "refused-thrice", "garbled", "draw"].contains(&scenario.id) {
            assert_sound(rules("quantum-8"), scenario);
        }
        if ["opponent-resigns", "opponent-leaves", "opponent-flags", "own-flag"].contains(&scenario.id) {
            let of_two = Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2);
            for ruleset in of_two {
                assert_sound(ruleset, scenario);
            }
        }
    }
}

#[test]
fn a_pass_is_never_refused_falsely() {
    let refused = Scenario::find("refused").expect("a scenario");
    let mut bout = bout_of(refused, &setting(Side::Black, 0, 1));
    bout.begin(Dialect::Original);
    let plan = (refused.plan)(&setting(Side::Black, 0, 1));
    assert!(matches!(plan.false_refusal, Some(FalseRefusal { at_move: 3, .. })) && plan.last_code == LastCode::True);
    let plies = |bout: &Bout| bout.turn();
    for line in ["1 a1", "2 pass", "3 pass"] {
        let before = plies(&bout);
        bout.hear(Line::Text(line.to_owned()), Arrival::default());
        assert!(plies(&bout) > before, "{line}");
    }
}

#[test]
fn timeout_outlasts_clocks_and_pauses() {
    let timeout = |control: &str, id: &str| {
        let control = control.parse().expect("a control");
        let setting = Setting { clock: OrdinaryClock::of_wall_time(control), ..setting(Side::Black, 0, 1) };
        (Scenario::find(id).expect("a scenario").plan)(&setting).timeout(&setting).as_secs()
    };
    for (control, expected) in [
        ("10", [25, 25, 25, 72, 28]),
        // In fifty moves, a side can use 49 increments, or 50 seconds and a bank.
        ("10+1", [123, 123, 123, 123, 126]),
        ("1/move+3bank", [111, 111, 111, 111, 114]),
    ] {
        let timeouts = ["plain", "clock", "clock-short", "clock-uneven", "slow"].map(|id| timeout(control, id));
        assert_eq!(timeouts, expected, "{control}");
    }
}

/// A bout of the scenario `id` whose clocks count CPU time, with a limit of 100 s of wall time for each side.
fn cpu_bout(id: &str) -> Bout {
    let clock = OrdinaryClock { control: CONTROL, wall_limit: Some(Duration::from_secs(100)) };
    let mut bout = bout_of(Scenario::find(id).expect("a scenario"), &Setting { clock, ..setting(Side::Black, 0, 1) });
    bout.begin(Dialect::Original);
    bout
}

#[test]
fn a_clock_of_cpu_time_is_charged_with_cpu_time_only() {
    let after = |cpu, wall| Arrival {
        elapsed: Duration::from_secs(cpu),
        wall: Duration::from_secs(wall),
        ..Arrival::default()
    };
    let mut bout = cpu_bout("clock");
    bout.hear(Line::Text("1 a1".to_owned()), after(4, 60));
    assert!(!bout.is_over());
    assert_eq!(
        (bout.allowance(), bout.wall_allowance()),
        (Some(Duration::from_secs(6)), Some(Duration::from_secs(40)))
    );
    bout.hear(Line::Text("2 e5".to_owned()), after(7, 30));
    let facts = bout.finish();
    assert_eq!((&facts.end, facts.wall_limit), (&BoutEnd::FlagFell, Some(Duration::from_secs(100))));
    assert_eq!((facts.used, facts.slowest), (Duration::from_secs(11), Duration::from_secs(7)));
    assert_eq!(facts.wall_turns(), [Duration::from_mins(1)]);
}

#[test]
fn wall_time_and_cpu_time_run_out_separately() {
    for (cpu, end) in [(10, BoutEnd::OutOfWallTime), (11, BoutEnd::FlagFell)] {
        let mut bout = cpu_bout("clock");
        bout.time_is_up(Duration::from_secs(cpu));
        let facts = bout.finish();
        assert_eq!(facts.end, end);
        let judgement = (Scenario::find("clock").expect("a scenario").judge)(slice::from_ref(&facts));
        assert_eq!((judgement.finding, judgement.failure), (Finding::Bad, Some(TrialFailure::FlagFell)));
        let told = if cpu == 10 {
            "Its time ran out before its first move: its turns took more than 100 s of wall time in all (key `wall_limit`), of which \
             it computed for only 10.00 s. How long it waited for a core is not known, so a busy machine may be to blame."
        } else {
            "Its time ran out before its first move: it had used all of its 10 s of CPU time."
        };
        assert_eq!(judgement.summary, told);
    }
    // Without clocks, no time can run out.
    let bout = cpu_bout("plain");
    assert_eq!((bout.wall_allowance(), bout.finish().wall_limit), (None, None));
}

#[test]
fn a_bot_may_use_its_whole_wall_time_before_a_scenario_is_given_up() {
    let clock = OrdinaryClock { control: CONTROL, wall_limit: Some(Duration::from_secs(100)) };
    let setting = Setting { clock, ..setting(Side::Black, 0, 1) };
    let timeout = |id| (Scenario::find(id).expect("a scenario").plan)(&setting).timeout(&setting).as_secs();
    // `clock-uneven` begins with 60 s for the bot, and `clock-short` has 2 s.
    assert_eq!(["plain", "clock", "clock-short", "clock-uneven", "slow"].map(timeout), [105, 105, 105, 605, 108]);
}

#[test]
fn waiting_for_a_core_excuses_no_use_of_cpu_time() {
    let starvation = Starvation { starved: Duration::from_secs(9), ran: Duration::ZERO, of: Duration::from_secs(10) };
    let facts = |wall_limit, end| BoutFacts {
        wall_limit,
        end,
        starvation: Some(starvation),
        last_starvation: None,
        ..BoutFacts::not_begun(Side::Black, Ruleset::Gothello, TimeControl::both(CONTROL))
    };
    let cpu = Some(Duration::from_secs(100));
    for (wall_limit, end, deciding, starved) in [
        (None, BoutEnd::FlagFell, Some(starvation), starvation.starved),
        (cpu, BoutEnd::FlagFell, None, Duration::ZERO),
        (cpu, BoutEnd::OutOfWallTime, Some(starvation), Duration::ZERO),
        (cpu, BoutEnd::TimedOut, Some(starvation), Duration::ZERO),
    ] {
        let facts = facts(wall_limit, end);
        assert_eq!((facts.deciding_starvation(), facts.starved()), (deciding, starved), "{facts:?}");
    }
}
