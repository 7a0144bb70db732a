//! The second door: a Git repository, which is polled by the system's `git`.
//!
//! | room | contents |
//! | --- | --- |
//! | `address` | the addresses of repositories that are allowed, and the names of branches |
//! | `setting` | the arguments and the environment of each `git`, which has no other configuration |
//! | `running` | a `git` in its confinement, bounded in time and size |
//! | `objects` | the files of a commit, read from the object store without a checkout |
//! | `complaint` | what the messages of `git` mean to a teacher |
//!
//! Each fetch goes into a new store, which is removed afterwards: a permanent store would grow, would have to be
//! repaired after a crash, and would carry anything that a hostile server ever sent into every later fetch.

mod address;
mod complaint;
#[cfg(fuzzing)]
pub(crate) mod fuzzed_repository;
mod objects;
mod running;
mod setting;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use address::{BranchName, GitAddress};
use complaint::{GitComplaint, GitTask, explained};
use objects::WantedFile;
use running::{GitFailure, GitRun, git_program};
use setting::{FETCHED, GitSecret, GitSetting};

use super::desk::{DoorDelivery, DoorDesk};
use super::door_terms::DoorTerms;
use super::intake::TakenIn;
use super::stillness::{next_after, poll_after};
use crate::base::files::Scratch;
use crate::base::machine::away;
use crate::base::sanitise::Shown as _;
use crate::base::time::{WallTime, now, wall_clock};
use crate::course::submissions::EntryPath;
use crate::course::unpacking::{SubmissionBounds, UnpackRefusal};
use crate::ladder::hand_in::DoorKind;
use crate::tournament::PlayerName;

/// How long `git` may take to name the newest commit, and to fetch it.
const POLL_TIMEOUT: Duration = Duration::from_mins(1);
const FETCH_TIMEOUT: Duration = Duration::from_mins(5);

/// How long `git` may take to read what is already in the store.
const READ_TIMEOUT: Duration = Duration::from_mins(2);

/// A repository to which a player pushes its bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitDoor {
    pub(crate) address: GitAddress,
    /// The branch; `None` for the default branch of the repository.
    pub(crate) branch: Option<BranchName>,
    /// The directory of the bot in the repository; `None` for the whole repository.
    pub(crate) subdirectory: Option<EntryPath>,
    pub(crate) credential: GitCredential,
}

/// The credential with which a private repository is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GitCredential {
    /// No credential.
    None,
    /// The file with the private key of a deploy key, for `ssh://`.
    Key(PathBuf),
    /// The file with a token, or with `USER:TOKEN`, for `https://`.
    TokenFile(PathBuf),
}

/// Polls the repository of `player` until the door closes. Returns when it has closed. The door has been open since
/// `opened`.
pub(super) async fn watch(
    desk: &DoorDesk,
    player: &PlayerName,
    door: &GitDoor,
    (terms, opened): (&DoorTerms, WallTime),
) -> WallTime {
    let mut seen = None;
    let mut counts_as = poll_after(opened, wall_clock(), Duration::ZERO, terms.closes()).counts_as;
    loop {
        let day = counts_as.take().unwrap_or_else(wall_clock);
        if let Some(closes) = terms.closes().filter(|closes| day > *closes) {
            return closes;
        }
        let is_well = match desk.wait(player) {
            Some(_) => true,
            None => poll(desk, player, (door, terms), day, &mut seen).await,
        };
        let ended = now();
        counts_as = loop {
            let (poll, closes) = (desk.poll.get(), terms.closes());
            let wait = desk.wait(player).map_or(poll, |wait| wait.min(poll));
            let left = (ended + wait).saturating_duration_since(now());
            let Some(next) = next_after((day, is_well), wall_clock(), left, closes) else {
                return closes.unwrap_or(day);
            };
            if terms.pause(next.wait).await {
                break next.counts_as;
            }
        };
    }
}

