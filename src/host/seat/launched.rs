//! Players that the arena starts: from launching the program to receiving its hello.

use std::ffi::OsString;
use std::time::Duration;

use tokio::net::TcpListener;

use super::address::SeatAddress;
use super::seat_visitors::{Door, Visitor, Visitors};
use super::{Attendance, Opened, SeatFailure};
use crate::base::machine::{explained, is_shortage};
use crate::base::time::{now, sleep_until};
use crate::game::{Ruleset, Seat};
use crate::host::confinement::Confinement;
use crate::host::line::{Connection, Preparation, Recorder, Stream};
use crate::host::listen::ACCEPT_PAUSE;
use crate::host::process::{ChildProcess, SpawnError};
use crate::host::program::inherited;
use crate::host::program_timeout::{ProgramTimeout, TimeoutReason};
use crate::host::start::{RefereeLink, Start};
use crate::referee::gtp::Translator;
use crate::referee::result::{Termination, Void};
use crate::referee::time_control::{SideControl, TimeControl};
use crate::referee::times::DecimalSeconds;
use crate::referee::wire::{BASE_PORT, Response, seconds};
use crate::tournament::{Placeholder, Program, Transport};

/// The bot to start for one seat.
#[derive(Debug)]
pub struct Launching<'a> {
    /// How the bot is started. Its arguments, its environment and its link to the referee depend on the address of its
    /// seat, so [`launch`] fills them in, together with the host names of its seat and the files that a confined bot
    /// may read.
    pub start: Start,
    /// The program, as given in the tournament file.
    pub program: &'a Program,
    /// The player's name.
    pub name: &'a str,
    /// The bot's random seed in this game.
    pub seed: u64,
    /// The seat that waits for the bot.
    pub seating: Seating,
    /// The bot's confinement, if it has one.
    pub confinement: Option<&'a Confinement>,
}

/// Starts a player's program and waits for its hello. `address` is the address of the seat, or `None` for pipes and for
/// a confined player whose seat is on its own loopback.
///
/// # Errors
/// Fails if the machine cannot start the program. Failures of the player are reported in [`Opened::attendance`].
pub async fn launch(mut launching: Launching<'_>, address: Option<SeatAddress>) -> Result<Opened, Void> {
    launching.fill_in(address.as_ref());
    match launching.confinement {
        Some(confinement) => launch_confined(launching, confinement, address).await,
        None => launch_unconfined(launching, address).await,
    }
}

/// Like [`launch`], for a bot in a process group.
async fn launch_unconfined(launching: Launching<'_>, address: Option<SeatAddress>) -> Result<Opened, Void> {
    let (mut child, pipes) = match ChildProcess::spawn(&launching.start) {
        Ok(started) => started,
        Err(ref error @ SpawnError::Machine { ref source, .. }) => {
            return Err(Void { reason: format!("{error}: {}", explained(source)) });
        }
        Err(ref error @ SpawnError::Program { ref source, .. }) if launching.start.single => {
            return Err(own_fault(&format!("{error}: {source}")));
        }
        Err(ref error @ SpawnError::Program { ref source, .. }) => {
            let failure = SeatFailure::new(Termination::NotStarted, format!("{error}: {source}"));
            return Ok(Opened::without_child(Attendance::Failed(failure)));
        }
    };
    let seating = launching.seating;
    let mut visitors = seating.visitors();
    let outcome = match (pipes, &address) {
        (Some((stdin, stdout)), _) => {
            let stream = Stream::Pipes(Some(stdin), stdout);
            seating.over(launching.program.transport, stream, &mut child).await
        }
        (None, Some(address)) => seating.at(&address.listener, &mut visitors, &mut child).await,
        (None, None) => Err(SeatFailure::new(Termination::NotStarted, "no address to connect to").into()),
    };
    let attendance = match outcome {
        Ok(connection) => Attendance::Seated(Box::new(connection)),
        Err(Unseated::Failed(_)) if let Some((limit, how)) = child.exceeded() => {
            Attendance::Failed(SeatFailure::new(Termination::Limit(limit), how))
        }
        Err(Unseated::Failed(failure)) if launching.start.single => return Err(own_fault(&failure.reason)),
        Err(Unseated::Failed(failure)) => Attendance::Failed(failure),
        Err(Unseated::Void(void)) => return Err(void),
    };
    // If the child is gone before the next sample, this sample is all that the arena knows about its usage.
    child.look();
    let (listener, lease) = address.map(|address| (address.listener, address.lease)).unzip();
    Ok(Opened { child: Some(child), attendance, lease, door: seating.door(listener, visitors) })
}

