//! `gothello-arena dataset`.

mod score;

use std::ffi::OsString;
use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use anyhow::{Context as _, anyhow};

use super::interrupt::Flag;
use super::progress::Progress;
use super::{CommandResult, Exit, Failure, HELP, note, note_of, settings};
use crate::base::files::write_whole;
use crate::base::random::mix;
use crate::base::sanitise::{Shown as _, quoted};
use crate::base::units::counted;
use crate::dataset::card::{CardFacts, card};
use crate::dataset::encoding::{DatasetFormat, csv_bytes, json_lines, npz};
use crate::dataset::example::{DatasetExample, SplitShares};
use crate::dataset::label::{ExactLabel, LabelWish};
use crate::dataset::labelling::Labelling;
use crate::dataset::sample::{SampledPosition, SampledPositions, random_game, self_play};
use crate::dataset::symmetry::{IMAGES, image};
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solver::Question;
use crate::exact::threads::threads_or_two;
use crate::game::Ruleset;
use crate::players::bots::{Builtin, ErrorRate, Thinker};
use crate::referee::record::LoggedGame;
use crate::run::cached_analyst::table_of_positions;
use crate::run::game_files::{LogFile, logs_of};

/// Write Gothello positions with their exact values
#[derive(Debug, clap::Args)]
#[command(
    help_template = HELP,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "gothello-arena dataset [OPTIONS] <OUT>",
    after_help = "\
Also: --label, --split, --seed, --per-empty, --symmetries, --error, --names.
After Ctrl-C, the same command continues from OUT.part.
Example:
  gothello-arena dataset out.csv --random 1000 --empty 0..12 --moves"
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<DatasetCommand>,
    /// File to write: its name ends with .csv, .jsonl or .npz
    #[arg(value_name = "OUT", required = true)]
    out: Option<PathBuf>,
    /// Take positions from a run's games or a game log
    #[arg(long, value_name = "PATH")]
    from: Vec<PathBuf>,
    /// Play N random games
    #[arg(long, value_name = "N")]
    random: Option<NonZeroU32>,
    /// Let a bot play itself, such as "alphabeta 2"
    #[arg(long, value_name = "BOT", value_parser = bot, requires = "games")]
    selfplay: Option<Builtin>,
    /// Play N games of --selfplay
    #[arg(long, value_name = "N", requires = "selfplay")]
    games: Option<NonZeroU32>,
    /// Let the bot of --selfplay make mistakes with probability CHANCE
    #[arg(long, value_name = "CHANCE", requires = "selfplay", hide = true)]
    error: Option<ErrorRate>,
    /// Take positions with N to M empty points
    #[arg(long, value_name = "N..M", default_value = "0..14", value_parser = empty)]
    empty: RangeInclusive<u32>,
    /// Take at most N positions for each number of empty points
    #[arg(long, value_name = "N", hide = true)]
    per_empty: Option<NonZeroUsize>,
    /// Find the margin or the winner
    #[arg(long, value_name = "WHAT", default_value = "margin", value_parser = ["margin", "winner"], hide = true)]
    label: String,
    /// Also find the value of each move
    #[arg(long)]
    moves: bool,
    /// Write one position of each symmetry class, or all its images
    #[arg(long, value_name = "WHICH", default_value = "one", value_parser = ["one", "all"], hide = true)]
    symmetries: String,
    /// Percentages for train, validation and test
    #[arg(long, value_name = "A,B,C", default_value = "80,10,10", value_parser = shares, hide = true)]
    split: SplitShares,
    /// Seed for games, order and splits
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide = true)]
    seed: u64,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
    /// For each position taken from --from, name its game
    #[arg(long, requires = "from", hide = true)]
    names: bool,
}

#[derive(Debug, clap::Subcommand)]
enum DatasetCommand {
    Score(score::Args),
}

