//! `gothello-arena completions`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CommandResult, Exit, print};

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gothello-arena completions bash > gothello-arena.bash")]
pub(super) struct Args {
    /// Shell to use
    shell: Shell,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "gothello-arena", &mut script);
        print(script)?;
        Ok(Exit::Success)
    }
}