/// The void game that results if a built-in bot does not send its hello. A built-in bot is the arena's own program, so
/// no player is at fault.
fn own_fault(reason: &str) -> Void {
    Void { reason: format!("a built-in bot did not join its game: {reason}") }
}

/// Like [`launch`], for a confined bot. The player's seat is 127.0.0.1:29068 on its own loopback or, if given,
/// `address`, the only address that the player can reach.
async fn launch_confined(
    launching: Launching<'_>,
    Confinement { cage, visible_paths }: &Confinement,
    address: Option<SeatAddress>,
) -> Result<Opened, Void> {
    let Launching { mut start, program, name, seating, .. } = launching;
    // The confined child sees this directory at the same path but has a different root, so the path must be absolute.
    start.dir = std::path::absolute(&start.dir).unwrap_or(start.dir);
    start.readable = match visible_paths.visible(program, &start.program, &start.args, &start.dir) {
        Ok(readable) => readable,
        Err(stray) => {
            let failure = SeatFailure::new(Termination::NotStarted, stray.to_string());
            return Ok(Opened::without_child(Attendance::Failed(failure)));
        }
    };
    let (mut child, pipes, listener) = ChildProcess::confine(start, cage).await?;
    let (outside, lease) = address.map(|address| (address.listener, address.lease)).unzip();
    let listener = listener.or(outside);
    let mut visitors = seating.visitors();
    let outcome = match (pipes, &listener) {
        (Some((stdin, stdout)), _) => {
            let stream = Stream::Pipes(Some(stdin), stdout);
            seating.over(program.transport, stream, &mut child).await
        }
        (None, Some(listener)) => seating.at(listener, &mut visitors, &mut child).await,
        (None, None) => return Err(Void { reason: "the confined bot has no seat to connect to".to_owned() }),
    };
    let attendance = match (outcome, child.failure(), child.exceeded()) {
        (Ok(connection), _, _) => Attendance::Seated(Box::new(connection)),
        (Err(_), Some(failed), _) if failed.is_by_program() => {
            Attendance::Failed(SeatFailure::new(Termination::NotStarted, failed.to_string()))
        }
        (Err(_), Some(failed), _) => {
            return Err(Void { reason: format!("player `{name}` could not be confined: {failed}") });
        }
        (Err(_), None, Some((limit, how))) => Attendance::Failed(SeatFailure::new(Termination::Limit(limit), how)),
        (Err(Unseated::Failed(_)), None, None) if child.is_unconfined() => {
            let how = "ended unexpectedly, as happens when the machine is out of memory";
            return Err(Void { reason: format!("the confinement of player `{name}` {how}") });
        }
        (Err(Unseated::Failed(failure)), None, None) => Attendance::Failed(failure),
        (Err(Unseated::Void(void)), None, None) => return Err(void),
    };
    Ok(Opened { child: Some(child), attendance, lease, door: seating.door(listener, visitors) })
}

/// The void game that results if the machine is too busy for a bot to send its hello, even though the arena waits for
/// `within`.
fn too_busy(within: Duration) -> Void {
    let within = humantime::format_duration(within);
    Void {
        reason: format!(
            "the machine was too busy: in {within}, a starting bot ran for less than its `hello_timeout`, not \
             counting the time that it spent waiting for a core"
        ),
    }
}

