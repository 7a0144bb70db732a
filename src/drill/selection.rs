//! Selects the scenarios to play and the players to try.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::suggestion::nearest;
use crate::drill::readiness::UntriedPlayer;
use crate::drill::script::{SCENARIOS, Scenario};
use crate::game::Ruleset;
use crate::host::tournament_file::LoadedTournament;
use crate::referee::time_control::SideControl;
use crate::tournament::{
    InvalidName, Player, PlayerKind, PlayerName, PlayerTeam, Program, Resources, TeamMember, Template, TemplateFlaw,
    Tournament, Transport,
};

/// The scenarios of a quick check.
const QUICK: [&str; 4] = [Scenario::HELLO, Scenario::PLAIN, "clock", Scenario::LEGAL_20];

/// Why an engine is not tried.
const ENGINE: &str =
    "it speaks the Go Text Protocol, for which there are no scenarios; test it with a `run` against built-in bots";

with_facts! {
    /// Why nothing can be tried.
    #[derive(Debug, Error)]
    pub(crate) enum SelectionError {
        /// There is no scenario with this id.
        #[error("there is no scenario `{}`{}", sanitised(asked), or_perhaps(near.as_deref()))]
        NoSuchScenario {
            /// The scenario's id.
            asked: String,
            /// A similar id that exists.
            near: Option<String>,
        } => Exit::Usage.alone();
        /// `--only` and `--skip` exclude every scenario.
        #[error("--only and --skip leave no scenario to play")]
        NoScenario => Exit::Usage.alone();
        /// There is no player with this name.
        #[error("there is no player `{}`{}", sanitised(asked), or_perhaps(near.as_deref()))]
        NoSuchPlayer {
            /// The player's name.
            asked: String,
            /// A similar name that exists.
            near: Option<String>,
        } => Exit::Usage.alone();
        /// All programs in the file are engines.
        #[error(
            "{}: the only programs in the file are engines that speak the Go Text Protocol, for which there are no scenarios; \
             test them with a `run` against built-in bots",
            file.shown()
        )]
        OnlyEngines {
            /// The tournament file.
            file: PathBuf,
        } => Exit::Usage.alone();
        /// No player in the file is a program.
        #[error(
            "{}: no player in the file is a program with a `command`; to check another bot, use --command or --listen",
            file.shown()
        )]
        NoPrograms {
            /// The tournament file.
            file: PathBuf,
        } => Exit::Usage.alone();
        /// The name is not valid for a player.
        #[error("--name: {error}")]
        WrongName {
            /// The reason.
            error: InvalidName,
        } => Exit::Usage.alone();
        /// A word of the command has mistakes.
        #[error("--command: `{}`: {}", sanitised(word), in_a_row(flaws))]
        WrongWord {
            /// The word.
            word: String,
            /// The mistakes, each with its position.
            flaws: Vec<(usize, TemplateFlaw)>,
        } => Exit::Usage.alone();
    }

    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for SelectionError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

/// A question asking whether the user meant `near`; empty if there is no similar name.
fn or_perhaps(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn in_a_row(flaws: &[(usize, TemplateFlaw)]) -> String {
    flaws.iter().map(|(_, flaw)| flaw.to_string()).collect::<Vec<_>>().join("; ")
}

/// The user's choice of scenarios.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScenarioChoice<'a> {
    /// The ids of the scenarios; empty for all scenarios.
    pub(crate) only: &'a [String],
    /// The ids of the scenarios that are left out.
    pub(crate) skip: &'a [String],
    /// Whether only the scenarios of a quick check are played.
    pub(crate) quick: bool,
}

impl ScenarioChoice<'_> {
    /// The scenarios to be played in games of `ruleset` if each side has the clock `control` in an ordinary game: those
    /// of [`ScenarioChoice::scenarios`] that are meant for this clock and number of seats, or that were asked for by
    /// name.
    ///
    /// # Errors
    /// As for [`ScenarioChoice::scenarios`].
    pub(crate) fn scenarios_for(
        self,
        control: SideControl,
        ruleset: Ruleset,
    ) -> Result<Vec<&'static Scenario>, SelectionError> {
        let mut scenarios = self.scenarios()?;
        scenarios.retain(|scenario| !self.only.is_empty() || scenario.is_meant_for(control, ruleset.seats()));
        if scenarios.is_empty() { Err(SelectionError::NoScenario) } else { Ok(scenarios) }
    }

    /// The scenarios, in the order of the table.
    ///
    /// # Errors
    /// Fails if an id is unknown, or if no scenario is left.
    pub(crate) fn scenarios(self) -> Result<Vec<&'static Scenario>, SelectionError> {
        for id in self.only.iter().chain(self.skip) {
            if Scenario::find(id).is_none() {
                let near = nearest(id, SCENARIOS.iter().map(|scenario| scenario.id)).map(str::to_owned);
                return Err(SelectionError::NoSuchScenario { asked: id.clone(), near });
            }
        }
        let is_asked = |scenario: &&Scenario| {
            let is_named = || self.only.is_empty() || self.only.iter().any(|asked| asked == scenario.id);
            if self.quick { QUICK.contains(&scenario.id) } else { is_named() }
        };
        let is_left = |scenario: &&Scenario| !self.skip.iter().any(|skipped| skipped == scenario.id);
        let scenarios: Vec<&Scenario> = SCENARIOS.iter().filter(is_asked).filter(is_left).collect();
        if scenarios.is_empty() { Err(SelectionError::NoScenario) } else { Ok(scenarios) }
    }
}

