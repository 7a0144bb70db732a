//! One game of a scenario: the referee, the opponent, and the plan's changes to what is sent over the wire.

use std::collections::VecDeque;
use std::time::Duration;

use super::delivery::Sender;
use super::rival::{Reply, Rival, StartingPosition, move_line, position_after};
use super::{Act, BoutEnd, BoutFacts, LastCode, Plan, Refusal, RivalKind, Setting, ToldNames};
use crate::game::{BySide, Position, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::referee::record::TryKind;
use crate::referee::result::Termination;
use crate::referee::sans_io::{Arrival, Departure, Referee, Terms};
use crate::referee::wire::{Action, Decision, EntityName, Line, Response, Speech, Words};

/// The number of refused lines in one turn, or of lines sent out of turn, at which the arena gives up.
const MAX_REFUSED: u32 = 40;

/// The maximum number of refused lines that are recorded in a game.
const MAX_KEPT_REFUSALS: usize = 200;

/// The bot's turn in which its flag falls if the plan requires it.
const OWN_FLAG_AT: u32 = 3;

/// A microsecond, the unit of the clocks.
const TICK: Duration = Duration::from_micros(1);

/// One game of a scenario without I/O: the input is the bot's lines and their times, and the output is acts.
#[derive(Debug)]
pub struct Bout {
    plan: Plan,
    side: Side,
    ruleset: Ruleset,
    referee: Referee,
    rival: Box<dyn Rival>,
    sender: Sender,
    start: StartingPosition,
    /// The bot's lines that the referee has not answered yet. The referee limits their number.
    unanswered: VecDeque<String>,
    /// The refused lines, at most [`MAX_KEPT_REFUSALS`].
    refusals: Vec<Refusal>,
    /// How many of the bot's lines were refused in this turn.
    refused: u32,
    /// How many more legal moves the arena has to refuse.
    false_refusals: u32,
    slowest: Duration,
    used: Duration,
    /// The wall time of each of the bot's accepted moves, if the clocks count CPU time.
    walls: Vec<Duration>,
    /// Whether the bot's turns took longer than its limit of wall time.
    is_out_of_wall_time: bool,
    forged: bool,
    /// Whether the plan ended the game by the fall of the bot's own flag.
    flag_was_planned: bool,
}

impl Bout {
    /// Sets up the game described by `plan`, against `rival`.
    pub fn new(plan: Plan, setting: &Setting, rival: Box<dyn Rival>) -> Self {
        Self::starting_at(Ruleset::start, plan, setting, rival)
    }

    /// Like [`Bout::new`], for games that start from another position.
    pub(super) fn starting_at(start: StartingPosition, plan: Plan, setting: &Setting, rival: Box<dyn Rival>) -> Self {
        let Setting { side, ruleset, clock, .. } = *setting;
        let meter = clock.meter(plan.time_control, ruleset);
        let terms =
            Terms { ruleset, time_control: plan.time_control, meter, endings: plan.endings, ..Terms::default() };
        Self {
            side,
            ruleset,
            referee: Referee::starting_at(start(ruleset), terms).unobserved(),
            rival,
            sender: Sender::new(plan.delivery),
            start,
            unanswered: VecDeque::new(),
            refusals: Vec::new(),
            refused: 0,
            false_refusals: plan.false_refusal.map_or(0, |refusal| refusal.times),
            slowest: Duration::ZERO,
            used: Duration::ZERO,
            walls: Vec::new(),
            is_out_of_wall_time: false,
            forged: false,
            flag_was_planned: false,
            plan,
        }
    }

    /// Begins the game once the bot, which understands `speech`, has taken its seat.
    pub fn begin(&mut self, speech: impl Into<Speech>) -> Vec<Act> {
        self.sender.speech = speech.into();
        let mut responses = self.plan.names.map(|told| names(told, self.side)).unwrap_or_default();
        responses.extend(std::mem::take(&mut self.referee.start().players[self.side]));
        self.sender.say(&responses);
        if self.plan.rival == RivalKind::LeavesAt(0) {
            let mut say = self.referee.departed(self.side.opponent(), Departure::Disconnect, Duration::ZERO);
            self.sender.say(&std::mem::take(&mut say.players[self.side]));
        }
        self.go_on();
        self.sender.take()
    }

    /// Judges a line of the bot. `arrival` is measured from the beginning of its turn.
    pub fn hear(&mut self, line: Line, arrival: Arrival) -> Vec<Act> {
        if self.referee.is_over() {
            return Vec::new();
        }
        if let Some(refusal) = self.false_refusal(&line) {
            self.sender.say(&[refusal]);
            return self.sender.take();
        }
        let plies = self.referee.plies().len();
        let is_on_move = self.referee.to_move() == self.side;
        self.unanswered.push_back(match &line {
            Line::Text(text) | Line::Foreign { said: text, .. } => text.clone(),
            Line::TooLong => "(a line that is too long)".to_owned(),
        });
        let said = std::mem::take(&mut self.referee.receive(self.side, line, arrival).players[self.side]);
        let made = self.referee.plies().get(plies).filter(|_| is_on_move);
        if let Some(charged) = made.map(|ply| ply.elapsed.unwrap_or_default()) {
            self.charge(charged);
            if self.counts_cpu() {
                self.walls.push(arrival.wall);
            }
        } else if is_on_move && self.referee.is_over() {
            self.charge(arrival.elapsed);
        }
        self.note_answers(&said, plies);
        let said = self.with_last_code(said);
        self.sender.say(&said);
        if self.refused > MAX_REFUSED {
            self.give_up(format!("{MAX_REFUSED} refused lines in one turn"), arrival.elapsed);
        }
        self.go_on();
        self.sender.take()
    }

    /// The time that the bot has left on its clock in its turn, if there are clocks.
    pub fn allowance(&self) -> Option<Duration> {
        self.referee.allowance()
    }

    /// How much wall time the bot's turn may take; `None` without a limit.
    pub fn wall_allowance(&self) -> Option<Duration> {
        match self.meter() {
            Meter::Wall => self.allowance(),
            Meter::Cpu { .. } => self.referee.wall_allowance(),
        }
    }

    /// What the bot's clock measures.
    pub const fn meter(&self) -> Meter {
        self.referee.meter()
    }

    fn counts_cpu(&self) -> bool {
        self.meter() != Meter::Wall
    }

    /// Handles the fall of the bot's flag, or the end of its wall time, after `elapsed` on its clock in its turn.
    pub fn time_is_up(&mut self, elapsed: Duration) -> Vec<Act> {
        let is_spent = self.allowance().is_some_and(|allowance| elapsed > allowance);
        self.is_out_of_wall_time = self.counts_cpu() && !is_spent;
        let said = std::mem::take(&mut self.referee.time_is_up(elapsed).players[self.side]);
        self.charge(elapsed);
        self.sender.say(&said);
        self.sender.take()
    }

    /// Adds a turn of the bot that took `elapsed` on its clock.
    fn charge(&mut self, elapsed: Duration) {
        self.used += elapsed;
        self.slowest = self.slowest.max(elapsed);
    }

    /// Handles the departure of the bot.
    pub fn departed(&mut self, how: Departure, elapsed: Duration) {
        self.referee.departed(self.side, how, elapsed);
    }

    /// The number of plies so far, which changes when a turn ends.
    pub fn turn(&self) -> usize {
        self.referee.plies().len()
    }

    /// Whether the game is over.
    pub const fn is_over(&self) -> bool {
        self.referee.is_over()
    }

    /// Returns what happened on the board and on the clocks. The caller has to add the facts about the process and the
    /// connection.
    pub fn finish(self) -> BoutFacts {
        let end = self.end();
        let Self { side, ruleset, plan, refusals, forged, slowest, used, walls, .. } = self;
        let wall_limit = self.referee.meter().wall_limit(side);
        let plies = self.referee.finish().plies;
        let not_begun = BoutFacts::not_begun(side, ruleset, plan.time_control);
        BoutFacts { plies, refusals, end, forged, wall_limit, slowest, used, walls, ..not_begun }
    }

    fn end(&self) -> BoutEnd {
        let result = match self.referee.result() {
            None => return BoutEnd::TimedOut,
            Some(Err(void)) => return BoutEnd::Void(void.reason.clone()),
            Some(Ok(result)) => result,
        };
        let reason = || result.reason().unwrap_or_default().to_owned();
        if !result.fault().is_on(self.side) || self.flag_was_planned {
            let has_resigned = result.termination() == Termination::Resignation && result.winner() != Some(self.side);
            return if has_resigned { BoutEnd::Resigned } else { BoutEnd::Played(result.clone()) };
        }
        match result.termination() {
            Termination::Time if self.is_out_of_wall_time => BoutEnd::OutOfWallTime,
            Termination::Time => BoutEnd::FlagFell,
            Termination::Disconnect => BoutEnd::Disconnected,
            Termination::Limit(_) => BoutEnd::LimitExceeded(reason()),
            Termination::Protocol => BoutEnd::Stuck(reason()),
            _ => BoutEnd::Crashed(reason()),
        }
    }

    /// The refusal of `line`, if it makes a legal move that the plan requires the arena to refuse.
    fn false_refusal(&mut self, line: &Line) -> Option<Response> {
        let plan = self.plan.false_refusal?;
        let is_due =
            self.false_refusals > 0 && self.referee.to_move() == self.side && self.referee.number() == plan.at_move;
        let Line::Text(text) = line else { return None };
        if !is_due || !self.is_legal(text) {
            return None;
        }
        self.false_refusals -= 1;
        let why = "refused by the drill to see how the bot continues".to_owned();
        let response = match plan.kind {
            TryKind::Illegal => Response::Illegal(Words::new(&why)),
            TryKind::Garbled => Response::Garbled(Words::new(&why)),
        };
        let ply = self.referee.plies().len();
        self.keep(Refusal { ply, text: text.clone(), why, kind: plan.kind, forged: true });
        Some(response)
    }

    /// Whether the referee would accept `text` as the bot's placement. A pass is always legal, and is therefore never
    /// refused.
    fn is_legal(&self, text: &str) -> bool {
        let Ok(Action::Numbered { number, dots, text }) = text.parse() else { return false };
        let is_in_form = number == i64::from(self.referee.number()) && dots == usize::from(self.side == Side::White);
        is_in_form && self.position().play(&text).is_ok_and(|played| !played.is_pass())
    }

    fn position(&self) -> Box<dyn Position> {
        position_after((self.start)(self.ruleset), self.referee.plies())
    }

    /// Records the referee's answers to lines of the bot, the first of which was sent after `ply` plies. Lines that were
    /// sent early are answered when it is the bot's turn.
    fn note_answers(&mut self, said: &[Response], mut ply: usize) {
        for response in said {
            let (kind, why) = match response {
                Response::Illegal(words) => (TryKind::Illegal, words),
                Response::Garbled(words) => (TryKind::Garbled, words),
                Response::Accepted(_) | Response::AcceptedTimed { .. } | Response::Over { played: Some(_), .. } => {
                    self.unanswered.pop_front();
                    self.refused = 0;
                    continue;
                }
                Response::Moved { .. } | Response::MovedLast { .. } => {
                    ply += 1;
                    continue;
                }
                _ => continue,
            };
            self.refused += 1;
            let text = self.unanswered.pop_front().unwrap_or_default();
            let why = why.as_str().to_owned();
            self.keep(Refusal { ply, text, why, kind, forged: false });
        }
    }

    fn keep(&mut self, refusal: Refusal) {
        if self.refusals.len() < MAX_KEPT_REFUSALS {
            self.refusals.push(refusal);
        }
    }

    /// Lets the rival play while it is to move, and then ends the game if the plan requires it.
    fn go_on(&mut self) {
        while !self.referee.is_over() && self.referee.to_move() != self.side {
            let rival = self.side.opponent();
            let plies = self.referee.plies().len();
            let reply = self.rival.reply(self.ruleset, self.referee.plies());
            self.sender.before_move(self.referee.number());
            let mut say = match reply {
                Reply::Play(played) => {
                    let line = Line::Text(move_line(rival, self.referee.number(), played));
                    self.referee.receive(rival, line, Arrival::default())
                }
                Reply::Resign => self.referee.receive(rival, Line::Text(Action::RESIGN.to_owned()), Arrival::default()),
                Reply::Leave => self.referee.departed(rival, Departure::Disconnect, Duration::ZERO),
                Reply::FlagFalls => {
                    let all = self.referee.allowance().unwrap_or_default();
                    self.referee.time_is_up(all + TICK)
                }
            };
            let said = std::mem::take(&mut say.players[self.side]);
            self.note_answers(&said, plies);
            let said = self.with_last_code(said);
            self.sender.say(&said);
        }
        self.let_own_flag_fall();
    }

    fn let_own_flag_fall(&mut self) {
        if self.plan.own_flag && !self.referee.is_over() && self.referee.number() >= OWN_FLAG_AT {
            self.flag_was_planned = true;
            self.sender.note("the arena ends the game as if the bot's time were up");
            let all = self.referee.allowance().unwrap_or_default();
            let said = std::mem::take(&mut self.referee.time_is_up(all + TICK).players[self.side]);
            self.sender.say(&said);
        }
    }

    fn give_up(&mut self, why: String, elapsed: Duration) {
        let said = std::mem::take(
            &mut self.referee.forfeits(self.side, Termination::Protocol, why, elapsed).players[self.side],
        );
        self.sender.say(&said);
    }

    /// Replaces the code that ends the game on the board, if the plan requires a different code.
    fn with_last_code(&mut self, mut said: Vec<Response>) -> Vec<Response> {
        let LastCode::Means(wanted) = self.plan.last_code else { return said };
        for response in &mut said {
            let (decision, wanted) = match response {
                Response::Over { decision, played: Some(_) } => (decision, wanted),
                Response::MovedLast { side, decision, .. } if *side == self.side => (decision, wanted),
                Response::MovedLast { decision, .. } => (decision, for_the_other(wanted)),
                _ => continue,
            };
            if *decision != wanted {
                *decision = wanted;
                self.forged = true;
                self.sender.note("forged: the last code does not match the board");
            }
        }
        said
    }
}

/// The decision from the opponent's point of view.
const fn for_the_other(decision: Decision) -> Decision {
    match decision {
        Decision::Win => Decision::Loss,
        Decision::Loss => Decision::Win,
        Decision::Draw => Decision::Draw,
    }
}

/// The lines with the names of both players and of an observer, and with the number of observers.
fn names(told: ToldNames, side: Side) -> Vec<Response> {
    let name = |text: &str| EntityName::new(text);
    let players = match told {
        ToldNames::Plain => BySide { black: name("a bot"), white: name("another bot") },
        ToldNames::Unusual => BySide { black: name("a \"quoted\" bot"), white: name("zu sp\u{e4}t") },
    };
    let mut said = Vec::new();
    for one in [side, side.opponent()] {
        said.extend(players[one].clone().map(|name| Response::PlayerName(one, name)));
    }
    said.extend(name("a spectator").map(|name| Response::ObserverName(1, name)));
    said.push(Response::Observers(1));
    said
}
