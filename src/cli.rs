//! The command line: one module a command, each with its arguments and one call into the arena.

mod bot;
mod check;
mod load;
mod perft;
mod replay;
mod run;
mod serve;
mod standings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What the process's exit code says. The README has the same table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Success,
    /// The arena itself failed.
    ArenaFailed,
    /// The command line or the tournament file is wrong.
    Usage,
    /// A check or a requirement does not hold.
    DoesNotHold,
    /// Finished, but a player forfeited other than by playing (with `--strict` only).
    Forfeits,
    /// Games are void or missing.
    Incomplete,
    /// Interrupted by Ctrl-C.
    Interrupted,
    /// Ended by SIGTERM or SIGHUP.
    Terminated,
}

impl Exit {
    /// The number for the shell.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::ArenaFailed => 1,
            Self::Usage => 2,
            Self::DoesNotHold => 3,
            Self::Forfeits => 4,
            Self::Incomplete => 5,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command ended early, and with which exit code.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    error: anyhow::Error,
}

impl Failure {
    /// Something that the user wrote is wrong.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::Usage, error: error.into() }
    }
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    /// Anything that is not said to be the user's is the arena's own failure.
    fn from(error: E) -> Self {
        Self { exit: Exit::ArenaFailed, error: error.into() }
    }
}

/// What every command returns.
pub type CommandResult = Result<Exit, Failure>;

/// Tournaments of Gothello bots.
#[derive(Debug, Parser)]
#[command(name = "gothello-arena", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    Check(check::Args),
    Replay(replay::Args),
    Standings(standings::Args),
    Serve(serve::Args),
    Bot(bot::Args),
    Perft(perft::Args),
}

/// Runs the program on the process's own arguments and prints what went wrong, if anything did.
pub fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is no failure of ours.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Success };
        }
    };
    let result = match cli.command {
        Command::Run(args) => args.run(),
        Command::Check(args) => args.run(),
        Command::Replay(args) => args.run(),
        Command::Standings(args) => args.run(),
        Command::Serve(args) => args.run(),
        Command::Bot(args) => args.run(),
        Command::Perft(args) => args.run(),
    };
    result.unwrap_or_else(|failure| {
        eprintln!("gothello-arena: {:#}", failure.error);
        failure.exit
    })
}