/// The reason why a seat remained empty.
enum Unseated {
    /// The player was at fault.
    Failed(SeatFailure),
    /// The machine was at fault.
    Void(Void),
}

impl From<SeatFailure> for Unseated {
    fn from(failure: SeatFailure) -> Self {
        Self::Failed(failure)
    }
}

impl Launching<'_> {
    /// Fills in everything that depends on the seat, which is at `address`, or at 127.0.0.1:29068 on the bot's own
    /// loopback.
    fn fill_in(&mut self, address: Option<&SeatAddress>) {
        let contact = match address {
            _ if self.program.transport.is_piped() => RefereeLink::Pipes,
            Some(address) => RefereeLink::HostPort(address.port),
            None => RefereeLink::OwnLoopback,
        };
        let told_host = match (contact, address) {
            (RefereeLink::OwnLoopback, _) => Some(("127.0.0.1".to_owned(), BASE_PORT)),
            (_, address) => address.map(|address| (address.host.to_string(), address.port)),
        };
        let value = |placeholder| self.value(placeholder, told_host.as_ref());
        let told = Placeholder::ALL
            .into_iter()
            .filter(|placeholder| told_host.is_some() || !placeholder.is_address())
            .map(|placeholder| (placeholder.variable().into(), value(placeholder).into()));
        let own = self.program.env.iter().map(|(name, template)| (name.into(), template.fill(value).into()));
        let own: Vec<(OsString, OsString)> = told.chain(own).collect();
        let mut env = inherited(std::env::vars_os(), &self.program.pass_env);
        env.retain(|(name, _)| own.iter().all(|(other, _)| other != name));
        env.extend(own);
        let args = self.program.command.iter().skip(1).map(|template| template.fill(value)).collect();
        self.start.args = args;
        self.start.env = env;
        self.start.contact = contact;
        self.start.hosts = self.program.hosts.iter().map(ToString::to_string).collect();
    }

    fn value(&self, placeholder: Placeholder, address: Option<&(String, u16)>) -> String {
        let (host, port) = address.map_or(("", 0), |(host, port)| (host.as_str(), *port));
        let control = self.seating.told_control();
        let time = |time: Duration| DecimalSeconds(time).to_string();
        match placeholder {
            Placeholder::Side => match self.seating.ruleset.seats() {
                2 => self.seating.seat.side().to_string(),
                _ => self.seating.seat.to_string(),
            },
            Placeholder::Host => host.to_owned(),
            Placeholder::Port => port.to_string(),
            // The server number is used only by a bot that does not use the port, and the port of such a bot
            // corresponds to a server number.
            Placeholder::Server => port.saturating_sub(BASE_PORT).to_string(),
            Placeholder::Time => control.map_or(0, |control| seconds(control.allowance())).to_string(),
            Placeholder::Increment => time(match control {
                Some(SideControl::Game { increment, .. }) => increment,
                _ => Duration::ZERO,
            }),
            Placeholder::Periods => match control {
                Some(SideControl::ByoYomi { periods, .. }) => periods.to_string(),
                _ => "0".to_owned(),
            },
            Placeholder::Period => time(match control {
                Some(SideControl::ByoYomi { period, .. }) => period,
                _ => Duration::ZERO,
            }),
            Placeholder::MoveTime => time(match control {
                Some(SideControl::PerMove { move_time, .. }) => move_time,
                _ => Duration::ZERO,
            }),
            Placeholder::Bank => time(match control {
                Some(SideControl::PerMove { bank, .. }) => bank,
                _ => Duration::ZERO,
            }),
            Placeholder::TimeControl => control.map_or_else(|| "-".to_owned(), |control| control.to_string()),
            Placeholder::Seed => self.seed.to_string(),
            Placeholder::Name => self.name.to_owned(),
            Placeholder::Ruleset => self.seating.ruleset.to_string(),
        }
    }
}

