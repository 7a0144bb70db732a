//! Lets players leave when their game is over, or when they have dropped out of it.

use crate::base::time::{Instant, timeout_at};
use crate::host::line::Connection;
use crate::host::process::{ChildProcess, Remains};
use crate::host::seat::Attendance;

/// The connection and process of a player that has to leave.
pub(super) struct Leaver {
    /// The player's connection, if it has one.
    pub(super) connection: Option<Connection>,
    /// The player's process, if the arena started one.
    pub(super) child: Option<ChildProcess>,
}

impl Leaver {
    /// The connection and process of a player with this `attendance`.
    pub(super) fn of(attendance: Attendance, child: Option<ChildProcess>) -> Self {
        let connection = match attendance {
            Attendance::Seated(connection) => Some(*connection),
            Attendance::Failed(_) | Attendance::Excused => None,
        };
        Self { connection, child }
    }
}

/// Lets a player leave: delivers all pending lines, gives the player until `deadline` to leave, and then ends its
/// connection and process.
pub(super) async fn leave(Leaver { connection, child }: Leaver, deadline: Instant) -> Remains {
    let closing = async {
        let Some(mut connection) = connection else { return Vec::new() };
        let _ = timeout_at(deadline, connection.close()).await;
        connection.take_thoughts()
    };
    let ending = async {
        match child {
            Some(child) => child.end(deadline).await,
            None => Remains::default(),
        }
    };
    let (thoughts, mut remains) = tokio::join!(closing, ending);
    remains.thoughts.extend(thoughts);
    remains
}
