//! `gothello-arena standings`: ratings and tables for the games of a run, and checks of requirements.

mod sequential;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::analysis_watch::AnalysisWatch;
use super::final_standings::{GamesPlace, print_standings};
use super::word_options::word;
use super::{CommandResult, Exit, Failure, settings};
use crate::base::console::{error, say};
use crate::base::files;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::suggestion::nearest;
use crate::referee::result::Termination;
use crate::results::rating::{Bootstrap, Elo, Model, Prior};
use crate::results::report::{Extra, Extras, ReportFormat, junit};
use crate::results::require::{Grounds, JudgedRequirement, Requirement, RequirementError};
use crate::results::standings::{
    Anchor, AnchorError, Counting, FieldStandings, FieldTally, ForfeitKinds, GameSummary, MixedSeats, PlayedSummary,
    RatingOptions, RunState,
};
use crate::run::accuracy::AccuracyGames;
use crate::run::game_files::{self, FoldedGames, machine_games};
use crate::run::journal::Ledger;
use sequential::SequentialTest;

/// The values of `--format`, each with its text for shell completions.
const FORMATS: [(ReportFormat, &str); ReportFormat::ALL.len()] = [
    (ReportFormat::Table, "Plain text, with the crosstable"),
    (ReportFormat::Csv, "A header, and one line for each player"),
    (ReportFormat::Json, "An array of objects, best player first"),
    (ReportFormat::Markdown, "The same as `table`, for a web page"),
];

/// The values of `--model`, as in [`FORMATS`].
const MODELS: [(Model, &str); Model::ALL.len()] = [
    (Model::Davidson, "Davidson's model, with order effect"),
    (Model::BtHalf, "The Bradley-Terry model, which counts a draw as half a win, as Ordo does"),
];

/// The values of `--show`, as in [`FORMATS`].
const EXTRAS: [(Extra, &str); Extra::ALL.len()] = [
    (Extra::Ranks, "How likely each player is to be the strongest one, and the range of its rank"),
    (
        Extra::HeadToHead,
        "Games of each pair of players compared with the ratings' predictions, and performance ratings",
    ),
    (Extra::Fit, "How well the ratings explain the results, and the pairings that they explain worst"),
    (Extra::Superiority, "How likely each player is to be stronger than each other player"),
    (Extra::Usage, "The resources that each player used: CPU time, memory, ..."),
    (Extra::Workers, "The games of each machine, and whether its results resemble the other machines' results"),
];

/// The minimum standard deviation of a loose anchor, in Elo: an anchor with a smaller deviation is practically exact.
const LEAST_DEVIATION: f64 = 0.1;

/// The text at the end of the help. The manual takes it from `after_help`; the help itself has no room for the empty
/// line that `after_help` would put before this text.
const EXAMPLE: &str = "Example:
  gothello-arena standings results/class --require \"greedy > random\"";

