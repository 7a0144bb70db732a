//! Which games are out, and what to make of an answer.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::told_pace::check_pace;
use super::{SavedGame, Verify};
use crate::base::printable::printable;
use crate::game::rules::BySide;
use crate::referee::record::{GameRecord, SPEED_TAG, WORKER_TAG};
use crate::run::elsewhere::PlayedElsewhere;
use crate::run::entrants::Entrant;
use crate::run::event::Outputs;
use crate::run::journal::Ledger;
use crate::run::nats::broker::GameTry;
use crate::run::nats::messages::{Job, JobAnswer};
use crate::run::play::Arena;
use crate::tournament::definition::Belonging;
use crate::tournament::schedule::GameSpec;

/// How many wrong answers a game may get before it is void.
const MOST_WRONG: u32 = 3;

/// The longest name of a worker in a log, in characters.
const MOST_NAME: usize = 64;

/// A game that is out.
#[derive(Debug)]
struct OutGame {
    spec: GameSpec,
    nth: u32,
    /// How many wrong answers came.
    wrong: u32,
    /// Who has taken the game.
    workers: BTreeSet<String>,
    /// Who has taken it last, or has given the last answer.
    last: Option<String>,
}

/// What to do about an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Keep it until its game is saved.
    Keep,
    /// Keep it until its game is asked for.
    Early,
    /// Let go of it: the game has another result.
    Late,
    /// Let go of it, and publish the job again: the answer is wrong, for this reason.
    Wrong {
        /// The job, unless the game is void now.
        again: Option<Job>,
        /// What is wrong, fit to be printed.
        why: String,
    },
}

/// The games that are out.
#[derive(Debug)]
pub(super) struct Desk {
    arena: Arc<Arena>,
    belonging: Belonging,
    played: UnboundedSender<PlayedElsewhere>,
    verify: Verify,
    out: BTreeMap<u64, OutGame>,
    /// How many tries each game has had.
    tries: HashMap<u64, u32>,
    /// The games that have a result in the journal.
    done: HashSet<u64>,
}

impl Desk {
    /// No game is out; those with a result in `ledger` are done. Games that come back pass `verify` and go to `played`.
    pub(super) fn new(
        arena: Arc<Arena>,
        ledger: &Ledger,
        verify: Verify,
        played: UnboundedSender<PlayedElsewhere>,
    ) -> Self {
        let done =
            ledger.in_order().into_iter().filter(|kept| kept.result().is_some()).map(|kept| kept.number).collect();
        let belonging = ledger.belonging().clone();
        Self { arena, belonging, played, verify, out: BTreeMap::new(), tries: HashMap::new(), done }
    }

    /// Sends `spec` out. Returns the job to publish.
    pub(super) fn send_out(&mut self, spec: GameSpec) -> Job {
        let nth = self.tries.entry(spec.number).or_default();
        *nth += 1;
        let job = Job::new(&spec, *nth);
        self.out.insert(spec.number, OutGame { spec, nth: *nth, wrong: 0, workers: BTreeSet::new(), last: None });
        job
    }

    /// Takes for the answer to `number`, which is out, whatever came before it was asked for.
    pub(super) fn expect(&mut self, GameTry { number, nth }: GameTry) {
        if let Some(game) = self.out.get_mut(&number) {
            game.nth = nth;
            let most = self.tries.entry(number).or_default();
            *most = nth.max(*most);
        }
    }

    /// The jobs that are out.
    pub(super) fn jobs(&self) -> Vec<Job> {
        self.out.values().map(|game| Job::new(&game.spec, game.nth)).collect()
    }

    /// Whether no game is out.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// A worker has taken the game `number`.
    pub(super) fn taken(&mut self, number: u64, worker: &str) {
        if let Some(game) = self.out.get_mut(&number) {
            game.workers.insert(name_of(worker));
            game.last = Some(name_of(worker));
        }
    }

    /// A game is in the journal.
    pub(super) fn saved(&mut self, SavedGame { number, is_void }: SavedGame) {
        if !is_void {
            self.done.insert(number);
        }
    }

