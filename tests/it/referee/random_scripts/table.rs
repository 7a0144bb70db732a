//! Plays a script's game over in-memory streams and under paused time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gothello_arena::base::stop::{self, Stop, StopSender, StopSignal};
use gothello_arena::base::time::{Instant, SleepWatch, Suspended, now, sleep_until};
use gothello_arena::exact::adjudication::Case;
use gothello_arena::game::{BySeat, BySide, Move, Side};
use gothello_arena::host::line::Connection;
use gothello_arena::host::seat::Attendance;
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::sans_io::Referee;
use gothello_arena::run::entrants::Entrant;
use gothello_arena::run::listener::{Listeners, event_queue};
use gothello_arena::run::play::{
    Arena, Attempt, Lateness, Observer, Observers, Prover, SeatedPlayer, SeatedPlayers, Surroundings, take_turns,
};
use gothello_arena::run::serve::ServeEvent;
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::schedule::Schedule;
use tokio::sync::{mpsc, watch};

use super::client::{Client, Heard, Who};
use super::script::{Act, House, Incident, Part, Script};

/// The outcome of a game.
#[derive(Debug)]
pub(crate) struct Account {
    /// The record; `None` if the game was stopped.
    pub(crate) record: Option<GameRecord>,
    /// The moves that the house announces outside of the connections, if it announces any.
    pub(crate) announced: Option<Vec<(Move, Option<Duration>)>>,
    /// The time until the game was over and all participants had left.
    pub(crate) took: Duration,
    /// A player that begins to read at this time, or earlier, can receive everything.
    pub(crate) in_time: Instant,
    /// The data that each participant received: black, white, then the observers.
    pub(crate) heard: Vec<Heard>,
}

/// How long a player may take to leave after the end. Observers then get the same amount of time again.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How late tokio's timers may be.
pub(crate) const TICK: Duration = Duration::from_millis(5);

/// A game that is polled more often than this is in an endless loop.
const MAX_POLLS: u64 = 1_000_000;

/// The time after which a game is considered hung.
const FOR_EVER: Duration = Duration::from_hours(1);

/// Plays `script` to its end. Panics if the game hangs.
pub(crate) fn play(script: &Script) -> Account {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(play_under_paused_time(script))
}

async fn play_under_paused_time(script: &Script) -> Account {
    let start = now();
    let (curtain, falls) = watch::channel(());
    let (observers, arriving) = mpsc::unbounded_channel();
    let mut crowd = Vec::new();
    let mut take_part = |side: Side| {
        let part = script.players[side].clone();
        let (client, connection) = Client::new(Who::Player(side), part.room);
        crowd.push(tokio::spawn(be_player(client, part, falls.clone())));
        connection
    };
    let connections = BySide { black: take_part(Side::Black), white: take_part(Side::White) };
    for part in script.observers.clone() {
        crowd.push(tokio::spawn(look_on(part, observers.clone(), falls.clone())));
    }
    drop(observers);

    let (sender, mut signal) = stop::channel();
    let stopping = script.incident.filter(|(_, incident)| *incident == Incident::Stop).map(|(after, _)| after);
    let game = async {
        match &script.house {
            House::Tournament { opening } => Box::pin(tournament(script, opening, connections, &signal)).await,
            House::Service => service(script, connections, arriving, &mut signal).await,
        }
    };
    tokio::spawn(stop_after(stopping, sender));
    let game = tokio::time::timeout(FOR_EVER, never_in_circles(Box::pin(game))).await;
    let Played { record, announced, over } = game.expect("the game hangs");
    let took = now() - start;
    drop(curtain);
    let mut heard = Vec::new();
    for somebody in crowd {
        heard.extend(somebody.await.expect("the script is played to its end"));
    }
    // This is one tick before the connection is cut off. If the end of the game is unknown, this is the earliest
    // possible time.
    let in_time = match over {
        Some(over) => over + QUIT_TIMEOUT - TICK,
        None => start + took.saturating_sub(QUIT_TIMEOUT),
    };
    Account { record, announced, took, in_time, heard }
}

/// How long a proof takes by the game's clock.
pub(crate) const PROOF_TIME: Duration = Duration::from_millis(3);

/// Tries a proof without a thread, so that everything else happens in the same order every time.
fn prove(case: Case) -> Attempt {
    Box::pin(async move {
        sleep_until(now() + PROOF_TIME).await;
        case.prove(None, &AtomicBool::new(false))
    })
}

/// A finished game with all connections closed.
struct Played {
    record: Option<GameRecord>,
    announced: Option<Vec<(Move, Option<Duration>)>>,
    /// When the game was over, if the house reports that.
    over: Option<Instant>,
}

