//! The state of one game between the referee and an engine. Bytes in, bytes and lines out.
//!
//! Only one command is in flight at a time. When the engine's turn begins, the engine is sent each move that it has not
//! received yet, its remaining time, and then `genmove`, so that all its work is done on its own clock. Its answer
//! becomes a line for the referee. If the referee refuses this line and the game goes on, the engine's board may be
//! wrong. In that case, it is set up again, with all moves of the game, and the engine is asked again.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use super::analysis::{AnalysisForm, EngineAnalysis};
use super::answers::{AnswerReader, EngineAnswer, EngineSaid, SaidLine};
use super::commands::{EngineCommand, KnownVerbs, Verb};
use super::set_up::{play, play_pass, set_up, starting_position, time_left};
use crate::game::{GtpForm, Move, Side};
use crate::referee::thought::Thought;
use crate::referee::time_control::SideControl;
use crate::referee::wire::{Line, Response};

/// The stage of a game with an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineStage {
    /// The engine is being prepared.
    SettingUp,
    /// The engine cannot play this game, for the reason given.
    Unfit(String),
    /// The engine is ready, or is playing.
    Ready,
    /// The game is over, and the engine has been sent `quit`.
    Over,
}

/// The state of the engine's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineTurn {
    /// The engine has nothing to do.
    Waiting,
    /// The engine is to move.
    Asked,
    /// The engine has moved, and the referee must judge `ahead` other lines from the engine before the move.
    Moved {
        /// How many lines from the engine precede the move.
        ahead: usize,
    },
    /// The referee has accepted the engine's move.
    Accepted,
}

/// The clock of an engine, as far as the protocol conveys it.
#[derive(Clone, Copy, Debug)]
struct EngineClock {
    control: SideControl,
    /// The time that the engine may use for its next move, in whole seconds.
    left: Duration,
}

/// Translates between one engine and the referee.
#[derive(Debug)]
pub struct Translator {
    form: GtpForm,
    side: Side,
    /// The engine's clock; `None` without a clock.
    clock: Option<EngineClock>,
    stage: EngineStage,
    reader: AnswerReader,
    known: KnownVerbs,
    queue: VecDeque<EngineCommand>,
    pending: Option<(u32, EngineCommand)>,
    last_id: u32,
    /// Whether the referee has announced the start of the game to the engine.
    has_started: bool,
    moves: Vec<(Side, Move)>,
    /// How many of the moves have been sent to the engine.
    told: usize,
    /// Whether the engine's board must be set up again.
    is_astray: bool,
    turn: EngineTurn,
    /// How many of the engine's lines the referee has not judged yet.
    unjudged: usize,
    /// What the engine reports while it looks for a move.
    analysis: Option<EngineAnalysis>,
    /// The line with `play` in the answer to a command that reports information before the move.
    chosen: Option<SaidLine>,
    /// The engine's claims before each of its moves, with the plies of these moves.
    thoughts: Vec<(usize, Thought)>,
}

/// The interval at which an engine should report its thinking, in hundredths of a second.
const TELLING_INTERVAL: u32 = 50;

impl Translator {
    /// Creates a translator for an engine that plays `side` of a game of `form` under `control`. The output of
    /// [`Translator::begin`] must be sent first.
    pub fn new(form: GtpForm, side: Side, control: Option<SideControl>) -> Self {
        Self {
            form,
            side,
            clock: control.map(|control| EngineClock { control, left: control.allowance() }),
            stage: EngineStage::SettingUp,
            reader: AnswerReader::default(),
            known: KnownVerbs::default(),
            queue: VecDeque::new(),
            pending: None,
            last_id: 0,
            has_started: false,
            moves: Vec::new(),
            told: 0,
            is_astray: false,
            turn: EngineTurn::Waiting,
            unjudged: 0,
            analysis: None,
            chosen: None,
            thoughts: Vec::new(),
        }
    }

    /// Takes the engine's claims before each of its moves, with the plies of these moves. Claims about a move that was
    /// refused are replaced by the claims about the next move.
    pub fn take_thoughts(&mut self) -> Vec<(usize, Thought)> {
        std::mem::take(&mut self.thoughts)
    }

