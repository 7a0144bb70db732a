//! Scenarios against bots in memory.

mod bots;
mod coming;
mod groups;
mod laws;

use std::collections::{BTreeSet, VecDeque};
use std::slice;
use std::time::Duration;

use bots::{BotFault, Taste, TestBot};

use super::rival::{StartingPosition, rival_from};
use super::turned_stones::Turning;
use super::{
    Act, Bout, BoutEnd, BoutFacts, Coming, Delivery, Finding, Judgement, NeededRules, OrdinaryClock, Plan, Refusal,
    Rival, RivalKind, SCENARIOS, Scenario, Setting, Speaker, Transcript, TrialFailure,
};
use crate::base::random::mix;
use crate::game::{Move, Ruleset, Side};
use crate::referee::record::{Ply, TryKind};
use crate::referee::result::{GameResult, Termination};
use crate::referee::sans_io::{Arrival, Departure};
use crate::referee::time_control::SideControl;
use crate::referee::wire::{Dialect, Line, Response};

/// The clock of an ordinary game.
const CONTROL: SideControl = SideControl::sudden_death(Duration::from_secs(10));

fn setting(side: Side, game: u32, seed: u64) -> Setting {
    Setting {
        side: side.into(),
        ruleset: Ruleset::default(),
        clock: OrdinaryClock::of_wall_time(CONTROL),
        game,
        seed,
        mode: None,
    }
}

/// A game that is played in memory.
struct Ring {
    plan: Plan,
    setting: Setting,
    bout: Bout,
    bot: TestBot,
    /// The bot's lines that have not arrived yet.
    said: VecDeque<String>,
    transcript: Transcript,
    idle_cpu: Option<Duration>,
}

impl Ring {
    fn new(start: StartingPosition, plan: Plan, setting: Setting, bot_in_memory: TestBot) -> Self {
        // The strong rival needs a search. A strangler is good enough to win sometimes.
        let kind = if plan.rival == RivalKind::Strong { RivalKind::Strangler } else { plan.rival };
        let rival: Box<dyn Rival> = rival_from(start, kind, setting.seed).expect("a rival without a search");
        let bout = Bout::starting_at(start, plan.clone(), &setting, rival);
        let (said, transcript) = (VecDeque::new(), Transcript::default());
        Self { plan, setting, bout, bot: bot_in_memory, said, transcript, idle_cpu: None }
    }

    fn fight(mut self) -> BoutFacts {
        let side = self.setting.side;
        if let (Some(own), Some(others)) = (
            self.plan.time_control.first_allowance(side),
            self.plan.time_control.first_allowance(side.side().opponent()),
        ) {
            self.bot.granted(own, others);
        }
        let acts = self.bout.begin(Dialect::Original);
        self.perform(acts);
        while !self.bout.is_over() {
            let thinks = self.bot.thinks();
            let acts = match self.said.pop_front() {
                _ if self.bout.allowance().is_some_and(|allowance| thinks > allowance) => self.bout.time_is_up(thinks),
                Some(line) => self
                    .bout
                    .hear(Line::Text(line), Arrival { elapsed: thinks, wall: thinks, lateness: Duration::ZERO }),
                None if self.bot.is_gone() => {
                    self.bout.departed(Departure::Crash("exit status 1".to_owned()), thinks);
                    Vec::new()
                }
                None => break,
            };
            self.perform(acts);
        }
        if self.plan.delivery == Delivery::LateClose {
            self.said.extend(self.bot.says_later());
        }
        BoutFacts {
            idle_cpu: self.idle_cpu,
            said_after_end: self.said.into_iter().collect(),
            process: Some(self.bot.process()),
            transcript: self.transcript,
            ..self.bout.finish()
        }
    }

    fn perform(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Send(bytes) => {
                    self.transcript.add(Duration::ZERO, Speaker::Arena, &bytes);
                    self.said.append(&mut self.bot.hear(&bytes));
                }
                Act::Wait(_) | Act::Hold(_) => {}
                Act::WaitIdle(_) => self.idle_cpu = Some(self.bot.idles()),
                Act::Note(text) => self.transcript.note(Duration::ZERO, &text),
            }
        }
    }
}

/// The scenarios for games with two seats.
fn for_two() -> impl Iterator<Item = &'static Scenario> {
    SCENARIOS.iter().filter(|scenario| scenario.rules.have_seats(2))
}

