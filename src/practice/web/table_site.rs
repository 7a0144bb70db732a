//! The answer to each request.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::body::{Body, Bytes};
use hyper::{Request, Response};

use super::admission::{Admitted, MAX_BODY, TableRefusal, admit};
use super::markup;
use super::shared_table::{SharedTable, TableAct};
use super::web_token::WebToken;
use crate::base::time::{now, timeout_at};
use crate::page::http::{Access, AnswerBody, HttpSite, SiteAnswers};

/// The longest wait for a newer board before a request is answered. Connections that are silent for longer are closed.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// The data from which answers are made.
#[derive(Clone)]
pub(super) struct TableSite {
    answers: SiteAnswers,
    token: Rc<WebToken>,
    table: Rc<SharedTable>,
    page: Bytes,
}

impl HttpSite for TableSite {
    fn access(&self) -> &Access {
        self.answers.access()
    }

    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody> {
        if let Some(refusal) = self.answers.refused_host(&request) {
            return refusal;
        }
        match self.granted(request).await {
            Ok(answer) => answer,
            Err(refusal @ TableRefusal::WrongMethod(allowed)) => self.answers.refused_method(allowed, refusal.text()),
            Err(refusal) => self.answers.text(refusal.status(), refusal.text()),
        }
    }
}

impl TableSite {
    /// Creates the site of `table`, for anyone who has `token`.
    pub(super) fn new(answers: SiteAnswers, token: WebToken, table: Rc<SharedTable>) -> Self {
        Self { answers, token: Rc::new(token), table, page: markup::page().into() }
    }

    /// The answer to a request whose host names are allowed.
    async fn granted<B: Body<Data = Bytes> + Unpin>(
        &self,
        request: Request<B>,
    ) -> Result<Response<AnswerBody>, TableRefusal> {
        match admit(&request, &self.token)? {
            Admitted::Page => Ok(self.answers.page(self.page.clone())),
            Admitted::Board(after) => {
                match after {
                    Some(seq) => self.table.newer_than(seq, now() + PATIENCE).await,
                    // Only a page that has just been opened has no board yet.
                    None => self.table.use_now(),
                }
                Ok(self.answers.json(self.table.told().into()))
            }
            Admitted::Act => {
                let body = timeout_at(now() + BODY_TIMEOUT, read(request.into_body())).await;
                let body = body.map_err(|_| TableRefusal::TooSlow)??;
                let act: TableAct = serde_json::from_slice(&body).map_err(|_| TableRefusal::Malformed)?;
                Ok(self.answers.json(self.table.act(&act).into()))
            }
        }
    }
}

/// The whole of `body`, if it is not too long.
async fn read<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Vec<u8>, TableRefusal> {
    let mut all = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| TableRefusal::Malformed)?;
        let data = frame.into_data().unwrap_or_default();
        if all.len() + data.len() > MAX_BODY {
            return Err(TableRefusal::TooLong);
        }
        all.extend_from_slice(&data);
    }
    Ok(all)
}
