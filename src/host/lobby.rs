//! Connections before they have a seat: the greeting, the hello, and refusals.

pub mod anteroom;
pub mod crowd;
pub mod guesses;
pub mod reception;

use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, ToSocketAddrs};

use crate::base::time::{Instant, now, timeout_at};
use crate::game::rules::Side;
use crate::host::line::{Connection, Input, Stream};
use crate::referee::clock::TimeControl;
use crate::referee::sans_io::Sayings;
use crate::referee::wire::{BadHello, Hello, Line, MAX_LINE, Response, Words};

/// A client that has said hello.
#[derive(Debug)]
pub struct Greeted {
    /// Its connection; whatever it has sent behind the hello is still to be read.
    pub connection: Connection,
    /// What it asked for.
    pub hello: Hello,
}

/// What comes of a client that has said something.
#[derive(Debug)]
pub enum Heard {
    /// A hello.
    Hello(Greeted),
    /// Something else, and how to refuse it.
    Nonsense(Connection, Response),
}

/// Greets a client and waits until `deadline` for its hello; `None` of one that is silent, goes, or is refused for how
/// it said it.
pub async fn greet(stream: Stream, deadline: Instant) -> Option<Greeted> {
    match hear(stream, deadline).await? {
        Heard::Hello(greeted) => Some(greeted),
        Heard::Nonsense(connection, refusal) => {
            refuse(connection, refusal).await;
            None
        }
    }
}

/// Like [`greet`], but leaves the refusal to the caller.
pub async fn hear(stream: Stream, deadline: Instant) -> Option<Heard> {
    let mut connection = Connection::new(stream);
    say(&mut connection, &[Response::Greeting]).await;
    let line = match timeout_at(deadline, connection.next_within(MAX_BEFORE_HELLO)).await {
        Ok(Some(Input::Line(line, _))) => line,
        Ok(None) => Line::TooLong,
        Ok(Some(Input::Closed)) => return None,
        // An arena that was stopped meanwhile has not heard of what is there.
        Err(_) => match connection.ready().await {
            Some(Input::Line(line, _)) => line,
            Some(Input::Closed) | None => return None,
        },
    };
    let refusal = match line {
        Line::TooLong => Response::BadHello(Words::new(&format!("a line has at most {MAX_LINE} bytes"))),
        Line::Text(text) => match text.parse::<Hello>() {
            Ok(hello) => return Some(Heard::Hello(Greeted { connection, hello })),
            Err(BadHello::Version) => Response::BadVersion,
            Err(error) => Response::BadHello(Words::new(&error.to_string())),
        },
    };
    Some(Heard::Nonsense(connection, refusal))
}

/// How much of a client is read before its hello, in bytes: more than any hello with blank lines about it needs.
const MAX_BEFORE_HELLO: u64 = 4096;

/// A listener with room for all who may connect at a time: who finds none waits a second and more until the kernel tries
/// again.
///
/// # Errors
/// When the address can't be had.
pub async fn listener(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    // As many as the kernel allows, as a rule.
    const BACKLOG: i32 = 4096;
    let listener = TcpListener::bind(address).await?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// How long to wait after an accept that failed: most likely the descriptors are used up, and some come back.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// How long a refused client has to read why.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(2);

/// Tells a client why it gets no seat, and closes.
pub async fn refuse(mut connection: Connection, why: Response) {
    say(&mut connection, &[why]).await;
    // A client that does not go by itself is cut off.
    let _ = timeout_at(now() + REFUSAL_PATIENCE, connection.close()).await;
}

/// Sends responses in one write.
pub async fn say(connection: &mut Connection, responses: &[Response]) {
    if responses.is_empty() {
        return;
    }
    let mut text = String::with_capacity(256);
    Sayings::append(responses, &mut text);
    connection.send(text.as_bytes()).await;
}

/// What a player is told that gets the seat of `side`.
pub fn granted(time_control: TimeControl, side: Side) -> Response {
    match (time_control.of(side), time_control.of(side.opponent())) {
        (Some(own), Some(opponent)) => Response::GrantedTimed {
            first: crate::referee::wire::seconds(own),
            second: crate::referee::wire::seconds(opponent),
        },
        _ => Response::Granted,
    }
}
