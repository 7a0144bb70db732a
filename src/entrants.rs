//! Before the first game: each player's program found, built and digested.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use crate::bots::{Builtin, ErrorRate};
use crate::event::Event;
use crate::machine::{self, is_shortage};
use crate::printable::{Shown as _, printable};
use crate::process::{Built, build};
use crate::program::{Extent, GoOn, Inventory, find_build, find_player, take_inventory};
use crate::time::{now, sleep_until};
use crate::tournament::{Player, PlayerKind, PlayerName, Program, Resources, Template, Tournament, Transport};
use crate::tree::TreeError;

/// A player as this machine can start it.
#[derive(Debug)]
pub enum Entrant {
    /// A program, found and built.
    Program {
        /// The program as the tournament file has it, or what stands for a built-in bot.
        program: Box<Program>,
        /// Where the executable is.
        executable: PathBuf,
        /// Its working directory.
        dir: PathBuf,
        /// What is run.
        identity: Box<Identity>,
    },
    /// A player that connects by itself.
    Remote,
    /// A program that can't be started, and why.
    Unstartable(String),
}

/// What a player runs, so that it is noticed when that changes.
#[derive(Debug)]
pub struct Identity {
    digest: Option<String>,
    /// Without one there is nothing that could change.
    inventory: Option<Inventory>,
    /// What has changed.
    change: OnceLock<String>,
}

impl Identity {
    /// That of a built-in bot: this very program, which stays what it is while it runs. The digest is missing only on the
    /// rare machine that can't read it.
    pub const fn of_builtin(digest: Option<String>) -> Self {
        Self { digest, inventory: None, change: OnceLock::new() }
    }

    /// That of a program that consists of these files.
    pub fn of_program(inventory: Inventory) -> Self {
        Self { digest: Some(inventory.digest()), inventory: Some(inventory), change: OnceLock::new() }
    }

    /// The digest of what is run.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Each file with its digest; none for a built-in bot.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.inventory.as_ref().map(Inventory::files).unwrap_or_default()
    }

    /// Looks whether something has changed, and says what. Once something has, it stays so: what was played with is gone,
    /// even if it came back.
    pub fn change(&self) -> Option<String> {
        if self.change.get().is_none()
            && let Some(file) = self.inventory.as_ref().and_then(Inventory::changed)
        {
            // Two games may notice it at the same time; either will do.
            let _ = self.change.set(file);
        }
        self.change.get().map(|file| format!("`{}` has changed since the run began", printable(file)))
    }
}

/// Prepares all players of `tournament`, whose file is in `base`. What is wrong with one is told as an event and holds up
/// none of the others.
///
/// # Errors
/// When the machine lacks something that it takes; that is no player's fault.
pub async fn prepare(
    tournament: &Tournament,
    base: &Path,
    events: &UnboundedSender<Event>,
) -> Result<Vec<Entrant>, Shortage> {
    let mut entrants = Vec::new();
    let mut own_digest = None;
    for player in &tournament.players {
        entrants.push(match &player.kind {
            PlayerKind::Remote(_) => Entrant::Remote,
            PlayerKind::Builtin(bot) => {
                let executable = own_executable();
                // The same file for all of them; only the rare machine that can't read it has no digest.
                let own =
                    || Some(Inventory::take(Some(&executable), &Extent::Files(Vec::new()), &|_| true).ok()?.digest());
                let identity = Box::new(Identity::of_builtin(own_digest.get_or_insert_with(own).clone()));
                Entrant::Program { program: Box::new(stand_in(*bot)), executable, dir: base.to_owned(), identity }
            }
            PlayerKind::Program(program) => match prepare_program(tournament, player, program, base, events).await {
                Ok(entrant) => entrant,
                Err(Unprepared::Shortage(shortage)) => return Err(shortage),
                Err(Unprepared::Unstartable { reason, output }) => {
                    let player = player.name.to_string();
                    let _ = events.send(Event::Unstartable { player, reason: reason.clone(), output });
                    Entrant::Unstartable(reason)
                }
            },
        });
    }
    Ok(entrants)
}

/// The machine lacks something without which players can't be made ready.
#[derive(Debug, Error)]
#[error("could not make player `{player}` ready")]
pub struct Shortage {
    /// The player whose turn it was.
    pub player: String,
    /// What the system said.
    pub source: io::Error,
}

/// Why a program is not ready.
enum Unprepared {
    /// It can't be started; with what its build wrote.
    Unstartable { reason: String, output: String },
    /// By no fault of its own.
    Shortage(Shortage),
}

impl From<String> for Unprepared {
    fn from(reason: String) -> Self {
        Self::Unstartable { reason, output: String::new() }
    }
}