/// Plays all games of a scenario.
fn games(scenario: &Scenario, side: Side, seed: u64, fault: BotFault, style: Taste) -> Vec<BoutFacts> {
    let play = |game: u32| {
        let seed = mix(seed, &format!("{}.{}", scenario.id, scenario.seed_of(game)));
        let setting = setting(side, game, seed);
        let bot = TestBot::new(fault, style, side, setting.ruleset.start(), seed);
        Ring::new(Ruleset::start, (scenario.plan)(&setting), setting, bot).fight()
    };
    (0..scenario.games).map(play).collect()
}

fn judged(scenario: &Scenario, side: Side, seed: u64, fault: BotFault, style: Taste) -> Judgement {
    (scenario.judge)(&games(scenario, side, seed, fault, style))
}

/// Checks that each faulty bot in `twins` is detected by exactly the scenarios listed with it.
fn check_twins(side: Side, twins: &[(BotFault, &[&str])]) {
    for (fault, expected) in twins {
        let is_caught =
            |scenario: &&Scenario| judged(scenario, side, 1, *fault, Taste::Random).finding >= Finding::Poor;
        let caught: Vec<&str> = for_two().filter(is_caught).map(|scenario| scenario.id).collect();
        assert_eq!(caught, *expected, "{fault:?} as {side}");
    }
}

#[test]
fn an_honest_bot_passes_every_scenario_on_both_sides() {
    for (scenario, side) in for_two().flat_map(|scenario| Side::BOTH.map(|side| (scenario, side))) {
        for (seed, style) in [(1, Taste::Random), (2, Taste::Greedy)] {
            let judgement = judged(scenario, side, seed, BotFault::None, style);
            assert!(judgement.finding <= Finding::Told, "{} {side} {seed}: {judgement:?}", scenario.id);
        }
    }
}

#[test]
fn a_bot_with_a_fault_in_its_moves_fails_the_scenarios_that_show_it() {
    check_twins(
        Side::White,
        &[
            (BotFault::TurnsNothing, &["captures"]),
            (BotFault::PassesBack, &["opponent-passes"]),
            (BotFault::DiesOf291, &["refused", "refused-thrice"]),
            (BotFault::DiesOfThirdRefusal, &["refused-thrice"]),
            (BotFault::Insists, &["refused"]),
            (BotFault::DiesOf299, &["garbled"]),
        ],
    );
}

#[test]
fn a_bot_that_tries_before_it_passes_fails_wherever_it_must_pass() {
    for side in Side::BOTH {
        let must_pass = Scenario::find("must-pass").expect("a scenario");
        let judgement = judged(must_pass, side, 1, BotFault::TriesBeforeItPasses, Taste::Random);
        assert_eq!(judgement.finding, Finding::Bad);
        assert!(judgement.summary.starts_with("A pass was its only legal move, but it sent `"), "{judgement:?}");
        let many = Scenario::find("legal-20").expect("a scenario");
        let games = games(many, side, 1, BotFault::TriesBeforeItPasses, Taste::Random);
        let refused: usize = games.iter().map(|game| game.refusals.len()).sum();
        let sent: usize = games.iter().map(|game| game.own_plies().count()).sum::<usize>() + refused;
        let judgement = (many.judge)(&games);
        assert_eq!(judgement.finding, Finding::Bad);
        assert!(judgement.summary.starts_with(&format!("{refused} of {sent} moves refused. `")), "{judgement:?}");
    }
}

#[test]
fn a_bot_with_a_fault_about_clocks_fails_the_scenarios_that_show_it() {
    check_twins(
        Side::Black,
        &[
            (
                BotFault::DiesOfClocks,
                &[
                    "clock",
                    "clock-uneven",
                    "clock-short",
                    "clock-increment",
                    "clock-periods",
                    "clock-move",
                    "clock-bank",
                    "moves-codes",
                    "opponent-flags",
                    "own-flag",
                ],
            ),
            (BotFault::SwapsClocks, &["clock-uneven"]),
            (BotFault::IsSlow, &["clock-short"]),
            (BotFault::UsesItsClock, &["clock", "clock-uneven"]),
            (BotFault::SumsItsClock, &["clock-short", "clock-increment", "clock-periods", "clock-move", "clock-bank"]),
            (BotFault::DreamsOnce, &["clock-short", "clock-move"]),
            (
                BotFault::IsVerySlow,
                &[
                    "clock",
                    "clock-uneven",
                    "clock-short",
                    "clock-increment",
                    "clock-periods",
                    "clock-move",
                    "clock-bank",
                    "moves-codes",
                ],
            ),
        ],
    );
}

