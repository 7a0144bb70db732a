//! Bots in memory: a correct one, and variants with one fault each.

use std::collections::VecDeque;
use std::time::Duration;

use crate::base::random::SplitMix64;
use crate::drill::script::turned_stones::Turning;
use crate::drill::script::{ProcessExit, ProcessFacts};
use crate::game::gothello::{Point, points};
use crate::game::{BySide, Move, Position, Side};
use crate::referee::wire::{Decision, Response};

/// The fault of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BotFault {
    None,
    DiesOfClocks,
    SwapsClocks,
    IsSlow,
    UsesItsClock,
    SumsItsClock,
    DreamsOnce,
    IsVerySlow,
    TurnsNothing,
    TriesBeforeItPasses,
    PassesBack,
    DiesOfLastPass,
    DiesOf291,
    DiesOfThirdRefusal,
    Insists,
    DiesOf299,
    DiesOfWins,
    DiesOfLosses,
    DiesOfDraws,
    DiesOfResignations,
    DiesOfDisconnects,
    DiesOfFlags,
    DiesOfOwnFlag,
    ReadsByChunk,
    ReadsTwoLines,
    BusyWaits,
    TalksLater,
    NeedsCarriageReturns,
    HasShortLines,
    DiesOfNames,
    DiesOfNonAscii,
    FloodsStderr,
    HangsAround,
}

/// How a bot chooses among its legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taste {
    /// At random. The bot passes only when it must, or when a pass wins at once.
    Random,
    /// The move after which the bot has the most stones.
    Greedy,
}

/// A bot in memory: it receives bytes and returns lines.
#[derive(Debug)]
pub(super) struct TestBot {
    fault: BotFault,
    style: Taste,
    side: Side,
    position: Box<dyn Position>,
    /// The same position, for tastes and faults that depend on the rules of Gothello; `None` under other rules.
    turning: Option<Turning>,
    moves: BySide<u32>,
    random: SplitMix64,
    read: Vec<u8>,
    refused: Vec<Move>,
    sent: Option<Move>,
    /// The time left on the clock that the bot believes to be its own.
    left: Option<Duration>,
    exit: Option<i32>,
    is_done: bool,
}

impl TestBot {
    pub(super) fn new(fault: BotFault, style: Taste, side: Side, position: Box<dyn Position>, seed: u64) -> Self {
        Self {
            fault,
            style,
            side,
            position,
            turning: Some(Turning::default()),
            moves: BySide::default(),
            random: SplitMix64::new(seed),
            read: Vec::new(),
            refused: Vec::new(),
            sent: None,
            left: None,
            exit: None,
            is_done: false,
        }
    }

    /// The same bot for games other than Gothello.
    pub(super) fn of_another_game(self) -> Self {
        Self { turning: None, ..self }
    }

    /// Receives the bot's clock and its opponent's.
    pub(super) fn granted(&mut self, own: Duration, others: Duration) {
        match self.fault {
            BotFault::DiesOfClocks => self.die(),
            BotFault::SwapsClocks => self.left = Some(others),
            _ => self.left = Some(own),
        }
    }

    /// Whether the bot's process has ended.
    pub(super) const fn is_gone(&self) -> bool {
        self.exit.is_some()
    }

    /// How long the bot thinks about a move.
    pub(super) fn thinks(&mut self) -> Duration {
        let Some(left) = self.left else { return Duration::from_millis(1) };
        let thinks = match self.fault {
            BotFault::IsSlow => Duration::from_millis(250),
            BotFault::IsVerySlow => Duration::from_millis(2_400),
            BotFault::SumsItsClock => Duration::from_millis(520),
            BotFault::DreamsOnce if self.moves[self.side] == 2 => Duration::from_millis(3_500),
            BotFault::UsesItsClock => left / 4,
            _ => left / 30,
        };
        if thinks > left && self.fault == BotFault::SumsItsClock {
            self.die();
        }
        self.left = Some(left.saturating_sub(thinks));
        thinks
    }