async fn prepare_program(
    tournament: &Tournament,
    player: &Player,
    program: &Program,
    base: &Path,
    events: &UnboundedSender<Event>,
) -> Result<Entrant, Unprepared> {
    let shortage = |source| Unprepared::Shortage(Shortage { player: player.name.to_string(), source });
    let dir = program.working_dir(base);
    if !dir.is_dir() {
        return Err(format!("directory `{}` not found (key `dir`)", dir.shown()).into());
    }
    let builder = find_build(program, base).map_err(|error| format!("its build: {error}"))?;
    if let (Some(builder), Some(command)) = (builder, &program.build) {
        let _ = events.send(Event::Building { player: player.name.to_string() });
        let deadline = now() + tournament.limits.build_timeout;
        match build(command, &builder, &dir, deadline, tournament.limits.output_cap).await {
            Built::Well => {}
            Built::Void(error) => return Err(shortage(error)),
            Built::Failed { reason, output } => {
                return Err(Unprepared::Unstartable { reason: format!("its build failed: {reason}"), output });
            }
        }
    }
    let executable = find_player(program, base).map_err(|error| format!("{error} (key `command`)"))?;
    let reading = {
        let (program, executable, base) = (program.clone(), executable.clone(), base.to_owned());
        move |go_on: GoOn<'_>| take_inventory(&program, &executable, &base, go_on)
    };
    let inventory = match away(&player.name, events, reading).await {
        Ok(inventory) => inventory,
        Err(TreeError::Unreadable { source, .. }) if is_shortage(&source) => return Err(shortage(source)),
        Err(error @ (TreeError::TooLarge { .. } | TreeError::TooMany { .. })) => return Err(error.to_string().into()),
        Err(error) => return Err(format!("it could not be read: {error}").into()),
    };
    let identity = Box::new(Identity::of_program(inventory));
    Ok(Entrant::Program { program: Box::new(program.clone()), executable, dir, identity })
}

/// How long files are read before a word is said about it, and then between two words.
const MOMENT: Duration = Duration::from_secs(2);
const PROGRESS: Duration = Duration::from_secs(10);

/// How far a reading of files has come, and whether anybody wants it still.
#[derive(Debug, Default)]
struct Progress {
    read: AtomicU64,
    unwanted: AtomicBool,
}

/// Ends a reading when nobody waits for it any more.
struct Unwanted(Arc<Progress>);

impl Drop for Unwanted {
    fn drop(&mut self) {
        self.0.unwanted.store(true, Relaxed);
    }
}

/// Reads files of `player` away from this thread, so that signals are heard meanwhile, and tells how far that is when it takes
/// longer than a moment. Dropping the future ends `reading` at its next question.
async fn away<T: Send + 'static>(
    player: &PlayerName,
    events: &UnboundedSender<Event>,
    reading: impl FnOnce(GoOn<'_>) -> Result<T, TreeError> + Send + 'static,
) -> Result<T, TreeError> {
    let wanted = Unwanted(Arc::default());
    let progress = Arc::clone(&wanted.0);
    let reading = machine::away(move || {
        reading(&|read| {
            progress.read.store(read, Relaxed);
            !progress.unwanted.load(Relaxed)
        })
    });
    tokio::pin!(reading);
    let mut next = now() + MOMENT;
    loop {
        tokio::select! {
            done = &mut reading => return done,
            () = sleep_until(next) => {
                next = now() + PROGRESS;
                let (player, bytes) = (player.to_string(), wanted.0.read.load(Relaxed));
                let _ = events.send(Event::Reading { player, bytes });
            }
        }
    }
}

/// This very program; on Linux under a name that still leads to it when a new version has been installed meanwhile.
fn own_executable() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { own } else { std::env::current_exe().unwrap_or(own) }
}

/// The program that a built-in bot is: this one.
fn stand_in(bot: Builtin) -> Program {
    let Builtin { engine, depth, playouts, error, seed } = bot;
    let mut command = vec!["gothello-arena".to_owned(), "bot".to_owned(), engine.to_string()];
    command.extend(["--side", "{side}", "--host", "{host}", "--port", "{port}"].map(str::to_owned));
    command.extend(["--seed".to_owned(), seed.map_or_else(|| "{seed}".to_owned(), |seed| seed.to_string())]);
    for (option, number) in [("--depth", depth), ("--playouts", playouts)] {
        command.extend(number.into_iter().flat_map(|number| [option.to_owned(), number.to_string()]));
    }
    if error != ErrorRate::NEVER {
        command.extend(["--error".to_owned(), error.to_string()]);
    }
    let command = command.iter().filter_map(|word| Template::parse(word).ok()).collect();
    Program {
        command,
        dir: None,
        env: Vec::new(),
        pass_env: Vec::new(),
        build: None,
        transport: Transport::Tcp,
        resources: Resources::default(),
        readable: Vec::new(),
        writable: false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::mpsc::unbounded_channel;

    use tokio::task::spawn_blocking;

    use super::*;

    #[tokio::test]
    async fn a_reading_tells_how_far_it_is_and_ends_when_nobody_wants_it_any_more() {
        let (events, mut told) = unbounded_channel();
        let (ended, end) = mpsc::channel();
        let player = PlayerName::new("slow").expect("a name");
        let endless = move |go_on: GoOn<'_>| -> Result<(), TreeError> {
            while go_on(7 << 20) {
                std::thread::yield_now();
            }
            ended.send(()).expect("waited for");
            Err(TreeError::Stopped)
        };
        tokio::select! {
            _ = away(&player, &events, endless) => panic!("it has no end"),
            event = told.recv() => {
                assert_eq!(event, Some(Event::Reading { player: "slow".to_owned(), bytes: 7 << 20 }));
            }
        }
        // The thread is not this one's.
        spawn_blocking(move || end.recv()).await.expect("no panic").expect("it has ended");
    }
}
