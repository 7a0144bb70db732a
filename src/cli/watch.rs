//! `gothello-arena watch`.

use std::io::IsTerminal as _;
use std::time::Duration;

use anyhow::anyhow;

use super::colour::style_for;
use super::on_screen::{exit_of, screen_look};
use super::{CommandResult, Exit, Failure, HELP, print, settings};
use crate::base::console;
use crate::base::sanitise::sanitised;
use crate::exact::threads::threads_or_two;
use crate::practice::watching::{LivePageWatch, ServerWatch, WatchAddress, WatchError, watch_page, watch_server};
use crate::referee::wire::EntityName;

/// Watch a game on a Gothello server, or the live page of a run
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Draws on the terminal, with most keys of `replay -i`. If stdin or stdout is not
a terminal, or with --plain, prints board after board. The connection ends with
the game, or with the run.
Examples:
  gothello-arena watch 127.0.0.1:29068
  gothello-arena watch http://127.0.0.1:8080")]
pub(super) struct Args {
    /// HOST:PORT of a server, or http://HOST:PORT of a live page
    address: WatchAddress,
    /// Join the server as observer NAME
    #[arg(long, value_name = "NAME", value_parser = observer_name)]
    name: Option<EntityName>,
    /// Wait at most TIME for the first line
    #[arg(long, value_name = "TIME", value_parser = super::duration, default_value = "30s")]
    timeout: Duration,
    /// Print board after board, even on a terminal
    #[arg(long)]
    plain: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let style = style_for(&console::stream());
        let has_screen = !self.plain && std::io::stdin().is_terminal() && console::stream().is_terminal();
        let (patience, name) = (self.timeout, self.name);
        match self.address {
            WatchAddress::Page { .. } if name.is_some() => {
                Err(Failure::usage(anyhow!("--name: a live page does not identify its readers (leave out --name)")))
            }
            WatchAddress::Server { host, port } if has_screen => {
                let threads = threads_or_two(settings::threads(None));
                let watch = ServerWatch::connect((&host, port), name, patience, threads).map_err(failed)?;
                let (kept, end) = watch.show(screen_look(style)).map_err(failed)?;
                for command in kept {
                    print(sanitised(&command) + "\n")?;
                }
                Ok(exit_of(end))
            }
            WatchAddress::Page { host, port, path } if has_screen => {
                let watch = LivePageWatch::open(&host, port, &path, patience).map_err(failed)?;
                Ok(exit_of(watch.show(screen_look(style)).map_err(failed)?))
            }
            WatchAddress::Server { host, port } => {
                watch_server((&host, port), name, patience, style).map_err(failed)?;
                Ok(Exit::Success)
            }
            WatchAddress::Page { host, port, path } => {
                watch_page((&host, port, &path), patience, style).map_err(failed)?;
                Ok(Exit::Success)
            }
        }
    }
}

fn failed(error: WatchError) -> Failure {
    anyhow::Error::new(error).into()
}

fn observer_name(text: &str) -> Result<EntityName, String> {
    let most = EntityName::MAX_LEN;
    EntityName::new(text).ok_or_else(|| format!("expected at most {most} printable characters"))
}