    /// The CPU time that the bot uses during a silence.
    pub(super) fn idles(&self) -> Duration {
        if self.fault == BotFault::BusyWaits { Duration::from_secs(3) } else { Duration::from_millis(1) }
    }

    /// The line that the bot sends if its connection stays open after the end.
    pub(super) fn says_later(&self) -> Option<String> {
        (self.fault == BotFault::TalksLater).then(|| "9 pass".to_owned())
    }

    /// The facts about the bot's process once the arena has closed the connection.
    pub(super) fn process(&self) -> ProcessFacts {
        let hangs = self.fault == BotFault::HangsAround;
        let exit = if self.is_done || self.exit.is_some() { self.exit.or(Some(0)) } else { Some(1) };
        ProcessFacts {
            exit: exit.filter(|_| !hangs).map(ProcessExit::Status),
            left_after: (!hangs).then_some(Duration::from_millis(1)),
            stderr_bytes: if self.fault == BotFault::FloodsStderr { 1 << 20 } else { (1 << 20) - 1 },
            ..ProcessFacts::default()
        }
    }

    /// Receives bytes, and answers.
    pub(super) fn hear(&mut self, bytes: &[u8]) -> VecDeque<String> {
        self.read.extend_from_slice(bytes);
        let mut said = VecDeque::new();
        let mut lines = 0;
        let end: &[u8] = if self.fault == BotFault::NeedsCarriageReturns { b"\r\n" } else { b"\n" };
        while let Some(at) = self.read.windows(end.len()).position(|window| window == end) {
            let line: Vec<u8> = self.read.drain(..at + end.len()).collect();
            lines += 1;
            if self.fault == BotFault::ReadsTwoLines && lines > 2 {
                self.read.clear();
                break;
            }
            self.take_line(&String::from_utf8_lossy(&line));
        }
        if self.fault == BotFault::ReadsByChunk && !self.read.is_empty() {
            let chunk = String::from_utf8_lossy(&std::mem::take(&mut self.read)).into_owned();
            self.take_line(&chunk);
        }
        if let Some(line) = self.answer() {
            said.push_back(line);
        }
        said
    }

    /// Whether the bot learns its remaining time from the arena's lines during the game.
    fn reads_its_clock(&self) -> bool {
        !matches!(self.fault, BotFault::SumsItsClock | BotFault::SwapsClocks)
    }

    fn die(&mut self) {
        self.exit = Some(1);
    }

    fn take_line(&mut self, line: &str) {
        if self.is_gone() || self.is_done {
            return;
        }
        let line = line.trim_end();
        if (self.fault == BotFault::HasShortLines && line.len() > 128)
            || (self.fault == BotFault::DiesOfNonAscii && !line.is_ascii())
        {
            return self.die();
        }
        let Ok(response) = line.parse::<Response>() else { return self.die() };
        if self.dies_of(&response) {
            return self.die();
        }
        match response {
            Response::Moved { side, played, .. } => {
                self.moves[side] += 1;
                self.position.play(played.as_str()).expect("the referee reports legal moves");
                self.turning = self.turning.map(|turning| turning.play(played));
                (self.sent, self.refused) = (None, Vec::new());
            }
            Response::Illegal(_) => self.refused.extend(self.sent.take()),
            Response::Garbled(_) => self.sent = None,
            // The arena rounds down.
            Response::AcceptedTimed { left, .. } if self.reads_its_clock() => {
                self.left = self.left.max(Some(Duration::from_secs(left)));
            }
            Response::Over { .. }
            | Response::MovedLast { .. }
            | Response::WonByResignation(_)
            | Response::WonByTime(_)
            | Response::Disconnected(_) => self.is_done = true,
            _ => {}
        }
    }

