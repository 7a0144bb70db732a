//! `gothello-arena check --bots`: tests whether bots are ready to play.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;

use super::super::{CommandResult, Exit, Failure, interrupt, note, print, settings, telling};
use super::report::ReportArgs;
use crate::base::console::say;
use crate::base::machine;
use crate::base::sanitise::inert;
use crate::base::stop::Stop;
use crate::cli::program_args::{ProgramArgs, warn_of_own_options, words_of};
use crate::cli::progress::Progress;
use crate::drill::playing::{
    DrillSetup, DrillTelling, DrilledGame, Prepared, TriedPlayers, awaited, prepare, try_players,
};
use crate::drill::readiness::{Readiness, TriedPlayer, UntriedPlayer};
use crate::drill::report::{list, verdict};
use crate::drill::script::{BotSeat, OrdinaryClock, Scenario};
use crate::drill::selection::{DrilledPlayers, ScenarioChoice};
use crate::game::Ruleset;
use crate::host::tournament_file::load;
use crate::referee::time_control::SideControl;
use crate::run::campaign::{CampaignOptions, CampaignPlan, Warning};
use crate::run::excused::Excused;
use crate::tournament::{Isolation, Tournament};

/// The options of a drill.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("tried").multiple(true).args(["bots", "command", "listen", "list"]))]
pub(super) struct DrillArgs {
    /// Play every scenario with each program in the file
    #[arg(long, conflicts_with_all = ["command", "listen"])]
    bots: bool,
    /// Try a program: python3 bot.py {side} {host} {port}
    #[arg(long, value_name = "WORD", num_args = 1.., allow_hyphen_values = true, conflicts_with_all = ["file", "listen"])]
    command: Vec<String>,
    /// Try a bot that you start by hand for each game
    #[arg(long, value_name = "ADDR", conflicts_with = "file")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    program: ProgramArgs,
    /// The rules of the games with --command or --listen
    #[arg(long, value_name = "RULES", requires = "tried", conflicts_with_all = ["bots", "file"], hide_short_help = true)]
    ruleset: Option<Ruleset>,
    /// The name to report
    #[arg(
        long,
        default_value = "bot",
        hide_default_value = true,
        requires = "tried",
        conflicts_with = "bots",
        hide_short_help = true
    )]
    name: String,
    /// Test only this player (may be repeated)
    #[arg(long, value_name = "NAME", requires = "bots")]
    player: Vec<String>,
    /// Play only this scenario (may be repeated)
    #[arg(long, value_name = "ID", requires = "tried")]
    only: Vec<String>,
    /// Leave out this scenario (may be repeated)
    #[arg(long, value_name = "ID", requires = "tried", hide_short_help = true)]
    skip: Vec<String>,
    /// Play only hello, plain, clock and legal-20
    #[arg(long, requires = "tried", conflicts_with = "only")]
    quick: bool,
    /// Ordinary clock [default: the file's, or 10s]
    #[arg(long, requires = "tried", value_parser = super::super::side_control)]
    time: Option<SideControl>,
    /// How many scenarios to play at a time
    #[arg(long, short = 'j', default_value = "1", value_name = "N", requires = "tried", value_parser = super::super::at_least_one::<NonZeroUsize>)]
    jobs: NonZeroUsize,
    /// Confine bots: require, auto or off (overrides file)
    #[arg(long, value_name = "HOW", value_parser = super::super::word_options::isolation(), hide_possible_values = true, requires = "tried", hide_short_help = true)]
    isolation: Option<Isolation>,
    /// List the scenarios with their levels
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    report: ReportArgs,
}

/// The minimum remaining time that is announced.
const WORTH_SAYING: Duration = Duration::from_secs(20);

impl DrillArgs {
    /// Whether the command line asks for a drill.
    pub(super) const fn is_asked_for(&self) -> bool {
        self.list || self.bots || !self.command.is_empty() || self.listen.is_some()
    }

