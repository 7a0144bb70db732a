//! Concurrently runs a campaign's games, the collection of their results, and the work at the broker.

use std::any::Any;
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{JoinError, JoinHandle};

use super::unwritten;
use crate::base::sanitise::sanitised;
use crate::base::stop::{Stop, StopSender};
use crate::run::campaign::CampaignError;
use crate::run::collector::Collector;
use crate::run::event::Event;
use crate::run::executor::Run;
use crate::run::listener::Listeners;

/// How long to wait for the work at the broker at the end of a run.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// A run in progress, with the receivers of its results.
pub(super) struct UnderWay<'a, 'l> {
    pub(super) run: Run,
    /// The coordinator's work at the broker, if there is a broker.
    pub(super) coordinating: Option<JoinHandle<()>>,
    /// The work on versions and pairings, if the tournament is a ladder.
    pub(super) growing: Option<JoinHandle<()>>,
    pub(super) collector: &'a mut Collector,
    pub(super) told: UnboundedReceiver<Event>,
    pub(super) listeners: &'a mut Listeners<'l>,
    pub(super) stop: &'a StopSender,
    /// The results directory.
    pub(super) dir: &'a Path,
}

impl UnderWay<'_, '_> {
    /// Waits until the last game has ended and is saved.
    ///
    /// # Errors
    /// Fails if results cannot be saved, if no game can be started, or if the coordinator's work ends because of a bug.
    /// In the latter two cases, every game that has ended is saved.
    pub(super) async fn end(self) -> Result<(), CampaignError> {
        let Self { run, mut coordinating, mut growing, collector, mut told, listeners, stop, dir } = self;
        let playing = run.play(stop.signal());
        let collecting = async {
            let collected = collector.collect(&mut told, listeners).await;
            listeners.close();
            collected.map_err(|error| unwritten(error, dir))
        };
        tokio::pin!(playing, collecting);
        tokio::select! {
            played = &mut playing => {
                played.map_err(CampaignError::NoGameThreads)?;
                collecting.await?;
            }
            // There is no point in continuing if results cannot be saved.
            collected = &mut collecting => {
                stop.raise(Stop::Now);
                playing.await.map_err(CampaignError::NoGameThreads)?;
                collected?;
            }
            // Without the coordinator, the games that workers are playing would never be returned, and the run would
            // wait for them forever.
            Err(failed) = ended(&mut coordinating, &mut growing, dir) => {
                stop.raise(Stop::Now);
                playing.await.map_err(CampaignError::NoGameThreads)?;
                collecting.await?;
                return Err(failed);
            }
        }
        // The broker may no longer be reachable.
        tokio::time::timeout(LAST_WORDS, ended(&mut coordinating, &mut growing, dir)).await.unwrap_or(Ok(()))
    }
}

/// Waits until both background tasks have ended, and drops each one as it ends.
async fn ended(
    coordinating: &mut Option<JoinHandle<()>>,
    growing: &mut Option<JoinHandle<()>>,
    dir: &Path,
) -> Result<(), CampaignError> {
    let why = |error: JoinError| (dir.to_owned(), sanitised(&bug(error)));
    while coordinating.is_some() || growing.is_some() {
        tokio::select! {
            ended = joined(coordinating) => ended.map_err(why).map_err(|(dir, why)| CampaignError::CoordinatorFailed { dir, why })?,
            ended = joined(growing) => ended.map_err(why).map_err(|(dir, why)| CampaignError::LadderFailed { dir, why })?,
        }
    }
    Ok(())
}

/// Waits until `task` ends, and then drops it; waits forever if there is no task.
async fn joined(task: &mut Option<JoinHandle<()>>) -> Result<(), JoinError> {
    let Some(running) = task else { return std::future::pending().await };
    let ended = running.await;
    *task = None;
    ended
}

/// The panic message of a task that ended because of a bug.
fn bug(error: JoinError) -> String {
    let text = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().copied().unwrap_or("a panic without a message").to_owned(),
    };
    error.try_into_panic().map_or_else(|error| error.to_string(), text)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    use tokio::sync::{mpsc, watch};

    use super::*;
    use crate::base::stop;
    use crate::run::addition::Addition;
    use crate::run::campaign::{Campaign, CampaignOptions, CampaignPlan};
    use crate::run::elsewhere::{Elsewhere, Room};
    use crate::run::entrants::Entrant;
    use crate::run::executor::RemoteAddresses;
    use crate::run::play::Arena;
    use crate::tournament::Tournament;

    #[tokio::test]
    async fn a_coordinator_that_ends_with_a_bug_ends_the_run_with_what_it_said() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
        let tournament = Arc::new(Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems:?}")));
        let (base, out) = (dir.path().to_owned(), dir.path().join("out"));
        let plan = CampaignPlan {
            tournament: Arc::clone(&tournament),
            base,
            dir: out.clone(),
            options: CampaignOptions::default(),
        };
        let campaign =
            Campaign::find(plan, Arc::new(|warning| panic!("{warning}"))).unwrap_or_else(|it| panic!("{it}"));
        let entrants = || vec![Entrant::Remote, Entrant::Remote];
        let (journal, ledger) = campaign.begin(&entrants()).unwrap_or_else(|error| panic!("{error}"));
        let mut collector = Collector::new(out.clone(), journal, ledger).expect("prepared");
        let arena = Arena::new(tournament, entrants());
        let (events, told) = mpsc::unbounded_channel();
        let (_arrivals, arrivals) = mpsc::unbounded_channel();
        let (jobs, mut asked) = mpsc::unbounded_channel();
        let (back_sender, back) = mpsc::unbounded_channel();
        let (room_sender, room) = watch::channel(Room { slots: 1, games: 1, crews: Vec::new() });
        let coordinating = tokio::spawn(async move {
            let _held = (back_sender, room_sender);
            let Some(Addition::Game(spec)) = asked.recv().await else { panic!("no game") };
            panic!("no lane for\n{}", spec.number);
        });
        let run = Run {
            arena: Arc::new(arena),
            schedule: collector.ledger().schedule(),
            results: collector.ledger().results(),
            concurrency: NonZeroUsize::MIN,
            events,
            remote_addresses: RemoteAddresses::new(),
            arrivals,
            elsewhere: Some(Elsewhere { local_slots: 0, room, jobs, back }),
            additions: None,
        };
        let (stop, _signal) = stop::channel();
        let mut listeners = Listeners::default();
        let under_way = UnderWay {
            run,
            coordinating: Some(coordinating),
            growing: None,
            collector: &mut collector,
            told,
            listeners: &mut listeners,
            stop: &stop,
            dir: &out,
        };
        let error = under_way.end().await.expect_err("the game never comes back");
        assert_eq!(
            error.to_string(),
            "communication with the broker has stopped because of a bug in the arena: no lane for\\n0"
        );
    }
}
