//! The third door: uploads over HTTP. The arena's side starts the process that listens, decides which uploads are let
//! in, and stores those that have arrived.
//!
//! | room | contents |
//! | --- | --- |
//! | `door_process` | the process that listens: it may write to one directory, and has no secrets |
//! | `request_head` | the player and the token that a request names |
//! | `running_door` | starting the process, in its confinement |
//! | `serving` | keeping the process going, and answering it |
//! | `door_messages` | what the process and the arena send each other |
//! | `gate` | who may upload |
//! | `stored_upload` | uploads on the disk, from their arrival until they are settled |
//!
//! The process asks the arena about every request, with the digest of the token that came with it. So a flaw in the
//! process can reveal only the tokens that players send at the time, and can allow writing only to the process's
//! directory.

mod door_messages;
mod door_process;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_door;
mod gate;
mod request_head;
mod running_door;
mod serving;
mod stored_upload;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Notify, mpsc};
use tokio::task::spawn_local;

use door_messages::{DoorAnswer, UploadAsk};
pub(crate) use door_process::run_submission_door;
use gate::{Gate, GateAnswer, Guest};
pub(super) use stored_upload::told_of_upload;
use stored_upload::{StoredUpload, UploadAbout, UploadFault};

use super::desk::{DoorDelivery, DoorDesk};
use super::door_terms::DoorTerms;
use super::{DoorNews, DoorsError, Entrance, PlayerDoor, UPLOADS};
use crate::base::machine::{away, explained};
use crate::base::time::{WallTime, now, sleep_until, wall_clock};
use crate::host::lobby::source_host::Host;
use crate::ladder::hand_in::{DoorKind, removed};
use crate::ladder::tokens::{TokenDigest, TokenStore};
use crate::tournament::PlayerName;

/// The maximum size of an upload in bytes.
pub(in crate::ladder) const MOST_UPLOAD: u64 = 64 << 20;

/// The maximum number of uploads at a time.
const MOST_UPLOADS: usize = 16;

/// How long the arena waits before it tries again to unpack an upload, if the machine was at fault.
const UNPACKED_EVERY: Duration = Duration::from_mins(1);

/// How long a request may be held in total after wrong tokens. A request that would be held for longer is refused.
const LONGEST_HOLD: Duration = Duration::from_secs(5);

/// The word on the arena's command line that makes it run as the process of this door.
const DOOR_WORD: &str = "submission-door";

/// The address at which uploads arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubmitAddress(SocketAddr);

/// The address can be reached from other machines, and the user has not allowed that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{0} (`submit`) is not a loopback address: tokens and sources would cross the network unencrypted; put a \
     reverse proxy with TLS in front of a loopback address, or add `--submit-public`"
)]
pub(crate) struct SubmitNotPublic(SocketAddr);

impl SubmitAddress {
    /// Checks that only this machine can reach `address`, unless it `is_public`.
    ///
    /// # Errors
    /// Fails if other machines could reach it.
    pub(crate) fn new(address: SocketAddr, is_public: bool) -> Result<Self, SubmitNotPublic> {
        if is_public || address.ip().to_canonical().is_loopback() {
            Ok(Self(address))
        } else {
            Err(SubmitNotPublic(address))
        }
    }

    /// Listens on the address.
    pub(super) fn bind(self) -> Result<TcpListener, DoorsError> {
        let bound = TcpListener::bind(self.0).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
        bound.map_err(|source| DoorsError::Listen { address: self.0, source })
    }
}

/// The arena's side of the door.
pub(super) struct SubmitHall {
    desk: Rc<DoorDesk>,
    listener: TcpListener,
    tokens: TokenStore,
    gate: RefCell<Gate>,
    /// The only directory to which the process may write.
    incoming: PathBuf,
    /// The directory of the uploads that have arrived but are not settled.
    uploads: PathBuf,
    last_ticket: Cell<u64>,
    /// How many uploads of each player have arrived but are not delivered.
    pending: RefCell<HashMap<PlayerName, usize>>,
    /// Notifies the waiting tasks that an upload was delivered.
    delivered: Notify,
    /// The trouble with the process that was reported to the user.
    told: RefCell<Option<String>>,
}

/// An upload that the arena has let in.
struct AdmittedUpload {
    player: PlayerName,
    /// The number of the request.
    number: u64,
    host: Option<IpAddr>,
}

