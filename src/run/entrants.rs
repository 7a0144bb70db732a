//! Finds, builds and digests each player's program before the first game.

mod build_products;
mod identity;
mod player_dirs;
mod reading;
mod unprepared;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::base::sanitise::Shown as _;
use crate::exact::tablebase::default_place;
use crate::game::Ruleset;
use crate::game::quantum::Mode;
use crate::host::confinement::Confinement;
use crate::host::dir_lock::DirLock;
use crate::host::program::{GoOn, Inventory, find_build, find_player, own_digest, own_executable, take_inventory};
use crate::players::bots::{Builtin, ErrorRate, Thinker};
use crate::run::event::Event;
use crate::run::journal::PlayerEntry;
use crate::tournament::{
    Player, PlayerKind, PlayerTeam, Program, Resources, TeamBot, TeamMember, Template, Tournament, Transport,
};
use build_products::Yard;
pub(crate) use build_products::build_resources;
pub use identity::{Identity, PlayerChange};
pub use player_dirs::DirNews;
use player_dirs::PlayerDirs;
use reading::away;
pub use unprepared::Shortage;
pub(crate) use unprepared::Unprepared;

/// How this machine can start a player.
#[derive(Debug)]
pub enum Entrant {
    /// A program, or all programs of a team, found and built.
    Program {
        /// The program, or the program for each mode of a team; at least one.
        bots: Vec<ReadyBot>,
        /// The identity of all these programs.
        identity: Box<Identity>,
    },
    /// A player that connects on its own.
    Remote,
    /// A version of a ladder's player that is not prepared, because it has no game to play.
    Resting,
    /// A program that cannot be started, and why.
    Unstartable(String),
    /// A program that has changed since it played games of this run, and the change.
    Changed(String),
    /// A program that could not be prepared because the machine lacked this resource. The player's games are void.
    Void(String),
}

impl Entrant {
    /// The program that plays `mode`, or that plays alone; `None` if there is none.
    pub fn bot(&self, mode: Option<Mode>) -> Option<&ReadyBot> {
        let Self::Program { bots, .. } = self else { return None };
        bots.iter().find(|bot| bot.mode.is_none_or(|own| Some(own) == mode))
    }

    /// The programs, if there are any.
    pub fn bots(&self) -> &[ReadyBot] {
        match self {
            Self::Program { bots, .. } => bots,
            Self::Remote | Self::Resting | Self::Unstartable(_) | Self::Changed(_) | Self::Void(_) => &[],
        }
    }

    /// Whether the player has a program for each mode.
    pub fn is_team(&self) -> bool {
        self.bots().iter().any(|bot| bot.mode.is_some())
    }
}

/// A program that this machine can start.
#[derive(Debug)]
pub struct ReadyBot {
    /// The mode that the program plays for its team; `None` if it plays alone.
    pub mode: Option<Mode>,
    /// The program as the tournament file describes it, or the stand-in for a built-in bot.
    pub program: Box<Program>,
    /// The path of the executable.
    pub executable: PathBuf,
    /// The program's working directory.
    pub dir: PathBuf,
    /// The lock on the working directory, which prevents other processes from building or importing there; `None` if
    /// the directory cannot be locked, if other processes do not release it, or if the program is the arena itself.
    pub lock: Option<Arc<DirLock>>,
    /// Whether the program is one of the arena's own bots, which are part of the arena and trusted.
    pub is_own: bool,
}

/// A program of a player: its only program or, in a team, the program for one mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayerPart<'a> {
    pub(super) player: &'a Player,
    pub(super) mode: Option<Mode>,
    pub(super) program: &'a Program,
}

impl<'a> PlayerPart<'a> {
    /// All programs of `player`.
    pub(super) fn all(player: &'a Player) -> impl Iterator<Item = Self> {
        player.programs().map(move |(mode, program)| Self { player, mode, program })
    }

    /// See [`Player::program_key`].
    pub(super) fn key(self) -> String {
        self.player.program_key(self.mode)
    }
}

/// Which players must be prepared before a run can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// All players.
    All,
    /// All players whose builds finish in time, and all new players. The other players are prepared later; until then,
    /// their games are void.
    InTimeOrLater,
    /// Enough players to fill the seats of a game.
    OneGame,
}

/// What is known about a player before it is prepared, for example from the journal of its run.
#[derive(Clone, Debug)]
pub struct Known {
    /// The program that the player ran.
    pub entry: PlayerEntry,
    /// Whether any of the player's games count. If so, the player must not have changed.
    pub is_bound: bool,
}

/// Prepares the players of a run.
pub struct Preparer<'a> {
    /// The tournament.
    pub tournament: &'a Tournament,
    /// The directory of the tournament file.
    pub base: &'a Path,
    /// How builds are confined, if they are.
    pub confinement: Option<&'a Confinement>,
    /// What is known about players.
    pub known: &'a [Known],
    /// The channel to which events are sent.
    pub events: &'a UnboundedSender<Event>,
    /// A function that receives news about the players' directories for the user.
    pub tell: &'a (dyn Fn(DirNews) + Send + Sync),
}