    /// Takes in the answer to one try.
    pub(super) fn answered(&mut self, at: GameTry, payload: &[u8]) -> Verdict {
        let GameTry { number, nth } = at;
        if self.done.contains(&number) {
            return Verdict::Late;
        }
        let Some(game) = self.out.get_mut(&number) else {
            // A game that comes back void is asked for again, and its old answers are no use.
            return if self.tries.contains_key(&number) { Verdict::Late } else { Verdict::Early };
        };
        if game.nth != nth {
            return Verdict::Late;
        }
        let told = self.told(number, payload);
        match told {
            Ok((record, outputs)) => {
                self.back(number, record, outputs);
                Verdict::Keep
            }
            Err(why) => self.wrong(number, why),
        }
    }

    /// What an answer tells about the game `number`.
    fn told(&self, number: u64, payload: &[u8]) -> Result<ToldGame, String> {
        let answer: JobAnswer = serde_json::from_slice(payload).map_err(|error| format!("no answer: {error}"))?;
        let worker = name_of(&answer.worker);
        let wrong = |why: &dyn std::fmt::Display| printable(&format!("worker `{worker}`: {why}"));
        let mut record: GameRecord = answer.record.parse().map_err(|error| wrong(&error))?;
        let id = self.out.get(&number).map(|game| game.spec.id.clone()).ok_or_else(|| wrong(&"no such game"))?;
        if record.game.as_deref() != Some(id.as_str()) {
            return Err(wrong(&format!("the record is of another game than {id}")));
        }
        self.belonging.check(id.as_str(), &record).map_err(|error| wrong(&format!("{id}: {error}")))?;
        (self.verify)(&record).map_err(|error| wrong(&format!("{id}: {error}")))?;
        if let Some(game) = self.out.get(&number) {
            record.digests = BySide::from_fn(|side| match &self.arena.entrants[game.spec.players[side]] {
                Entrant::Program { identity, .. } => identity.digest().map(str::to_owned),
                Entrant::Remote | Entrant::Unstartable(_) | Entrant::Changed(_) => None,
            });
        }
        check_pace(&record, self.arena.pace, self.arena.tournament.scale_time)
            .map_err(|why| wrong(&format!("{id}: {why}")))?;
        record.other_tags.retain(|(name, _)| name != WORKER_TAG);
        record.other_tags.push((WORKER_TAG.to_owned(), worker));
        Ok((record, answer.outputs()))
    }

    fn back(&mut self, number: u64, record: GameRecord, outputs: BySide<Outputs>) {
        if let Some(OutGame { spec, .. }) = self.out.remove(&number) {
            // If nobody waits for it any more, the run is about to end, and the broker keeps the answer.
            let _ = self.played.send(PlayedElsewhere { spec, record, outputs });
        }
    }

    fn wrong(&mut self, number: u64, why: String) -> Verdict {
        let Some(game) = self.out.get_mut(&number) else { return Verdict::Late };
        game.wrong += 1;
        if game.wrong < MOST_WRONG {
            let nth = self.tries.entry(number).or_default();
            *nth += 1;
            game.nth = *nth;
            return Verdict::Wrong { again: Some(Job::new(&game.spec, *nth)), why };
        }
        self.void(number, format!("workers gave {MOST_WRONG} wrong answers; the last one: {why}"));
        Verdict::Wrong { again: None, why }
    }

    /// The broker has given a job away too often: its workers died or fell silent.
    pub(super) fn exhausted(&mut self, GameTry { number, nth }: GameTry) {
        let Some(game) = self.out.get(&number).filter(|game| game.nth == nth) else { return };
        let workers: Vec<&str> = game.workers.iter().map(String::as_str).collect();
        let who = if workers.is_empty() { "unknown".to_owned() } else { workers.join(", ") };
        self.void(number, format!("given to workers again and again, and none of them ended it (workers: {who})"));
    }

    fn void(&mut self, number: u64, reason: String) {
        if let Some(game) = self.out.get(&number) {
            let mut record = self.arena.voided(&game.spec, reason);
            // This machine has not played it.
            record.other_tags.retain(|(name, _)| name != SPEED_TAG);
            record.other_tags.extend(game.last.clone().map(|worker| (WORKER_TAG.to_owned(), worker)));
            self.back(number, record, BySide::default());
        }
    }
}

/// A record, and what the bots wrote.
type ToldGame = (GameRecord, BySide<Outputs>);