impl SubmitHall {
    pub(super) fn new(desk: Rc<DoorDesk>, listener: TcpListener, tokens: TokenStore) -> Self {
        let (incoming, uploads) = (desk.inbox.join("incoming"), desk.inbox.join(UPLOADS));
        let (gate, last_ticket) = (RefCell::new(Gate::new(MOST_UPLOADS)), Cell::new(0));
        let (pending, delivered, told) = (RefCell::default(), Notify::new(), RefCell::default());
        Self { desk, listener, tokens, gate, incoming, uploads, last_ticket, pending, delivered, told }
    }

    /// Notes that an upload of `player` has arrived but is not delivered yet.
    fn begin(&self, player: &PlayerName) {
        *self.pending.borrow_mut().entry(player.clone()).or_default() += 1;
    }

    /// Notes that an upload of `player` was delivered or abandoned.
    fn end(&self, player: &PlayerName) {
        let mut pending = self.pending.borrow_mut();
        let left = pending.remove(player).map_or(0, |number| number - 1);
        if left > 0 {
            pending.insert(player.clone(), left);
        }
        self.delivered.notify_waiters();
    }

    /// Lets in only those `players` that use this door.
    pub(super) fn admit(&self, players: &[PlayerDoor]) {
        let own = players.iter().filter(|player| player.entrance == Entrance::Submit);
        self.gate.borrow_mut().admit(own.map(|player| (player.name.clone(), player.closes)));
    }

    /// Sends the uploads that an earlier arena left behind to `arrived`, and counts them towards the daily limits of
    /// their players.
    async fn take_left(&self, arrived: &mpsc::UnboundedSender<StoredUpload>) {
        let uploads = self.uploads.clone();
        // If the directory cannot be read, there is nothing to deliver, and storing an upload fails as well.
        for upload in away(move || StoredUpload::left(&uploads)).await.unwrap_or_default() {
            if let Some(player) = upload.about.player() {
                self.begin(&player);
                self.desk.day.borrow_mut().count(&player, upload.about.arrived());
            }
            let _ = arrived.send(upload);
        }
    }

    /// Decides on a request, after holding it if necessary.
    async fn decide(&self, ask: &UploadAsk) -> Result<PlayerName, DoorAnswer> {
        let Some(digest) = TokenDigest::parse(&ask.token) else { return Err(gate::no_token()) };
        let host = ask.host.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let deadline = now() + LONGEST_HOLD;
        loop {
            let player = self.gate.borrow().player(&ask.player);
            let own = match player.as_ref().map(|player| self.tokens.digest(player)).transpose() {
                Ok(own) => own.flatten(),
                Err(error) => {
                    if let Some(player) = &player {
                        let path = self.tokens.file(player);
                        let trouble = format!("`{}`: {error}", crate::base::sanitise::Shown::shown(&*path));
                        self.desk.tell(player, DoorKind::Submit, trouble).await;
                    }
                    return Err(DoorAnswer::failure());
                }
            };
            let wait = player.as_ref().and_then(|player| self.desk.wait(player));
            let guest = Guest { player: &ask.player, digest, host: Host::from(host), wait, bytes: ask.bytes };
            let answer = self.gate.borrow_mut().judge(&guest, own, now(), wall_clock());
            match answer {
                GateAnswer::Granted(player) => return Ok(player),
                GateAnswer::Refused(answer) => return Err(answer),
                GateAnswer::Hold(until) if until > deadline => {
                    return Err(gate::held(until.saturating_duration_since(now())));
                }
                GateAnswer::Hold(until) => sleep_until(until).await,
            }
        }
    }

    /// Tells the user about `trouble`, printable text about the process, unless it has already been reported.
    async fn tell(&self, trouble: String) {
        if self.told.borrow_mut().replace(trouble.clone()).as_ref() != Some(&trouble) {
            let _ = self.desk.news.send(DoorNews::SubmitTrouble { trouble }).await;
        }
    }

    /// Tells the user that the process is working again, if trouble was reported.
    async fn tell_well(&self) {
        let earlier = self.told.borrow_mut().take();
        if earlier.is_some() {
            let _ = self.desk.news.send(DoorNews::SubmitMended).await;
        }
    }

    /// A new ticket, which is also the name of a file.
    fn ticket(&self) -> String {
        self.last_ticket.set(self.last_ticket.get() + 1);
        let since = wall_clock().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        format!("{}-{}", since.as_millis(), self.last_ticket.get())
    }

