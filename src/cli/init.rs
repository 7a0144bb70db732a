//! `gothello-arena init`.

mod bot;
mod directory;
mod tournament;

use super::CommandResult;

/// Create a working bot or a class tournament
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena init bot python heron")]
pub(super) struct Args {
    #[command(subcommand)]
    command: InitCommand,
}

#[derive(Debug, clap::Subcommand)]
enum InitCommand {
    Bot(bot::Args),
    Tournament(tournament::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            InitCommand::Bot(args) => args.run(),
            InitCommand::Tournament(args) => args.run(),
        }
    }
}
