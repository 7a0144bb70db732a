//! `gothello-arena init tournament`.

use std::path::PathBuf;

use super::directory;
use crate::base::sanitise::Shown as _;
use crate::cli::starters::class_tournament;
use crate::cli::{CommandResult, Exit, HELP, linking, print};

/// Write a class tournament for your students' bots
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Writes class.toml and rubric.toml with comments, their schemas for editors, and
a README with the steps to take.
Example:
  gothello-arena init tournament cs441")]
pub(super) struct Args {
    /// Empty or new directory to write to
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let files = class_tournament();
        directory::write(&self.dir, &files)?;
        let dir = self.dir.shown();
        let text = format!(
            "wrote {} files to `{dir}`: a tournament of three built-in bots\n{}\
             \x20 gothello-arena check class.toml    finds mistakes\n\
             \x20 gothello-arena run class.toml      plays the tournament\n\
             README.md explains how to enter your students' bots, and the next steps.\n",
            files.len(),
            directory::enter(&self.dir),
        );
        print(linking(&text, &self.dir))?;
        Ok(Exit::Success)
    }
}
