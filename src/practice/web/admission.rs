//! Which requests are answered. The host names in a request have already been checked.

use hyper::header::{self, AsHeaderName, HeaderMap};
use hyper::{Method, Request, StatusCode};

use super::web_token::WebToken;

/// The header with the token. A page from another origin cannot send it without a preflight request, which is refused.
pub(super) const TOKEN_HEADER: &str = "x-gothello-token";

/// The longest body that is read, in bytes. A request is much shorter.
pub(super) const MAX_BODY: usize = 1024;

/// The purpose of an admitted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// The page, which reveals nothing about the game.
    Page,
    /// The board, as soon as it is newer than the state with this number.
    Board(Option<u64>),
    /// The action that the body describes.
    Act,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableRefusal {
    NoSuchPath,
    /// The path is used with these methods only.
    WrongMethod(&'static str),
    NoToken,
    ForeignOrigin,
    WrongType,
    TooLong,
    TooSlow,
    Malformed,
}

impl TableRefusal {
    /// The status of the answer.
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::WrongType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Malformed => StatusCode::BAD_REQUEST,
        }
    }

    /// The reason, as a line.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::NoSuchPath => "there is nothing here\n",
            Self::WrongMethod(_) => "this path does not accept this method\n",
            Self::NoToken => "this board needs the token: open the full link that the program printed\n",
            Self::ForeignOrigin => "this request does not come from the board's own page\n",
            Self::WrongType => "the body must be application/json\n",
            Self::TooLong => "the body is too long\n",
            Self::TooSlow => "the body did not arrive in time\n",
            Self::Malformed => "the body is not a request\n",
        }
    }
}

/// The purpose of `request`, if `token` admits it.
///
/// # Errors
/// Returns the reason if it does not.
pub(super) fn admit<B>(request: &Request<B>, token: &WebToken) -> Result<Admitted, TableRefusal> {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    let is_reading = matches!(*method, Method::GET | Method::HEAD);
    let admitted = match uri.path() {
        "/" if is_reading => return Ok(Admitted::Page),
        "/board" if method == Method::GET => Admitted::Board(after(uri.query())),
        "/act" if method == Method::POST => Admitted::Act,
        "/" => return Err(TableRefusal::WrongMethod("GET, HEAD")),
        "/board" => return Err(TableRefusal::WrongMethod("GET")),
        "/act" => return Err(TableRefusal::WrongMethod("POST")),
        _ => return Err(TableRefusal::NoSuchPath),
    };
    if !only(headers, TOKEN_HEADER).is_some_and(|text| token.is(text)) {
        return Err(TableRefusal::NoToken);
    }
    if admitted == Admitted::Act {
        check_act(headers)?;
    }
    Ok(admitted)
}

/// Checks a request that changes the game.
fn check_act(headers: &HeaderMap) -> Result<(), TableRefusal> {
    let (origin, host) = (only(headers, header::ORIGIN), only(headers, header::HOST));
    let is_own = origin.zip(host).is_some_and(|(origin, host)| {
        let origin = ["http://", "https://"].iter().find_map(|scheme| origin.strip_prefix(scheme));
        origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    });
    if !is_own {
        return Err(TableRefusal::ForeignOrigin);
    }
    let kind = only(headers, header::CONTENT_TYPE).and_then(|kind| kind.split(';').next()).unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("application/json") {
        return Err(TableRefusal::WrongType);
    }
    let length = only(headers, header::CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_BODY) { Err(TableRefusal::TooLong) } else { Ok(()) }
}

/// The number in `after=7`.
fn after(query: Option<&str>) -> Option<u64> {
    query?.strip_prefix("after=")?.parse().ok()
}