/// Rate the players of a run, and check requirements
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
#[command(after_help = EXAMPLE)]
#[command(help_template = format!("{{about-with-newline}}{{usage-heading}} {{usage}}\n{{all-args}}\n{EXAMPLE}"))]
pub(super) struct Args {
    /// Run, results.csv or `first,second,first_score` CSV [default: results/]
    path: Option<PathBuf>,
    /// Print as table, csv, json or markdown
    #[arg(long, value_parser = word(&FORMATS, ReportFormat::name), hide_possible_values = true)]
    format: Option<ReportFormat>,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format", hide_short_help = true)]
    json: bool,
    /// Print all tables, and how the ratings were computed
    #[arg(long, conflicts_with_all = ["json", "quiet"], hide_short_help = true)]
    explain: bool,
    /// davidson, or bt-half (half wins, like Ordo)
    #[arg(long, value_parser = word(&MODELS, Model::name), hide_possible_values = true)]
    model: Option<Model>,
    /// Fix Elo: greedy=1500; loosely greedy=1500~30
    #[arg(long, value_name = "NAME=ELO", value_parser = parse_anchor, allow_hyphen_values = true)]
    anchor: Vec<Anchor>,
    /// Rate without a prior; Elo may be unbounded
    #[arg(long)]
    no_prior: bool,
    /// Rank only players with N rated games
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    min_games: u64,
    /// Ranks, head-to-head, fit, los, usage, workers
    #[arg(
        long,
        value_name = "TABLES",
        value_delimiter = ',',
        value_parser = word(&EXTRAS, Extra::name),
        hide_possible_values = true
    )]
    show: Vec<Extra>,
    /// The same as `--show los`
    #[arg(long, hide = true)]
    los: bool,
    /// The same as `--show usage`
    #[arg(long, hide = true)]
    usage: bool,
    /// The same as `--show workers`
    #[arg(long, hide = true)]
    workers: bool,
    /// Judge moves as `analyze` does; see --no-cache
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        value_parser = super::duration,
        conflicts_with = "quiet"
    )]
    #[expect(clippy::option_option, reason = "the option may be missing, or given without a value")]
    accuracy: Option<Option<Duration>>,
    /// Judge all games again, ignoring analysis.jsonl
    #[arg(long, requires = "accuracy", hide_short_help = true)]
    no_cache: bool,
    /// Error bars from N simulations (see --seed)
    #[arg(long, value_name = "N", value_parser = super::at_least_one::<NonZeroU32>)]
    bootstrap: Option<NonZeroU32>,
    /// Seed the random numbers of --bootstrap
    #[arg(long, value_name = "N", default_value_t = Bootstrap::DEFAULT_SEED, requires = "bootstrap", hide_short_help = true)]
    seed: u64,
    /// Leave out forfeits, or only e.g. time,crash
    #[arg(
        long,
        value_name = "K",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = parse_kinds
    )]
    without_forfeits: Option<ForfeitKinds>,
    /// Count games with identical moves only once
    #[arg(long)]
    distinct: bool,
    /// Also rate games in which a player had a handicap
    #[arg(long, hide_short_help = true)]
    with_odds: bool,
    /// Exit 3 unless "a > b", "a.result.place == 1"
    #[arg(long, value_name = "WHAT")]
    require: Vec<String>,
    /// Require WHAT with probability P, e.g. 0.95
    #[arg(long, value_name = "P", value_parser = parse_confidence, requires = "require")]
    confidence: Option<f64>,
    /// Test which is stronger: player=A,elo0=0,elo1=10
    #[arg(long, value_name = "TEST")]
    sprt: Option<SequentialTest>,
    /// Write the requirements to FILE as JUnit XML
    #[arg(long, value_name = "FILE", requires = "require")]
    junit: Option<PathBuf>,
    /// Print only the requirements
    #[arg(long, short, requires = "require")]
    quiet: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        self.check_explain()?;
        let requirements = parse_all(&self.require)?;
        let path = match &self.path {
            Some(path) => path.clone(),
            None => game_files::only_run(&settings::results_dir())?,
        };
        let begin = |ledger: Option<&Ledger>| {
            let state = ledger.map(Ledger::state).unwrap_or_default();
            CountedGames {
                tally: FieldTally::new(self.counting(state.last_round())),
                state,
                tested: Vec::new(),
                mixed: None,
            }
        };
        let FoldedGames { sum: CountedGames { mut tally, mut state, tested, mixed }, ledger } =
            game_files::fold_games(&path, begin, |sum, game| sum.add(game, self.sprt.is_some()))?;
        if let Some(mixed) = mixed {
            return Err(Failure::usage(anyhow!("`{}`: {mixed}", path.shown())));
        }
        if tally.games() == 0 {
            error(format_args!("there are no games in `{}`", path.shown()), None);
            return Ok(Exit::Incomplete);
        }
        match &tally {
            FieldTally::Pairs(tally) => {
                if let Some(test) = &self.sprt {
                    state.test = Some(test.test(tally, &tested)?);
                }
            }
            FieldTally::Groups(tally) => self.refuse_what_pairs_have(tally.seats())?,
        }
        // A player that has only had byes has no games.
        tally.know(ledger.iter().flat_map(Ledger::names));
        let standings = tally.standings(&self.rating_options());
        let mut standings = standings.map_err(|error| anchor_failure(&error, &tally))?.of_run(state);
        if let FieldStandings::Pairs(pairs) = standings {
            let wants_machines = self.wants_machines(&requirements, &tally);
            let games = wants_machines.then(|| machine_games(&path, ledger.as_ref())).transpose()?;
            standings = FieldStandings::Pairs(match games {
                Some(games) => Box::new(pairs.with_machines(&games)),
                None => pairs,
            });
        }
        let grounds = Grounds { standings: (&standings).into(), confidence: self.confidence };
        let judged = judge_all(&requirements, grounds)?;
        if let Some(file) = &self.junit {
            files::write_whole(file, junit(&judged).as_bytes())
                .with_context(|| format!("could not write `{}`", file.shown()))?;
        }
        let mut exit = Exit::Success;
        if let Some(budget) = self.accuracy {
            let games = AccuracyGames::read(&path, ledger.as_ref(), tally.counting())?;
            let games = if self.no_cache { games.without_cache() } else { games };
            let watch = AnalysisWatch::new()?;
            let found = games.analyze(budget, watch.stop(), AnalysisWatch::tell())?;
            if let FieldStandings::Pairs(pairs) = standings {
                standings = FieldStandings::Pairs(Box::new(pairs.with_accuracy(&found.players)));
            }
            exit = watch.end(found.progress);
        }
        if !self.quiet {
            let place = game_files::run_in(&path).ok().filter(|_| path.is_dir());
            let place = place.as_deref().map_or(GamesPlace::File, GamesPlace::Run);
            print_standings(&standings, self.format(), self.extras(), place)?;
        }
        let held = tell(&judged);
        Ok(if exit == Exit::Success { held } else { exit })
    }

    /// Refuses the options that have no meaning for games with `seats` seats.
    fn refuse_what_pairs_have(&self, seats: u8) -> Result<(), Failure> {
        let extras = self.extras();
        let given = [
            (self.model.is_some(), "--model"),
            (self.bootstrap.is_some(), "--bootstrap"),
            (self.sprt.is_some(), "--sprt"),
            (self.accuracy.is_some(), "--accuracy"),
            (extras.has(Extra::Fit), "--show fit"),
            (extras.has(Extra::Workers), "--show workers"),
        ];
        let refused: Vec<&str> =
            given.into_iter().filter(|(is_given, _)| *is_given).map(|(_, option)| option).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let options = refused.join("`, `");
        Err(Failure::usage(anyhow!(
            "`{options}` can be used only for games of two players, but these games have {seats}"
        )))
    }

    /// Which games count, given the last round whose games count.
    fn counting(&self, last_round: Option<u32>) -> Counting {
        let without_forfeits = self.without_forfeits.unwrap_or_default();
        Counting { without_forfeits, distinct: self.distinct, last_round, with_odds: self.with_odds }
    }

    fn format(&self) -> Option<ReportFormat> {
        if self.json { Some(ReportFormat::Json) } else { self.format }
    }

    /// Refuses `--explain` for a format that cannot contain explanations.
    fn check_explain(&self) -> Result<(), Failure> {
        match self.format {
            Some(format @ (ReportFormat::Csv | ReportFormat::Json)) if self.explain => {
                Err(Failure::usage(anyhow!("--explain: {format} has no explanations (use table or markdown)")))
            }
            _ => Ok(()),
        }
    }

    fn extras(&self) -> Extras {
        let los = self.los.then_some(Extra::Superiority);
        let usage = self.usage.then_some(Extra::Usage);
        let workers = self.workers.then_some(Extra::Workers);
        let set: Extras = self.show.iter().copied().chain(los).chain(usage).chain(workers).collect();
        set.explained(self.explain)
    }

    /// Whether an option or a requirement is about the machines that played the games of `tally`.
    fn wants_machines(&self, requirements: &[Requirement], tally: &FieldTally) -> bool {
        let is_required = || requirements.iter().any(|requirement| requirement.is_about_machines(tally.players()));
        self.extras().has(Extra::Workers) || is_required()
    }

    fn rating_options(&self) -> RatingOptions {
        RatingOptions {
            model: self.model.unwrap_or_default(),
            prior: if self.no_prior { Prior::None } else { Prior::Weak },
            anchors: self.anchor.clone(),
            min_games: self.min_games,
            bootstrap: self.bootstrap.map(|samples| Bootstrap { samples, seed: self.seed }),
        }
    }
}

