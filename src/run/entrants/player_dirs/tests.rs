use std::fs;
use std::sync::Mutex;

use tokio::sync::mpsc;

use super::*;
use crate::run::entrants::build_products::Yard;
use crate::run::entrants::{Entrant, Unprepared};
use crate::tournament::Tournament;

/// Timeouts in seconds on a test's paused clock.
const TIMEOUT: DirLockTimeout = DirLockTimeout { play: Duration::from_secs(5), build: Duration::from_secs(20) };

/// A class with `ada`, whose bot has to be built, and `bob`, whose bot does not, each with a directory.
struct Class {
    base: tempfile::TempDir,
    tournament: Tournament,
    told: Mutex<Vec<String>>,
}

impl Class {
    fn new() -> Self {
        let base = tempfile::tempdir().expect("a directory");
        for name in ["ada", "bob"] {
            fs::create_dir(base.path().join(name)).expect("made");
        }
        let toml = "[[player]]\nname = \"ada\"\ndir = \"ada\"\nbuild = [\"true\"]\ncommand = [\"sh\"]\n\
                    [[player]]\nname = \"bob\"\ndir = \"bob\"\ncommand = [\"sh\"]\n";
        let tournament = Tournament::parse(toml, "class").unwrap_or_else(|problems| panic!("{problems}"));
        Self { base, tournament, told: Mutex::default() }
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    /// Locks the directories, as changed by `wanted`, and prepares both players. Returns how long locking took, and the
    /// outcome for each player.
    async fn prepared(
        &self,
        wanted: impl Fn(BTreeMap<DirId, WantedDir<'_>>) -> BTreeMap<DirId, WantedDir<'_>>,
    ) -> (Duration, Vec<Result<Entrant, Unprepared>>) {
        let (events, _heard) = mpsc::unbounded_channel();
        let preparer = Preparer {
            tournament: &self.tournament,
            base: self.base.path(),
            confinement: None,
            known: &[],
            events: &events,
            tell: &|news| self.told.lock().expect("no panic").push(news.to_string()),
        };
        // Paused time advances on its own while a thread reads files.
        let begun = now();
        let mut dirs = preparer.lock_dirs_within(TIMEOUT, || wanted(preparer.wanted_dirs())).await;
        let took = now() - begun;
        let (mut yard, mut entrants) = (Yard::default(), Vec::new());
        for player in &self.tournament.players {
            entrants.push(preparer.prepare_player(player, &mut yard, &mut dirs).await);
        }
        (took, entrants)
    }

    /// The messages to the user. There must be exactly `NUMBER` messages.
    fn told<const NUMBER: usize>(&self) -> [String; NUMBER] {
        self.told.lock().expect("no panic").clone().try_into().unwrap_or_else(|told| panic!("{told:?}"))
    }
}

fn is_locked(prepared: &Result<Entrant, Unprepared>) -> bool {
    match prepared {
        Ok(entrant @ Entrant::Program { .. }) => entrant.bots().iter().all(|bot| bot.lock.is_some()),
        other => panic!("{other:?}"),
    }
}

/// How a message names this process as the holder of a lock.
fn this_process() -> String {
    format!("(process {})", std::process::id())
}

#[tokio::test(start_paused = true)]
async fn a_directory_that_others_keep_locked_is_used_without_a_lock_and_the_user_is_warned() {
    let class = Class::new();
    let _held = DirLock::take(&class.dir("bob"), DirUse::Change).expect("free");
    let (waited, prepared) = class.prepared(|wanted| wanted).await;
    assert!(waited >= TIMEOUT.play && waited < TIMEOUT.build, "{waited:?}");
    assert_eq!(prepared.iter().map(is_locked).collect::<Vec<_>>(), [true, false]);
    let [waits, plays] = class.told();
    assert!(waits.starts_with("waiting for ") && waits.contains(&this_process()), "{waits}");
    assert!(waits.contains(", which changes `"), "{waits}");
    assert!(plays.contains("/bob`") && plays.contains("without a lock") && plays.contains(&this_process()), "{plays}");
}

#[tokio::test(start_paused = true)]
async fn a_build_where_others_keep_playing_is_void_after_a_while_and_harms_nobody_else() {
    let class = Class::new();
    let _held = DirLock::take(&class.dir("ada"), DirUse::Play).expect("free");
    let (waited, mut prepared) = class.prepared(|wanted| wanted).await;
    assert!(waited >= TIMEOUT.build && waited < 2 * TIMEOUT.build, "{waited:?}");
    assert!(is_locked(&prepared[1]));
    match prepared.swap_remove(0) {
        Err(Unprepared::Shortage(reason)) => {
            assert!(reason.contains("/ada`") && reason.contains(&this_process()), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let [waits] = class.told();
    assert!(
        waits.starts_with("waiting for ") && waits.contains("a build there would change the files that it is using"),
        "{waits}"
    );
}

#[tokio::test(start_paused = true)]
async fn all_directories_together_are_waited_for_no_longer_than_one() {
    let mut class = Class::new();
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\ndir = \"{name}\"\ncommand = [\"sh\"]\n");
    class.tournament =
        Tournament::parse(&(player("ada") + &player("bob")), "class").unwrap_or_else(|problems| panic!("{problems}"));
    let _held = ["ada", "bob"].map(|name| DirLock::take(&class.dir(name), DirUse::Change).expect("free"));
    let (waited, _) = class.prepared(|wanted| wanted).await;
    assert!(waited >= TIMEOUT.play && waited < TIMEOUT.play + 2 * MOMENT, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn if_one_directory_is_always_replaced_the_others_are_locked_and_the_user_is_warned() {
    let class = Class::new();
    let bob = dir_id(&class.dir("bob")).expect("there");
    let (_, prepared) = class
        .prepared(|mut wanted| {
            // Another directory was at this path when the wanted directories were looked up.
            let dir = wanted.remove(&bob).expect("wanted");
            wanted.insert((0, 0), dir);
            wanted
        })
        .await;
    assert_eq!(prepared.iter().map(is_locked).collect::<Vec<_>>(), [true, false]);
    let [unlockable] = class.told();
    let part = "/bob` cannot be locked (it keeps being replaced by another directory)";
    assert!(unlockable.contains(part), "{unlockable}");
}
