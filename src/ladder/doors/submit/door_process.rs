//! The process that listens for uploads. Its stdin is the listener, its stdout is its link to the arena, and its
//! working directory is the only one to which it may write.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::body::{Body, Bytes};
use hyper::header::{self, HeaderValue};
use hyper::{Request, Response, StatusCode};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, Scope,
};
use serde_json::json;
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{LocalSet, spawn_local};

use super::door_messages::{ArenaSays, DoorAnswer, DoorOrder, DoorSays, UploadAsk, next_line, written};
use super::request_head::asked;
use super::{DOOR_WORD, gate};
use crate::base::time::{now, timeout_at};
use crate::ladder::tokens::TokenDigest;
use crate::page::http::{self, Access, AnswerBody, HttpSite, PeerHost, SiteAnswers};

/// How much of a refused request is read, and for how long, so that the client finishes sending and reads the answer.
const MOST_DRAINED: u64 = 1 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// The content security policy of the answers, none of which is a page.
const POLICY: &str = "default-src 'none'";

/// Runs the door's process if `words`, the arguments of this process, ask for it. Returns the exit code. This process
/// must have no other threads.
pub(crate) fn run_submission_door(words: &[std::ffi::OsString]) -> Option<u8> {
    let is_door = matches!(words, [word] if word == DOOR_WORD);
    is_door.then(|| match run() {
        Ok(()) => 0,
        // There is no one to read an error, but the arena notices that the link is closed.
        Err(_) => 1,
    })
}

fn run() -> io::Result<()> {
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    #[expect(clippy::disallowed_methods, reason = "stdout is the socket to the arena, and nothing is printed")]
    let link = std::os::unix::net::UnixStream::from(io::stdout().as_fd().try_clone_to_owned()?);
    listener.set_nonblocking(true)?;
    link.set_nonblocking(true)?;
    // If the process is confined, this is a second barrier. Otherwise, it is the only one.
    let _ = shut_in();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, serve(listener, link))
}

/// Allows this process to write to its working directory, and nothing else that Landlock can forbid.
fn shut_in() -> Result<(), Box<dyn std::error::Error>> {
    let abi = ABI::V6;
    let own = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::MakeReg
        | AccessFs::RemoveFile
        | AccessFs::Truncate;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    ruleset.add_rule(PathBeneath::new(PathFd::new(".")?, own))?.restrict_self()?;
    Ok(())
}

async fn serve(listener: TcpListener, link: std::os::unix::net::UnixStream) -> io::Result<()> {
    let address = listener.local_addr()?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (heard, mut say) = UnixStream::from_std(link)?.into_split();
    let mut heard = BufReader::new(heard);
    let Some(order) = next_line::<DoorOrder>(&mut heard).await? else { return Ok(()) };
    let most = NonZeroUsize::new(order.most_connections).unwrap_or(NonZeroUsize::MIN);
    // Requests from anywhere, under any host name, are accepted: a browser that was tricked into sending one has no
    // token.
    let access = Access::new(address, true, &[], most).map_err(io::Error::other)?;
    let answers = SiteAnswers::new(POLICY, access).map_err(io::Error::other)?;
    let (out, mut messages) = mpsc::unbounded_channel::<DoorSays>();
    spawn_local(async move {
        while let Some(message) = messages.recv().await {
            if say.write_all(&written(&message)).await.is_err() {
                break;
            }
        }
    });
    let link = Rc::new(ArenaLink { out, last: Cell::new(0), waiting: RefCell::default() });
    let site = SubmitSite { answers, link: Rc::clone(&link), order };
    let (stop, stopped) = oneshot::channel();
    let serving = spawn_local(http::serve(listener, site, stopped));
    let _ = link.out.send(DoorSays::Ready);
    while let Some(said) = next_line::<ArenaSays>(&mut heard).await? {
        link.pass_on(said);
    }
    // The arena has ended, so no client can be let in any more.
    drop(stop);
    serving.abort();
    Ok(())
}

