//! A game between a person and a program, under the arena's own referee.
//!
//! The program is built, confined, started and limited as in a run. The person takes the seat of a player that is not
//! started by the arena but connects to it: over a loopback connection, the referee announces everything and measures
//! the person's time.

use std::io;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::base::sanitise::sanitised;
use crate::base::stop::{self, Stop, StopSender, StopSignal};
use crate::game::{BySeat, BySide, Move, Seat, Side};
use crate::host::line::{Connection, Stream};
use crate::host::seat::Attendance;
use crate::practice::waiting::unless_raised;
use crate::referee::clock::Meter;
use crate::referee::record::{GameRecord, LoggedGame};
use crate::referee::time_control::{SideControl, TimeControl};
use crate::run::campaign::confine::confinement;
use crate::run::campaign::readied::{ReadiedPlayers, readied};
use crate::run::campaign::{CampaignError, CampaignOptions, CampaignPlan, Tell, seegover_table};
use crate::run::entrants::{Entrant, Unprepared};
use crate::run::play::Arena;
use crate::run::reporter::last_words;
use crate::tournament::schedule::{GameId, GameSpec};
use crate::tournament::{Isolation, Player, PlayerKind, PlayerName, Remote, Tournament};

/// The time that a person has in a game without clocks. It is too long to be used up.
const PATIENT: Duration = Duration::from_hours(168);

/// How long the arena waits for a program that it must end.
const END_TIMEOUT: Duration = Duration::from_secs(20);

/// The game to play.
#[derive(Debug)]
pub(crate) struct ProgramSeating {
    /// The tournament, whose only player is the opponent. Its limits and its isolation apply.
    pub(crate) tournament: Tournament,
    /// The directory to which the tournament's paths are relative.
    pub(crate) base: PathBuf,
    /// How to confine the program; overrides the tournament.
    pub(crate) isolation: Option<Isolation>,
    /// The person's side.
    pub(crate) person: Side,
    /// The clock of each side. Without clocks, the program has the tournament's `game_limit` for its own turns, and
    /// neither side sees a clock.
    pub(crate) clock: Option<SideControl>,
    /// The moves that the game begins with, which neither side chooses.
    pub(crate) given: Vec<Move>,
    /// The seed of the game.
    pub(crate) seed: u64,
}

/// Why a program cannot play.
#[derive(Debug, Error)]
pub(crate) enum ProgramError {
    /// The program cannot be built or started.
    #[error("the program for `{player}` cannot be started: {why}")]
    Unready {
        /// The player's name.
        player: String,
        /// What is wrong, with the output of the build. Printable.
        why: String,
    },
    /// The machine lacks something that the arena needs.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// The system could not provide a thread or a socket.
    #[error("could not connect the person to the referee")]
    Unseated(#[from] io::Error),
}

/// A game that has ended.
#[derive(Debug)]
pub(crate) struct RefereedGame {
    /// Its record.
    pub(crate) record: GameRecord,
    /// If the program failed, the line of its stderr that best explains why. Printable.
    pub(crate) last_words: Option<String>,
}

/// What is known about the end of a game.
#[derive(Debug)]
pub(crate) enum RefereeNews {
    /// The game goes on, or the program is leaving.
    Pending,
    /// The game has ended.
    Ended(Box<RefereedGame>),
    /// The game was aborted.
    Aborted,
}

/// The referee of a game, on its thread. Dropping it ends the program.
#[derive(Debug)]
pub(crate) struct ProgramReferee {
    stop: StopSender,
    ended: Receiver<Option<RefereedGame>>,
    /// Disconnected once the thread has released everything.
    released: Receiver<()>,
}

impl ProgramReferee {
    /// Prepares the program, and starts the game. Returns its referee and the person's end of the connection; `None` if
    /// `raised` becomes true first. `tell` receives everything that a user should know.
    ///
    /// # Errors
    /// Fails if the program cannot play here.
    pub(crate) fn start(
        seating: ProgramSeating,
        tell: Tell,
        raised: &AtomicBool,
    ) -> Result<Option<(Self, TcpStream)>, ProgramError> {
        seegover_table::find(&seating.tournament)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, signal) = stop::channel();
        let ((seat, seated), (end, ended), (alive, released)) = (mpsc::channel(), mpsc::channel(), mpsc::channel());
        std::thread::Builder::new().name("referee".to_owned()).spawn(move || {
            let _alive: Sender<()> = alive;
            let played = runtime.block_on(seat_and_play(seating, tell, &seat, signal));
            // There is no receiver if the person has left.
            let _ = end.send(played);
            drop(runtime);
        })?;
        let referee = Self { stop, ended, released };
        match unless_raised(&seated, raised) {
            Some(socket) => Ok(Some((referee, socket?))),
            None => Ok(None),
        }
    }

