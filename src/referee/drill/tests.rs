//! Scenarios against bots in memory.

mod bots;
mod laws;

use std::collections::VecDeque;
use std::time::Duration;

use bots::{Fault, Style, TestBot};

use super::rival::{Start, rival_from};
use super::{
    Act, Bout, BoutEnd, BoutFacts, Coming, Delivery, Finding, Fought, Judgement, Level, NeededRules, Plan, Rival, RivalKind,
    SCENARIOS, Scenario, Setting, Speaker, Transcript,
};
use crate::base::random::mix;
use crate::game::rules::uneven::Uneven;
use crate::game::rules::{Ruleset, Side};
use crate::referee::record::Ply;
use crate::referee::sans_io::Departure;
use crate::referee::wire::Line;

/// The time of an ordinary game.
const TIME: Duration = Duration::from_secs(10);

fn setting(side: Side, game: u32) -> Setting {
    Setting { side, ruleset: Ruleset::default(), time: TIME, game, seed: 0 }
}

/// A game that is played in memory.
struct Ring {
    start: Start,
    plan: Plan,
    setting: Setting,
    bout: Bout,
    bot: TestBot,
    /// The bot's lines on their way.
    said: VecDeque<String>,
    transcript: Transcript,
    idle_cpu: Option<Duration>,
}

impl Ring {
    fn new(start: Start, plan: Plan, setting: Setting, seed: u64, bot: TestBot) -> Self {
        // The perfect rival needs a search; this one is good enough to win now and then.
        let kind = if plan.rival == RivalKind::Perfect { RivalKind::Strangler } else { plan.rival };
        let rival: Box<dyn Rival> = rival_from(start, kind, seed).expect("a rival without a search");
        let bout = Bout::starting_at(start, plan.clone(), &setting, rival);
        let (said, transcript) = (VecDeque::new(), Transcript::default());
        Self { start, plan, setting, bout, bot, said, transcript, idle_cpu: None }
    }

    fn fight(mut self) -> BoutFacts {
        let side = self.setting.side;
        if let (Some(own), Some(others)) = (self.plan.time_control.of(side), self.plan.time_control.of(side.opponent())) {
            self.bot.granted(own, others);
        }
        let acts = self.bout.begin();
        self.perform(acts);
        while !self.bout.is_over() {
            let thinks = self.bot.thinks();
            let acts = match self.said.pop_front() {
                _ if self.bout.allowance().is_some_and(|allowance| thinks > allowance) => self.bout.time_is_up(thinks),
                Some(line) => self.bout.hear(Line::Text(line), thinks),
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
        let Fought { plies, refusals, end, forged, slowest, used } = self.bout.finish();
        BoutFacts {
            side,
            ruleset: self.setting.ruleset,
            time_control: self.plan.time_control,
            coming: Coming::Seated,
            plies,
            refusals,
            end,
            forged,
            slowest,
            used,
            idle_cpu: self.idle_cpu,
            said_after_end: self.said.into_iter().collect(),
            process: Some(self.bot.process()),
            transcript: self.transcript,
        }
    }

    fn perform(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Send(bytes) => {
                    self.transcript.add(Duration::ZERO, Speaker::Arena, &bytes);
                    self.said.append(&mut self.bot.hear(&bytes));
                }
                Act::Wait(_) => {}
                Act::WaitIdle(_) => self.idle_cpu = Some(self.bot.idles()),
                Act::Note(text) => self.transcript.note(Duration::ZERO, &text),
            }
        }
    }
}

/// Plays all games of a scenario.
fn games(scenario: &Scenario, side: Side, seed: u64, fault: Fault, style: Style) -> Vec<BoutFacts> {
    let play = |game: u32| {
        let setting = setting(side, game);
        let seed = mix(seed, &format!("{}.{}", scenario.id, scenario.seed_of(game)));
        let bot = TestBot::new(fault, style, side, setting.ruleset.start(), seed);
        Ring::new(Ruleset::start, (scenario.plan)(&setting), setting, seed, bot).fight()
    };
    (0..scenario.games).map(play).collect()
}

fn judged(scenario: &Scenario, side: Side, seed: u64, fault: Fault, style: Style) -> Judgement {
    (scenario.judge)(&games(scenario, side, seed, fault, style))
}

/// The scenarios on which a bot with this fault is found wanting, on either side.
fn caught(fault: Fault, seed: u64) -> Vec<&'static str> {
    let is_caught = |scenario: &&Scenario| {
        Side::BOTH.into_iter().any(|side| judged(scenario, side, seed, fault, Style::Random).finding >= Finding::Poor)
    };
    SCENARIOS.iter().filter(is_caught).map(|scenario| scenario.id).collect()
}

#[test]
fn an_honest_bot_passes_every_scenario_on_both_sides() {
    for (scenario, side) in SCENARIOS.iter().flat_map(|scenario| Side::BOTH.map(|side| (scenario, side))) {
        for (seed, style) in [(1, Style::Random), (2, Style::Random), (3, Style::Greedy)] {
            let judgement = judged(scenario, side, seed, Fault::None, style);
            assert!(judgement.finding <= Finding::Told, "{} {side} {seed}: {judgement:?}", scenario.id);
        }
    }
}

#[test]
#[ignore]
fn experiment() {
    use crate::referee::wire::Response;
    for id in ["moves-codes", "captures", "must-pass", "opponent-passes", "double-pass"] {
        let scenario = Scenario::find(id).unwrap();
        for (side, style) in Side::BOTH.into_iter().flat_map(|side| [(side, Style::Random), (side, Style::Greedy)]) {
            let (mut told, mut poor, mut bad, mut naive, mut back) = (0, 0, 0, 0, 0);
            let mut codes = std::collections::BTreeMap::<u16, u32>::new();
            let n = 40;
            let began = std::time::Instant::now();
            for seed in 0..n {
                let facts = games(scenario, side, seed, Fault::None, style);
                let mut all = std::collections::BTreeSet::new();
                for game in &facts {
                    for line in game.transcript.lines_by(Speaker::Arena) {
                        if let Ok(response) = line.parse::<Response>() {
                            all.insert(response.code());
                        }
                    }
                }
                for code in all { *codes.entry(code).or_default() += 1; }
                match (scenario.judge)(&facts).finding {
                    Finding::Told => told += 1,
                    Finding::Poor => poor += 1,
                    Finding::Bad => bad += 1,
                    _ => {}
                }
            }
            let took = began.elapsed() / n as u32;
            for seed in 0..n {
                naive += u32::from(judged(scenario, side, seed, Fault::TurnsNothing, style).finding >= Finding::Poor);
                back += u32::from(judged(scenario, side, seed, Fault::PassesBack, style).finding >= Finding::Poor);
            }
            println!("{id} {side} {style:?}: told {told} poor {poor} bad {bad} of {n}; naive caught {naive}, back {back}; {took:?}; {codes:?}");
        }
    }
}
