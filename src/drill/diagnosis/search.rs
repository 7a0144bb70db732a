//! The search for causes: finds possible causes of each failure, and reports only those that satisfy the three rules.

use std::collections::BTreeMap;

use super::board::evidence::BoardEvidence;
use super::contradictions::is_contradicted;
use super::inquiry::{Inquiry, Subject};
use super::source_lines::SourceCode;
use super::{MAX_CAUSES, SourceFiles, board, clocks, endings, exceptions, speech, startup};
use crate::drill::readiness::{Cause, CauseProof, Diagnosis, SourcePlace, Trial, TrialStatus};
use crate::drill::script::{BoutFacts, Finding, Replay, TrialFailure};

/// A request to replay a game of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedReplay {
    /// The trial's index.
    pub trial: usize,
    /// The game's index.
    pub game: usize,
    /// How the game is replayed.
    pub replay: Replay,
}

/// The unit of proof: a cause or, for an exception, the cause together with the line that raised it.
type CauseKey = (Cause, Option<SourcePlace>);

/// A cause that will be reported if it is proved.
#[derive(Debug)]
struct SuspectedCause {
    /// The trials that show the cause, starting with the shortest game.
    trials: Vec<usize>,
    /// The number of those trials that have been examined.
    looked_at: usize,
    verdict: Option<bool>,
}

/// The search for the causes of one bot's failures.
#[derive(Debug)]
pub struct CauseSearch<'a> {
    sources: &'a SourceFiles,
    suspects: BTreeMap<CauseKey, SuspectedCause>,
    replayed: Vec<(WantedReplay, BoutFacts)>,
}

impl<'a> CauseSearch<'a> {
    /// Starts the search in all trials of one bot. All trials are needed together, because some causes are visible only
    /// in a comparison of trials.
    pub fn new(trials: &[Trial], sources: &'a SourceFiles) -> Self {
        let mut search = Self { sources, suspects: BTreeMap::new(), replayed: Vec::new() };
        let inquiry = search.inquiry(trials);
        let mut shown: BTreeMap<CauseKey, Vec<usize>> = BTreeMap::new();
        for index in 0..trials.len() {
            for found in inquiry.candidates(index) {
                shown.entry(key(&found)).or_default().push(index);
            }
        }
        let length = |index: &usize| trials[*index].decisive_game().map(|game| game.took);
        for (key, mut indices) in shown {
            indices.dedup();
            indices.sort_by_key(length);
            search.suspects.insert(key, SuspectedCause { trials: indices, looked_at: 0, verdict: None });
        }
        search
    }

    /// The next game that has to be replayed; `None` when everything is known.
    pub fn next(&mut self, trials: &mut [Trial]) -> Option<WantedReplay> {
        let keys: Vec<CauseKey> = self.suspects.keys().cloned().collect();
        keys.iter().find_map(|key| self.pursue(key, trials))
    }

    /// Records the facts of the replay `wanted`.
    pub fn add(&mut self, wanted: WantedReplay, facts: BoutFacts) {
        self.replayed.push((wanted, facts));
    }

    /// Assigns the proved causes to each trial, at most [`MAX_CAUSES`] each, the most certain first.
    pub fn tell(self, trials: &mut [Trial]) {
        let inquiry = self.inquiry(trials);
        let is_proved = |found: &Diagnosis| self.suspects.get(&key(found)).and_then(|suspect| suspect.verdict);
        let told = |index| {
            let mut told: Vec<Diagnosis> = inquiry.candidates(index);
            told.retain(|found| is_proved(found) == Some(true));
            keep_one_of_each_kind(&mut told);
            // An exception is reported together with the refused line that led to it, unless a more certain cause
            // explains it.
            if let Some(at) = told.iter().position(|found| found.cause == Cause::OwnException) {
                let mut index = 0;
                told.retain(|found| {
                    index += 1;
                    if at > 0 {
                        index <= at
                    } else {
                        index == 1 || found.cause.explains().contains(&TrialFailure::Stuck)
                    }
                });
            }
            told.truncate(MAX_CAUSES);
            told
        };
        let found: Vec<Vec<Diagnosis>> = (0..trials.len()).map(told).collect();
        for (trial, diagnoses) in trials.iter_mut().zip(found) {
            trial.diagnoses = diagnoses;
        }
    }

    fn inquiry<'t>(&'t self, trials: &'t [Trial]) -> Inquiry<'t> {
        let replays = self.replayed.iter().map(|(_, facts)| facts).collect();
        Inquiry { trials, code: SourceCode::new(self.sources), board: BoardEvidence::of(trials), replays }
    }

