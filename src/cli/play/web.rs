//! `play --web`: the board in a browser.

use std::net::SocketAddr;
use std::num::NonZeroUsize;

use anyhow::{Context as _, anyhow};
use tokio::runtime;
use tokio::task::LocalSet;

use crate::base::console;
use crate::base::sanitise::sanitised;
use crate::base::units::spaced;
use crate::cli::colour::style_for;
use crate::cli::web::{listen, named_address};
use crate::cli::{Exit, Failure, interrupt, note, print};
use crate::page::http::{Access, AccessError, OpenedPage};
use crate::players::bots::Thinker;
use crate::practice::guided::GuidedGame;
use crate::practice::session::Session;
use crate::practice::web::{IDLE_END, WebEnd, WebGame};
use crate::referee::record::verdict;

/// The options of a board in the browser. Only the first option is in the short help.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PlayWebArgs {
    /// Play in a browser, at ADDR [default: any free port]
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = ANY_PORT,
        value_parser = address,
        conflicts_with_all = ["plain", "puzzles"]
    )]
    web: Option<SocketAddr>,
    /// Let others have the link: allow an ADDR that other machines can reach
    #[arg(long, requires = "web", hide_short_help = true)]
    web_public: bool,
    /// Also answer to the host name NAME, such as a reverse proxy's name
    #[arg(long, value_name = "NAME", requires = "web", hide_short_help = true)]
    web_host: Vec<String>,
}

/// The default address, whose port the system chooses.
const ANY_PORT: &str = "127.0.0.1:0";

/// The maximum number of connections to the board. A browser keeps one connection open all the time, and opens another
/// for each request.
const MOST_CLIENTS: NonZeroUsize = NonZeroUsize::new(32).expect("32 is not zero");

/// Parses an address with a port, or just a port.
fn address(text: &str) -> Result<SocketAddr, String> {
    named_address(text).ok_or_else(|| {
        if text.parse::<Thinker>().is_ok() {
            format!("this is a bot: put it before --web, as in `play {} --web`", sanitised(text))
        } else {
            "not an address with a port (write 127.0.0.1:8080 or 8080)".to_owned()
        }
    })
}

impl PlayWebArgs {
    /// Whether the user wants to play in a browser.
    pub(super) const fn is_wanted(&self) -> bool {
        self.web.is_some()
    }

    /// Whether the board may be reachable by other machines.
    pub(super) const fn is_public(&self) -> bool {
        self.web_public
    }

    /// Whether the board answers to another host name.
    pub(super) const fn has_host(&self) -> bool {
        !self.web_host.is_empty()
    }

    /// Binds the board's address if the user wants to play in a browser.
    pub(super) fn open(&self) -> Result<Option<OpenedPage>, Failure> {
        let Some(address) = self.web else { return Ok(None) };
        let access = Access::new(address, self.web_public, &self.web_host, MOST_CLIENTS).map_err(|error| match error {
            AccessError::NotPublic(address) => anyhow!(
                "--web {address} is not on this machine's loopback: the link and the game would cross the network \
                 unencrypted; add --web-public to allow this"
            ),
            error @ AccessError::NotAHost(_) => error.into(),
        });
        listen(access.map_err(Failure::usage)?).map(Some)
    }
}

/// Plays the game in a browser, and returns it when it ends.
pub(super) fn play(page: OpenedPage, game: GuidedGame) -> Result<(Session, Exit), Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().context("could not start a runtime")?;
    let (session, exit) = LocalSet::new().block_on(&runtime, serve(page, game))?;
    let end = session.result().map_or_else(
        || "the game was abandoned".to_owned(),
        |result| {
            let reason = result.reason().map(|reason| format!(" ({})", sanitised(reason))).unwrap_or_default();
            format!("{}{reason}", verdict(&Ok(result.clone())))
        },
    );
    print(format!("{}{end}\n", session.shown(style_for(&console::stream()))))?;
    Ok((session, exit))
}

async fn serve(page: OpenedPage, game: GuidedGame) -> Result<(Session, Exit), Failure> {
    let watch = interrupt::watch()?;
    watch.leave_only_the_page();
    let web = WebGame::new(page, game).context("could not create a token")?;
    note(format_args!("anyone with this link can see the board and move: {}", web.link()));
    note(format_args!(
        "press Ctrl-C to end the game; it also ends once the board has been unused for {}",
        spaced(IDLE_END)
    ));
    let (session, end) = web.play(watch.signal()).await.context("could not continue the game")?;
    let exit = match end {
        WebEnd::Left => Exit::Success,
        WebEnd::Idle => {
            note("the board has been unused for too long: ending the game");
            Exit::Success
        }
        WebEnd::Stopped => watch.exit(),
    };
    Ok((session, exit))
}