async fn tournament(script: &Script, opening: &[Move], seats: BySide<Connection>, stop: &StopSignal) -> Played {
    let text = "listen = \"127.0.0.1:0\"\n[[player]]\nname = \"a\"\nremote = true\ntoken = \"a word of a\"\n\
                [[player]]\nname = \"b\"\nremote = true\ntoken = \"a word of b\"\n";
    let mut tournament = Tournament::parse(text, "unruly").unwrap_or_else(|problems| panic!("{problems}"));
    let terms = &script.terms;
    tournament.time_control = terms.time_control;
    tournament.endings = terms.endings;
    tournament.limits.illegal_tries = terms.illegal_tries;
    tournament.limits.garbled_tries = terms.garbled_tries;
    tournament.limits.game_limit = terms.game_limit;
    tournament.limits.quit_timeout = QUIT_TIMEOUT;
    let mut spec = Schedule::new(&tournament).games().next().expect("a game");
    spec.opening = opening.to_vec();
    // The queue is never read; this must not affect the game.
    let (unread, _reader) = event_queue(2);
    let queues = Listeners::default().with(unread).queues();
    let arena = Arena { queues, ..Arena::new(Arc::new(tournament), vec![Entrant::Remote, Entrant::Remote]) };
    let attending = seats.map(|connection| Some(Attendance::Seated(Box::new(connection))));
    let played = Arc::new(arena).play(spec, attending.into(), stop.clone()).await;
    Played { record: played.map(|played| played.record.into_two().expect("two seats")), announced: None, over: None }
}

async fn service(
    script: &Script,
    connections: BySide<Connection>,
    arriving: mpsc::UnboundedReceiver<Observer>,
    stop: &mut StopSignal,
) -> Played {
    let suspension = script.incident.filter(|(_, incident)| *incident == Incident::Suspension);
    let asleep = suspension.map(|(after, _)| now() + after);
    let suspended = || {
        let suspended = if asleep.is_some_and(|asleep| now() >= asleep) { FOR_EVER } else { Duration::ZERO };
        Suspended { least: suspended, most: suspended }
    };
    let mut players = SeatedPlayers::new(connections.map(SeatedPlayer::without_child), QUIT_TIMEOUT);
    let mut observers = Observers::open(arriving, BySeat::from_fn(2, |_| None));
    let (moves, mut announced) = mpsc::unbounded_channel();
    let (mut lateness, prover) = (Lateness::default(), Prover::new(&prove));
    let around = Surroundings {
        moves: Some(&moves),
        prover,
        ..Surroundings::new(&mut observers, stop, &mut lateness, SleepWatch::new(&suspended))
    };
    let finished = take_turns(Referee::new(script.terms), &mut players, around).await;
    let over = now();
    if finished.is_some() {
        tokio::join!(players.leave(), observers.close());
    }
    let announced = std::iter::from_fn(|| announced.try_recv().ok()).map(|event| match event {
        ServeEvent::Moved { played, left, .. } => (played, left),
        other => panic!("{other:?}"),
    });
    let announced = Some(announced.collect());
    Played {
        record: finished.map(|finished| {
            let players = BySide { black: "a", white: "b" }.map(str::to_owned);
            finished.record(players.into()).into_two().expect("two seats")
        }),
        announced,
        over: Some(over),
    }
}

async fn stop_after(delay: Option<Duration>, sender: StopSender) {
    if let Some(delay) = delay {
        sleep_until(now() + delay).await;
        sender.raise(Stop::Now);
    }
}

/// Runs `game`, and panics if it is polled too often.
async fn never_in_circles<T>(mut game: Pin<Box<impl Future<Output = T>>>) -> T {
    let mut polls = 0;
    poll_fn(|cx| {
        polls += 1;
        assert!(polls < MAX_POLLS, "the game is in an endless loop");
        game.as_mut().poll(cx)
    })
    .await
}

async fn be_player(mut client: Client, part: Part, mut curtain: watch::Receiver<()>) -> Vec<Heard> {
    let playing = async {
        for act in &part.acts {
            client.act(act).await;
        }
        client.stay().await;
    };
    tokio::select! {
        biased;
        _ = curtain.changed() => {}
        () = playing => {}
    }
    vec![client.heard().await]
}

/// Performs an observer's actions. Returns the data that each of its connections received; the actions use the latest
/// connection.
async fn look_on(part: Part, door: mpsc::UnboundedSender<Observer>, mut curtain: watch::Receiver<()>) -> Vec<Heard> {
    let mut clients: Vec<Client> = Vec::new();
    let looking = async {
        for act in &part.acts {
            match (act, clients.last_mut()) {
                (Act::Come, _) => {
                    let (client, connection) = Client::new(Who::Observer, part.room);
                    let number = u32::try_from(clients.len()).expect("a few");
                    clients.push(client);
                    // After the game, there is no receiver: sending fails, which closes the connection.
                    let _ = door.send(Observer { connection, number, name: None, place: Arc::default() });
                }
                (Act::Pause(time), None) => sleep_until(now() + *time).await,
                (_, None) => {}
                (act, Some(client)) => client.act(act).await,
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        _ = curtain.changed() => {}
        () = looking => {}
    }
    let mut heard = Vec::new();
    for client in clients {
        heard.push(client.heard().await);
    }
    heard
}
