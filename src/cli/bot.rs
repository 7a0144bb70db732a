//! `gothello-arena bot`.

use std::io::{self, Read, Write};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use super::bot_options::refuse_misfits;
use super::{CommandResult, Exit, Failure, HELP, note};
use crate::base::console;
use crate::base::sanitise::sanitised;
use crate::exact::seegover::Tablebase;
use crate::exact::tablebase::read_named;
use crate::game::{Feature, Move, Ruleset, Seat, Side, gothello, quantum, seegover};
use crate::players::bots::{Bot, Builtin, ErrorRate, Thinkable, Thinker};
use crate::players::client::{self, ClientError, RefereeStream};
use crate::players::perfect::{BestPlay, ByTable, Perfect, Proof};
use crate::referee::wire::{BASE_PORT, EntityName, Hello, MAX_SERVER, SeatWish};
use crate::tournament::Placeholder;

/// Play one game as a built-in bot
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "Example (with a referee started by `gothello-arena serve 0`):
  gothello-arena bot alphabeta --depth 3 --side black --server 0")]
pub(super) struct Args {
    /// Bot to play: random, greedy, alphabeta, mcts or perfect
    #[arg(value_name = "BOT")]
    thinker: Thinker,
    /// Play by RULES [default: those in the greeting]
    #[arg(long, value_name = "RULES")]
    ruleset: Option<Ruleset>,
    /// Let alphabeta look PLIES plies ahead [default: 3]
    #[arg(long, value_name = "PLIES", value_parser = super::at_least_one::<NonZeroU32>)]
    depth: Option<NonZeroU32>,
    /// Let mcts run NUMBER playouts per move [default: 1000]
    #[arg(long, value_name = "NUMBER", value_parser = super::at_least_one::<NonZeroU32>)]
    playouts: Option<NonZeroU32>,
    /// Make mistakes with probability CHANCE, from 0 to 1 (only for bots that search)
    #[arg(long, value_name = "CHANCE", allow_negative_numbers = true)]
    error: Option<ErrorRate>,
    /// Let perfect play Seegover with the table in FILE
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Seed the bot's random choices
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    seed: u64,
    /// Ask for black, white, a seat number, or ? for any
    #[arg(long, default_value = "?", value_parser = side)]
    side: SeatWish,
    /// Connect to the referee at HOST
    #[arg(long, default_value = "localhost")]
    host: String,
    /// Server number: the port minus 29068
    #[arg(long, default_value_t = 0, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(..=i64::from(MAX_SERVER)))]
    server: u16,
    /// Connect to PORT instead of a server number
    #[arg(long, conflicts_with = "server")]
    port: Option<u16>,
    /// Play under NAME (at most 31 characters)
    #[arg(long, value_parser = name)]
    name: Option<EntityName>,
    /// Use stdin and stdout instead of connecting
    #[arg(long, conflicts_with_all = ["host", "server", "port"])]
    stdio: bool,
}

fn side(text: &str) -> Result<SeatWish, &'static str> {
    if text == "?" {
        return Ok(SeatWish::Any);
    }
    let by_number = || text.parse().ok().and_then(Seat::new);
    let seat = text.parse::<Side>().map(Seat::from).ok().or_else(by_number);
    seat.map(SeatWish::Only).ok_or("expected `black`, `white`, a seat from 1 to 6, or `?`")
}

