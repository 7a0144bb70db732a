//! `gothello-arena init bot`.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::directory;
use crate::base::sanitise::Shown as _;
use crate::cli::starters::{NameTaken, Starter, TextFile};
use crate::cli::{CommandResult, Exit, Failure, HELP, linking, print};
use crate::tournament::{PlayerName, Transport};

/// Write a bot that already plays, for you to make your own
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
The bot implements the rules and the protocol, and looks two plies ahead. It
comes with tests and a README, and needs nothing but the language itself.
Example:
  gothello-arena init bot python heron --name Heron")]
pub(super) struct Args {
    /// Language of the bot
    #[arg(value_name = "LANG", value_parser = languages())]
    starter: &'static Starter,
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
        let (name, files) = self.files().map_err(Failure::usage)?;
        directory::write(&self.dir, &files)?;
        print(linking(&self.told(&name, files.len()), &self.dir))?;
        Ok(Exit::Success)
    }

    /// The bot's name and its files. If possible, a bot that the user has not named is named after its directory.
    fn files(&self) -> Result<(PlayerName, Vec<TextFile>), NameTaken> {
        let transport = if self.stdio { Transport::Stdio } else { Transport::Tcp };
        let of_name = |name: PlayerName| self.starter.files(&name, transport).map(|files| (name, files));
        match &self.name {
            Some(name) => of_name(name.clone()),
            None => {
                name_of(&self.dir).map(of_name).and_then(Result::ok).map_or_else(|| of_name(Starter::unnamed()), Ok)
            }
        }
    }

    /// The message to the user once the files have been written.
    fn told(&self, name: &PlayerName, files: usize) -> String {
        let (starter, dir) = (self.starter, self.dir.shown());
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

/// The name of the directory, if it is a valid player name.
fn name_of(dir: &Path) -> Option<PlayerName> {
    let whole = std::path::absolute(dir).ok()?;
    PlayerName::new(whole.file_name()?.to_str()?).ok()
}