/// Looks at the repository once, at the time `arrived`. `seen` is the commit that was examined last. Returns whether
/// the repository could be read. If the door closes during the poll, the poll ends without a result, and the last poll
/// follows.
async fn poll(
    desk: &DoorDesk,
    player: &PlayerName,
    (door, terms): (&GitDoor, &DoorTerms),
    arrived: WallTime,
    seen: &mut Option<String>,
) -> bool {
    let is_last = terms.closes().is_some_and(|closes| arrived >= closes);
    let fetched = tokio::select! {
        biased;
        fetched = fetched(desk, player, door, (seen.as_deref(), is_last)) => fetched,
        () = terms.closing_after(arrived) => return true,
    };
    let taken = match fetched {
        Ok(None) => Ok(None),
        Ok(Some(fetched)) => fetched.taken_in(desk).await.map(Some),
        Err(complaint) => Err(complaint),
    };
    match taken {
        Ok(taken) => {
            desk.tell_well(player, DoorKind::Git).await;
            if let Some((commit, taken)) = taken {
                let origin = format!("commit {}", &commit[..commit.len().min(12)]);
                *seen = Some(commit);
                desk.deliver(player, DoorDelivery { door: DoorKind::Git, arrived, origin, upload: None }, taken).await;
            }
            true
        }
        Err(complaint) => {
            let trouble = format!("its repository {}: {complaint}", door.address);
            desk.tell(player, DoorKind::Git, trouble).await;
            false
        }
    }
}

/// A commit that was fetched.
struct FetchedCommit {
    commit: String,
    /// Its files, or why they are refused.
    wanted: Result<Vec<WantedFile>, UnpackRefusal>,
    /// The output of `git cat-file`, with the contents of the files.
    contents: Option<File>,
    bounds: SubmissionBounds,
}

impl FetchedCommit {
    /// Takes in the files. Returns them with the commit.
    async fn taken_in(self, desk: &DoorDesk) -> Result<(String, TakenIn), GitComplaint> {
        let Self { commit, wanted, contents, bounds } = self;
        let intake = desk.intake.clone();
        let taken = away(move || {
            intake.take(bounds, |visit| match (wanted, contents) {
                (Ok(wanted), Some(mut contents)) => objects::each(&wanted, &mut contents, visit),
                (Err(refusal), _) => Err(refusal.into()),
                (Ok(_), None) => Ok(()),
            })
        });
        let taken = taken.await.map_err(|error| GitComplaint::NoRoom(error.to_string()))?;
        Ok((commit, taken))
    }
}

/// Fetches the newest commit of the repository of `player`; `None` if it is `seen`. In the last poll, this is the
/// commit that was the newest when the poll began, even if another commit has been pushed since then.
async fn fetched(
    desk: &DoorDesk,
    player: &PlayerName,
    door: &GitDoor,
    (seen, is_last): (Option<&str>, bool),
) -> Result<Option<FetchedCommit>, GitComplaint> {
    let program = git_program().ok_or(GitComplaint::NoGit)?;
    let secret = GitSecret::read(&door.credential)?;
    let known_hosts = desk.inbox.join(format!("known_hosts-{}", player.slug()));
    let work = GitStore::new(&secret, door.address.is_ssh().then_some(&*known_hosts))
        .map_err(|error| GitComplaint::NoRoom(error.to_string()))?;
    let bounds = desk.bounds.get();
    let setting = GitSetting { address: &door.address, secret: &secret };
    let run = |args: Vec<String>, timeout| GitRun {
        program: &program,
        store: work.store(),
        cage: desk.cage.as_deref(),
        args,
        env: setting.environment(&program),
        timeout,
        most_bytes: running::most_store(bounds.bytes),
    };
    let complain = |asked| {
        let (secret, door) = (&secret, door);
        move |failure: GitFailure| explained(&failure.without(|text| secret.hidden_in(text)), door, asked)
    };
    if !desk.has_obedient_git.get() {
        let told = run(GitSetting::test(), READ_TIMEOUT).piped(Vec::new()).await.map_err(complain(GitTask::Read))?;
        if !setting::is_obedient(&told) {
            return Err(GitComplaint::OldGit);
        }
        desk.has_obedient_git.set(true);
    }
    let told =
        run(setting.poll(door.branch.as_ref()), POLL_TIMEOUT).network().await.map_err(complain(GitTask::Poll))?;
    work.keep_known_hosts(&known_hosts);
    let reference = door.branch.as_ref().map_or_else(|| "HEAD".to_owned(), BranchName::reference);
    let newest = newest(&told, &reference).ok_or_else(|| GitComplaint::NoBranch(door.branch.clone()))?;
    if seen == Some(&*newest) {
        return Ok(None);
    }
    let fetch = async |what: &str| {
        run(setting.fetch(what), FETCH_TIMEOUT).network().await.map_err(complain(GitTask::Fetch))?;
        let commit = fs::read_to_string(work.store().join(FETCHED));
        Ok::<_, GitComplaint>(commit.map_or_else(|_| newest.clone(), |text| text.trim().to_owned()))
    };
    // Not every server sends a commit by its name, but every server sends a branch, which may have moved since the
    // poll.
    let mut commit = fetch(&reference).await?;
    if is_last && commit != newest {
        commit = fetch(&newest).await?;
    }
    let listed = run(GitSetting::list(door.subdirectory.as_ref()), READ_TIMEOUT);
    let listing = listed.piped(Vec::new()).await.map_err(complain(GitTask::Read))?;
    let wanted = objects::wanted(&listing, bounds);
    let contents = match &wanted {
        Ok(wanted) => {
            let reading = run(GitSetting::contents(), READ_TIMEOUT);
            Some(reading.piped_to_file(objects::names(wanted)).await.map_err(complain(GitTask::Read))?)
        }
        Err(_) => None,
    };
    Ok(Some(FetchedCommit { commit, wanted, contents, bounds }))
}

