//! Connections that do not have a seat yet: the greeting, the hello, and refusals.
//!
//! | room | contents |
//! | --- | --- |
//! | `pending_clients` | a public port, and the clients there that have not sent a hello |
//! | `bounded_tasks` | a limited number of tasks for clients |
//! | `remote_players` | the addresses to which remote players connect |
//! | `source_host` | the host from which a connection comes |
//! | `wrong_tokens` | the delay imposed on a host after wrong tokens |

pub(crate) mod bounded_tasks;
pub(crate) mod pending_clients;
pub(crate) mod remote_players;
pub(crate) mod source_host;
pub(crate) mod wrong_tokens;

use std::time::Duration;

use crate::base::time::{Instant, now, timeout_at};
use crate::game::Ruleset;
use crate::host::line::{Connection, Input, Recorder};
use crate::referee::wire::{Dialect, Hello, Line, MAX_LINE, Response, Words};

/// A client that has sent its hello.
#[derive(Debug)]
pub struct Greeted {
    /// The client's connection. Anything that the client sent after its hello is still unread.
    pub connection: Connection,
    /// The client's hello.
    pub hello: Hello,
}

/// The first line from a client.
#[derive(Debug)]
pub enum FirstLine {
    /// A hello.
    Hello(Greeted),
    /// Anything else, with the response that refuses it.
    Nonsense(Connection, Response),
}

/// Greets a client on a new connection, naming `ruleset`, and waits until `deadline` for its hello. Returns `None` if
/// the client stays silent, leaves, or is refused because it sends something else.
pub async fn greet(connection: Connection, ruleset: Ruleset, deadline: Instant) -> Option<Greeted> {
    match hear(connection, ruleset, deadline).await? {
        FirstLine::Hello(greeted) => Some(greeted),
        FirstLine::Nonsense(connection, refusal) => {
            refuse(connection, refusal).await;
            None
        }
    }
}

/// Like [`greet`], but leaves the refusal of a client to the caller.
pub async fn hear(mut connection: Connection, ruleset: Ruleset, deadline: Instant) -> Option<FirstLine> {
    connection.say(&[Response::Greeting(ruleset)]).await;
    let recorder = connection.recorder();
    let heard = tokio::select! {
        biased;
        heard = timeout_at(deadline, connection.next_within(MAX_BEFORE_HELLO)) => heard,
        () = hanging_up(recorder) => {
            // This adds the client's remaining input to the transcript.
            let _ = timeout_at(now() + REFUSAL_TIMEOUT, connection.close()).await;
            return None;
        }
    };
    let line = match heard {
        Ok(Some(Input::Line(line, _))) => line,
        Ok(None) => Line::TooLong,
        Ok(Some(Input::Closed)) => return None,
        // If this process was suspended past the deadline, the line may have arrived in time.
        Err(_) => match connection.ready().await {
            Some(Input::Line(line, _)) => line,
            Some(Input::Closed) | None => return None,
        },
    };
    let refusal = match line {
        Line::TooLong => Response::BadHello(Words::new(&format!("a line may have at most {MAX_LINE} bytes"))),
        Line::Foreign { why, .. } => Response::BadHello(Words::new(&why)),
        Line::Text(text) => match Hello::for_game(&text, ruleset.seats()) {
            Ok(hello) => {
                let connection = connection.speaking(Dialect::of(hello.version));
                return Some(FirstLine::Hello(Greeted { connection, hello }));
            }
            Err(error) => error.response(),
        },
    };
    Some(FirstLine::Nonsense(connection, refusal))
}

/// Waits until the arena hangs up on the clients of a recorded seat. Waits forever if there is no recorder.
async fn hanging_up(recorder: Option<Recorder>) {
    match recorder {
        Some(recorder) => recorder.hanging_up().await,
        None => std::future::pending().await,
    }
}

/// How many bytes to read from a client before its hello: more than any hello needs, even with blank lines around it.
const MAX_BEFORE_HELLO: u64 = 4096;

/// How long a refused client has to read the reason for the refusal.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends `why`, the reason for the refusal, to a client and closes its connection.
pub async fn refuse(mut connection: Connection, why: Response) {
    connection.say(&[why]).await;
    // A client that does not close the connection is cut off.
    let _ = timeout_at(now() + REFUSAL_TIMEOUT, connection.close()).await;
}
