//! Who sends a request: a guest, a player with its token, or the teacher.

use std::cell::RefCell;

use hyper::header::HeaderMap;

use crate::base::percent;
use crate::base::time::{now, sleep_until};
use crate::host::lobby::source_host::Host;
use crate::host::lobby::wrong_tokens::WrongTokens;
use crate::ladder::tokens::{SubmissionToken, TokenDigest, TokenStore};
use crate::page::http::PeerHost;
use crate::tournament::PlayerName;

/// The header with the name of a player, a colon and its token. The teacher has no name. Characters of the name other
/// than ASCII letters and digits may be percent-encoded.
const TOKEN_HEADER: &str = "x-gothello-token";

/// How many times a request with a wrong token is held back because of earlier wrong tokens before it is refused.
const HOLDS: u32 = 4;

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageVisitor {
    /// A visitor without a token.
    Guest,
    /// The player that has the token.
    Student(PlayerName),
    /// The person who has the token that the run printed.
    Teacher,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotAdmitted {
    /// The token does not belong to the player, or there is no such player.
    WrongToken,
    /// Too many wrong tokens were sent.
    TooMany,
}

/// Checks tokens.
#[derive(Debug)]
pub(super) struct Doorkeeper {
    players: TokenStore,
    teacher: TokenDigest,
    wrong: RefCell<WrongTokens>,
}

impl Doorkeeper {
    /// Admits the players in `players` by their tokens, and the teacher by the token `teacher`.
    pub(super) fn new(players: TokenStore, teacher: &SubmissionToken) -> Self {
        Self { players, teacher: TokenDigest::of(&teacher.text()), wrong: RefCell::default() }
    }

    /// Who sends a request with these `headers` from `peer`. Wrong tokens delay the next answer to a wrong token with
    /// the same name from the same host, but never the answer to a correct token: behind a proxy, all visitors have the
    /// same host, and a token has too many random bits to be guessed.
    ///
    /// # Errors
    /// Fails if the request contains a wrong token.
    pub(super) async fn admit(&self, headers: &HeaderMap, peer: Option<PeerHost>) -> Result<PageVisitor, NotAdmitted> {
        let mut tokens = headers.get_all(TOKEN_HEADER).iter();
        let Some(token) = tokens.next() else { return Ok(PageVisitor::Guest) };
        let (Some(PeerHost(peer)), None) = (peer, tokens.next()) else { return Err(NotAdmitted::WrongToken) };
        let claim = token.to_str().ok().and_then(TokenClaim::parse);
        if let Some(visitor) = claim.as_ref().and_then(|claim| self.visitor(claim)) {
            return Ok(visitor);
        }
        let (name, host) = (claim.as_ref().map_or("", |claim| claim.name.as_str()), Host::from(peer));
        let mut holds = 0;
        loop {
            let held = self.wrong.borrow().held_until(host, name, now());
            match held {
                None => break,
                Some(_) if holds == HOLDS => return Err(NotAdmitted::TooMany),
                Some(until) => sleep_until(until).await,
            }
            holds += 1;
        }
        self.wrong.borrow_mut().wrong(host, name, now());
        Err(NotAdmitted::WrongToken)
    }

    /// Who has the token of `claim`.
    fn visitor(&self, claim: &TokenClaim) -> Option<PageVisitor> {
        if claim.name.is_empty() {
            return self.teacher.is(claim.digest).then_some(PageVisitor::Teacher);
        }
        let player = PlayerName::new(claim.name.clone()).ok()?;
        // A player whose token cannot be read is not admitted.
        let own = self.players.digest(&player).ok().flatten()?;
        own.is(claim.digest).then_some(PageVisitor::Student(player))
    }
}

/// What a request says about its sender.
#[derive(Debug)]
struct TokenClaim {
    name: String,
    digest: TokenDigest,
}

impl TokenClaim {
    /// The claim in `text`, such as `ada:0123456789abcdef0123456789abcdef`.
    fn parse(text: &str) -> Option<Self> {
        let (name, token) = text.split_once(':')?;
        Some(Self { name: percent::decoded(name)?, digest: TokenDigest::of(token) })
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    struct Door {
        keeper: Doorkeeper,
        teacher: String,
        ada: String,
        _dir: tempfile::TempDir,
    }

    fn name(name: &str) -> PlayerName {
        PlayerName::new(name).expect("a name")
    }

    fn door() -> Door {
        let dir = tempfile::tempdir().expect("a directory");
        let store = TokenStore::in_dir(dir.path().join("tokens"));
        let ada = store.issue(&name("Ada Lö")).expect("a token").text();
        let teacher = SubmissionToken::random().expect("a token");
        Door { keeper: Doorkeeper::new(store, &teacher), teacher: teacher.text(), ada, _dir: dir }
    }

    fn admitted(door: &Door, tokens: &[&str]) -> Result<PageVisitor, NotAdmitted> {
        let mut headers = HeaderMap::new();
        for token in tokens {
            headers.append(TOKEN_HEADER, token.parse().expect("a value"));
        }
        let peer = Some(PeerHost(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(door.keeper.admit(&headers, peer))
    }

    #[test]
    fn a_token_admits_the_player_or_the_teacher_to_whom_it_belongs_and_nobody_else() {
        let door = door();
        let Door { teacher, ada, .. } = &door;
        assert_eq!(admitted(&door, &[]), Ok(PageVisitor::Guest));
        let link = format!("{}:{ada}", percent::encoded("Ada Lö"));
        assert_eq!(link.split(':').next(), Some("Ada%20L%C3%B6"));
        assert_eq!(admitted(&door, &[&link]), Ok(PageVisitor::Student(name("Ada Lö"))));
        assert_eq!(admitted(&door, &[&format!(":{teacher}")]), Ok(PageVisitor::Teacher));
        for wrong in [
            format!(":{ada}"),
            format!("Ada%20L%C3%B6:{teacher}"),
            format!("Ada%20L%C3%B6:{}", ada.to_uppercase()) + "0",
            format!("bo:{ada}"),
            format!("Ada%20L%C3:{ada}"),
            format!("%2e%2e%2fada:{ada}"),
            ada.clone(),
            ":".to_owned(),
            String::new(),
        ] {
            assert_eq!(admitted(&door, &[&wrong]), Err(NotAdmitted::WrongToken), "{wrong}");
        }
        assert_eq!(admitted(&door, &[&link, &link]), Err(NotAdmitted::WrongToken), "a header that is sent twice");
    }

    #[test]
    fn wrong_tokens_delay_no_right_one_even_from_the_same_host() {
        let door = door();
        let Door { teacher, ada, keeper, .. } = &door;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let host = Host::from(IpAddr::V4(Ipv4Addr::LOCALHOST));
        for guess in ["Ada Lö", ""].repeat(50) {
            keeper.wrong.borrow_mut().wrong(host, guess, now());
        }
        let wrong = format!("{}:{teacher}", percent::encoded("Ada Lö"));
        // The answer, if it is available without waiting.
        let at_once = |token: &str| {
            let mut headers = HeaderMap::new();
            headers.append(TOKEN_HEADER, token.parse().expect("a value"));
            let peer = Some(PeerHost(IpAddr::V4(Ipv4Addr::LOCALHOST)));
            match pin!(keeper.admit(&headers, peer)).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(admitted) => Some(admitted),
                Poll::Pending => None,
            }
        };
        let link = format!("{}:{ada}", percent::encoded("Ada Lö"));
        let _guard = runtime.enter();
        assert_eq!(at_once(&wrong), None, "a wrong one waits");
        assert_eq!(at_once(&link), Some(Ok(PageVisitor::Student(name("Ada Lö")))));
        assert_eq!(at_once(&format!(":{teacher}")), Some(Ok(PageVisitor::Teacher)));
    }

    #[test]
    fn the_debug_text_has_no_token() {
        let door = door();
        let text = format!("{:?}", door.keeper);
        assert!(!text.contains(&door.teacher) && !text.contains(&TokenDigest::of(&door.teacher).text()));
    }
}
