//! The referee alone: one public port, two players who connect by themselves, any number of observers.

mod announcer;
mod desk;

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

pub use announcer::Announcer;

use crate::event::{Client, Event};
use crate::line::{Connection, Stream};
use crate::lobby::{self, ACCEPT_PAUSE, Greeted, granted, say};
use crate::play::{Gallery, Observer, Seat, Surroundings, take_turns};
use crate::record::GameRecord;
use crate::referee::{Finished, Referee, Terms};
use crate::rules::{BySide, Side};
use crate::stop::{Stop, StopSignal};
use crate::time::{now, sleep_until, timeout_at, today};
use crate::wire::{EntityName, Response, Role};
use desk::{Desk, Seated};

/// What to serve.
#[derive(Clone, Debug)]
pub struct Service {
    /// The rules and clocks of every game.
    pub terms: Terms,
    /// How long a connection may take to say hello.
    pub hello_timeout: Duration,
    /// How long a player has to leave after the end.
    pub quit_timeout: Duration,
    /// How many games; `None` is for ever.
    pub games: Option<u32>,
    /// The machine's name.
    pub site: Option<String>,
}

/// Where what happens goes.
#[derive(Clone, Debug)]
pub struct Outlets {
    /// Everything, as it happens.
    pub events: UnboundedSender<Event>,
    /// The record of each game, when it is over.
    pub records: UnboundedSender<GameRecord>,
}

impl Service {
    /// Plays the games, one after the other, with whoever comes to `listener`; until all are played, or `stop` says so.
    ///
    /// Returns how many were played to their end.
    pub async fn run(&self, listener: TcpListener, outlets: Outlets, mut stop: StopSignal) -> u32 {
        let (greeted, mut clients) = mpsc::unbounded_channel();
        let mut background = JoinSet::new();
        background.spawn(greet_all(listener, self.hello_timeout, greeted));
        let mut leaving = JoinSet::new();
        let mut played = 0;
        while self.games.is_none_or(|games| played < games) && stop.get() == Stop::No {
            if !self.play_one(&mut clients, &outlets, &mut stop, &mut leaving).await {
                break;
            }
            played += 1;
        }
        // The port closes with its task; who was just let go may still read its last lines.
        background.abort_all();
        leaving.join_all().await;
        played
    }

    /// Seats two players and lets them play. Returns whether there was a whole game.
    async fn play_one(
        &self,
        clients: &mut UnboundedReceiver<Greeted>,
        outlets: &Outlets,
        stop: &mut StopSignal,
        leaving: &mut JoinSet<()>,
    ) -> bool {
        let (observers, arriving) = mpsc::unbounded_channel();
        let mut audience = Audience { service: self, observers, next_number: 0 };
        let Some(seated) = self.seat_players(clients, &mut audience, outlets, stop).await else { return false };
        let names = seated.as_ref().map(|player| player.name.clone());
        let mut gallery = Gallery::open(arriving, names.clone());
        let names = names.map(|name| name.map(|name| name.as_str().to_owned()));
        let mut seats = seated.map(|player| Seat { connection: player.connection, child: None });
        let _ = outlets.events.send(Event::Started { names: names.clone() });
        let finished = {
            let around = Surroundings { gallery: &mut gallery, moves: Some(&outlets.events), stop };
            let game = take_turns(Referee::new(self.terms), &mut seats, around);
            tokio::pin!(game);
            loop {
                tokio::select! {
                    biased;
                    finished = &mut game => break finished,
                    Some(client) = clients.recv() => audience.come_late(client, outlets).await,
                }
            }
        };
        let Some(finished) = finished else { return false };
        let _ = outlets.records.send(self.record(names, finished));
        let patience = now() + self.quit_timeout;
        for Seat { mut connection, .. } in [seats.black, seats.white] {
            leaving.spawn(async move {
                let _ = timeout_at(patience, connection.close()).await;
            });
        }
        leaving.spawn(gallery.close());
        true
    }

    /// Waits until both sides have a player; `None` when stopped before.
    async fn seat_players(
        &self,
        clients: &mut UnboundedReceiver<Greeted>,
        audience: &mut Audience<'_>,
        outlets: &Outlets,
        stop: &mut StopSignal,
    ) -> Option<BySide<Seated>> {
        let mut desk = Desk::new(self.terms.time_control);
        loop {
            tokio::select! {
                Some(Greeted { connection, hello }) = clients.recv() => match hello.role {
                    Role::Observer => audience.admit(connection, hello.name, outlets).await,
                    Role::Player(wish) => desk.come(connection, wish, hello.name, outlets).await,
                },
                () = desk.somebody_leaves() => {}
                () = stop.reached(Stop::Drain) => return None,
            }
            if let Some(seated) = desk.both(outlets).await {
                return Some(seated);
            }
        }
    }

    fn record(&self, names: BySide<Option<String>>, finished: Finished) -> GameRecord {
        let Finished { plies, unfinished, result } = finished;
        GameRecord {
            event: None,
            site: self.site.clone(),
            date: Some(today()),
            round: None,
            players: BySide {
                black: names.black.filter(|name| !name.is_empty()).unwrap_or_else(|| "black".to_owned()),
                white: names.white.filter(|name| !name.is_empty()).unwrap_or_else(|| "white".to_owned()),
            },
            game: None,
            seed: None,
            ruleset: self.terms.ruleset,
            time_control: Some(self.terms.time_control),
            digests: BySide::default(),
            other_tags: Vec::new(),
            plies,
            unfinished,
            result,
        }
    }
}

/// Accepts for ever, and hears each client's hello beside the others', so that a silent one blocks nobody.
async fn greet_all(listener: TcpListener, hello_timeout: Duration, greeted: UnboundedSender<Greeted>) {
    let mut greetings = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let deadline = now() + hello_timeout;
                    greetings.spawn(lobby::greet(Stream::Tcp(stream), deadline));
                }
                // Out of descriptors, most likely: some come back when clients go.
                Err(_) => sleep_until(now() + ACCEPT_PAUSE).await,
            },
            Some(client) = greetings.join_next() => {
                if let Ok(Some(client)) = client && greeted.send(client).is_err() {
                    return;
                }
            }
        }
    }
}

/// The way into the gallery.
struct Audience<'a> {
    service: &'a Service,
    observers: UnboundedSender<Observer>,
    next_number: u32,
}

impl Audience<'_> {
    async fn admit(&mut self, mut connection: Connection, name: Option<EntityName>, outlets: &Outlets) {
        // An observer is told white's time, then black's.
        say(&mut connection, &[granted(self.service.terms.time_control, Side::White)]).await;
        let number = self.next_number;
        self.next_number += 1;
        let _ = outlets.events.send(Event::Connected(Client::Observer(number)));
        let _ = self.observers.send(Observer { connection, number, name });
    }

    /// Receives those who come while a game is on: observers may look on, players are too late.
    async fn come_late(&mut self, client: Greeted, outlets: &Outlets) {
        let Greeted { connection, hello } = client;
        match hello.role {
            Role::Observer => self.admit(connection, hello.name, outlets).await,
            Role::Player(_) => turn_away(connection, Response::Full, outlets),
        }
    }
}

/// Refuses a client without waiting until it has gone.
fn turn_away(connection: Connection, why: Response, outlets: &Outlets) {
    let _ = outlets.events.send(Event::Refused);
    tokio::spawn(lobby::refuse(connection, why));
}
