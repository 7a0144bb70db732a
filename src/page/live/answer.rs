//! The responses of the server: what each path returns.

use std::rc::Rc;

use hyper::body::{Body, Bytes};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::event_stream;
use super::hub::Hub;
use crate::base::percent::decoded;
use crate::page::http::{Access, AnswerBody, HttpSite, SiteAnswers};
use crate::referee::record::LoggedGame;

/// Finds the record of a game by its id in the tournament.
pub(crate) type Archive = Rc<dyn Fn(&str) -> Option<LoggedGame>>;

/// Everything that answers are made from.
#[derive(Clone)]
pub(crate) struct PageSite {
    pub answers: SiteAnswers,
    pub hub: Rc<Hub>,
    pub archive: Archive,
}

impl HttpSite for PageSite {
    fn access(&self) -> &Access {
        self.answers.access()
    }

    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody> {
        self.respond(&request)
    }
}

impl PageSite {
    /// The answer to `request`, whose body is not read.
    fn respond<B>(&self, request: &Request<B>) -> Response<AnswerBody> {
        let answers = &self.answers;
        if let Some(refusal) = answers.refused_host(request) {
            return refusal;
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return answers.refused_method("GET, HEAD", "this page is read-only\n");
        }
        match request.uri().path() {
            "/" => answers.page(self.hub.document()),
            "/state" => answers.json(self.hub.snapshot()),
            "/events" => self.events(request),
            "/healthz" => answers.text(StatusCode::OK, "ok\n"),
            path => {
                let id = path.strip_prefix("/game/").and_then(decoded);
                let game = id.and_then(|id| self.hub.game(&id, |id| (self.archive)(id)));
                game.map_or_else(
                    || answers.text(StatusCode::NOT_FOUND, "there is nothing here\n"),
                    |game| answers.json(game),
                )
            }
        }
    }

    /// The events from now on, or those after the last event that the client has.
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