#[test]
fn a_bot_that_does_not_know_an_ending_fails_the_scenarios_that_end_so() {
    check_twins(
        Side::White,
        &[
            (BotFault::DiesOfResignations, &["opponent-resigns"]),
            (BotFault::DiesOfDisconnects, &["opponent-leaves"]),
            (BotFault::DiesOfFlags, &["opponent-flags"]),
            (BotFault::DiesOfOwnFlag, &["own-flag"]),
            (BotFault::DiesOfDraws, &["draw"]),
        ],
    );
    for (fault, id) in
        [(BotFault::DiesOfWins, "win"), (BotFault::DiesOfLosses, "loss"), (BotFault::DiesOfLastPass, "double-pass")]
    {
        let scenario = Scenario::find(id).expect("a scenario");
        for side in Side::BOTH {
            assert_eq!(judged(scenario, side, 1, fault, Taste::Random).finding, Finding::Poor, "{fault:?} as {side}");
        }
    }
}

#[test]
fn a_bot_with_a_fault_in_reading_or_leaving_fails_the_scenarios_that_show_it() {
    check_twins(
        Side::Black,
        &[
            (BotFault::ReadsByChunk, &["split"]),
            (BotFault::ReadsTwoLines, &["merged"]),
            (BotFault::BusyWaits, &["slow"]),
            (BotFault::TalksLater, &["late-close"]),
            (BotFault::NeedsCarriageReturns, &["lf-only"]),
            (BotFault::HasShortLines, &["long-text"]),
            (BotFault::DiesOfNames, &["names", "utf8"]),
            (BotFault::DiesOfNonAscii, &["utf8"]),
            (BotFault::FloodsStderr, &["stderr-flood"]),
        ],
    );
    let leaving = ["plain", "double-pass", "win", "loss", "draw", "opponent-resigns", "late-close"];
    for id in leaving {
        let scenario = Scenario::find(id).expect("a scenario");
        assert_eq!(
            judged(scenario, Side::White, 1, BotFault::HangsAround, Taste::Random).finding,
            Finding::Poor,
            "{id}"
        );
    }
}

#[test]
fn a_bot_that_does_not_come_fails_and_the_summary_says_why() {
    for id in ["hello", "hello-fresh", "plain", "split", "stderr-flood", "win"] {
        let scenario = Scenario::find(id).expect("a scenario");
        let mut games = games(scenario, Side::Black, 1, BotFault::None, Taste::Random);
        let last = games.len() - 1;
        let reason = "no hello within 10s \u{1b}[31m".to_owned();
        games[last].coming = Coming::Failed { termination: Termination::NoShow, reason };
        games[last].end = BoutEnd::NotBegun;
        let judgement = (scenario.judge)(&games);
        assert_eq!((judgement.finding, judgement.decisive), (Finding::Bad, last), "{id}");
        assert_eq!(judgement.summary, r"It did not take its seat: no hello within 10s \u{1b}[31m.");
    }
}

#[test]
fn equal_seeds_are_compared() {
    let twice = Scenario::find("twice").expect("a scenario");
    let judgement = judged(twice, Side::Black, 1, BotFault::None, Taste::Random);
    assert_eq!(judgement.finding, Finding::Told);
    assert!(
        judgement.summary.starts_with("Two games with the same seed were identical. Its slowest move took 0.001 s"),
        "{judgement:?}"
    );
    let mut different = games(twice, Side::Black, 1, BotFault::None, Taste::Random);
    different[1] =
        games(Scenario::find("plain").expect("a scenario"), Side::Black, 2, BotFault::None, Taste::Random).remove(0);
    assert!((twice.judge)(&different).summary.starts_with("Two games with the same seed differ from ply "));
}

#[test]
fn the_codes_of_all_moves_occur_over_the_two_sides() {
    let scenario = Scenario::find("moves-codes").expect("a scenario");
    let mut codes = BTreeSet::new();
    for game in Side::BOTH.into_iter().flat_map(|side| games(scenario, side, 1, BotFault::None, Taste::Random)) {
        codes.extend(responses(&game).map(|response| response.code()));
    }
    assert!((311..=318).all(|code| codes.contains(&code)), "{codes:?}");
}

#[test]
fn captures_turn_groups_of_all_sizes_and_leave_placements_that_depend_on_them() {
    let scenario = Scenario::find("captures").expect("a scenario");
    let (mut sizes, mut own, mut depending) = (BTreeSet::new(), false, 0);
    for game in Side::BOTH.into_iter().flat_map(|side| games(scenario, side, 1, BotFault::None, Taste::Random)) {
        let mut now = Turning::after(game.ruleset, []).expect("Gothello");
        for ply in &game.plies {
            depending += u32::from(ply.side() == game.side && now.depends_on_turned());
            let next = now.play(ply.played);
            let turned = now.turned_until(&next);
            own |= ply.side() == game.side && !turned.is_empty();
            sizes.extend(turned.into_iter().filter(|_| ply.side() != game.side).map(|size| size.min(4)));
            now = next;
        }
    }
    assert!(own && depending > 0 && [1, 2, 4].iter().all(|size| sizes.contains(size)), "{own} {depending} {sizes:?}");
}