/// The name of a worker, fit for a log.
fn name_of(worker: &str) -> String {
    printable(worker).chars().take(MOST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;
    use crate::host::seat::address::Addresses;
    use crate::referee::pace::MachinePace;
    use crate::run::journal::{FORMAT, Header};
    use crate::run::listener::EventQueues;
    use crate::tournament::definition::Definition;
    use crate::tournament::file::Tournament;

    /// A desk of two players that meet twice, with the channel that brings games back and the games.
    fn desk() -> (Desk, UnboundedReceiver<PlayedElsewhere>, Vec<GameSpec>) {
        let text = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
        let tournament = Arc::new(Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}")));
        let definition = Definition::from(&*tournament);
        let digest = definition.digest();
        let games = definition.schedule(&[]).games().collect();
        let header =
            Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None };
        let ledger = Ledger::new(header).unwrap_or_else(|error| panic!("{error}"));
        let arena = Arena {
            tournament,
            entrants: vec![Entrant::Remote, Entrant::Remote],
            confinement: None,
            cores: None,
            lateness: Mutex::default(),
            addresses: Addresses::default(),
            site: None,
            pace: MachinePace::default(),
            queues: EventQueues::default(),
        };
        let (played, back) = unbounded_channel();
        (Desk::new(Arc::new(arena), &ledger, |_| Ok(()), played), back, games)
    }

    /// The answer of a worker that says it has played the game `id`, which white won, of these players.
    fn answer(spec: &GameSpec, id: &str, [black, white]: [&str; 2]) -> Vec<u8> {
        let record = format!(
            "[Round \"{}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"0-1\"]\n[Termination \"no show\"]\n\
             [TimeControl \"-\"]\n[Game \"{id}\"]\n[Seed \"{}\"]\n\n0-1\n",
            spec.round, spec.seed
        );
        serde_json::to_vec(&JobAnswer::new("liar\n", record, BySide::default())).expect("plain data")
    }

    #[test]
    fn the_first_answer_that_belongs_to_the_game_counts_and_no_other() {
        let (mut desk, mut back, games) = desk();
        let spec = &games[0];
        let right = answer(spec, "r1-b-a", ["b", "a"]);
        let at = |nth| GameTry { number: 0, nth };
        assert_eq!(desk.answered(at(1), &right), Verdict::Early, "not asked for, as after a restart");
        assert_eq!(desk.send_out(spec.clone()).nth, 1);
        assert_eq!(desk.answered(at(2), &right), Verdict::Late, "another try");
        assert_eq!(desk.answered(at(1), &right), Verdict::Keep);
        let played = back.try_recv().expect("it is back");
        assert_eq!(played.spec, *spec);
        assert!(played.record.other_tags.contains(&(WORKER_TAG.to_owned(), "liar\\n".to_owned())));
        assert_eq!(desk.answered(at(1), &right), Verdict::Late);
        assert!(desk.is_empty() && back.try_recv().is_err());
        desk.saved(SavedGame { number: 0, is_void: false });
        assert_eq!(desk.answered(at(7), &right), Verdict::Late);
    }

    #[test]
    fn lies_are_refused_and_the_third_one_voids_the_game() {
        let (mut desk, mut back, games) = desk();
        let spec = &games[0];
        desk.send_out(spec.clone());
        let lies = [answer(spec, "r1-a-b", ["a", "b"]), answer(spec, "r1-b-a", ["b", "c"]), b"{}".to_vec()];
        for (nth, lie) in (1..).zip(&lies) {
            let Verdict::Wrong { again, why } = desk.answered(GameTry { number: 0, nth }, lie) else {
                panic!("{}", String::from_utf8_lossy(lie))
            };
            assert_eq!(again.map(|job| job.nth), (nth < 3).then_some(nth + 1), "{why}");
            assert!(nth == 3 || why.contains("liar\\n"), "{why}");
        }
        let reason = back.try_recv().expect("void").record.result.expect_err("void").reason;
        assert!(reason.starts_with("workers gave 3 wrong answers"), "{reason}");
        assert!(desk.is_empty());
    }

    #[test]
    fn a_game_that_nobody_ends_is_void_with_the_names_of_its_workers() {
        let (mut desk, mut back, games) = desk();
        desk.send_out(games[1].clone());
        desk.taken(1, "one");
        desk.taken(1, "two");
        desk.taken(1, "one");
        desk.exhausted(GameTry { number: 1, nth: 9 });
        assert!(!desk.is_empty(), "another try");
        desk.exhausted(GameTry { number: 1, nth: 1 });
        let reason = back.try_recv().expect("void").record.result.expect_err("void").reason;
        assert!(reason.ends_with("(workers: one, two)"), "{reason}");
        assert_eq!(desk.send_out(games[1].clone()).nth, 2, "played again under another subject");
    }
}
