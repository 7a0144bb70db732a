//! The stream of events to one client.

use std::rc::Rc;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::mpsc;

use super::hub::{Cursor, Hub};
use crate::base::time::{now, timeout_at};

/// The time for which a stream may be silent before a comment keeps it alive.
const QUIET: Duration = Duration::from_secs(15);

const COMMENT: &[u8] = b":\n\n";

/// The delay before a browser reconnects after a broken connection.
const RETRY: &[u8] = b"retry: 1000\n\n";

/// Starts the stream of a client whose last event had the id `last`. At most one event is queued for the client: while
/// the client does not read, its cursor does not advance.
pub(super) fn start(hub: Rc<Hub>, last: Option<&str>) -> mpsc::Receiver<Bytes> {
    let (events, stream) = mpsc::channel(1);
    let cursor = hub.resume(last);
    tokio::task::spawn_local(run(hub, cursor, events));
    stream
}

/// Sends all events up to the last one, or until the client has gone.
async fn run(hub: Rc<Hub>, mut cursor: Cursor, events: mpsc::Sender<Bytes>) {
    let mut changes = hub.changes();
    let mut is_back = cursor != Cursor::Nothing;
    let mut next = Some(Bytes::from_static(RETRY));
    loop {
        changes.mark_unchanged();
        let Some(event) = next.take().or_else(|| hub.next(&mut cursor, is_back)) else {
            if cursor == Cursor::End {
                return;
            }
            is_back = false;
            tokio::select! {
                news = timeout_at(now() + QUIET, changes.changed()) => if news.is_err() {
                    next = Some(Bytes::from_static(COMMENT));
                },
                () = events.closed() => return,
            }
            continue;
        };
        if events.send(event).await.is_err() {
            return;
        }
    }
}
