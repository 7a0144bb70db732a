//! `gothello-arena run`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};

#[cfg(feature = "nats")]
use super::broker::BrokerArgs;
use super::final_standings::{GamesPlace, print_standings};
use super::interrupt::{self, Interrupted};
use super::settings::choices::ProgressChoice;
use super::telling::tell_if;
use super::web::WebArgs;
use super::{CommandResult, Exit, Failure, HELP, note, note_of, progress, settings, warn};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::stop::{Stop, StopSignal};
use crate::base::{console, machine};
use crate::game::{Feature, Ruleset};
use crate::host::tournament_file::{LoadedTournament, load};
use crate::ladder::keeper::{LadderKeeper, LadderNews};
use crate::ladder::leaderboard::{LeaderboardPage, LeaderboardPlan, PictureSender, Pictures, pictures};
#[cfg(feature = "nats")]
use crate::machines::coordinator::BrokerOptions;
use crate::page::http::OpenedPage;
use crate::page::live::{LiveListener, LivePage, RunSite, Serving, ShownRun, of_run};
use crate::page::report_games::read_aliases;
use crate::page::shown::aliases::Aliases;
use crate::results::analysis::DropsSearched;
use crate::results::analysis::by_solver::Analyst;
use crate::results::report::{Extras, ReportFormat};
use crate::results::standings::FieldStandings;
use crate::run::cached_analyst::{AnalystPlan, SeegoverPlan};
use crate::run::campaign::{
    Beginning, Campaign, CampaignOptions, CampaignPlan, Concluded, Warning, games_at_a_time, unless_stopped,
};
#[cfg(feature = "nats")]
use crate::run::elsewhere::OtherMachines;
use crate::run::growth::GrowingField;
use crate::run::journal::Durability;
use crate::run::listener::Listeners;
use crate::run::reporter::{Reporter, Verbosity};
use crate::run::results_dir::ALIASES;
use crate::tournament::Isolation;
use crate::tournament::advice::opening_warnings;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::Schedule;
use crate::tournament::shard::Shard;

/// Creates the text at the end of the help; its list of further options includes `$brokers` and `$workers`.
macro_rules! after_help {
    ($brokers:literal, $workers:literal) => {
        concat!(
            "Also: --{open,anonymous,isolation,durability},",
            $brokers,
            "
 ",
            $workers,
            " --web-{public,host,clients,linger,analysis,delay,embed}
If DIR contains a run of the same file, continues where that run stopped.
Press Ctrl-C once to let the running games finish, twice to stop them now.
Example:
  gothello-arena run tournaments/class.toml --out results/monday"
        )
    };
}

#[cfg(feature = "nats")]
const AFTER_HELP: &str = after_help!(" --slots, --{tls-ca,creds,nkey},", " --worker-timeout,");
#[cfg(not(feature = "nats"))]
const AFTER_HELP: &str = after_help!("", "");

/// Play a tournament, log its games, and print the standings
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
#[command(help_template = HELP, override_usage = "gothello-arena run [FILE] [OPTIONS]", after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Tournament file, or `-` for stdin [default: the embedded class.toml]
    file: Option<PathBuf>,
    /// Write results to DIR [default: results/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play N games at a time, overriding the file
    #[arg(long, short = 'j', value_name = "N", value_parser = super::at_least_one::<NonZeroUsize>)]
    concurrency: Option<NonZeroUsize>,
    /// Continue, adding the file's new players and rounds
    #[arg(long)]
    extend: bool,
    /// Play WHAT again: a player, game or ending ("no show")
    #[arg(long, value_name = "WHAT")]
    redo: Vec<String>,
    /// Play part I of N equal parts, in DIR/shard-I-of-N
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Start a new run in a new directory
    #[arg(long, conflicts_with_all = ["extend", "redo"])]
    fresh: bool,
    /// `fast` lets the system choose when to flush results
    #[arg(
        long,
        value_name = "HOW",
        value_parser = super::word_options::durability(),
        default_value_t,
        hide_short_help = true
    )]
    durability: Durability,
    /// Confine bots: require, auto or off (overrides file)
    #[arg(long, value_name = "HOW", value_parser = super::word_options::isolation(), hide_short_help = true)]
    isolation: Option<Isolation>,
    /// Exit with code 4 if a player forfeited a game
    #[arg(long)]
    strict: bool,
    /// Do not report progress on stderr
    #[arg(long, short)]
    quiet: bool,
    #[arg(
        long,
        help = "Show progress as auto, bar, counter or none (GOTHELLO_ARENA_PROGRESS)",
        value_name = "HOW",
        value_parser = super::word_options::progress(),
        hide_short_help = true,
        hide_possible_values = true
    )]
    progress: Option<ProgressChoice>,
    /// Print the standings as JSON, like `standings --json`
    #[arg(long, hide_short_help = true)]
    json: bool,
    /// Let workers play too, through the NATS broker at URL
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "URL", conflicts_with = "shard")]
    nats: Option<String>,
    /// Play N games at a time on this machine, while workers play others; 0 leaves all games to the workers
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "N", requires = "nats", hide_short_help = true)]
    slots: Option<usize>,
    /// Give a game to another worker if its worker has been silent this long
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "TIME", requires = "nats", value_parser = super::duration, hide_short_help = true)]
    worker_timeout: Option<Duration>,
    #[cfg(feature = "nats")]
    #[command(flatten)]
    broker: BrokerArgs,
    /// Let players on other machines hand in versions to a ladder directly
    #[arg(long, hide_short_help = true)]
    submit_public: bool,
    #[command(flatten)]
    web: WebArgs,
    /// Show on the page the made-up names of `report --anonymous`
    #[arg(long, requires = "web", hide_short_help = true)]
    anonymous: bool,
    /// Judge finished games by exact values for the page, in one thread with the lowest priority
    #[arg(long, requires = "web", hide_short_help = true)]
    web_analysis: bool,
}

