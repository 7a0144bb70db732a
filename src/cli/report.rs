//! `gothello-arena report`: one HTML file of a run.

mod own_puzzles;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context as _, anyhow};

use super::analysis_watch::AnalysisWatch;
use super::progress::watch_work;
use super::word_options::word;
use super::{CommandResult, Exit, Failure, note, note_of, settings, warn};
use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::base::units::{bytes, spaced};
use crate::game::Feature;
use crate::page::report_games::{
    AnalysisAllowance, FieldGames, GamesByInterest, GamesShown, PageGame, ReportError, RunGames, RunReading,
    hide_names, hide_names_of_groups,
};
use crate::page::shown::groups::{GroupContent, GroupPageData, ShownGroupGame};
use crate::page::shown::{AnalyzedShare, PageContent, PageData, PageKind, PageLabel, TestFigures, group_page, page};
use crate::results::format_result::FormatResult;
use crate::run::game_files::{GameFilesError, only_run, run_in};
use crate::run::results_dir::games_in;

/// The name of the page in a run's directory.
const PAGE: &str = "report.html";

/// The maximum size of the page in bytes. Browsers take seconds to show a larger page, and mail servers reject it.
const MOST_BYTES: usize = 20 << 20;

/// The values of `--games`, each with its text for shell completions.
const GAMES: [(GamesShown, &str); GamesShown::ALL.len()] = [
    (GamesShown::All, "The moves of all games"),
    (GamesShown::Lost, "The moves of games that the player with the higher rating lost, and of forfeits"),
    (GamesShown::None, "No moves"),
];

/// The source of a page's exact values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    /// No values.
    None,
    /// The results of earlier analyses, which the run keeps.
    Kept,
    /// The results of earlier analyses, plus searches that take this long in total.
    Searched(Duration),
}

/// Write a run as one HTML page: standings, crosstable, every game
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page needs no network and no other files. By default, it is suitable for
publication: it shows no stderr, paths, digests, tokens or machine name.

Example:
  gothello-arena report results/class --analysis 10m --title \"CS 441\"")]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line option")]
