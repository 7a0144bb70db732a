//! Before the first game: each player's program found, built and digested.

mod building;
mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use crate::base::machine::is_shortage;
use crate::base::printable::{Shown as _, printable};
use crate::base::tree::TreeError;
use crate::host::program::{GoOn, Inventory, Premises, ProgramFiles, find_build, find_player, take_inventory};
use crate::host::sandbox::Cage;
use crate::players::bots::{Builtin, ErrorRate};
use crate::run::event::Event;
use crate::run::journal::PlayerEntry;
use crate::tournament::file::{Player, PlayerKind, Program, Resources, Template, Tournament, Transport};
use building::Yard;
use reading::away;

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
    /// A program of which games have been played and that is not what it was then, and what is different.
    Changed(String),
}

/// What the journal of a run knows of a player.
#[derive(Clone, Debug)]
pub struct Known {
    /// What it ran.
    pub entry: PlayerEntry,
    /// Whether games of it count, so that it must be the same still.
    pub is_bound: bool,
}

/// Makes players ready for a run.
#[derive(Debug)]
pub struct Preparer<'a> {
    /// The tournament.
    pub tournament: &'a Tournament,
    /// The directory of its file.
    pub base: &'a Path,
    /// How builds are confined, if they are.
    pub confinement: Option<(&'a Cage, &'a Premises)>,
    /// What the run knows of players, where it goes on.
    pub known: &'a [Known],
    /// Where it tells what happens.
    pub events: &'a UnboundedSender<Event>,
}

/// What a player runs, so that it is noticed when that changes.
#[derive(Debug)]
pub struct Identity {
    /// What identifies the player: its program without what a build makes of it. A built-in bot has none.
    sources: Option<Inventory>,
    digest: Option<String>,
    products: Option<BTreeMap<String, String>>,
    /// All that it runs. Without one there is nothing that could change.
    inventory: Option<Inventory>,
    /// What has changed.
    change: OnceLock<String>,
}

impl Identity {
    /// That of a built-in bot: this very program, which stays what it is while it runs. The digest is missing only on the
    /// rare machine that can't read it.
    pub const fn of_builtin(digest: Option<String>) -> Self {
        Self { sources: None, digest, products: None, inventory: None, change: OnceLock::new() }
    }

    /// That of a program that consists of these files.
    pub fn of_program(inventory: Inventory) -> Self {
        let digest = Some(inventory.digest());
        let sources = Some(inventory.clone());
        Self { sources, digest, products: None, inventory: Some(inventory), change: OnceLock::new() }
    }

    /// That of a program that consists of these files in the directory `dir`, of which a build has made those called one of
    /// `products`, relative to `dir`.
    pub fn of_built(inventory: Inventory, dir: &Path, products: &BTreeSet<String>) -> Self {
        let sources = inventory.without(products, dir);
        let mut made = inventory.files_in(dir);
        made.retain(|name, _| products.contains(name));
        let digest = Some(sources.digest());
        Self {
            sources: Some(sources),
            digest,
            products: Some(made),
            inventory: Some(inventory),
            change: OnceLock::new(),
        }
    }

    /// The digest of what identifies the player.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Each file that identifies the player with its digest; none for a built-in bot.
    pub fn files(&self) -> BTreeMap<String, String> {
        self.sources.as_ref().map(Inventory::files).unwrap_or_default()
    }