    /// Stores the upload with this `ticket`, which the process says is complete.
    async fn store(&self, ticket: &str, admitted: &AdmittedUpload) -> Result<StoredUpload, DoorAnswer> {
        let arrived = wall_clock();
        if let Some(answer) = self.gate.borrow().closed(&admitted.player, arrived) {
            return Err(answer);
        }
        self.begin(&admitted.player);
        let from = admitted.host.map_or_else(|| "an unknown address".to_owned(), |host| host.to_string());
        let about = UploadAbout::new(&admitted.player, arrived, from);
        let (incoming, uploads, name) = (self.incoming.clone(), self.uploads.clone(), ticket.to_owned());
        let stored = away(move || StoredUpload::store(&incoming, &uploads, &name, &about, MOST_UPLOAD)).await;
        if stored.is_err() {
            self.end(&admitted.player);
        }
        match stored {
            Ok(stored) => {
                self.desk.day.borrow_mut().count(&admitted.player, arrived);
                self.desk.tell_well(&admitted.player, DoorKind::Submit).await;
                Ok(stored)
            }
            Err(UploadFault::NoArchive) => Err(gate::no_archive()),
            Err(UploadFault::TooLarge) => Err(gate::too_large(MOST_UPLOAD)),
            Err(UploadFault::Io(error)) => {
                let trouble = format!("an upload cannot be stored: {}", explained(&error));
                self.desk.tell(&admitted.player, DoorKind::Submit, trouble).await;
                Err(DoorAnswer::failure())
            }
        }
    }
}

/// Waits until the door of `player` has closed and everything that the player has uploaded is delivered. Returns when
/// the door has closed.
pub(super) async fn watch(hall: Option<&SubmitHall>, player: &PlayerName, terms: &DoorTerms) -> WallTime {
    loop {
        let Some(closes) = terms.closes() else {
            terms.changed().await;
            continue;
        };
        if let Ok(left) = closes.duration_since(wall_clock()) {
            // An upload that arrives at exactly this time is on time.
            terms.pause(left + Duration::from_millis(1)).await;
            continue;
        }
        let Some(hall) = hall else { return closes };
        let delivered = hall.delivered.notified();
        if !hall.pending.borrow().contains_key(player) {
            return closes;
        }
        tokio::select! {
            () = delivered => {}
            () = terms.changed() => {}
        }
    }
}

/// Opens the door for all players, and delivers the uploads that an earlier arena left behind.
pub(super) async fn open(hall: &Rc<SubmitHall>) {
    let (arrived, unpacking) = mpsc::unbounded_channel();
    hall.take_left(&arrived).await;
    spawn_local(unpack(Rc::clone(hall), arrived.downgrade(), unpacking));
    spawn_local(serving::serve(Rc::clone(hall), arrived));
}

/// Unpacks and delivers uploads one after another. An upload that the machine cannot unpack is sent to `again` later.
async fn unpack(
    hall: Rc<SubmitHall>,
    again: mpsc::WeakUnboundedSender<StoredUpload>,
    mut arrived: mpsc::UnboundedReceiver<StoredUpload>,
) {
    while let Some(upload) = arrived.recv().await {
        let Some(player) = upload.about.player() else {
            away(move || removed(&upload.dir)).await.ok();
            continue;
        };
        let (intake, bounds, archive) = (hall.desk.intake.clone(), hall.desk.bounds.get(), upload.archive.clone());
        match away(move || intake.take_path(&archive, bounds)).await {
            Ok(taken) => {
                let delivery = DoorDelivery {
                    door: DoorKind::Submit,
                    arrived: upload.about.arrived(),
                    origin: format!("an upload from {}", crate::base::sanitise::sanitised(&upload.about.from)),
                    upload: Some(upload.dir),
                };
                hall.desk.tell_well(&player, DoorKind::Submit).await;
                hall.desk.deliver(&player, delivery, taken).await;
                hall.end(&player);
            }
            Err(error) => {
                let trouble = format!("an upload cannot be unpacked: {error}; the arena will try again every minute");
                hall.desk.tell(&player, DoorKind::Submit, trouble).await;
                let again = again.clone();
                spawn_local(async move {
                    sleep_until(now() + UNPACKED_EVERY).await;
                    let _ = again.upgrade().map(|again| again.send(upload));
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
