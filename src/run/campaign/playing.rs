//! Plays a campaign: opens addresses for remote players, prepares all players, and plays the games.

mod under_way;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::checked::check_game;
use super::enough_resources::AtATime;
use super::errors::CampaignError;
use super::place::Origin;
use super::warning::Warning;
use super::{Campaign, CampaignPlan, Tell, capacity, confine};
use crate::base::machine;
use crate::base::stop::{Stop, StopSender, StopSignal};
use crate::base::time::{now, sleep_until};
use crate::host::confinement::Confinement;
use crate::host::lobby::remote_players::{self, RemoteListener, RemotePlayer};
use crate::host::lobby::wrong_tokens::SharedWrongTokens;
use crate::host::program::VisiblePaths;
use crate::host::sandbox::{Cage, Tier};
use crate::referee::pace::MachinePace;
use crate::referee::pace::TimeScale;
use crate::referee::record::LoggedGame;
use crate::results::standings::FieldStandings;
use crate::run::collector::{CollectError, Collector};
use crate::run::elsewhere::{Elsewhere, RunSlots, Sharing, SharingContext};
use crate::run::entrants::{Entrant, Known, Needed, Preparer};
use crate::run::event::Event;
use crate::run::executor::{RemoteAddresses, Run};
use crate::run::growth::{GrowthContext, NoGrowth};
use crate::run::journal;
use crate::run::journal::Ledger;
use crate::run::listener::{ListenerContext, Listeners};
use crate::run::play::Arena;
use crate::tournament::Tournament;
use crate::tournament::schedule::PlayerIndex;
use under_way::UnderWay;

/// How often to check whether another run has begun in the same directory.
const LOOK: Duration = Duration::from_millis(250);

/// A campaign whose last game has ended.
#[derive(Debug)]
pub(crate) struct Concluded {
    collector: Collector,
    dir: PathBuf,
    /// The warning that is reported after the standings.
    lateness: Option<Warning>,
}

impl Concluded {
    /// Writes the tables, and returns the standings, which include the missing games.
    ///
    /// # Errors
    /// Fails if a table cannot be written.
    pub(crate) fn finish(&self) -> Result<FieldStandings, CampaignError> {
        self.collector.finish().map_err(|error| unwritten(error, &self.dir))
    }

    /// Takes the warning about how late the arena was; there is none if no move was made.
    pub(crate) fn take_lateness(&mut self) -> Option<Warning> {
        self.lateness.take()
    }

    /// The results directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }
}

/// A campaign in progress, with everything that it opens before its first game.
struct CampaignInPlay<'a, 'l> {
    plan: &'a CampaignPlan,
    listeners: &'a mut Listeners<'l>,
    stop: &'a StopSender,
    tell: &'a Tell,
    remote_listeners: Vec<RemoteListener>,
    confinement: Option<Confinement>,
    events: UnboundedSender<Event>,
    told: UnboundedReceiver<Event>,
}

impl Campaign {
    /// Plays the remaining games, and reports events to `listeners`. Returns `None` if `stop` was raised before the
    /// first game.
    ///
    /// # Errors
    /// Fails if the campaign cannot begin, or if results cannot be saved.
    pub(crate) async fn play(
        self,
        listeners: &mut Listeners<'_>,
        stop: &StopSender,
    ) -> Result<Option<Concluded>, CampaignError> {
        let (plan, tell) = (self.plan.clone(), Arc::clone(&self.tell));
        let mut signal = stop.signal();
        let remote_listeners = remote_players::open(&plan.tournament)
            .await
            .map_err(|(address, source)| CampaignError::NotListening { address, source })?;
        let cage = tokio::select! {
            biased;
            cage = confine::confinement(&plan, &tell) => cage?,
            () = signal.reached(Stop::Drain) => return Ok(None),
        };
        let concurrency = capacity::games_at_a_time(&plan.tournament, plan.options.concurrency);
        let tier = cage.as_ref().map_or(Tier::D, Cage::tier);
        if !self.is_complete() {
            for warning in Warning::of_room(
                &plan.tournament.players,
                AtATime::Games { count: concurrency, seats: plan.tournament.ruleset.seats() },
                tier,
            ) {
                tell(warning);
            }
        }
        if let Some(warning) = Warning::of_starvation(cage.as_ref()).filter(|_| plan.options.excuses_starved) {
            tell(warning);
        }
        let confinement = cage.map(|cage| Confinement {
            cage,
            visible_paths: VisiblePaths::new(&plan.tournament, &plan.base, &plan.dir),
        });
        let (events, told) = mpsc::unbounded_channel();
        let mut in_play =
            CampaignInPlay { plan: &plan, listeners, stop, tell: &tell, remote_listeners, confinement, events, told };
        let is_new = matches!(self.origin, Origin::Nothing);
        let needed = self.needed();
        let Some(entrants) = in_play.prepare(&self.known(), needed.as_ref(), is_new).await? else { return Ok(None) };
        let preparing = move || {
            let dir = self.plan.dir.clone();
            let (journal, ledger) = self.begin(&entrants)?;
            let collector = Collector::new(dir.clone(), journal, ledger).map_err(|error| unwritten(error, &dir))?;
            Ok::<_, CampaignError>((entrants, collector))
        };
        // Abandoning the preparation is as safe as being killed.
        let begun = unless_stopped(preparing, signal, Stop::Drain, Duration::ZERO).await;
        let Some(begun) = begun.map_err(CampaignError::NoThread)? else { return Ok(None) };
        let (entrants, mut collector) = begun?;
        let lateness = in_play.play_games(entrants, &mut collector).await?;
        Ok(Some(Concluded { collector, dir: plan.dir, lateness }))
    }
}

