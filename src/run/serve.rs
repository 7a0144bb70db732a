//! The referee without a tournament: one public port, players that connect on their own, and any number of observers.

mod acceptor;
mod announcer;
mod event;
mod pairing;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

pub use announcer::{Announcer, result_line};
pub use event::{Client, ServeEvent};

use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{SleepWatch, suspended, today};
use crate::game::{BySeat, Seat, Side};
use crate::host::lobby::Greeted;
use crate::referee::record::{LoggedGame, Out, Ply};
use crate::referee::sans_io::{Finished, Referee, Terms};
use crate::referee::wire::{Response, Role};
use crate::run::play::{
    Lateness, MAX_OBSERVERS, Observer, Observers, OnMove, SeatedPlayer, SeatedPlayers, Surroundings, take_turns,
};
use acceptor::{Acceptor, Caller};
use pairing::{SeatChoice, Seated};

/// The settings of the service.
#[derive(Clone, Debug)]
pub struct Service {
    /// The rules and clocks of every game.
    pub terms: Terms,
    /// How long a connection may take to say hello.
    pub hello_timeout: Duration,
    /// How long a player has to leave after the end of a game.
    pub quit_timeout: Duration,
    /// How many games to play; `None` means no limit.
    pub games: Option<u32>,
    /// The machine's name.
    pub site: Option<String>,
}

impl Service {
    /// Plays the games one after the other with the players that connect to `listener`, until all have been played or
    /// `stop` is raised. Sends everything that happens to `events`.
    pub async fn run(&self, listener: TcpListener, events: UnboundedSender<ServeEvent>, mut stop: StopSignal) {
        let mut acceptor = Acceptor::open(listener, self.terms.ruleset, self.hello_timeout, events);
        let mut played = 0;
        while self.games.is_none_or(|games| played < games) && stop.get() == Stop::No {
            let Some(record) = self.play_one(&mut acceptor, &mut stop).await else { break };
            acceptor.tell(ServeEvent::Ended(Box::new(record)));
            // The count may saturate, since that many games are never played.
            played = played.saturating_add(1);
        }
        acceptor.close().await;
    }

    /// Seats the players and lets them play. Returns `None` if the game was not finished.
    async fn play_one(&self, acceptor: &mut Acceptor, stop: &mut StopSignal) -> Option<LoggedGame> {
        let mut admission = ObserverAdmission::new(self);
        let seated = self.seat_players(acceptor, &mut admission, stop).await?;
        let names = seated.as_ref().map(|player| player.name.clone());
        let mut observers = Observers::open(admission.begin(), names.clone());
        let names = names.map(|name| name.map(|name| name.as_str().to_owned()));
        let players = seated.map(|player| SeatedPlayer::without_child(player.connection));
        let mut players = SeatedPlayers::new(players, self.quit_timeout);
        acceptor.tell(ServeEvent::Started { players: shown_names(&names) });
        let moves = acceptor.events();
        let mut lateness = Lateness::default();
        let finished = {
            let sleep = SleepWatch::new(&suspended);
            let around =
                Surroundings { moves: Some(&moves), ..Surroundings::new(&mut observers, stop, &mut lateness, sleep) };
            let game = take_turns(Referee::new(self.terms), &mut players, around);
            tokio::pin!(game);
            loop {
                tokio::select! {
                    biased;
                    finished = &mut game => break finished,
                    client = acceptor.next() => admission.come_late(client, acceptor).await,
                }
            }
        }?;
        acceptor.see_off(async move { drop(players.leave().await) });
        acceptor.see_off(observers.close());
        let mut record = self.record(&names, finished);
        record.other_tags_mut().extend(lateness.tag());
        Some(record)
    }

    /// Waits until every seat has a player; `None` if `stop` is raised first.
    async fn seat_players(
        &self,
        acceptor: &mut Acceptor,
        admission: &mut ObserverAdmission<'_>,
        stop: &mut StopSignal,
    ) -> Option<BySeat<Seated>> {
        let mut choice = SeatChoice::new(self.terms.ruleset.seats(), self.terms.time_control);
        loop {
            tokio::select! {
                biased;
                () = stop.reached(Stop::Drain) => return None,
                // A player that has left must not block its seat for the next player.
                () = choice.somebody_leaves() => {}
                caller = acceptor.next() => match caller.greeted.hello.role {
                    Role::Observer => admission.admit(caller, acceptor).await,
                    Role::Player(wish) => choice.come(caller, wish, acceptor).await,
                },
            }
            if let Some(seated) = choice.all_seated(acceptor).await {
                return Some(seated);
            }
        }
    }