    /// What the engine claimed last, with the ply of its move.
    pub fn latest_thought(&self) -> Option<&(usize, Thought)> {
        self.thoughts.last()
    }

    /// The stage of the game.
    pub const fn stage(&self) -> &EngineStage {
        &self.stage
    }

    /// The command that the engine has not answered yet.
    pub fn unanswered(&self) -> Option<String> {
        self.pending.as_ref().map(|(_, command)| command.to_string())
    }

    /// Begins to prepare the engine. Returns the bytes to send.
    pub fn begin(&mut self) -> Vec<u8> {
        self.queue.push_back(EngineCommand::new(Verb::ListCommands, ""));
        self.next_command()
    }

    /// Processes output from the engine. Appends lines for the referee to `lines`, and returns the bytes to send.
    pub fn hear(&mut self, bytes: &[u8], lines: &mut VecDeque<Line>) -> Vec<u8> {
        let mut to_send = Vec::new();
        for &byte in bytes {
            if let Some(analysis) = &mut self.analysis {
                analysis.push(byte);
            }
            if let Some(said) = self.reader.push(byte) {
                self.take(said, lines);
                to_send.extend(self.next_command());
            }
        }
        to_send
    }

    /// Handles the end of the engine's output, which terminates its last answer.
    pub fn finish(&mut self, lines: &mut VecDeque<Line>) {
        for said in self.reader.finish().into_iter().flatten() {
            self.take(said, lines);
        }
    }

    /// Processes the referee's output to the player, which consists of whole lines of the protocol. Returns the bytes
    /// to send.
    pub fn tell(&mut self, text: &str) -> Vec<u8> {
        if self.stage == EngineStage::Over {
            return Vec::new();
        }
        for line in text.lines() {
            // Text that is not a response contains nothing that could be passed on to an engine.
            if let Ok(response) = line.parse() {
                self.learn(&response);
            }
        }
        if self.stage == EngineStage::Over {
            self.queue.clear();
            // The engine may still be thinking about its last move.
            self.pending = None;
            self.queue.push_back(EngineCommand::new(Verb::Quit, ""));
        } else if self.has_started && self.to_move() == self.side && self.turn == EngineTurn::Waiting {
            self.ask();
        }
        self.next_command()
    }

    /// The side to move. A pass is a move, so sides alternate.
    fn to_move(&self) -> Side {
        self.moves.last().map_or(Side::Black, |(side, _)| side.opponent())
    }

    fn learn(&mut self, response: &Response) {
        match *response {
            Response::YouPlay(_) => self.has_started = true,
            Response::Accepted(_) | Response::AcceptedTimed { .. } => self.judged(EngineTurn::Accepted),
            Response::Illegal(_) | Response::Garbled(_) => {
                let before = self.turn;
                self.judged(EngineTurn::Waiting);
                self.is_astray |= self.turn != before && self.turn == EngineTurn::Waiting;
            }
            Response::Moved { side, played, left, .. } => {
                if side == self.side {
                    if let (Some(clock), Some(left)) = (&mut self.clock, left) {
                        clock.left = Duration::from_secs(left);
                    }
                    if self.turn == EngineTurn::Accepted {
                        self.told += 1;
                    }
                    self.turn = EngineTurn::Waiting;
                }
                self.moves.push((side, played));
            }
            Response::Over { .. }
            | Response::Resigned
            | Response::MovedLast { .. }
            | Response::WonByResignation(_)
            | Response::WonByTime(_)
            | Response::Disconnected(_)
            | Response::Problem(_) => self.stage = EngineStage::Over,
            _ => {}
        }
    }

    /// Records that the referee has judged a line from the engine. If this line was the engine's move, the state of the
    /// turn becomes `then`.
    fn judged(&mut self, then: EngineTurn) {
        self.unjudged = self.unjudged.saturating_sub(1);
        match &mut self.turn {
            EngineTurn::Moved { ahead: 0 } => self.turn = then,
            EngineTurn::Moved { ahead } => *ahead -= 1,
            EngineTurn::Waiting | EngineTurn::Asked | EngineTurn::Accepted => {}
        }
    }

