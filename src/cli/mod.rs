//! The command line: one module for each command, with its arguments and one call into the arena.

mod analysis_watch;
mod analyze;
mod bench;
mod bot;
mod bot_options;
#[cfg(feature = "nats")]
mod broker;
mod check;
mod colour;
mod completions;
mod dataset;
mod docs;
mod doctor;
mod failure;
mod final_standings;
mod github_step;
mod given_board;
mod grade;
mod import;
pub mod init;
mod interrupt;
mod ladder;
mod merge;
mod on_screen;
mod pager;
mod perft;
mod play;
mod program_args;
mod progress;
mod puzzles;
mod rebuild;
mod replay;
mod report;
mod run;
mod serve;
mod settings;
mod solve;
mod standings;
pub mod starters;
mod submit;
mod tablebase;
mod telling;
mod watch;
mod web;
mod word_options;
#[cfg(feature = "nats")]
mod worker;
#[cfg(feature = "nats")]
mod workers;

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::base::console::{self, ColouredStreams, linking, note, note_of, warn};
pub use crate::base::exit::Exit;
use crate::base::units::spaced;
use crate::exact::threads::MOST_THREADS;
use crate::host::sandbox::Stage;
use crate::ladder::doors::run_submission_door;
use crate::referee::time_control::SideControl;
pub use failure::Failure;
use settings::choices::ColourChoice;

/// The result of every command.
pub type CommandResult = Result<Exit, Failure>;

/// Run tournaments of Gothello, Seegover, Othello and Go bots, log and rate them
#[derive(Debug, Parser)]
#[command(
    name = "gothello-arena",
    version,
    max_term_width = 80,
    disable_help_subcommand = true,
    help_template = OVERVIEW,
    after_help = EXIT_CODES
)]
struct Cli {
    #[command(flatten)]
    options: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

/// The position, in a command's help, of the options that all commands have: after the command's own options.
const LAST: usize = 1000;

/// The options of all commands.
#[derive(Clone, Copy, Debug, clap::Args)]
struct GlobalOptions {
    /// Use colours: on a terminal (auto), always or never [default: auto]
    #[arg(long, global = true, value_name = "WHEN", value_parser = word_options::color(), hide_short_help = true, display_order = LAST)]
    color: Option<ColourChoice>,
    /// Ignore the user's config.toml
    #[arg(long, global = true, hide_short_help = true, display_order = LAST)]
    no_config: bool,
    /// Never show output in a pager
    #[arg(long, global = true, hide_short_help = true, display_order = LAST)]
    no_pager: bool,
    /// Also report which files and settings are used
    #[arg(long, short, global = true, hide_short_help = true, display_order = LAST)]
    verbose: bool,
}

impl GlobalOptions {
    /// Applies the options for the rest of the process.
    fn apply(self, command: &Command) -> Result<(), Failure> {
        console::set_verbose(self.verbose);
        pager::set_pages(!self.no_pager);
        // Bots and scripts must not depend on the user's preferences.
        let is_plain = matches!(command, Command::Bot(_) | Command::Completions(_) | Command::Docs(_));
        let read = if is_plain { Ok(()) } else { settings::read(self.no_config) };
        colour::decide(self.color);
        read
    }
}

/// The parts of a long help text, without the empty lines that would not fit on a screen.
const HELP: &str = "{about-with-newline}{usage-heading} {usage}\n{all-args}{after-help}";

/// Creates the program's own help, whose list `More:` ends with `$more`. Its two options share a line.
macro_rules! overview {
    ($more:literal) => {
        concat!(
            "{about-with-newline}{usage-heading} {usage}
Commands (-h for short help, --help for full help; also --color, -v, --version):
{subcommands}
More: bench, serve, bot, completions, dataset, docs, ladder, merge, perft,
  puzzles, rebuild, submit, tablebase, watch",
            $more,
            "{after-help}"
        )
    };
}

#[cfg(feature = "nats")]
const OVERVIEW: &str = overview!(", worker, workers");
#[cfg(not(feature = "nats"))]
const OVERVIEW: &str = overview!("");

const EXIT_CODES: &str = "Exit codes: 0 success, 1 internal failure, 2 bad usage or file, 3 check failed,
4 forfeits (run --strict), 5 games void or missing, 6 journal changed by another
program during the run, 130 or 143 interrupted.
Example (a tournament of the built-in bots):
  gothello-arena run";

// The everyday commands come first, in the order in which the help lists them. The help only names the other commands,
// in the list `More:` of `OVERVIEW`.
#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    Standings(standings::Args),
    Report(report::Args),
    Replay(replay::Args),
    Analyze(analyze::Args),
    Solve(solve::Args),
    Import(import::Args),
    Grade(grade::Args),
    Init(init::Args),
    Play(play::Args),
    Doctor(doctor::Args),
    #[command(hide = true)]
    Bench(bench::Args),
    #[command(hide = true)]
    Serve(serve::Args),
    #[command(hide = true)]
    Bot(bot::Args),
    #[command(hide = true)]
    Completions(completions::Args),
    #[command(hide = true)]
    Dataset(dataset::Args),
    #[command(hide = true)]
    Docs(docs::Args),
    #[command(hide = true)]
    Ladder(ladder::Args),
    #[command(hide = true)]
    Merge(merge::Args),
    #[command(hide = true)]
    Perft(perft::Args),
    #[command(hide = true)]
    Puzzles(puzzles::Args),
    #[command(hide = true)]
    Rebuild(rebuild::Args),
    #[command(hide = true)]
    Submit(submit::Args),
    #[command(hide = true)]
    Tablebase(tablebase::Args),
    #[command(hide = true)]
    Watch(watch::Args),
    #[cfg(feature = "nats")]
    #[command(hide = true)]
    Worker(worker::Args),
    #[cfg(feature = "nats")]
    #[command(hide = true)]
    Workers(workers::Args),
}

