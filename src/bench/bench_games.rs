//! The games of a version as a tournament: its opponents, rules and openings.

use std::fmt::Write as _;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use super::decision::LEAD;
use super::losses::side_of;
use super::version::{BenchVersion, CheckTerms};
use crate::course::rubric::Baseline;
use crate::game::Ruleset;
use crate::players::bots::{Builtin, ErrorRate};
use crate::referee::record::GameRecord;
use crate::referee::result::Termination;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::tournament::{Isolation, Tournament};

/// The user's choices for the games.
#[derive(Clone, Debug)]
pub(crate) struct BenchWish {
    /// The built-in bots to play against.
    pub(crate) against: Vec<Baseline>,
    /// The time control of each side.
    pub(crate) control: SideControl,
    /// The rules, which are for two players.
    pub(crate) ruleset: Ruleset,
    /// Whether games begin with random plies, provided that both players follow them.
    pub(crate) openings: bool,
    /// The maximum number of pairs of games to play against each opponent.
    pub(crate) pairs: NonZeroU32,
    /// How to confine the bots.
    pub(crate) isolation: Option<Isolation>,
    /// How many games to play at a time.
    pub(crate) concurrency: Option<NonZeroUsize>,
}

/// The opponent of a version.
#[derive(Clone, Debug)]
pub(crate) enum BenchRival {
    /// Another version.
    Version(Box<BenchVersion>),
    /// A built-in bot.
    Builtin(Baseline),
}

/// The number of plies in an opening. Because of the openings, bots without randomness do not repeat their games.
const OPENING_PLIES: u32 = 2;

/// Each side's clock in the games that show whether a version follows an opening.
const SHORT: Duration = Duration::from_secs(3);

impl BenchWish {
    /// The terms on which a check of a version depends.
    pub(crate) fn terms(&self) -> CheckTerms {
        CheckTerms {
            ruleset: self.ruleset.name().to_owned(),
            time: self.control.to_string(),
            isolation: self.isolation.unwrap_or_default().to_string(),
        }
    }

    /// The tournament in which `version` is built and checked. The version is its only player.
    ///
    /// # Errors
    /// Returns what is wrong with the version.
    pub(crate) fn to_check(&self, version: &BenchVersion) -> Result<Tournament, String> {
        let mut tournament = self.tournament((version, true), &random(), (false, self.pairs))?;
        tournament.players.truncate(1);
        Ok(tournament)
    }

    /// The tournament that shows whether `version` follows an opening: two short games.
    ///
    /// # Errors
    /// Returns what is wrong with the version.
    pub(crate) fn to_try_opening(&self, version: &BenchVersion) -> Result<Tournament, String> {
        let mut tournament = self.tournament((version, false), &random(), (true, NonZeroU32::MIN))?;
        tournament.time_control = TimeControl::both(SideControl::sudden_death(SHORT));
        Ok(tournament)
    }

    /// The tournament between `version` and `rival`, with openings if `openings` is `true`.
    ///
    /// # Errors
    /// Returns what is wrong with a version.
    pub(crate) fn to_play(
        &self,
        version: &BenchVersion,
        rival: &BenchRival,
        openings: bool,
    ) -> Result<Tournament, String> {
        let rival = match rival {
            BenchRival::Version(rival) => program(rival, false) + follows(openings),
            BenchRival::Builtin(baseline) => builtin(baseline),
        };
        self.tournament((version, false), &rival, (openings, self.pairs))
    }

    /// The tournament between a version and the player with the table `rival`. The version is built if `is_built`.
    fn tournament(
        &self,
        (version, is_built): (&BenchVersion, bool),
        rival: &str,
        (openings, pairs): (bool, NonZeroU32),
    ) -> Result<Tournament, String> {
        let mut text = format!(
            "format = \"sprt\"\nelo0 = -{LEAD}\nelo1 = {LEAD}\nmax_pairs = {pairs}\nruleset = {}\n",
            toml::Value::from(self.ruleset.name()),
        );
        if openings {
            let _ = writeln!(text, "openings = {{ plies = {OPENING_PLIES} }}");
        }
        text += &(program(version, is_built) + follows(openings) + rival);
        let mut tournament = Tournament::parse(&text, "bench").map_err(|problems| {
            let flaws: Vec<String> = problems.iter().map(|problem| problem.flaw.to_string()).collect();
            flaws.join("; ")
        })?;
        // In a tournament file, the options of the rules are in a separate table, so `text` contains only the rules'
        // name.
        tournament.ruleset = self.ruleset;
        tournament.time_control = TimeControl::both(self.control);
        Ok(tournament)
    }
}

/// The line in a player's table that says whether the player follows an opening.
const fn follows(openings: bool) -> &'static str {
    if openings { "openings = true\n" } else { "" }
}

/// The table for a bot that plays at random.
fn random() -> String {
    "[[player]]\nname = \"random\"\nbuiltin = \"random\"\n".to_owned()
}

