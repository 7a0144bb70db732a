//! `gothello-arena bot`.

use std::io;
use std::num::NonZeroU32;

use anyhow::anyhow;

use super::{CommandResult, Exit, Failure};
use crate::bots::Bot;
use crate::client;
use crate::tournament::Engine;
use crate::wire::{BASE_PORT, EntityName, MAX_SERVER, SideWish};

/// Play one game with a built-in bot at a referee
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, with a referee started by `gothello-arena serve 0`:
  gothello-arena bot alphabeta --depth 3 --side black --server 0")]
pub(super) struct Args {
    /// random, greedy or alphabeta
    engine: Engine,
    /// Plies that alphabeta looks ahead [default: 3]
    #[arg(long, value_name = "PLIES")]
    depth: Option<NonZeroU32>,
    /// What the bot's chance derives from
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    seed: u64,
    /// black, white, or ? for either
    #[arg(long, default_value = "?", value_parser = side)]
    side: SideWish,
    /// Where the referee listens
    #[arg(long, default_value = "localhost")]
    host: String,
    /// Its server number: the port minus 29068
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(..=i64::from(MAX_SERVER)))]
    server: u16,
    /// Its port, instead of a server number
    #[arg(long, conflicts_with = "server")]
    port: Option<u16>,
    /// A name to go by, 31 characters at most
    #[arg(long, value_parser = name)]
    name: Option<EntityName>,
    /// Speak on stdin and stdout instead of connecting
    #[arg(long, conflicts_with_all = ["host", "server", "port"])]
    stdio: bool,
}

fn side(text: &str) -> Result<SideWish, &'static str> {
    match text {
        "?" => Ok(SideWish::Any),
        _ => text.parse().map(SideWish::Only).map_err(|_| "expected `black`, `white` or `?`"),
    }
}

fn name(text: &str) -> Result<EntityName, &'static str> {
    EntityName::new(text).ok_or("a name has at most 31 characters, and no control characters")
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if self.depth.is_some() && !self.engine.searches() {
            return Err(Failure::usage(anyhow!("`--depth` is for `alphabeta`, `{}` does not look ahead", self.engine)));
        }
        let mut bot = Bot::new(self.engine, self.depth, self.seed);
        let hello = client::hello(self.side, self.name);
        if self.stdio {
            client::play(io::stdin().lock(), io::stdout().lock(), &hello, |game| bot.choose(game))?;
        } else {
            let stream = client::connect(&self.host, self.port.unwrap_or(BASE_PORT + self.server))?;
            client::play(&stream, &stream, &hello, |game| bot.choose(game))?;
        }
        Ok(Exit::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::DEFAULT_DEPTH;

    #[test]
    fn the_help_tells_the_default_depth() {
        let help = <Args as clap::Args>::augment_args(clap::Command::new("bot")).render_help().to_string();
        assert!(help.contains(&format!("[default: {DEFAULT_DEPTH}]")), "{help}");
    }
}
