//! How a player fares in a run.

use crate::game::Seat;
use crate::referee::record::LoggedGame;
use crate::referee::result::Termination;
use crate::run::results_dir::output_name;

/// How a player's games ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    games: u64,
    /// The games that the player forfeited without making a move.
    idle: u64,
    last: Option<Loss>,
}

/// A game that was forfeited without a move.
#[derive(Clone, Debug)]
struct Loss {
    game: String,
    seat: Seat,
    /// How many seats the game had.
    seats: u8,
    termination: Termination,
    reason: String,
    trace: Trace,
}

/// A hint at where to look for the reason why a bot made no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trace {
    /// The bot wrote something to stderr.
    Stderr,
    /// The bot was confined and wrote nothing.
    Confined,
    /// The bot was not confined and wrote nothing.
    Silent,
    /// The player connects on its own, so its stderr is on another machine.
    Remote,
}

impl Trace {
    /// The trace of the player in `seat`; `spoke` says whether its bot wrote anything to stderr.
    fn of(game: &LoggedGame, seat: Seat, spoke: bool) -> Self {
        let isolation = game.other_tags().iter().find(|(name, _)| name == "Isolation").map(|(_, tier)| tier.as_str());
        match (game.digest(seat).is_some(), spoke, isolation) {
            (false, ..) => Self::Remote,
            (true, true, _) => Self::Stderr,
            (true, false, None | Some("D")) => Self::Silent,
            (true, false, Some(_)) => Self::Confined,
        }
    }
}

impl Fate {
    /// Adds a game in which the player had `seat`; `spoke` says whether its bot wrote anything to stderr.
    pub(super) fn add(&mut self, game: &LoggedGame, seat: Seat, spoke: bool) {
        if game.void().is_some() {
            return;
        }
        self.games += 1;
        let moved = game.plies().iter().skip(game.opening_plies()).any(|ply| ply.seat == seat);
        if let Some((termination, reason)) = game.failure(seat).filter(|_| !moved) {
            self.idle += 1;
            self.last = Some(Loss {
                game: game.game().unwrap_or_default().to_owned(),
                seat,
                seats: game.seats(),
                termination,
                reason: reason.unwrap_or_default().to_owned(),
                trace: Trace::of(game, seat, spoke),
            });
        }
    }

    /// The message about a player that lost several games, all without a move.
    pub(super) fn summary(&self) -> Option<String> {
        let Loss { game, seat, seats, termination, reason, trace } =
            self.last.as_ref().filter(|_| self.idle == self.games)?;
        let look = match (termination, trace) {
            (Termination::NotStarted, _) => {
                "check its `command`, `dir` and `build`; `gothello-arena check` tests them".to_owned()
            }
            (_, Trace::Stderr) => {
                format!("its output on stderr is in games/{}", output_name(game, (*seat, *seats), "stderr"))
            }
            (_, Trace::Confined) => {
                "it wrote nothing to stderr; `--isolation off` shows whether its confinement hides files that it needs; `dir` \
                 and `readable` can make them visible"
                    .to_owned()
            }
            (_, Trace::Silent) => "it wrote nothing to stderr; run its `command` by hand".to_owned(),
            (_, Trace::Remote) => {
                "it connects on its own; check that its program knows this arena's address (`listen`), its name and its \
                 `token`"
                    .to_owned()
            }
        };
        let games = self.games;
        (games > 1)
            .then(|| format!("lost all its {games} games in this run without a move ({termination}: {reason}): {look}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;

    /// A game that white lost without a move, with additional `tags`.
    fn lost(termination: &str, tags: &str) -> LoggedGame {
        let text = format!(
            "[Round \"1\"]\n[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n[Termination \"{termination}\"]\n\
             [Reason \"why\"]\n[Game \"r1-a-b\"]\n{tags}\n0-1\n"
        );
        text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The summary about white after it has lost `games` games like the one from [`lost`].
    fn said(games: u32, termination: &str, tags: &str, spoke: bool) -> Option<String> {
        let mut fate = Fate::default();
        (0..games).for_each(|_| fate.add(&lost(termination, tags), Side::White.into(), spoke));
        fate.summary()
    }

    #[test]
    fn the_summary_says_where_to_look_for_a_player_that_never_moved() {
        let digest = format!("[WhiteDigest \"{}\"]\n", "0".repeat(64));
        let confined = format!("{digest}[Isolation \"A\"]\n");
        let unconfined = format!("{digest}[Isolation \"D\"]\n");
        for (termination, tags, spoke, look) in [
            ("not started", "", false, "`command`, `dir` and `build`"),
            ("no show", confined.as_str(), true, "games/r1-a-b.white.stderr"),
            ("no show", &confined, false, "`--isolation off`"),
            ("no show", &unconfined, false, "by hand"),
            ("no show", &digest, false, "by hand"),
            ("no show", "", false, "`listen`"),
        ] {
            let said = said(2, termination, tags, spoke).unwrap_or_default();
            assert!(said.contains(look), "{termination} {tags}: {said}");
        }
    }

    #[test]
    fn a_single_game_or_a_player_that_moved_gets_no_summary() {
        assert_eq!(said(1, "no show", "", false), None);
        let mut fate = Fate::default();
        fate.add(&lost("no show", ""), Side::White.into(), false);
        fate.add(&lost("no show", ""), Side::Black.into(), false);
        assert_eq!(fate.summary(), None);
    }
}
