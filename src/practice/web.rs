//! A game in a browser: one board over HTTP for anyone with the link.
//!
//! Every request that reveals something about the game, or changes it, needs the token in the link. The browser draws
//! the board and sends what a person chooses; the rules, the opponent and the solver stay in this process.
//!
//! | room | contents |
//! | --- | --- |
//! | `admission` | which requests are answered |
//! | `board_told` | what clients are told about the game |
//! | `markup` | the page |
//! | `shared_table` | the game, shared by all clients |
//! | `table_site` | the answer to each request |
//! | `web_token` | the token in the link |

mod admission;
mod board_told;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_site;
mod markup;
mod shared_table;
mod table_site;
#[cfg(test)]
mod tests;
mod web_token;

use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{now, sleep_until, timeout_at};
use crate::page::http::{self, OpenedPage, SiteAnswers};
use crate::page::shown::board_policy;
use crate::practice::guided::GuidedGame;
use crate::practice::session::Session;
use shared_table::SharedTable;
use table_site::TableSite;
use web_token::WebToken;

/// How often to look for answers from the opponent and from the solver while any may arrive.
const LOOK: Duration = Duration::from_millis(5);

/// How long the board may go unused before the game ends.
pub(crate) const IDLE_END: Duration = Duration::from_mins(30);

/// How much time clients have to learn that the game has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a game in the browser was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WebEnd {
    /// A person at the board left the game.
    Left,
    /// The board was not used for too long.
    Idle,
    /// A signal ended the game.
    Stopped,
}

/// A board that is about to be served.
#[derive(Debug)]
pub(crate) struct WebGame {
    page: OpenedPage,
    token: WebToken,
    game: GuidedGame,
}

impl WebGame {
    /// The board of `game` on `page`, with a new token.
    ///
    /// # Errors
    /// Fails if the system cannot provide random numbers.
    pub(crate) fn new(page: OpenedPage, game: GuidedGame) -> io::Result<Self> {
        Ok(Self { page, token: WebToken::random()?, game })
    }

    /// The link to the board, which contains the token.
    pub(crate) fn link(&self) -> String {
        format!("{}#token={}", self.page.url(), self.token.text())
    }

    /// Serves the board until a person leaves it, it has been idle for too long, or `stop` is raised. This must run in
    /// a `LocalSet`. Returns the game up to its latest move.
    ///
    /// # Errors
    /// Fails if the listener or a thread does.
    pub(crate) async fn play(self, stop: StopSignal) -> io::Result<(Session, WebEnd)> {
        let (listener, access) = self.page.into_parts();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let answers = SiteAnswers::new(&board_policy(), access).map_err(io::Error::other)?;
        let table = Rc::new(SharedTable::new(self.game));
        let site = TableSite::new(answers, self.token, Rc::clone(&table));
        let (ended, told_to_end) = oneshot::channel();
        let serving = tokio::task::spawn_local(http::serve(listener, site, told_to_end));
        let end = keep(&table, stop).await;
        table.leave();
        drop(ended);
        let _ = timeout_at(now() + LAST_WORDS, serving).await;
        Ok((table.session(), end?))
    }
}

/// Keeps the game running until it is left.
async fn keep(table: &SharedTable, mut stop: StopSignal) -> io::Result<WebEnd> {
    loop {
        let is_busy = table.collect()?;
        if table.is_left() {
            return Ok(WebEnd::Left);
        }
        let idle_end = table.last_used() + IDLE_END;
        if now() >= idle_end {
            return Ok(WebEnd::Idle);
        }
        tokio::select! {
            () = stop.reached(Stop::Drain) => return Ok(WebEnd::Stopped),
            () = table.used() => {}
            () = sleep_until(if is_busy { now() + LOOK } else { idle_end }) => {}
        }
    }
}