    fn record(&self, names: &BySeat<Option<String>>, finished: Finished) -> LoggedGame {
        let (site, date) = (self.site.clone(), Some(today()));
        match finished.record(shown_names(names)) {
            LoggedGame::Two(mut record) => {
                (record.site, record.date) = (site, date);
                LoggedGame::Two(record)
            }
            LoggedGame::Group(mut record) => {
                (record.site, record.date) = (site, date);
                LoggedGame::Group(record)
            }
        }
    }
}

/// The name that each player has given itself, or else the name of its side or seat.
fn shown_names(names: &BySeat<Option<String>>) -> BySeat<String> {
    let given = |seat: Seat| names[seat].clone().filter(|name| !name.is_empty());
    BySeat::from_fn(names.seats(), |seat| given(seat).unwrap_or_else(|| seat.name(names.seats()).to_owned()))
}

impl OnMove for UnboundedSender<ServeEvent> {
    fn moved(&self, number: usize, ply: &Ply) {
        // It is not an error if there is no listener any more.
        let _ = self.send(ServeEvent::Moved { number, played: ply.played, left: ply.left });
    }

    fn dropped_out(&self, out: &Out) {
        let _ = self.send(ServeEvent::DroppedOut { seat: out.seat, why: out.termination });
    }
}

/// Admits the observers of a game.
struct ObserverAdmission<'a> {
    service: &'a Service,
    /// The observers that arrived before the game.
    early: Vec<Observer>,
    /// The number of references is one more than the number of observers, including those in `early`.
    places: Arc<()>,
    /// The channel to the game, once it has begun.
    to_game: Option<UnboundedSender<Observer>>,
    next_number: u32,
}

impl<'a> ObserverAdmission<'a> {
    fn new(service: &'a Service) -> Self {
        Self { service, early: Vec::new(), places: Arc::default(), to_game: None, next_number: 0 }
    }

    /// Begins the game. Returns the channel that delivers the current observers and those that arrive later.
    fn begin(&mut self) -> UnboundedReceiver<Observer> {
        let (to_game, arriving) = mpsc::unbounded_channel();
        for observer in self.early.drain(..) {
            let _ = to_game.send(observer);
        }
        self.to_game = Some(to_game);
        arriving
    }

    async fn admit(&mut self, caller: Caller, acceptor: &mut Acceptor) {
        let Caller { greeted: Greeted { mut connection, hello }, host } = caller;
        if Arc::strong_count(&self.places) > MAX_OBSERVERS {
            // Some of the early observers may have left unnoticed.
            self.early.retain(|observer| !observer.connection.is_gone());
        }
        if Arc::strong_count(&self.places) > MAX_OBSERVERS {
            return acceptor.turn_away(host, connection, Response::Private);
        }
        // With two seats, the referee sends an observer white's time, then black's.
        let Terms { ruleset, time_control, .. } = self.service.terms;
        connection.say(&[Response::granted_in(ruleset.seats(), time_control, Side::White.into())]).await;
        let number = self.next_number;
        self.next_number = self.next_number.saturating_add(1);
        acceptor.tell(ServeEvent::Connected(Client::Observer(number)));
        let observer = Observer { connection, number, name: hello.name, place: Arc::clone(&self.places) };
        match &self.to_game {
            Some(to_game) => drop(to_game.send(observer)),
            None => self.early.push(observer),
        }
    }

    /// Handles a caller while a game is in progress: observers may watch, but players are too late.
    async fn come_late(&mut self, caller: Caller, acceptor: &mut Acceptor) {
        match caller.greeted.hello.role {
            Role::Observer => self.admit(caller, acceptor).await,
            Role::Player(_) => acceptor.turn_away(caller.host, caller.greeted.connection, acceptor.full()),
        }
    }
}