/// The door's site in memory, for the fuzz targets: what it says to the arena, and how to answer it.
#[cfg(fuzzing)]
pub(super) fn linked_site(
    access: Access,
    order: DoorOrder,
) -> (impl HttpSite, mpsc::UnboundedReceiver<DoorSays>, impl Fn(ArenaSays)) {
    let (out, said) = mpsc::unbounded_channel();
    let link = Rc::new(ArenaLink { out, last: Cell::new(0), waiting: RefCell::default() });
    let answers = SiteAnswers::new(POLICY, access).expect("a header");
    let site = SubmitSite { answers, link: Rc::clone(&link), order };
    (site, said, move |answer| link.pass_on(answer))
}

/// The link to the arena.
struct ArenaLink {
    out: mpsc::UnboundedSender<DoorSays>,
    last: Cell<u64>,
    /// The requests that wait for the arena, by number.
    waiting: RefCell<HashMap<u64, oneshot::Sender<ArenaSays>>>,
}

/// A request that waits for the arena, until this is dropped.
struct WaitingRequest<'a> {
    link: &'a ArenaLink,
    number: u64,
    answer: oneshot::Receiver<ArenaSays>,
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        // A request that has been answered is no longer listed.
        if self.link.waiting.borrow_mut().remove(&self.number).is_some() {
            let _ = self.link.out.send(DoorSays::Gone { number: self.number });
        }
    }
}

impl ArenaLink {
    fn pass_on(&self, said: ArenaSays) {
        let (ArenaSays::Granted { number, .. } | ArenaSays::Answer { number, .. }) = &said;
        let waiting = self.waiting.borrow_mut().remove(number);
        let unheard = match waiting {
            Some(waiting) => waiting.send(said).err(),
            None => Some(said),
        };
        if let Some(ArenaSays::Granted { ticket, .. }) = unheard {
            // The client has disconnected in the meantime.
            let _ = self.out.send(DoorSays::Dropped { ticket });
        }
    }

    /// Begins to wait for an answer to the request `number`.
    fn wait(&self, number: u64) -> WaitingRequest<'_> {
        let (tell, answer) = oneshot::channel();
        self.waiting.borrow_mut().insert(number, tell);
        WaitingRequest { link: self, number, answer }
    }

    fn number(&self) -> u64 {
        self.last.set(self.last.get() + 1);
        self.last.get()
    }
}

/// An upload in progress. On drop, the file of an incomplete upload is removed, and the arena is notified.
struct Upload<'a> {
    link: &'a ArenaLink,
    ticket: String,
    is_complete: bool,
}

impl Drop for Upload<'_> {
    fn drop(&mut self) {
        if !self.is_complete {
            let _ = std::fs::remove_file(&self.ticket);
            let _ = self.link.out.send(DoorSays::Dropped { ticket: self.ticket.clone() });
        }
    }
}

#[derive(Clone)]
struct SubmitSite {
    answers: SiteAnswers,
    link: Rc<ArenaLink>,
    order: DoorOrder,
}

impl HttpSite for SubmitSite {
    fn access(&self) -> &Access {
        self.answers.access()
    }

    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody> {
        let (head, mut body) = request.into_parts();
        let is_patient = head.headers.contains_key(header::EXPECT);
        let host = head.extensions.get::<PeerHost>().map(|peer| peer.0);
        let asked = asked(&head.method, head.uri.path(), &head.headers);
        let upload = match asked {
            Ok((player, token)) => self.upload(player, token, host, &mut body).await,
            Err(answer) => Err(answer),
        };
        let answer = match upload {
            Ok(answer) => answer,
            Err(answer) => {
                if !is_patient {
                    let _ = timeout_at(now() + DRAIN_TIME, drained(&mut body)).await;
                }
                answer
            }
        };
        self.told(&answer)
    }
}