fn name(text: &str) -> Result<EntityName, &'static str> {
    EntityName::new(text).ok_or("a name may have at most 31 characters, and no control characters")
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        refuse_misfits(
            self.thinker,
            [
                ("--depth", self.depth.is_some()),
                ("--playouts", self.playouts.is_some()),
                ("--table", self.table.is_some()),
                ("--error", self.error.is_some()),
            ],
        )?;
        // Check everything that can be checked before a referee waits for a hello.
        let known = self.named_ruleset()?;
        let is_perfect = self.thinker == Thinker::Perfect;
        if let Some(ruleset) = known {
            require(ruleset, self.thinker)?;
        }
        if self.table.is_some() && known == Some(Ruleset::Gothello) {
            return Err(Failure::usage(anyhow!("--table is for Seegover, but the game is Gothello")));
        }
        let rules = match known {
            Some(Ruleset::Seegover(options)) => Some(options.move_rules()),
            _ => None,
        };
        let needs_table = is_perfect && (rules.is_some() || self.table.is_some());
        let table = if needs_table { Some(read_named(self.table.clone(), rules)?.1) } else { None };
        let rules = KnownRules { ruleset: known, table };
        if self.stdio {
            self.play(RefereeStream { input: io::stdin().lock(), output: console::stream() }, rules)
        } else {
            let stream = client::connect(&self.host, self.port.unwrap_or(BASE_PORT + self.server))?;
            self.play(RefereeStream { input: &stream, output: &stream }, rules)
        }
    }

    /// The rule set named by the command line or by the environment variable that the arena sets for every bot that it
    /// starts.
    fn named_ruleset(&self) -> Result<Option<Ruleset>, Failure> {
        let variable = Placeholder::Ruleset.variable();
        // An empty variable is treated as unset.
        match (self.ruleset, std::env::var(variable).ok().filter(|text| !text.is_empty())) {
            (Some(named), _) => Ok(Some(named)),
            (None, None) => Ok(None),
            (None, Some(text)) => text.parse().map(Some).map_err(|unknown| {
                Failure::usage(anyhow::Error::new(unknown).context(format!("{variable} is `{}`", sanitised(&text))))
            }),
        }
    }

    /// Plays over `stream`, by the `known` rules or else by the rules named in the greeting.
    fn play(self, stream: RefereeStream<impl Read, impl Write>, known: KnownRules) -> CommandResult {
        let (greeted, stream) = client::greeting(stream)?;
        let ruleset = known.ruleset.or(greeted).unwrap_or_default();
        let (thinker, depth, playouts, error) =
            (self.thinker, self.depth, self.playouts, self.error.unwrap_or_default());
        let bot = Builtin { thinker, depth, playouts, error, seed: None };
        let hello = client::hello(ruleset, self.side, self.name);
        match ruleset {
            Ruleset::Gothello => {
                let mind = Mind::new(bot, self.seed, || Ok(Perfect::new(bot.error, self.seed)))?;
                mind.play(gothello::Game::default(), stream, &hello)?;
            }
            Ruleset::Seegover(options) => {
                let by_table = || {
                    ruleset.require(Feature::Perfect).map_err(Failure::usage)?;
                    let rules = options.move_rules();
                    // If the known table is for other rules, reading the file once more reports what is wrong with it.
                    let table = match known.table.filter(|table| table.rules() == rules) {
                        Some(table) => table,
                        None => read_named(self.table, Some(rules))?.1,
                    };
                    Ok(ByTable::new(Arc::new(table), options.drop, bot.error, self.seed))
                };
                let mind = Mind::new(bot, self.seed, by_table)?;
                mind.play(seegover::Game::new(options), stream, &hello)?;
            }
            Ruleset::Quantum(rules) => {
                require(ruleset, thinker)?;
                let mut bot = Bot::of(bot, self.seed);
                client::play(quantum::Game::new(rules), stream, &hello, |game, _, refused| {
                    if refused.is_empty() { bot.choose(game) } else { bot.instead(game, refused) }
                })?;
            }
        }
        Ok(Exit::Success)
    }
}

/// Checks that `thinker` can play by the rules of `ruleset`.
fn require(ruleset: Ruleset, thinker: Thinker) -> Result<(), Failure> {
    let feature = if thinker == Thinker::Perfect { Feature::Perfect } else { Feature::BuiltinBots };
    ruleset.require(feature).map_err(Failure::usage)
}

/// The rules and the table that are known before the greeting.
struct KnownRules {
    ruleset: Option<Ruleset>,
    /// The Seegover table, if the bot needs it.
    table: Option<Tablebase>,
}

/// The part of the bot that chooses its moves.
enum Mind<P> {
    /// A function of the game and random numbers.
    Plain(Box<Bot>),
    /// A player that needs to know the time left.
    Perfect(Box<P>),
}

impl<P> Mind<P> {
    /// The mind of `bot`; `perfect` creates the mind of a perfect bot.
    fn new(bot: Builtin, seed: u64, perfect: impl FnOnce() -> Result<P, Failure>) -> Result<Self, Failure> {
        Ok(match bot.thinker {
            Thinker::Perfect => Self::Perfect(Box::new(perfect()?)),
            _ => Self::Plain(Box::new(Bot::of(bot, seed))),
        })
    }

    /// Plays a game that starts in `start`.
    fn play<G: Thinkable>(
        mut self,
        start: G,
        stream: RefereeStream<impl Read, impl Write>,
        hello: &Hello,
    ) -> Result<(), ClientError>
    where
        P: BestPlay<G>,
    {
        client::play(start, stream, hello, |game, left, refused| self.choose(game, left, refused))
    }

    /// Chooses the next move, and reports on stderr if nothing is proven about the move. If the referee has refused
    /// moves in this turn, quickly chooses a different move.
    fn choose<G: Thinkable>(&mut self, game: &G, left: Option<Duration>, refused: &[Move]) -> Move
    where
        P: BestPlay<G>,
    {
        match self {
            Self::Plain(bot) if !refused.is_empty() => bot.instead(game, refused),
            Self::Perfect(perfect) if !refused.is_empty() => perfect.instead(game, refused),
            Self::Plain(bot) => bot.choose(game),
            Self::Perfect(perfect) => {
                let (chosen, proof) = perfect.choose(game, left);
                if proof == Proof::Nothing {
                    let empty = game.to_string().matches('.').count();
                    note(format_args!(
                        "{chosen}, with {empty} empty points, is a guess: there was not enough time to prove it"
                    ));
                }
                chosen
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::bots::{DEFAULT_DEPTH, DEFAULT_PLAYOUTS};

    #[test]
    fn the_help_tells_the_defaults() {
        let help = <Args as clap::Args>::augment_args(clap::Command::new("bot")).render_help().to_string();
        for default in [DEFAULT_DEPTH, DEFAULT_PLAYOUTS] {
            assert!(help.contains(&format!("[default: {default}]")), "{help}");
        }
    }
}
