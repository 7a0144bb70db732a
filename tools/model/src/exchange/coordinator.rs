//! The coordinator: its executor, its desk, its session at the broker, and its journal.

mod desk;

use super::{ExchangeModel, Games, Kind, Line, MOST_GAMES, Message, State, Step, Try};
pub use desk::{Desk, OutGame, TakenIn, Verdict};

/// A coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coordinator {
    /// It does not run.
    Down,
    /// It runs.
    Up(Running),
}

/// Where a game is, according to the executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// It can begin.
    Waiting,
    /// This machine plays it.
    Here,
    /// It has been given away.
    Away,
    /// It has a result, or will not be played again.
    Over,
}

/// An answer that is not acknowledged yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Held {
    /// The game.
    pub game: u8,
    /// What the answer says.
    pub kind: Kind,
    /// The number of the message.
    pub number: u8,
}

/// An answer that came before its game was given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Early {
    /// The try that it answers.
    pub nth: u8,
    /// The number of the message.
    pub number: u8,
}

/// A coordinator that runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    /// Whether it has a session at the broker.
    pub has_session: bool,
    /// The executor's games.
    pub seats: [Seat; MOST_GAMES],
    /// How many times each game has been void.
    pub voids: [u8; MOST_GAMES],
    /// The games that are out.
    pub desk: Desk,
    /// The answers that wait until their games are saved, sorted.
    pub held: Vec<Held>,
    /// The early answer to each game.
    pub early: [Option<Early>; MOST_GAMES],
    /// The jobs that it is publishing.
    pub publishing: Vec<Try>,
    /// The lines of games that have ended.
    pub queue: Vec<Line>,
    /// The lines that have been written, but not synced.
    pub written: Vec<Line>,
    /// The lines that have been synced, but not reported.
    pub synced: Vec<Line>,
}

impl Running {
    /// A coordinator that has read a journal with these results.
    fn new(done: Games) -> Self {
        let mut seats = [Seat::Waiting; MOST_GAMES];
        done.iter().for_each(|game| seats[game as usize] = Seat::Over);
        Self {
            has_session: false,
            seats,
            voids: [0; MOST_GAMES],
            desk: Desk::new(done),
            held: Vec::new(),
            early: [None; MOST_GAMES],
            publishing: Vec::new(),
            queue: Vec::new(),
            written: Vec::new(),
            synced: Vec::new(),
        }
    }

    /// The connection is interrupted.
    pub(super) fn interrupt(&mut self) {
        self.has_session = false;
        self.publishing.clear();
        // A new session drops the answers that the old one has received; nothing uses them before.
        self.held.clear();
        self.early = [None; MOST_GAMES];
    }

    /// A game has ended, here or elsewhere.
    fn end_game(&mut self, game: u8, kind: Kind, void_retries: u8) {
        self.queue.push(Line { game, kind });
        let is_again = kind == Kind::Void && self.voids[game as usize] < void_retries;
        if is_again {
            self.voids[game as usize] += 1;
        }
        self.seats[game as usize] = if is_again { Seat::Waiting } else { Seat::Over };
    }

    /// Takes back the games whose jobs nobody takes, if this machine can play them.
    fn unstaff(&mut self, games: u8, plays_here: bool) {
        for game in self.desk.unstaff(games, plays_here) {
            self.seats[game as usize] = Seat::Waiting;
        }
    }

    fn is_busy(&self) -> bool {
        !self.has_session || !self.publishing.is_empty()
    }

    fn hold(&mut self, held: Held) {
        if let Err(place) = self.held.binary_search(&held) {
            self.held.insert(place, held);
        }
    }
}

/// Adds a step after which the coordinator is as given, and the rest of the state as changed.
type AddStep<'a> = dyn FnMut(Step, Coordinator, &dyn Fn(&mut State)) + 'a;

