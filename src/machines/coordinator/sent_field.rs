//! The players whose games workers can play, as the coordinator describes them to workers.
//!
//! In a ladder, players are added while games are played. Their files are packed on another thread, and the next
//! manifest contains the new players.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::{JoinError, JoinHandle};

use crate::machines::bundle::{Bundle, BundleError, pack};
use crate::machines::sent_player::SentPlayer;
use crate::run::entrants::Entrant;
use crate::run::play::Arena;
use crate::tournament::Player;
use crate::tournament::schedule::PlayerIndex;

/// How many players without games stay in the manifest: most of them will soon have games again.
const MOST_IDLE: usize = 16;

/// A player with the bundles that its programs need.
#[derive(Debug)]
struct PackedPlayer {
    line: SentPlayer,
    bundles: Vec<Bundle>,
}

/// A player whose files are to be packed.
#[derive(Debug)]
struct UnpackedPlayer {
    place: PlayerIndex,
    player: Player,
    entrant: Arc<Entrant>,
}

/// A player whose files have been packed, or the reason why they cannot be packed.
#[derive(Debug)]
pub(super) struct PackingEnd {
    place: PlayerIndex,
    entrant: Arc<Entrant>,
    packed: Result<Option<PackedPlayer>, BundleError>,
}

/// A player as it was packed. It is packed again when the arena prepares it again.
#[derive(Debug)]
struct FieldMember {
    entrant: Arc<Entrant>,
    /// `None` if workers cannot play its games.
    packed: Option<PackedPlayer>,
}

/// The players for workers.
#[derive(Debug)]
pub(super) struct SentField {
    base: PathBuf,
    arena: Arc<Arena>,
    /// The players that have games; `None` if all players have games.
    playing: Option<BTreeSet<PlayerIndex>>,
    members: BTreeMap<PlayerIndex, FieldMember>,
    /// The members that have no games at the moment, in the order of their last games.
    idle: VecDeque<PlayerIndex>,
    packing: Option<JoinHandle<Vec<PackingEnd>>>,
}

impl SentField {
    /// The players of `arena`, whose paths are relative to `base`, with the reasons why the files of some of them
    /// cannot be sent.
    pub(super) fn new(arena: &Arc<Arena>, base: &Path) -> (Self, Vec<UnsendablePlayer>) {
        let mut field = Self {
            base: base.to_owned(),
            arena: Arc::clone(arena),
            playing: None,
            members: BTreeMap::new(),
            idle: VecDeque::new(),
            packing: None,
        };
        let packed = pack_all(field.unpacked(), base);
        let unsendable = field.take(packed);
        (field, unsendable)
    }

    /// Replaces the players with those of `arena`, in which the existing players keep their places.
    pub(super) fn set_arena(&mut self, arena: Arc<Arena>) {
        self.arena = arena;
    }

    /// Changes the players that have games.
    pub(super) fn set_playing(&mut self, playing: BTreeSet<PlayerIndex>) {
        self.idle.retain(|player| !playing.contains(player));
        let idle = self.members.keys().filter(|player| !playing.contains(player) && !self.idle.contains(player));
        let idle: Vec<PlayerIndex> = idle.copied().collect();
        self.idle.extend(idle);
        while self.idle.len() > MOST_IDLE {
            if let Some(player) = self.idle.pop_front() {
                self.members.remove(&player);
            }
        }
        self.playing = Some(playing);
    }

    /// The players to pack: those that have games and whose programs this machine has prepared since the players were
    /// last packed.
    fn unpacked(&self) -> Vec<UnpackedPlayer> {
        let players = self.arena.tournament.players.iter().zip(&self.arena.entrants).enumerate();
        let wanted = players.filter(|(place, (_, entrant))| {
            let is_playing = self.playing.as_ref().is_none_or(|playing| playing.contains(place));
            let is_packed = self.members.get(place).is_some_and(|member| Arc::ptr_eq(&member.entrant, entrant));
            let is_prepared =
                matches!(***entrant, Entrant::Program { .. } | Entrant::Unstartable(_) | Entrant::Changed(_));
            is_playing && is_prepared && !is_packed
        });
        let unpacked = wanted.map(|(place, (player, entrant))| UnpackedPlayer {
            place,
            player: player.clone(),
            entrant: Arc::clone(entrant),
        });
        unpacked.collect()
    }