    /// Checks whether the cause `key` is proved. Returns the next game that has to be replayed to decide this; `None`
    /// if it is decided.
    fn pursue(&mut self, key: &CauseKey, trials: &mut [Trial]) -> Option<WantedReplay> {
        loop {
            let suspect = self.suspects.get(key).filter(|suspect| suspect.verdict.is_none())?;
            let verdict = match suspect.trials.get(suspect.looked_at) {
                _ if key.0.proof() == CauseProof::AgainOrElsewhere && suspect.trials.len() > 1 => Some(true),
                Some(_) if suspect.looked_at >= key.0.attempts() => Some(false),
                None => Some(false),
                Some(&trial) => {
                    let game = trials[trial].decisive;
                    let wanted = key.0.proof().replays().into_iter().map(|replay| WantedReplay { trial, game, replay });
                    let missing = wanted.clone().find(|wanted| self.facts_of(*wanted, trials).is_none());
                    if missing.is_some() {
                        return missing;
                    }
                    let all: Vec<(Replay, BoutFacts)> = wanted
                        .filter_map(|wanted| Some((wanted.replay, self.facts_of(wanted, trials)?.clone())))
                        .collect();
                    let holds = all.into_iter().all(|(replay, facts)| self.holds(key, replay, (trial, facts), trials));
                    holds.then_some(true)
                }
            };
            let suspect = self.suspects.get_mut(key)?;
            suspect.looked_at += 1;
            suspect.verdict = verdict;
        }
    }

    /// The facts of the replay `wanted`, if it was played. The drill's second try counts as an unchanged replay.
    fn facts_of<'t>(&'t self, wanted: WantedReplay, trials: &'t [Trial]) -> Option<&'t BoutFacts> {
        let second = || trials[wanted.trial].second.as_ref().filter(|_| wanted.replay == Replay::Alike);
        let played = self.replayed.iter().find(|(played, _)| *played == wanted).map(|(_, facts)| facts);
        played.or_else(second)
    }

    /// Whether the given replay of the decisive game meets the requirements for a proof of the cause `key`.
    fn holds(&self, key: &CauseKey, replay: Replay, (trial, facts): (usize, BoutFacts), trials: &mut [Trial]) -> bool {
        if facts.is_void() {
            return false;
        }
        let judgement = (trials[trial].scenario.judge)(std::slice::from_ref(&facts));
        let is_control = matches!(key.0.proof(), CauseProof::Contrast { control, .. } if control == replay);
        if is_control {
            return judgement.finding < Finding::Bad;
        }
        // If it was not the opponent's turn, no move was held back, so the bot cannot have moved too early.
        let early = if replay == Replay::Held { Some(facts.early == Some(true)) } else { facts.early };
        let one = &mut trials[trial];
        let decisive = one.decisive;
        let first = std::mem::replace(&mut one.games[decisive], BoutFacts { early, ..facts });
        let before = (one.failure, one.status);
        (one.failure, one.status) = (judgement.failure, TrialStatus::of(one.scenario.level, judgement.finding));
        let shows = self.inquiry(trials).candidates(trial).iter().any(|found| self::key(found) == *key);
        let one = &mut trials[trial];
        (one.failure, one.status) = before;
        one.games[decisive] = first;
        shows
    }
}

/// Groups of causes of the same kind. Once a cause of a group is proved, the others in the group have nothing left to
/// explain.
const KINDS: [&[Cause]; 4] = [
    &[Cause::Missing, Cause::FixedHost, Cause::FixedSide, Cause::StandardStreams],
    &[Cause::BusyWait, Cause::OwnOpponentSwapped, Cause::Slow],
    &[Cause::MovesEarly, Cause::MoveNumber, Cause::Buffered],
    &[Cause::DrawAsError, Cause::EndCodes, Cause::DiesAfterEnd],
];

fn keep_one_of_each_kind(told: &mut Vec<Diagnosis>) {
    for kind in KINDS {
        let first = told.iter().map(|found| found.cause).find(|cause| kind.contains(cause));
        told.retain(|found| !kind.contains(&found.cause) || Some(found.cause) == first);
    }
}

fn key(found: &Diagnosis) -> CauseKey {
    (found.cause, found.place.clone().filter(|_| found.cause == Cause::OwnException))
}

impl Inquiry<'_> {
    /// The possible causes of the failure of the trial at `index`, the most certain first: they explain the failure,
    /// and nothing observed contradicts them.
    fn candidates(&self, index: usize) -> Vec<Diagnosis> {
        let Some(subject) = self.subject(index) else { return Vec::new() };
        let mut found = suspicions(&subject);
        found.retain(|found| {
            found.cause.explains().contains(&subject.failure) && !is_contradicted(found.cause, &subject)
        });
        found
    }
}

/// The suspected causes of one trial's failure, the most certain first.
fn suspicions(subject: &Subject<'_>) -> Vec<Diagnosis> {
    let mut found = startup::find(subject);
    found.extend(clocks::fails_on_101(subject));
    found.extend(speech::by_recv(subject));
    found.extend(exceptions::find(subject));
    found.extend(clocks::find(subject));
    found.extend(speech::find(subject));
    found.extend(board::find(subject));
    found.extend(endings::find(subject));
    found
}
