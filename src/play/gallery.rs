//! The observers of one game. None of them can slow it down: each has a task of its own, and one that does not keep up
//! is dropped.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::line::{Connection, Input};
use crate::referee::{Referee, Sayings};
use crate::rules::{BySide, Side};
use crate::time::{now, timeout_at};
use crate::wire::{EntityName, Response};

/// How many messages may wait for an observer; a game of 5x5 has fewer.
const BACKLOG: usize = 256;

/// How long an observer has to read the end of the game.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An observer that has been accepted.
#[derive(Debug)]
pub struct Observer {
    /// Its connection.
    pub connection: Connection,
    /// Its number, from 0.
    pub number: u32,
    /// What it calls itself.
    pub name: Option<EntityName>,
}

/// The observers of one game, and those who come.
#[derive(Debug, Default)]
pub struct Gallery {
    arriving: Option<mpsc::UnboundedReceiver<Observer>>,
    /// Who takes part, as far as it has a name: 341, 342 and 343.
    cast: Vec<Response>,
    seated: u32,
    observers: Vec<mpsc::Sender<String>>,
    tasks: JoinSet<()>,
}

impl Gallery {
    /// A gallery that nobody enters.
    pub fn closed() -> Self {
        Self::default()
    }

    /// A gallery for the observers who come through `arriving`, at a game between players of these names.
    pub fn open(arriving: mpsc::UnboundedReceiver<Observer>, names: BySide<Option<EntityName>>) -> Self {
        let BySide { black, white } = names;
        let cast = [(Side::White, white), (Side::Black, black)];
        let cast = cast.into_iter().filter_map(|(side, name)| Some(Response::PlayerName(side, name?))).collect();
        Self { arriving: Some(arriving), cast, ..Self::default() }
    }

    /// Lets those in who came before the game; they hear its start with everybody.
    pub fn admit_waiting(&mut self) {
        while let Some(observer) = self.arriving.as_mut().and_then(|arriving| arriving.try_recv().ok()) {
            self.seat(observer, &[]);
        }
        let mut cast = self.cast.clone();
        cast.push(Response::Observers(self.seated));
        self.tell(&cast);
    }

    /// Waits for the next observer and shows it the game as it stands.
    pub async fn admit(&mut self, referee: &Referee) {
        let next = match &mut self.arriving {
            Some(arriving) => arriving.recv().await,
            None => None,
        };
        // Once nobody will come any more there is nothing to wait for.
        let Some(observer) = next else { return std::future::pending().await };
        let mut welcome = self.cast.clone();
        welcome.push(Response::Observers(self.seated + 1));
        welcome.extend(referee.welcome_observer());
        self.seat(observer, &welcome);
    }

    /// Tells every observer.
    pub fn tell(&mut self, responses: &[Response]) {
        if self.observers.is_empty() || responses.is_empty() {
            return;
        }
        let mut text = String::with_capacity(256);
        Sayings::append(responses, &mut text);
        // One whose queue is full does not keep up; one whose queue is closed has gone.
        self.observers.retain(|observer| observer.try_send(text.clone()).is_ok());
    }

    /// Closes all connections, after what was said has been delivered.
    pub async fn close(mut self) {
        self.observers.clear();
        self.tasks.join_all().await;
    }

    fn seat(&mut self, observer: Observer, welcome: &[Response]) {
        let Observer { mut connection, number, name } = observer;
        self.seated += 1;
        self.cast.extend(name.map(|name| Response::ObserverName(number, name)));
        let mut first = String::new();
        Sayings::append(welcome, &mut first);
        let (sender, mut messages) = mpsc::channel(BACKLOG);
        self.observers.push(sender);
        self.tasks.spawn(async move {
            connection.send(first.as_bytes()).await;
            loop {
                tokio::select! {
                    message = messages.recv() => match message {
                        Some(text) => connection.send(text.as_bytes()).await,
                        None => break,
                    },
                    // Observers have nothing to say.
                    input = connection.next() => if input == Input::Closed { return },
                }
            }
            let _ = timeout_at(now() + LAST_WORDS, connection.close()).await;
        });
    }
}
