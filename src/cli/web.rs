//! The options of a live page, which are shared by `run` and `serve`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use super::interrupt::Watch;
use super::{Failure, note, settings, warn};
use crate::base::digits::parse_digits;
use crate::base::sanitise::sanitised;
use crate::base::stop::Stop;
use crate::base::time::{now, sleep_until};
use crate::base::units::spaced;
use crate::page::http::{self, Access, FrameOrigin, OpenedPage};
use crate::page::live::Serving;

/// The options of a live page. The short help has room only for the first option; the manual lists all of them.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WebArgs {
    /// Show games live at ADDR [default: 127.0.0.1:8080]
    #[arg(
        long,
        value_name = "ADDR",
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = page_address
    )]
    web: Option<PageAddress>,
    /// Let others watch: allow an ADDR that other machines can reach
    #[arg(long, requires = "web", hide_short_help = true)]
    web_public: bool,
    /// Also answer to the host name NAME, such as a reverse proxy's name
    #[arg(long, value_name = "NAME", requires = "web", hide_short_help = true)]
    web_host: Vec<String>,
    /// Serve at most N connections at once
    #[arg(
        long,
        value_name = "N",
        requires = "web",
        default_value = "64",
        value_parser = super::at_least_one::<NonZeroUsize>,
        hide_short_help = true
    )]
    web_clients: NonZeroUsize,
    /// Keep the page after the last game for TIME, or until Ctrl-C
    #[arg(
        long,
        value_name = "TIME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = FOR_EVER,
        value_parser = linger,
        requires = "web",
        hide_short_help = true
    )]
    web_linger: Option<Linger>,
    /// Show everything with a delay of TIME
    #[arg(long, value_name = "TIME", value_parser = delay, requires = "web", hide_short_help = true)]
    web_delay: Option<Duration>,
    /// Let pages from ORIGIN (a scheme and a host) show a board in a frame
    #[arg(long, value_name = "ORIGIN", requires = "web", hide_short_help = true)]
    web_embed: Vec<FrameOrigin>,
    /// Open the page in a browser
    #[arg(long, requires = "web", hide_short_help = true)]
    open: bool,
}

/// The address that `--web` names for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageAddress {
    /// The option is given without an address.
    Default,
    /// This address.
    Named(SocketAddr),
}

/// Parses the value of `--web`, which is empty if the option is given without a value.
fn page_address(text: &str) -> Result<PageAddress, String> {
    if text.is_empty() { Ok(PageAddress::Default) } else { address(text).map(PageAddress::Named) }
}

/// How long to keep a page after the last game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linger {
    /// Until the user ends the page.
    UntilStopped,
    /// For this long.
    For(Duration),
}

impl fmt::Display for Linger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UntilStopped => f.write_str("the live page stays open until you press Ctrl-C"),
            Self::For(time) => write!(f, "the live page stays open for {}, or until you press Ctrl-C", spaced(*time)),
        }
    }
}

const FOR_EVER: &str = "until Ctrl-C";

fn linger(text: &str) -> Result<Linger, String> {
    if text == FOR_EVER { Ok(Linger::UntilStopped) } else { super::duration(text).map(Linger::For) }
}

/// The longest delay: the events of this period are kept in memory.
const MOST_DELAY: Duration = Duration::from_hours(1);

fn delay(text: &str) -> Result<Duration, String> {
    let delay = super::duration(text)?;
    if delay > MOST_DELAY { Err(format!("must be between 1s and {}", spaced(MOST_DELAY))) } else { Ok(delay) }
}

/// The address that `text` names: an address with a port, or only a port on this machine's loopback address.
pub(super) fn named_address(text: &str) -> Option<SocketAddr> {
    let of_port = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    text.parse().ok().or_else(|| Some(of_port(u16::try_from(parse_digits(text)?).ok()?)))
}

/// Parses the address of a live page.
fn address(text: &str) -> Result<SocketAddr, String> {
    named_address(text).ok_or_else(|| {
        let path = Path::new(text);
        let is_file = text == "-" || path.extension().is_some_and(|extension| extension == "toml") || path.is_file();
        if is_file {
            format!("this is a tournament file: put it before --web, as in `run {} --web`", sanitised(text))
        } else if text.starts_with("localhost") {
            "this is a host name, but an IP address is needed: write 127.0.0.1:8080 or 8080".to_owned()
        } else {
            "not an address with a port (write 127.0.0.1:8080 or 8080; a tournament file must come before --web)"
                .to_owned()
        }
    })
}