impl ExchangeModel {
    pub(super) fn steps_of_coordinator(&self, state: &State, coordinator: u8, steps: &mut Vec<(Step, State)>) {
        let mut step = |step: Step, coordinator_after: Coordinator, change: &dyn Fn(&mut State)| {
            let mut after = state.clone();
            after.coordinators[coordinator as usize] = coordinator_after;
            change(&mut after);
            steps.push((step, after));
        };
        match &state.coordinators[coordinator as usize] {
            Coordinator::Down => {
                let is_free = state.holder.is_none() || !self.protections.locks;
                if is_free && !state.is_over {
                    self.start(state, coordinator, &mut step);
                }
            }
            Coordinator::Up(running) => {
                self.journal_steps(running, coordinator, &mut step);
                self.game_steps(running, coordinator, &mut step);
                if !running.has_session {
                    self.set_up(state, running, coordinator, &mut step);
                } else if let Some((&at, rest)) = running.publishing.split_first() {
                    let after = Running { publishing: rest.to_vec(), ..running.clone() };
                    step(Step::Publish(coordinator, at), Coordinator::Up(after), &|after| {
                        let is_unique = self.protections.has_one_message_for_each_try;
                        after.broker.jobs.publish(at, Kind::Result, is_unique);
                    });
                } else {
                    self.session_steps(state, running, coordinator, &mut step);
                }
                self.faults_of(state, running, coordinator, &mut step);
            }
        }
    }

    fn start(&self, state: &State, coordinator: u8, step: &mut AddStep<'_>) {
        let results = state.journal.iter().filter(|line| line.kind != Kind::Void).map(|line| line.game);
        let done: Games = results.collect();
        step(Step::Start(coordinator), Coordinator::Up(Running::new(done)), &|after| {
            after.holder = Some(coordinator);
            // The run says how many games have been played.
            done.iter().for_each(|game| after.told = after.told.with(game));
            if self.protections.syncs_what_it_read {
                after.on_disk = after.journal.len();
            }
        });
    }

    fn journal_steps(&self, running: &Running, coordinator: u8, step: &mut AddStep<'_>) {
        if running.written.is_empty() && !running.queue.is_empty() {
            let after = Running { queue: Vec::new(), written: running.queue.clone(), ..running.clone() };
            step(Step::Write(coordinator), Coordinator::Up(after), &|after| after.journal.extend(&running.queue));
        }
        if !running.written.is_empty() {
            let synced = running.synced.iter().chain(&running.written).copied().collect();
            let after = Running { written: Vec::new(), synced, ..running.clone() };
            step(Step::Sync(coordinator), Coordinator::Up(after), &|after| {
                if self.protections.syncs_lines {
                    after.on_disk = after.journal.len();
                }
            });
        }
        let Some((&line, rest)) = running.synced.split_first() else { return };
        let mut after = Running { synced: rest.to_vec(), ..running.clone() };
        let apart = self.protections.tells_voids_apart;
        after.desk.saved(line, apart);
        let is_meant =
            |held: &Held| held.game == line.game && (!apart || line.kind != Kind::Void || held.kind == Kind::Void);
        let (mut done, kept): (Vec<Held>, Vec<Held>) = after.held.into_iter().partition(is_meant);
        after.held = kept;
        if line.kind != Kind::Void
            && let Some(Early { number, .. }) = after.early[line.game as usize].take()
        {
            done.push(Held { game: line.game, kind: Kind::Void, number });
        }
        step(Step::Tell(coordinator), Coordinator::Up(after), &|after| {
            if line.kind != Kind::Void {
                after.told = after.told.with(line.game);
            }
            for held in &done {
                after.acknowledge(*held);
            }
        });
    }

    fn game_steps(&self, running: &Running, coordinator: u8, step: &mut AddStep<'_>) {
        for (game, seat) in (0..self.games).zip(running.seats) {
            let mut after = running.clone();
            match seat {
                Seat::Waiting if self.plays_here => {
                    after.seats[game as usize] = Seat::Here;
                    step(Step::PlayHere(coordinator, game), Coordinator::Up(after), &|_| {});
                }
                Seat::Here => {
                    after.end_game(game, Kind::Result, self.void_retries);
                    step(Step::EndHere(coordinator, game), Coordinator::Up(after), &|_| {});
                }
                _ => {}
            }
        }
    }