pub(super) struct Args {
    /// Run, results.csv or `first,second,first_score` CSV [default: results/]
    dir: Option<PathBuf>,
    /// Write the page to FILE [default: report.html in DIR]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Judge games for TIME; `none` shows no values
    #[arg(long, value_name = "TIME", value_parser = parse_values, default_value = "kept", hide_default_value = true)]
    analysis: Values,
    /// Limit each game of --analysis to TIME
    #[arg(long, value_name = "TIME", value_parser = super::duration, default_value = "2s", requires = "analysis")]
    budget: Duration,
    /// Judge games again, ignoring analysis.jsonl
    #[arg(long, requires = "analysis")]
    no_cache: bool,
    /// Show moves of games: all, lost or none
    #[arg(long, value_name = "WHICH", value_parser = word(&GAMES, GamesShown::name), default_value_t, hide_possible_values = true)]
    games: GamesShown,
    /// Show bots' failures, stderr and resource usage
    #[arg(long)]
    private: bool,
    /// Show made-up names, kept in DIR/aliases.json
    #[arg(long)]
    anonymous: bool,
    /// Page title [default: the tournament's name]
    #[arg(long, value_parser = parse_title)]
    title: Option<String>,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let path = match &self.dir {
            Some(path) => path.clone(),
            None => only_run(&settings::results_dir())?,
        };
        let (path, out) = self.places(path)?;
        let reading =
            RunReading { with_kept_values: self.analysis == Values::Kept && !self.no_cache, is_private: self.private };
        match watch_work(|work| FieldGames::read(&path, reading, work, warn))? {
            FieldGames::Pairs(run) => self.write_pairs(*run, &path, &out),
            FieldGames::Groups(run) => self.write_groups(*run, &path, &out),
        }
    }

    /// Writes the page of `run`, which has games with more than two seats and is in `path`, to `out`.
    fn write_groups(&self, mut run: RunGames<ShownGroupGame>, path: &Path, out: &Path) -> CommandResult {
        if matches!(self.analysis, Values::Searched(_)) {
            let seats = run.games.first().map_or(0, |game| game.summary.players.seats());
            return Err(ReportError::NotAnalyzed { path: path.to_owned(), seats }.into());
        }
        if self.anonymous {
            hide_names_of_groups(&mut run, path)?;
        }
        let standings = run.standings()?;
        run.keep_moves_of(self.games, &standings);
        let data = GroupPageData::new(self.label(&run), &standings, &run.games);
        let content = GroupContent {
            data: &data,
            standings: &standings,
            games: &run.games,
            is_private: self.private,
            is_anonymous: self.anonymous,
        };
        self.write(out, || group_page(PageKind::Report, &content))?;
        Ok(Exit::Success)
    }

    /// Writes the page of `run`, which has games with two seats and is in `path`, to `out`.
    fn write_pairs(&self, mut run: RunGames, path: &Path, out: &Path) -> CommandResult {
        let exit = match self.analysis {
            Values::Searched(total) => self.analyze(&mut run, path, total)?,
            Values::None | Values::Kept => Exit::Success,
        };
        let missed = watch_work(|work| own_puzzles::missed(&run, path, work))?;
        if self.anonymous {
            hide_names(&mut run, path)?;
        }
        let standings = run.standings()?;
        let analyzed = self.analyzed(&run);
        run.keep_moves_of(self.games, &standings);
        let label = PageLabel { logs: self.logs(path), ..self.label(&run) };
        let data = PageData::new(label, &standings, &run.games);
        let players = standings.rows().iter().map(|row| row.player.as_str());
        let puzzles = own_puzzles::by_player(missed, &run.games, players);
        let test = standings.run().test.clone();
        let figures = test.map(|test| TestFigures::of(test, run.games.iter().map(|game| &game.summary)));
        let content = PageContent {
            data: &data,
            standings: &standings,
            games: &run.games,
            puzzles: &puzzles,
            figures: figures.as_ref(),
            analyzed,
            is_private: self.private,
            is_anonymous: self.anonymous,
        };
        self.write(out, || page(PageKind::Report, &content))?;
        Ok(exit)
    }

    /// Analyzes the games of `run`, which is in `path`, within `total`. Returns the exit code after a signal, or
    /// success.
    fn analyze(&self, run: &mut RunGames, path: &Path, total: Duration) -> CommandResult {
        let games = GamesByInterest::of(run, path)?;
        let watch = AnalysisWatch::new()?;
        let allowance = AnalysisAllowance { total, budget: self.budget, with_cache: !self.no_cache };
        games.add_values(run, allowance, watch.stop(), AnalysisWatch::tell())?;
        let (exit, analyzed, of) = (watch.exit(), run.analyzed(), run.with_moves());
        if analyzed < of && exit == Exit::Success {
            let within = spaced(total);
            note(format_args!(
                "{analyzed} of {of} games were judged within {within} (`--analysis`); there was no time for the other {}",
                of - analyzed
            ));
        }
        Ok(exit)
    }

    /// The paths of the games and of the page.
    fn places(&self, path: PathBuf) -> Result<(PathBuf, PathBuf), Failure> {
        if path.is_dir() {
            let run = run_in(&path)?;
            let out = self.out.clone().unwrap_or_else(|| run.join(PAGE));
            return Ok((run, out));
        }
        if let Err(source) = path.metadata() {
            return Err(GameFilesError::Unreadable { path, source }.into());
        }
        let hint = "a page for a file needs `--out FILE.html`";
        let out = self.out.clone();
        let out = out.ok_or_else(|| Failure::usage(anyhow!("`{}` is not a directory: {hint}", path.shown())))?;
        Ok((path, out))
    }

    fn label<G: PageGame>(&self, run: &RunGames<G>) -> PageLabel {
        let name = if run.name.is_empty() { "Games".to_owned() } else { run.name.clone() };
        let is_drawn = run.state.result.as_ref().is_none_or(FormatResult::is_final);
        PageLabel {
            title: self.title.as_deref().map_or_else(|| name.clone(), |title| run.without_names(title)),
            name,
            date: run.date.clone(),
            ruleset: run.ruleset,
            so_far: run.state.missing.unplayed() > 0,
            // Which games follow in a knockout or a Swiss tournament depends on the results.
            total: (run.is_of_journal && is_drawn).then(|| run.missing + run.played()),
            is_most: run.state.test.is_some(),
            logs: None,
            delay: Duration::ZERO,
        }
    }

    /// The directory with the logs of the run in `path`, as the page shows it: on a public page, it is relative to the
    /// run's directory. `None` if there are no logs, or if the ids of the games are made up.
    fn logs(&self, path: &Path) -> Option<String> {
        let logs = games_in(path).ok().filter(|logs| !self.anonymous && logs.is_dir())?;
        let shown = if self.private { logs } else { logs.strip_prefix(path).ok()?.to_owned() };
        Some(format!("{}/", shown.to_str()?.trim_end_matches('/')))
    }

    /// How many games have been analyzed, if the page shows this. Tells the user how to have games analyzed.
    fn analyzed(&self, run: &RunGames) -> Option<AnalyzedShare> {
        let share = AnalyzedShare { analyzed: run.analyzed(), of: run.with_moves() };
        let has_solver = run.ruleset.require(Feature::Solver).is_ok();
        if self.analysis == Values::Kept && share.analyzed == 0 && share.of > 0 && has_solver {
            note(
                "no game has been judged yet, so the page shows no exact values: `--analysis 10m` judges games for ten \
                minutes",
            );
        }
        (share.analyzed > 0 || matches!(self.analysis, Values::Searched(_))).then_some(share)
    }

    fn write(&self, out: &Path, page: impl FnOnce() -> String + Send) -> Result<(), Failure> {
        let text = watch_work(|work| {
            work.begin("making the page", None);
            page()
        });
        if let Some(problem) = too_large(text.len(), self.games) {
            return Err(Failure::usage(anyhow!(problem)));
        }
        let (shown, size) = (out.shown(), bytes(text.len() as u64));
        write(out, text.as_bytes()).with_context(|| format!("could not write `{shown}`"))?;
        note_of(out, format_args!("wrote `{shown}` ({size})"));
        if self.open {
            open::that_detached(out).with_context(|| format!("could not open `{shown}` in a browser"))?;
        }
        Ok(())
    }
}