impl WebArgs {
    /// Whether the user wants a page.
    pub(super) const fn is_wanted(&self) -> bool {
        self.web.is_some()
    }

    /// How to serve the live page.
    pub(super) fn serving(&self) -> Serving {
        Serving { delay: self.delay(), embedders: self.web_embed.clone() }
    }

    /// How far the page is behind the games.
    pub(super) fn delay(&self) -> Duration {
        self.web_delay.unwrap_or_default()
    }

    /// Whether the user has given an option that applies only to a live page.
    pub(super) const fn is_for_live_page(&self) -> bool {
        self.web_delay.is_some() || !self.web_embed.is_empty()
    }

    /// Binds the page's address if the user wants a page.
    pub(super) fn open(&self) -> Result<Option<OpenedPage>, Failure> {
        let address = match self.web {
            None => return Ok(None),
            Some(PageAddress::Default) => settings::web_address(),
            Some(PageAddress::Named(address)) => address,
        };
        let access = Access::new(address, self.web_public, &self.web_host, self.web_clients);
        Ok(Some(listen(access.map_err(Failure::usage)?)?))
    }

    /// Prints the address of the page and when the page ends; the message calls the page `what`. Opens the page if
    /// requested.
    pub(super) fn announce(&self, what: &str, url: &str) {
        note(format_args!("{what} is at {url}"));
        if let Some(delay) = self.web_delay {
            let end = if self.web_linger.is_none() { ", and closes after it has shown the last game" } else { "" };
            note(format_args!("the page is {} behind the games{end}", spaced(delay)));
        } else if self.web_linger.is_none() {
            note("the page closes after the last game; with --web-linger, it stays open until you press Ctrl-C");
        }
        if self.open
            && let Err(error) = open::that_detached(url)
        {
            warn(format_args!("could not open a browser: {error}"));
        }
    }

    /// Keeps a page open until `all_shown` is ready, that is, until the page has shown everything, and then for as long
    /// as the user wants. The caller must close the page afterwards.
    pub(super) async fn keep(&self, interrupt: &Watch, all_shown: impl Future<Output = ()>) {
        let mut stop = interrupt.signal();
        if stop.get() != Stop::No {
            return;
        }
        if let Some(delay) = self.web_delay {
            interrupt.leave_only_the_page();
            note(format_args!(
                "the live page still has to show the last {}; press Ctrl-C to close it now",
                spaced(delay)
            ));
            tokio::select! {
                () = stop.reached(Stop::Drain) => return,
                () = all_shown => {}
            }
        }
        let Some(linger) = self.web_linger else { return };
        interrupt.leave_only_the_page();
        note(linger);
        match linger {
            Linger::UntilStopped => stop.reached(Stop::Drain).await,
            Linger::For(time) => tokio::select! {
                () = stop.reached(Stop::Drain) => {}
                () = sleep_until(now() + time) => {}
            },
        }
    }
}

/// Binds the address of `access`.
pub(super) fn listen(access: Access) -> Result<OpenedPage, Failure> {
    let address = access.address();
    http::open(access).map_err(|error| {
        let context = crate::base::machine::not_listening(address, &error);
        Failure::usage(anyhow::Error::new(error).context(context))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_a_port_alone() {
        assert_eq!(address("8080"), Ok(settings::PAGE_ADDRESS));
        assert_eq!(address("[::1]:0"), Ok("[::1]:0".parse().expect("an address")));
        for wrong in ["class.toml", "localhost:8080", "127.0.0.1", "99999", "+80", "", ":80"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_is_at_most_an_hour_behind() {
        assert_eq!(delay("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(delay("1h"), Ok(MOST_DELAY));
        for wrong in ["61m", "0s", "soon", "", "-1s"] {
            assert!(delay(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tournament_file_in_place_of_the_address_is_told_where_it_goes() {
        for file in ["class.toml", "no/such.toml", "-", "Cargo.lock"] {
            let told = address(file).expect_err(file);
            assert!(told.ends_with(&format!("put it before --web, as in `run {file} --web`")), "{told}");
        }
        assert!(address("class").expect_err("no file").contains("not an address"));
    }
}
