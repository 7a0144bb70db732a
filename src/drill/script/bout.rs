//! One game of a scenario: the referee, the opponent, and the plan's changes to what is sent over the wire.

use std::collections::VecDeque;
use std::time::Duration;

use super::delivery::Sender;
use super::prelude::moves_before;
use super::rival::{DropOut, Reply, Rival, SoFar, StartingPosition, move_line, position_after};
use super::{Act, BotSeat, BoutEnd, BoutFacts, LastCode, Plan, Refusal, RivalKind, Setting, ToldNames};
use crate::game::{BySeat, Position, Ruleset, Seat};
use crate::referee::clock::Meter;
use crate::referee::record::TryKind;
use crate::referee::result::{GameEnd, Termination};
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
    side: BotSeat,
    ruleset: Ruleset,
    referee: Referee,
    /// The opponent, which plays in all other seats.
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
    /// Whether the bot's turns exceeded its limit of wall time.
    is_out_of_wall_time: bool,
    forged: bool,
    /// Whether the plan ended the game by making the bot's own flag fall.
    flag_was_planned: bool,
}

impl Bout {
    /// Sets up the game described by `plan`, against `rival`.
    pub fn new(plan: Plan, setting: &Setting, rival: Box<dyn Rival>) -> Self {
        Self::starting_at(Ruleset::start, plan, setting, rival)
    }

