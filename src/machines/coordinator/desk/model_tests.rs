//! Replays the traces of the model of an exchange (tools/model) on the desk, and compares what it decides, publishes,
//! returns and acknowledges with the model after each step. docs/dev/model.md describes what is replayed.

use std::collections::BTreeMap;

use gothello_model::checker::{Checked, Edge, Graph, check};
use gothello_model::exchange::{
    Coordinator, Desk as DeskModel, Early, ExchangeModel, Faults, Kind, Line, Protections, Running, Seat as SeatModel,
    State, Step, Stored, Try, Verdict as VerdictModel,
};
use tokio::sync::mpsc::UnboundedReceiver;

use super::tests::{BUNDLE, answer, answer_with, desk_after, worker};
use super::*;
use crate::base::time::now;
use crate::machines::coordinator::answers::Answers;
use crate::run::journal::{GameEntry, JournalEntry};
use crate::run::unplayed_record::unplayed_record;

/// If this variable is set, larger models are replayed.
const VARIABLE: &str = "GOTHELLO_ARENA_MODEL";

/// What an unacknowledged answer says, in place of the handle with which to acknowledge it.
type ModelAnswer = (Try, Kind);

/// The program's counterpart of a coordinator.
struct DeskReplay {
    desk: Desk,
    answers: Answers<ModelAnswer>,
    back: UnboundedReceiver<FromElsewhere>,
    games: Vec<GameSpec>,
    /// The jobs to be taken back.
    gone: Vec<LaneTry>,
}

const KEYS: &str = "rounds = 2\n";

/// A game that the tournament does not have.
const NO_GAME: u8 = 99;

fn names(spec: &GameSpec) -> [&'static str; 2] {
    [spec.pair().black, spec.pair().white].map(|player| ["a", "b"][player])
}

/// The text of a record of `spec` that says `kind`.
fn record(spec: &GameSpec, kind: Kind) -> String {
    let (result, ending) = if kind == Kind::Void { ("*", "void\"]\n[Reason \"none") } else { ("0-1", "no show") };
    unplayed_record(spec, spec.id.as_str(), names(spec), result, ending)
}

/// The journal's entry for a game that ended as `kind` says.
fn entry(spec: &GameSpec, kind: Kind) -> JournalEntry {
    let game = GameEntry { number: spec.number, id: spec.id.to_string(), record: record(spec, kind) };
    if kind == Kind::Void { JournalEntry::Void(game) } else { JournalEntry::Game(game) }
}

const fn at_of(at: Try) -> GameTry {
    GameTry { number: at.game as u64, nth: at.nth as u32 }
}

const fn try_of(game: u64, nth: u32) -> Try {
    // Models are small.
    #[expect(clippy::cast_possible_truncation, reason = "models are small")]
    Try { game: game as u8, nth: nth as u8 }
}

fn job_of(LaneJob { job, .. }: &LaneJob) -> Try {
    try_of(job.number, job.nth)
}

fn running(state: &State) -> &Running {
    let Coordinator::Up(running) = &state.coordinators[0] else { panic!("the coordinator is down") };
    running
}

const fn saved_of(Line { game, kind }: Line) -> SavedGame {
    SavedGame { number: game as u64, is_void: matches!(kind, Kind::Void) }
}

impl DeskReplay {
    /// A coordinator that has read `journal`.
    fn start(journal: &[Line], plays_here: bool) -> Self {
        let (_, _, games) = desk_after(KEYS, &[], plays_here);
        let entries: Vec<JournalEntry> =
            journal.iter().map(|line| entry(&games[line.game as usize], line.kind)).collect();
        let (desk, back, games) = desk_after(KEYS, &entries, plays_here);
        Self { desk, answers: Answers::default(), back, games, gone: Vec::new() }
    }

    /// The answer `stored`.
    fn payload(&self, Stored { at, kind, .. }: Stored) -> Vec<u8> {
        let Some(spec) = self.games.get(at.game as usize).filter(|_| kind != Kind::Lie) else {
            return answer(&self.games[0], "r9-a-b", ["a", "b"]);
        };
        answer_with(record(spec, kind), BUNDLE, names(spec))
    }

