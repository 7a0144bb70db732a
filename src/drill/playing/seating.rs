//! How bots take their seats: the arena starts them as for a game, or the user starts them by hand.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::base::time::{now, sleep_until};
use crate::drill::script::BotSeat;
use crate::game::Side;
use crate::game::quantum::Mode;
use crate::host::confinement::Confinement;
use crate::host::dir_lock::DirLock;
use crate::host::line::{Connection, Stream};
use crate::host::listen::ACCEPT_PAUSE;
use crate::host::lobby::{self, FirstLine, Greeted, refuse};
use crate::host::seat::address::Addresses;
use crate::host::seat::{Attendance, Launching, Opened, SeatFailure, Seating, launch, wrong_seat};
use crate::host::start::{Start, Workdir};
use crate::referee::result::{Termination, Void};
use crate::referee::wire::{Response, Role};
use crate::tournament::{GameLimits, Program, Transport};

/// How a player takes its seats.
#[derive(Debug)]
pub(crate) enum Hall {
    /// The arena starts the player's program for each game.
    Started {
        /// The player's name.
        name: String,
        /// The program.
        program: Box<Program>,
        /// The path of the executable.
        executable: PathBuf,
        /// The program's working directory.
        dir: PathBuf,
        /// The lock on the working directory, if the directory can be locked.
        _lock: Option<Arc<DirLock>>,
        /// The mode that the program plays for its team; `None` if it plays whole games.
        mode: Option<Mode>,
        /// The only side that the player plays, if the tournament file limits it to one.
        only_side: Option<Side>,
        /// Whether the player is sent its clock.
        is_told_clock: bool,
    },
    /// The user starts the bot by hand for each game, and the bot connects to this listener.
    Awaited(Arc<TcpListener>),
}

/// The environment of all seats.
#[derive(Debug)]
pub(crate) struct DrillGrounds {
    /// How bots are confined; `None` if they are not.
    pub(crate) confinement: Option<Arc<Confinement>>,
    /// The addresses for seats.
    pub(crate) addresses: Addresses,
    /// The limits of a game.
    pub(crate) limits: GameLimits,
}

impl Hall {
    /// The seats that the player takes in a game with `seats` seats.
    pub(super) fn sides(&self, seats: u8) -> impl Iterator<Item = BotSeat> {
        let only = match self {
            Self::Started { only_side, .. } => *only_side,
            Self::Awaited(_) => None,
        };
        BotSeat::all(seats).filter(move |seat| only.is_none_or(|only| *seat == only))
    }

    /// The mode that the player's program plays for its team.
    pub(super) const fn mode(&self) -> Option<Mode> {
        match self {
            Self::Started { mode, .. } => *mode,
            Self::Awaited(_) => None,
        }
    }

    /// Whether the player is sent its clock.
    pub(super) const fn is_told_clock(&self) -> bool {
        match self {
            Self::Started { is_told_clock, .. } => *is_told_clock,
            Self::Awaited(_) => true,
        }
    }

    /// Opens the seat described by `seating`, and waits for the bot, which is given `seed`. If `is_piped`, a program
    /// that the arena starts communicates over stdin and stdout, even if it normally uses another transport.
    ///
    /// # Errors
    /// Returns an error if the machine cannot start the bot.
    pub(super) async fn open(
        &self,
        seating: Seating,
        (seed, is_piped): (u64, bool),
        grounds: &DrillGrounds,
    ) -> Result<Opened, Void> {
        let (name, program, executable, dir) = match self {
            Self::Started { name, program, executable, dir, .. } => (name, program, executable, dir),
            Self::Awaited(listener) => {
                return Ok(Opened::without_child(await_bot(listener, &seating).await));
            }
        };
        let piped = is_piped.then(|| Program { transport: Transport::Stdio, ..Program::clone(program) });
        let program = piped.as_ref().unwrap_or(program);
        let confinement = grounds.confinement.as_deref();
        let address = grounds.addresses.listen_for(program, confinement, None, seating.hello_timeout).await?;
        let start = Start {
            workdir: if program.writable { Workdir::FreshCopy } else { Workdir::InPlace },
            resources: program.resources,
            output_cap: grounds.limits.output_cap,
            ..Start::new(executable.clone(), dir.clone())
        };
        launch(Launching { start, program, name, seed, seating, confinement }, address).await
    }
}

/// How long a client may take to send its hello.
const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// Waits until a bot connects and sends something, however long that takes. Clients are handled one at a time, which is
/// enough, since the user starts only one bot. A client that sends nothing, such as a port scanner, is ignored.
async fn await_bot(listener: &TcpListener, seating: &Seating) -> Attendance {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep_until(now() + ACCEPT_PAUSE).await;
            continue;
        };
        let connection = Connection::new(Stream::Tcp(stream)).recorded(seating.recorder.clone());
        let Greeted { mut connection, hello } =
            match lobby::hear(connection, seating.ruleset, now() + HELLO_TIMEOUT).await {
                None => continue,
                Some(FirstLine::Hello(greeted)) => greeted,
                Some(FirstLine::Nonsense(connection, refusal)) => {
                    let reason = format!("its hello was refused: {refusal}");
                    refuse(connection, refusal).await;
                    return failed(reason);
                }
            };
        match hello.role {
            Role::Player(wish) if wish.takes(seating.seat) => {
                let granted = Response::granted_in(seating.ruleset.seats(), seating.time_control, seating.seat);
                connection.say(&[granted]).await;
                return Attendance::Seated(Box::new(connection));
            }
            Role::Player(_) => {
                refuse(connection, Response::Taken).await;
                return failed(wrong_seat(seating.seat, seating.ruleset.seats()));
            }
            Role::Observer => {
                refuse(connection, Response::Private).await;
                return failed("it asked to observe, not to play".to_owned());
            }
        }
    }
}

fn failed(reason: String) -> Attendance {
    Attendance::Failed(SeatFailure::new(Termination::Protocol, reason))
}