/// Reads a bot and its depth or playouts, such as `alphabeta 2`.
fn bot(text: &str) -> Result<Builtin, String> {
    let mut words = text.split_whitespace();
    let thinker = Thinker::from_str(words.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let number = words.next().map(|word| word.parse::<NonZeroU32>().map_err(|_| format!("`{word}` is not a number")));
    let number = number.transpose()?;
    let within = |most| number.is_none_or(|number| number.get() <= most);
    let (depth, playouts) = match thinker {
        Thinker::Alphabeta if within(Builtin::MAX_DEPTH) => (number, None),
        Thinker::Mcts if within(Builtin::MAX_PLAYOUTS) => (None, number),
        Thinker::Random | Thinker::Greedy if number.is_none() => (None, None),
        Thinker::Perfect => return Err("`perfect` needs a clock: choose another bot".to_owned()),
        _ => return Err(format!("`{thinker}` does not accept this number")),
    };
    if words.next().is_some() {
        return Err("expected a bot and one number, such as `alphabeta 2`".to_owned());
    }
    Ok(Builtin { depth, playouts, ..Builtin::new(thinker) })
}

/// Reads a range of numbers of empty points.
fn empty(text: &str) -> Result<RangeInclusive<u32>, &'static str> {
    let range = match text.split_once("..") {
        Some((least, most)) => least.parse().ok().zip(most.parse().ok()),
        None => text.parse().ok().map(|number| (number, number)),
    };
    let range = range.filter(|&(least, most)| least <= most && most <= 25);
    range.map(|(least, most)| least..=most).ok_or("expected numbers from 0 to 25, such as `0..14`")
}