    /// Plays the scenarios with the bots in `file`, or with the bot given on the command line.
    pub(super) fn run(self, file: Option<&Path>) -> CommandResult {
        machine::raise_open_files();
        let choice = ScenarioChoice { only: &self.only, skip: &self.skip, quick: self.quick };
        let scenarios = choice.scenarios()?;
        if self.list {
            print(list(&scenarios))?;
            return Ok(Exit::Success);
        }
        let roster = self.roster(file)?;
        // A program given on the command line has no tournament file, and so no clock of its own.
        let DrilledPlayers { tournament: Tournament { ruleset, time_control, meter, .. }, .. } = &roster;
        let of_file = if self.bots { OrdinaryClock::of(*time_control, *meter) } else { OrdinaryClock::DEFAULT };
        let clock = self.time.map_or(of_file, |control| of_file.with_control(control, *ruleset));
        let scenarios = choice.scenarios_for(clock.control, *ruleset)?;
        let dir = settings::results_dir().join(format!("{}.check", roster.stem));
        self.report.test(&dir)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("cannot start the async runtime")?;
        runtime.block_on(async move {
            let interrupt = interrupt::watch()?;
            let Some(readiness) = Box::pin(self.play(roster, &dir, (clock, scenarios), &interrupt)).await? else {
                return Ok(interrupt.exit());
            };
            let exit = self.report.tell(readiness, &dir)?;
            Ok(if interrupt.which().is_some() { interrupt.exit() } else { exit })
        })
    }

    /// The players to test.
    fn roster(&self, file: Option<&Path>) -> Result<DrilledPlayers, Failure> {
        const OWN: [&str; 8] =
            ["--format", "--output", "--transcripts", "--strict", "--github", "--only", "--skip", "--isolation"];
        let loaded = load(file)?;
        if self.bots {
            return Ok(DrilledPlayers::of_file(loaded, &self.player)?);
        }
        let words = words_of(&self.command);
        let described = self.program.described(&self.name, &words, self.ruleset);
        let players = DrilledPlayers::of_program(loaded, described)?;
        warn_of_own_options(&self.command, "check", &OWN);
        Ok(players)
    }

    /// Plays all trials; `None` if a signal ended them.
    async fn play(
        &self,
        roster: DrilledPlayers,
        dir: &Path,
        (clock, scenarios): (OrdinaryClock, Vec<&'static Scenario>),
        interrupt: &interrupt::Watch,
    ) -> Result<Option<Readiness>, Failure> {
        let DrilledPlayers { tournament, base, stem: _, mut untried } = roster;
        let ruleset = tournament.ruleset;
        let options = CampaignOptions { isolation: self.isolation, ..CampaignOptions::default() };
        let seed = tournament.seed;
        let plan = CampaignPlan { tournament: Arc::new(tournament), base, dir: dir.to_owned(), options };
        let mut signal = interrupt.signal();
        let listener = self.listener().await?;
        let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        let Prepared { grounds, tier, players: prepared } = tokio::select! {
            biased;
            ready = prepared(&plan, self.jobs, listener) => ready?,
            () = signal.reached(Stop::Drain) => return Ok(None),
        };
        let how = DrillSetup { ruleset, clock, seed, scenarios, jobs: self.jobs, earlier: Vec::new() };
        let mut excused = Excused::default();
        let prepared = Prepared { grounds, tier, players: prepared };
        let mut headway = DrillHeadway {
            progress: Progress::new(),
            address,
            done: 0,
            trials: prepared.trials(ruleset.seats(), how.scenarios.len()),
            players: plan.tournament.players.iter().map(|player| player.name.to_string()).collect(),
        };
        let hear = |player: &str, told: DrillTelling<'_>| match told {
            DrillTelling::Begins(game) => headway.begins(player, game),
            DrillTelling::Takes(rest) if rest >= WORTH_SAYING => {
                let rest = humantime::format_duration(Duration::from_secs(rest.as_secs()));
                let less = if self.quick { "" } else { "; `--quick` plays fewer scenarios" };
                headway.progress.clear();
                note(format_args!("{player}: the rest will take about {rest}, judging by its game in `plain`{less}"));
            }
            DrillTelling::Takes(_) => {}
            DrillTelling::Void(game, why) => excused.add(&spoilable(player, game.scenario, game.side), why),
            DrillTelling::Ended { trial, .. } => {
                headway.done += 1;
                excused.make_good(&spoilable(player, trial.scenario, trial.side));
            }
            DrillTelling::Judged(tried) => headway.judged(tried),
        };
        let tried = try_players(&plan, prepared, how, (interrupt.signal(), hear)).await;
        drop(headway);
        let TriedPlayers { players, spoiled } = tried.context("could not start the drill threads")?;
        for UntriedPlayer { player, why, .. } in &spoiled {
            excused.add(&format!("the build of `{player}`"), why);
        }
        untried.extend(spoiled);
        excused.lines().iter().for_each(say);
        // The arena does not confine a bot that it does not start itself.
        let isolation = if address.is_some() { String::new() } else { tier.to_string() };
        Ok(Some(Readiness { ruleset, isolation, players, untried }))
    }

