//! The responses of the server: what each path returns, and the headers of every response.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::mpsc;

use super::access::Access;
use super::event_stream;
use super::hub::Hub;
use crate::referee::record::LoggedGame;

/// Finds the record of a game by its id in the tournament.
pub(crate) type Archive = Rc<dyn Fn(&str) -> Option<LoggedGame>>;

/// Everything that answers are made from.
#[derive(Clone)]
pub(crate) struct PageSite {
    /// The policy that allows the page's script and style, and nothing else.
    pub policy: HeaderValue,
    pub access: Rc<Access>,
    pub hub: Rc<Hub>,
    pub archive: Archive,
}

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum AnswerBody {
    /// The whole body; `None` once it has been sent.
    Whole(Option<Bytes>),
    /// Events, as they occur.
    Stream(mpsc::Receiver<Bytes>),
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Stream(events) => events.poll_recv(context),
        };
        data.map(|data| data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

const TEXT: &str = "text/plain; charset=utf-8";

impl PageSite {
    /// The answer to `request`.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<AnswerBody> {
        if !self.is_for_this_page(request) {
            let why = "this page does not accept the host name in the address: open it by its IP address, or start the \
                       arena again with `--web-host NAME`, where NAME is that name\n";
            return self.text(StatusCode::FORBIDDEN, why);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = self.text(StatusCode::METHOD_NOT_ALLOWED, "this page is read-only\n");
            refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        match request.uri().path() {
            "/" => self.whole(StatusCode::OK, "text/html; charset=utf-8", self.hub.document()),
            "/state" => self.json(self.hub.snapshot()),
            "/events" => self.events(request),
            "/healthz" => self.text(StatusCode::OK, "ok\n"),
            path => {
                let id = path.strip_prefix("/game/").and_then(decoded);
                let game = id.and_then(|id| self.hub.game(&id, |id| (self.archive)(id)));
                game.map_or_else(|| self.text(StatusCode::NOT_FOUND, "there is nothing here\n"), |game| self.json(game))
            }
        }
    }

    /// Whether every host name in `request` is allowed.
    fn is_for_this_page<B>(&self, request: &Request<B>) -> bool {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (host, other) = (hosts.next(), hosts.next());
        let is_allowed = host.and_then(|host| host.to_str().ok()).is_some_and(|host| self.access.allows(host));
        let in_target = request.uri().authority();
        is_allowed && other.is_none() && in_target.is_none_or(|authority| self.access.allows(authority.as_str()))
    }

    /// The events from now on, or those after the last event that the client has.
    fn events<B>(&self, request: &Request<B>) -> Response<AnswerBody> {
        if request.method() == Method::HEAD {
            return self.whole(StatusCode::OK, EVENTS, Bytes::new());
        }
        let last = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
        let events = event_stream::start(Rc::clone(&self.hub), last);
        let mut answer = self.with(StatusCode::OK, EVENTS, AnswerBody::Stream(events));
        // Otherwise, nginx would buffer the events.
        answer.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        answer
    }

    fn json(&self, text: Bytes) -> Response<AnswerBody> {
        self.whole(StatusCode::OK, "application/json", text)
    }

    fn text(&self, status: StatusCode, text: &'static str) -> Response<AnswerBody> {
        self.whole(status, TEXT, Bytes::from_static(text.as_bytes()))
    }

    fn whole(&self, status: StatusCode, kind: &'static str, bytes: Bytes) -> Response<AnswerBody> {
        self.with(status, kind, AnswerBody::Whole(Some(bytes)))
    }

    fn with(&self, status: StatusCode, kind: &'static str, body: AnswerBody) -> Response<AnswerBody> {
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        protect(headers);
        answer
    }
}

const EVENTS: &str = "text/event-stream";

/// Adds the headers that every answer has.
fn protect(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// A part of a path without its `%` escapes; `None` if they are malformed or do not encode text.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_escapes_of_a_path_are_undone_once() {
        assert_eq!(decoded("r1-gr%C3%B6%c3%9fe-b").as_deref(), Some("r1-größe-b"));
        assert_eq!(decoded("%252e").as_deref(), Some("%2e"));
        for wrong in ["%", "%4", "%zz", "%ff", "%+1"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
