//! `gothello-arena run`.

mod place;
mod redo;
mod room;

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::interrupt::{self, Interrupted};
use super::load::{Loaded, load, warn_of_openings};
use super::{CommandResult, Exit, Failure, HELP, note, print};
use crate::base::machine::{self, Cores};
use crate::base::printable::Shown as _;
use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{now, sleep_until};
use crate::host::lobby::guesses::SharedGuesses;
use crate::host::lobby::reception::{self, Arrival, Reception};
use crate::host::program::{Premises, resolved, system_dir_of};
use crate::host::sandbox::{Cage, Detected, Tier, detect};
use crate::host::seat::address::Addresses;
use crate::referee::clock::{Meter, TimeControl};
use crate::results::report::final_report;
use crate::results::standings::Standings;
use crate::run::collector::{CollectError, Collector};
use crate::run::entrants::{Entrant, Known, Preparer, Shortage};
use crate::run::event::Event;
use crate::run::executor::{Receptions, Run};
use crate::run::journal::{Durability, JournalError, Ledger};
use crate::run::play::{Arena, Lateness};
use crate::run::reporter::{Reporter, Verbosity};
use crate::tournament::file::{Isolation, Player, PlayerKind, Tournament};
use place::{Place, Wishes, quoted};

pub(super) use place::{disagreement, unusable};