    /// Starts packing the files of new players, unless files are being packed.
    pub(super) fn start_packing(&mut self) {
        if self.packing.is_some() {
            return;
        }
        let (unpacked, base) = (self.unpacked(), self.base.clone());
        if !unpacked.is_empty() {
            self.packing = Some(tokio::task::spawn_blocking(move || pack_all(unpacked, &base)));
        }
    }

    /// Waits until files have been packed; waits forever if none are being packed.
    pub(super) async fn packed(&mut self) -> Vec<PackingEnd> {
        let Some(packing) = &mut self.packing else { return std::future::pending().await };
        let packed = packing.await;
        self.packing = None;
        packed.unwrap_or_else(resumed)
    }

    /// Takes players that have been packed. Returns those whose files cannot be sent.
    pub(super) fn take(&mut self, packed: Vec<PackingEnd>) -> Vec<UnsendablePlayer> {
        let mut unsendable = Vec::new();
        for PackingEnd { place, entrant, packed } in packed {
            let packed = packed.unwrap_or_else(|why| {
                unsendable.push(UnsendablePlayer { place, player: self.name(place).to_owned(), why });
                None
            });
            self.members.insert(place, FieldMember { entrant, packed });
        }
        unsendable
    }

    fn name(&self, place: PlayerIndex) -> &str {
        self.arena.tournament.players[place].name.as_str()
    }

    /// The players, as the next manifest describes them.
    pub(super) fn lines(&self) -> BTreeMap<PlayerIndex, SentPlayer> {
        let lines =
            self.members.iter().filter_map(|(place, member)| Some((*place, member.packed.as_ref()?.line.clone())));
        lines.collect()
    }

    /// The bundles of all players.
    pub(super) fn bundles(&self) -> impl Iterator<Item = &Bundle> {
        self.members.values().filter_map(|member| member.packed.as_ref()).flat_map(|packed| &packed.bundles)
    }

    /// The SHA-256 of each bundle of the player called `name`.
    pub(super) fn digests(&self, name: &str) -> impl Iterator<Item = String> {
        let packed = self.members.values().filter_map(|member| member.packed.as_ref());
        let own = packed.filter(move |packed| packed.line.name == name);
        own.flat_map(|packed| packed.line.bundles().map(|(_, digest)| digest.to_owned()))
    }
}

/// A player whose files cannot be sent to workers.
#[derive(Debug)]
pub(super) struct UnsendablePlayer {
    pub(super) place: PlayerIndex,
    pub(super) player: String,
    pub(super) why: BundleError,
}

/// Packs the files of all `players`, whose paths are relative to `base`.
fn pack_all(players: Vec<UnpackedPlayer>, base: &Path) -> Vec<PackingEnd> {
    let packed = players.into_iter().map(|UnpackedPlayer { place, player, entrant }| {
        let packed = packed_player(&player, &entrant, base);
        PackingEnd { place, entrant, packed }
    });
    packed.collect()
}

/// The `player` with its bundles; `None` if it connects on its own. A player that cannot be started needs no files.
fn packed_player(player: &Player, entrant: &Entrant, base: &Path) -> Result<Option<PackedPlayer>, BundleError> {
    let (mut bundles, mut digests) = (Vec::new(), BTreeMap::new());
    let unstartable = match entrant {
        // The player cannot be started on any other machine either.
        Entrant::Unstartable(why) | Entrant::Changed(why) => Some(why.clone()),
        Entrant::Program { .. } | Entrant::Remote | Entrant::Resting | Entrant::Void(_) => None,
    };
    if unstartable.is_none() {
        for (mode, program) in player.programs() {
            if let Some(bundle) = pack(program, base)? {
                digests.insert(player.program_key(mode), bundle.digest.clone());
                bundles.push(bundle);
            }
        }
    }
    let line = SentPlayer::new(player, unstartable, |mode| digests.get(&player.program_key(mode)).cloned());
    Ok(line.map(|line| PackedPlayer { line, bundles }))
}

