//! The options for a program that `--command` names.

use std::path::PathBuf;

use super::warn;
use crate::drill::selection::DescribedProgram;
use crate::game::Ruleset;

/// How the program of `--command` is built and started.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramArgs {
    /// The program's directory
    #[arg(long, requires = "command", hide_short_help = true)]
    dir: Option<PathBuf>,
    /// The program's build command, split at spaces
    #[arg(long, value_name = "COMMAND", requires = "command", hide_short_help = true)]
    build: Option<String>,
    /// The program speaks on stdin and stdout
    #[arg(long, requires = "command", hide_short_help = true)]
    stdio: bool,
}

impl ProgramArgs {
    /// The first of these options that is given.
    pub(super) const fn first_given(&self) -> Option<&'static str> {
        if self.dir.is_some() {
            Some("--dir")
        } else if self.build.is_some() {
            Some("--build")
        } else if self.stdio {
            Some("--stdio")
        } else {
            None
        }
    }

    /// The program with the name `name` and the words `command`, for games by `ruleset`.
    pub(super) fn described<'a>(
        &'a self,
        name: &'a str,
        command: &'a [String],
        ruleset: Option<Ruleset>,
    ) -> DescribedProgram<'a> {
        let (dir, build) = (self.dir.as_deref(), self.build.as_deref());
        DescribedProgram { name, command, dir, build, stdio: self.stdio, ruleset }
    }
}

/// Warns if words after `--command` look like `options` of the arena's `subcommand`.
pub(super) fn warn_of_own_options(command: &[String], subcommand: &str, options: &[&str]) {
    let is_own = |word: &&String| options.contains(&word.split('=').next().unwrap_or_default());
    for word in command.iter().filter(is_own) {
        warn(format_args!("`{word}` is passed to the bot; put `{subcommand}` options before --command"));
    }
}
