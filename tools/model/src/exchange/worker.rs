//! The workers.

use super::{Coordinator, ExchangeModel, Kind, Message, State, Step, Try};

/// A worker with one slot. A worker that has died starts again at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Worker {
    /// It waits for a job.
    Idle,
    /// It plays this try, whose job has this number.
    Playing(Try, u8),
    /// It publishes its answer until the broker has it.
    Answering(Try, u8, Kind),
}

impl Worker {
    /// The job that the worker has.
    pub const fn job(self) -> Option<(Try, u8)> {
        match self {
            Self::Idle => None,
            Self::Playing(at, number) | Self::Answering(at, number, _) => Some((at, number)),
        }
    }
}

impl ExchangeModel {
    pub(super) fn steps_of_worker(&self, state: &State, worker: u8, steps: &mut Vec<(Step, State)>) {
        let mut step = |step: Step, worker_after: Worker, change: &dyn Fn(&mut State)| {
            let mut after = state.clone();
            after.workers[worker as usize] = worker_after;
            change(&mut after);
            steps.push((step, after));
        };
        match state.workers[worker as usize] {
            Worker::Idle => {
                for (place, job) in state.broker.jobs.messages.iter().enumerate() {
                    if !job.is_held && job.deliveries < self.deliveries {
                        step(Step::TakeJob(worker, job.number), Worker::Playing(job.at, job.number), &|after| {
                            let job = &mut after.broker.jobs.messages[place];
                            (job.is_held, job.deliveries) = (true, job.deliveries + 1);
                        });
                    }
                }
            }
            Worker::Playing(at, number) => {
                let played = |kind| (Step::Play(worker, kind), Worker::Answering(at, number, kind));
                let (play, answering) = played(Kind::Result);
                step(play, answering, &|_| {});
                if state.left.voids > 0 {
                    let (play, answering) = played(Kind::Void);
                    step(play, answering, &|after| after.left.voids -= 1);
                }
                if state.left.lies > 0 {
                    let (play, answering) = played(Kind::Lie);
                    step(play, answering, &|after| after.left.lies -= 1);
                }
            }
            Worker::Answering(at, number, kind) => {
                let is_unique = self.protections.has_one_message_for_each_try;
                let publish = |after: &mut State| after.broker.answers.publish(at, kind, is_unique);
                if state.broker.has_streams {
                    step(Step::Answer(worker), Worker::Idle, &|after| {
                        publish(after);
                        after.send(Message::JobDone(number));
                    });
                    if state.left.losses > 0 {
                        step(Step::AnswerUnheard(worker), Worker::Answering(at, number, kind), &|after| {
                            publish(after);
                            after.left.losses -= 1;
                        });
                    }
                } else if self.protections.gives_up && state.coordinators.iter().all(|it| *it == Coordinator::Down) {
                    step(Step::GiveUp(worker), Worker::Idle, &|_| {});
                }
            }
        }
        let has_job = state.workers[worker as usize].job().is_some();
        if has_job && state.left.deaths > 0 {
            step(Step::Die(worker, 0), Worker::Idle, &|after| after.left.deaths -= 1);
            if let Worker::Answering(at, _, kind) = state.workers[worker as usize] {
                step(Step::Die(worker, 1), Worker::Idle, &|after| {
                    after.left.deaths -= 1;
                    after.send(Message::LateAnswer(at, kind));
                });
            }
        }
    }
}