    /// Like [`Bout::new`], but for games that start from another position.
    pub(super) fn starting_at(start: StartingPosition, plan: Plan, setting: &Setting, rival: Box<dyn Rival>) -> Self {
        let Setting { side, ruleset, clock, .. } = *setting;
        let meter = clock.meter(plan.time_control, ruleset);
        let terms =
            Terms { ruleset, time_control: plan.time_control, meter, endings: plan.endings, ..Terms::default() };
        let prelude = setting.mode.map(|mode| moves_before(mode, ruleset, setting.seed)).unwrap_or_default();
        let mut referee = Referee::starting_at(start(ruleset), terms).unobserved().with_prelude(&prelude);
        if setting.mode.is_some() {
            referee = referee.with_teams(BySeat::from_fn(ruleset.seats(), |seat| seat == side.seat()));
        }
        Self {
            side,
            ruleset,
            referee,
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
        let mut responses = self.plan.names.map(|told| names(told, &self.in_turn())).unwrap_or_default();
        // Only a bot that takes over for its team joins a game in which moves have already been made.
        responses.extend(if self.turn() > 0 {
            self.referee.relieve(self.seat())
        } else {
            std::mem::take(&mut self.referee.start().players[self.seat()])
        });
        self.sender.say(&responses);
        let mut absent = self.in_turn();
        absent.retain(|&seat| seat != self.seat());
        absent.truncate(match self.plan.rival {
            RivalKind::LeavesAt(0) => absent.len(),
            RivalKind::OneFailsAt(0) => 1,
            _ => 0,
        });
        for rival in absent {
            let mut say = self.referee.departed(rival, Departure::Disconnect, Duration::ZERO);
            self.sender.say(&std::mem::take(&mut say.players[self.seat()]));
        }
        self.go_on();
        self.sender.take()
    }

    /// Judges a line from the bot. `arrival` is measured from the beginning of its turn.
    pub fn hear(&mut self, line: Line, arrival: Arrival) -> Vec<Act> {
        if self.is_over() {
            return Vec::new();
        }
        if let Some(refusal) = self.false_refusal(&line) {
            self.sender.say(&[refusal]);
            return self.sender.take();
        }
        let plies = self.referee.plies().len();
        let is_on_move = self.referee.seat_to_move() == self.seat();
        self.unanswered.push_back(match &line {
            Line::Text(text) | Line::Foreign { said: text, .. } => text.clone(),
            Line::TooLong => "(a line that is too long)".to_owned(),
        });
        let seat = self.seat();
        let said = std::mem::take(&mut self.referee.receive(seat, line, arrival).players[seat]);
        let made = self.referee.plies().get(plies).filter(|_| is_on_move);
        if let Some(charged) = made.map(|ply| ply.elapsed.unwrap_or_default()) {
            self.charge(charged);
            if self.counts_cpu() {
                self.walls.push(arrival.wall);
            }
        } else if is_on_move && self.is_over() {
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

    /// Handles the fall of the bot's flag, or the end of its wall time, in a turn in which `elapsed` has passed on its
    /// clock.
    pub fn time_is_up(&mut self, elapsed: Duration) -> Vec<Act> {
        let is_spent = self.allowance().is_some_and(|allowance| elapsed > allowance);
        self.is_out_of_wall_time = self.counts_cpu() && !is_spent;
        let seat = self.seat();
        let said = std::mem::take(&mut self.referee.time_is_up(elapsed).players[seat]);
        self.charge(elapsed);
        self.sender.say(&said);
        self.sender.take()
    }

    /// Adds one of the bot's turns, which took `elapsed` on its clock.
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

    /// Whether the game is over, the bot's seat has dropped out, or the mode that it plays for its team has ended.
    pub fn is_over(&self) -> bool {
        self.referee.is_over() || !self.referee.is_in(self.seat()) || self.referee.mode_to_relieve().is_some()
    }

    fn seat(&self) -> Seat {
        self.side.seat()
    }

    /// All seats, beginning with the bot's.
    fn in_turn(&self) -> Vec<Seat> {
        let seats = self.ruleset.seats();
        let next = |seat: &Seat| Some(seat.next(seats));
        std::iter::successors(Some(self.seat()), next).take(seats.into()).collect()
    }

    /// The seats that have dropped out.
    fn outs(&self) -> Vec<DropOut> {
        self.referee.outs().iter().map(|out| (out.after_plies, out.seat)).collect()
    }

    /// Returns what happened on the board and on the clocks. The caller has to add the facts about the process and the
    /// connection.
    pub fn finish(self) -> BoutFacts {
        let (end, mut outs) = (self.end(), self.outs());
        outs.retain(|(_, seat)| *seat != self.seat());
        let Self { side, ruleset, plan, refusals, forged, slowest, used, walls, .. } = self;
        let wall_limit = self.referee.meter().wall_limit(side);
        let plies = self.referee.finish().plies;
        let not_begun = BoutFacts::not_begun(side, ruleset, plan.time_control);
        BoutFacts { plies, outs, refusals, end, forged, wall_limit, slowest, used, walls, ..not_begun }
    }

    fn end(&self) -> BoutEnd {
        if let Some(out) = self.referee.outs().iter().find(|out| out.seat == self.seat()) {
            return match out.termination {
                _ if self.flag_was_planned => BoutEnd::PlayedInGroup,
                Termination::Resignation => BoutEnd::Resigned,
                failure => self.failed(failure, out.reason.as_deref()),
            };
        }
        let result = match self.referee.end() {
            None if self.referee.mode_to_relieve().is_some() => return BoutEnd::PlayedMode,
            None => return BoutEnd::TimedOut,
            Some(Err(void)) => return BoutEnd::Void(void.reason.clone()),
            Some(Ok(GameEnd::Group(_))) => return BoutEnd::PlayedInGroup,
            Some(Ok(GameEnd::Two(result))) => result,
        };
        if !result.fault().is_on(self.side.side()) || self.flag_was_planned {
            let is_lost = result.winner() != Some(self.side.side());
            let has_resigned = result.termination() == Termination::Resignation && is_lost;
            return if has_resigned { BoutEnd::Resigned } else { BoutEnd::Played(result.clone()) };
        }
        self.failed(result.termination(), result.reason())
    }

    /// The end of a bout in which the bot has failed, as `how` and `reason` describe.
    fn failed(&self, how: Termination, reason: Option<&str>) -> BoutEnd {
        let reason = || reason.unwrap_or_default().to_owned();
        match how {
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
        let is_due = self.false_refusals > 0
            && self.referee.seat_to_move() == self.seat()
            && self.referee.number() == plan.at_move;
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
        let is_in_form = number == i64::from(self.referee.number()) && dots == self.seat().index();
        is_in_form && self.position().play(&text).is_ok_and(|played| !played.is_pass())
    }

    fn position(&self) -> Box<dyn Position> {
        position_after((self.start)(self.ruleset), &SoFar { plies: self.referee.plies(), outs: &self.outs() })
    }

    /// Records the referee's answers to lines from the bot. The first of these lines was sent after `ply` plies. Lines
    /// that were sent early are answered when it is the bot's turn.
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
                Response::Moved { .. } | Response::MovedLast { .. } | Response::MovedInGroup { .. } => {
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

    /// Lets the rival play while one of its seats is to move, and then ends the game if the plan requires it.
    fn go_on(&mut self) {
        while !self.is_over() && self.referee.seat_to_move() != self.seat() {
            let rival = self.referee.seat_to_move();
            let plies = self.referee.plies().len();
            let so_far = SoFar { plies: self.referee.plies(), outs: &self.outs() };
            let reply = self.rival.reply(self.ruleset, &so_far);
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
            let said = std::mem::take(&mut say.players[self.seat()]);
            self.note_answers(&said, plies);
            let said = self.with_last_code(said);
            self.sender.say(&said);
        }
        self.let_own_flag_fall();
    }

    fn let_own_flag_fall(&mut self) {
        if self.plan.own_flag && !self.is_over() && self.referee.number() >= OWN_FLAG_AT {
            self.flag_was_planned = true;
            self.sender.note("the arena ends the game as if the bot's time were up");
            let all = self.referee.allowance().unwrap_or_default();
            let seat = self.seat();
            let said = std::mem::take(&mut self.referee.time_is_up(all + TICK).players[seat]);
            self.sender.say(&said);
        }
    }

    fn give_up(&mut self, why: String, elapsed: Duration) {
        let seat = self.seat();
        let said = std::mem::take(&mut self.referee.forfeits(seat, Termination::Protocol, why, elapsed).players[seat]);
        self.sender.say(&said);
    }

    /// Replaces the code for the end of a game that ends on the board, if the plan requires a different code.
    fn with_last_code(&mut self, mut said: Vec<Response>) -> Vec<Response> {
        let LastCode::Means(wanted) = self.plan.last_code else { return said };
        for response in &mut said {
            let is_forged = match response {
                Response::Over { decision, played: Some(_) } => replace(decision, wanted),
                Response::MovedLast { side, decision, .. } if *side == self.side => replace(decision, wanted),
                Response::MovedLast { decision, .. } => replace(decision, for_the_other(wanted)),
                Response::Placed(placing) if Decision::by_placing(placing, self.side.seat()) != wanted => {
                    *placing = placed_as(wanted, placing.seats(), self.side.seat());
                    true
                }
                _ => continue,
            };
            if is_forged {
                self.forged = true;
                self.sender.note("forged: the last code does not match the board");
            }
        }
        said
    }
}

/// Replaces `decision` with `wanted`. Returns whether they differed.
fn replace(decision: &mut Decision, wanted: Decision) -> bool {
    std::mem::replace(decision, wanted) != wanted
}

/// A placing of `seats` seats that means `wanted` for `seat`.
fn placed_as(wanted: Decision, seats: u8, seat: Seat) -> BySeat<u8> {
    let (own, others) = match wanted {
        Decision::Win => (1, 2),
        Decision::Draw => (1, 1),
        Decision::Loss => (seats, 1),
    };
    BySeat::from_fn(seats, |other| if other == seat { own } else { others })
}

/// The decision from the opponent's point of view.
const fn for_the_other(decision: Decision) -> Decision {
    match decision {
        Decision::Win => Decision::Loss,
        Decision::Loss => Decision::Win,
        Decision::Draw => Decision::Draw,
    }
}

/// The lines that name all players and an observer, and state the number of observers. `in_turn` lists the players'
/// seats, beginning with the bot's.
fn names(told: ToldNames, in_turn: &[Seat]) -> Vec<Response> {
    let (first, other) = match told {
        ToldNames::Plain => ("a bot", "another bot"),
        ToldNames::Unusual => ("a \"quoted\" bot", "zu sp\u{e4}t"),
    };
    let mut said = Vec::new();
    for &seat in in_turn {
        // Seat 1 always has the same name, whether or not the bot is in it.
        let name = EntityName::new(if seat == Seat::FIRST { first } else { other });
        said.extend(name.map(|name| match in_turn.len() {
            2 => Response::PlayerName(seat.side(), name),
            _ => Response::SeatName(seat, name),
        }));
    }
    said.extend(EntityName::new("a spectator").map(|name| Response::ObserverName(1, name)));
    said.push(Response::Observers(1));
    said
}
