//! `gothello-arena docs`.

mod man;
mod schema;

use super::CommandResult;

/// Print schemas, and write the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena docs schema tournament --out tournament.schema.json")]
pub(super) struct Args {
    #[command(subcommand)]
    command: DocsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DocsCommand {
    Schema(schema::Args),
    Man(man::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            DocsCommand::Schema(args) => args.run(),
            DocsCommand::Man(args) => args.run(),
        }
    }
}
