//! `gothello-arena init`.

mod bot;
mod directory;

use super::CommandResult;

/// Begin with a bot that already plays
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena init bot python heron")]
pub(super) struct Args {
    #[command(subcommand)]
    command: InitCommand,
}

#[derive(Debug, clap::Subcommand)]
enum InitCommand {
    Bot(bot::Args),
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.command {
            InitCommand::Bot(args) => args.run(),
        }
    }
}