    /// The end of the game, if it comes within `limit`. Only one call returns it.
    pub(crate) fn end_within(&self, limit: Duration) -> RefereeNews {
        match self.ended.recv_timeout(limit) {
            Ok(Some(game)) => RefereeNews::Ended(Box::new(game)),
            Err(RecvTimeoutError::Timeout) => RefereeNews::Pending,
            Ok(None) | Err(RecvTimeoutError::Disconnected) => RefereeNews::Aborted,
        }
    }
}

impl Drop for ProgramReferee {
    fn drop(&mut self) {
        self.stop.raise(Stop::Now);
        // The program must not outlive the game.
        let _ = self.released.recv_timeout(END_TIMEOUT);
    }
}

/// Prepares the program, sends the person's end of the connection to `seat`, and plays the game. Returns `None` if
/// there was no game, or if `stop` aborted it.
async fn seat_and_play(
    seating: ProgramSeating,
    tell: Tell,
    seat: &Sender<Result<TcpStream, ProgramError>>,
    stop: StopSignal,
) -> Option<RefereedGame> {
    let mut stopped = stop.clone();
    let prepared = tokio::select! {
        biased;
        prepared = Box::pin(prepare(seating, tell)) => prepared,
        () = stopped.reached(Stop::Now) => return None,
    };
    let Table { arena, spec, person, connection, socket } = match prepared {
        Ok(table) => table,
        Err(error) => {
            let _ = seat.send(Err(error));
            return None;
        }
    };
    seat.send(Ok(socket)).ok()?;
    let opponent = Seat::from(person.opponent());
    let mut connection = Some(connection);
    let attending = BySeat::from_fn(2, |seat| {
        (seat != opponent).then(|| connection.take()).flatten().map(|it| Attendance::Seated(Box::new(it)))
    });
    let played = arena.play(spec, attending, stop).await?;
    let LoggedGame::Two(record) = played.record else { return None };
    let failed =
        record.result.as_ref().is_ok_and(|result| result.termination().is_forfeit() && result.winner() == Some(person));
    let stderr = String::from_utf8_lossy(&played.outputs[opponent].stderr).into_owned();
    let record = GameRecord { round: None, game: None, ..*record };
    Some(RefereedGame { record, last_words: failed.then(|| last_words(&stderr)).flatten() })
}

/// A game that can begin.
struct Table {
    arena: Arc<Arena>,
    spec: GameSpec,
    person: Side,
    /// The arena's end of the person's connection, and the person's end.
    connection: Connection,
    socket: TcpStream,
}

async fn prepare(seating: ProgramSeating, tell: Tell) -> Result<Table, ProgramError> {
    let ProgramSeating { tournament, base, isolation, person, clock, given, seed } = seating;
    let tournament = Arc::new(with_person(tournament, person, clock));
    let options = CampaignOptions { isolation, ..CampaignOptions::default() };
    let dir = Path::new("results").join("practice");
    let plan = CampaignPlan { tournament: Arc::clone(&tournament), base, dir, options };
    let cage = confinement(&plan, &tell).await?;
    let ReadiedPlayers { confinement, entrants } = readied(&plan, cage, &tell).await;
    let players = tournament.players.iter().zip(entrants);
    let entrants = players.map(|(player, entrant)| ready(player, entrant)).collect::<Result<_, _>>()?;
    let (connection, socket) = connected().await?;
    let players = BySide::from_fn(|side| usize::from(side == person));
    let spec = GameSpec {
        id: GameId::from_text("practice"),
        number: 0,
        round: 1,
        players: BySeat::from_fn(2, |seat| players[seat.side()]),
        seed,
        opening: given,
    };
    let arena = Arc::new(Arena { confinement: confinement.map(Arc::new), ..Arena::new(tournament, entrants) });
    Ok(Table { arena, spec, person, connection, socket })
}