/// The games read so far from a run or a file.
struct CountedGames {
    tally: FieldTally,
    state: RunState,
    /// The games of a sequential test.
    tested: Vec<GameSummary>,
    /// The first game with a different number of seats than the games before it.
    mixed: Option<MixedSeats>,
}

impl CountedGames {
    /// Adds a game, which may be one of a sequential test.
    fn add(&mut self, game: &PlayedSummary<&str>, may_be_tested: bool) {
        self.mixed = self.mixed.or(self.tally.add(game).err());
        if let PlayedSummary::Pair(game) = game
            && may_be_tested
        {
            self.tested.push(game.to_summary());
        }
    }
}

/// Parses all requirements, or returns a failure that contains the errors of all wrong requirements.
fn parse_all(texts: &[String]) -> Result<Vec<Requirement>, Failure> {
    all(texts.iter().map(|text| Requirement::parse(text).map_err(|error| (text.as_str(), error))))
}

/// Judges all requirements, or returns a failure that contains all errors.
fn judge_all(requirements: &[Requirement], grounds: Grounds<'_>) -> Result<Vec<JudgedRequirement>, Failure> {
    let judged = |requirement: &Requirement| requirement.judge(grounds);
    all(requirements.iter().map(|requirement| judged(requirement).map_err(|error| (requirement.text(), error))))
}