    /// The listener for a bot that is started by hand.
    async fn listener(&self) -> Result<Option<TcpListener>, Failure> {
        let Some(address) = self.listen else { return Ok(None) };
        let listener = TcpListener::bind(address).await;
        listener.map(Some).map_err(|error| {
            let context = format!("--listen: {}", machine::not_listening(address, &error));
            Failure::usage(anyhow::Error::new(error).context(context))
        })
    }
}

/// Prepares the players of `plan`, or the bot that is started by hand and connects to `listener`.
async fn prepared(plan: &CampaignPlan, jobs: NonZeroUsize, listener: Option<TcpListener>) -> Result<Prepared, Failure> {
    match listener {
        Some(listener) => Ok(awaited(plan, listener)),
        None => {
            let tell = |warning: Warning| {
                // The report already says that bots were confined.
                if warning.is_urgent() || !matches!(warning, Warning::Confined { .. }) {
                    telling::tell(warning);
                }
            };
            Ok(prepare(plan, jobs, &(Arc::new(tell) as _)).await?)
        }
    }
}

/// The progress of a drill.
struct DrillHeadway {
    progress: Progress,
    /// The address to which a bot that is started by hand has to connect.
    address: Option<SocketAddr>,
    /// How many trials have ended, and how many there are in total. A void trial is played again, and counts when it
    /// has succeeded.
    done: usize,
    trials: usize,
    /// The names of all players, in the order of the file.
    players: Vec<String>,
}

impl DrillHeadway {
    /// Says that `game` begins: `bot 3 of 25, heron: legal-20, game 8 of 20 as black`.
    fn begins(&mut self, player: &str, game: DrilledGame) {
        let (side, what) = (game.side, which_game(game));
        if let Some(address) = self.address {
            note(format_args!("{what}: start your bot as {side} on {address}"));
            return;
        }
        let number = self.players.iter().position(|name| name == player).unwrap_or_default() + 1;
        let bot = match self.players.len() {
            1 => player.to_owned(),
            all => format!("bot {number} of {all}, {player}"),
        };
        self.progress.count(self.done as u64, self.trials as u64, format_args!("{bot}: {what} as {side}"));
    }

    /// Says whether `player` is ready: a teacher need not wait for the other bots of a class. If there are no others,
    /// the report on it follows at once.
    fn judged(&mut self, player: &TriedPlayer) {
        if self.players.len() > 1 {
            self.progress.clear();
            note(inert(&format!("{}: {}", player.player, verdict(player))));
        }
    }
}

/// The name of a trial that the machine may spoil.
fn spoilable(player: &str, scenario: &Scenario, side: BotSeat) -> String {
    format!("scenario {} of `{player}` as {side}", scenario.id)
}

/// The name of a game in a scenario: `clock-uneven, game 2 of 2`.
fn which_game(DrilledGame { scenario, number, again, .. }: DrilledGame) -> String {
    let once_more = if again { ", once more" } else { "" };
    match scenario.games {
        1 => format!("{}{once_more}", scenario.id),
        games => format!("{}, game {} of {games}{once_more}", scenario.id, number + 1),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: crate::cli::check::Args,
    }

    #[test]
    fn a_command_may_be_one_word() {
        for words in [&["python3 bot.py {side}"][..], &["python3", "bot.py", "{side}"]] {
            let line = Line::try_parse_from(["check", "--command"].iter().chain(words)).expect("a command line");
            let roster = line.args.drill.roster(None).unwrap_or_else(|_| panic!("a roster"));
            let (_, program) = roster.tournament.players[0].programs().next().expect("a program");
            let found: Vec<String> = program.command.iter().map(ToString::to_string).collect();
            assert_eq!(found, ["python3", "bot.py", "{side}"]);
        }
    }
}