    /// Each file that its build has made with its digest; `None` where builds are not told apart.
    pub const fn products(&self) -> Option<&BTreeMap<String, String>> {
        self.products.as_ref()
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

/// The machine lacks something without which players can't be made ready.
#[derive(Debug, Error)]
#[error("could not make player `{player}` ready: {reason}")]
pub struct Shortage {
    /// The player whose turn it was.
    pub player: String,
    /// What is lacking.
    pub reason: String,
}

/// Why a program is not ready.
enum Unprepared {
    /// It can't be started; with what its build wrote.
    Unstartable { reason: String, output: String },
    /// It is not what it was, as which it has played.
    Changed(String),
    /// By no fault of its own.
    Shortage(String),
}

impl From<String> for Unprepared {
    fn from(reason: String) -> Self {
        Self::Unstartable { reason, output: String::new() }
    }
}

impl From<TreeError> for Unprepared {
    fn from(error: TreeError) -> Self {
        match error {
            TreeError::Unreadable { ref source, .. } if is_shortage(source) => Self::Shortage(error.to_string()),
            TreeError::TooLarge { .. } | TreeError::TooMany { .. } => error.to_string().into(),
            error => format!("it could not be read: {error}").into(),
        }
    }
}

impl Preparer<'_> {
    /// Prepares all players. What is wrong with one is told as an event and holds up none of the others.
    ///
    /// # Errors
    /// When the machine lacks something that it takes; that is no player's fault.
    pub async fn prepare(&self) -> Result<Vec<Entrant>, Shortage> {
        let mut entrants = Vec::new();
        let mut own_digest = None;
        let mut yard = Yard::default();
        for player in &self.tournament.players {
            entrants.push(match &player.kind {
                PlayerKind::Remote(_) => Entrant::Remote,
                PlayerKind::Builtin(bot) => {
                    let executable = own_executable();
                    // The same file for all of them; only the rare machine that can't read it has no digest.
                    let extent = ProgramFiles::Files(Vec::new());
                    let own = || Some(Inventory::take(Some(&executable), &extent, &|_| true).ok()?.digest());
                    let identity = Box::new(Identity::of_builtin(own_digest.get_or_insert_with(own).clone()));
                    Entrant::Program {
                        program: Box::new(stand_in(*bot)),
                        executable,
                        dir: self.base.to_owned(),
                        identity,
                    }
                }
                PlayerKind::Program(program) => match self.prepare_program(player, program, &mut yard).await {
                    Ok(entrant) => entrant,
                    Err(Unprepared::Changed(what)) => Entrant::Changed(what),
                    Err(Unprepared::Shortage(reason)) => {
                        return Err(Shortage { player: player.name.to_string(), reason });
                    }
                    Err(Unprepared::Unstartable { reason, output }) => {
                        let player = player.name.to_string();
                        let _ = self.events.send(Event::Unstartable { player, reason: reason.clone(), output });
                        Entrant::Unstartable(reason)
                    }
                },
            });
        }
        Ok(entrants)
    }

    async fn prepare_program(
        &self,
        player: &Player,
        program: &Program,
        yard: &mut Yard,
    ) -> Result<Entrant, Unprepared> {
        let dir = program.working_dir(self.base);
        if !dir.is_dir() {
            return Err(format!("directory `{}` not found (key `dir`)", dir.shown()).into());
        }
        let builder = find_build(program, self.base).map_err(|error| format!("its build: {error}"))?;
        let (executable, identity) = match builder {
            Some(builder) => self.build(player, program, &builder, yard).await?,
            None => {
                let executable = find_player(program, self.base).map_err(|error| format!("{error} (key `command`)"))?;
                let inventory = self.inventory(player, program, Some(&executable)).await?;
                (executable, Identity::of_program(inventory))
            }
        };
        Ok(Entrant::Program { program: Box::new(program.clone()), executable, dir, identity: Box::new(identity) })
    }

    /// What `program` consists of, `executable` being the file that it runs, if that is there.
    async fn inventory(
        &self,
        player: &Player,
        program: &Program,
        executable: Option<&Path>,
    ) -> Result<Inventory, Unprepared> {
        let (program, executable, base) = (program.clone(), executable.map(Path::to_owned), self.base.to_owned());
        let reading = move |go_on: GoOn<'_>| Ok(take_inventory(&program, executable.as_deref(), &base, go_on)?);
        away(&player.name, self.events, reading).await
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
        build_network: false,
        transport: Transport::Tcp,
        resources: Resources::default(),
        readable: Vec::new(),
        writable: false,
    }
}