impl fmt::Debug for Preparer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tournament, base, confinement, known, .. } = self;
        let fields = &mut f.debug_struct("Preparer");
        let fields = fields.field("tournament", tournament).field("base", base);
        fields.field("confinement", confinement).field("known", known).finish_non_exhaustive()
    }
}

impl Preparer<'_> {
    /// Prepares all players. A problem with one player is reported as an event and does not affect the others.
    ///
    /// # Errors
    /// Fails if a `needed` player cannot be prepared because the machine lacks a resource, or because the player's
    /// build did not finish in time.
    pub async fn prepare(&self, needed: Needed) -> Result<Vec<Entrant>, Shortage> {
        let mut entrants = Vec::new();
        let (mut shortages, mut late) = (Vec::new(), Vec::new());
        let mut yard = Yard::default();
        let mut dirs = self.lock_dirs().await;
        for player in &self.tournament.players {
            entrants.push(match self.prepare_player(player, &mut yard, &mut dirs).await {
                Ok(entrant) => entrant,
                Err(Unprepared::Changed(what)) => Entrant::Changed(what),
                Err(Unprepared::Shortage(reason)) => {
                    let output = String::new();
                    shortages.push(Shortage { player: player.name.to_string(), reason: reason.clone(), output });
                    Entrant::Void(reason)
                }
                // A longer timeout or a less busy machine may solve the problem, so the player does not lose its games.
                Err(Unprepared::Unstartable { reason, output, timed_out: true }) => {
                    let can_wait = needed == Needed::InTimeOrLater && self.is_known(player);
                    let shortage = Shortage { player: player.name.to_string(), reason: reason.clone(), output };
                    if can_wait {
                        late.push(shortage);
                    } else {
                        shortages.push(shortage);
                    }
                    Entrant::Void(reason)
                }
                Err(Unprepared::Unstartable { reason, output, timed_out: false }) => {
                    let player = player.name.to_string();
                    let _ = self.events.send(Event::Unstartable { player, reason: reason.clone(), output });
                    Entrant::Unstartable(reason)
                }
            });
        }
        let is_prepared = |entrant: &&Entrant| !matches!(entrant, Entrant::Void(_));
        let seats = usize::from(self.tournament.ruleset.seats());
        let is_enough = needed == Needed::OneGame && entrants.iter().filter(is_prepared).count() >= seats;
        if let Some(shortage) = shortages.pop_if(|_| !is_enough) {
            return Err(shortage);
        }
        for Shortage { player, reason, output } in shortages.into_iter().chain(late) {
            let _ = self.events.send(Event::Unprepared { player, reason, output });
        }
        Ok(entrants)
    }

    /// Whether the files of `player` are known.
    fn is_known(&self, player: &Player) -> bool {
        let mut known = self.known.iter().map(|known| &known.entry);
        known.any(|entry| entry.name == player.name.as_str() && entry.digest.is_some())
    }

    /// Prepares all players. A problem with one player, even if the machine is at fault, does not affect the others.
    pub(crate) async fn prepare_each(&self) -> Vec<Result<Entrant, Unprepared>> {
        let (mut prepared, mut yard) = (Vec::new(), Yard::default());
        let mut dirs = self.lock_dirs().await;
        for player in &self.tournament.players {
            prepared.push(self.prepare_player(player, &mut yard, &mut dirs).await);
        }
        prepared
    }

    async fn prepare_player(
        &self,
        player: &Player,
        yard: &mut Yard,
        dirs: &mut PlayerDirs,
    ) -> Result<Entrant, Unprepared> {
        match &player.kind {
            PlayerKind::Remote(_) => Ok(Entrant::Remote),
            PlayerKind::Builtin(bot) => {
                let (bot, identity) = self.prepare_builtin(*bot, None, yard);
                Ok(Entrant::Program { bots: vec![bot], identity: Box::new(identity) })
            }
            PlayerKind::Program(program) => {
                let part = PlayerPart { player, mode: None, program };
                let (bot, identity) = self.prepare_program(part, yard, dirs).await?;
                Ok(Entrant::Program { bots: vec![bot], identity: Box::new(identity) })
            }
            PlayerKind::Team(team) => self.prepare_team(player, team, yard, dirs).await,
        }
    }

    /// Prepares all bots of a team. If one of them cannot be prepared, neither can the team.
    async fn prepare_team(
        &self,
        player: &Player,
        team: &PlayerTeam,
        yard: &mut Yard,
        dirs: &mut PlayerDirs,
    ) -> Result<Entrant, Unprepared> {
        let (mut bots, mut identities, mut failure) = (Vec::new(), Vec::new(), None);
        for &TeamMember { mode, ref bot } in team.members() {
            let prepared = match bot {
                TeamBot::Builtin(bot) => Ok(self.prepare_builtin(*bot, Some(mode), yard)),
                // Every directory has to be released, even if an earlier bot could not be prepared.
                TeamBot::Program(program) => {
                    self.prepare_program(PlayerPart { player, mode: Some(mode), program }, yard, dirs).await
                }
            };
            match prepared {
                Ok((bot, identity)) => {
                    bots.push(bot);
                    identities.push((mode, identity));
                }
                Err(error) => drop(failure.get_or_insert_with(|| error.of_mode(mode))),
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(Entrant::Program { bots, identity: Box::new(Identity::of_team(identities)) }),
        }
    }

    /// Prepares the built-in `bot`, which plays `mode` or alone.
    fn prepare_builtin(&self, bot: Builtin, mode: Option<Mode>, yard: &Yard) -> (ReadyBot, Identity) {
        let executable = own_executable();
        // All built-in bots run the same file.
        let identity = Identity::of_builtin(yard.own_digest.get_or_init(own_digest).clone());
        let program = Box::new(stand_in(bot, self.tournament.ruleset));
        let bot = ReadyBot { mode, program, executable, dir: self.base.to_owned(), lock: None, is_own: true };
        (bot, identity)
    }

    /// Prepares a program, and records that it needs no further build in its directory.
    async fn prepare_program(
        &self,
        part: PlayerPart<'_>,
        yard: &mut Yard,
        dirs: &mut PlayerDirs,
    ) -> Result<(ReadyBot, Identity), Unprepared> {
        let prepared = self.find_program(part, yard, dirs).await;
        dirs.end_build(part, &part.program.working_dir(self.base), self.tell);
        prepared
    }

    async fn find_program(
        &self,
        part: PlayerPart<'_>,
        yard: &mut Yard,
        dirs: &mut PlayerDirs,
    ) -> Result<(ReadyBot, Identity), Unprepared> {
        let PlayerPart { mode, program, .. } = part;
        let dir = program.working_dir(self.base);
        if !dir.is_dir() {
            return Err(format!("directory `{}` not found (key `dir`)", dir.shown()).into());
        }
        let builder = find_build(program, self.base).map_err(|error| format!("its build: {error}"))?;
        let (executable, identity) = match builder {
            Some(builder) => {
                if let Some(reason) = dirs.why_unbuildable(part, &dir) {
                    return Err(Unprepared::Shortage(reason));
                }
                let found = dirs.inventories.remove(&part.key());
                self.build(part, &builder, yard, found).await?
            }
            None => {
                let executable = find_player(program, self.base).map_err(|error| format!("{error} (key `command`)"))?;
                let inventory = self.inventory(part, Some(&executable)).await?;
                (executable, Identity::of_program(inventory))
            }
        };
        let (program, lock) = (Box::new(program.clone()), dirs.lock(&dir));
        Ok((ReadyBot { mode, program, executable, dir, lock, is_own: false }, identity))
    }

    /// The files of a program; `executable` is the file that it runs, if it exists.
    async fn inventory(&self, part: PlayerPart<'_>, executable: Option<&Path>) -> Result<Inventory, Unprepared> {
        let PlayerPart { player, program, .. } = part;
        let (program, executable, base) = (program.clone(), executable.map(Path::to_owned), self.base.to_owned());
        let reading = move |go_on: GoOn<'_>| Ok(take_inventory(&program, executable.as_deref(), &base, go_on)?);
        away(&player.name, self.events, reading).await
    }
}