#[test]
fn a_refused_move_that_is_sent_again_is_reported_even_if_it_is_refused_again() {
    let scenario = Scenario::find("refused").expect("a scenario");
    for side in Side::BOTH {
        let game = games(scenario, side, 1, BotFault::None, Taste::Random).remove(0);
        let tried = game.refusals.iter().find(|refusal| refusal.forged && refusal.kind == TryKind::Illegal);
        let tried = tried.expect("a move that was refused falsely").clone();
        let point = tried.text.split_whitespace().last().expect("a move").parse().expect("a move");
        let again = |change: &dyn Fn(&mut BoutFacts)| {
            let mut changed = game.clone();
            change(&mut changed);
            (scenario.judge)(slice::from_ref(&changed)).failure == Some(TrialFailure::SentAgain)
        };
        assert!(!again(&|_| {}), "{side}");
        assert!(again(&|game| game.refusals.push(tried.clone())), "{side}: refused twice");
        assert!(again(&|game| game.plies[tried.ply].played = point), "{side}: accepted the second time");
        let other = Refusal { text: tried.text.replace(' ', "  "), ..tried.clone() };
        assert!(!again(&|game| game.refusals.push(other.clone())), "{side}: another line");
    }
}

#[test]
fn a_pass_despite_moves_that_turned_stones_allow_is_reported_unless_it_ends_the_game_well() {
    let scenario = Scenario::find("captures").expect("a scenario");
    let mut told = 0;
    for game in Side::BOTH.into_iter().flat_map(|side| games(scenario, side, 1, BotFault::None, Taste::Random)) {
        let (own, won) = (game.side.side(), BoutEnd::Played(GameResult::resigned(game.side.side().opponent())));
        let lost = BoutEnd::Played(GameResult::resigned(own));
        let mut now = Turning::after(game.ruleset, []).expect("Gothello");
        for (number, made) in game.plies.iter().enumerate() {
            if made.side() == own && now.depends_on_turned() {
                let passes_then = |replies: usize, end: &BoutEnd| {
                    let mut plies = game.plies[..number].to_vec();
                    let pass = |side: Side| Ply { seat: side.into(), played: Move::PASS, ..made.clone() };
                    plies.extend([own, own.opponent()].into_iter().take(1 + replies).map(pass));
                    let passed = BoutFacts { plies, end: end.clone(), ..game.clone() };
                    (scenario.judge)(slice::from_ref(&passed)).failure == Some(TrialFailure::PassedOver)
                };
                let of_last = passes_then(0, &lost);
                assert_eq!(
                    [passes_then(0, &won), passes_then(1, &won), passes_then(1, &lost)],
                    [false, of_last, of_last]
                );
                told += u32::from(of_last);
            }
            now = now.play(made.played);
        }
    }
    assert!(told > 0, "in some of these positions, a pass is not a best move");
}

#[test]
fn the_documented_table_is_the_table_of_scenarios() {
    let page = include_str!("../../../docs/bot/check.md");
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 3);
    let told: Vec<&str> = rows.collect();
    let row = |scenario: &Scenario| {
        let Scenario { id, level, does, about, .. } = scenario;
        format!("| `{id}` | {level} | {does} | {about} |")
    };
    assert_eq!(told, SCENARIOS.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn a_scenario_plays_as_many_games_as_it_has_different_plans() {
    for scenario in &SCENARIOS {
        for side in Side::BOTH {
            let plan = |game| (scenario.plan)(&setting(side, game, 1));
            let played: Vec<Plan> = (0..scenario.games).map(plan).collect();
            let unplayed = (scenario.games..scenario.games + 20).map(plan).find(|plan| !played.contains(plan));
            assert_eq!(unplayed, None, "{} {side}", scenario.id);
        }
    }
}

#[test]
fn scenarios_of_gothello_alone_are_marked_and_play_no_other_game() {
    let marked: Vec<&str> = SCENARIOS
        .iter()
        .filter(|scenario| scenario.rules == NeededRules::Gothello)
        .map(|scenario| scenario.id)
        .collect();
    assert_eq!(marked, ["moves-codes", "captures", "must-pass", "opponent-passes", "double-pass"]);
}

/// The arena's lines in `game`.
fn responses(game: &BoutFacts) -> impl Iterator<Item = Response> {
    game.transcript.lines_by(Speaker::Arena).map(|line| line.parse().expect("a response"))
}
