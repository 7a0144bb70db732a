//! The opponents of `gothello-arena play` other than the built-in bots.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::anyhow;

use crate::base::digits::parse_digits;
use crate::base::machine;
use crate::base::sanitise::sanitised;
use crate::base::suggestion::nearest;
use crate::cli::program_args::{ProgramArgs, warn_of_own_options, words_of};
use crate::cli::{Failure, note, options_of, telling};
use crate::drill::selection::{DrilledPlayers, SelectionError};
use crate::game::{BySeat, Ruleset, Side};
use crate::host::tournament_file::load;
use crate::practice::distant_opponent::{DistantOpponent, JoinError};
use crate::practice::program_referee::{ProgramError, ProgramReferee, ProgramSeating};
use crate::practice::session::Session;
use crate::referee::time_control::SideControl;
use crate::run::campaign::Warning;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::{Advantages, Isolation, PlayerCompensation, PlayerHandicap, PlayerKind, Tournament};

/// How long a server may take to send its greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(30);

/// The options that name an opponent.
#[derive(Debug, clap::Args)]
pub(super) struct OpponentArgs {
    /// Play against a program: python3 bot.py {port}
    #[arg(
        long,
        value_name = "WORD",
        num_args = 1..,
        allow_hyphen_values = true,
        conflicts_with_all = ["opponent", "player", "connect", "two", "board"]
    )]
    command: Vec<String>,
    #[command(flatten)]
    program: ProgramArgs,
    /// Play against the player NAME in a tournament file
    #[arg(long, value_name = "NAME", requires = "file", conflicts_with_all = ["opponent", "connect", "two", "board", "ruleset"])]
    player: Option<String>,
    /// The tournament file for --player
    #[arg(long, value_name = "FILE", requires = "player", hide_short_help = true)]
    file: Option<PathBuf>,
    /// Confine the program: require, auto or off
    #[arg(
        long,
        value_name = "HOW",
        value_parser = crate::cli::word_options::isolation(),
        hide_possible_values = true,
        hide_short_help = true
    )]
    isolation: Option<Isolation>,
    /// Play on the Gothello server at HOST:PORT
    #[arg(
        long,
        value_name = "HOST:PORT",
        conflicts_with_all = ["opponent", "two", "board", "from", "ruleset", "seed", "isolation"]
    )]
    connect: Option<ServerAddress>,
}

/// The address of a Gothello server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerAddress {
    host: String,
    port: u16,
}

/// The error for text that is not a server's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected HOST:PORT, such as localhost:29068")]
pub(super) struct NotAnAddress;

impl FromStr for ServerAddress {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<Self, NotAnAddress> {
        let (host, port) = text.rsplit_once(':').ok_or(NotAnAddress)?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        // The last part of an IPv6 address without brackets would be mistaken for the port.
        let host = inner.unwrap_or(host);
        let is_bare = inner.is_none() && host.contains(':');
        let port = parse_digits(port).and_then(|port| u16::try_from(port).ok());
        let port = port.filter(|&port| port > 0).ok_or(NotAnAddress)?;
        if host.is_empty() || is_bare { Err(NotAnAddress) } else { Ok(Self { host: host.to_owned(), port }) }
    }
}

/// A program that was named as an opponent.
pub(super) struct NamedProgram {
    /// The tournament, whose only player is the program.
    pub(super) tournament: Tournament,
    /// The directory to which the tournament's paths are relative.
    base: PathBuf,
    /// Whether the program comes from a tournament file.
    is_of_file: bool,
}

impl NamedProgram {
    /// The program's name as a player.
    pub(super) fn name(&self) -> &str {
        self.tournament.players.first().map_or("bot", |player| player.name.as_str())
    }