/// The program that plays as the built-in bot `bot`: this program, with the necessary arguments.
fn stand_in(bot: Builtin, ruleset: Ruleset) -> Program {
    let Builtin { thinker, depth, playouts, error, seed } = bot;
    let mut command = vec!["gothello-arena".to_owned(), "bot".to_owned(), thinker.to_string()];
    command.extend(["--side", "{side}", "--host", "{host}", "--port", "{port}"].map(str::to_owned));
    // The options of the rule set can differ from game to game.
    command.extend(["--ruleset", "{ruleset}"].map(str::to_owned));
    command.extend(["--seed".to_owned(), seed.map_or_else(|| "{seed}".to_owned(), |seed| seed.to_string())]);
    for (option, number) in [("--depth", depth), ("--playouts", playouts)] {
        command.extend(number.into_iter().flat_map(|number| [option.to_owned(), number.to_string()]));
    }
    if let (Thinker::Perfect, Ruleset::Seegover(options)) = (thinker, ruleset)
        && let Some(table) = default_place(options.move_rules())
    {
        // The started program cannot find the user's cache, so it needs the path of the table.
        let table = table.to_string_lossy().replace('{', "{{").replace('}', "}}");
        command.extend(["--table".to_owned(), table]);
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
        hosts: Vec::new(),
    }
}