    /// Makes the step of the model, and checks that the program decides as the model does.
    fn step(&mut self, model: &ExchangeModel, before: &State, step: &Step, after: &State) {
        match *step {
            Step::SetUp(_) => {
                self.answers = Answers::default();
                assert_eq!(self.desk.jobs().iter().map(job_of).collect::<Vec<_>>(), running(before).desk.jobs());
                let gone = std::mem::take(&mut self.gone);
                let gone: Vec<Try> = gone.iter().map(|(_, at)| try_of(at.number, at.nth)).collect();
                assert_eq!(gone, running(before).desk.gone);
            }
            Step::Staff(_) => {
                assert_eq!(self.desk.staff([worker("one", &[])].iter()), Vec::new());
                let placed = self.desk.place_waiting();
                assert_eq!(placed.iter().map(job_of).collect::<Vec<_>>(), running(after).publishing);
            }
            Step::Unstaff(_) | Step::LoseAll(_) => self.unstaff(before, matches!(step, Step::Unstaff(_))),
            Step::Give(_, game) => self.give(before, game, after),
            Step::Sweep(_) => {
                let time = now() + Duration::from_secs(1);
                let renewed: Vec<Try> =
                    self.desk.jobs_to_renew(time, Duration::from_secs(1)).iter().map(job_of).collect();
                assert!(running(after).publishing.iter().all(|at| renewed.contains(at)), "{renewed:?}");
                assert_eq!(self.desk.jobs_to_renew(time, Duration::from_secs(1)), Vec::new(), "not so soon again");
            }
            Step::TakeAnswer(_, number, verdict) => {
                let stored = before.broker.answers.messages.iter().find(|answer| answer.number == number);
                let mut stored = *stored.expect("an answer");
                if stored.at.game >= model.games {
                    stored.at.game = NO_GAME;
                }
                self.take(stored, verdict, after);
            }
            Step::TakeExhausted(_, at) => {
                let is_out = running(before).desk.out[at.game as usize].is_some_and(|out| out.nth == at.nth);
                self.desk.exhausted(at_of(at));
                let back = self.back.try_recv().ok();
                let is_void = |back: &FromElsewhere| matches!(back, FromElsewhere::Played(game) if game.played.record.void().is_some());
                assert_eq!(back.as_ref().map(is_void), is_out.then_some(true));
            }
            Step::Tell(_) => self.tell(before, after),
            Step::Close(_) => {
                let is_removed = !after.broker.has_streams;
                assert_eq!(self.desk.is_empty() && self.answers.is_empty(), is_removed);
            }
            // The next session forgets the answers that it does not have to acknowledge.
            Step::Interrupt(_) | Step::Crash(_) => self.answers = Answers::default(),
            _ => {}
        }
        assert!(self.back.try_recv().is_err(), "{step:?} returns a game");
        if let Coordinator::Up(running) = &after.coordinators[0] {
            self.compare(model, running);
        }
    }

    fn unstaff(&mut self, before: &State, has_session: bool) {
        let gone = self.desk.staff([].iter());
        assert!(self.desk.place_waiting().is_empty());
        let desk = &running(before).desk;
        let expected = if self.desk.plays_here { desk.jobs() } else { Vec::new() };
        assert_eq!(gone.iter().map(|(_, at)| try_of(at.number, at.nth)).collect::<Vec<_>>(), expected);
        if !has_session {
            self.gone.extend(gone);
        }
        for game in (0..).zip(&desk.out).filter(|(_, out)| self.desk.plays_here && out.is_some()).map(|(game, _)| game)
        {
            let back = self.back.try_recv();
            assert!(matches!(&back, Ok(FromElsewhere::Unplayed(spec)) if spec.number == game), "{game}: {back:?}");
        }
    }

    /// Gives away a game, as `Office::give` does.
    fn give(&mut self, before: &State, game: u8, after: &State) {
        let number = u64::from(game);
        let job = self.desk.send_out(self.games[game as usize].clone());
        let early = self.answers.take_early(number);
        let expected = running(before).early[game as usize];
        assert_eq!(early.map(|(at, _)| at.nth), expected.map(|early| early.nth));
        let published = match early {
            Some((at, _)) => {
                self.desk.expect(at_of(at));
                None
            }
            None => job,
        };
        assert_eq!(published.iter().map(job_of).collect::<Vec<_>>(), running(after).publishing);
    }

