//! Prepares a worker to play for a run: the tournament, the players with their files, and their confinement.
//!
//! A manifest with more players leads to a new field, which takes over everything that is unchanged from the previous
//! field. Games in progress keep the field in which they began, and thus its players' files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::UnfitError;
use super::fetching::BundleSources;
use crate::base::files::Scratch;
use crate::base::machine;
use crate::base::sanitise::sanitised;
use crate::host::confinement::Confinement;
use crate::host::program::VisiblePaths;
use crate::host::sandbox::Cage;
use crate::machines::lane::Lane;
use crate::machines::messages::{Inability, Manifest, WorkerLack};
use crate::machines::sent_player::SentPlayer;
use crate::players::bots::{Builtin, Thinker};
use crate::referee::pace::{MachinePace, Speed, TimeScale};
use crate::run::campaign::{CampaignOptions, CampaignPlan, Tell, Warning, capacity, confine};
use crate::run::entrants::{Entrant, Preparer, Unprepared};
use crate::run::play::Arena;
use crate::tournament::schedule::{GameSpec, PlayerIndex};
use crate::tournament::{Player, PlayerKind, PlayerName, Tournament};

/// The parts that all fields of a run share.
pub(super) struct WorkerGround {
    /// The run's name at the broker.
    run: String,
    /// Contains the tournament's directory, which is empty. The results directory would also be here, but does not
    /// exist.
    scratch: Scratch,
    /// How programs are confined, if they are.
    cage: Option<Cage>,
    /// The arena without players.
    arena: Arena,
    tell: Tell,
}

/// The players in a run's manifest, and how this worker can start them.
pub(super) struct WorkerField {
    /// The SHA-256 of the manifest.
    pub(super) manifest: String,
    pub(super) arena: Arc<Arena>,
    /// The players whose games cannot be played on this machine, and why.
    pub(super) cannot: BTreeMap<String, Inability>,
    players: BTreeMap<PlayerIndex, ReadyPlayer>,
}

/// A player of a field.
#[derive(Clone)]
struct ReadyPlayer {
    line: SentPlayer,
    player: Player,
    entrant: Arc<Entrant>,
    inability: Option<Inability>,
    /// The directory of the player's files, which is removed when no field and no game needs it any more.
    _files: Option<Arc<Scratch>>,
}

/// A player whose files have been unpacked, if that was possible.
struct UnpackedFiles {
    player: Player,
    files: Option<Arc<Scratch>>,
    inability: Option<Inability>,
}

impl WorkerField {
    /// The lane with the games that this worker can play.
    pub(super) fn lane(&self) -> Lane {
        Lane::without(self.cannot.keys().map(String::as_str))
    }

    /// Whether the field has all players of the game `spec`.
    pub(super) fn has_players_of(&self, spec: &GameSpec) -> bool {
        spec.players.values().all(|player| self.players.contains_key(player))
    }

    /// Whether the field has the player called `name`.
    pub(super) fn has_player(&self, name: &str) -> bool {
        self.players.values().any(|ready| ready.line.name == name)
    }

    /// The text that identifies the bundles of `player`.
    pub(super) fn bundle_text(&self, player: PlayerIndex) -> Option<String> {
        self.players.get(&player)?.line.bundle_text()
    }

    /// Whether another attempt to obtain what a player lacks may succeed.
    pub(super) fn may_be_mended(&self) -> bool {
        self.players.values().any(ReadyPlayer::may_be_mended)
    }
}

impl ReadyPlayer {
    fn may_be_mended(&self) -> bool {
        self.inability.as_ref().is_some_and(|inability| inability.lacks != WorkerLack::Program)
    }
}

