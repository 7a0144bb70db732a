//! `gothello-arena book`.

mod build;
mod check;

use super::CommandResult;

/// Build and check the opening book
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena book check --sample 100")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Build(build::Args),
    Check(check::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            Command::Build(args) => args.run(),
            Command::Check(args) => args.run(),
        }
    }
}