/// What a run does once all of its games are over.
#[derive(Clone, Copy, Debug)]
struct RunEnding {
    /// Whether forfeits have a separate exit code.
    is_strict: bool,
    /// The format of the standings, if the user has chosen one.
    format: Option<ReportFormat>,
    /// Whether other messages already tell the user what to do next.
    is_introduced: bool,
}

/// The size, in MiB, of the table for judging games while others are played. It is small, to leave most of the cache
/// and memory to the bots.
const PAGE_MEBIBYTES: NonZeroU32 = NonZeroU32::new(64).unwrap();

/// The error for live-page options that do not apply to the page of a ladder.
const NOT_FOR_LADDERS: &str = "`--anonymous`, `--web-analysis`, `--web-delay` and `--web-embed` do not apply to a ladder: its page shows no boards, \
                               judges lost games when their players ask, and hides names if the file has `anonymous = true` under `[ladder]`";

/// How long writing the final tables may take after the user has asked to stop immediately.
const LAST_TABLES: Duration = Duration::from_secs(1);

/// How long a worker may be silent by default.
#[cfg(feature = "nats")]
const WORKER_TIMEOUT: Duration = Duration::from_secs(30);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        machine::raise_open_files();
        let verbosity = if self.quiet { Verbosity::Quiet } else { progress::verbosity(self.progress)? };
        let loaded = load(self.file.as_deref())?;
        loaded.must_have_directories()?;
        let is_example = self.file.is_none() && !self.quiet;
        let format = self.json.then_some(ReportFormat::Json);
        let (quiet, ending) = (self.quiet, RunEnding { is_strict: self.strict, format, is_introduced: is_example });
        let tell = move |warning: Warning| tell_if(quiet, warning);
        let (web, anonymous, concurrency) = (self.web.clone(), self.anonymous, self.concurrency);
        if loaded.tournament.ladder.is_some() && (anonymous || self.web_analysis || web.is_for_live_page()) {
            return Err(Failure::usage(anyhow!(NOT_FOR_LADDERS)));
        }
        let analyst = self.web_analysis.then(|| analyst(loaded.tournament.ruleset)).transpose()?;
        let has_leaderboard = loaded.tournament.ladder.is_some() && web.is_wanted();
        let (sender, received) = has_leaderboard.then(pictures).unzip();
        let campaign = Campaign::find(self.plan(loaded, sender), Arc::new(tell))?;
        if is_example {
            note(example_begins(&campaign));
        }
        console::detail_of(campaign.dir(), campaign_facts(&campaign, concurrency));
        let opened = web.open()?;
        if !quiet {
            opening_warnings(campaign.tournament()).iter().for_each(warn);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
        runtime.block_on(async move {
            let interrupt = interrupt::watch()?;
            let mut listeners = Listeners::default().with(Reporter::new(verbosity));
            let page = opened.map(|opened| {
                let url = opened.url();
                if let Some(pictures) = received {
                    let page = show_ladder(opened, &campaign, pictures, &mut listeners)?;
                    web.announce("the ladder's page", &url);
                    note(format_args!("the teacher's page, which shows everything: {}", page.teacher_link()));
                    return Ok(RunPage::Ladder(page));
                }
                let aliases = anonymous.then(|| aliases(&campaign)).transpose()?;
                let (page, listener) = show(opened, (&campaign, analyst), aliases, web.serving())?;
                web.announce("the live page", &url);
                listeners.add(Box::new(listener));
                Ok::<_, Failure>(RunPage::Live(page))
            });
            let page = page.transpose()?;
            let next = is_example.then(|| (campaign.dir().to_owned(), next_steps(&campaign)));
            let played = campaign.play(&mut listeners, interrupt.flag()).await?;
            let Some(mut played) = played else { return Ok(interrupt.exit()) };
            let lateness = played.take_lateness();
            let finished = finish(played, interrupt.signal(), ending).await;
            if let Some(lateness) = lateness {
                tell_if(quiet, lateness);
            }
            let verdict = finished?;
            if let Some((dir, next)) = next.filter(|_| verdict == Exit::Success) {
                note_of(&dir, next);
            }
            // Ending the page with Ctrl-C does not count as an interruption of the run.
            let exit = interrupt.which().map_or(verdict, Interrupted::exit);
            if let Some(mut page) = page {
                web.keep(&interrupt, page.all_shown()).await;
                page.end();
            }
            Ok(exit)
        })
    }

    /// The plan for the campaign. If the tournament is a ladder, pictures of it go to `pictures`.
    fn plan(self, loaded: LoadedTournament, pictures: Option<PictureSender>) -> CampaignPlan {
        #[cfg(feature = "nats")]
        let others = self.nats.map(|url| -> Arc<dyn OtherMachines> {
            Arc::new(BrokerOptions {
                access: self.broker.access(url),
                slots: self.slots,
                timeout: self.worker_timeout.unwrap_or(WORKER_TIMEOUT),
                text: loaded.text,
                stem: loaded.stem.clone(),
            })
        });
        #[cfg(not(feature = "nats"))]
        let others = None;
        let LoadedTournament { tournament, base, stem, .. } = loaded;
        let growing = tournament.ladder.is_some().then(|| -> Arc<dyn GrowingField> {
            let is_quiet = self.quiet;
            Arc::new(LadderKeeper {
                file: self.file.filter(|file| file != Path::new("-")),
                players: tournament.players.clone(),
                is_submit_public: self.submit_public,
                pictures,
                tell: Arc::new(move |news| match news {
                    LadderNews::Note(text) if !is_quiet => note(text),
                    LadderNews::Note(_) => {}
                    LadderNews::Warning(text) => warn(text),
                }),
            })
        });
        let beginning = match (self.fresh, self.extend) {
            (true, _) => Beginning::Fresh,
            (false, true) => Beginning::Extend,
            (false, false) => Beginning::Resume,
        };
        let options = CampaignOptions {
            beginning,
            redo: self.redo,
            durability: self.durability,
            isolation: self.isolation,
            concurrency: self.concurrency,
            excuses_starved: false,
            shard: self.shard,
            former_players: Vec::new(),
            others,
            growing,
        };
        let dir = self.out.unwrap_or_else(|| settings::results_dir().join(stem));
        let dir = self.shard.map(|shard| dir.join(shard.dir_name())).unwrap_or(dir);
        CampaignPlan { tournament: Arc::new(tournament), base, dir, options }
    }
}