impl WorkerGround {
    /// Prepares for the run that `manifest` describes. Bots get cores for `slots` games at a time. Clocks are scaled
    /// for a machine of the given `speed`, if the tournament requires it.
    ///
    /// # Errors
    /// Fails if no game of the run can be played on this machine, for example because bots cannot be confined as
    /// required.
    pub(super) async fn open(
        manifest: &Manifest,
        (slots, speed): (NonZeroUsize, Option<Speed>),
        tell: &Tell,
    ) -> Result<Self, UnfitError> {
        let lacking = |why: &str| UnfitError::Lacking { run: manifest.run.clone(), why: sanitised(why) };
        let scratch = made_scratch().and_then(|scratch| {
            fs::create_dir(scratch.path().join("tournament"))?;
            Ok(scratch)
        });
        let scratch = scratch
            .map_err(|error| lacking(&format!("cannot create a directory for players' files (TMPDIR): {error}")))?;
        let frame = Tournament::parse(&manifest.tournament, &manifest.stem)
            .map_err(|problems| lacking(&problems.to_string()))?;
        let scale =
            if frame.scale_time { scale(manifest.speed, speed).map_err(|why| lacking(&why))? } else { TimeScale::ONE };
        let players: Vec<Player> = manifest.players.values().filter_map(|line| line.player(|_| None)).collect();
        let tournament = Arc::new(Tournament { players, ..frame });
        let options = CampaignOptions { isolation: manifest.isolation(), ..CampaignOptions::default() };
        let (base, dir) = (scratch.path().join("tournament"), scratch.path().join("results"));
        let plan = CampaignPlan { tournament: Arc::clone(&tournament), base, dir, options };
        let cage = confine::confinement(&plan, tell).await.map_err(|error| lacking(&error.to_string()))?;
        let arena = Arena {
            cores: capacity::cores(&tournament, slots, tell),
            site: machine::name(),
            pace: MachinePace { speed, scale },
            ..Arena::new(tournament, Vec::new())
        };
        Ok(Self { run: manifest.run.clone(), scratch, cage, arena, tell: Arc::clone(tell) })
    }

    /// The field of `manifest`, which has the SHA-256 `digest`. Parts that are unchanged from the field `before` are
    /// not prepared again.
    ///
    /// # Errors
    /// Fails if the broker is at fault, or if a player cannot be read.
    pub(super) async fn field(
        &self,
        (digest, manifest): (&str, &Manifest),
        sources: BundleSources<'_>,
        before: Option<&WorkerField>,
    ) -> Result<WorkerField, UnfitError> {
        let (mut players, mut new) = (BTreeMap::new(), Vec::new());
        for (place, line) in &manifest.players {
            let known = before.and_then(|before| before.players.get(place));
            match known.filter(|known| known.line == *line && !known.may_be_mended()) {
                Some(known) => drop(players.insert(*place, known.clone())),
                None => new.push((*place, line, self.unpacked(line, sources).await?)),
            }
        }
        let all = players.values().map(|ready| &ready.player).chain(new.iter().map(|(_, _, files)| &files.player));
        let confinement = self.confinement(all.cloned().collect());
        let startable = new.iter().filter(|(_, line, files)| line.unstartable.is_none() && files.inability.is_none());
        let prepared =
            self.prepared(startable.map(|(_, _, files)| files.player.clone()).collect(), confinement.as_ref());
        let mut prepared = prepared.await.into_iter();
        for (place, line, UnpackedFiles { player, files, inability }) in new {
            let (entrant, inability) = match (&line.unstartable, inability) {
                (Some(why), _) => (Entrant::Unstartable(why.clone()), None),
                (None, Some(inability)) => (Entrant::Unstartable(inability.why.clone()), Some(inability)),
                (None, None) => of_prepared(prepared.next()),
            };
            let (line, entrant) = (line.clone(), Arc::new(entrant));
            players.insert(place, ReadyPlayer { line, player, entrant, inability, _files: files });
        }
        let inability = |ready: &ReadyPlayer| Some((ready.line.name.clone(), ready.inability.clone()?));
        Ok(WorkerField {
            manifest: digest.to_owned(),
            arena: Arc::new(self.arena_of(&players, confinement)),
            cannot: players.values().filter_map(inability).collect(),
            players,
        })
    }

    /// The tournament with these players instead of its own.
    fn tournament(&self, players: Vec<Player>) -> Tournament {
        Tournament { players, ..(*self.arena.tournament).clone() }
    }

    /// How the programs of `players` are confined, if they are: no program can see another program's files.
    fn confinement(&self, players: Vec<Player>) -> Option<Confinement> {
        let (base, results) = (self.base(), self.scratch.path().join("results"));
        let visible_paths = VisiblePaths::new(&self.tournament(players), &base, &results);
        self.cage.clone().map(|cage| Confinement { cage, visible_paths })
    }

    fn base(&self) -> PathBuf {
        self.scratch.path().join("tournament")
    }