/// Reads the shares of the three splits, in percent.
fn shares(text: &str) -> Result<SplitShares, &'static str> {
    let parts: Option<Vec<u8>> = text.split(',').map(|part| part.parse().ok()).collect();
    let parts: Option<[u8; 3]> = parts.and_then(|parts| parts.try_into().ok());
    let whole = parts.filter(|parts| parts.iter().map(|&part| u32::from(part)).sum::<u32>() == 100);
    whole.map(SplitShares).ok_or("expected three numbers whose sum is 100, such as `80,10,10`")
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if let Some(DatasetCommand::Score(args)) = &self.command {
            return args.run();
        }
        let out = self.out.clone().ok_or_else(|| Failure::usage(anyhow!("name the file to write")))?;
        let ending = out.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let format = DatasetFormat::ALL
            .into_iter()
            .find(|format| format.name() == ending)
            .ok_or_else(|| Failure::usage(anyhow!("`{}` does not end with .csv, .jsonl or .npz", out.shown())))?;
        for file in [&out, &beside(&out, ".md")] {
            if file.symlink_metadata().is_ok() {
                let refused =
                    anyhow!("`{}` already exists and will not be overwritten: name another file", file.shown());
                return Err(Failure::usage(refused));
            }
        }
        if self.from.is_empty() && self.random.is_none() && self.selfplay.is_none() {
            return Err(Failure::usage(anyhow!("no games to take positions from: use --from, --random or --selfplay")));
        }
        let positions = self.positions()?;
        if positions.is_empty() {
            return Err(Failure::usage(anyhow!(
                "no position in these games has a number of empty points in the range of --empty"
            )));
        }
        let (part, interrupt) = (beside(&out, ".part"), Flag::watch()?);
        let Some(labels) = self.labels(&positions, &part, &interrupt)? else {
            note_of(&part, format_args!("stopped; the same command continues from `{}`", part.shown()));
            return Ok(interrupt.exit());
        };
        let examples = self.examples(positions, labels);
        let bytes = match format {
            DatasetFormat::Csv => csv_bytes(&examples, self.moves),
            DatasetFormat::Jsonl => json_lines(&examples, self.moves),
            DatasetFormat::Npz => npz(&examples, self.moves).map_err(Failure::usage)?,
        };
        self.write(&out, &bytes, &examples)?;
        // The labels are in the data set now.
        fs::remove_file(&part).or_else(|error| if part.exists() { Err(error) } else { Ok(()) })?;
        let positions = counted(examples.len() as u64, "position");
        note_of(&out, format_args!("wrote `{}` ({positions})", out.shown()));
        Ok(Exit::Success)
    }

    fn wish(&self) -> LabelWish {
        let question = if self.label == "margin" { Question::Margin } else { Question::Winner };
        LabelWish { question, moves: self.moves }
    }

    /// The positions of all games, in the order of the data set.
    fn positions(&self) -> Result<Vec<SampledPosition>, Failure> {
        let mut sampled = SampledPositions::new(self.empty.clone(), self.per_empty.map(NonZeroUsize::get));
        let mut others = 0_u64;
        for path in &self.from {
            for log in logs_of(path)? {
                others += u64::from(!self.add_log(&mut sampled, &log)?);
            }
        }
        if others > 0 {
            note(format_args!("left out {} under other rule sets", counted(others, "game")));
        }
        let mut progress = Progress::new();
        let random = self.random.map_or(0, NonZeroU32::get);
        for number in 0..random {
            progress.count(number.into(), random.into(), "random games played");
            sampled.add_game(random_game(mix(self.seed, &format!("random {number}"))), "random");
        }
        if let (Some(bot), Some(games)) = (self.selfplay, self.games) {
            let bot = Builtin { error: self.error.unwrap_or(ErrorRate::NEVER), ..bot };
            progress.begin_step();
            for number in 0..games.get() {
                progress.count(number.into(), games.get().into(), "self-play games played");
                sampled.add_game(self_play(bot, mix(self.seed, &format!("selfplay {number}"))), "selfplay");
            }
        }
        Ok(sampled.shuffled(self.seed))
    }

    /// Checks a log, and adds the positions of its game. Returns whether it is a game of Gothello.
    fn add_log(&self, sampled: &mut SampledPositions, log: &LogFile) -> Result<bool, Failure> {
        let LoggedGame::Two(record) = log.logged_game()? else { return Ok(false) };
        if record.ruleset != Ruleset::Gothello {
            return Ok(false);
        }
        log.check(&record)?;
        let source = match &record.game {
            Some(game) if self.names => format!("run:{game}"),
            _ => "run".to_owned(),
        };
        sampled.add_game(record.plies.iter().map(|ply| ply.played), &source);
        Ok(true)
    }

    /// The labels of all positions; `None` if a signal arrived.
    fn labels(
        &self,
        positions: &[SampledPosition],
        part: &Path,
        interrupt: &Flag,
    ) -> Result<Option<Vec<ExactLabel>>, Failure> {
        let file = table_of_positions(note);
        let labelling = Labelling {
            threads: threads_or_two(settings::threads(self.threads)),
            known: KnownMargins::with(file.as_ref()),
            stop: interrupt.raised(),
            wish: self.wish(),
        };
        let mut progress = Progress::new();
        let tell = |done: usize| progress.count(done as u64, positions.len() as u64, "positions solved");
        labelling
            .labels(positions, part, tell)
            .with_context(|| format!("cannot use `{}`", part.shown()))
            .map_err(Failure::usage)
    }

    fn examples(&self, positions: Vec<SampledPosition>, labels: Vec<ExactLabel>) -> Vec<DatasetExample> {
        let images = if self.symmetries == "all" { IMAGES } else { 1 };
        let mut examples = Vec::with_capacity(positions.len() * usize::from(images));
        for (position, found) in positions.into_iter().zip(labels) {
            let SampledPosition { game, class, ply, source, count } = position;
            let split = self.split.split(class, self.seed);
            for number in 0..images {
                let (game, label) = (image(&game, number), found.of_image(&game, number));
                examples.push(DatasetExample { game, class, label, ply, source: source.clone(), count, split });
            }
        }
        examples
    }

    fn write(&self, out: &Path, bytes: &[u8], examples: &[DatasetExample]) -> Result<(), Failure> {
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        let command = std::iter::once("gothello-arena".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        let facts = CardFacts { file: name, command, has_logs: !self.from.is_empty() };
        let card_file = beside(out, ".md");
        for (file, bytes) in [(&card_file, card(&facts, examples).as_bytes()), (&out.to_owned(), bytes)] {
            write_whole(file, bytes).with_context(|| format!("cannot write `{}`", file.shown()))?;
        }
        Ok(())
    }
}

/// The file next to `out` with the name of `out` followed by `ending`.
fn beside(out: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = out.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
