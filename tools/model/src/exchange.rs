//! A coordinator, a broker and workers, which exchange games as `src/machines` does.
//!
//! The model has one lane. A connection delivers in order what it delivers at all, so a message comes late only if its
//! sender has been killed, and comes twice only if the broker delivers it again. Each message at the broker has a number
//! in its stream, and acknowledgements name this number; after a crash of the broker, the same number can belong to
//! another message.

mod broker;
mod coordinator;
mod worker;

use crate::checker::Model;
use crate::journal::Games;
pub use broker::{Broker, BrokerLoss, Stored, Stream};
pub use coordinator::{Coordinator, Desk, Early, Held, OutGame, Running, Seat, TakenIn, Verdict};
pub use worker::Worker;

/// The maximum number of games.
pub const MOST_GAMES: usize = 3;

/// The maximum number of coordinators and of workers.
pub const MACHINES: usize = 2;

/// The number of wrong answers at which a game is void.
pub const MOST_WRONG: u8 = 3;

/// One try at a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Try {
    /// The game.
    pub game: u8,
    /// The try, from 1.
    pub nth: u8,
}

/// What an answer, or a line of the journal, says about its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It has a result.
    Result,
    /// It is void.
    Void,
    /// Something that cannot have happened.
    Lie,
}

/// A line of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The game.
    pub game: u8,
    /// What happened.
    pub kind: Kind,
}

/// A message on its way to the broker, which can be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// A worker acknowledges the job with this number.
    JobDone(u8),
    /// A coordinator acknowledges the answer with this number.
    AnswerSaved(u8),
    /// A coordinator asks again for the answer with this number.
    AnswerAgain(u8),
    /// A worker that is dead by now has answered.
    LateAnswer(Try, Kind),
    /// A coordinator that is dead by now has published a job.
    LateJob(Try),
    /// A coordinator that is dead by now has taken back a job.
    LatePurge(Try),
}

/// How many faults of each kind may happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Faults {
    /// Coordinators that are killed.
    pub kills: u8,
    /// Coordinators whose machine loses its power.
    pub power_failures: u8,
    /// Workers that are killed.
    pub deaths: u8,
    /// Crashes of the broker that lose the last messages of its streams.
    pub crashes: u8,
    /// Crashes of the broker that lose everything.
    pub wipes: u8,
    /// Interruptions of a connection, and messages that are lost or come late.
    pub losses: u8,
    /// Jobs that the broker gives to another worker while the first still plays.
    pub freezes: u8,
    /// Times during which no worker is heard of.
    pub silences: u8,
    /// Games that are void at a worker.
    pub voids: u8,
    /// Wrong answers, and answers about games that do not exist.
    pub lies: u8,
}

/// What protects the games. A protection that is switched off must break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Protections {
    /// A game counts as saved only after its line has been synced.
    pub syncs_lines: bool,
    /// A coordinator syncs the lines that it has read before it continues the run.
    pub syncs_what_it_read: bool,
    /// A coordinator runs only while it holds the lock of the journal.
    pub locks: bool,
    /// An answer is acknowledged only after its game has been saved.
    pub acknowledges_after_saving: bool,
    /// What has been saved is a void game or a result, and only answers of this kind are acknowledged.
    pub tells_voids_apart: bool,
    /// An answer counts only if its game is out, and if it answers the current try.
    pub compares_tries: bool,
    /// The broker keeps only one message for each try.
    pub has_one_message_for_each_try: bool,
    /// An answer counts only if its game could have been played like this.
    pub checks_answers: bool,
    /// The broker gives the job of a silent worker to another.
    pub requeues: bool,
    /// A new session publishes the jobs that are out.
    pub publishes_again: bool,
    /// A session publishes jobs again that have been out for long.
    pub sweeps: bool,
    /// A worker gives up an answer once the run is over.
    pub gives_up: bool,
}

impl Protections {
    /// All protections of the program.
    pub const ALL: Self = Self {
        syncs_lines: true,
        syncs_what_it_read: true,
        locks: true,
        acknowledges_after_saving: true,
        tells_voids_apart: true,
        compares_tries: true,
        has_one_message_for_each_try: true,
        checks_answers: true,
        requeues: true,
        publishes_again: true,
        sweeps: true,
        gives_up: true,
    };
}