impl SubmitSite {
    /// Receives the upload `body` for `player`.
    async fn upload<B: Body<Data = Bytes> + Unpin>(
        &self,
        player: String,
        token: TokenDigest,
        host: Option<std::net::IpAddr>,
        body: &mut B,
    ) -> Result<DoorAnswer, DoorAnswer> {
        let bytes = body.size_hint().exact();
        if bytes.is_some_and(|bytes| bytes > self.order.most_bytes) {
            return Err(gate::too_large(self.order.most_bytes));
        }
        let number = self.link.number();
        let waiting = self.link.wait(number);
        let ask = UploadAsk { number, player, token: token.text(), host, bytes };
        let _ = self.link.out.send(DoorSays::Ask(ask));
        let ticket = match heard(waiting).await? {
            ArenaSays::Granted { ticket, .. } => ticket,
            ArenaSays::Answer { answer, .. } => return Err(answer),
        };
        let mut upload = Upload { link: &self.link, ticket, is_complete: false };
        let written = timeout_at(now() + Duration::from_secs(self.order.seconds), self.write(&upload.ticket, body));
        written.await.map_err(|_| DoorAnswer::refusal(408, "the archive did not arrive in time"))??;
        upload.is_complete = true;
        let waiting = self.link.wait(number);
        let _ = self.link.out.send(DoorSays::Done { ticket: upload.ticket.clone() });
        match heard(waiting).await? {
            ArenaSays::Answer { answer, .. } => Ok(answer),
            ArenaSays::Granted { .. } => Err(DoorAnswer::failure()),
        }
    }

    /// Writes `body` to the new file `name`.
    async fn write<B: Body<Data = Bytes> + Unpin>(&self, name: &str, body: &mut B) -> Result<(), DoorAnswer> {
        let failure = |_: io::Error| DoorAnswer::failure();
        let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o644).open(name).map_err(failure)?;
        let mut total = 0;
        while let Some(data) = next_data(body).await {
            let data =
                data.map_err(|()| DoorAnswer::refusal(400, "the upload ended before the archive was complete"))?;
            total += data.len() as u64;
            if total > self.order.most_bytes {
                return Err(gate::too_large(self.order.most_bytes));
            }
            file.write_all(&data).map_err(failure)?;
        }
        Ok(())
    }

    /// `answer` as JSON.
    fn told(&self, answer: &DoorAnswer) -> Response<AnswerBody> {
        let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let text = format!("{}\n", json!({ "ok": status.is_success(), "message": answer.message }));
        let mut told = self.answers.whole(status, "application/json", Bytes::from(text));
        let headers = told.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(header::ALLOW, HeaderValue::from_static("PUT"));
        }
        if let Some(seconds) = answer.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        told
    }
}

/// Waits for the arena's decision.
async fn heard(mut waiting: WaitingRequest<'_>) -> Result<ArenaSays, DoorAnswer> {
    (&mut waiting.answer).await.map_err(|_| DoorAnswer::failure())
}

/// The next piece of `body`; `None` at its end, and an error if it is cut off.
async fn next_data<B: Body<Data = Bytes> + Unpin>(body: &mut B) -> Option<Result<Bytes, ()>> {
    loop {
        match std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await? {
            Err(_) => return Some(Err(())),
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Some(Ok(data));
                }
            }
        }
    }
}

/// Reads and discards a limited part of `body`.
async fn drained<B: Body<Data = Bytes> + Unpin>(body: &mut B) {
    let mut total = 0;
    while let Some(Ok(data)) = next_data(body).await {
        total += data.len() as u64;
        if total > MOST_DRAINED {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_arena_learns_of_each_client_that_leaves_whether_it_has_decided_or_not() {
        let (out, mut said) = mpsc::unbounded_channel();
        let link = ArenaLink { out, last: Cell::new(0), waiting: RefCell::default() };
        let granted = |number| ArenaSays::Granted { number, ticket: format!("ticket {number}") };
        let dropped = |number| DoorSays::Dropped { ticket: format!("ticket {number}") };
        // The client disconnects before the arena has decided.
        drop(link.wait(1));
        assert_eq!(said.try_recv(), Ok(DoorSays::Gone { number: 1 }));
        link.pass_on(granted(1));
        assert_eq!(said.try_recv(), Ok(dropped(1)));
        // The client disconnects before it has read the decision.
        let mut waiting = link.wait(2);
        waiting.answer.close();
        link.pass_on(granted(2));
        assert_eq!(said.try_recv(), Ok(dropped(2)));
        drop(waiting);
        // The client stays connected.
        let waiting = link.wait(3);
        link.pass_on(granted(3));
        assert!(matches!(heard(waiting).await, Ok(ArenaSays::Granted { number: 3, .. })));
        assert!(said.try_recv().is_err());
    }
}