    /// The program, prepared to play the game of `session`. A program from a tournament file plays only by the rules of
    /// that file.
    pub(super) fn playing(mut self, session: &Session) -> Result<Self, Failure> {
        let ruleset = session.game().ruleset();
        if self.is_of_file && ruleset != self.rules(Side::Black) && ruleset != self.rules(Side::White) {
            let own = self.tournament.ruleset;
            return Err(Failure::usage(anyhow!("the log is for `{ruleset}`, but the tournament file is for `{own}`")));
        }
        if !self.is_of_file {
            self.tournament.ruleset = ruleset;
        }
        Ok(self)
    }

    /// The rules of the program's game with a person on the side `person`.
    pub(super) fn rules(&self, person: Side) -> Ruleset {
        if self.tournament.ruleset.seats() != 2 {
            return self.tournament.ruleset;
        }
        self.tournament.rules_of(&BySeat::from_fn(2, |seat| usize::from(seat.side() == person)))
    }
}

/// An opponent and a game that can begin.
pub(super) struct DistantGame {
    pub(super) opponent: DistantOpponent,
    pub(super) session: Session,
    pub(super) person: Side,
}

/// The terms of a game against a program.
pub(super) struct ProgramTerms {
    pub(super) person: Side,
    pub(super) clock: Option<SideControl>,
    pub(super) seed: u64,
}

impl OpponentArgs {
    /// Whether the opponent is a program.
    pub(super) const fn names_program(&self) -> bool {
        !self.command.is_empty() || self.player.is_some()
    }

    /// The server, if the opponent plays on a server.
    pub(super) const fn server(&self) -> Option<&ServerAddress> {
        self.connect.as_ref()
    }

    /// Whether the opponent is a player in a tournament file.
    pub(super) const fn has_player(&self) -> bool {
        self.player.is_some()
    }

    /// Whether a tournament file is named.
    pub(super) const fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// The first option that applies to the program of `--command`, but is given without `--command`.
    pub(super) const fn idle_program_option(&self) -> Option<&'static str> {
        if self.command.is_empty() { self.program.first_given() } else { None }
    }

    /// Whether `--isolation` has no program to confine.
    pub(super) const fn has_idle_isolation(&self) -> bool {
        self.isolation.is_some() && !self.names_program()
    }

    /// The program, which plays by `ruleset` unless it comes from a tournament file.
    pub(super) fn program(&self, ruleset: Ruleset) -> Result<NamedProgram, Failure> {
        if let Some(name) = &self.player {
            return self.player_of_file(name);
        }
        let own = options_of("play");
        warn_of_own_options(&self.command, "play", &own.iter().map(String::as_str).collect::<Vec<_>>());
        let words = words_of(&self.command);
        let described = |name| {
            let program = self.program.described(name, &words, Some(ruleset));
            Ok::<_, Failure>(DrilledPlayers::of_program(load(None)?, program))
        };
        // The name of a file is not always a valid player name.
        let players = match described(name_in(&words))? {
            Err(SelectionError::WrongName { .. }) => described("bot")??,
            players => players?,
        };
        let DrilledPlayers { tournament, base, .. } = players;
        Ok(NamedProgram { tournament, base, is_of_file: false })
    }

    /// The player `name` in the tournament file, as the tournament's only player.
    fn player_of_file(&self, name: &str) -> Result<NamedProgram, Failure> {
        let mut loaded = load(self.file.as_deref())?;
        let players = &loaded.tournament.players;
        let Some(index) = players.iter().position(|player| player.name.as_str() == name) else {
            let near = nearest(name, players.iter().map(|player| player.name.as_str())).map(str::to_owned);
            return Err(SelectionError::NoSuchPlayer { asked: name.to_owned(), near }.into());
        };
        let player = players[index].clone();
        if matches!(player.kind, PlayerKind::Remote(_)) {
            return Err(Failure::usage(anyhow!(
                "player `{}` connects on its own; play against it on a server, with `--connect`",
                sanitised(name)
            )));
        }
        loaded.tournament.advantages = alone(&loaded.tournament, index);
        loaded.tournament.players = vec![player];
        loaded.must_have_directories()?;
        Ok(NamedProgram { tournament: loaded.tournament, base: loaded.base, is_of_file: true })
    }

    /// Starts the program for the game of `session`; `None` if a signal arrived first.
    pub(super) fn seat_program(
        &self,
        NamedProgram { tournament, base, .. }: NamedProgram,
        (session, terms): (Session, ProgramTerms),
        raised: &AtomicBool,
    ) -> Result<Option<DistantGame>, Failure> {
        let ProgramTerms { person, clock, seed } = terms;
        if let Some(only) = tournament.players.first().and_then(|player| player.only_side)
            && only == person
        {
            return Err(Failure::usage(anyhow!("this player plays only {only}: add `--side {}`", person.opponent())));
        }
        machine::raise_open_files();
        let given = session.plies().iter().map(|ply| ply.played).collect();
        let seating = ProgramSeating { tournament, base, isolation: self.isolation, person, clock, given, seed };
        let tell = |warning: Warning| {
            if warning.is_urgent() || !matches!(warning, Warning::Confined { .. }) {
                telling::tell(warning);
            }
        };
        let started = ProgramReferee::start(seating, Arc::new(tell), raised).map_err(|error| match error {
            ProgramError::Campaign(error) => error.into(),
            error @ ProgramError::Unready { .. } => Failure::usage(error),
            error @ ProgramError::Unseated(_) => Failure::from(anyhow::Error::new(error)),
        })?;
        let Some((referee, socket)) = started else { return Ok(None) };
        let opponent = DistantOpponent::program(referee, socket)?;
        Ok(Some(DistantGame { opponent, session, person }))
    }
}

