//! `gothello-arena book`.

mod build;
mod building;
mod check;
mod extend;

use super::CommandResult;

/// Build, extend and check the opening book
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena book check --sample 100")]
pub(super) struct Args {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Debug, clap::Subcommand)]
enum BookCommand {
    Build(build::Args),
    Extend(extend::Args),
    Check(check::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            BookCommand::Build(args) => args.run(),
            BookCommand::Extend(args) => args.run(),
            BookCommand::Check(args) => args.run(),
        }
    }
}
