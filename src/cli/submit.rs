//! `gothello-arena submit`.

use std::path::PathBuf;

use anyhow::anyhow;

use super::{CommandResult, Exit, Failure, HELP, note, print};
use crate::ladder::submitter::{Submission, SubmitUrl};

/// Hand in a bot to a ladder
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
The files in DIR are sent, except .git, .bench, target and the like, and
except your token. The arena replies with what happens next.
Example:
  gothello-arena submit https://arena.example/submit/ada --token-file ../token .")]
pub(super) struct Args {
    /// The address that the teacher gave you
    url: String,
    /// Directory of the bot
    dir: PathBuf,
    /// File with your token
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Allow http:// to another machine
    #[arg(long)]
    plain_http: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        // The address may contain a secret, so it is not repeated in a message about it.
        let url: SubmitUrl = self.url.parse().map_err(|why| Failure::usage(anyhow!("URL: {why}")))?;
        let submission =
            Submission { url: &url, token_file: &self.token_file, dir: &self.dir, is_clear_allowed: self.plain_http };
        let submitted = submission.send()?;
        for path in &submitted.secret {
            note(format!("`{path}` contains your token, so it was not sent"));
        }
        note(format!("sent {}", submitted.sent));
        print(format!("{}\n", submitted.answer))?;
        Ok(Exit::Success)
    }
}
