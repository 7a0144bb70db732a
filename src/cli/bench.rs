//! `gothello-arena bench`.

mod bench_news;
mod kept;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use anyhow::Context as _;

use self::bench_news::BenchTeller;
use super::program_args::words_of;
use super::{CommandResult, Exit, Failure, interrupt, note, settings};
use crate::base::machine;
use crate::base::sanitise::Shown as _;
use crate::base::tree::FilePlace;
use crate::bench::bench_games::BenchWish;
use crate::bench::bench_store::BenchStore;
use crate::bench::decision::{BenchAnswer, MOST_PAIRS};
use crate::bench::own_sources::OwnSources;
use crate::bench::round::{Bench, RoundEnd};
use crate::course::rubric::Baseline;
use crate::course::submissions::recipe::{Certainty, Recipe};
use crate::drill::script::OrdinaryClock;
use crate::game::{Ruleset, UnknownRuleset};
use crate::referee::time_control::SideControl;
use crate::tournament::{Isolation, Transport};

/// Check and play every version of your bot as you save it
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    override_usage = "gothello-arena bench [OPTIONS] [--command WORD...]
       gothello-arena bench list | promote [VERSION] | why [VERSION]",
    help_template = HELP,
    after_help = "Also: --build COMMAND, --stdio, --ruleset, --time, --pairs, --no-openings, -j,
--isolation.
Without --command, gothello.toml or the sources show how the bot is started
(docs/bot/bench.md). Exit codes of --once: 0 success, 3 not ready.
Example:
  gothello-arena bench --against greedy --against \"alphabeta 2\""
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    #[command(flatten)]
    watching: WatchingArgs,
}

/// The help, with the subcommands first and without empty lines.
const HELP: &str =
    "{about-with-newline}{usage-heading} {usage}\nCommands:\n{subcommands}\nOptions:\n{options}\n{after-help}";

#[derive(Debug, clap::Subcommand)]
enum BenchCommand {
    List(kept::ListArgs),
    Promote(kept::PromoteArgs),
    Why(kept::WhyArgs),
}

/// The options of the bench itself.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
struct WatchingArgs {
    /// The bot's directory, where .bench is kept
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Also play BOT, such as greedy (may be repeated)
    #[arg(long, value_name = "BOT")]
    against: Vec<Baseline>,
    /// Play one round with the current sources, and exit
    #[arg(long)]
    once: bool,
    /// Print one JSON object for each round
    #[arg(long)]
    json: bool,
    /// The command that starts the bot, such as: python3 bot.py {side} {port}
    #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true)]
    command: Vec<String>,
    /// The bot's build command, split at spaces
    #[arg(long, value_name = "COMMAND", requires = "command", hide_short_help = true)]
    build: Option<String>,
    /// The bot speaks on stdin and stdout
    #[arg(long, requires = "command", hide_short_help = true)]
    stdio: bool,
    /// The rules of the games
    #[arg(long, value_name = "RULES", default_value = "gothello", value_parser = rules, hide_short_help = true)]
    ruleset: Ruleset,
    /// Play all games from the initial position
    #[arg(long, hide_short_help = true)]
    no_openings: bool,
    /// Each side's clock [default: 10s]
    #[arg(long, value_parser = super::side_control, hide_short_help = true)]
    time: Option<SideControl>,
    /// Play at most N pairs of games against each opponent
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PAIRS, value_parser = pairs, hide_short_help = true)]
    pairs: NonZeroU32,
    /// Play N games or scenarios at a time [default: as many as the cores allow]
    #[arg(long, short = 'j', value_name = "N", value_parser = super::at_least_one::<NonZeroUsize>, hide_short_help = true)]
    concurrency: Option<NonZeroUsize>,
    /// Confine the bot: require, auto or off
    #[arg(
        long,
        value_name = "HOW",
        value_parser = super::word_options::isolation(),
        hide_possible_values = true,
        hide_short_help = true
    )]
    isolation: Option<Isolation>,
}

/// The default number of pairs.
const DEFAULT_PAIRS: NonZeroU32 = NonZeroU32::new(MOST_PAIRS).unwrap();