    /// Unpacks the files of the player that `line` describes.
    async fn unpacked(&self, line: &SentPlayer, sources: BundleSources<'_>) -> Result<UnpackedFiles, UnfitError> {
        let lacking = |why: String| UnfitError::Lacking { run: self.run.clone(), why: sanitised(&why) };
        let (mut dirs, mut inability) = (BTreeMap::new(), None);
        let files = match line.bundles().next() {
            Some(_) => match made_scratch() {
                Ok(scratch) => Some(scratch),
                Err(error) => {
                    let why = sanitised(&format!("cannot create a directory for its files (TMPDIR): {error}"));
                    inability = Some(Inability { lacks: WorkerLack::Files, why });
                    None
                }
            },
            None => None,
        };
        for (number, digest) in line.bundles() {
            let Some(files) = &files else { break };
            let dir = files.path().join(number.to_string());
            if let Some(lack) = sources.unpack(digest, &dir).await? {
                inability = Some(lack);
                break;
            }
            dirs.insert(number, dir);
        }
        let player = line.player(|number| dirs.get(&number).cloned());
        let player =
            player.ok_or_else(|| lacking(format!("the description of player `{}` cannot be read", line.name)))?;
        Ok(UnpackedFiles { player, files: files.map(Arc::new), inability })
    }

    /// How this machine starts the programs of `players`.
    async fn prepared(
        &self,
        players: Vec<Player>,
        confinement: Option<&Confinement>,
    ) -> Vec<Result<Entrant, Unprepared>> {
        let (events, _told) = mpsc::unbounded_channel();
        let preparer = Preparer {
            tournament: &self.tournament(players),
            base: &self.base(),
            confinement,
            known: &[],
            events: &events,
            tell: &|news| (self.tell)(Warning::PlayerDir(news)),
        };
        preparer.prepare_each().await
    }

    /// The arena of `players`. The places between them are filled with stand-ins, which have no games here.
    fn arena_of(&self, players: &BTreeMap<PlayerIndex, ReadyPlayer>, confinement: Option<Confinement>) -> Arena {
        let all = players.last_key_value().map_or(0, |(place, _)| place + 1);
        let named: BTreeSet<&str> = players.values().map(|ready| ready.line.name.as_str()).collect();
        let of_place = |place: PlayerIndex| match players.get(&place) {
            Some(ready) => (ready.player.clone(), Arc::clone(&ready.entrant)),
            None => (stand_in(place, &named), Arc::new(Entrant::Resting)),
        };
        let (players, entrants): (Vec<Player>, Vec<Arc<Entrant>>) = (0..all).map(of_place).unzip();
        self.arena.with_players(Arc::new(self.tournament(players)), entrants, confinement.map(Arc::new))
    }
}

/// The entrant for a program, given the result of preparing it. If the worker cannot play the program's games, also
/// returns the reason.
fn of_prepared(prepared: Option<Result<Entrant, Unprepared>>) -> (Entrant, Option<Inability>) {
    let (lacks, why) = match prepared {
        Some(Ok(entrant)) => return (entrant, None),
        Some(Err(Unprepared::Unstartable { reason, .. } | Unprepared::Changed(reason))) => {
            (WorkerLack::Program, reason)
        }
        Some(Err(Unprepared::Shortage(reason))) => (WorkerLack::Files, reason),
        None => unreachable!("every program that can be started is prepared"),
    };
    (Entrant::Unstartable(why.clone()), Some(Inability { lacks, why: sanitised(&why) }))
}

/// A stand-in that fills the place of a player. It has no games, and its name is not in `taken`.
fn stand_in(place: PlayerIndex, taken: &BTreeSet<&str>) -> Player {
    let mut numbered = (0..).map(|number| format!("absent {place} {number}"));
    let name = numbered.find(|name| !taken.contains(name.as_str())).unwrap_or_default();
    let name = PlayerName::new(name).unwrap_or_else(|error| unreachable!("{error}"));
    Player::new(name, PlayerKind::Builtin(Builtin::new(Thinker::Random)))
}

/// Creates a directory that bots may traverse.
fn made_scratch() -> io::Result<Scratch> {
    let scratch = Scratch::new()?;
    fs::set_permissions(scratch.path(), Permissions::from_mode(0o711))?;
    Ok(scratch)
}