impl CampaignInPlay<'_, '_> {
    /// Prepares the players, and notifies the listeners; returns `None` if interrupted. Ends early if the run `is_new`
    /// and another run begins in its directory, since the other run may be the reason why a player cannot be prepared.
    async fn prepare(
        &mut self,
        known: &[Known],
        wanted: Option<&BTreeSet<PlayerIndex>>,
        is_new: bool,
    ) -> Result<Option<Vec<Entrant>>, CampaignError> {
        let Self { plan, listeners, stop, tell, confinement, events, told, .. } = self;
        let mut signal = stop.signal();
        let confinement = confinement.as_ref();
        let tell_of_dirs = |news| tell(Warning::PlayerDir(news));
        let is_wanted = |player: &PlayerIndex| wanted.is_none_or(|wanted| wanted.contains(player));
        let all = plan.tournament.players.len();
        let players = (0..all).filter(is_wanted).map(|player| plan.tournament.players[player].clone()).collect();
        let tournament = Tournament { players, ..(*plan.tournament).clone() };
        let preparer =
            Preparer { tournament: &tournament, base: &plan.base, confinement, known, events, tell: &tell_of_dirs };
        let needed = match (&plan.options.others, &tournament.ladder) {
            // A ladder's versions may also be prepared later.
            (_, Some(_)) => Needed::InTimeOrLater,
            // Workers cannot play games of a player that is not prepared here.
            (Some(_), None) => Needed::All,
            (None, None) => Needed::OneGame,
        };
        let preparing = preparer.prepare(needed);
        tokio::pin!(preparing);
        loop {
            tokio::select! {
                biased;
                Some(event) = told.recv() => listeners.tell(&event),
                entrants = &mut preparing => {
                    let mut entrants = entrants?.into_iter();
                    let entrant = |player| is_wanted(&player).then(|| entrants.next()).flatten();
                    return Ok(Some((0..all).map(entrant).map(|entrant| entrant.unwrap_or(Entrant::Resting)).collect()));
                }
                () = signal.reached(Stop::Drain) => return Ok(None),
                () = sleep_until(now() + LOOK), if is_new => {
                    if journal::is_in(&plan.dir) {
                        return Err(CampaignError::InUse { dir: plan.dir.clone() });
                    }
                }
            }
        }
    }