/// The tournament with the person as its second player, and with the clocks of the game.
fn with_person(tournament: Tournament, person: Side, clock: Option<SideControl>) -> Tournament {
    let mut players = tournament.players;
    let is_taken = players.iter().any(|player| player.name.slug() == "person");
    let name = PlayerName::new(if is_taken { "you" } else { "person" }).expect("a valid name");
    players.push(Player::new(name, PlayerKind::Remote(Remote { token: None, listen: None })));
    let time_control = match (clock, tournament.limits.game_limit) {
        (Some(clock), _) => TimeControl::both(clock),
        (None, limit) => {
            for player in &mut players {
                player.is_told_clock = false;
            }
            let of = |side| if side == person { PATIENT } else { limit.unwrap_or(PATIENT) };
            TimeControl::sudden_death(BySide::from_fn(of))
        }
    };
    Tournament {
        name: "practice".to_owned(),
        time_control,
        meter: Meter::Wall,
        scale_time: false,
        adjudicate: None,
        opening_plies: 0,
        balanced: false,
        affinity: false,
        listen: None,
        players,
        ..tournament
    }
}

/// The entrant of `player`, or the reason why it cannot play.
fn ready(player: &Player, entrant: Result<Entrant, Unprepared>) -> Result<Entrant, ProgramError> {
    let unready = |why: String| {
        let lines: Vec<String> = why.lines().map(sanitised).collect();
        Err(ProgramError::Unready { player: player.name.to_string(), why: lines.join("\n") })
    };
    match entrant {
        Ok(entrant @ (Entrant::Program { .. } | Entrant::Remote | Entrant::Resting)) => Ok(entrant),
        Ok(Entrant::Unstartable(why) | Entrant::Changed(why) | Entrant::Void(why)) => unready(why),
        Err(why) => unready(why.text()),
    }
}

/// A connection over the loopback interface: the arena's end and the person's.
async fn connected() -> io::Result<(Connection, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let socket = TcpStream::connect(listener.local_addr()?)?;
    let own = socket.local_addr()?;
    loop {
        // Another program may connect first.
        let (accepted, from) = listener.accept().await?;
        if from == own {
            return Ok((Connection::new(Stream::Tcp(accepted)), socket));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::now;
    use crate::host::tournament_file::load;
    use crate::tournament::{Program, Resources, Template, Transport};

    /// A game against a program that writes its process id to the file `pid` in `dir`, and is then silent.
    fn silent(dir: &Path) -> ProgramSeating {
        let words = ["sh", "-c", "echo $$ > new && mv new pid && exec sleep 600"];
        let program = Program {
            command: words.map(|word| Template::parse(word).expect("a template")).to_vec(),
            dir: Some(dir.to_owned()),
            hosts: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
            build: None,
            build_network: false,
            transport: Transport::Stdio,
            resources: Resources::default(),
            readable: Vec::new(),
            writable: false,
        };
        let loaded = load(None).expect("the embedded file");
        let name = PlayerName::new("silent").expect("a name");
        let players = vec![Player::new(name, PlayerKind::Program(program))];
        ProgramSeating {
            tournament: Tournament { players, isolation: Isolation::Off, ..loaded.tournament },
            base: loaded.base,
            isolation: None,
            person: Side::White,
            clock: None,
            given: Vec::new(),
            seed: 1,
        }
    }

    #[test]
    fn a_panic_of_the_person_s_thread_ends_the_program() {
        let dir = tempfile::tempdir().expect("a directory");
        let (seating, pid) = (silent(dir.path()), dir.path().join("pid"));
        let deadline = now() + END_TIMEOUT;
        let file = pid.clone();
        let person = std::thread::spawn(move || {
            let never = AtomicBool::new(false);
            let started = ProgramReferee::start(seating, Arc::new(|_| ()), &never).expect("it can be started");
            let _seat = started.expect("no signal");
            let is_written = || std::fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n'));
            while !is_written() && now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            panic!("provoked");
        });
        assert!(person.join().is_err());
        let pid = std::fs::read_to_string(pid).expect("the program has started");
        let stat = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let is_over = |stat: &str| {
            matches!(stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next(), None | Some('Z'))
        };
        // The kernel may need a moment to remove a killed process.
        while !is_over(&stat()) && now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(is_over(&stat()), "{}", stat());
    }
}