    /// Takes an answer, as `Office::take` does.
    fn take(&mut self, stored: Stored, expected: VerdictModel, after: &State) {
        let (number, handle) = (u64::from(stored.at.game), (stored.at, stored.kind));
        let was_taken_in = self.desk.taken_in.contains_key(&number) && !self.desk.out.contains_key(&number);
        let payload = self.payload(stored);
        let verdict = self.desk.answered(at_of(stored.at), &payload);
        let back = self.back.try_recv().ok();
        let found = match verdict {
            Verdict::Keep(game) => {
                self.answers.keep(game, handle);
                assert_eq!(game, saved_of(Line { game: stored.at.game, kind: stored.kind }));
                if was_taken_in { VerdictModel::TakenBefore } else { VerdictModel::Taken }
            }
            Verdict::Early => {
                self.answers.keep_early(number, handle);
                VerdictModel::Early
            }
            Verdict::Late => VerdictModel::Late,
            Verdict::Wrong { again, .. } => {
                assert_eq!(again.iter().map(job_of).collect::<Vec<_>>(), running(after).publishing);
                let next = running(after).desk.out[stored.at.game as usize];
                VerdictModel::Wrong { nth: next.map(|out| out.nth) }
            }
        };
        assert_eq!(found, expected, "{stored:?}");
        let is_played = matches!(back, Some(FromElsewhere::Played(_)));
        assert_eq!(is_played, matches!(found, VerdictModel::Taken | VerdictModel::Wrong { nth: None }));
    }

    /// A game has been saved: the answers that the model acknowledges are those that the program acknowledges.
    fn tell(&mut self, before: &State, after: &State) {
        let (before, after) = (running(before), running(after));
        let saved = saved_of(before.synced[0]);
        self.desk.saved(saved);
        let done = self.answers.done_with(saved);
        let kinds = |running: &Running| running.held.iter().map(|held| (held.game, held.kind)).collect::<Vec<_>>();
        let is_acknowledged = |held: &(u8, Kind)| !kinds(after).contains(held);
        let mut expected: Vec<(u8, Kind)> = kinds(before).into_iter().filter(is_acknowledged).collect();
        let early = |running: &Running| running.early[before.synced[0].game as usize].is_some();
        if early(before) && !early(after) {
            expected.extend(
                done.iter()
                    .map(|(at, kind)| (at.game, *kind))
                    .filter(|done| !expected.contains(done))
                    .collect::<Vec<_>>(),
            );
            assert!(!expected.is_empty(), "the early answer is acknowledged");
        }
        let mut done: Vec<(u8, Kind)> = done.into_iter().map(|(at, kind)| (at.game, kind)).collect();
        for list in [&mut done, &mut expected] {
            list.sort_unstable();
            list.dedup();
        }
        assert_eq!(done, expected);
    }

    /// Compares the desk with that of the model.
    fn compare(&self, model: &ExchangeModel, running: &Running) {
        let DeskModel { out, taken_in, tries, done, is_staffed, .. } = &running.desk;
        for game in 0..model.games {
            let (number, place) = (u64::from(game), usize::from(game));
            let real = self.desk.out.get(&number);
            let real = real.map(|out| (out.nth, out.lane.is_some(), out.wrong));
            let modelled = out[place].map(|out| (u32::from(out.nth), out.is_in_lane, u32::from(out.wrong)));
            assert_eq!(real, modelled, "game {game}");
            let taken = self.desk.taken_in.get(&number).map(|taken| (taken.nth, taken.game.is_void));
            assert_eq!(taken, taken_in[place].map(|taken| (u32::from(taken.nth), taken.is_void)), "game {game}");
            assert_eq!(self.desk.tries.get(&number).copied().unwrap_or_default(), u32::from(tries[place]));
            assert_eq!(self.desk.done.contains(number), done.has(game));
            assert_eq!(self.desk.waiting.contains(&number), modelled.is_some_and(|(_, is_in_lane, _)| !is_in_lane));
        }
        assert_eq!(!self.desk.crews.is_empty(), *is_staffed);
        let is_away = |seat: &SeatModel| *seat == SeatModel::Away;
        assert!(running.seats.iter().filter(|seat| is_away(seat)).count() == self.desk.out.len());
    }
}

