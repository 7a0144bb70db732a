//! One round: a version is built and checked, and then played against each of its opponents.
//!
//! The steps follow one another, and a round ends before the next one begins, so no game ever shares a core with a
//! build of the same bench. The games use the products of that one build: for them, the version is a program that does
//! not need to be built.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::bench_error::BenchError;
use super::bench_games::{BenchRival, BenchWish, follows_openings};
use super::bench_result::BenchResult;
use super::bench_store::BenchStore;
use super::decision::{BenchAnswer, BenchOpponent, opponents};
use super::own_sources::OwnSources;
use super::version::{BenchVersion, BenchedState, VersionVerdict};
use crate::base::machine::physical_cores;
use crate::base::stop::{Stop, StopSender};
use crate::drill::playing::{DrillSetup, DrillTelling, TriedPlayers, Unready, prepare, try_players, write_transcripts};
use crate::drill::readiness::{Readiness, Trial, TriedPlayer};
use crate::drill::script::OrdinaryClock;
use crate::drill::selection::ScenarioChoice;
use crate::run::campaign::{Beginning, Campaign, CampaignOptions, CampaignPlan, Tell};
use crate::run::journal;
use crate::run::listener::{Listener, Listeners};
use crate::tournament::Tournament;
use crate::tournament::definition::Definition;

/// A student's bench.
#[derive(Debug)]
pub(crate) struct Bench {
    /// The versions.
    pub(crate) store: BenchStore,
    /// The sources.
    pub(crate) sources: OwnSources,
    /// The user's choices.
    pub(crate) wish: BenchWish,
}

