//! `gothello-arena serve`.

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::interrupt::{self, Interrupted};
use super::{CommandResult, Exit, Failure};
use crate::clock::TimeControl;
use crate::event::Event;
use crate::record::GameRecord;
use crate::referee::Terms;
use crate::rules::{BySide, Ruleset};
use crate::serve::{Announcer, Outlets, Service};
use crate::tournament::Endings;
use crate::wire::{BASE_PORT, MAX_SERVER};

const EXAMPLE: &str = "Example, then `gothello-arena bot greedy` twice for the players:
  gothello-arena serve 0 --time 120s";

/// Referee games between players who connect by themselves.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Args {
    /// Server number: the port is 29068 + N
    #[arg(value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_SERVER)))]
    server: u16,
    /// Games to play; 0 is for ever
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u32,
    /// Time of each player, as in 120s [default: none]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, conflicts_with_all = ["black_time", "white_time"])]
    time: Option<Duration>,
    /// Black's time, where the clocks differ
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, requires = "white_time")]
    black_time: Option<Duration>,
    /// White's time, where the clocks differ
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, requires = "black_time")]
    white_time: Option<Duration>,
    /// Where to listen; 0.0.0.0 for all
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Directory for a log of each game
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
    /// Illegal moves allowed a player [default: any]
    #[arg(long, value_name = "N")]
    illegal_tries: Option<u32>,
    /// Garbled lines allowed a player [default: any]
    #[arg(long, value_name = "N")]
    garbled_tries: Option<u32>,
    /// All thinking without clocks [default: any]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    game_limit: Option<Duration>,
    /// How long a hello may take
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "5m")]
    hello_timeout: Duration,
    /// Tell of endings so that old clients understand
    #[arg(long)]
    compatible: bool,
}

/// How long a player has to leave after the end of its game.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if let Some(dir) = &self.log {
            fs::create_dir_all(dir)
                .with_context(|| format!("could not make `{}`", dir.display()))
                .map_err(Failure::usage)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> CommandResult {
        // Before the port is open, so that nobody who has seen it open can send a signal too early.
        let interrupt = interrupt::watch()?;
        let address = SocketAddr::new(self.bind, BASE_PORT + self.server);
        let listener = TcpListener::bind(address).await.with_context(|| format!("could not listen on {address}"))?;
        let terms = self.terms();
        let service = Service {
            terms,
            hello_timeout: self.hello_timeout,
            quit_timeout: QUIT_TIMEOUT,
            games: (self.games > 0).then_some(self.games),
            site: crate::machine::name(),
        };
        let (events, told) = mpsc::unbounded_channel();
        let (records, recorded) = mpsc::unbounded_channel();
        let announcer = Announcer::new(terms.ruleset, terms.time_control);
        let serving = service.run(listener, Outlets { events, records }, interrupt.signal());
        let (_played, printed) = tokio::join!(serving, announce(announcer, told, recorded, self.log.as_deref()));
        printed?;
        Ok(interrupt.which().map_or(Exit::Success, Interrupted::exit))
    }

    fn terms(&self) -> Terms {
        let time_control = match (self.time, self.black_time.zip(self.white_time)) {
            (Some(time), _) => TimeControl::sudden_death(BySide { black: time, white: time }),
            (None, Some((black, white))) => TimeControl::sudden_death(BySide { black, white }),
            (None, None) => TimeControl::Unlimited,
        };
        Terms {
            ruleset: Ruleset::Gothello,
            time_control,
            illegal_tries: self.illegal_tries,
            garbled_tries: self.garbled_tries,
            game_limit: self.game_limit,
            endings: if self.compatible { Endings::Compatible } else { Endings::Documented },
        }
    }
}

/// Prints what happens as it happens, and writes the logs, until the service has ended.
async fn announce(
    mut announcer: Announcer,
    mut told: UnboundedReceiver<Event>,
    mut recorded: UnboundedReceiver<GameRecord>,
    log: Option<&Path>,
) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            biased;
            Some(event) = told.recv() => print(&announcer.tell(&event)),
            Some(record) = recorded.recv() => {
                print(&Announcer::result(&record.result));
                if let Some(dir) = log {
                    write_log(dir, &record)?;
                }
            }
            else => return Ok(()),
        }
    }
}

/// Nobody has to read the output for the games to go on.
fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes a log under the first free number.
fn write_log(dir: &Path, record: &GameRecord) -> anyhow::Result<()> {
    for number in 1.. {
        let path = dir.join(format!("game-{number:04}.log"));
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                return write!(file, "{record}").with_context(|| format!("could not write `{}`", path.display()));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("could not write `{}`", path.display())),
        }
    }
    Ok(())
}