/// The scale of the clocks on a machine with the speed `own`, for a coordinator with the speed `reference`.
///
/// # Errors
/// Fails if one of the speeds is unknown, or if they are too far apart.
fn scale(reference: Option<Speed>, own: Option<Speed>) -> Result<TimeScale, String> {
    let (Some(reference), Some(own)) = (reference, own) else {
        return Err(
            "`scale_time` is set, but the speed of this machine or of the coordinator could not be measured".to_owned()
        );
    };
    TimeScale::between(reference, own).ok_or_else(|| {
        format!(
            "`scale_time` is set, but the speeds of this machine ({}) and the coordinator ({}) differ by more than \
             a factor of four, so scaled clocks would not be fair",
            own.shown(),
            reference.shown()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::machines::broker::Say;
    use crate::machines::bundle::pack;
    use crate::machines::cache::BundleCache;

    /// The players `names`, each with the given `command`, and with the file `bot` in its own directory. Their archives
    /// are put into `cache`.
    fn lines(base: &Path, cache: &BundleCache, names: &[&str], command: &str) -> Vec<SentPlayer> {
        let table = |name: &&str| {
            fs::create_dir_all(base.join(name)).expect("made");
            fs::write(base.join(name).join("bot"), format!("of {name}")).expect("written");
            format!("[[player]]\nname = \"{name}\"\ndir = \"{name}\"\ncommand = [\"{command}\"]\nbuild = [\"no\"]\n")
        };
        let text: String = names.iter().map(table).collect();
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let line = |player: &Player| {
            let (_, program) = player.programs().next().expect("a program");
            let bundle = pack(program, base).expect("packed").expect("files");
            cache.put(&bundle.digest, &bundle.bytes).expect("kept");
            SentPlayer::new(player, None, |_| Some(bundle.digest.clone())).expect("not remote")
        };
        tournament.players.iter().map(line).collect()
    }

    fn manifest(players: impl IntoIterator<Item = (PlayerIndex, SentPlayer)>) -> Manifest {
        let tournament = "format = \"ladder\"\nisolation = \"off\"\naffinity = false\n\
            [[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nfolder = \"b\"\n";
        Manifest {
            run: "r".to_owned(),
            stem: "term".to_owned(),
            tournament: tournament.to_owned(),
            speed: None,
            isolation: None,
            players: players.into_iter().collect(),
            timeout_ms: 1,
        }
    }

    #[tokio::test]
    async fn another_field_keeps_what_is_the_same_and_files_go_when_nothing_needs_them() {
        let dir = tempfile::tempdir().expect("a directory");
        let cache = BundleCache::open(dir.path().join("cache"), 1 << 20).expect("opened");
        // Everything is in the cache, so no request is sent to the broker.
        let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect("127.0.0.1:9").await;
        let (client, say): (_, Say) = (client.expect("a client"), Arc::new(|text| panic!("{text}")));
        let sources = BundleSources { client: &client, cache: &cache, say: &say };
        let tell: Tell = Arc::new(|_| {});
        let of = |names: &[&str], command| lines(&dir.path().join("coordinator"), &cache, names, command);
        let [ann, bea, cid] = <[_; 3]>::try_from(of(&["ann", "bea", "cid"], "sh")).expect("three");
        let dee = of(&["dee", "eve"], "no-such-program").remove(0);

        let first = manifest([(0, ann), (2, bea.clone())]);
        let ground = WorkerGround::open(&first, (NonZeroUsize::MIN, None), &tell).await;
        let ground = ground.unwrap_or_else(|error| panic!("{error}"));
        let made = ground.field(("first", &first), sources, None).await;
        let before = made.unwrap_or_else(|error| panic!("{error}"));
        let names = |field: &WorkerField| {
            let players = field.arena.tournament.players.iter();
            players.map(|player| player.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&before), ["ann", "absent 1 0", "bea"]);
        assert!(matches!(*before.arena.entrants[1], Entrant::Resting) && before.cannot.is_empty());
        let files = |field: &WorkerField, place: PlayerIndex| field.arena.entrants[place].bots()[0].dir.clone();
        let (of_ann, of_bea) = (files(&before, 0), files(&before, 2));
        assert_eq!(fs::read_to_string(of_ann.join("bot")).expect("unpacked"), "of ann");

        // One player is gone. Two are new, and one of these cannot be started here.
        let second = manifest([(2, bea), (3, cid), (4, dee)]);
        let made = ground.field(("second", &second), sources, Some(&before)).await;
        let after = made.unwrap_or_else(|error| panic!("{error}"));
        assert!(Arc::ptr_eq(&before.arena.entrants[2], &after.arena.entrants[2]), "the player is not prepared again");
        assert_eq!(after.cannot.keys().collect::<Vec<_>>(), ["dee"]);
        assert!(after.cannot["dee"].lacks == WorkerLack::Program && !after.may_be_mended());
        assert!(before.lane() != after.lane() && after.manifest == "second");
        assert!(of_ann.exists(), "a game may still use these files");
        drop(before);
        assert!(!of_ann.exists() && of_bea.join("bot").exists());
        let of_cid = files(&after, 3);
        assert_eq!(fs::read_to_string(of_cid.join("bot")).expect("unpacked"), "of cid");
        drop(after);
        assert!(!of_bea.exists() && !of_cid.exists());
    }
}