/// All values, or else a failure that contains all errors, each with its requirement.
fn all<'r, T>(results: impl Iterator<Item = Result<T, (&'r str, RequirementError)>>) -> Result<Vec<T>, Failure> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err((text, error)) => errors.push(format!("--require `{text}`: {error}")),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(Failure::usage(anyhow!(errors.join("\n")))) }
}

/// Prints each judged requirement on stderr, since stdout is only for the standings.
fn tell(judged: &[JudgedRequirement]) -> Exit {
    judged.iter().for_each(say);
    if judged.iter().all(|judged| judged.holds) { Exit::Success } else { Exit::DoesNotHold }
}

fn parse_anchor(text: &str) -> Result<Anchor, String> {
    let expected =
        || "expected a player and its Elo, such as `greedy=1500`, or `greedy=1500~30` for a loose anchor".to_owned();
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let (player, elo) = text.rsplit_once('=').ok_or_else(expected)?;
    let (elo, deviation) = match elo.split_once('~') {
        Some((elo, deviation)) => {
            (elo, Some(number(deviation).filter(|&deviation| deviation >= LEAST_DEVIATION).ok_or_else(expected)?))
        }
        None => (elo, None),
    };
    let elo = number(elo).filter(|_| !player.is_empty()).ok_or_else(expected)?;
    Ok(Anchor { player: player.to_owned(), elo: Elo(elo), deviation: deviation.map(Elo) })
}

/// Parses kinds of forfeits, such as `time,no-show`; an empty string means all kinds, and `limit` means every kind of
/// limit.
fn parse_kinds(text: &str) -> Result<ForfeitKinds, String> {
    let all = ForfeitKinds::all();
    if text.is_empty() {
        return Ok(all);
    }
    let mut kinds = Vec::new();
    for word in text.split(',') {
        let word = word.trim().replace(['-', '_'], " ");
        let is_meant =
            |kind: &Termination| kind.name() == word || (word == "limit" && matches!(kind, Termination::Limit(_)));
        let before = kinds.len();
        kinds.extend(all.kinds().filter(is_meant));
        if kinds.len() == before {
            let known: Vec<String> = all.kinds().map(|kind| kind.name().replace(' ', "-")).collect();
            return Err(format!("`{word}` is not a kind of forfeit (choose from {} or limit)", known.join(", ")));
        }
    }
    Ok(kinds.into_iter().collect())
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    let is_one = |confidence: &f64| *confidence > 0.0 && *confidence < 1.0;
    let confidence = text.parse().ok().filter(is_one);
    confidence.ok_or_else(|| "expected a probability above 0 and below 1, such as `0.95`".to_owned())
}

fn anchor_failure(error: &AnchorError, tally: &FieldTally) -> Failure {
    let names: Vec<&str> = tally.players().collect();
    let hint = match error {
        AnchorError::Unbounded { .. } | AnchorError::NoGames { .. } | AnchorError::Twice { .. } => String::new(),
        AnchorError::Unknown { name } => nearest(name, names.iter().copied()).map_or_else(
            || format!(" (choose from `{}`)", sanitised(&names.join("`, `"))),
            |meant| format!(" (did you mean `{}`?)", sanitised(meant)),
        ),
    };
    Failure::usage(anyhow!("--anchor: {error}{hint}"))
}