    /// Plays the games that have no result.
    async fn play_games(
        self,
        entrants: Vec<Entrant>,
        collector: &mut Collector,
    ) -> Result<Option<Warning>, CampaignError> {
        let Self { plan, listeners, stop, tell, remote_listeners, confinement, events, told } = self;
        let tournament = Arc::clone(&plan.tournament);
        let concurrency = capacity::games_at_a_time(&tournament, plan.options.concurrency);
        let cores = capacity::cores(&tournament, concurrency, tell);
        let (listening, limit) = (listeners.open_files(), machine::open_files());
        if let Some(shortage) = capacity::shortage(&tournament, concurrency, listening, limit) {
            tell(shortage);
        }
        let ledger = collector.ledger();
        let schedule = ledger.schedule();
        let results = ledger.results();
        let wanted = concurrency.saturating_mul(tournament.thinkers());
        let spare_cpus = cores.as_ref().map(|cores| cores.spare_cpus(wanted)).unwrap_or_default();
        listeners.begin(&ListenerContext { schedule: &schedule, results: &results, ledger, spare_cpus: &spare_cpus });
        let (mut receiving, wrong_tokens) = (JoinSet::new(), SharedWrongTokens::default());
        let (remote_addresses, arrivals) = receive(remote_listeners, &tournament, &wrong_tokens, &mut receiving);
        let arena = Arc::new(Arena {
            confinement: confinement.map(Arc::new),
            cores,
            excuses_starved: plan.options.excuses_starved,
            site: machine::name(),
            pace: pace(plan, tell),
            queues: listeners.queues(),
            ..Arena::new(tournament, entrants)
        });
        let (elsewhere, coordinating) = match shared(plan, &arena, collector.ledger(), (concurrency, tell)).await? {
            Some(Sharing { elsewhere, keeper, task }) => {
                listeners.add(keeper);
                (Some(elsewhere), Some(task))
            }
            None => (None, None),
        };
        let (additions, growing) = match &plan.options.growing {
            Some(growing) => {
                let tell = Arc::clone(tell);
                let context = GrowthContext {
                    arena: &arena,
                    ledger: collector.ledger(),
                    base: &plan.base,
                    dir: &plan.dir,
                    slots: elsewhere
                        .as_ref()
                        .map_or_else(|| RunSlots::of_this_machine(concurrency.get()), Elsewhere::slots),
                    events: events.clone(),
                    tell: Arc::new(move |news| tell(Warning::PlayerDir(news))),
                    stop: stop.signal(),
                };
                let growth = growing
                    .grow(context)
                    .await
                    .map_err(|NoGrowth { exit, source }| CampaignError::NoGrowth { exit, source })?;
                listeners.add(growth.follower);
                (Some(growth.additions), Some(growth.task))
            }
            None => (None, None),
        };
        let run = Run {
            arena: Arc::clone(&arena),
            schedule,
            results,
            concurrency,
            events,
            remote_addresses,
            arrivals,
            elsewhere,
            additions,
        };
        let dir = &plan.dir;
        UnderWay { run, coordinating, growing, collector, told, listeners, stop, dir }.end().await?;
        let wrong = wrong_tokens.lock().unwrap_or_else(PoisonError::into_inner).to_string();
        if !wrong.is_empty() {
            tell(Warning::WrongTokens(wrong));
        }
        Ok(Warning::of_lateness(&arena.lateness.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The pace of this machine's own games. The machine's speed is measured if workers also play, because workers scale
/// clocks by it.
fn pace(plan: &CampaignPlan, tell: &Tell) -> MachinePace {
    if let Some(others) = &plan.options.others {
        return MachinePace { speed: others.speed_here(), scale: TimeScale::ONE };
    }
    if plan.tournament.scale_time {
        tell(Warning::NothingToScale);
    }
    MachinePace::default()
}

/// Starts sharing games with other machines, if the user requested it.
async fn shared(
    plan: &CampaignPlan,
    arena: &Arc<Arena>,
    ledger: &Ledger,
    (concurrency, tell): (NonZeroUsize, &Tell),
) -> Result<Option<Sharing>, CampaignError> {
    let Some(others) = &plan.options.others else { return Ok(None) };
    let CampaignPlan { base, dir, .. } = plan;
    let isolation = plan.options.isolation;
    let tell = Arc::clone(tell);
    let verify = |game: &LoggedGame| check_game(game).map(drop).map_err(|error| error.to_string());
    let say = Arc::new(move |text| tell(Warning::OfBroker(text)));
    let context = SharingContext { arena, ledger, base, dir, isolation, concurrency, verify, say };
    Ok(Some(others.share(context).await?))
}

/// Runs `work` on a separate thread, so that signals are handled in the meantime. Returns its value, or `None` once
/// `grace` has passed since `stop` was reached; `work` then keeps running until it is done or the process exits.
///
/// # Errors
/// Fails if no thread can be started.
pub(crate) async fn unless_stopped<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    mut signal: StopSignal,
    stop: Stop,
    grace: Duration,
) -> io::Result<Option<T>> {
    let (sender, done) = oneshot::channel();
    // If the caller has given up, the value has no receiver.
    let thread = std::thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    tokio::select! {
        biased;
        done = done => match done {
            Ok(value) => Ok(Some(value)),
            // The thread did not send anything, so it panicked.
            Err(_) => thread.join().map_or_else(|panic| std::panic::resume_unwind(panic), |()| Ok(None)),
        },
        () = async {
            signal.reached(stop).await;
            sleep_until(now() + grace).await;
        } => Ok(None),
    }
}

fn unwritten(error: CollectError, dir: &Path) -> CampaignError {
    CampaignError::Unwritten { dir: dir.to_owned(), error }
}

/// Starts accepting remote players at `listeners`, in tasks that are added to `receiving`. Returns the addresses, and
/// the channel on which the players arrive.
fn receive(
    listeners: Vec<RemoteListener>,
    tournament: &Arc<Tournament>,
    wrong_tokens: &SharedWrongTokens,
    receiving: &mut JoinSet<()>,
) -> (RemoteAddresses, UnboundedReceiver<RemotePlayer>) {
    let (arrivals, received) = mpsc::unbounded_channel();
    let mut addresses = BTreeMap::new();
    for listener in listeners {
        addresses.extend(listener.address().map(|address| (listener.player(), address)));
        receiving.spawn(listener.receive(Arc::clone(tournament), Arc::clone(wrong_tokens), arrivals.clone()));
    }
    (addresses, received)
}