/// The line that says which tournament is played if the user has not named one.
fn example_begins(campaign: &Campaign) -> String {
    let dir = campaign.dir().shown();
    let (players, games) = (campaign.tournament().players.len(), Schedule::new(campaign.tournament()).at_most());
    let own = if Path::new("class.toml").is_file() {
        "; to play the class.toml in this directory, write `gothello-arena run class.toml`"
    } else {
        ""
    };
    format!("no FILE given; playing the example: {players} built-in bots, {games} games, results in `{dir}`{own}")
}

/// The facts about a campaign that `--verbose` prints before its games.
fn campaign_facts(campaign: &Campaign, concurrency: Option<NonZeroUsize>) -> String {
    let tournament = campaign.tournament();
    let (games, at_once) = (Schedule::new(tournament).at_most(), games_at_a_time(tournament, concurrency));
    format!(
        "`{}` has {} players and at most {games} games, {at_once} at a time; the journal, the logs and the tables go to `{}`",
        sanitised(&tournament.name),
        tournament.players.len(),
        campaign.dir().shown()
    )
}

/// The advice after the example.
fn next_steps(campaign: &Campaign) -> String {
    let dir = campaign.dir().shown();
    // The lines fit into a terminal of 80 columns.
    let steps = [
        (format!("replay -i {dir}"), "steps through the games"),
        (format!("report {dir}"), "writes all games as one page"),
        ("init bot python".to_owned(), "writes a bot that already plays"),
        ("init tournament".to_owned(), "writes a class.toml for your bots"),
    ];
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let lines = steps.map(|(command, what)| format!("\n  gothello-arena {command:width$}  {what}"));
    format!("the results are in `{dir}`. Next:{}", lines.concat())
}

