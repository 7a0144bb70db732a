//! The games of one student against one baseline: a run with two players.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pairing_listener::PairingListener;
use super::{ClassPlan, Ears, GradingError, GradingNews, SpoiledThing, plan_for};
use crate::base::stop::{Stop, StopSender};
use crate::course::grades::{GradedGame, KeptDrill, games_wanted, pairs_of};
use crate::course::rubric::Baseline;
use crate::game::Side;
use crate::referee::record::{GameRecord, LoggedGame};
use crate::run::campaign::{Beginning, Campaign, CampaignError};
use crate::run::entrants::Shortage;
use crate::run::journal::{self, Ledger, PlayerEntry};
use crate::run::listener::Listeners;
use crate::run::results_dir::{GAMES, read_tail};
use crate::tournament::definition::Definition;
use crate::tournament::{Format, Player, PlayerKind, PlayerName, Tournament, slug};

/// One student and one baseline.
pub(super) struct StudentPairing<'a> {
    pub(super) class: &'a ClassPlan,
    pub(super) student: &'a Player,
    pub(super) baseline: Baseline,
    /// The drill of the student's bot, which identifies the bot.
    pub(super) bot: &'a KeptDrill,
}

/// The run of a pairing, which may not have begun yet.
pub(super) struct PairingRun {
    /// The run's directory.
    dir: PathBuf,
    /// The contents of the journal; `None` if there is no journal yet.
    ledger: Option<Ledger>,
    /// The games in the journal that count.
    pub(super) games: Vec<GradedGame>,
}

impl PairingRun {
    /// The number of rounds in the run so far.
    fn rounds(&self) -> u32 {
        self.ledger.as_ref().map_or(0, |ledger| rounds_of(&ledger.definition))
    }

    /// How many of the first `games` games have a result.
    pub(super) fn finished_of(&self, games: u32) -> usize {
        let is_wanted = |game: &&GradedGame| game.round().is_some_and(|round| round <= games as usize / 2);
        self.games.iter().filter(is_wanted).filter(|game| game.result().is_some()).count()
    }
}

/// The number of rounds in a run with two players.
fn rounds_of(definition: &Definition) -> u32 {
    match &definition.frame.format {
        Format::RoundRobin { rounds } => rounds.get(),
        _ => 0,
    }
}