/// The commit of `reference` in the lines that `git ls-remote` has printed.
fn newest(told: &str, reference: &str) -> Option<String> {
    let mut lines = told.lines().filter_map(|line| line.split_once('\t'));
    let commit = lines.find(|(_, name)| *name == reference)?.0;
    let is_commit = [40, 64].contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| commit.to_owned())
}

/// A new, empty store, together with the files that `git` needs. It is removed on drop.
struct GitStore {
    store: PathBuf,
    _dir: Scratch,
}

impl GitStore {
    /// Makes a store by hand: `git init` could copy a template with hooks.
    fn new(secret: &GitSecret, known_hosts: Option<&Path>) -> std::io::Result<Self> {
        use std::os::unix::fs::PermissionsExt as _;

        let dir = Scratch::new()?;
        // A confined `git` may run as a separate user, which must be able to traverse this directory.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711))?;
        let store = dir.path().join("store");
        for part in ["", "objects", "refs", "refs/heads"] {
            fs::create_dir(store.join(part))?;
        }
        fs::write(store.join("HEAD"), "ref: refs/heads/none\n")?;
        fs::write(store.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
        if let Some(key) = secret.key() {
            let file = store.join(setting::KEY_FILE);
            fs::write(&file, "")?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
            fs::write(&file, key)?;
        }
        if let Some(known) = known_hosts.and_then(|path| fs::read(path).ok()) {
            fs::write(store.join(setting::KNOWN_HOSTS), known)?;
        }
        Ok(Self { store, _dir: dir })
    }

    fn store(&self) -> &Path {
        &self.store
    }

    /// Stores in the file `path` the host keys that `ssh` has learned, so that another host cannot later take the place
    /// of the first one.
    fn keep_known_hosts(&self, path: &Path) {
        /// Much larger than the keys of one host.
        const MOST_BYTES: u64 = 64 << 10;
        let learned = crate::base::held_dir::HeldDir::open(&self.store)
            .and_then(|store| store.file(Path::new(setting::KNOWN_HOSTS)))
            .and_then(|file| std::io::read_to_string(std::io::Read::take(file, MOST_BYTES)));
        if let Ok(learned) = learned
            && !learned.is_empty()
            && !path.exists()
        {
            // Otherwise the key is learned again.
            let _ = crate::base::files::write_whole(path, learned.as_bytes());
        }
    }
}

/// The text of the file at `path`. The file contains a secret, so only its owner may have access to it.
fn private_text(path: &Path, most: u64) -> Result<String, GitComplaint> {
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;

    let unreadable = |why: String| GitComplaint::Secret { path: path.shown(), why };
    let file = crate::base::held_dir::open_named_file(path).map_err(|error| unreadable(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| unreadable(error.to_string()))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(unreadable("other users can read it: run `chmod 600` on it".to_owned()));
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text).map_err(|error| unreadable(error.to_string()))?;
    if text.len() as u64 > most || text.trim().is_empty() {
        return Err(unreadable("it is empty or too large".to_owned()));
    }
    Ok(text)
}