/// The bot `member` of the team `player`, as a separate player with a name such as `ada (go)`.
///
/// # Errors
/// Returns the bot as a player that is not tried if it is a built-in bot, or if its name would be too long.
fn one_of_team(player: &Player, member: &TeamMember) -> Result<Player, UntriedPlayer> {
    let name = format!("{} ({})", player.name, member.mode);
    let untried = |why: &str| UntriedPlayer { player: name.clone(), why: why.to_owned(), is_void: false };
    if member.bot.program().is_none() {
        return Err(untried("it is a built-in bot"));
    }
    let alone = PlayerTeam::new(vec![member.clone()]);
    let (Ok(name), Some(alone)) = (PlayerName::new(name.clone()), alone) else {
        return Err(untried("its name is too long for its mode to be added"));
    };
    Ok(Player { name, kind: PlayerKind::Team(alone), ..player.clone() })
}

/// A program described on the command line. Its command is not used if the user starts the bot by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescribedProgram<'a> {
    /// The name to report.
    pub(crate) name: &'a str,
    /// The words of the command.
    pub(crate) command: &'a [String],
    /// The program's directory.
    pub(crate) dir: Option<&'a Path>,
    /// The build command, whose words are separated by spaces.
    pub(crate) build: Option<&'a str>,
    /// Whether the program communicates over stdin and stdout.
    pub(crate) stdio: bool,
    /// The rules of the program's games.
    pub(crate) ruleset: Option<Ruleset>,
}

/// The players that are tried.
#[derive(Debug)]
pub(crate) struct DrilledPlayers {
    /// The tournament with the players that are tried.
    pub(crate) tournament: Tournament,
    /// The directory to which the tournament's paths are relative.
    pub(crate) base: PathBuf,
    /// The default name for files of results.
    pub(crate) stem: String,
    /// The players that are not tried.
    pub(crate) untried: Vec<UntriedPlayer>,
}

impl DrilledPlayers {
    /// The programs among the players of `loaded`, or if `names` is not empty, only those that it names.
    ///
    /// # Errors
    /// Fails if a name is unknown, or if no player is a program.
    pub(crate) fn of_file(loaded: LoadedTournament, names: &[String]) -> Result<Self, SelectionError> {
        let LoadedTournament { mut tournament, base, stem, shown, .. } = loaded;
        let players = std::mem::take(&mut tournament.players);
        for asked in names {
            if !players.iter().any(|player| player.name.as_str() == asked) {
                let near = nearest(asked, players.iter().map(|player| player.name.as_str())).map(str::to_owned);
                return Err(SelectionError::NoSuchPlayer { asked: asked.clone(), near });
            }
        }
        let mut untried = Vec::new();
        for player in players {
            let why = match &player.kind {
                _ if !names.is_empty() && !names.iter().any(|asked| asked == player.name.as_str()) => continue,
                PlayerKind::Program(program) if program.transport == Transport::Gtp => ENGINE,
                PlayerKind::Program(_) => {
                    tournament.players.push(player);
                    continue;
                }
                PlayerKind::Builtin(_) => "it is a built-in bot",
                PlayerKind::Remote(_) => "it connects on its own; try it with --listen",
                PlayerKind::Team(team) => {
                    for member in team.members() {
                        match one_of_team(&player, member) {
                            Ok(player) => tournament.players.push(player),
                            Err(left_out) => untried.push(left_out),
                        }
                    }
                    continue;
                }
            };
            untried.push(UntriedPlayer { player: player.name.to_string(), why: why.to_owned(), is_void: false });
        }
        if !tournament.players.is_empty() {
            return Ok(Self { tournament, base, stem, untried });
        }
        let has_engine = untried.iter().any(|untried| untried.why == ENGINE);
        let file = shown;
        Err(if has_engine { SelectionError::OnlyEngines { file } } else { SelectionError::NoPrograms { file } })
    }

    /// The program from the command line as the only player of the tournament `loaded`.
    ///
    /// # Errors
    /// Fails if the name or a word of the command is not valid.
    pub(crate) fn of_program(
        loaded: LoadedTournament,
        described: DescribedProgram<'_>,
    ) -> Result<Self, SelectionError> {
        let LoadedTournament { mut tournament, base, .. } = loaded;
        let player = described.player()?;
        let stem = player.name.slug();
        tournament.players = vec![player];
        tournament.ruleset = described.ruleset.unwrap_or_default();
        Ok(Self { tournament, base, stem, untried: Vec::new() })
    }
}

impl DescribedProgram<'_> {
    fn player(&self) -> Result<Player, SelectionError> {
        let name = PlayerName::new(self.name.to_owned()).map_err(|error| SelectionError::WrongName { error })?;
        let template = |word: &String| {
            Template::parse(word).map_err(|flaws| SelectionError::WrongWord { word: word.clone(), flaws })
        };
        let program = Program {
            command: self.command.iter().map(template).collect::<Result<_, _>>()?,
            dir: self.dir.map(Path::to_owned),
            hosts: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
            build: self.build.map(|build| build.split_whitespace().map(str::to_owned).collect()),
            build_network: false,
            transport: if self.stdio { Transport::Stdio } else { Transport::Tcp },
            resources: Resources::default(),
            readable: self.dirs_of_files(),
            writable: false,
        };
        Ok(Player::new(name, PlayerKind::Program(program)))
    }

    /// The directories of the files that the command names, since a program often needs the files next to them.
    fn dirs_of_files(&self) -> Vec<PathBuf> {
        let dir = self.dir.unwrap_or(Path::new("."));
        let files = self.command.iter().map(|word| dir.join(word)).filter(|file| file.is_file());
        let mut dirs: Vec<PathBuf> = files.filter_map(|file| file.parent().map(Path::to_owned)).collect();
        dirs.dedup();
        dirs
    }
}