/// The model of an exchange.
#[derive(Clone, Debug)]
pub struct ExchangeModel {
    /// The number of games.
    pub games: u8,
    /// The number of coordinators, which use the same journal.
    pub coordinators: u8,
    /// The number of workers, each with one slot.
    pub workers: u8,
    /// Whether the coordinator plays, too.
    pub plays_here: bool,
    /// How many times a job is delivered before its game is void.
    pub deliveries: u8,
    /// How many times a void game is played again.
    pub void_retries: u8,
    /// The faults that may happen.
    pub faults: Faults,
    /// The protections.
    pub protections: Protections,
}

/// The state of all machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The journal, as its machine sees it.
    pub journal: Vec<Line>,
    /// How many of these lines are certainly on disk.
    pub on_disk: usize,
    /// The coordinator that holds the lock of the journal.
    pub holder: Option<u8>,
    /// The coordinators.
    pub coordinators: [Coordinator; MACHINES],
    /// The broker.
    pub broker: Broker,
    /// The workers.
    pub workers: [Worker; MACHINES],
    /// The messages on their way to the broker, sorted.
    pub messages: Vec<Message>,
    /// The games whose result has been reported as saved.
    pub told: Games,
    /// Whether an answer was acknowledged whose result was not on disk.
    pub has_dropped: bool,
    /// Whether a coordinator has ended the run.
    pub is_over: bool,
    /// The faults that may still happen.
    pub left: Faults,
}

/// A step. The first number of a step of a coordinator or a worker says which one makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The coordinator starts, and reads the journal.
    Start(u8),
    /// It sets up a session at the broker.
    SetUp(u8),
    /// It hears of a worker.
    Staff(u8),
    /// It has heard of no worker for too long.
    Unstaff(u8),
    /// It is killed while it takes back the job of this game, because it has heard of no worker for too long.
    KillInUnstaff(u8, u8),
    /// Without a session, it gives up the workers.
    LoseAll(u8),
    /// It gives away the game.
    Give(u8, u8),
    /// It publishes the job.
    Publish(u8, Try),
    /// It publishes jobs again that have been out for long.
    Sweep(u8),
    /// It gets the answer with this number.
    TakeAnswer(u8, u8, Verdict),
    /// It hears that the job was delivered too many times.
    TakeExhausted(u8, Try),
    /// It plays the game itself.
    PlayHere(u8, u8),
    /// Its own game ends.
    EndHere(u8, u8),
    /// It writes the lines of all games that have ended.
    Write(u8),
    /// It syncs the journal.
    Sync(u8),
    /// It reports the first game that is on disk and has not been reported.
    Tell(u8),
    /// It ends the run, and removes it from the broker.
    Close(u8),
    /// It ends the run while it has no session.
    EndWithoutBroker(u8),
    /// Its connection is interrupted.
    Interrupt(u8),
    /// It is killed; if the number is 1, the job that it is publishing comes late.
    Kill(u8, u8),
    /// Its machine loses its power; this many lines of the journal survive.
    LosePower(u8, u8),
    /// The worker takes the job with this number.
    TakeJob(u8, u8),
    /// It has played its game.
    Play(u8, Kind),
    /// It publishes its answer.
    Answer(u8),
    /// It publishes its answer, but does not hear that the broker has it.
    AnswerUnheard(u8),
    /// It gives up its answer, because the run is over.
    GiveUp(u8),
    /// It dies; if the number is 1, its answer comes late.
    Die(u8, u8),
    /// The broker has waited too long for a sign of life about the job with this number.
    Requeue(u8),
    /// The broker has waited too long for an acknowledgement of the answer with this number.
    AnswerOverdue(u8),
    /// A message arrives.
    Arrive(Message),
    /// A message is lost.
    Lose(Message),
    /// Somebody publishes an answer about a game that does not exist.
    Strange,
    /// The broker crashes, and starts again.
    Crash(BrokerLoss),
}

impl Model for ExchangeModel {
    type State = State;
    type Step = Step;

    fn initial(&self) -> State {
        State {
            journal: Vec::new(),
            on_disk: 0,
            holder: None,
            coordinators: [Coordinator::Down, Coordinator::Down],
            broker: Broker::default(),
            workers: [Worker::Idle; MACHINES],
            messages: Vec::new(),
            told: Games::default(),
            has_dropped: false,
            is_over: false,
            left: self.faults,
        }
    }

    fn steps(&self, state: &State, steps: &mut Vec<(Step, State)>) {
        for coordinator in 0..self.coordinators {
            self.steps_of_coordinator(state, coordinator, steps);
        }
        for worker in 0..self.workers {
            self.steps_of_worker(state, worker, steps);
        }
        self.steps_of_broker(state, steps);
        for (_, state) in steps {
            if state.left.crashes == 0 {
                (state.broker.jobs.removed, state.broker.answers.removed) = (None, None);
            }
            // A broker that has crashed gives old numbers to new messages.
            if self.faults.crashes == 0 && self.faults.wipes == 0 {
                state.renumber();
            }
        }
    }