/// If a page of `size` bytes is too large, the reason why it is not written, and what to do instead. The page contains
/// the moves of the games selected by `games`.
fn too_large(size: usize, games: GamesShown) -> Option<String> {
    let hint = match games {
        GamesShown::All => "with `--games lost`, it contains only the moves of upsets and forfeits",
        GamesShown::Lost => "with `--games none`, it contains no moves",
        GamesShown::None => "it already contains no moves, so split the games over several pages",
    };
    let [shown, most] = [size, MOST_BYTES].map(|size| bytes(size as u64));
    (size > MOST_BYTES).then(|| format!("the page would be {shown}, but browsers can handle only {most}: {hint}"))
}

/// Writes a page as a whole. Anything but a regular file, such as `/dev/stdout`, is kept and receives the bytes; a link
/// stays a link.
fn write(out: &Path, page: &[u8]) -> io::Result<()> {
    match out.metadata() {
        Ok(kind) if !kind.is_file() => fs::write(out, page),
        Ok(_) => files::write_whole(&out.canonicalize()?, page),
        Err(_) => files::write_whole(out, page),
    }
}

fn parse_values(text: &str) -> Result<Values, String> {
    match text {
        "none" => Ok(Values::None),
        "kept" => Ok(Values::Kept),
        _ => super::duration(text).map(Values::Searched).map_err(|error| format!("{error}, or `none`")),
    }
}

fn parse_title(text: &str) -> Result<String, String> {
    let is_blank = text.trim().is_empty();
    if is_blank {
        Err("a title cannot be blank (without --title, the page shows the tournament's name)".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_too_large_from_twenty_mebibytes_on_and_the_message_names_the_next_option() {
        for games in GamesShown::ALL {
            assert_eq!(too_large(MOST_BYTES, games), None);
        }
        let said = GamesShown::ALL.map(|games| too_large(MOST_BYTES + (1 << 20), games).expect("too large"));
        assert!(said.iter().all(|said| said.contains("21.0 MiB") && said.contains("20.0 MiB")), "{said:?}");
        assert!(said[0].contains("`--games lost`") && said[1].contains("`--games none`"), "{said:?}");
        assert!(!said[2].contains("--games"), "{said:?}");
    }

    #[test]
    fn a_title_is_not_blank() {
        assert_eq!(parse_title(" CS 441 ").as_deref(), Ok(" CS 441 "));
        for blank in ["", "  ", "\t\u{a0}"] {
            assert!(parse_title(blank).is_err(), "{blank:?}");
        }
    }
}