/// Play a tournament, log its games, and print the standings
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(help_template = HELP, after_help = "On a directory that holds a run of the same file, it goes on where that stopped.
Ctrl-C once lets the running games finish, twice ends them.

Example:
  gothello-arena run tournaments/class.toml --out results/monday")]
pub(super) struct Args {
    /// The tournament file, `-` for stdin [default: the embedded class.toml]
    file: Option<PathBuf>,
    /// Where results go [default: results/ and the file's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Games at a time, instead of what the file says
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Go on, with the players and rounds that are new
    #[arg(long)]
    extend: bool,
    /// Play a player, game or ending such as "no show" again
    #[arg(long, value_name = "WHAT")]
    redo: Vec<String>,
    /// Start anew, beside what is there
    #[arg(long, conflicts_with_all = ["extend", "redo"])]
    fresh: bool,
    /// `fast`: leave it to the system to flush results
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    durability: Durability,
    /// Confine bots: require, auto or off, not as the file says
    #[arg(long, value_name = "HOW", value_parser = super::word::isolation(), hide_possible_values = true)]
    isolation: Option<Isolation>,
    /// Exit with 4 if a player forfeited a game
    #[arg(long)]
    strict: bool,
    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// What prepares, plays and writes down the games of a run.
struct Parts {
    tournament: Arc<Tournament>,
    base: PathBuf,
    receptions: Vec<Reception>,
    reporter: Reporter,
    interrupt: interrupt::Watch,
    events: UnboundedSender<Event>,
    told: UnboundedReceiver<Event>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        machine::raise_open_files();
        let mut loaded = match load(self.file.as_deref()) {
            Ok(loaded) => loaded,
            Err(error) => return error.report(),
        };
        let mut out = self.out.clone().unwrap_or_else(|| Path::new("results").join(&loaded.stem));
        if self.fresh {
            out = place::fresh(&out)?;
        }
        nothing_is_shown(&loaded, &out)?;
        let wishes = Wishes { extend: self.extend, redo: self.redo.clone(), durability: self.durability };
        let place = Place::find(out, &mut loaded.tournament, &wishes)?;
        if self.fresh && !self.quiet {
            note(format_args!("results go to `{}`", place.dir().shown()));
        }
        if !self.quiet {
            warn_of_openings(&loaded.tournament);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("could not get what any run needs from the system")?;
        runtime.block_on(self.play(loaded, place, wishes))
    }

    async fn play(self, loaded: Loaded, place: Place, wishes: Wishes) -> CommandResult {
        let Loaded { tournament, base, .. } = loaded;
        let verbosity = if self.quiet { Verbosity::Quiet } else { Verbosity::Normal };
        let receptions = reception::open(&tournament).await.map_err(|(address, error)| {
            let context = machine::not_listening(address, &error);
            Failure::from(anyhow::Error::new(error).context(context))
        })?;
        let (events, told) = mpsc::unbounded_channel();
        let mut parts = Parts {
            tournament: Arc::new(tournament),
            base,
            receptions,
            reporter: Reporter::new(verbosity),
            interrupt: interrupt::watch()?,
            events,
            told,
        };
        let dir = place.dir().to_owned();
        let mut stop = parts.interrupt.signal();
        let cage = tokio::select! {
            biased;
            cage = self.confine(&parts) => cage?,
            () = stop.reached(Stop::Drain) => return Ok(parts.interrupt.exit()),
        };
        let cage = cage.map(|cage| (cage, Premises::new(&parts.tournament, &parts.base, &dir)));
        let Some(entrants) = parts.prepare(cage.as_ref(), &place.known()).await? else {
            return Ok(parts.interrupt.exit());
        };
        let (tournament, quiet, strict, shown) = (Arc::clone(&parts.tournament), self.quiet, self.strict, dir.clone());
        let preparing = move || {
            let (journal, ledger) = place.begin(&tournament, &entrants, &wishes)?;
            if !quiet {
                tell_where_it_stands(&ledger, &shown);
            }
            let collector = Collector::new(shown.clone(), journal, ledger).map_err(|error| unwritten(error, &shown))?;
            Ok::<_, Failure>((entrants, collector))
        };
        // To give up on it is as safe as to be killed.
        let Some(begun) = unless_stopped(preparing, stop.clone(), Stop::Drain, Duration::ZERO).await? else {
            return Ok(parts.interrupt.exit());
        };
        let (entrants, mut collector) = begun?;
        let interrupt =
            self.play_games(parts, entrants, cage, &mut collector).await.map_err(|failure| match failure {
                Ended::Failed(failure) => failure,
                Ended::Unwritten(error) => unwritten(error, &dir),
            })?;
        let shown = dir.clone();
        let finish = move || {
            let standings = collector.finish().map_err(|error| unwritten(error, &shown))?;
            print(final_report(&standings))?;
            Ok::<_, Failure>(verdict(&standings, strict))
        };
        let Some(verdict) = unless_stopped(finish, stop, Stop::Now, LAST_TABLES).await? else {
            let shown = dir.shown();
            note(format_args!("the standings are not waited for; `gothello-arena rebuild {shown}` makes them"));
            return Ok(interrupt.exit());
        };
        let verdict = verdict?;
        Ok(interrupt.which().map_or(verdict, Interrupted::exit))
    }

    /// How this run's bots are confined, if there are any to be.
    async fn confine(&self, parts: &Parts) -> Result<Option<Cage>, Failure> {
        let tournament = &parts.tournament;
        let isolation = self.isolation.unwrap_or(tournament.isolation);
        let is_program = |player: &Player| matches!(player.kind, PlayerKind::Program(_));
        if !tournament.players.iter().any(is_program) {
            return Ok(None);
        }
        if isolation == Isolation::Off {
            note(
                "bots are not confined: they may read, write, reach and use up whatever the arena may (isolation = \"off\")",
            );
            return Ok(None);
        }
        let Detected { tier, accounting, failures } = detect(&parts.base).await?;
        let why: Vec<String> = failures.iter().map(|(tier, error)| format!("tier {tier}: {error}")).collect();
        let why = why.join("; ");
        if isolation == Isolation::Require && !tier.has_namespaces() {
            let instead = match tier {
                Tier::C => "; without them it can by tier C, which isolation = \"auto\" takes",
                _ => "",
            };
            return Err(Failure::from(anyhow!(
                "this machine can't confine bots in namespaces, as isolation = \"require\" demands ({why}): see \
                 `gothello-arena doctor`{instead}"
            )));
        }
        if tier == Tier::D {
            note(format_args!("bots are not confined, as this machine can't ({why}): see `gothello-arena doctor`"));
            return Ok(None);
        }
        if !self.quiet || !tier.has_namespaces() {
            let why = if why.is_empty() { why } else { format!(" ({why})") };
            note(format_args!("bots are confined by tier {tier}: {}{why}; {accounting}", tier.words()));
        }
        let cage = Cage::new(tier, accounting).context("could not prepare the confinement of bots")?;
        Ok(Some(cage))
    }

    /// Plays what is left to play. Returns the watch over the signals, which knows what interrupted it, if anything did.
    async fn play_games(
        self,
        parts: Parts,
        entrants: Vec<Entrant>,
        cage: Option<(Cage, Premises)>,
        collector: &mut Collector,
    ) -> Result<interrupt::Watch, Ended> {
        let Parts { tournament, receptions, mut reporter, interrupt, events, mut told, .. } = parts;
        let concurrency = self.concurrency.or(tournament.concurrency);
        let concurrency = concurrency.unwrap_or_else(|| machine::default_concurrency(tournament.thinkers()));
        let cores = cores(&tournament, concurrency, self.quiet);
        if let Some(shortage) = room::shortage(&tournament, concurrency, machine::open_files()) {
            note(shortage);
        }
        let ledger = collector.ledger();
        let schedule = ledger.definition.schedule(&ledger.earlier);
        let results = ledger.results();
        reporter.begin(schedule.clone(), &results);
        let site = machine::name();
        let (mut desks, guesses) = (JoinSet::new(), SharedGuesses::default());
        let (receptions, arrivals) = open(receptions, &tournament, &guesses, &mut desks);
        let arena = Arc::new(Arena {
            tournament,
            entrants,
            cage,
            cores,
            lateness: Mutex::default(),
            addresses: Addresses::default(),
            site,
        });
        let shared = Arc::clone(&arena);
        let run = Run { arena, schedule, results, concurrency, events, receptions, arrivals };
        let playing = run.play(interrupt.signal());
        let collecting = async {
            let collected = collector.collect(&mut told, &mut reporter).await;
            reporter.close();
            collected
        };
        tokio::pin!(playing, collecting);
        tokio::select! {
            played = &mut playing => {
                played.map_err(no_threads)?;
                collecting.await.map_err(Ended::Unwritten)?;
            }
            // Without a place for results there is no use in going on.
            collected = &mut collecting => {
                interrupt.stop_now();
                playing.await.map_err(no_threads)?;
                collected.map_err(Ended::Unwritten)?;
            }
        }
        let wrong = guesses.lock().unwrap_or_else(PoisonError::into_inner).to_string();
        if !wrong.is_empty() {
            note(wrong);
        }
        if !self.quiet {
            tell_lateness(&shared.lateness.lock().unwrap_or_else(PoisonError::into_inner));
        }
        Ok(interrupt)
    }
}

/// How long the tables at the end may take once everything is to end at once.
const LAST_TABLES: Duration = Duration::from_secs(1);

/// Does `work` on a thread of its own, so that signals are heard meanwhile. Returns what it returned, or `None` where `stop`
/// was reached and `grace` has passed since; then the work goes on by itself, until the process ends.
async fn unless_stopped<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    mut signal: StopSignal,
    stop: Stop,
    grace: Duration,
) -> anyhow::Result<Option<T>> {
    let (sender, done) = oneshot::channel();
    // Whoever has given up hears of it no more.
    let thread = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
    let thread = thread.context("could not start a thread for the results")?;
    tokio::select! {
        biased;
        done = done => match done {
            Ok(value) => Ok(Some(value)),
            // It never sent anything, so that it panicked.
            Err(_) => thread.join().map_or_else(|panic| std::panic::resume_unwind(panic), |()| Ok(None)),
        },
        () = async {
            signal.reached(stop).await;
            sleep_until(now() + grace).await;
        } => Ok(None),
    }
}

/// The cores for the bots of `concurrency` games at a time, if each is to have one and there are enough.
fn cores(tournament: &Tournament, concurrency: NonZeroUsize, quiet: bool) -> Option<Arc<Cores>> {
    let is_launched = |player: &Player| !matches!(player.kind, PlayerKind::Remote(_));
    if !tournament.affinity || !tournament.players.iter().any(is_launched) {
        return None;
    }
    let wanted = concurrency.saturating_mul(tournament.thinkers());
    let cores = Cores::for_bots(wanted);
    let clocks_suffer = tournament.meter == Meter::Wall && tournament.time_control != TimeControl::Unlimited;
    if cores.is_none() && clocks_suffer && !quiet {
        note(format_args!(
            "bots share cores, and their clocks count the waiting: for each to have one, {wanted} are needed at \
             `concurrency = {concurrency}` (`clock = \"cpu\"` counts only what a bot uses)"
        ));
    }
    cores
}

/// Refuses a place for the tournament or its results that a bot could read.
fn nothing_is_shown(loaded: &Loaded, out: &Path) -> Result<(), Failure> {
    let (base, results) = (resolved(&loaded.base), resolved(out));
    for player in &loaded.tournament.players {
        let PlayerKind::Program(program) = &player.kind else { continue };
        if let Some(system) = system_dir_of(&base).or_else(|| system_dir_of(&results)) {
            return Err(Failure::usage(anyhow!(
                "every bot may read `{system}`, so neither tournament file nor results can lie there (copy the tournament to \
                 another directory)"
            )));
        }
        let dir = program.dir.iter().map(|dir| ("dir", dir));
        let readable = program.readable.iter().map(|path| ("readable", path));
        let mut shown = dir.chain(readable);
        if let Some((key, path)) = shown.find(|(_, path)| results.starts_with(resolved(&loaded.base.join(path)))) {
            return Err(Failure::usage(anyhow!(
                "player `{}` could read the results: `{}` lies in its `{key}`, `{}` (name another directory with --out)",
                player.name,
                out.shown(),
                path.shown()
            )));
        }
    }
    Ok(())
}

/// Says how late the arena itself was, where anybody moved.
fn tell_lateness(lateness: &Lateness) {
    let moves = lateness.moves();
    if moves > 0 {
        let millis = |time: std::time::Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        note(format_args!(
            "the arena itself was at most {} late with 99 % of {moves} moves, and never more than {}; nobody was charged for it",
            millis(lateness.p99()),
            millis(lateness.max())
        ));
    }
}

/// Why a run ended before its games did.
enum Ended {
    Failed(Failure),
    Unwritten(CollectError),
}

impl Parts {
    /// Makes the players ready, and tells of it; `None` if that was interrupted.
    async fn prepare(
        &mut self,
        cage: Option<&(Cage, Premises)>,
        known: &[Known],
    ) -> Result<Option<Vec<Entrant>>, Shortage> {
        let Self { tournament, base, reporter, interrupt, events, told, .. } = self;
        let mut stop: StopSignal = interrupt.signal();
        let confinement = cage.map(|(cage, premises)| (cage, premises));
        let preparer = Preparer { tournament, base, confinement, known, events };
        let preparing = preparer.prepare();
        tokio::pin!(preparing);
        loop {
            tokio::select! {
                biased;
                Some(event) = told.recv() => reporter.tell(&event),
                entrants = &mut preparing => return entrants.map(Some),
                () = stop.reached(Stop::Drain) => return Ok(None),
            }
        }
    }
}

/// Says what has been played before, if anything has.
fn tell_where_it_stands(ledger: &Ledger, dir: &Path) {
    let played = ledger.results().len();
    if played == 0 {
        return;
    }
    let shown = dir.shown();
    let schedule = ledger.definition.schedule(&ledger.earlier);
    let of = schedule.len().map(|all| format!(" of {all}")).unwrap_or_default();
    if ledger.state().missing.games() == 0 {
        note(format_args!("the run in `{shown}` is complete: {played} games"));
    } else {
        note(format_args!("going on with the run in `{shown}`: {played}{of} games are played"));
    }
}

/// The exit code of a run that nobody interrupted.
fn verdict(standings: &Standings, strict: bool) -> Exit {
    if standings.run().missing.games() > 0 {
        Exit::Incomplete
    } else if strict && standings.rows().iter().any(|row| row.forfeit_count() > 0) {
        Exit::Forfeits
    } else {
        Exit::Success
    }
}

fn no_threads(error: io::Error) -> Ended {
    Ended::Failed(anyhow::Error::new(error).context("could not start the threads that games are played on").into())
}

/// Results could not be kept: what has ended is safe, and how to go on.
fn unwritten(error: CollectError, dir: &Path) -> Failure {
    let shown = dir.shown();
    if let CollectError::Journal(error @ JournalError::Disturbed { path, rescued, .. }) = &error {
        return Failure { exit: Exit::Disturbed, error: anyhow!("{error}\n{}", how_to_go_on(path, rescued)) };
    }
    Failure::from(anyhow!(
        "{:#}\nwhat was told as finished is safe in `{shown}`; once that can be written again, the same command goes on \
         where this run stopped",
        anyhow::Error::from(error)
    ))
}

/// What to do after somebody else has moved or changed the journal, which should be at `path`.
fn how_to_go_on(path: &Path, rescued: &io::Result<PathBuf>) -> String {
    match rescued {
        Ok(copy) => format!(
            "the run has ended, and wrote no tables; all its games are in `{copy}`. Keep sync clients, editors and scripts \
             away from the directory, then go on with\n  mv {} {}\nand the same command again",
            quoted(&copy.to_string_lossy()),
            quoted(&path.to_string_lossy()),
            copy = copy.shown(),
        ),
        Err(error) => format!(
            "the run has ended, and wrote no tables; no copy of its journal could be kept either: {error}\nthe games that \
             were told as finished are in the game logs: put the journal back, then `gothello-arena rebuild --from-logs {}` \
             takes the games from there that it lacks",
            quoted(&path.parent().unwrap_or(Path::new(".")).to_string_lossy())
        ),
    }
}

/// Opens the remote players' addresses to them.
fn open(
    receptions: Vec<Reception>,
    tournament: &Arc<Tournament>,
    guesses: &SharedGuesses,
    desks: &mut JoinSet<()>,
) -> (Receptions, UnboundedReceiver<Arrival>) {
    let (arrivals, received) = mpsc::unbounded_channel();
    let mut addresses = BTreeMap::new();
    for reception in receptions {
        addresses.extend(reception.address().map(|address| (reception.player(), address)));
        desks.spawn(reception.receive(Arc::clone(tournament), Arc::clone(guesses), arrivals.clone()));
    }
    (addresses, received)
}
