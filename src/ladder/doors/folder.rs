//! The first door: a directory, which is read once it has not changed for a while.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::desk::{DoorDelivery, DoorDesk};
use super::door_terms::DoorTerms;
use super::stillness::{FolderStep, PollTerms, Stillness, next_after, poll_after};
use crate::base::machine::away;
use crate::base::sanitise::Shown as _;
use crate::base::time::{WallTime, now, wall_clock};
use crate::base::tree::{Found, TreeError, survey};
use crate::course::submissions::is_left_out;
use crate::ladder::hand_in::DoorKind;
use crate::tournament::PlayerName;

/// A directory into which a player puts its bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderDoor {
    /// The directory, which need not exist yet.
    pub(crate) dir: PathBuf,
}

/// Watches the directory of `player` until the door closes. Returns when it has closed. The door has been open since
/// `opened`.
pub(super) async fn watch(
    desk: &DoorDesk,
    player: &PlayerName,
    door: &FolderDoor,
    (terms, opened): (&DoorTerms, WallTime),
) -> WallTime {
    let mut stillness = Stillness::default();
    let mut counts_as = poll_after(opened, wall_clock(), Duration::ZERO, terms.closes()).counts_as;
    // Whether the last copy failed. A successful poll does not reset this.
    let mut is_copy_broken = false;
    loop {
        let began = wall_clock();
        let day = counts_as.take().unwrap_or(began);
        let dir = door.dir.clone();
        let polled = away(move || looked_at(&dir)).await;
        let (poll, closes) = (desk.poll.get(), terms.closes());
        let next = match polled {
            Ok(state) => match stillness.poll(state, now(), day, PollTerms { poll, closes }) {
                FolderStep::Closed => return closes.unwrap_or(day),
                FolderStep::Poll(next) => {
                    is_copy_broken &= stillness.is_waiting();
                    if !is_copy_broken {
                        desk.tell_well(player, DoorKind::Folder).await;
                    }
                    Some(next)
                }
                FolderStep::Take(arrived) => match desk.wait(player) {
                    None => {
                        is_copy_broken = !take(desk, player, &door.dir, arrived, (&mut stillness, terms)).await;
                        if !is_copy_broken {
                            continue;
                        }
                        next_after((day, false), wall_clock(), poll, closes)
                    }
                    // The player has used up its limit for today. Anything that is in the directory when the door
                    // closes still counts.
                    Some(wait) => next_after((day, true), wall_clock(), wait.min(poll), closes),
                },
            },
            Err(error) => {
                let trouble = format!("its directory `{}` cannot be read: {error}", door.dir.shown());
                desk.tell(player, DoorKind::Folder, trouble).await;
                next_after((day, false), wall_clock(), poll, closes)
            }
        };
        let Some(next) = next else { return closes.unwrap_or(day) };
        counts_as = if terms.pause(next.wait).await {
            next.counts_as
        } else {
            let (time, closes) = (wall_clock(), terms.closes());
            // The last poll is never made before the closing time.
            let due = next.counts_as.filter(|end| closes == Some(*end) && *end <= time);
            due.or(poll_after(day, time, Duration::ZERO, closes).counts_as)
        };
    }
}

/// Copies the directory `dir` of `player`, which has not changed since the time `arrived`, and delivers it if it has
/// not changed in the meantime. Returns whether it could be copied.
async fn take(
    desk: &DoorDesk,
    player: &PlayerName,
    dir: &Path,
    arrived: WallTime,
    (stillness, terms): (&mut Stillness<Vec<Found>>, &DoorTerms),
) -> bool {
    let (intake, bounds, from) = (desk.intake.clone(), desk.bounds.get(), dir.to_owned());
    let (taken, after) = away(move || {
        let taken = intake.take_path(&from, bounds);
        (taken, looked_at(&from).ok().flatten())
    })
    .await;
    let counts = stillness.copied(after, now(), wall_clock(), terms.closes());
    match taken {
        Ok(taken) if counts => {
            desk.tell_well(player, DoorKind::Folder).await;
            let (door, origin) = (DoorKind::Folder, format!("`{}`", dir.shown()));
            desk.deliver(player, DoorDelivery { door, arrived, origin, upload: None }, taken).await;
        }
        Ok(taken) => DoorDesk::discard(taken).await,
        // If a file has disappeared in the meantime, the directory is copied again.
        Err(_) if !counts => {}
        Err(error) => {
            let trouble = format!("the contents of `{}` cannot be copied: {error}", dir.shown());
            desk.tell(player, DoorKind::Folder, trouble).await;
            stillness.not_copied();
            return false;
        }
    }
    true
}

