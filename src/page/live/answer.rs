//! The responses of the server: what each path returns.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;

use hyper::body::{Body, Bytes};
use hyper::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;
use tokio::sync::oneshot;

use super::event_stream;
use super::hub::Hub;
use super::tried_moves::{ReaderName, TooManyQuestions, TriedMoves, listed_moves};
use crate::base::percent::decoded;
use crate::game::Outcome;
use crate::page::http::{
    Access, AnswerBody, FrameOrigin, Framing, HttpSite, PeerHost, SiteAnswers, framed_by, unframed,
};
use crate::page::shown::{StageKind, stage_page, stage_policy};
use crate::referee::record::LoggedGame;

/// Finds the record of a game by its id in the tournament.
pub(crate) type Archive = Rc<dyn Fn(&str) -> Option<LoggedGame>>;

/// Everything that answers are made from.
#[derive(Clone)]
pub(crate) struct PageSite {
    pub answers: SiteAnswers,
    pub hub: Rc<Hub>,
    pub archive: Archive,
    pub stages: Rc<StagePages>,
    /// Readers' questions, if the page answers them.
    pub tried: Option<Rc<RefCell<TriedMoves>>>,
}

/// The pages with one board, each with its policy.
#[derive(Debug)]
pub(crate) struct StagePages {
    overlay: (HeaderValue, Bytes),
    /// The page for frames on other sites, if any site may show it.
    embed: Option<(HeaderValue, Bytes)>,
}

impl StagePages {
    /// The pages of the run called `title`. Pages from `embedders` may show one of these pages in a frame.
    ///
    /// # Errors
    /// Fails if a policy is not a valid header value.
    pub(crate) fn new(title: &str, embedders: &[FrameOrigin]) -> Result<Self, InvalidHeaderValue> {
        let page = |kind| Bytes::from(stage_page(kind, title));
        let policy = stage_policy();
        let embed =
            if embedders.is_empty() { None } else { Some((framed_by(&policy, embedders)?, page(StageKind::Embed))) };
        Ok(Self { overlay: (unframed(&policy)?, page(StageKind::Overlay)), embed })
    }
}

impl HttpSite for PageSite {
    fn access(&self) -> &Access {
        self.answers.access()
    }

    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody> {
        let peer = request.extensions().get::<PeerHost>().map(|peer| peer.0);
        match self.respond(&request, peer) {
            SiteReply::Now(answer) => answer,
            SiteReply::Later(found) => self.answers.json(value_text(found.await.unwrap_or_default())),
        }
    }
}

/// The response to a request.
enum SiteReply {
    /// An answer that is ready.
    Now(Response<AnswerBody>),
    /// The value of a position, as soon as it is known.
    Later(oneshot::Receiver<Option<Outcome>>),
}

/// A value as JSON text; `None` means that the value is unknown.
fn value_text(outcome: Option<Outcome>) -> Bytes {
    let winner = outcome.map(Outcome::winner_name);
    Bytes::from(json!({ "winner": winner, "margin": outcome.and_then(|outcome| outcome.margin) }).to_string())
}

impl PageSite {
    /// The answer to `request`, whose body is not read.
    fn respond<B>(&self, request: &Request<B>, peer: Option<IpAddr>) -> SiteReply {
        let answers = &self.answers;
        if let Some(refusal) = answers.refused_host(request) {
            return SiteReply::Now(refusal);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return SiteReply::Now(answers.refused_method("GET, HEAD", "this page is read-only\n"));
        }
        if let ("/value", Some(tried)) = (request.uri().path(), &self.tried) {
            return self.value(request.uri().query().unwrap_or_default(), peer, tried);
        }
        SiteReply::Now(match request.uri().path() {
            "/" => answers.page(self.hub.document()),
            "/state" => answers.json(self.hub.snapshot()),
            "/events" => self.events(request),
            "/healthz" => answers.text(StatusCode::OK, "ok\n"),
            "/overlay" => {
                let (policy, page) = &self.stages.overlay;
                answers.page_under((policy, Framing::Never), page.clone())
            }
            "/embed" => self.embed(),
            path => {
                let id = path.strip_prefix("/game/").and_then(decoded);
                let game = id.and_then(|id| self.hub.game(&id, |id| (self.archive)(id)));
                game.map_or_else(|| answers.text(StatusCode::NOT_FOUND, NOTHING), |game| answers.json(game))
            }
        })
    }

    /// The page for frames on other sites.
    fn embed(&self) -> Response<AnswerBody> {
        match &self.stages.embed {
            Some((policy, page)) => self.answers.page_under((policy, Framing::ByPolicy), page.clone()),
            None => self.answers.text(StatusCode::NOT_FOUND, NOTHING),
        }
    }

    /// The value of the position that `query`, from the reader at `peer`, describes, or the reason why there is no
    /// value.
    fn value(&self, query: &str, peer: Option<IpAddr>, tried: &RefCell<TriedMoves>) -> SiteReply {
        let refused = |status, why| SiteReply::Now(self.answers.text(status, why));
        let field = |name: &str| {
            let fields = query.split('&').filter_map(|field| field.split_once('='));
            fields.filter(|(own, _)| *own == name).map(|(_, value)| value).next()
        };
        let Some(reader) = field("reader").and_then(|own| ReaderName::new(peer, own)) else {
            return refused(StatusCode::BAD_REQUEST, NO_READER);
        };
        let moves = field("moves").and_then(decoded).and_then(|text| listed_moves(&text));
        let Some(moves) = moves else { return refused(StatusCode::BAD_REQUEST, NO_MOVES) };
        let mut position = self.hub.update(|state| state.ruleset()).start();
        if !moves.iter().all(|played| position.play(played.as_str()).is_ok()) {
            return refused(StatusCode::BAD_REQUEST, NOT_LEGAL);
        }
        match tried.borrow_mut().ask(reader, moves, self.hub.at()) {
            Ok(found) => SiteReply::Later(found),
            Err(TooManyQuestions) => refused(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY),
        }
    }

    /// The events from now on, or all events after the last one that the client has received.
    fn events<B>(&self, request: &Request<B>) -> Response<AnswerBody> {
        if request.method() == Method::HEAD {
            return self.answers.whole(StatusCode::OK, EVENTS, Bytes::new());
        }
        let last = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
        let events = event_stream::start(Rc::clone(&self.hub), last);
        let mut answer = self.answers.with(StatusCode::OK, EVENTS, AnswerBody::Stream(events));
        // Otherwise, nginx would buffer the events.
        answer.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        answer
    }
}

const EVENTS: &str = "text/event-stream";

const NOTHING: &str = "there is nothing here\n";
const NO_READER: &str = "`reader` is missing: a word of at most 32 letters and digits that identifies the reader\n";
const NO_MOVES: &str = "`moves` is missing or too long: the moves from the start of the game, separated by commas\n";
const NOT_LEGAL: &str = "these moves are not legal from the start of the game\n";
const TOO_MANY: &str = "too many requests are waiting: try again in a moment\n";