/// Checks that `text` names rules for two players.
fn rules(text: &str) -> Result<Ruleset, String> {
    let ruleset: Ruleset = text.parse().map_err(|unknown: UnknownRuleset| unknown.to_string())?;
    match ruleset.seats() {
        2 => Ok(ruleset),
        seats => Err(format!("the bench compares two players, but these rules are for {seats}")),
    }
}

/// Parses a number of pairs that a tournament file would accept.
fn pairs(text: &str) -> Result<NonZeroU32, &'static str> {
    let pairs: Option<NonZeroU32> = text.parse().ok();
    pairs.filter(|pairs| pairs.get() <= 1_000_000).ok_or("must be a whole number from 1 to 1000000")
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            Some(BenchCommand::List(args)) => args.run(),
            Some(BenchCommand::Promote(args)) => args.run(),
            Some(BenchCommand::Why(args)) => args.run(),
            None => self.watching.run(),
        }
    }
}

impl WatchingArgs {
    fn run(self) -> CommandResult {
        machine::raise_open_files();
        let (once, json) = (self.once, self.json);
        let bench = self.bench()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
        runtime.block_on(async move {
            let interrupt = interrupt::watch_for_the_end()?;
            let teller = BenchTeller::new(&bench, json)?;
            if !once {
                note(format_args!("watching `{}`; press Ctrl-C to stop", bench.sources.dir.shown()));
                teller.with_ears(async |ears| bench.watch(&ears, interrupt.flag()).await).await?;
                return Ok(interrupt.exit());
            }
            let end = teller.with_ears(async |ears| bench.once(&ears, interrupt.flag()).await).await;
            // An object is also printed for a failed round.
            teller.round_ends();
            Ok(exit_of(&end?, &interrupt))
        })
    }

    /// How the bot is built and started, if `--command` says so.
    fn given(&self) -> Option<Recipe> {
        (!self.command.is_empty()).then(|| Recipe {
            dir: String::new(),
            language: "another language",
            build: self.build.as_ref().map(|build| build.split_whitespace().map(str::to_owned).collect()),
            command: words_of(&self.command),
            transport: if self.stdio { Transport::Stdio } else { Transport::Tcp },
            hosts: Vec::new(),
            side: None,
            is_told_clock: true,
            follows_openings: false,
            certainty: Certainty::Sure,
            why: "`--command` says so".to_owned(),
        })
    }

    /// Opens the bench.
    fn bench(self) -> Result<Bench, Failure> {
        let given = self.given();
        let Self { dir, against, ruleset, no_openings, time, pairs, concurrency, isolation, .. } = self;
        let control = time.unwrap_or(OrdinaryClock::DEFAULT.control);
        Ok(Bench {
            store: BenchStore::open(&dir)?,
            sources: OwnSources { dir, results: settings::results_dir(), outputs: outputs(), given },
            wish: BenchWish { against, control, ruleset, openings: !no_openings, pairs, isolation, concurrency },
        })
    }
}

/// The files to which stdout and stderr are redirected. A pipe or a terminal is never in a bot's directory.
fn outputs() -> Vec<FilePlace> {
    let place = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
    let stats = [rustix::fs::fstat(rustix::stdio::stdout()), rustix::fs::fstat(rustix::stdio::stderr())];
    stats.into_iter().flatten().map(place).collect()
}

/// The exit code of a single round.
fn exit_of(end: &RoundEnd, interrupt: &interrupt::Watch) -> Exit {
    match end {
        RoundEnd::Stopped => interrupt.exit(),
        RoundEnd::Spoiled => Exit::Incomplete,
        RoundEnd::NotReady => Exit::DoesNotHold,
        RoundEnd::Played(results) if results.iter().any(|result| result.answer == BenchAnswer::Open) => {
            Exit::Incomplete
        }
        RoundEnd::Played(_) => Exit::Success,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: WatchingArgs,
    }

    #[test]
    fn a_command_may_be_one_word() {
        for words in [&["python3 bot.py {side}"][..], &["python3", "bot.py", "{side}"]] {
            let line = Line::try_parse_from(["bench", "--command"].iter().chain(words)).expect("a command line");
            assert_eq!(line.args.given().expect("a bot").command, ["python3", "bot.py", "{side}"]);
        }
    }
}
