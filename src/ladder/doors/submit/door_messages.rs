//! The messages between the process of the door and the arena: JSON values, each on its own line.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The maximum length of a line.
const LONGEST_LINE: u64 = 16 << 10;

/// The first line to the process: its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DoorOrder {
    pub(super) most_connections: usize,
    /// The maximum size of an upload in bytes.
    pub(super) most_bytes: u64,
    /// How many seconds an upload may take in total.
    pub(super) seconds: u64,
}

/// A message from the process to the arena.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DoorSays {
    /// The process is listening. This is sent once, before anything else.
    Ready,
    /// A client wants to upload.
    Ask(UploadAsk),
    /// The client of a request has disconnected before receiving an answer.
    Gone {
        /// The number of the request.
        number: u64,
    },
    /// An upload is complete. Its file is named after the ticket.
    Done {
        /// The ticket.
        ticket: String,
    },
    /// An upload has failed, and its file has been removed.
    Dropped {
        /// The ticket.
        ticket: String,
    },
}

/// A request to upload.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UploadAsk {
    /// The number of the request.
    pub(super) number: u64,
    /// The name of the player, according to the request.
    pub(super) player: String,
    /// The digest of the token that came with the request, in hexadecimal digits.
    pub(super) token: String,
    /// The address of the client.
    pub(super) host: Option<IpAddr>,
    /// The size of the upload, if the request states it.
    pub(super) bytes: Option<u64>,
}

/// A message from the arena to the process.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ArenaSays {
    /// The upload may begin. Write it to a file named after the ticket.
    Granted {
        /// The number of the request.
        number: u64,
        /// The ticket.
        ticket: String,
    },
    /// The answer to a request.
    Answer {
        /// The number of the request.
        number: u64,
        /// The answer.
        answer: DoorAnswer,
    },
}

/// The answer to a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DoorAnswer {
    /// The HTTP status.
    pub(super) status: u16,
    /// A printable sentence for the player.
    pub(super) message: String,
    /// How many seconds the client should wait before it tries again.
    pub(super) retry_after_s: Option<u64>,
}

impl DoorAnswer {
    /// A refusal with the HTTP status `status`.
    pub(super) fn refusal(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after_s: None }
    }

    /// The answer if the arena itself has failed.
    pub(super) fn failure() -> Self {
        Self::refusal(500, "the arena could not store the submission, and has notified its operator; try again later")
    }

    /// The answer to a request that arrives while too many are waiting.
    pub(super) fn busy() -> Self {
        Self::refusal(503, "too many requests are waiting at the moment; try again soon").after(Duration::from_secs(10))
    }

    /// The answer with the advice to try again after `wait`.
    pub(super) fn after(self, wait: Duration) -> Self {
        Self { retry_after_s: Some(wait.as_secs() + 1), ..self }
    }
}

/// Encodes `message` as a line.
pub(super) fn written(message: &impl Serialize) -> Vec<u8> {
    // These types contain nothing that JSON cannot represent.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads the next line from `reader`; `None` once the other side has closed the connection.
///
/// # Errors
/// Fails if the line is too long, or is not a message of this type.
pub(super) async fn next_line<T: DeserializeOwned>(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    reader.take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "one of its lines is too long or incomplete"));
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_read_as_they_were_written_and_others_are_errors() {
        let says = DoorSays::Ask(UploadAsk {
            number: 7,
            player: "a\"\n\u{202e}".to_owned(),
            token: "0".repeat(64),
            host: Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)),
            bytes: None,
        });
        let dropped = DoorSays::Dropped { ticket: "1-1".to_owned() };
        let all = [DoorSays::Ready, says, DoorSays::Gone { number: 7 }, dropped];
        let lines: Vec<u8> = all.iter().flat_map(written).collect();
        let mut reader = &lines[..];
        for says in all {
            assert_eq!(next_line(&mut reader).await.expect("a line"), Some(says));
        }
        assert_eq!(next_line::<DoorSays>(&mut reader).await.expect("the end"), None);
        for wrong in [&b"{}\n"[..], b"\n", b"{\"done\":{\"ticket\":\"1\"}}", b"\xff\n", &vec![b'a'; 1 << 20]] {
            assert!(next_line::<DoorSays>(&mut &wrong[..]).await.is_err());
        }
    }
}