/// The value of the header `name`, if the request has exactly one such header.
fn only(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

#[cfg(test)]
mod tests {
    use hyper::http::request::Builder;

    use super::*;

    fn token() -> WebToken {
        WebToken::random().expect("random numbers")
    }

    /// Checks a request that `token` would admit, except for the headers that `change` sets.
    fn act(token: &WebToken, change: &[(&str, &str)]) -> Result<Admitted, TableRefusal> {
        let text = token.text();
        let usual = [
            ("host", "127.0.0.1:8080"),
            (TOKEN_HEADER, text.as_str()),
            ("origin", "http://127.0.0.1:8080"),
            ("content-type", "application/json"),
        ];
        let mut request = Request::builder().method("POST").uri("/act");
        for (name, value) in usual {
            if change.iter().all(|(changed, _)| *changed != name) {
                request = request.header(name, value);
            }
        }
        let set = |request: Builder, (name, value): &(&str, &str)| request.header(*name, *value);
        let request = change.iter().filter(|(_, value)| !value.is_empty()).fold(request, set);
        admit(&request.body(()).expect("a request"), token)
    }

    #[test]
    fn an_act_needs_the_token_its_own_origin_and_json() {
        use TableRefusal::{ForeignOrigin, NoToken, TooLong, WrongType};
        let token = token();
        assert_eq!(act(&token, &[]), Ok(Admitted::Act));
        let other = self::token().text();
        for (change, refusal) in [
            ((TOKEN_HEADER, ""), NoToken),
            ((TOKEN_HEADER, other.as_str()), NoToken),
            (("origin", ""), ForeignOrigin),
            (("origin", "null"), ForeignOrigin),
            (("origin", "http://evil.example"), ForeignOrigin),
            (("origin", "http://127.0.0.1:8081"), ForeignOrigin),
            (("origin", "http://127.0.0.1"), ForeignOrigin),
            (("origin", "file://127.0.0.1:8080"), ForeignOrigin),
            (("origin", "127.0.0.1:8080"), ForeignOrigin),
            (("content-type", ""), WrongType),
            (("content-type", "text/plain"), WrongType),
            (("content-type", "application/x-www-form-urlencoded"), WrongType),
            (("content-type", "application/jsonp"), WrongType),
            (("content-length", "1025"), TooLong),
        ] {
            assert_eq!(act(&token, &[change]), Err(refusal), "{change:?}");
        }
        for change in [
            ("origin", "https://127.0.0.1:8080"),
            ("content-type", "Application/JSON; charset=utf-8"),
            ("content-length", "1024"),
        ] {
            assert_eq!(act(&token, &[change]), Ok(Admitted::Act), "{change:?}");
        }
        let twice = [("origin", "http://127.0.0.1:8080"), ("origin", "http://evil.example")];
        assert_eq!(act(&token, &twice), Err(ForeignOrigin));
        let text = token.text();
        assert_eq!(act(&token, &[(TOKEN_HEADER, text.as_str()), (TOKEN_HEADER, other.as_str())]), Err(NoToken));
    }

    #[test]
    fn only_the_page_is_read_without_the_token_and_only_three_paths_exist() {
        use TableRefusal::{NoSuchPath, NoToken, WrongMethod};
        let token = token();
        let ask = |method: &str, uri: &str, has_token: bool| {
            let request = Request::builder().method(method).uri(uri);
            let request = if has_token { request.header(TOKEN_HEADER, token.text()) } else { request };
            admit(&request.body(()).expect("a request"), &token)
        };
        for has_token in [false, true] {
            for method in ["GET", "HEAD"] {
                assert_eq!(ask(method, "/", has_token), Ok(Admitted::Page));
            }
            for (method, uri, allowed) in [
                ("POST", "/", "GET, HEAD"),
                ("OPTIONS", "/board", "GET"),
                ("HEAD", "/board", "GET"),
                ("POST", "/board", "GET"),
                ("GET", "/act", "POST"),
                ("PUT", "/act", "POST"),
                ("OPTIONS", "/act", "POST"),
            ] {
                assert_eq!(ask(method, uri, has_token), Err(WrongMethod(allowed)), "{method} {uri}");
            }
            for uri in ["/board/", "/state", "/events", "/..", "/%2e", "/favicon.ico"] {
                assert_eq!(ask("GET", uri, has_token), Err(NoSuchPath), "{uri}");
            }
        }
        assert_eq!(ask("GET", "/board", false), Err(NoToken));
        assert_eq!(ask("GET", &format!("/board?token={}", token.text()), false), Err(NoToken), "only in a header");
        assert_eq!(ask("GET", "/board", true), Ok(Admitted::Board(None)));
        assert_eq!(ask("GET", "/board?after=7", true), Ok(Admitted::Board(Some(7))));
        for wrong in ["/board?after=-7", "/board?after=", "/board?before=7", "/board?after=99999999999999999999"] {
            assert_eq!(ask("GET", wrong, true), Ok(Admitted::Board(None)), "{wrong}");
        }
    }
}