/// Parses a duration on the command line, within the bounds that tournament files set for clocks.
fn duration(text: &str) -> Result<Duration, String> {
    const BOUNDS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(168);
    let Some(duration) = crate::tournament::file::duration(text) else {
        return Err("not a duration (write 60s, or \"2m 30s\")".to_owned());
    };
    if !BOUNDS.contains(&duration) {
        let [least, most] = [BOUNDS.start(), BOUNDS.end()].map(|bound| spaced(*bound));
        return Err(format!("must be between {least} and {most}"));
    }
    Ok(duration)
}

/// Parses the time control of a side.
fn side_control(text: &str) -> Result<SideControl, String> {
    crate::tournament::file::clock_text::side_control(text).map_err(|flaw| flaw.to_string())
}

/// Parses a number that is not zero; `T` cannot represent zero.
fn at_least_one<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "must be a whole number, 1 or more")
}

/// Parses a number of threads for the solver.
fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}"))
}

/// Prints data on stdout. It is not a failure if the reader stops reading.
fn print(data: impl AsRef<[u8]>) -> anyhow::Result<()> {
    console::data(data).context(UNPRINTED)
}

/// The context for an error while printing data.
const UNPRINTED: &str = "could not write to stdout";

/// Runs the program on the process's own arguments and prints what went wrong, if anything did. `version` is what
/// `--version` prints after the program's name.
pub fn main(version: &'static str) -> Exit {
    // A confinement stage runs before anything else is set up: parts of it cannot be done in a process with threads,
    // and each game runs several stages.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "confine")
        && let Some(stage) = words.next().as_deref().and_then(OsStr::to_str).and_then(Stage::named)
    {
        std::process::exit(i32::from(stage.run()));
    }
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = run_submission_door(&words) {
        std::process::exit(i32::from(code));
    }
    let words = with_option_for_help(std::env::args_os().collect());
    let mut program = Cli::command().version(version);
    let parsed = program.try_get_matches_from_mut(&words);
    let cli =
        match parsed.and_then(|matches| Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut program))) {
            Ok(cli) => cli,
            Err(error) => {
                // Wrong settings do not prevent the help, which is useful for correcting them.
                let is_given = |option: &str| words.iter().any(|word| word == option);
                let _ = settings::read(is_given("--no-config"));
                pager::set_pages(!is_given("--no-pager"));
                colour::decide(colour::choice_in(&words));
                return ended(refuse_or_help(&error, &words));
            }
        };
    if let Err(failure) = cli.options.apply(&cli.command) {
        return failure.report();
    }
    ended(match cli.command {
        Command::Run(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Report(args) => args.run(),
        Command::Standings(args) => args.run(),
        Command::Rebuild(args) => args.run(),
        Command::Serve(args) => args.run(),
        Command::Import(args) => args.run(),
        Command::Init(args) => args.run(),
        Command::Bot(args) => args.run(),
        Command::Analyze(args) => args.run(),
        Command::Bench(args) => args.run(),
        Command::Solve(args) => args.run(),
        Command::Dataset(args) => args.run(),
        Command::Grade(args) => args.run(),
        Command::Ladder(args) => args.run(),
        Command::Merge(args) => args.run(),
        Command::Perft(args) => args.run(),
        Command::Play(args) => args.run(),
        Command::Puzzles(args) => args.run(),
        Command::Submit(args) => args.run(),
        Command::Tablebase(args) => args.run(),
        Command::Watch(args) => args.run(),
        #[cfg(feature = "nats")]
        Command::Worker(args) => args.run(),
        #[cfg(feature = "nats")]
        Command::Workers(args) => args.run(),
        Command::Completions(args) => args.run(),
        Command::Docs(args) => args.run(),
        Command::Doctor(args) => args.run(),
    })
}