    fn set_up(&self, state: &State, running: &Running, coordinator: u8, step: &mut AddStep<'_>) {
        let mut after = Running { has_session: true, ..running.clone() };
        let gone = std::mem::take(&mut after.desk.gone);
        step(Step::SetUp(coordinator), Coordinator::Up(after), &|after| {
            let broker = &mut after.broker;
            broker.has_streams = true;
            broker.jobs.recreate_consumer();
            broker.answers.recreate_consumer();
            for at in &gone {
                broker.jobs.purge(*at);
            }
            if self.protections.publishes_again {
                for at in running.desk.jobs() {
                    broker.jobs.publish(at, Kind::Result, self.protections.has_one_message_for_each_try);
                }
            }
            // Whatever this machine has sent before has arrived before, or never will.
            after.messages.retain(|message| !matches!(message, Message::AnswerSaved(_) | Message::AnswerAgain(_)));
            // The consumers of another coordinator are gone.
            for (other, running) in (0..).zip(&mut after.coordinators) {
                if let (true, Coordinator::Up(running)) = (other != coordinator, running) {
                    running.interrupt();
                }
            }
        });
        let is_idle = running.queue.is_empty() && running.written.is_empty() && running.synced.is_empty();
        if self.is_finished(running) && is_idle {
            step(Step::EndWithoutBroker(coordinator), Coordinator::Down, &|after| {
                after.is_over = true;
                after.holder = None;
            });
        }
        if running.desk.is_staffed && self.plays_here && state.left.silences > 0 {
            let mut after = running.clone();
            after.unstaff(self.games, true);
            step(Step::LoseAll(coordinator), Coordinator::Up(after), &|after| after.left.silences -= 1);
        }
    }

    /// Whether the executor has nothing left to do.
    fn is_finished(&self, running: &Running) -> bool {
        running.seats[..self.games as usize].iter().all(|seat| *seat == Seat::Over)
    }

    fn session_steps(&self, state: &State, running: &Running, coordinator: u8, step: &mut AddStep<'_>) {
        if !running.desk.is_staffed {
            let mut after = running.clone();
            after.publishing = after.desk.staff();
            step(Step::Staff(coordinator), Coordinator::Up(after), &|_| {});
        }
        for game in
            (0..self.games).filter(|game| running.desk.is_staffed && running.seats[*game as usize] == Seat::Waiting)
        {
            let mut after = running.clone();
            after.seats[game as usize] = Seat::Away;
            let job = after.desk.send_out(game);
            let early = after.early[game as usize].take();
            match early {
                Some(early) => after.desk.expect(game, early.nth),
                None => after.publishing.extend(job),
            }
            step(Step::Give(coordinator, game), Coordinator::Up(after), &|after| {
                if let Some(Early { number, .. }) = early {
                    after.send(Message::AnswerAgain(number));
                }
            });
        }
        // A job that has been answered is missing, too. It may be published again before the answer arrives, which only
        // wastes a game.
        let is_missing = |at: &Try| !state.broker.jobs.has(*at) && !state.broker.answers.has(*at);
        let missing: Vec<Try> = running.desk.jobs().into_iter().filter(is_missing).collect();
        if self.protections.sweeps && !missing.is_empty() {
            let after = Running { publishing: missing, ..running.clone() };
            step(Step::Sweep(coordinator), Coordinator::Up(after), &|_| {});
        }
        for place in 0..state.broker.answers.messages.len() {
            if !state.broker.answers.messages[place].is_held {
                self.take_answer(state, running, (coordinator, place), step);
            }
        }
        for job in &state.broker.jobs.messages {
            let is_early = state.is_worked_on(job.number);
            let is_overdue = job.is_held && job.deliveries >= self.deliveries && (!is_early || state.left.freezes > 0);
            if is_overdue && self.protections.requeues {
                let mut after = running.clone();
                if after.desk.exhausted(job.at) {
                    after.end_game(job.at.game, Kind::Void, self.void_retries);
                }
                step(Step::TakeExhausted(coordinator, job.at), Coordinator::Up(after), &|after| {
                    after.left.freezes -= u8::from(is_early);
                    after.broker.jobs.remove(job.number);
                });
            }
        }
        let is_idle = running.queue.is_empty() && running.written.is_empty() && running.synced.is_empty();
        if self.is_finished(running) && is_idle {
            let is_empty = running.desk.is_empty() && running.held.is_empty() && running.early == [None; MOST_GAMES];
            step(Step::Close(coordinator), Coordinator::Down, &|after| {
                after.is_over = true;
                after.holder = None;
                if is_empty {
                    after.broker = super::Broker::default();
                }
            });
        }
    }