/// Resumes the panic of a task that has panicked.
fn resumed(error: JoinError) -> Vec<PackingEnd> {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime is ending.
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::run::entrants::Identity;
    use crate::tournament::Tournament;

    /// An arena of one player for each of `entrants`. Each player's files are in a directory in `base` that has the
    /// player's name.
    fn arena(base: &Path, entrants: Vec<Arc<Entrant>>) -> Arc<Arena> {
        let player = |number: usize| {
            let dir = base.join(format!("p{number}"));
            fs::create_dir_all(&dir).expect("made");
            fs::write(dir.join("bot"), format!("of {number}")).expect("written");
            format!("[[player]]\nname = \"p{number}\"\ndir = \"p{number}\"\ncommand = [\"./bot\"]\n")
        };
        let text: String = (0..entrants.len()).map(player).collect();
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let empty = Arena::new(Arc::new(tournament), Vec::new());
        let tournament = Arc::clone(&empty.tournament);
        Arc::new(empty.with_players(tournament, entrants, None))
    }

    fn prepared() -> Arc<Entrant> {
        Arc::new(Entrant::Program { bots: Vec::new(), identity: Box::new(Identity::of_builtin(None)) })
    }

    fn places(field: &SentField) -> Vec<PlayerIndex> {
        field.lines().into_keys().collect()
    }

    #[test]
    fn players_that_cannot_be_started_here_go_out_with_the_reasons_and_without_files() {
        let dir = tempfile::tempdir().expect("a directory");
        let others = [
            Entrant::Unstartable("`./ann` not found".to_owned()),
            Entrant::Remote,
            Entrant::Changed("`bot.py`".to_owned()),
            Entrant::Void("no room".to_owned()),
            Entrant::Resting,
        ];
        let entrants = others.into_iter().map(Arc::new).chain([prepared()]).collect();
        let (field, unsendable) = SentField::new(&arena(dir.path(), entrants), dir.path());
        let lines = field.lines();
        let told =
            lines.iter().map(|(place, line)| (*place, line.unstartable.as_deref(), line.bundle_text().is_some()));
        let expected = [(0, Some("`./ann` not found"), false), (2, Some("`bot.py`"), false), (5, None, true)];
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert!(unsendable.is_empty() && field.bundles().count() == 1);
    }

    #[tokio::test]
    async fn only_what_is_new_is_packed_and_what_has_no_games_goes_after_a_while() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut entrants: Vec<Arc<Entrant>> = (0..30).map(|_| prepared()).collect();
        let (mut field, _) = SentField::new(&arena(dir.path(), entrants.clone()), dir.path());
        assert_eq!(places(&field), (0..30).collect::<Vec<_>>());
        // Two versions are left, and another one arrives.
        field.set_playing([4, 5].into());
        let left = places(&field);
        assert_eq!(left.len(), 2 + MOST_IDLE);
        assert!(left.contains(&4) && left.contains(&5) && !left.contains(&0));
        field.start_packing();
        assert!(field.packing.is_none(), "nothing is new");
        entrants.push(prepared());
        field.set_arena(arena(dir.path(), entrants.clone()));
        field.start_packing();
        assert!(field.packing.is_none(), "it has no games");
        field.set_playing([4, 5, 30, 0].into());
        field.start_packing();
        let packed = field.packed().await;
        let new: Vec<PlayerIndex> = packed.iter().map(|packed| packed.place).collect();
        assert_eq!(new, [0, 30]);
        assert!(field.take(packed).is_empty());
        // The player is prepared again, with other files.
        let before = field.digests("p30").collect::<Vec<_>>();
        entrants[30] = prepared();
        field.set_arena(arena(dir.path(), entrants));
        fs::write(dir.path().join("p30/bot"), "another").expect("written");
        field.start_packing();
        let packed = field.packed().await;
        assert_eq!(packed.len(), 1);
        field.take(packed);
        assert_ne!(field.digests("p30").collect::<Vec<_>>(), before);
    }

    #[test]
    fn files_that_cannot_be_sent_are_named_and_not_packed_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let arena = arena(dir.path(), vec![prepared(), prepared()]);
        std::os::unix::fs::symlink("/etc/hosts", dir.path().join("p1/out")).expect("linked");
        let (mut field, unsendable) = SentField::new(&arena, dir.path());
        let [UnsendablePlayer { place: 1, player, why: BundleError::LinkOut { .. } }] = &unsendable[..] else {
            panic!("{unsendable:?}")
        };
        assert_eq!((player.as_str(), places(&field)), ("p1", vec![0]));
        field.start_packing();
        assert!(field.packing.is_none());
    }
}