/// The state of the directory `dir`; `None` if the directory does not exist.
fn looked_at(dir: &Path) -> Result<Option<Vec<Found>>, TreeError> {
    match survey(dir, |name, _| is_left_out(name)) {
        Err(TreeError::Unreadable { path, source }) if path == dir && source.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroUsize;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::rc::Rc;

    use tempfile::TempDir;
    use tokio::sync::mpsc;
    use tokio::task::LocalSet;

    use super::*;
    use crate::base::time::sleep_until;
    use crate::course::unpacking::SubmissionBounds;
    use crate::ladder::doors::DoorNews;
    use crate::ladder::doors::day_limit::DayLimit;
    use crate::ladder::doors::intake::Intake;
    use crate::ladder::hand_in::HandIn;

    /// A watched directory, and the news of its door. Time is paused: it advances only when there is nothing else to
    /// do.
    struct Watched {
        dir: TempDir,
        news: mpsc::Receiver<DoorNews>,
        desk: Rc<DoorDesk>,
        terms: Rc<DoorTerms>,
    }

    impl Watched {
        fn new(most_a_day: usize) -> Self {
            let dir = tempfile::tempdir().expect("a directory");
            let (inbox, own) = (dir.path().join("inbox"), dir.path().join("ada"));
            let intake = Intake::in_dir(inbox.join("trees")).expect("made");
            let (tell, news) = mpsc::channel(10);
            let bounds = SubmissionBounds { bytes: 1000, files: 5 };
            let day = DayLimit::new(NonZeroUsize::new(most_a_day).expect("not zero"));
            let desk = DoorDesk::new((intake, inbox), None, (bounds, Duration::from_mins(2)), day, tell);
            let player = PlayerName::new("ada").expect("a name");
            let (desk, terms) = (Rc::new(desk), Rc::new(DoorTerms::new(None)));
            let watched = Self { dir, news, desk: Rc::clone(&desk), terms: Rc::clone(&terms) };
            tokio::task::spawn_local(async move {
                watch(&desk, &player, &FolderDoor { dir: own }, (&terms, wall_clock())).await;
            });
            watched
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.dir.path().join("ada").join(name);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, text).expect("written");
        }

        async fn hand_in(&mut self) -> HandIn {
            match self.news.recv().await.expect("news") {
                DoorNews::HandIn(hand_in) => hand_in,
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_directory_is_handed_in_as_import_would_take_it_and_again_when_its_files_change() {
        let scenario = async {
            let mut watched = Watched::new(20);
            watched.write("bot.py", "1");
            watched.write(".git/config", "x");
            let own = watched.dir.path().join("ada");
            for (target, link) in [("bot.py", "inner.py"), ("/etc/passwd", "outer.py")] {
                symlink(target, own.join(link)).expect("linked");
            }
            let _socket = UnixListener::bind(own.join("socket")).expect("bound");
            nix::unistd::mkfifo(&own.join("fifo"), nix::sys::stat::Mode::S_IRWXU).expect("made");
            let first = watched.hand_in().await;
            let sources = first.sources.as_ref().expect("sources");
            assert_eq!(sources.files, ["bot.py", "inner.py"]);
            assert!(sources.warnings.concat().contains("`outer.py` was left out"));
            assert_eq!((first.door, first.player.as_str()), (DoorKind::Folder, "ada"));
            // Neither rewriting the same files nor adding files that are left out makes a new version.
            watched.write("bot.py", "1");
            watched.write("target/debug/bot", "x");
            sleep_until(now() + Duration::from_hours(1)).await;
            watched.write("bot.py", "2");
            let second = watched.hand_in().await;
            let text = fs::read_to_string(second.sources.as_ref().expect("sources").dir.join("bot.py"));
            assert_eq!(text.expect("readable"), "2");
            assert_ne!(first.digest, second.digest);
            first.settle().expect("removed");
            assert!(second.sources.as_ref().expect("sources").dir.exists());
            // A directory that is too large is refused, which is also reported.
            watched.write("huge", &"x".repeat(1001));
            assert!(watched.hand_in().await.sources.expect_err("too large").contains("contains more than"));
            assert!(watched.news.try_recv().is_err());
        };
        LocalSet::new().run_until(scenario).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_player_that_has_handed_in_often_enough_waits() {
        let scenario = async {
            let mut watched = Watched::new(1);
            watched.write("bot.py", "1");
            watched.hand_in().await;
            watched.write("bot.py", "2");
            // The time of day does not advance in this test.
            sleep_until(now() + Duration::from_hours(48)).await;
            assert!(watched.news.try_recv().is_err());
        };
        LocalSet::new().run_until(scenario).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_directory_that_cannot_be_looked_at_is_told_once() {
        let scenario = async {
            let mut watched = Watched::new(20);
            fs::write(watched.dir.path().join("ada"), "no directory").expect("written");
            let Some(DoorNews::Trouble { trouble, .. }) = watched.news.recv().await else { panic!("trouble") };
            assert!(trouble.contains("cannot be read"), "{trouble}");
            sleep_until(now() + Duration::from_hours(1)).await;
            assert!(watched.news.try_recv().is_err());
            // The directory can be examined again, although nothing is handed in; and the next trouble is reported,
            // even if it is the same as before.
            let own = watched.dir.path().join("ada");
            fs::remove_file(&own).expect("removed");
            assert!(matches!(watched.news.recv().await, Some(DoorNews::Mended { .. })));
            fs::write(&own, "no directory").expect("written");
            assert!(matches!(watched.news.recv().await, Some(DoorNews::Trouble { .. })));
            fs::remove_file(&own).expect("removed");
            watched.write("bot.py", "1");
            assert!(matches!(watched.news.recv().await, Some(DoorNews::Mended { .. })));
            watched.hand_in().await;
        };
        LocalSet::new().run_until(scenario).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_changed_interval_takes_effect_for_a_door_that_is_open() {
        let scenario = async {
            let mut watched = Watched::new(20);
            watched.write("bot.py", "1");
            watched.hand_in().await;
            watched.desk.poll.set(Duration::from_hours(1));
            sleep_until(now() + Duration::from_mins(5)).await;
            watched.write("bot.py", "2");
            sleep_until(now() + Duration::from_mins(30)).await;
            assert!(watched.news.try_recv().is_err());
            let begun = now();
            watched.desk.poll.set(Duration::from_secs(1));
            watched.terms.change(None);
            watched.hand_in().await;
            assert!(now() - begun < Duration::from_mins(1));
            watched.write("bot.py", "3");
            watched.hand_in().await;
            assert!(now() - begun < Duration::from_mins(2));
        };
        LocalSet::new().run_until(scenario).await;
    }
}
