//! Answers, with the headers that they all have.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use hyper::{Request, Response, StatusCode};
use tokio::sync::mpsc;

use super::access::Access;
use super::frame_origin::FrameOrigin;

/// A site, which a page server serves. Each connection has a clone of the site.
pub(crate) trait HttpSite: Clone + 'static {
    /// Who may send requests.
    fn access(&self) -> &Access;

    /// The answer to `request`.
    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody>;
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

const WRONG_HOST: &str = "this page does not accept the host name in the address: open it by its IP address, or \
                          restart the arena with `--web-host NAME`, where NAME is that name\n";

/// Makes the answers of a site.
#[derive(Clone, Debug)]
pub(crate) struct SiteAnswers {
    /// The policy that allows only the page's script and style, and does not allow other pages to show the page in a
    /// frame.
    policy: HeaderValue,
    access: Rc<Access>,
}

impl SiteAnswers {
    /// The answers of a site whose page has the Content-Security-Policy `policy`. `access` determines who may send
    /// requests.
    ///
    /// # Errors
    /// Fails if `policy` is not a valid header value.
    pub(crate) fn new(policy: &str, access: Access) -> Result<Self, InvalidHeaderValue> {
        Ok(Self { policy: unframed(policy)?, access: Rc::new(access) })
    }

    /// Who may send requests.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// The refusal of `request` if it contains a host name that is not allowed.
    pub(crate) fn refused_host<B>(&self, request: &Request<B>) -> Option<Response<AnswerBody>> {
        (!self.is_for_this_page(request)).then(|| self.text(StatusCode::FORBIDDEN, WRONG_HOST))
    }

    /// Whether every host name in `request` is allowed.
    fn is_for_this_page<B>(&self, request: &Request<B>) -> bool {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (host, other) = (hosts.next(), hosts.next());
        let is_allowed = host.and_then(|host| host.to_str().ok()).is_some_and(|host| self.access.allows(host));
        let in_target = request.uri().authority();
        is_allowed && other.is_none() && in_target.is_none_or(|authority| self.access.allows(authority.as_str()))
    }

    /// The answer to a request whose method is not among `allowed`. The text `why` explains the refusal.
    pub(crate) fn refused_method(&self, allowed: &'static str, why: &'static str) -> Response<AnswerBody> {
        let mut refusal = self.text(StatusCode::METHOD_NOT_ALLOWED, why);
        refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
        refusal
    }

    /// A page.
    pub(crate) fn page(&self, html: Bytes) -> Response<AnswerBody> {
        self.whole(StatusCode::OK, "text/html; charset=utf-8", html)
    }

    /// A page with its own policy, made by [`unframed`] or [`framed_by`]. Other pages can show the page in a frame only
    /// in the second case.
    pub(crate) fn page_under(&self, (policy, framing): (&HeaderValue, Framing), html: Bytes) -> Response<AnswerBody> {
        let mut answer = self.page(html);
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        if framing == Framing::ByPolicy {
            // This header cannot name origins, and some browsers prefer it to the policy.
            headers.remove(header::X_FRAME_OPTIONS);
        }
        answer
    }

    /// Data as JSON.
    pub(crate) fn json(&self, text: Bytes) -> Response<AnswerBody> {
        self.whole(StatusCode::OK, "application/json", text)
    }

    /// A plain text.
    pub(crate) fn text(&self, status: StatusCode, text: &'static str) -> Response<AnswerBody> {
        self.whole(status, TEXT, Bytes::from_static(text.as_bytes()))
    }

    /// An answer whose body is complete.
    pub(crate) fn whole(&self, status: StatusCode, kind: &'static str, bytes: Bytes) -> Response<AnswerBody> {
        self.with(status, kind, AnswerBody::Whole(Some(bytes)))
    }

    /// An answer with the given status, content type and body.
    pub(crate) fn with(&self, status: StatusCode, kind: &'static str, body: AnswerBody) -> Response<AnswerBody> {
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        protect(headers);
        answer
    }
}

/// Who may show a page in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// No page.
    Never,
    /// The pages that the policy names.
    ByPolicy,
}

/// `policy`, extended so that no other page may show the page in a frame.
///
/// # Errors
/// Fails if `policy` is not a valid header value.
pub(crate) fn unframed(policy: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    HeaderValue::try_from(format!("{policy}; frame-ancestors 'none'"))
}

/// `policy`, extended so that only pages from `origins` may show the page in a frame.
///
/// # Errors
/// Fails if `policy` is not a valid header value.
pub(crate) fn framed_by(policy: &str, origins: &[FrameOrigin]) -> Result<HeaderValue, InvalidHeaderValue> {
    let origins: Vec<String> = origins.iter().map(ToString::to_string).collect();
    HeaderValue::try_from(format!("{policy}; frame-ancestors {}", origins.join(" ")))
}

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
