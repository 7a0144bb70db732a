//! The broker: its streams, and what happens to them.

use super::{Coordinator, ExchangeModel, Kind, Message, State, Step, Try};

/// A message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// The try that the message's subject names.
    pub at: Try,
    /// What an answer says. Jobs say nothing.
    pub kind: Kind,
    /// The message's number in its stream, from 1.
    pub number: u8,
    /// How many times it has been delivered.
    pub deliveries: u8,
    /// Whether it has been delivered, and waits for an acknowledgement.
    pub is_held: bool,
}

/// A stream from which acknowledged messages are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The messages, in the order of their numbers.
    pub messages: Vec<Stored>,
    /// The number of the last message.
    pub last: u8,
    /// The last message that was removed. A crash can bring it back.
    pub removed: Option<Stored>,
}

/// A broker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Broker {
    /// Whether the streams exist, with their consumers.
    pub has_streams: bool,
    /// The jobs.
    pub jobs: Stream,
    /// The answers.
    pub answers: Stream,
}

/// What a crash of the broker loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BrokerLoss {
    /// Everything.
    All,
    /// The last messages of each stream, up to these numbers.
    After(u8, u8),
    /// The last removal of a job.
    JobRemoval,
    /// The last removal of an answer.
    AnswerRemoval,
}

impl Stream {
    /// Stores a message for `at`, unless there is one and `is_unique` forbids another.
    pub(super) fn publish(&mut self, at: Try, kind: Kind, is_unique: bool) {
        if is_unique && self.has(at) {
            return;
        }
        self.last += 1;
        self.messages.push(Stored { at, kind, number: self.last, deliveries: 0, is_held: false });
    }

    /// Whether there is a message for `at`.
    pub fn has(&self, at: Try) -> bool {
        self.messages.iter().any(|message| message.at == at)
    }

    fn find(&mut self, number: u8) -> Option<&mut Stored> {
        self.messages.iter_mut().find(|message| message.number == number)
    }

    pub(super) fn remove(&mut self, number: u8) {
        if let Some(place) = self.messages.iter().position(|message| message.number == number) {
            self.removed = Some(self.messages.remove(place));
        }
    }

    pub(super) fn purge(&mut self, at: Try) {
        self.messages.retain(|message| message.at != at);
    }

    /// Begins all deliveries anew.
    pub(super) fn recreate_consumer(&mut self) {
        for message in &mut self.messages {
            (message.is_held, message.deliveries) = (false, 0);
        }
    }

    /// Numbers the messages from 1. Returns their old numbers.
    pub(super) fn renumber(&mut self) -> Vec<u8> {
        let old = self.messages.iter().map(|message| message.number).collect();
        for (number, message) in (1..).zip(&mut self.messages) {
            message.number = number;
        }
        self.last = u8::try_from(self.messages.len()).unwrap_or(u8::MAX);
        old
    }

    fn forget_after(&mut self, number: u8) {
        self.messages.retain(|message| message.number <= number);
        (self.last, self.removed) = (number, None);
    }

    fn bring_back(&mut self) {
        if let Some(message) = self.removed.take() {
            self.messages.push(Stored { is_held: false, ..message });
            self.messages.sort_unstable_by_key(|message| message.number);
        }
    }
}

impl ExchangeModel {
    pub(super) fn steps_of_broker(&self, state: &State, steps: &mut Vec<(Step, State)>) {
        for job in &state.broker.jobs.messages {
            if !job.is_held || job.deliveries >= self.deliveries || !self.protections.requeues {
                continue;
            }
            let is_early = state.is_worked_on(job.number) || state.messages.contains(&Message::JobDone(job.number));
            if !is_early || state.left.freezes > 0 {
                let mut after = state.clone();
                after.left.freezes -= u8::from(is_early);
                after.broker.jobs.find(job.number).expect("it is there").is_held = false;
                steps.push((Step::Requeue(job.number), after));
            }
        }
        for answer in state.broker.answers.messages.iter().filter(|answer| answer.is_held) {
            let is_early = state.is_expected(answer.number);
            if !is_early || state.left.freezes > 0 {
                let mut after = state.clone();
                after.left.freezes -= u8::from(is_early);
                after.broker.answers.find(answer.number).expect("it is there").is_held = false;
                steps.push((Step::AnswerOverdue(answer.number), after));
            }
        }
        for &message in &state.messages {
            let mut lost = state.clone();
            lost.messages.retain(|other| *other != message);
            let mut arrived = lost.clone();
            self.arrive(message, &mut arrived);
            steps.push((Step::Arrive(message), arrived));
            if state.left.losses > 0 {
                lost.left.losses -= 1;
                steps.push((Step::Lose(message), lost));
            }
        }
        if state.left.lies > 0 && state.broker.has_streams {
            let mut after = state.clone();
            after.left.lies -= 1;
            after.broker.answers.publish(Try { game: self.games, nth: 1 }, Kind::Result, true);
            steps.push((Step::Strange, after));
        }
        crashes(state, steps);
    }

    fn arrive(&self, message: Message, state: &mut State) {
        let broker = &mut state.broker;
        let is_unique = self.protections.has_one_message_for_each_try;
        match message {
            Message::JobDone(number) => broker.jobs.remove(number),
            Message::AnswerSaved(number) => broker.answers.remove(number),
            Message::AnswerAgain(number) => {
                if let Some(answer) = broker.answers.find(number) {
                    answer.is_held = false;
                }
            }
            Message::LateAnswer(at, kind) if broker.has_streams => broker.answers.publish(at, kind, is_unique),
            Message::LateJob(at) if broker.has_streams => broker.jobs.publish(at, Kind::Result, is_unique),
            Message::LateAnswer(..) | Message::LateJob(_) => {}
            Message::LatePurge(at) => broker.jobs.purge(at),
        }
    }
}

/// Adds every crash of the broker.
fn crashes(state: &State, steps: &mut Vec<(Step, State)>) {
    let Broker { has_streams, jobs, answers } = &state.broker;
    if !has_streams {
        return;
    }
    let mut losses = Vec::new();
    if state.left.wipes > 0 {
        losses.push(BrokerLoss::All);
    }
    if state.left.crashes > 0 {
        let ends = |stream: &Stream| stream.last.saturating_sub(2)..=stream.last;
        losses.extend(ends(jobs).flat_map(|job| ends(answers).map(move |answer| BrokerLoss::After(job, answer))));
        losses.extend(jobs.removed.map(|_| BrokerLoss::JobRemoval));
        losses.extend(answers.removed.map(|_| BrokerLoss::AnswerRemoval));
    }
    for loss in losses {
        let mut after = state.clone();
        match loss {
            BrokerLoss::All => {
                after.left.wipes -= 1;
                after.broker = Broker::default();
            }
            BrokerLoss::After(job, answer) => {
                after.broker.jobs.forget_after(job);
                after.broker.answers.forget_after(answer);
            }
            BrokerLoss::JobRemoval => after.broker.jobs.bring_back(),
            BrokerLoss::AnswerRemoval => after.broker.answers.bring_back(),
        }
        after.left.crashes -= u8::from(loss != BrokerLoss::All);
        // What a dead process has sent cannot outlive its connection. A living worker's acknowledgement can: its
        // client sends it through the next connection.
        after.messages.retain(|message| matches!(message, Message::JobDone(_)));
        for coordinator in &mut after.coordinators {
            if let Coordinator::Up(running) = coordinator {
                running.interrupt();
            }
        }
        steps.push((Step::Crash(loss), after));
    }
}