/// An analyst that judges games under the rules of `ruleset` while other games are played.
fn analyst(ruleset: Ruleset) -> Result<Analyst, Failure> {
    ruleset.require(Feature::Solver).map_err(|missing| Failure::usage(anyhow!("--web-analysis: {missing}")))?;
    let seegover = SeegoverPlan::of([ruleset], DropsSearched::All);
    Ok(AnalystPlan { threads: NonZeroUsize::MIN, mebibytes: PAGE_MEBIBYTES, seegover }.analyst()?)
}

/// Aliases for all players of `campaign`. Existing aliases are kept.
fn aliases(campaign: &Campaign) -> Result<Aliases, Failure> {
    let tournament = campaign.tournament();
    let names = tournament.players.iter().map(|player| player.name.as_str());
    let known = read_aliases(&campaign.dir().join(ALIASES))?;
    Ok(known.with(names, &Definition::from(tournament).digest()))
}

/// Serves the page of `campaign` as `serving` specifies, with `aliases`, if there are any, in place of names. The
/// analyst, if there is one, analyzes the games. Returns the page and the listener that feeds it.
fn show(
    opened: OpenedPage,
    (campaign, analyst): (&Campaign, Option<Analyst>),
    aliases: Option<Aliases>,
    serving: Serving,
) -> Result<(LivePage, LiveListener), Failure> {
    let shown = ShownRun { tournament: campaign.shared_tournament(), address: opened.public_url(), aliases };
    let premise = shown.premise(None);
    let (dir, files, delay) = (campaign.dir().to_owned(), opened.open_files(), serving.delay);
    let (listener, feed) = of_run(shown, RunSite { dir, files, analyst, delay });
    let page = opened.start(premise, serving, feed).context("could not start a thread for the live page")?;
    Ok((page, listener))
}

/// The page of a run.
#[derive(Debug)]
enum RunPage {
    /// The live page of a tournament.
    Live(LivePage),
    /// The leaderboard of a ladder.
    Ladder(LeaderboardPage),
}

impl RunPage {
    /// Waits until the page has shown everything.
    async fn all_shown(&mut self) {
        match self {
            Self::Live(page) => page.all_shown().await,
            // The leaderboard is never behind.
            Self::Ladder(_) => {}
        }
    }

    fn end(self) {
        match self {
            Self::Live(page) => page.end(),
            Self::Ladder(page) => page.end(),
        }
    }
}

/// Serves the page of `campaign`, which is a ladder, from its `pictures`.
fn show_ladder(
    opened: OpenedPage,
    campaign: &Campaign,
    pictures: Pictures,
    listeners: &mut Listeners<'_>,
) -> Result<LeaderboardPage, Failure> {
    let plan = LeaderboardPlan { dir: campaign.dir().to_owned(), ruleset: campaign.tournament().ruleset, pictures };
    let (page, listener) =
        LeaderboardPage::start(opened, plan).context("could not start a thread for the ladder's page")?;
    listeners.add(Box::new(listener));
    Ok(page)
}

/// Writes the tables of a run and prints the standings, on another thread so that signals are still handled. Returns
/// the exit code for a run that is not interrupted.
async fn finish(played: Concluded, signal: StopSignal, ending: RunEnding) -> CommandResult {
    let shown = played.dir().shown();
    let played_dir = played.dir().to_owned();
    let finish = move || {
        let standings = played.finish()?;
        let dir = played_dir.as_path();
        let place = if ending.is_introduced { GamesPlace::IntroducedRun(dir) } else { GamesPlace::Run(dir) };
        print_standings(&standings, ending.format, Extras::default(), place)?;
        Ok::<_, Failure>(verdict(&standings, ending.is_strict))
    };
    let finished = unless_stopped(finish, signal, Stop::Now, LAST_TABLES).await;
    match finished.context("could not start a thread for the results")? {
        Some(verdict) => verdict,
        None => {
            warn(format_args!("ending without the standings; `gothello-arena rebuild {shown}` prints them"));
            // The signal determines the exit code.
            Ok(Exit::Success)
        }
    }
}

/// The exit code of a run that was not interrupted.
fn verdict(standings: &FieldStandings, strict: bool) -> Exit {
    if standings.run().missing.games() > 0 {
        Exit::Incomplete
    } else if strict && standings.has_forfeits() {
        Exit::Forfeits
    } else {
        Exit::Success
    }
}
