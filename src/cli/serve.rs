//! `gothello-arena serve`.

use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::interrupt;
use super::web::WebArgs;
use super::{CommandResult, Exit, Failure, HELP};
use crate::base::console;
use crate::base::machine::on_thread;
use crate::base::sanitise::Shown as _;
use crate::base::stop::Stop;
use crate::base::time::{now, sleep_until};
use crate::game::{BySide, Ruleset};
use crate::page::http::OpenedPage;
use crate::page::live::{LivePage, ServeTeller, of_serve, premise_of_serve};
use crate::referee::clock::Meter;
use crate::referee::record::LoggedGame;
use crate::referee::sans_io::Endings;
use crate::referee::sans_io::Terms;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::referee::wire::{BASE_PORT, MAX_SERVER};
use crate::run::serve::{Announcer, ServeEvent, Service};

const EXAMPLE: &str = "Also: --open --web-{public,host,clients,linger,delay,embed}
Example (then run `gothello-arena bot greedy` twice for the players):
  gothello-arena serve 0 --time 120s";

/// Referee games between players that connect on their own
// With the line for `--help`, the help would be one line too long for a screen.
#[derive(Debug, clap::Args)]
#[command(
    help_template = HELP,
    override_usage = "gothello-arena serve [N] [OPTIONS]",
    after_help = EXAMPLE,
    disable_help_flag = true
)]
pub(super) struct Args {
    /// Server number; the port is 29068 + N
    #[arg(value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_SERVER)))]
    server: u16,
    /// Listen on PORT instead; 0 picks any free port
    #[arg(long, value_name = "PORT", conflicts_with = "server")]
    port: Option<u16>,
    /// Play by RULES, such as "seegover drop=2"
    #[arg(long, value_name = "RULES", default_value_t, hide_default_value = true)]
    ruleset: Ruleset,
    /// Play N games; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u32,
    /// Give each player TIME, e.g. "5m + 2s"; 0 for none
    #[arg(long, value_name = "TIME", value_parser = budget, conflicts_with_all = ["black_time", "white_time"])]
    time: Option<Budget>,
    /// Give black TIME, if the clocks differ
    #[arg(long, value_name = "TIME", value_parser = super::side_control, requires = "white_time")]
    black_time: Option<SideControl>,
    /// Give white TIME, if the clocks differ
    #[arg(long, value_name = "TIME", value_parser = super::side_control, requires = "black_time")]
    white_time: Option<SideControl>,
    /// Listen on IP; 0.0.0.0 for all
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Write a log of each game to DIR
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,
    /// Allow each player N illegal moves [default: any]
    #[arg(long, value_name = "N")]
    illegal_tries: Option<u32>,
    /// Allow each player N garbled lines [default: any]
    #[arg(long, value_name = "N")]
    garbled_tries: Option<u32>,
    /// Limit thinking time without clocks [default: none]
    #[arg(long, value_name = "TIME", value_parser = super::duration, conflicts_with_all = ["black_time", "white_time"])]
    game_limit: Option<Duration>,
    /// Wait up to TIME for a hello
    #[arg(long, value_name = "TIME", value_parser = super::duration, default_value = "5m")]
    hello_timeout: Duration,
    /// Announce endings in a way old clients understand
    #[arg(long)]
    compatible: bool,
    #[command(flatten)]
    web: WebArgs,
    /// Print help
    #[arg(short = 'h', long = "help", action = clap::ArgAction::Help, hide = true)]
    _help: Option<bool>,
}

/// The clock of each player, as given on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Budget {
    /// No clock; written as 0, as for the original server.
    Unlimited,
    /// This clock.
    Of(SideControl),
}

fn budget(text: &str) -> Result<Budget, String> {
    if text == "0" {
        return Ok(Budget::Unlimited);
    }
    super::side_control(text).map(Budget::Of)
}

