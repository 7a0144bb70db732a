//! Scenarios in games with more than two seats.

use super::*;
use crate::base::random::SplitMix64;
use crate::drill::script::{BotSeat, LastCode, ProcessExit, ProcessFacts};
use crate::game::{BySeat, Position, Seat};
use crate::referee::wire::Decision;

/// The fault of a bot in a game with more than two seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupFault {
    None,
    /// The bot waits for the moves of seats that have dropped out.
    WaitsForTheGone,
    /// The bot exits as soon as a seat has dropped out.
    DiesOfDropOuts,
    /// The bot writes too few dots.
    LacksDots,
}

/// A bot in memory: it receives bytes and returns lines.
struct GroupBot {
    fault: GroupFault,
    seat: Option<Seat>,
    position: Box<dyn Position>,
    moves: BySeat<u32>,
    random: SplitMix64,
    read: Vec<u8>,
    refused: Vec<Move>,
    sent: Option<Move>,
    is_done: bool,
}

impl GroupBot {
    fn new(fault: GroupFault, ruleset: Ruleset, seed: u64) -> Self {
        Self {
            fault,
            seat: None,
            position: ruleset.start(),
            moves: BySeat::from_fn(ruleset.seats(), |_| 0),
            random: SplitMix64::new(seed),
            read: Vec::new(),
            refused: Vec::new(),
            sent: None,
            is_done: false,
        }
    }

    /// Receives bytes, and answers.
    fn hear(&mut self, bytes: &[u8]) -> Option<String> {
        self.read.extend_from_slice(bytes);
        while let Some(end) = self.read.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.read.drain(..=end).collect();
            let line = String::from_utf8(line).expect("the arena sends UTF-8");
            if !self.is_done {
                self.heed(&line.trim_end().parse().unwrap_or_else(|error| panic!("{line}: {error}")));
            }
        }
        self.answer()
    }

    fn heed(&mut self, response: &Response) {
        match *response {
            Response::YouPlaySeat(seat) => self.seat = Some(seat),
            Response::MovedInGroup { seat, .. }
                if self.fault == GroupFault::WaitsForTheGone && seat != self.position.seat_to_move() => {}
            Response::MovedInGroup { seat, number, ref played, .. } => {
                self.sent = None;
                self.moves[seat] += 1;
                assert_eq!((self.position.seat_to_move(), self.moves[seat]), (seat, number), "{}", self.position);
                self.position.play(played.as_str()).expect("a legal move");
                self.refused.clear();
            }
            Response::DroppedOut { seat, .. } => match self.fault {
                _ if Some(seat) == self.seat => self.is_done = true,
                GroupFault::DiesOfDropOuts => self.is_done = true,
                GroupFault::WaitsForTheGone => {}
                _ => self.position.drop_out(seat),
            },
            Response::Illegal(_) | Response::Garbled(_) => self.refused.extend(self.sent.take()),
            Response::Over { .. } | Response::Placed(_) => self.is_done = true,
            _ => {}
        }
    }

    fn answer(&mut self) -> Option<String> {
        let seat = self.seat.filter(|&seat| seat == self.position.seat_to_move())?;
        if self.is_done || self.sent.is_some() || self.position.is_over() {
            return None;
        }
        let mut choices = self.position.legal_moves();
        choices.retain(|played| !self.refused.contains(played));
        choices.retain(|played| !played.is_pass() || choices_are_passes(&self.position.legal_moves()));
        let nth = usize::try_from(self.random.below(choices.len() as u64)).expect("few");
        let played = *choices.get(nth)?;
        self.sent = Some(played);
        let dots = if self.fault == GroupFault::LacksDots { 1 } else { seat.index() };
        Some(format!("{} {}{played}", self.moves[seat] + 1, "... ".repeat(dots)))
    }
}

fn choices_are_passes(moves: &[Move]) -> bool {
    moves.iter().all(Move::is_pass)
}

