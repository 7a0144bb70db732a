//! Keeps the process of the door running, and answers its requests.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet, spawn_local};

use super::door_messages::{ArenaSays, DoorAnswer, DoorOrder, DoorSays, UploadAsk, next_line, written};
use super::running_door::RunningDoor;
use super::stored_upload::StoredUpload;
use super::{AdmittedUpload, MOST_UPLOAD, SubmitHall, gate};
use crate::base::machine::explained;
use crate::base::time::{now, sleep_until};
use crate::ladder::hand_in::removed;

/// The maximum number of connections, and of requests that wait for the arena. The latter limit is higher, since the
/// arena learns only after some delay that a client has disconnected.
const MOST_CONNECTIONS: usize = 128;
pub(super) const MOST_ASKS: usize = 2 * MOST_CONNECTIONS;

/// How long an upload may take in total.
const UPLOAD_TIME: Duration = Duration::from_mins(5);

/// How long the arena waits before it restarts a process that has ended: the first time, and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Receives uploads forever: starts the process, and restarts it whenever it ends.
pub(super) async fn serve(hall: Rc<SubmitHall>, arrived: mpsc::UnboundedSender<StoredUpload>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = now();
        let ended = process(&hall, &arrived).await;
        let why = ended.err().map_or_else(|| "it has ended".to_owned(), |error| explained(&error));
        hall.tell(format!("the process that receives submissions has failed: {why}; the arena will restart it")).await;
        pause = if now() - begun > LONGEST_PAUSE { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep_until(now() + pause).await;
    }
}

/// Runs the process until it ends.
async fn process(hall: &Rc<SubmitHall>, arrived: &mpsc::UnboundedSender<StoredUpload>) -> io::Result<()> {
    removed(&hall.incoming)?;
    for dir in [&hall.incoming, &hall.uploads] {
        fs::create_dir_all(dir)?;
    }
    let running = RunningDoor::start(&hall.listener, &hall.incoming, hall.desk.cage.as_deref()).await?;
    let RunningDoor { link, mut confinement } = running;
    let (heard, mut say) = link.into_split();
    let order =
        DoorOrder { most_connections: MOST_CONNECTIONS, most_bytes: MOST_UPLOAD, seconds: UPLOAD_TIME.as_secs() };
    say.write_all(&written(&order)).await?;
    converse(hall, arrived, (BufReader::new(heard), say)).await?;
    confinement.failure().await.map_or(Ok(()), |why| Err(io::Error::other(why)))
}

/// Answers the process until it ends. `heard` and `say` are the two directions of the link to it.
pub(super) async fn converse(
    hall: &Rc<SubmitHall>,
    arrived: &mpsc::UnboundedSender<StoredUpload>,
    (mut heard, mut say): (impl AsyncBufRead + Unpin, impl AsyncWrite + Unpin + 'static),
) -> io::Result<()> {
    // The number of answers that a process leaves unread is bounded.
    let (answers, mut told) = mpsc::channel::<ArenaSays>(2 * MOST_ASKS);
    let writer = spawn_local(async move {
        while let Some(answer) = told.recv().await {
            if say.write_all(&written(&answer)).await.is_err() {
                break;
            }
        }
    });
    let admitted: Rc<RefCell<HashMap<String, AdmittedUpload>>> = Rc::default();
    let (mut asks, mut asking) = (JoinSet::new(), HashMap::new());
    let mut writing = JoinSet::new();
    let ended = loop {
        let said = match next_line::<DoorSays>(&mut heard).await {
            Ok(Some(said)) => said,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        while asks.try_join_next().is_some() {}
        while writing.try_join_next().is_some() {}
        asking.retain(|_, ask: &mut AbortHandle| !ask.is_finished());
        let (hall, answers, admitted) = (Rc::clone(hall), answers.clone(), Rc::clone(&admitted));
        match said {
            DoorSays::Ready => hall.tell_well().await,
            DoorSays::Ask(UploadAsk { number, .. }) if asks.len() >= MOST_ASKS => {
                if answers.try_send(ArenaSays::Answer { number, answer: DoorAnswer::busy() }).is_err() {
                    break Err(io::Error::other("it does not read its answers"));
                }
            }
            DoorSays::Ask(ask) => {
                let number = ask.number;
                let task = asks.spawn_local(async move {
                    // There is no wait between the decision and the answer, so that a client that has disconnected is
                    // never let in.
                    let Ok(place) = answers.reserve().await else { return };
                    place.send(match hall.decide(&ask).await {
                        Ok(player) => {
                            let ticket = hall.ticket();
                            let upload = AdmittedUpload { player, number, host: ask.host };
                            admitted.borrow_mut().insert(ticket.clone(), upload);
                            ArenaSays::Granted { number, ticket }
                        }
                        Err(answer) => ArenaSays::Answer { number, answer },
                    });
                });
                asking.insert(number, task);
            }
            DoorSays::Gone { number } => {
                if let Some(ask) = asking.remove(&number) {
                    ask.abort();
                }
            }
            DoorSays::Done { ticket } => {
                let Some(upload) = admitted.borrow_mut().remove(&ticket) else { continue };
                let arrived = arrived.clone();
                writing.spawn_local(async move {
                    let stored = hall.store(&ticket, &upload).await;
                    hall.gate.borrow_mut().left(&upload.player);
                    let answer = match stored {
                        Ok(stored) => {
                            let _ = arrived.send(stored);
                            gate::received()
                        }
                        Err(answer) => answer,
                    };
                    let _ = answers.send(ArenaSays::Answer { number: upload.number, answer }).await;
                });
            }
            DoorSays::Dropped { ticket } => {
                if let Some(upload) = admitted.borrow_mut().remove(&ticket) {
                    hall.gate.borrow_mut().left(&upload.player);
                }
            }
        }
    };
    // No client receives an answer any more, but complete uploads are still stored.
    asks.abort_all();
    writer.abort();
    while writing.join_next().await.is_some() {}
    hall.gate.borrow_mut().all_left();
    ended
}