/// An event on the bench.
#[derive(Debug)]
pub(crate) enum BenchNews<'a> {
    /// The sources have a flaw that does not prevent a round. Hostile text.
    Flaw(&'a str),
    /// A round begins, with this version.
    Begins(&'a BenchVersion),
    /// `done` of `of` scenarios have been played.
    Checking {
        /// The number of scenarios that have been played.
        done: usize,
        /// The total number of scenarios.
        of: usize,
    },
    /// The version has a verdict. The outcomes of the scenarios are included unless they were played earlier.
    Checked(&'a BenchVersion, Option<&'a Readiness>),
    /// A problem with the machine prevented a verdict, for this reason. Hostile text.
    Spoiled(&'a str),
    /// The version fails games that begin with an opening, so its games begin from the initial position.
    NoOpenings(&'a BenchVersion),
    /// Games against this opponent begin or continue.
    Plays(&'a BenchVersion, &'a BenchOpponent),
    /// The games against an opponent are over.
    Result(&'a BenchVersion, &'a BenchResult),
    /// The round of this version is cancelled, because the sources have changed.
    Cancels(&'a str),
    /// The bench stops in the middle of a round.
    Ends,
    /// An old version cannot be deleted.
    Untidy(BenchError),
    /// The sources cannot be read at the moment. The bench keeps watching.
    Unreadable(BenchError),
    /// A round has ended, and the bench waits for new sources.
    Waits,
    /// A round has failed, or cannot be played at all. The bench waits for new sources.
    Trouble(BenchError),
}

/// The listeners of a bench.
pub(crate) struct BenchEars<'e> {
    /// Receives the news.
    pub(crate) news: &'e dyn Fn(BenchNews<'_>),
    /// Creates the listener of a run.
    pub(crate) listener: &'e dyn Fn() -> Box<dyn Listener>,
    /// Receives the warnings of runs.
    pub(crate) tell: Tell,
}

/// How a round ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RoundEnd {
    /// The round was stopped.
    Stopped,
    /// A problem with the machine prevented a verdict.
    Spoiled,
    /// The version is not ready to play.
    NotReady,
    /// All games have been played, with these results.
    Played(Vec<BenchResult>),
}

impl RoundEnd {
    /// Whether another round with the same sources would show nothing new.
    pub(crate) fn is_settled(&self) -> bool {
        match self {
            Self::Stopped | Self::Spoiled | Self::NotReady => false,
            Self::Played(results) => results.iter().all(|result| result.answer != BenchAnswer::Open),
        }
    }
}

impl Bench {
    /// Plays a round with `version`, until `stop` is raised.
    ///
    /// # Errors
    /// Fails if the version cannot be checked, or if its games cannot be played.
    pub(crate) async fn round(
        &self,
        mut version: BenchVersion,
        ears: &BenchEars<'_>,
        stop: &StopSender,
    ) -> Result<RoundEnd, BenchError> {
        (ears.news)(BenchNews::Begins(&version));
        if version.is_checked_for(&self.wish.terms()) {
            (ears.news)(BenchNews::Checked(&version, None));
        } else if let Some(end) = Box::pin(self.check(&mut version, ears, stop)).await? {
            return Ok(end);
        }
        if !version.is_ready() {
            return Ok(RoundEnd::NotReady);
        }
        let Some(openings) = self.follows_openings(&mut version, ears, stop).await? else {
            return Ok(RoundEnd::Stopped);
        };
        let mut results = Vec::new();
        for opponent in opponents(&version.id, self.store.promoted().as_deref(), &self.wish.against) {
            let (rival, rival_follows) = match &opponent {
                BenchOpponent::Builtin(baseline) => (BenchRival::Builtin(*baseline), Some(true)),
                BenchOpponent::Version(id) => {
                    let mut rival = self.store.version(Some(id))?;
                    let follows =
                        if openings { self.follows_openings(&mut rival, ears, stop).await? } else { Some(false) };
                    (BenchRival::Version(Box::new(rival)), follows)
                }
            };
            let Some(rival_follows) = rival_follows else { return Ok(RoundEnd::Stopped) };
            (ears.news)(BenchNews::Plays(&version, &opponent));
            let tournament = self.wish.to_play(&version, &rival, openings && rival_follows).map_err(wrong)?;
            let Some(result) = Box::pin(self.play(&version, &opponent, tournament, (ears, stop))).await? else {
                return Ok(RoundEnd::Stopped);
            };
            (ears.news)(BenchNews::Result(&version, &result));
            results.push(result);
        }
        Ok(RoundEnd::Played(results))
    }

    /// Whether games begin with an opening: the user wants openings, and `version` follows their moves. Two short
    /// games, which are played only once, show whether it does. Returns `None` if `stop` was raised.
    async fn follows_openings(
        &self,
        version: &mut BenchVersion,
        ears: &BenchEars<'_>,
        stop: &StopSender,
    ) -> Result<Option<bool>, BenchError> {
        if !self.wish.openings {
            return Ok(Some(false));
        }
        let rules = self.wish.ruleset.name();
        let follows = match version.follows.get(rules) {
            Some(known) => *known,
            None => {
                let tournament = self.wish.to_try_opening(version).map_err(wrong)?;
                let plan = self.plan(tournament, (self.store.empty_opening(&version.id)?, Beginning::Resume));
                let dir = plan.dir.clone();
                let campaign = Campaign::find(plan, Arc::clone(&ears.tell))?;
                let played = Box::pin(campaign.play(&mut Listeners::default(), stop)).await?;
                if played.is_none() || stop.signal().get() != Stop::No {
                    return Ok(None);
                }
                let mut records = Vec::new();
                journal::read(&dir, |game| records.extend(game.two().cloned()))?;
                let Some(follows) = follows_openings(&records, &version.id) else { return Ok(Some(true)) };
                version.follows.insert(rules.to_owned(), follows);
                self.store.keep(version)?;
                follows
            }
        };
        if !follows {
            (ears.news)(BenchNews::NoOpenings(version));
        }
        Ok(Some(follows))
    }

    /// Builds `version`, and plays the quick scenarios. Returns how the round ended if there is no verdict.
    async fn check(
        &self,
        version: &mut BenchVersion,
        ears: &BenchEars<'_>,
        stop: &StopSender,
    ) -> Result<Option<RoundEnd>, BenchError> {
        let tournament = self.wish.to_check(version).map_err(wrong)?;
        let (ruleset, seed) = (tournament.ruleset, tournament.seed);
        let clock = OrdinaryClock::of(tournament.time_control, tournament.meter);
        let choice = ScenarioChoice { only: &[], skip: &[], quick: true };
        let scenarios = choice.scenarios_for(clock.control, ruleset).map_err(|error| wrong(error.to_string()))?;
        let dir = self.store.check(&version.id);
        let plan = self.plan(tournament, (dir.clone(), Beginning::Resume));
        // Nothing else is played in the meantime.
        let jobs = self.wish.concurrency.unwrap_or(physical_cores());
        let mut signal = stop.signal();
        let prepared = tokio::select! {
            biased;
            prepared = prepare(&plan, jobs, &ears.tell) => prepared?,
            () = signal.reached(Stop::Drain) => return Ok(Some(RoundEnd::Stopped)),
        };
        let unready = prepared.players.first().and_then(|player| player.hall.as_ref().err());
        if let Some(Unready::Void(why)) = unready {
            (ears.news)(BenchNews::Spoiled(why));
            return Ok(Some(RoundEnd::Spoiled));
        }
        let products = prepared.players.first().and_then(|player| player.products.as_ref());
        version.add_products(products.into_iter().flat_map(BTreeMap::keys));
        let tier = prepared.tier;
        let (mut done, of) = (0, prepared.trials(ruleset.seats(), scenarios.len()));
        let how = DrillSetup { ruleset, clock, seed, scenarios, jobs, earlier: Vec::new() };
        (ears.news)(BenchNews::Checking { done, of });
        let mut void = String::new();
        let hear = |_: &str, told: DrillTelling<'_>| match told {
            DrillTelling::Ended { .. } => {
                done += 1;
                (ears.news)(BenchNews::Checking { done, of });
            }
            DrillTelling::Void(game, why) => void = format!("a game in `{}` was void: {why}", game.scenario.id),
            _ => {}
        };
        let tried = try_players(&plan, prepared, how, (stop.signal(), hear)).await;
        let TriedPlayers { players, spoiled } = tried.map_err(BenchError::NoThread)?;
        let mut readiness = Readiness { ruleset, isolation: tier.to_string(), players, untried: spoiled };
        if stop.signal().get() != Stop::No {
            return Ok(Some(RoundEnd::Stopped));
        }
        let Some(tried) = readiness.players.first_mut().filter(|tried| !tried.trials.iter().any(Trial::is_void)) else {
            (ears.news)(BenchNews::Spoiled(&void));
            return Ok(Some(RoundEnd::Spoiled));
        };
        write_transcripts(&dir, tried, false).map_err(BenchError::at("write the transcripts to", &dir))?;
        // A cause names lines in the student's own files, not in the copies of these files.
        tried.dir = Some(self.sources.dir.join(&version.dir).to_string_lossy().into_owned());
        let (state, terms) = (BenchedState::of(tried.verdict()), Some(self.wish.terms()));
        version.verdict = Some(VersionVerdict { state, trouble: trouble(tried), terms });
        self.store.keep(version)?;
        (ears.news)(BenchNews::Checked(version, Some(&readiness)));
        Ok(None)
    }

    /// Plays the missing games of `tournament`, in which `version` plays against `opponent`, until it is clear which is
    /// better. Returns `None` if `stop` was raised.
    async fn play(
        &self,
        version: &BenchVersion,
        opponent: &BenchOpponent,
        tournament: Tournament,
        (ears, stop): (&BenchEars<'_>, &StopSender),
    ) -> Result<Option<BenchResult>, BenchError> {
        let (dir, beginning) = self.run_of(version, opponent, &tournament)?;
        let plan = self.plan(tournament, (dir.clone(), beginning));
        let campaign = Campaign::find(plan, Arc::clone(&ears.tell))?;
        let mut listeners = Listeners::default();
        listeners.add((ears.listener)());
        let played = Box::pin(campaign.play(&mut listeners, stop)).await?;
        let Some(mut played) = played else { return Ok(None) };
        if let Some(lateness) = played.take_lateness() {
            (ears.tell)(lateness);
        }
        played.finish()?;
        if stop.signal().get() != Stop::No {
            return Ok(None);
        }
        let (ledger, _) = journal::read(&dir, |_| {})?;
        let told = (&ledger.definition, dir.display().to_string());
        Ok(BenchResult::of(&ledger.state(), ledger.summaries(), told))
    }

    /// The directory for the run of `tournament` between these two players: the directory of a run that has begun under
    /// the same rules, perhaps with a lower maximum number of games, or else an unused directory.
    fn run_of(
        &self,
        version: &BenchVersion,
        opponent: &BenchOpponent,
        tournament: &Tournament,
    ) -> Result<(PathBuf, Beginning), BenchError> {
        let name = crate::tournament::slug(&opponent.to_string());
        let definition = Definition::from(tournament);
        for number in 1_u32.. {
            let folder = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            let dir = self.store.games(&version.id).join(folder);
            if !journal::is_in(&dir) {
                return Ok((dir, Beginning::Resume));
            }
            let (ledger, _) = journal::read(&dir, |_| {})?;
            if ledger.program != env!("CARGO_PKG_VERSION") {
                continue;
            }
            if ledger.definition == definition {
                return Ok((dir, Beginning::Resume));
            }
            if ledger.definition.is_extended_by(&definition) {
                return Ok((dir, Beginning::Extend));
            }
        }
        unreachable!("there are more numbers than directories")
    }

    /// The plan for `tournament`, with results in `dir`, where a run may have begun.
    fn plan(&self, tournament: Tournament, (dir, beginning): (PathBuf, Beginning)) -> CampaignPlan {
        let BenchWish { isolation, concurrency, .. } = self.wish;
        let options = CampaignOptions { beginning, isolation, concurrency, ..CampaignOptions::default() };
        CampaignPlan { tournament: Arc::new(tournament), base: self.store.dir().to_owned(), dir, options }
    }
}

/// What is wrong with the bot of `tried`, one sentence for each failed scenario or cause.
fn trouble(tried: &TriedPlayer) -> Vec<String> {
    let mut trouble: Vec<String> = tried.broken.iter().cloned().collect();
    for trial in tried.trials.iter().filter(|trial| trial.has_failed()) {
        let told = match trial.diagnoses.first() {
            Some(cause) => {
                let place = cause.place.as_ref().map(|place| match place.line {
                    Some(line) => format!(" ({}:{line})", place.file),
                    None => format!(" ({})", place.file),
                });
                format!("{}: {}{}", trial.name(), cause.title, place.unwrap_or_default())
            }
            None => format!("{}: {}", trial.name(), trial.summary),
        };
        trouble.push(told);
    }
    trouble
}

/// The error for games that cannot be played because of these `flaws`.
const fn wrong(flaws: String) -> BenchError {
    BenchError::WrongGames { flaws }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with this answer.
    fn result(answer: BenchAnswer) -> BenchResult {
        BenchResult {
            opponent: "greedy".to_owned(),
            ruleset: "gothello".to_owned(),
            time: "10s".to_owned(),
            opening_plies: 2,
            answer,
            wins: 0,
            draws: 0,
            losses: 0,
            forfeits: 0,
            repeats: 0,
            elo: None,
            elo_low: None,
            elo_high: None,
            run: String::new(),
        }
    }

    #[test]
    fn only_a_round_whose_questions_have_answers_is_not_played_again() {
        let played = |answers: &[BenchAnswer]| RoundEnd::Played(answers.iter().map(|it| result(*it)).collect());
        for (end, expected) in [
            (RoundEnd::Stopped, false),
            (RoundEnd::Spoiled, false),
            (RoundEnd::NotReady, false),
            (played(&[BenchAnswer::Better, BenchAnswer::Even]), true),
            (played(&[BenchAnswer::Worse, BenchAnswer::Open]), false),
        ] {
            assert_eq!(end.is_settled(), expected, "{end:?}");
        }
    }
}