/// What the desk can tell apart about a step: the coordinator before it, without the numbers of messages, and the answer
/// that it takes. `None` for steps in which the desk has no part.
fn class(graph: &Graph<ExchangeModel>, edge: &Edge<Step>) -> Option<impl Eq + std::hash::Hash + use<>> {
    let before = &graph.states[edge.from];
    let mut running = match &before.coordinators[0] {
        Coordinator::Up(running) => Some(running.clone()),
        Coordinator::Down => None,
    };
    if let Some(running) = &mut running {
        running.held.iter_mut().for_each(|held| held.number = 0);
        running.held.dedup();
        running.early.iter_mut().flatten().for_each(|Early { number, .. }| *number = 0);
        running.queue.clear();
        running.written.clear();
        running.synced.truncate(usize::from(matches!(edge.step, Step::Tell(_))));
    }
    let number = match edge.step {
        Step::TakeAnswer(_, number, _) => Some(number),
        _ => None,
    };
    let answer = before.broker.answers.messages.iter().find(|answer| Some(answer.number) == number);
    let answer = answer.map(|Stored { at, kind, .. }| (*at, *kind));
    let kind = match edge.step {
        Step::Give(_, game) => (0, game),
        Step::Start(_) => (1, 0),
        Step::SetUp(_) => (2, 0),
        Step::Staff(_) => (3, 0),
        Step::Unstaff(_) => (4, 0),
        Step::LoseAll(_) => (5, 0),
        Step::Sweep(_) => (6, 0),
        Step::TakeAnswer(..) => (7, 0),
        Step::TakeExhausted(_, at) => (8, 16 * at.game + at.nth),
        Step::Tell(_) => (9, 0),
        Step::Close(_) => (10, 0),
        Step::Interrupt(_) => (11, 0),
        _ => return None,
    };
    let journal = (kind.0 == 1).then(|| before.journal.clone());
    Some((kind, running, answer, journal))
}

/// Replays traces of `model` that contain every step that the desk can tell apart.
fn replay(model: &ExchangeModel) {
    let graph = match check(model, 1 << 22) {
        Checked::Sound(graph) => graph,
        Checked::Flawed(flaw) => panic!("{}", flaw.text()),
        Checked::TooLarge => panic!("too many states"),
    };
    let paths = graph.tour(class);
    let (mut steps, mut counts) = (0, BTreeMap::new());
    for path in &paths {
        let mut replay = None;
        for edge in path.iter().map(|&edge| &graph.edges[edge]) {
            let (before, after) = (&graph.states[edge.from], &graph.states[edge.to]);
            if let Step::Start(_) = edge.step {
                replay = Some(DeskReplay::start(&before.journal, model.plays_here));
            }
            if let Some(replay) = &mut replay {
                replay.step(model, before, &edge.step, after);
            }
            if after.coordinators[0] == Coordinator::Down {
                replay = None;
            }
            let name = format!("{:?}", edge.step);
            *counts.entry(name.split('(').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
            steps += 1;
        }
    }
    assert_ne!(steps, 0, "{} states, {} traces: {counts:?}", graph.states.len(), paths.len());
}

/// A model with these faults.
fn model(games: u8, workers: u8, faults: Faults) -> ExchangeModel {
    let (coordinators, plays_here, protections) = (1, false, Protections::ALL);
    ExchangeModel { games, coordinators, workers, plays_here, deliveries: 2, void_retries: 1, faults, protections }
}

fn is_large() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

#[test]
fn a_desk_whose_coordinator_is_killed_decides_as_the_model_does() {
    let more = u8::from(is_large());
    replay(&model(2, 1, Faults { kills: 1, power_failures: more, ..Faults::default() }));
}

#[test]
fn a_desk_whose_workers_die_decides_as_the_model_does() {
    let more = u8::from(is_large());
    replay(&model(1, 2, Faults { deaths: 1, freezes: 1 + more, ..Faults::default() }));
}

#[test]
fn a_desk_whose_broker_forgets_decides_as_the_model_does() {
    let more = u8::from(is_large());
    replay(&model(1 + more, 1, Faults { crashes: 1, ..Faults::default() }));
    replay(&model(2, 1, Faults { wipes: 1, ..Faults::default() }));
    replay(&model(2, 1, Faults { losses: 1, ..Faults::default() }));
}

#[test]
fn a_desk_that_gets_void_and_wrong_answers_decides_as_the_model_does() {
    let more = u8::from(is_large());
    replay(&model(1, 1, Faults { voids: 2, kills: more, ..Faults::default() }));
    replay(&model(1, 1, Faults { voids: 1, kills: 1, ..Faults::default() }));
    replay(&model(1, 1, Faults { lies: 3, ..Faults::default() }));
    replay(&model(1, 1, Faults { lies: 1, kills: 1, ..Faults::default() }));
}

#[test]
fn a_desk_beside_a_machine_that_plays_decides_as_the_model_does() {
    let more = u8::from(is_large());
    let faults = Faults { silences: 1, kills: 1, losses: more, ..Faults::default() };
    replay(&ExchangeModel { plays_here: true, ..model(1, 1, faults) });
}