/// A seat that waits for its player.
#[derive(Clone, Debug)]
pub struct Seating {
    /// The player's seat.
    pub seat: Seat,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks.
    pub time_control: TimeControl,
    /// Whether the player is informed of the clocks.
    pub is_told_clock: bool,
    /// How long the player may take from its start to its hello.
    pub hello_timeout: Duration,
    /// Records every byte of the player's connections, if present.
    pub recorder: Option<Recorder>,
}

impl Seating {
    /// Waits for the player at the seat's own listener. The listener stays open after a port probe or a refused hello.
    async fn at(
        &self,
        listener: &TcpListener,
        visitors: &mut Visitors,
        child: &mut ChildProcess,
    ) -> Result<Connection, Unseated> {
        let mut asked_for_other_seat = false;
        let mut deserted = false;
        let mut timeout = self.timeout(child);
        let run_out = timeout.run_out();
        tokio::pin!(run_out);
        loop {
            tokio::select! {
                biased;
                accepted = listener.accept(), if visitors.have_room() => match accepted {
                    Ok((stream, _)) => if child.owns(&stream).await {
                        visitors.meet(stream);
                    },
                    Err(error) if is_shortage(&error) => {
                        let reason = format!("no resources for a connection: {}", explained(&error));
                        return Err(Unseated::Void(Void { reason }));
                    }
                    // Most likely, the error concerns a connection that is already gone. If not, the pause avoids a
                    // busy loop.
                    Err(_) => sleep_until(now() + ACCEPT_PAUSE).await,
                },
                Some(visitor) = visitors.next() => match visitor {
                    Visitor::Player(connection) => return Ok(self.grant(*connection).await),
                    Visitor::WrongSeat => asked_for_other_seat = true,
                    Visitor::Nobody => {}
                },
                // The arena still reads the data that the child sent before it exited, and the data that the remaining
                // processes send.
                () = child.deserted(), if !deserted => deserted = true,
                why = &mut run_out => {
                    self.hang_up(visitors).await;
                    return Err(self.impatient(why, asked_for_other_seat));
                }
            }
            if deserted && visitors.is_empty() {
                return Err(self.left(asked_for_other_seat, child).await);
            }
        }
    }

    /// Waits for the player on its only connection.
    async fn over(
        &self,
        transport: Transport,
        stream: Stream,
        child: &mut ChildProcess,
    ) -> Result<Connection, Unseated> {
        match transport {
            Transport::Tcp | Transport::Stdio => self.over_stdio(stream, child).await,
            Transport::Gtp => self.over_gtp(stream, child).await,
        }
    }

    /// Prepares an engine for its game. An engine does not send a hello; its answers show that it is running.
    async fn over_gtp(&self, stream: Stream, child: &mut ChildProcess) -> Result<Connection, Unseated> {
        let unfit = |why: String| SeatFailure::new(Termination::Protocol, format!("GTP, before the game: {why}"));
        let form = self.ruleset.gtp_form().map_err(|none| unfit(none.to_string()))?;
        let translator = Translator::new(form, self.seat.side(), self.told_control());
        let mut connection = Connection::new(stream).recorded(self.recorder.clone()).translated(translator);
        let mut timeout = self.timeout(child);
        let prepared = tokio::select! {
            biased;
            prepared = connection.prepare() => prepared,
            why = timeout.run_out() => return Err(match why {
                TimeoutReason::Busy { within } => Unseated::Void(too_busy(within)),
                TimeoutReason::Late => {
                    let command = connection.unanswered().unwrap_or_default();
                    let reason = format!("GTP: no answer to `{command}` by its deadline (key `hello_timeout`)");
                    SeatFailure::new(Termination::NoShow, reason).into()
                }
            }),
        };
        match prepared {
            Preparation::Ready => Ok(self.grant(connection).await),
            Preparation::Unfit(why) => Err(unfit(why).into()),
            Preparation::Closed => Err(self.gone(child, "it was ready for the game").await),
        }
    }