/// Whether `player` follows openings, according to the games of `records`. A player that failed before its second move
/// after the opening does not. (A bot that does not expect the opening may send its first move before it reads the
/// referee's answer.) `None` if no game shows whether it does.
pub(crate) fn follows_openings(records: &[GameRecord], player: &str) -> Option<bool> {
    let follows = |record: &GameRecord| {
        let side = side_of(record, player)?;
        let result = record.result.as_ref().ok()?;
        let has_moved =
            record.plies.iter().skip(record.opening_plies).filter(|ply| ply.side() == side).nth(1).is_some();
        let has_failed = matches!(
            result.termination(),
            Termination::Illegal | Termination::Protocol | Termination::Disconnect | Termination::Crash
        );
        Some(has_moved || !has_failed || !result.fault().is_on(side))
    };
    let shown: Vec<bool> = records.iter().filter_map(follows).collect();
    (!shown.is_empty()).then(|| shown.iter().all(|follows| *follows))
}

/// The table for `version` in a tournament file, with the build command if `is_built`.
fn program(version: &BenchVersion, is_built: bool) -> String {
    let dir = version.place();
    let mut text =
        format!("[[player]]\nname = \"{}\"\ndir = {}\n", version.id, toml::Value::from(dir.to_string_lossy().as_ref()));
    if let Some(build) = version.build.as_ref().filter(|_| is_built) {
        let _ = writeln!(text, "build = {}", toml::Value::from(build.clone()));
    }
    for line in &version.start {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The table for the built-in bot `baseline` in a tournament file.
fn builtin(baseline: &Baseline) -> String {
    let Builtin { thinker, depth, playouts, error, seed: _ } = baseline.builtin();
    let mut text = format!("[[player]]\nname = {}\nbuiltin = \"{thinker}\"\n", toml::Value::from(baseline.to_string()));
    for (key, number) in [("depth", depth), ("playouts", playouts)] {
        if let Some(number) = number {
            let _ = writeln!(text, "{key} = {number}");
        }
    }
    if error != ErrorRate::NEVER {
        let _ = writeln!(text, "error = {error}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::version::tests::version;

    fn wish() -> BenchWish {
        BenchWish {
            against: Vec::new(),
            control: SideControl::sudden_death(Duration::from_secs(10)),
            ruleset: Ruleset::Gothello,
            openings: true,
            pairs: NonZeroU32::new(7).expect("positive"),
            isolation: None,
            concurrency: None,
        }
    }

    #[test]
    fn games_have_openings_only_if_both_players_follow_them() {
        let (own, other) = (version("aaaa0000", 1), version("bbbb0000", 2));
        let greedy = BenchRival::Builtin("greedy".parse().expect("a baseline"));
        for rival in [BenchRival::Version(Box::new(other)), greedy] {
            for (openings, plies) in [(true, OPENING_PLIES), (false, 0)] {
                let games = wish().to_play(&own, &rival, openings).unwrap_or_else(|flaws| panic!("{flaws}"));
                assert_eq!((games.opening_plies, games.players.len()), (plies, 2), "{rival:?}");
            }
        }
        let check = wish().to_check(&own).unwrap_or_else(|flaws| panic!("{flaws}"));
        assert_eq!((check.opening_plies, check.players.len()), (0, 1));
        let trial = wish().to_try_opening(&own).unwrap_or_else(|flaws| panic!("{flaws}"));
        assert_eq!(trial.opening_plies, OPENING_PLIES);
    }

    /// A game between `ada` and `bea` with an opening of two plies and this ending.
    fn tried(moves: &str, result: &str, termination: &str) -> GameRecord {
        let log = format!(
            "[Game \"r1\"]\n[Black \"ada\"]\n[White \"bea\"]\n[OpeningPlies \"2\"]\n[Result \"{result}\"]\n\
             [Termination \"{termination}\"]\n\n{moves} {result}\n"
        );
        log.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_bot_that_fails_before_its_second_own_move_does_not_follow_openings() {
        let follows = |moves: &str, result: &str, termination: &str, player: &str| {
            follows_openings(&[tried(moves, result, termination)], player)
        };
        for termination in ["crash", "protocol", "illegal", "disconnect"] {
            assert_eq!(follows("1. c3 d4", "1-0", termination, "ada"), Some(false), "{termination}");
            assert_eq!(follows("1. c3 d4", "1-0", termination, "bea"), Some(true), "{termination}");
        }
        assert_eq!(follows("1. c3 d4", "1-0", "time", "ada"), Some(true), "a slow start is not a failure to follow");
        assert_eq!(follows("1. c3 d4 2. a1", "0-1", "crash", "bea"), Some(false));
        assert_eq!(follows("1. c3 d4 2. a1 b1", "0-1", "crash", "bea"), Some(false), "it had sent b1 before it failed");
        assert_eq!(follows("1. c3 d4 2. a1 b1 3. a2 b2", "0-1", "crash", "bea"), Some(true), "it failed later");
        assert_eq!(follows("1. c3 d4", "1-0", "crash", "cid"), None);
        let both = [tried("1. c3 d4 2. a1 b1 3. a2 b2", "1-0", "crash"), tried("1. c3 d4", "1-0", "crash")];
        assert_eq!(follows_openings(&both, "ada"), Some(false), "one of the two games is enough");
    }
}