/// Plays one game of a scenario in memory.
fn fight(plan: Plan, setting: &Setting, fault: GroupFault) -> BoutFacts {
    let kind = if plan.rival == RivalKind::Strong { RivalKind::Strangler } else { plan.rival };
    let rival = rival_from(Ruleset::start, kind, setting.seed).expect("a rival without a search");
    let mut bot = GroupBot::new(fault, setting.ruleset, setting.seed);
    let mut running = Bout::new(plan, setting, rival);
    let (mut said, mut transcript) = (VecDeque::new(), Transcript::default());
    let mut perform = |acts: Vec<Act>, said: &mut VecDeque<String>, bot: &mut GroupBot| {
        for act in acts {
            if let Act::Send(bytes) = act {
                transcript.add(Duration::ZERO, Speaker::Arena, &bytes);
                said.extend(bot.hear(&bytes));
            }
        }
    };
    perform(running.begin(Dialect::NamesRules), &mut said, &mut bot);
    while !running.is_over() {
        let took = Duration::from_millis(1);
        let acts = match said.pop_front() {
            Some(line) => {
                running.hear(Line::Text(line), Arrival { elapsed: took, wall: took, lateness: Duration::ZERO })
            }
            None if bot.is_done => {
                running.departed(Departure::Crash("exit status 1".to_owned()), took);
                Vec::new()
            }
            None => break,
        };
        perform(acts, &mut said, &mut bot);
    }
    let exit = Some(ProcessExit::Status(0));
    let process = ProcessFacts { exit, left_after: Some(Duration::from_millis(1)), ..ProcessFacts::default() };
    BoutFacts {
        idle_cpu: Some(Duration::from_millis(1)),
        said_after_end: said.into_iter().collect(),
        process: Some(process),
        transcript,
        ..running.finish()
    }
}

/// Plays all games of a scenario.
fn games(id: &str, ruleset: &str, seat: u8, fault: GroupFault) -> (&'static Scenario, Vec<BoutFacts>) {
    let scenario = Scenario::find(id).expect("a scenario");
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let side = BotSeat::of(ruleset.seats(), Seat::new(seat).expect("a seat"));
    let play = |game: u32| {
        let seed = mix(1, &format!("{id}.{}", scenario.seed_of(game)));
        let setting = Setting { side, ruleset, ..setting(Side::Black, game, seed) };
        fight((scenario.plan)(&setting), &setting, fault)
    };
    (scenario, (0..scenario.games).map(play).collect())
}

#[test]
fn a_sound_bot_passes_every_scenario_for_its_number_of_seats_in_every_seat() {
    let is_short = |scenario: &&Scenario| scenario.games < 20 && scenario.rules.have_seats(4);
    for scenario in SCENARIOS.iter().filter(is_short).filter(|scenario| scenario.rules != NeededRules::Gothello) {
        let is_about_seats = ["plain", "drop-outs", "opponent-leaves", "own-flag", "names"].contains(&scenario.id);
        for seat in if is_about_seats { 1..=4 } else { 3..=3 } {
            let (scenario, games) = games(scenario.id, "quantum-8-4p", seat, GroupFault::None);
            for facts in &games {
                let place = format!("{} in seat {seat}", scenario.id);
                assert_eq!(facts.end, BoutEnd::PlayedInGroup, "{place}: {:?}", facts.refusals);
                assert_eq!(facts.true_refusals().count(), 0, "{place}: {:?}", facts.refusals);
            }
            let Judgement { finding, summary, .. } = (scenario.judge)(&games);
            assert!(finding < Finding::Poor, "{} in seat {seat}: {summary}", scenario.id);
        }
    }
    let (scenario, games) = games("drop-outs", "quantum-6p", 6, GroupFault::None);
    assert_eq!((scenario.judge)(&games).finding, Finding::Good);
}

#[test]
fn one_opponent_drops_out_and_the_others_play_on() {
    let (_, games) = games("drop-outs", "quantum-8-4p", 2, GroupFault::None);
    let [later, at_once] = &games[..] else { panic!("there are two games") };
    assert_eq!(at_once.outs, [(0, Seat::new(3).expect("a seat"))], "the seat after the bot's");
    // Seat 1 is the first to reach its third move.
    assert_eq!(later.outs, [(8, Seat::FIRST)]);
    for game in &games {
        let said: Vec<u16> = responses(game).map(|response| response.code()).collect();
        assert_eq!(said.iter().filter(|&&code| code == 335).count(), 1);
        let last = game.position_after(game.plies.len());
        assert!(last.is_over(), "the position of a game whose end is known without its drop-outs:\n{last}");
        let gone = game.outs[0];
        assert!(game.plies[gone.0..].iter().all(|ply| ply.seat != gone.1));
    }
}