    /// Asks the engine for its move.
    fn ask(&mut self) {
        if std::mem::take(&mut self.is_astray) {
            self.queue.extend(starting_position(&self.form, self.known));
            self.told = 0;
        }
        for &(side, played) in &self.moves[self.told..] {
            let is_pass = played.is_pass();
            let told = if is_pass { play_pass(side, self.form.board) } else { play(side, played.as_str()) };
            self.queue.push_back(told);
        }
        self.told = self.moves.len();
        if let Some(EngineClock { control, left }) = self.clock.filter(|_| self.known.has(Verb::TimeLeft)) {
            let left = time_left(control, left, self.known);
            self.queue.push_back(EngineCommand::optional(Verb::TimeLeft, format!("{} {left}", self.side)));
        }
        self.queue.push_back(match self.known.genmove() {
            Verb::Genmove => EngineCommand::new(Verb::Genmove, self.side.name()),
            verb => EngineCommand::new(verb, format!("{} {TELLING_INTERVAL}", self.side)),
        });
        self.turn = EngineTurn::Asked;
    }

    /// The next command with its id, unless the engine cannot play or still has to answer another command.
    fn next_command(&mut self) -> Vec<u8> {
        if self.pending.is_some() || matches!(self.stage, EngineStage::Unfit(_)) {
            return Vec::new();
        }
        let Some(command) = self.queue.pop_front() else { return Vec::new() };
        self.last_id += 1;
        self.chosen = None;
        self.analysis = match command.verb {
            Verb::KataGenmove => Some(EngineAnalysis::new(AnalysisForm::Kata)),
            Verb::LeelaGenmove => Some(EngineAnalysis::new(AnalysisForm::Leela)),
            _ => None,
        };
        let line = format!("{} {command}\n", self.last_id).into_bytes();
        self.pending = Some((self.last_id, command));
        line
    }

    fn take(&mut self, said: EngineSaid, lines: &mut VecDeque<Line>) {
        match (said, &self.stage) {
            (_, EngineStage::Over | EngineStage::Unfit(_)) => {}
            (EngineSaid::More(line), _) => match &self.pending {
                Some((_, command)) if command.verb == Verb::ListCommands => self.known.add(&line.text),
                Some(_) if self.analysis.is_some() && line.text.starts_with(PLAY) => self.chosen = Some(line),
                _ => {}
            },
            (EngineSaid::Answer(answer), _) => match self.pending.take() {
                Some((id, command)) => self.answered(id, &command, answer, lines),
                None => self.noise(answer.line, "not the answer to a command", lines),
            },
            (EngineSaid::Noise(line), _) => self.noise(line, "not an answer (answers begin with `=` or `?`)", lines),
        }
    }

    fn answered(&mut self, id: u32, command: &EngineCommand, answer: EngineAnswer, lines: &mut VecDeque<Line>) {
        if answer.id.is_some_and(|answered| answered != id) {
            self.fault(answer.line, &format!("`{command}` with the id {id} was answered with a different id"), lines);
            return;
        }
        match command.verb {
            Verb::ListCommands => self.listed(&answer),
            Verb::KnownCommand => {
                if answer.is_success && answer.text.eq_ignore_ascii_case("true") {
                    self.known.add(command.arguments());
                }
            }
            Verb::Genmove if answer.is_success => self.moved(answer, lines),
            Verb::KataGenmove | Verb::LeelaGenmove if answer.is_success => self.decided(command.verb, answer, lines),
            _ if answer.is_success || command.is_optional => {}
            _ => self.fault(answer.line, &format!("`{command}` was answered with an error"), lines),
        }
        if self.stage == EngineStage::SettingUp && self.queue.is_empty() {
            self.prepare(command.verb);
        }
    }

    /// Handles the answer to `list_commands`. An engine that does not support this command is asked about each of the
    /// other commands.
    fn listed(&mut self, answer: &EngineAnswer) {
        if answer.is_success {
            self.known.add(&answer.text);
        } else {
            self.known = KnownVerbs::default();
            let asked = Verb::ALL.map(|verb| EngineCommand::optional(Verb::KnownCommand, verb.name()));
            self.queue.extend(asked);
        }
    }

