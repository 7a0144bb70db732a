//! `gothello-arena tablebase`.

mod build;
mod check;
mod export;
mod margin_check;
mod margins;
mod opening;

use anyhow::anyhow;

use super::{CommandResult, Failure};
use crate::game::seegover::Options;
use crate::game::{Feature, Ruleset};

/// Build and check the tables that solve Gothello and Seegover
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena tablebase build seegover")]
pub(super) struct Args {
    #[command(subcommand)]
    command: TablebaseCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TablebaseCommand {
    Build(build::Args),
    Check(check::Args),
    Export(export::Args),
    Opening(opening::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            TablebaseCommand::Build(args) => args.run(),
            TablebaseCommand::Check(args) => args.run(),
            TablebaseCommand::Export(args) => args.run(),
            TablebaseCommand::Opening(args) => args.run(),
        }
    }
}

/// The options of `ruleset`, which must be a Seegover rule set.
fn tabled(ruleset: Ruleset) -> Result<Options, Failure> {
    let Ruleset::Seegover(options) = ruleset else {
        return Err(Failure::usage(anyhow!("the tables are for `gothello` and `seegover`, not for `{ruleset}`")));
    };
    ruleset.require(Feature::Solver).map_err(Failure::usage)?;
    Ok(options)
}