#[test]
fn a_bot_that_cannot_handle_drop_outs_fails_where_they_occur() {
    for (fault, expected) in [
        (GroupFault::WaitsForTheGone, BoutEnd::TimedOut),
        (GroupFault::DiesOfDropOuts, BoutEnd::Crashed("exit status 1".to_owned())),
    ] {
        let (scenario, facts) = games("drop-outs", "quantum-8-4p", 4, fault);
        assert!(facts.iter().any(|game| game.end == expected), "{fault:?}: {:?}", facts[0].end);
        assert!((scenario.judge)(&facts).finding >= Finding::Bad, "{fault:?}");
        let (plain, facts) = games("plain", "quantum-8-4p", 4, fault);
        assert!((plain.judge)(&facts).finding < Finding::Poor, "{fault:?}");
    }
}

#[test]
fn a_move_may_cross_with_the_placing_in_the_bots_turn_and_nothing_else_may_follow_the_end() {
    let (plain, mut facts) = games("plain", "quantum-8-4p", 1, GroupFault::None);
    let next = facts[0].plies.last().expect("a move").seat.number() % 4 + 1;
    for seat in 1..=4 {
        facts[0].side = BotSeat::of(4, Seat::new(seat).expect("a seat"));
        let own = facts[0].own_plies().count();
        let line = |number: usize| format!("{number} {}pass", "... ".repeat(usize::from(seat) - 1));
        for (said, is_silent) in [
            (vec![line(own + 1)], seat == next),
            (vec![line(own + 1), line(own + 2)], false),
            (vec![line(own + 2)], false),
            (vec!["resign".to_owned()], false),
        ] {
            facts[0].said_after_end = said;
            let is_good = (plain.judge)(&facts).finding < Finding::Poor;
            assert_eq!(is_good, is_silent, "{seat} {next}: {:?}", facts[0].said_after_end);
        }
    }
}

#[test]
fn a_line_with_too_few_dots_is_refused_from_the_third_seat_on() {
    for (seat, is_refused) in [(2, false), (3, true)] {
        let (plain, facts) = games("plain", "quantum-8-4p", seat, GroupFault::LacksDots);
        assert_eq!(facts[0].true_refusals().count() > 0, is_refused, "{seat}");
        assert_eq!((plain.judge)(&facts).finding >= Finding::Bad, is_refused, "{seat}");
    }
}

#[test]
fn the_last_code_of_a_group_means_what_the_scenario_wants() {
    for (id, wanted) in [("win", Decision::Win), ("loss", Decision::Loss), ("draw", Decision::Draw)] {
        for seat in [1, 4] {
            let (scenario, facts) = games(id, "quantum-8-4p", seat, GroupFault::None);
            assert_eq!((scenario.plan)(&setting(Side::Black, 0, 1)).last_code, LastCode::Means(wanted));
            let seat = Seat::new(seat).expect("a seat");
            let told = responses(&facts[0]).find_map(|response| match response {
                Response::Placed(placing) => Some(Decision::by_placing(&placing, seat)),
                Response::Over { decision, .. } => Some(decision),
                _ => None,
            });
            assert_eq!(told, Some(wanted), "{id} in seat {seat}");
        }
    }
}

#[test]
fn every_name_in_a_group_is_sent_with_its_seat() {
    let (_, facts) = games("names", "quantum-6p", 5, GroupFault::None);
    let named = responses(&facts[0]).filter_map(|response| match response {
        Response::SeatName(seat, _) => Some(seat.number()),
        _ => None,
    });
    assert_eq!(named.collect::<Vec<_>>(), [5, 6, 1, 2, 3, 4]);
}