/// Replaces `help COMMAND` in the program's arguments with `COMMAND --help`. The help does not list `help`.
fn with_option_for_help(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

/// The long options of the command `subcommand`, with their hyphens, and those of all commands.
fn options_of(subcommand: &str) -> Vec<String> {
    let program = Cli::command();
    let own = program.find_subcommand(subcommand).into_iter().flat_map(clap::Command::get_arguments);
    own.chain(program.get_arguments()).filter_map(|it| it.get_long()).map(|name| format!("--{name}")).collect()
}

/// The example in the help for the command named in `words`, the program's arguments.
fn example(words: &[OsString]) -> Option<String> {
    let program = Cli::command();
    let named = words.iter().skip(1).scan(&program, |command, word| {
        *command = command.find_subcommand(word)?;
        Some(*command)
    });
    let help = named.last()?.get_after_help()?.to_string();
    help.find("Example").map(|start| help[start..].to_owned())
}

/// Prints the help that the command line asks for, or what is wrong with it.
fn refuse_or_help(error: &clap::Error, words: &[OsString]) -> CommandResult {
    let text = |is_coloured| {
        let text = error.render();
        if is_coloured { text.ansi().to_string() } else { text.to_string() }
    };
    let ColouredStreams { stdout, stderr } = console::colours();
    if error.use_stderr() {
        console::whole_lines(&text(stderr));
        if error.kind() == ErrorKind::MissingRequiredArgument
            && let Some(example) = example(words)
        {
            console::say(example);
        }
        return Ok(Exit::Usage);
    }
    pager::show(&text(stdout))?;
    Ok(Exit::Success)
}

/// Prints what went wrong, if anything, and returns the exit code of `result`.
fn ended(result: CommandResult) -> Exit {
    result.unwrap_or_else(Failure::report)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    /// The test also passes in a build without the feature `nats`, which has fewer commands and options.
    #[test]
    fn the_help_names_the_hidden_commands_and_options_that_there_are_and_no_others() {
        let mut cli = Cli::command();
        let hidden: Vec<String> =
            cli.get_subcommands().filter(|it| it.is_hide_set()).map(|it| it.get_name().to_owned()).collect();
        let help = cli.render_help().to_string();
        let more = help.split("More: ").nth(1).and_then(|more| more.split("\n\n").next()).expect("a list");
        assert_eq!(more.split_whitespace().collect::<Vec<_>>().join(" "), hidden.join(", "));
        let run = cli.find_subcommand_mut("run").expect("a command");
        let options: Vec<String> = run.get_arguments().filter_map(|it| it.get_long()).map(str::to_owned).collect();
        let help = run.render_help().to_string();
        let also = help.split("Also: ").nth(1).and_then(|also| also.split("\nIf ").next()).expect("a list");
        for named in also.split_whitespace().flat_map(expanded) {
            assert!(options.contains(&named), "--{named}");
        }
    }

    #[test]
    fn the_options_of_a_command_are_its_own_and_those_of_all_commands() {
        let options = options_of("play");
        for option in ["--web", "--two", "--dir", "--ply", "--depth", "--puzzles", "--passed", "--color", "--no-config"]
        {
            assert!(options.iter().any(|it| it == option), "{option}: {options:?}");
        }
        assert!(!options.iter().any(|it| it == "--confirm"), "{options:?}");
    }

    /// The options that `word` abbreviates: `--web-{public,host},` is `web-public` and `web-host`.
    fn expanded(word: &str) -> Vec<String> {
        let word = word.trim_start_matches("--").trim_end_matches(',');
        let Some((before, names)) = word.split_once('{') else { return vec![word.to_owned()] };
        names.trim_end_matches('}').split(',').map(|name| format!("{before}{name}")).collect()
    }

    #[test]
    fn a_number_that_must_not_be_zero_is_refused_in_words_of_the_arena() {
        assert_eq!(at_least_one::<NonZeroU32>("1"), Ok(NonZeroU32::MIN));
        for wrong in ["0", "-1", "x", "", "1.5"] {
            assert_eq!(at_least_one::<NonZeroUsize>(wrong), Err("must be a whole number, 1 or more"), "{wrong}");
        }
    }
}