impl ServerAddress {
    /// Takes a seat on the server, playing the side `wish` if one is given; `None` if a signal arrived first.
    pub(super) fn join(&self, wish: Option<Side>, raised: &AtomicBool) -> Result<Option<DistantGame>, Failure> {
        let Self { host, port } = self;
        let tell = |ruleset| {
            note(format_args!("connected to {}:{port}, which plays {ruleset}; waiting for the game", sanitised(host)));
        };
        let joined = DistantOpponent::at_server((host, *port), GREETING_TIMEOUT, wish, tell, raised).map_err(
            |error| match error {
                JoinError::Connect(error) => error.into(),
                error => Failure::from(anyhow::Error::new(error)),
            },
        )?;
        Ok(joined.map(|(opponent, session)| {
            let person = opponent.person();
            DistantGame { opponent, session, person }
        }))
    }
}

/// The advantages of the player with this `index`, once it is the only player.
fn alone(tournament: &Tournament, index: PlayerIndex) -> Advantages {
    let Ruleset::Quantum(rules) = tournament.ruleset else { return tournament.advantages };
    let handicap = tournament.advantages.handicap().filter(|own| own.player == index);
    let compensation = tournament.advantages.compensation().filter(|own| own.player == index);
    let handicap = handicap.map(|own| PlayerHandicap { player: 0, ..own });
    let compensation = compensation.map(|own| PlayerCompensation { player: 0, ..own });
    // The advantages are valid in the tournament, so they are valid here.
    Advantages::new(rules, handicap, compensation).unwrap_or_default()
}

/// The name of the program that a command starts: that of the script or of the executable.
fn name_in(words: &[String]) -> &str {
    let script = words.iter().skip(1).find(|word| word.contains('.') && !word.starts_with(['-', '{']));
    let file = script.or(words.first()).map_or("bot", String::as_str);
    file.rsplit('/').next().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        let address = |text: &str| text.parse::<ServerAddress>().map(|it| (it.host, it.port));
        assert_eq!(address("localhost:29068"), Ok(("localhost".to_owned(), 29068)));
        assert_eq!(address("[::1]:5"), Ok(("::1".to_owned(), 5)));
        for wrong in ["localhost", "localhost:", ":5", "::1", "a:0", "a:+5", "a:70000", ""] {
            assert_eq!(address(wrong), Err(NotAnAddress), "{wrong}");
        }
    }
}
