//! The head of a request: the player for whom a bot is uploaded, and the token.

use hyper::Method;
use hyper::header::{self, HeaderMap};

use super::door_messages::DoorAnswer;
use crate::base::percent::decoded;
use crate::base::sanitise::sanitised;
use crate::ladder::tokens::TokenDigest;
use crate::tournament::PlayerName;

/// The path below which players upload.
const SUBMIT_PATH: &str = "/submit/";

/// The maximum length of a token; longer ones are not examined.
const LONGEST_TOKEN: usize = 256;

/// The name of the player and the digest of the token in the head of a request.
pub(super) fn asked(method: &Method, path: &str, headers: &HeaderMap) -> Result<(String, TokenDigest), DoorAnswer> {
    let Some(name) = path.strip_prefix(SUBMIT_PATH) else {
        return Err(DoorAnswer::refusal(404, "players submit at `/submit/NAME`, where NAME is the player's name"));
    };
    if *method != Method::PUT {
        return Err(DoorAnswer::refusal(405, "send the archive with PUT, or use `gothello-arena submit`"));
    }
    let name = decoded(name).filter(|name| *name == sanitised(name)).and_then(|name| PlayerName::new(name).ok());
    let name = name.ok_or_else(|| DoorAnswer::refusal(404, "the address does not end with a player's name"))?;
    let mut tokens = headers.get_all(header::AUTHORIZATION).iter();
    let (token, other) = (tokens.next().and_then(|token| token.to_str().ok()), tokens.next());
    let token = token.filter(|_| other.is_none()).and_then(|token| {
        let (scheme, token) = token.split_once(' ')?;
        let token = token.trim_matches(' ');
        (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.len() <= LONGEST_TOKEN).then_some(token)
    });
    let missing = "send your token in a single header, `Authorization: Bearer TOKEN`";
    let token = token.ok_or_else(|| DoorAnswer::refusal(401, missing))?;
    Ok((name.to_string(), TokenDigest::of(token)))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn head(path: &str, tokens: &[&str]) -> Result<String, u16> {
        let mut headers = HeaderMap::new();
        for token in tokens {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(token).expect("a value"));
        }
        asked(&Method::PUT, path, &headers).map(|(name, _)| name).map_err(|answer| answer.status)
    }

    #[test]
    fn a_request_names_a_player_and_has_one_token() {
        let token = &["Bearer 0123"][..];
        assert_eq!(head("/submit/ada", token), Ok("ada".to_owned()));
        assert_eq!(head("/submit/Ada%20L%2e%C3%A9", &["bearer  0123 "]), Ok("Ada L.\u{e9}".to_owned()));
        for path in [
            "/",
            "/submit",
            "/submits/ada",
            "/submit/",
            "/submit/%",
            "/submit/%4",
            "/submit/%zz",
            "/submit/%+1",
            "/submit/%00",
            "/submit/%ff",
            "/submit/%e2%80%ae",
            "/submit/a%3Ab",
            "/submit/../ada",
        ] {
            let expected = if path.ends_with("/../ada") { Ok("../ada".to_owned()) } else { Err(404) };
            assert_eq!(head(path, token), expected, "{path}");
        }
        let long = format!("Bearer {}", "a".repeat(257));
        for tokens in
            [&[][..], &[""], &["Bearer"], &["Bearer "], &["Basic 0123"], &["0123"], &[&long], &["Bearer a", "Bearer a"]]
        {
            assert_eq!(head("/submit/ada", tokens), Err(401), "{tokens:?}");
        }
        assert_eq!(
            asked(&Method::POST, "/submit/ada", &HeaderMap::new()).map(|_| ()).map_err(|it| it.status),
            Err(405)
        );
    }
}