    fn take_answer(&self, state: &State, running: &Running, (coordinator, place): (u8, usize), step: &mut AddStep<'_>) {
        let answer = state.broker.answers.messages[place];
        let game = answer.at.game;
        let mut after = running.clone();
        let verdict = self.judge(&mut after.desk, answer.at, answer.kind);
        let held = Held { game, kind: answer.kind, number: answer.number };
        let mut is_acknowledged = !self.protections.acknowledges_after_saving;
        match verdict {
            Verdict::Taken => after.end_game(game, answer.kind, self.void_retries),
            Verdict::TakenBefore => {}
            Verdict::Early => after.early[game as usize] = Some(Early { nth: answer.at.nth, number: answer.number }),
            Verdict::Late => is_acknowledged = true,
            Verdict::Wrong { nth } => {
                is_acknowledged = true;
                match nth {
                    Some(nth) if after.desk.is_in_lane(game) => after.publishing.push(Try { game, nth }),
                    Some(_) => {}
                    None => after.end_game(game, Kind::Void, self.void_retries),
                }
            }
        }
        if matches!(verdict, Verdict::Taken | Verdict::TakenBefore) && self.protections.acknowledges_after_saving {
            after.hold(held);
        }
        step(Step::TakeAnswer(coordinator, answer.number, verdict), Coordinator::Up(after), &|after| {
            let message = &mut after.broker.answers.messages[place];
            (message.is_held, message.deliveries) = (true, 0);
            if is_acknowledged {
                let is_done = running.desk.done.has(game);
                let is_dropped =
                    matches!(verdict, Verdict::Late) && !is_done || matches!(verdict, Verdict::Wrong { .. });
                let kind = if is_dropped { Kind::Void } else { answer.kind };
                after.acknowledge(Held { kind, ..held });
            }
        });
    }

    fn faults_of(&self, state: &State, running: &Running, coordinator: u8, step: &mut AddStep<'_>) {
        if running.has_session && state.left.losses > 0 {
            let mut after = running.clone();
            after.interrupt();
            step(Step::Interrupt(coordinator), Coordinator::Up(after), &|after| after.left.losses -= 1);
        }
        if !running.is_busy() && running.desk.is_staffed && state.left.silences > 0 {
            let mut after = running.clone();
            after.unstaff(self.games, self.plays_here);
            let gone = std::mem::take(&mut after.desk.gone);
            step(Step::Unstaff(coordinator), Coordinator::Up(after), &|after| {
                after.left.silences -= 1;
                for at in &gone {
                    after.broker.jobs.purge(*at);
                }
            });
            for at in gone.into_iter().filter(|_| state.left.kills > 0 && state.left.losses > 0) {
                step(Step::KillInUnstaff(coordinator, at.game), Coordinator::Down, &|after| {
                    (after.left.silences, after.left.losses) = (after.left.silences - 1, after.left.losses - 1);
                    after.kill();
                    after.send(Message::LatePurge(at));
                });
            }
        }
        if state.left.kills > 0 {
            step(Step::Kill(coordinator, 0), Coordinator::Down, &State::kill);
            if let Some(at) = running.publishing.first().filter(|_| state.left.losses > 0) {
                step(Step::Kill(coordinator, 1), Coordinator::Down, &|after| {
                    after.left.losses -= 1;
                    after.kill();
                    after.send(Message::LateJob(*at));
                });
            }
        }
        if state.left.power_failures > 0 {
            for lines in state.on_disk..=state.journal.len() {
                let survive = u8::try_from(lines).unwrap_or(u8::MAX);
                step(Step::LosePower(coordinator, survive), Coordinator::Down, &|after| {
                    after.left.power_failures -= 1;
                    after.journal.truncate(lines);
                    (after.on_disk, after.holder) = (lines, None);
                });
            }
        }
    }
}

impl State {
    fn kill(&mut self) {
        self.left.kills -= 1;
        self.holder = None;
    }

    /// Sends the acknowledgement of an answer.
    fn acknowledge(&mut self, Held { game, kind, number }: Held) {
        let is_on_disk = self.journal[..self.on_disk].iter().any(|line| line.game == game && line.kind != Kind::Void);
        self.has_dropped |= kind == Kind::Result && !is_on_disk;
        self.send(Message::AnswerSaved(number));
    }
}