/// How much time a player has to leave after its game has ended.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How much time readers have for the last lines after the user has asked to stop immediately.
const LAST_PRINTS: Duration = Duration::from_millis(500);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        crate::base::machine::raise_open_files();
        self.check_sides()?;
        if self.game_limit.is_some() && matches!(self.time, Some(Budget::Of(_))) {
            return Err(Failure::usage(anyhow::anyhow!(
                "--game-limit needs games without clocks, but --time sets a clock"
            )));
        }
        if let Some(dir) = &self.log {
            fs::create_dir_all(dir)
                .with_context(|| format!("could not create `{}`", dir.shown()))
                .map_err(Failure::usage)?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let result = runtime.block_on(self.serve());
        // Printing may still be waiting for a reader, but nothing else needs to wait for the printing.
        runtime.shutdown_background();
        result
    }

    /// Refuses options that apply only to two sides if the game has more than two seats.
    fn check_sides(&self) -> Result<(), Failure> {
        let (option, why) = if self.black_time.is_some() {
            ("--black-time and --white-time", "whose clocks are equal (use --time)")
        } else if self.compatible {
            ("--compatible", "and when a player fails, the others play on (leave the option out)")
        } else {
            return Ok(());
        };
        match self.ruleset.seats() {
            2 => Ok(()),
            seats => {
                Err(Failure::usage(anyhow::anyhow!("{option}: `{}` has {seats} seats, {why}", self.ruleset.name())))
            }
        }
    }

    async fn serve(self) -> CommandResult {
        let interrupt = interrupt::watch()?;
        let opened = self.web.open()?;
        let address = SocketAddr::new(self.bind, self.port.unwrap_or(BASE_PORT + self.server));
        let listener = crate::host::listen::listener(address).await.map_err(|error| {
            let context = crate::base::machine::not_listening(address, &error);
            Failure::usage(anyhow::Error::new(error).context(context))
        })?;
        super::note(format_args!("listening on {}", listener.local_addr()?));
        let terms = self.terms();
        let service = Service {
            terms,
            hello_timeout: self.hello_timeout,
            quit_timeout: QUIT_TIMEOUT,
            games: (self.games > 0).then_some(self.games),
            site: crate::base::machine::name(),
        };
        let (events, told) = mpsc::unbounded_channel();
        let (page, teller) = opened.map(|opened| self.show(opened, &terms)).transpose()?.unzip();
        let outlets = Outlets {
            announcer: Announcer::new(terms.ruleset, terms.time_control),
            logs: self.log.map(Logs::new),
            teller,
        };
        // A separate thread prints, so that neither a full pipe nor a slow disk costs the players time.
        let announcing = on_thread(move || announce(told, outlets)).context("could not start a thread")?;
        let mut announcing = pin!(announcing);
        service.run(listener, events, interrupt.signal()).await;
        let mut stop = interrupt.signal();
        let all_told = tokio::select! {
            told = &mut announcing => told,
            () = async {
                stop.reached(Stop::Now).await;
                sleep_until(now() + LAST_PRINTS).await;
            } => true,
        };
        let exit = match interrupt.which() {
            Some(interrupted) => interrupted.exit(),
            None if all_told => Exit::Success,
            None => Exit::ArenaFailed,
        };
        if let Some(mut page) = page {
            self.web.keep(&interrupt, page.all_shown()).await;
            page.end();
        }
        Ok(exit)
    }

    /// Serves the page of games under `terms`. Returns the page, and a sender for the events that the page shows.
    fn show(&self, opened: OpenedPage, terms: &Terms) -> Result<(LivePage, ServeTeller), Failure> {
        let url = opened.url();
        let total = (self.games > 0).then_some(self.games.into());
        let premise = premise_of_serve(terms, total, opened.public_url());
        let (teller, feed) = of_serve(self.ruleset.seats(), self.web.delay());
        let page =
            opened.start(premise, self.web.serving(), feed).context("could not start a thread for the live page")?;
        self.web.announce("the live page", &url);
        Ok((page, teller))
    }

    fn terms(&self) -> Terms {
        let time_control = match (self.time, self.black_time.zip(self.white_time)) {
            (Some(Budget::Of(control)), _) => TimeControl::both(control),
            (_, Some((black, white))) => TimeControl::Clocks(BySide { black, white }),
            (Some(Budget::Unlimited) | None, None) => TimeControl::Unlimited,
        };
        Terms {
            ruleset: self.ruleset,
            time_control,
            meter: Meter::Wall,
            illegal_tries: self.illegal_tries,
            garbled_tries: self.garbled_tries,
            game_limit: self.game_limit,
            endings: if self.compatible { Endings::Compatible } else { Endings::Documented },
            adjudicate: None,
        }
    }
}

/// The destinations of events.
struct Outlets {
    announcer: Announcer,
    logs: Option<Logs>,
    teller: Option<ServeTeller>,
}

/// Prints each event, writes each game's log and feeds the page until the service has ended. Returns whether every line
/// was printed and every log was written; a failure does not end the games.
fn announce(mut told: UnboundedReceiver<ServeEvent>, outlets: Outlets) -> bool {
    let Outlets { mut announcer, mut logs, teller } = outlets;
    let (mut all_logged, mut all_printed) = (true, true);
    while let Some(event) = told.blocking_recv() {
        if let Some(teller) = &teller {
            teller.tell(&event);
        }
        // Write the log first, so that it exists once the result is printed.
        if let (Some(logs), ServeEvent::Ended(record)) = (&mut logs, &event)
            && let Err(error) = logs.write(record)
        {
            console::error(format_args!("{error:#}"), None);
            all_logged = false;
        }
        if let Err(error) = super::print(announcer.tell(&event)) {
            if all_printed {
                console::error(format_args!("{error:#}; the games continue"), None);
            }
            all_printed = false;
        }
    }
    all_logged && all_printed
}

/// The directory for the logs.
struct Logs {
    dir: PathBuf,
    next: u32,
}

impl Logs {
    const fn new(dir: PathBuf) -> Self {
        Self { dir, next: 1 }
    }

    /// Writes a log to a file with the next free number.
    fn write(&mut self, record: &LoggedGame) -> anyhow::Result<()> {
        loop {
            let path = self.dir.join(format!("game-{:04}.log", self.next));
            let failed = || format!("could not write `{}`", path.shown());
            match fs::File::create_new(&path) {
                Ok(mut file) => return file.write_all(record.to_string().as_bytes()).with_context(failed),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.next += 1,
                Err(error) => return Err(error).with_context(failed),
            }
        }
    }
}