    fn dies_of(&self, response: &Response) -> bool {
        let of = |side: Side, decision, wanted| {
            let means = if side == self.side {
                decision
            } else {
                match decision {
                    Decision::Win => Decision::Loss,
                    Decision::Loss => Decision::Win,
                    Decision::Draw => Decision::Draw,
                }
            };
            means == wanted
        };
        let ends_with = |wanted| match response {
            Response::Over { decision, played: Some(_) } => *decision == wanted,
            Response::MovedLast { side, decision, .. } => of(*side, *decision, wanted),
            _ => false,
        };
        match self.fault {
            BotFault::DiesOfLastPass => matches!(response, Response::MovedLast { side, .. } if *side != self.side),
            BotFault::DiesOf291 => matches!(response, Response::Illegal(_)),
            BotFault::DiesOfThirdRefusal => matches!(response, Response::Illegal(_)) && self.refused.len() == 2,
            BotFault::DiesOf299 => matches!(response, Response::Garbled(_)),
            BotFault::DiesOfWins => ends_with(Decision::Win),
            BotFault::DiesOfLosses => ends_with(Decision::Loss),
            BotFault::DiesOfDraws => ends_with(Decision::Draw),
            BotFault::DiesOfResignations => matches!(response, Response::WonByResignation(_)),
            BotFault::DiesOfDisconnects => matches!(response, Response::Disconnected(_)),
            BotFault::DiesOfFlags => matches!(response, Response::WonByTime(side) if *side == self.side),
            BotFault::DiesOfOwnFlag => matches!(response, Response::Over { decision: Decision::Loss, played: None }),
            BotFault::DiesOfNames => matches!(response, Response::PlayerName(..)),
            _ => false,
        }
    }

    /// The bot's move, if it is to move and has not sent a move yet.
    fn answer(&mut self) -> Option<String> {
        let is_on_move = self.position.to_move() == self.side && self.position.outcome().is_none();
        if !is_on_move || self.sent.is_some() || self.is_gone() || self.is_done {
            return None;
        }
        let chosen = self.choose();
        self.sent = Some(chosen);
        let number = self.moves[self.side] + 1;
        Some(if self.side == Side::White { format!("{number} ... {chosen}") } else { format!("{number} {chosen}") })
    }

    fn choose(&mut self) -> Move {
        let refused = |played: &Move| self.fault != BotFault::Insists && self.refused.contains(played);
        let passed = self.turning.is_some_and(|turning| turning.game.passed());
        if self.fault == BotFault::PassesBack && passed {
            return Move::PASS;
        }
        let mut legal = self.position.legal_moves();
        if let Some(turning) = self.turning.filter(|_| self.fault == BotFault::TurnsNothing) {
            legal = turning.unturned_moves();
        }
        if self.fault == BotFault::TriesBeforeItPasses && legal == [Move::PASS] && self.refused.is_empty() {
            return "a1".parse().expect("a move");
        }
        legal.retain(|played| !refused(played));
        let placements: Vec<Move> = legal.iter().copied().filter(|played| !played.is_pass()).collect();
        let choices = if placements.is_empty() { legal } else { placements };
        if choices.is_empty() {
            // No other move is legal, so the bot sends the same move again.
            return self.position.legal_moves()[0];
        }
        if self.fault == BotFault::Insists {
            return choices[0];
        }
        let best = self.best(&choices);
        let nth = usize::try_from(self.random.below(best.len() as u64)).expect("an index");
        best[nth]
    }

    fn best(&self, choices: &[Move]) -> Vec<Move> {
        let Some(turning) = self.turning.filter(|_| self.style == Taste::Greedy) else { return choices.to_vec() };
        let lead = |played: &Move| self.side.own(turning.play(*played).game.board().margin());
        let most = choices.iter().map(lead).max();
        choices.iter().copied().filter(|played| Some(lead(played)) == most).collect()
    }
}

impl Turning {
    /// The moves that are legal according to a bot that turns nothing.
    fn unturned_moves(&self) -> Vec<Move> {
        points(self.placements_unturned()).map(Point::to_move).chain([Move::PASS]).collect()
    }
}