    fn broken_rule(&self, state: &State) -> Option<String> {
        let is_result = |line: &Line| line.kind != Kind::Void;
        let results: Vec<u8> = state.journal.iter().filter(|line| is_result(line)).map(|line| line.game).collect();
        if results.iter().enumerate().any(|(at, game)| results[..at].contains(game)) {
            return Some("a game has two results".to_owned());
        }
        if state.journal.iter().any(|line| line.kind == Kind::Lie || line.game >= self.games) {
            return Some("a wrong answer counts".to_owned());
        }
        if state.has_dropped {
            return Some("an answer was removed from the broker before its result was on disk".to_owned());
        }
        let on_disk: Games =
            state.journal[..state.on_disk].iter().filter(|line| is_result(line)).map(|line| line.game).collect();
        let is_kept = state.told.is_in(on_disk);
        (!is_kept).then(|| "a result was reported as saved, but a power failure would lose it".to_owned())
    }

    fn is_done(&self, state: &State) -> bool {
        state.is_over && state.workers.iter().all(|worker| *worker == Worker::Idle)
    }

    fn is_fault(&self, state: &State, step: &Step) -> bool {
        match step {
            Step::Interrupt(_)
            | Step::Unstaff(_)
            | Step::KillInUnstaff(..)
            | Step::LoseAll(_)
            | Step::Kill(..)
            | Step::LosePower(..)
            | Step::Play(_, Kind::Void | Kind::Lie)
            | Step::AnswerUnheard(_)
            | Step::Die(..)
            | Step::Lose(_)
            | Step::Strange
            | Step::Crash(_) => true,
            Step::Requeue(number) => state.is_worked_on(*number) || state.messages.contains(&Message::JobDone(*number)),
            Step::AnswerOverdue(number) => state.is_expected(*number),
            _ => false,
        }
    }
}

impl State {
    /// Whether a worker has the job with this number.
    pub(crate) fn is_worked_on(&self, number: u8) -> bool {
        self.workers.iter().any(|worker| worker.job().is_some_and(|job| job.1 == number))
    }

    /// Whether a coordinator has the answer with this number, or a message about it is on its way.
    pub(crate) fn is_expected(&self, number: u8) -> bool {
        let has = |running: &Running| {
            running.held.iter().any(|held| held.number == number)
                || running.early.iter().flatten().any(|early| early.number == number)
        };
        let is_meant =
            |message: &Message| [Message::AnswerSaved(number), Message::AnswerAgain(number)].contains(message);
        self.coordinators.iter().any(|it| matches!(it, Coordinator::Up(running) if has(running)))
            || self.messages.iter().any(is_meant)
    }

    /// Replaces the numbers of messages by lower ones, so that states are equal that differ in nothing else. The numbers
    /// only have to tell the messages apart; 0 is the number of each message that has been removed.
    fn renumber(&mut self) {
        let jobs = self.broker.jobs.renumber();
        let answers = self.broker.answers.renumber();
        let new = |numbers: &[u8], old: u8| {
            let place = numbers.iter().position(|number| *number == old);
            place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(0)
        };
        for worker in &mut self.workers {
            if let Worker::Playing(_, number) | Worker::Answering(_, number, _) = worker {
                *number = new(&jobs, *number);
            }
        }
        for coordinator in &mut self.coordinators {
            let Coordinator::Up(running) = coordinator else { continue };
            running.held.iter_mut().for_each(|held| held.number = new(&answers, held.number));
            running.early.iter_mut().flatten().for_each(|early| early.number = new(&answers, early.number));
        }
        for message in &mut self.messages {
            match message {
                Message::JobDone(number) => *number = new(&jobs, *number),
                Message::AnswerSaved(number) | Message::AnswerAgain(number) => *number = new(&answers, *number),
                _ => {}
            }
        }
        let is_void = |message: &Message| {
            matches!(message, Message::JobDone(0) | Message::AnswerSaved(0) | Message::AnswerAgain(0))
        };
        self.messages.retain(|message| !is_void(message));
        self.messages.sort_unstable();
        self.messages.dedup();
    }

    /// Adds a message, unless the same message is already on its way.
    fn send(&mut self, message: Message) {
        if let Err(place) = self.messages.binary_search(&message) {
            self.messages.insert(place, message);
        }
    }
}
