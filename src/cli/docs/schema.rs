//! `gothello-arena docs schema`.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::base::files;
use crate::base::sanitise::Shown as _;
use crate::base::word_enum::words;
use crate::cli::word_options::word;
use crate::cli::{CommandResult, Exit, print};
use crate::course::rubric::RUBRIC_SCHEMA;
use crate::tournament::file::TOURNAMENT_SCHEMA;

/// Print a JSON Schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Editors complete and check a tournament file that is next to its schema and
begins with the line `#:schema ./tournament.schema.json`, and a rubric that
begins with `#:schema ./rubric.schema.json`. Other schemas describe the JSON of
`standings` (`group-standings` for games of more than two players),
`check --bots`, `analyze`, `bench`, `solve`, `puzzles`, `ladder`, `workers`,
`doctor` and `perft`, and a run's files analysis.jsonl and journal.jsonl; each
line of these files and of `analyze` is a separate value.

Example:
  gothello-arena docs schema tournament --out tournament.schema.json")]
pub(super) struct Args {
    /// What the schema describes
    #[arg(value_parser = word(&Schema::DESCRIBED, Schema::name), hide_possible_values = true)]
    #[arg(
        help = "tournament, rubric, standings, group-standings, check, analysis, bench, bench-why, solution, puzzles, analysis-cache, journal, aliases, import, audit, drill, gradescope, ladder, workers, doctor or perft"
    )]
    name: Schema,
    /// Write the schema to FILE, replacing what is there
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A file format with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schema {
    Tournament,
    Rubric,
    Standings,
    GroupStandings,
    Check,
    Analysis,
    Bench,
    BenchWhy,
    Solution,
    Puzzles,
    AnalysisCache,
    Journal,
    Aliases,
    Import,
    Audit,
    Drill,
    Gradescope,
    Workers,
    Doctor,
    Ladder,
    Perft,
}

words! {
    Schema;
    Tournament => "tournament",
    Rubric => "rubric",
    Standings => "standings",
    GroupStandings => "group-standings",
    Check => "check",
    Analysis => "analysis",
    Bench => "bench",
    BenchWhy => "bench-why",
    Solution => "solution",
    Puzzles => "puzzles",
    AnalysisCache => "analysis-cache",
    Journal => "journal",
    Aliases => "aliases",
    Import => "import",
    Audit => "audit",
    Drill => "drill",
    Gradescope => "gradescope",
    Workers => "workers",
    Doctor => "doctor",
    Ladder => "ladder",
    Perft => "perft",
}

impl Schema {
    const DESCRIBED: [(Self, &str); Self::ALL.len()] = [
        (Self::Tournament, "A tournament file"),
        (Self::Rubric, "A rubric file"),
        (Self::Standings, "The output of `standings --format json`"),
        (Self::GroupStandings, "The same output for games of more than two players"),
        (Self::Check, "The output of `check --bots --format json`"),
        (Self::Analysis, "A line of `analyze --json`"),
        (Self::Bench, "The output of `bench list --json`"),
        (Self::BenchWhy, "The output of `bench why --json`"),
        (Self::Solution, "The output of `solve --json`"),
        (Self::Puzzles, "The output of `puzzles --json`"),
        (Self::AnalysisCache, "A line of a run's analysis.jsonl"),
        (Self::Journal, "A line of a run's journal.jsonl"),
        (Self::Aliases, "The aliases.json file that `report --anonymous` writes"),
        (Self::Import, "The import.json file that `import` writes"),
        (Self::Audit, "The audit.json file that `grade` writes"),
        (Self::Drill, "A drill.json file that `grade` writes"),
        (Self::Gradescope, "A results.json file that `grade` writes"),
        (Self::Workers, "The output of `workers --json`"),
        (Self::Doctor, "The output of `doctor --json`"),
        (Self::Ladder, "The output of `ladder status --json`"),
        (Self::Perft, "The output of `perft --json`"),
    ];

    const fn text(self) -> &'static str {
        match self {
            Self::Tournament => TOURNAMENT_SCHEMA,
            Self::Rubric => RUBRIC_SCHEMA,
            Self::Standings => include_str!("../../../docs/reference/schemas/standings.schema.json"),
            Self::GroupStandings => include_str!("../../../docs/reference/schemas/group-standings.schema.json"),
            Self::Check => include_str!("../../../docs/reference/schemas/check.schema.json"),
            Self::Analysis => include_str!("../../../docs/reference/schemas/analysis.schema.json"),
            Self::Bench => include_str!("../../../docs/reference/schemas/bench.schema.json"),
            Self::BenchWhy => include_str!("../../../docs/reference/schemas/bench-why.schema.json"),
            Self::Solution => include_str!("../../../docs/reference/schemas/solution.schema.json"),
            Self::Puzzles => include_str!("../../../docs/reference/schemas/puzzles.schema.json"),
            Self::AnalysisCache => include_str!("../../../docs/reference/schemas/analysis-cache.schema.json"),
            Self::Journal => include_str!("../../../docs/reference/schemas/journal.schema.json"),
            Self::Aliases => include_str!("../../../docs/reference/schemas/aliases.schema.json"),
            Self::Import => include_str!("../../../docs/reference/schemas/import.schema.json"),
            Self::Audit => include_str!("../../../docs/reference/schemas/audit.schema.json"),
            Self::Drill => include_str!("../../../docs/reference/schemas/drill.schema.json"),
            Self::Gradescope => include_str!("../../../docs/reference/schemas/gradescope.schema.json"),
            Self::Workers => include_str!("../../../docs/reference/schemas/workers.schema.json"),
            Self::Doctor => include_str!("../../../docs/reference/schemas/doctor.schema.json"),
            Self::Ladder => include_str!("../../../docs/reference/schemas/ladder.schema.json"),
            Self::Perft => include_str!("../../../docs/reference/schemas/perft.schema.json"),
        }
    }
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let text = self.name.text();
        match self.out {
            Some(file) => files::write_whole(&file, text.as_bytes())
                .with_context(|| format!("could not write `{}`", file.shown()))?,
            None => print(text)?,
        }
        Ok(Exit::Success)
    }
}