impl StudentPairing<'_> {
    /// Plays until there are as many games as the rubric requires, and returns them. Games that failed because of the
    /// machine stay void or missing. Returns `None` if `stop` was raised.
    pub(super) async fn play(
        &self,
        ears: &Ears<'_>,
        stop: &StopSender,
    ) -> Result<Option<Vec<GradedGame>>, GradingError> {
        let mut tried = 0;
        let mut played_in: Option<PathBuf> = None;
        loop {
            let run = self.find()?;
            if let Some(dir) = played_in.filter(|dir| *dir != run.dir) {
                let player = self.student.name.as_str();
                let reason = if self.bot.timed_out {
                    "it took too long for the check, but not for the games"
                } else if self.bot.digest.is_some() && !self.was_started_in(&dir)? {
                    "it succeeded for the check, but failed for the games"
                } else {
                    return Err(GradingError::Changing { player: player.to_owned() });
                };
                (ears.news)(GradingNews::Void { player, what: SpoiledThing::Build, reason, again: false });
                return Ok(Some(Vec::new()));
            }
            let wanted = self.wanted(&run);
            if run.finished_of(wanted) == wanted as usize || tried == wanted {
                return Ok(Some(run.games));
            }
            if stop.signal().get() != Stop::No {
                return Ok(None);
            }
            tried = wanted;
            match Box::pin(self.campaign(&run, wanted, ears, stop)).await {
                Err(GradingError::Campaign(CampaignError::Unprepared(Shortage { player, reason, .. }))) => {
                    let what = SpoiledThing::Build;
                    (ears.news)(GradingNews::Void { player: &player, what, reason: &reason, again: false });
                    return Ok(Some(run.games));
                }
                played => played?,
            }
            played_in = Some(run.dir);
        }
    }

    /// The number of games that the rubric requires, given the games of `run`.
    pub(super) fn wanted(&self, run: &PairingRun) -> u32 {
        games_wanted(&self.class.rubric, &self.baseline, &pairs_of(&run.games))
    }

    /// Plays those of the first `games` games that are missing.
    async fn campaign(
        &self,
        run: &PairingRun,
        games: u32,
        ears: &Ears<'_>,
        stop: &StopSender,
    ) -> Result<(), GradingError> {
        let rounds = (games / 2).max(run.rounds());
        let mut plan = plan_for(self.class, self.tournament(rounds)?, run.dir.clone());
        if run.ledger.is_some() {
            plan.options.beginning = Beginning::Extend;
        } else {
            // As in the drill, files that a build produced are not sources, even if the next build leaves them
            // unchanged.
            plan.options.former_players = vec![self.bot_now()];
        }
        let campaign = Campaign::find(plan, Arc::clone(&ears.tell))?;
        let player = self.student.name.as_str();
        let listener =
            PairingListener { news: ears.news, player, baseline: self.baseline, games: 2 * rounds, ended: 0 };
        let mut listeners = Listeners::default().with(listener);
        if let Some(played) = campaign.play(&mut listeners, stop).await? {
            played.finish()?;
        }
        Ok(())
    }

    /// Finds the run of this pairing with the current version of the bot, or a free directory for a new run. Runs with
    /// other versions of the bot, or under other rules, stay where they are.
    pub(super) fn find(&self) -> Result<PairingRun, GradingError> {
        let runs = self.class.run_dir().join(self.student.name.slug());
        let name = slug(&self.baseline.to_string());
        for number in 1_u32.. {
            let folder = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            let dir = runs.join(&folder);
            if !journal::is_in(&dir) {
                return Ok(PairingRun { dir, ledger: None, games: Vec::new() });
            }
            let mut records: BTreeMap<String, GameRecord> = BTreeMap::new();
            let look = |game: &LoggedGame| {
                // A later record of a game replaces an earlier one.
                records.extend(game.two().and_then(|record| Some((record.game.clone()?, record.clone()))));
            };
            let (ledger, _) = journal::read(&dir, look).map_err(|error| CampaignError::of_journal(error, &dir))?;
            if self.is_of(&ledger)? {
                records.retain(|id, _| ledger.game(id).is_some());
                let games = records.into_values().map(|record| self.graded(record, &folder, &dir)).collect();
                return Ok(PairingRun { dir, ledger: Some(ledger), games });
            }
        }
        unreachable!("there are more numbers than directories")
    }

    /// Whether the student's bot could be started when the run in `dir` began.
    fn was_started_in(&self, dir: &Path) -> Result<bool, GradingError> {
        let (ledger, _) = journal::read(dir, |_| {}).map_err(|error| CampaignError::of_journal(error, dir))?;
        let player = ledger.players.iter().find(|player| player.name == self.student.name.as_str());
        Ok(player.is_some_and(|player| player.digest.is_some()))
    }

    /// Whether the run of `ledger` was played by the current versions of these two players; it may have any number of
    /// rounds.
    fn is_of(&self, ledger: &Ledger) -> Result<bool, GradingError> {
        let asked = Definition::from(&self.tournament(rounds_of(&ledger.definition))?);
        let now = self.bot_now();
        // A bot with a file that did not exist when the run began is another version of the bot, and the drill has
        // already treated it as one.
        let is_whole = |before: &PlayerEntry| before.digest.is_none() || before.files.len() == now.files.len();
        let is_same = |before: &PlayerEntry| before.change(&now).is_none() && is_whole(before);
        let before = ledger.players.iter().find(|player| player.name == now.name);
        Ok(ledger.definition == asked && before.is_some_and(is_same))
    }

    /// The student's bot as its drill describes it.
    fn bot_now(&self) -> PlayerEntry {
        let KeptDrill { digest, files, products, .. } = self.bot;
        let name = self.student.name.to_string();
        PlayerEntry { name, digest: digest.clone(), files: files.clone(), products: products.clone() }
    }

    /// The tournament of the student and the baseline.
    fn tournament(&self, rounds: u32) -> Result<Tournament, GradingError> {
        let play = &self.class.rubric.play;
        let players = vec![self.student.clone(), self.opponent()?];
        let base = self.class.tournament_of(players);
        Ok(Tournament {
            name: self.class.rubric.title.clone(),
            format: Format::RoundRobin { rounds: NonZeroU32::new(rounds).unwrap_or(NonZeroU32::MIN) },
            seed: play.seed,
            time_control: self.class.time_control(),
            listen: None,
            ..base
        })
    }

    /// The baseline as a player, under a name that differs from the student's.
    fn opponent(&self) -> Result<Player, GradingError> {
        let text = self.baseline.to_string();
        let names = [text.clone(), format!("baseline {text}"), format!("baseline of the arena {text}")];
        let own = &self.student.name;
        let differs = |name: &PlayerName| name.slug() != own.slug() && name.folded() != own.folded();
        let name = names.into_iter().filter_map(|name| PlayerName::new(name).ok()).find(differs);
        let same = || GradingError::SameName { player: own.to_string(), baseline: text };
        Ok(Player::new(name.ok_or_else(same)?, PlayerKind::Builtin(self.baseline.builtin())))
    }

    /// The game of `record`, from the run in `dir`. The last component of this directory is `folder`.
    fn graded(&self, record: GameRecord, folder: &str, dir: &Path) -> GradedGame {
        let game = record.game.clone().unwrap_or_default();
        let side = if record.players.black == self.student.name.as_str() { Side::Black } else { Side::White };
        let games = dir.join(GAMES);
        let log = games.join(format!("{game}.log"));
        let mut graded = GradedGame {
            id: format!("{}/{folder}/{game}", self.student.name.slug()),
            baseline: self.baseline.to_string(),
            side,
            is_first: false,
            record,
            repeats: None,
            analysis: None,
            log: log.strip_prefix(&self.class.dir).unwrap_or(&log).to_owned(),
            stderr_tail: None,
        };
        if graded.forfeit().is_some() {
            let tail = read_tail(&games.join(format!("{game}.{side}.stderr")), GradedGame::STDERR_TAIL);
            let text = tail.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
            graded.stderr_tail = Some(text).filter(|text| !text.is_empty());
        }
        graded
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use super::*;
    use crate::base::stop;
    use crate::course::grades::{DrillTerms, TriedBot};
    use crate::course::rubric::Rubric;
    use crate::drill::readiness::TriedPlayer;
    use crate::drill::script::OrdinaryClock;
    use crate::referee::result::Termination;
    use crate::referee::time_control::SideControl;
    use crate::run::journal::{Durability, FORMAT, Header, Journal};
    use crate::tournament::Isolation;
    use crate::tournament::definition::PlayerDefinition;

    const CLASS: &str = "time = \"60s\"\n[[player]]\nname = \"heron\"\ncommand = [\"./missing\", \"{side}\"]\n\
                         [[player]]\nname = \"crane\"\nbuiltin = \"random\"\n\
                         [[player]]\nname = \"ibis\"\nbuiltin = \"random\"\n";

    /// A rubric that requires exactly four games.
    const RUBRIC: &str = "title = \"Final\"\ntotal = 10\n[play]\ngames = 4\nmax_games = 4\ntime = \"7s\"\nseed = 5\n\
                          [[item]]\nid = \"wins\"\npoints = 10\nagainst = \"greedy\"\n\
                          score = { full = 0.9, zero = 0.1 }\n";

    fn class(dir: &Path) -> ClassPlan {
        let tournament = Tournament::parse(CLASS, "class").unwrap_or_else(|problems| panic!("{problems}"));
        let rubric = Rubric::parse(RUBRIC).unwrap_or_else(|problems| panic!("{problems}"));
        ClassPlan {
            base: dir.to_owned(),
            students: vec![tournament.players[0].clone()],
            submissions: BTreeMap::new(),
            baselines: rubric.baselines().into_iter().copied().collect(),
            dir: dir.join("grades"),
            isolation: Some(Isolation::Off),
            concurrency: None,
            jobs: NonZeroUsize::MIN,
            rubric,
            tournament,
        }
    }

    /// The drill of a bot whose files have `digest`; `None` means that the bot could not be prepared.
    fn drill(class: &ClassPlan, digest: Option<&str>) -> KeptDrill {
        let player = TriedPlayer {
            player: "heron".to_owned(),
            command: "./missing".to_owned(),
            sides: Side::BOTH.map(Into::into).to_vec(),
            dir: None,
            digest: digest.map(str::to_owned),
            broken: digest.is_none().then(|| "not found".to_owned()),
            control: SideControl::sudden_death(Duration::from_secs(7)),
            trials: Vec::new(),
            took: Duration::ZERO,
        };
        let definition = PlayerDefinition::from(&class.students[0]);
        let bot = TriedBot { files: BTreeMap::new(), products: None, submission: None, definition };
        let terms = DrillTerms {
            ruleset: class.tournament.ruleset,
            clock: OrdinaryClock::of_wall_time(SideControl::sudden_death(Duration::from_secs(7))),
        };
        KeptDrill::of(&player, terms, "D", bot)
    }

    fn pairing<'a>(class: &'a ClassPlan, bot: &'a KeptDrill) -> StudentPairing<'a> {
        StudentPairing { class, student: &class.students[0], baseline: class.baselines[0], bot }
    }

    #[test]
    fn a_pairing_is_a_tournament_of_the_student_and_the_baseline_on_the_terms_of_the_rubric() {
        let dir = tempfile::tempdir().expect("a directory");
        let class = class(dir.path());
        let tournament = pairing(&class, &drill(&class, None)).tournament(3).unwrap_or_else(|error| panic!("{error}"));
        let players: Vec<&str> = tournament.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(players, ["heron", "greedy"]);
        assert_eq!(rounds_of(&Definition::from(&tournament)), 3);
        assert_eq!((tournament.name.as_str(), tournament.seed), ("Final", 5));
        assert_eq!(tournament.time_control, class.time_control());
    }

    #[test]
    fn whether_the_student_was_started_does_not_depend_on_the_baseline() {
        for (student, baseline) in [(Some("1"), None), (None, Some("1")), (Some("1"), Some("2")), (None, None)] {
            let dir = tempfile::tempdir().expect("a directory");
            let class = class(dir.path());
            let bot = drill(&class, student);
            let pairing = pairing(&class, &bot);
            let definition = Definition::from(&pairing.tournament(1).unwrap_or_else(|error| panic!("{error}")));
            let entry = |name: &str, digest: Option<&str>| PlayerEntry {
                name: name.to_owned(),
                digest: digest.map(str::to_owned),
                files: BTreeMap::new(),
                products: None,
            };
            let players = vec![entry("greedy", baseline), entry("heron", student)];
            let (program, digest) = (String::new(), definition.digest());
            let header = Header { format: FORMAT, program, digest, definition, players, shard: None };
            Journal::create(dir.path(), &header, Durability::Fast).unwrap_or_else(|error| panic!("{error}"));
            let was_started = pairing.was_started_in(dir.path()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(was_started, student.is_some(), "{student:?} {baseline:?}");
        }
    }

    #[tokio::test]
    async fn the_games_that_the_rubric_wants_are_played_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let class = class(dir.path());
        // A bot that cannot be started forfeits its games without a process.
        let bot = drill(&class, None);
        let pairing = pairing(&class, &bot);
        let ears = Ears { news: &|_| {}, tell: Arc::new(|_| {}) };
        let (stop, _signal) = stop::channel();
        let (stopped, _other_signal) = stop::channel();
        stopped.raise(Stop::Drain);
        let interrupted = pairing.play(&ears, &stopped).await.unwrap_or_else(|error| panic!("{error}"));
        assert!(interrupted.is_none(), "no game had been played");
        let played = pairing.play(&ears, &stop).await.unwrap_or_else(|error| panic!("{error}")).expect("games");
        let endings: Vec<Option<Termination>> = played.iter().map(GradedGame::forfeit).collect();
        assert_eq!(endings, [Some(Termination::NotStarted); 4]);
        let run = pairing.find().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((run.rounds(), run.games.len()), (2, 4));
        // No game is left to play, so no game can be interrupted.
        let again = pairing.play(&ears, &stopped).await.unwrap_or_else(|error| panic!("{error}")).expect("games");
        assert_eq!(again.len(), 4);
    }
}
