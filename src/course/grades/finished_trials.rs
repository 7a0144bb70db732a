//! The parts of an unfinished drill that are kept so that an interrupted grading run can resume.
//!
//! The file contains one line of JSON for the drill and one for each trial. A trial is kept with everything that
//! happened in its games, because the causes of failures can only be found once all trials are known.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::kept_drill::{DrillTerms, KeptDrill, TriedBot, status_word};
use crate::drill::readiness::{Trial, TrialStatus};
use crate::drill::script::{BotSeat, BoutFacts, Scenario, TrialFailure};

/// The first line of the file, which identifies the drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrillBeginning {
    /// The drill, without trials.
    drill: KeptDrill,
    /// The seed of all random choices.
    seed: u64,
}

impl DrillBeginning {
    /// The beginning of the drill of `player` under `terms`, played by `bot` and confined as described by `isolation`.
    pub fn new(player: String, terms: DrillTerms, seed: u64, isolation: &str, bot: TriedBot) -> Self {
        Self { drill: KeptDrill::without_trials(player, terms, isolation, bot), seed }
    }

    /// Reads a line that [`DrillBeginning::line`] wrote. Returns `None` if the line is damaged or comes from another
    /// version of this program.
    pub fn read(line: &[u8]) -> Option<Self> {
        let read: Self = serde_json::from_slice(line).ok()?;
        read.drill.is_by_this_program().then_some(read)
    }

    /// The line, including its newline.
    pub fn line(&self) -> String {
        line_of(self)
    }

    /// Whether trials of `earlier` are valid for this drill: the same bot plays the same games.
    pub fn continues(&self, earlier: &Self) -> bool {
        earlier.drill.is_of(&self.drill.bot(), self.drill.terms())
            && earlier.drill.isolation == self.drill.isolation
            && earlier.seed == self.seed
    }
}

/// One trial with everything that happened in it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedTrial {
    id: String,
    side: BotSeat,
    #[serde(with = "status_word")]
    status: TrialStatus,
    failure: Option<TrialFailure>,
    summary: String,
    flaky: bool,
    took: Duration,
    games: Vec<BoutFacts>,
    decisive: usize,
    second: Option<BoutFacts>,
}

impl FinishedTrial {
    /// The part of `trial` that is to be kept. Returns `None` if the trial was skipped, or if it says nothing about the
    /// bot and therefore has to be repeated.
    pub fn of(trial: &Trial) -> Option<Self> {
        let is_void = trial.is_void() || trial.second.as_ref().is_some_and(BoutFacts::is_void);
        if trial.skipped.is_some() || is_void {
            return None;
        }
        Some(Self {
            id: trial.scenario.id.to_owned(),
            side: trial.side,
            status: trial.status,
            failure: trial.failure,
            summary: trial.summary.clone(),
            flaky: trial.flaky,
            took: trial.took,
            games: trial.games.clone(),
            decisive: trial.decisive,
            second: trial.second.clone(),
        })
    }

    /// Reads a line that [`FinishedTrial::line`] wrote. Returns `None` if the line is damaged or belongs to an unknown
    /// scenario.
    pub fn read(line: &[u8]) -> Option<Trial> {
        let read: Self = serde_json::from_slice(line).ok()?;
        let scenario = Scenario::find(&read.id)?;
        let is_whole = read.decisive < read.games.len();
        is_whole.then(|| Trial {
            scenario,
            side: read.side,
            status: read.status,
            failure: read.failure,
            skipped: None,
            summary: read.summary,
            flaky: read.flaky,
            took: read.took,
            games: read.games,
            decisive: read.decisive,
            second: read.second,
            diagnoses: Vec::new(),
            transcript_file: None,
        })
    }

    /// The line, including its newline.
    pub fn line(&self) -> String {
        line_of(self)
    }
}

/// `data` as a line of JSON.
fn line_of(data: &impl Serialize) -> String {
    // Plain data can always be represented.
    let text = serde_json::to_string(data).unwrap_or_else(|error| unreachable!("plain data is JSON: {error}"));
    text + "\n"
}
