//! `gothello-arena init bot`.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::directory;
use crate::base::sanitise::Shown as _;
use crate::cli::starters::{NameTaken, Starter, TextFile};
use crate::cli::{CommandResult, Exit, Failure, HELP, linking, print};
use crate::tournament::{PlayerName, Transport};

/// Write a bot that already plays, for you to make your own
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, override_usage = "gothello-arena init bot [OPTIONS] <LANG> [DIR]", after_help = "\
The bot implements the rules and the protocol, and looks two plies ahead. It
comes with tests and a README, and needs nothing but the language itself.
Example:
  gothello-arena init bot python heron --name Heron")]
pub(super) struct Args {
    /// Language of the bot
    #[arg(value_name = "LANG", value_parser = languages())]
    starter: Option<&'static Starter>,
    /// Empty or new directory to write to
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Call the bot NAME [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    name: Option<PlayerName>,
    /// Let the bot talk over stdin and stdout, not over TCP
    #[arg(long)]
    stdio: bool,
}

/// Accepts the languages of all starters, and suggests the nearest one for any other word.
fn languages() -> impl TypedValueParser<Value = &'static Starter> {
    let words = Starter::all().map(|starter| PossibleValue::new(starter.language).aliases(starter.alias));
    PossibleValuesParser::new(words).try_map(|word| Starter::named(&word).ok_or("no such language"))
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let starter = self.starter.ok_or_else(no_language)?;
        let (name, files) = self.files(starter).map_err(Failure::usage)?;
        directory::write(&self.dir, &files)?;
        print(linking(&self.told(starter, &name, files.len()), &self.dir))?;
        Ok(Exit::Success)
    }

    /// The name of the bot and the files of `starter` for it. If possible, a bot that the user has not named is named
    /// after its directory.
    fn files(&self, starter: &Starter) -> Result<(PlayerName, Vec<TextFile>), NameTaken> {
        let transport = if self.stdio { Transport::Stdio } else { Transport::Tcp };
        let of_name = |name: PlayerName| starter.files(&name, transport).map(|files| (name, files));
        match &self.name {
            Some(name) => of_name(name.clone()),
            None => {
                name_of(&self.dir).map(of_name).and_then(Result::ok).map_or_else(|| of_name(Starter::unnamed()), Ok)
            }
        }
    }

    /// The message to the user once the files of `starter` have been written.
    fn told(&self, starter: &Starter, name: &PlayerName, files: usize) -> String {
        let dir = self.dir.shown();
        format!(
            "wrote {files} files to `{dir}`: a bot in {}, called `{name}`\n\
             {}\
             \x20 make try      plays 20 games against a built-in bot\n\
             \x20 make test     tests the bot's rules\n\
             \x20 make check    checks the bot before a tournament\n\
             \x20 make bench    checks and plays each version that you save\n\
             Then read README.md: your ideas go into `evaluate` in {}.\n",
            starter.title,
            directory::enter(&self.dir),
            starter.mind,
        )
    }
}

/// The answer to a user who has named no language: the languages, and how to choose one.
fn no_language() -> Failure {
    let languages: Vec<&str> = Starter::all().map(|starter| starter.language).collect();
    let error = anyhow!("name the language of the bot: {}", languages.join(", "));
    let hint = "the bots in all languages do the same, so choose the language that you know best:\n  \
                gothello-arena init bot python";
    Failure::usage(error).with_hint(Some(hint.to_owned()))
}

/// The name of the directory, if it is a valid player name.
fn name_of(dir: &Path) -> Option<PlayerName> {
    let whole = std::path::absolute(dir).ok()?;
    PlayerName::new(whole.file_name()?.to_str()?).ok()
}