    /// Continues the preparations after `last`, the last of several commands of the same kind.
    fn prepare(&mut self, last: Verb) {
        if !matches!(last, Verb::ListCommands | Verb::KnownCommand) {
            self.stage = EngineStage::Ready;
            return;
        }
        match set_up(&self.form, self.known, self.clock.map(|clock| clock.control)) {
            Ok(commands) => self.queue.extend(commands),
            Err(missing) => self.stage = EngineStage::Unfit(format!("it does not support the command `{missing}`")),
        }
    }

    /// Passes the engine's move on to the referee.
    fn moved(&mut self, answer: EngineAnswer, lines: &mut VecDeque<Line>) {
        if answer.more_lines > 0 || answer.text.contains(' ') || answer.text.is_empty() {
            self.fault(answer.line, "the answer to `genmove` must be one word: a move, `pass` or `resign`", lines);
            return;
        }
        self.pass_on(&answer.text, answer.line.is_cut, lines);
    }

    /// Passes on the engine's move, which follows the information about it, and keeps the engine's claims.
    fn decided(&mut self, verb: Verb, answer: EngineAnswer, lines: &mut VecDeque<Line>) {
        let chosen = self.chosen.take();
        let word = chosen.as_ref().map(|line| line.text[PLAY.len()..].trim()).filter(|word| !word.contains(' '));
        let Some((word, line)) = word.filter(|word| !word.is_empty()).zip(chosen.as_ref()) else {
            let why = format!("the answer to `{verb}` must end with `play` and one word: a move, `pass` or `resign`");
            self.fault(chosen.unwrap_or(answer.line), &why, lines);
            return;
        };
        let ply = self.moves.len() + 1;
        let thought = self.analysis.take().and_then(|analysis| analysis.thought(&word.to_lowercase()));
        self.thoughts.pop_if(|(last, _)| *last == ply);
        self.thoughts.extend(thought.map(|thought| (ply, thought)));
        self.pass_on(word, line.is_cut, lines);
    }

    /// Passes a move on to the referee. If `is_cut`, the line with `word` was too long.
    fn pass_on(&mut self, word: &str, is_cut: bool, lines: &mut VecDeque<Line>) {
        let number = self.moves.iter().filter(|(side, _)| *side == self.side).count() + 1;
        let word = word.to_lowercase();
        let line = if is_cut {
            Line::TooLong
        } else {
            Line::Text(match self.side {
                Side::Black => format!("{number} {word}"),
                Side::White => format!("{number} ... {word}"),
            })
        };
        self.forward(line, lines);
        self.turn = EngineTurn::Moved { ahead: self.unjudged - 1 };
    }

    /// Handles an answer after which the game cannot go on. It counts as the engine's move, which the referee refuses.
    fn fault(&mut self, said: SaidLine, why: &str, lines: &mut VecDeque<Line>) {
        self.queue.clear();
        if self.stage == EngineStage::SettingUp {
            self.stage = EngineStage::Unfit(format!("{why}: `{}`", said.text));
            return;
        }
        self.forward(foreign(said, why), lines);
        self.turn = EngineTurn::Moved { ahead: self.unjudged - 1 };
    }

    /// Handles a line that is not an answer to a command. The referee refuses it.
    fn noise(&mut self, said: SaidLine, why: &str, lines: &mut VecDeque<Line>) {
        if self.stage == EngineStage::SettingUp {
            self.stage = EngineStage::Unfit(format!("it said `{}`, which is {why}", said.text));
        } else {
            self.forward(foreign(said, &format!("the engine's line is {why}")), lines);
        }
    }

    fn forward(&mut self, line: Line, lines: &mut VecDeque<Line>) {
        self.unjudged += 1;
        lines.push_back(line);
    }
}

/// How the last line of an answer with information begins.
const PLAY: &str = "play ";

/// A line that the referee refuses for the reason `why`.
fn foreign(said: SaidLine, why: &str) -> Line {
    if said.is_cut { Line::TooLong } else { Line::Foreign { why: format!("{why}: `{}`", said.text), said: said.text } }
}