    /// Waits for the player's hello on its only connection.
    async fn over_stdio(&self, stream: Stream, child: &mut ChildProcess) -> Result<Connection, Unseated> {
        let mut timeout = self.timeout(child);
        let hearing = Visitor::hear(stream, self.seat, self.ruleset, self.recorder.clone());
        tokio::pin!(hearing);
        let visitor = tokio::select! {
            biased;
            visitor = &mut hearing => visitor,
            why = timeout.run_out() => {
                if let Some(recorder) = &self.recorder {
                    recorder.hang_up();
                    hearing.await;
                }
                return Err(self.impatient(why, false));
            }
        };
        match visitor {
            Visitor::Player(connection) => Ok(self.grant(*connection).await),
            Visitor::WrongSeat => Err(self.too_late(true).into()),
            Visitor::Nobody => Err(self.left(false, child).await),
        }
    }

    /// Ends the streams of clients that have not sent a hello, and drains their remaining input if the seat is
    /// recorded.
    async fn hang_up(&self, visitors: &mut Visitors) {
        let Some(recorder) = &self.recorder else { return };
        recorder.hang_up();
        while visitors.next().await.is_some() {}
    }

    /// How long to wait for the program's hello.
    fn timeout(&self, child: &ChildProcess) -> ProgramTimeout {
        ProgramTimeout::new(self.hello_timeout, child.pid())
    }

    fn impatient(&self, why: TimeoutReason, asked_for_other_seat: bool) -> Unseated {
        match why {
            TimeoutReason::Busy { within } if !asked_for_other_seat => Unseated::Void(too_busy(within)),
            TimeoutReason::Busy { .. } | TimeoutReason::Late => self.too_late(asked_for_other_seat).into(),
        }
    }

    /// An empty set of visitors at this seat.
    fn visitors(&self) -> Visitors {
        Visitors::new(self.seat, self.ruleset, self.recorder.clone())
    }

    /// The seat's door after its player has arrived, if the seat is recorded. Otherwise, the seat is closed.
    fn door(&self, listener: Option<TcpListener>, visitors: Visitors) -> Option<Box<Door>> {
        let listener = listener.filter(|_| self.recorder.is_some())?;
        Some(Box::new(Door::new(listener, visitors)))
    }

    /// The player's time control, if it has a clock and is informed of it.
    fn told_control(&self) -> Option<SideControl> {
        self.time_control.of(self.seat).filter(|_| self.is_told_clock)
    }

    async fn grant(&self, connection: Connection) -> Connection {
        let mut connection = connection.telling_clock(self.is_told_clock);
        connection.say(&[Response::granted_in(self.ruleset.seats(), self.time_control, self.seat)]).await;
        connection
    }

    fn too_late(&self, asked_for_other_seat: bool) -> SeatFailure {
        if asked_for_other_seat {
            SeatFailure::new(Termination::Protocol, wrong_seat(self.seat, self.ruleset.seats()))
        } else {
            SeatFailure::new(Termination::NoShow, "no hello by its deadline (key `hello_timeout`)")
        }
    }

    async fn left(&self, asked_for_other_seat: bool, child: &mut ChildProcess) -> Unseated {
        if asked_for_other_seat {
            return self.too_late(true).into();
        }
        self.gone(child, "it said hello").await
    }

    /// The failure of a player that closed its end of the connection before `what`.
    async fn gone(&self, child: &mut ChildProcess, what: &str) -> Unseated {
        let mut timeout = self.timeout(child);
        let reason = tokio::select! {
            gone = child.gone() => format!("{gone} before {what}"),
            _ = timeout.run_out() => format!("its connection ended before {what}"),
        };
        SeatFailure::new(Termination::NoShow, reason).into()
    }
}

/// The failure of a player that asked only for seats other than its own `seat`.
pub(crate) fn wrong_seat(seat: Seat, seats: u8) -> String {
    let own = seat.name(seats);
    match seats {
        2 => format!("asked for {} but never for its own side, {own}", seat.side().opponent()),
        _ => format!("asked for another seat but never for its own, {own}"),
    }
}
