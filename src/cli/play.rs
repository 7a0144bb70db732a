//! `gothello-arena play`.

mod idle_options;
mod opponent_args;
mod puzzle_args;
mod web;

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, ErrorKind, IsTerminal as _, Write as _};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};

use super::bot_options::refuse_misfits;
use super::colour::style_for;
use super::interrupt::Flag;
use super::on_screen::{exit_of, screen_look};
use super::{CommandResult, Exit, Failure, UNPRINTED, given_board, settings};
use crate::base::random::SplitMix64;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::word_enum::{alternatives, words};
use crate::base::{console, files, time};
use crate::exact::tablebase::read_named;
use crate::exact::threads::threads_or_two;
use crate::game::{BySide, Feature, Ruleset, Side};
use crate::players::bots::{Builtin, ErrorRate, Thinker};
use crate::practice::board_game::BoardGame;
use crate::practice::guided::GuidedGame;
use crate::practice::opponent::BuiltinOpponent;
use crate::practice::plain::{PlainEnd, PlainGame};
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::practice::terminal::ScreenGame;
use crate::practice::typed_lines::TypedLines;
use crate::referee::record::verdict;
use crate::referee::time_control::{SideControl, TimeControl};
use crate::run::game_files::LogFile;
use opponent_args::{DistantGame, NamedProgram, OpponentArgs, ProgramTerms};
use puzzle_args::PuzzleSource;

/// Play a game yourself, against a bot or another person
#[derive(Debug, clap::Args)]
#[command(help_template = SHORT_HELP, after_help = "Also: --depth, --error; --file FILE for --player; --dir, --build, --stdio and
--isolation before --command; --ply after --from; --board with --to-move
and --passed.
Example:
  gothello-arena play greedy --side white --log game.log")]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(super) struct Args {
    /// Bot: random, greedy, alphabeta, mcts or perfect [default: greedy]
    #[arg(value_name = "BOT")]
    opponent: Option<Thinker>,
    /// Play line by line, without a screen
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    web: web::PlayWebArgs,
    /// Play black, white or random [default: black]
    #[arg(long, value_name = "SIDE")]
    side: Option<WishedSide>,
    /// Let two people play at one board
    #[arg(long, conflicts_with_all = ["opponent", "side", "depth", "error"])]
    two: bool,
    #[command(flatten)]
    distant: OpponentArgs,
    /// Let perfect make mistakes to keep the game even
    #[arg(
        long,
        conflicts_with_all = ["depth", "error", "two", "command", "player", "connect"]
    )]
    adaptive: bool,
    /// Solve puzzles from `puzzles --json`, or random ones
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = [
            "opponent", "side", "two", "depth", "error", "command", "player", "connect", "isolation", "adaptive", "time",
            "ruleset", "from", "board", "log"
        ]
    )]
    puzzles: Option<PuzzleSource>,
    /// Give each side a clock, such as 5m or "5m + 2s"
    #[arg(long, value_name = "TIME", value_parser = super::side_control, conflicts_with = "connect")]
    time: Option<SideControl>,
    /// Let alphabeta look PLIES plies ahead [default: 3]
    #[arg(
        long,
        value_name = "PLIES",
        value_parser = super::at_least_one::<NonZeroU32>,
        hide_short_help = true,
        conflicts_with_all = ["command", "player", "connect"]
    )]
    depth: Option<NonZeroU32>,
    /// Make mistakes with probability CHANCE, from 0 to 1 (only for bots that search)
    #[arg(
        long,
        value_name = "CHANCE",
        allow_negative_numbers = true,
        hide_short_help = true,
        conflicts_with_all = ["command", "player", "connect"]
    )]
    error: Option<ErrorRate>,
    /// Seed the bot's random choices [default: a new seed]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Play by RULES, such as othello
    #[arg(long, value_name = "RULES", default_value_t, conflicts_with = "from")]
    ruleset: Ruleset,
    /// Begin with a position from the game log LOG
    #[arg(long, value_name = "LOG", conflicts_with = "board")]
    from: Option<PathBuf>,
    /// Begin after N plies of LOG [default: all]
    #[arg(long, value_name = "N", requires = "from", hide_short_help = true)]
    ply: Option<usize>,
    /// Begin with this board of Gothello or Seegover
    #[arg(long, requires = "to_move", conflicts_with = "log", hide_short_help = true)]
    board: Option<String>,
    /// Set the side to move on the board: black or white
    #[arg(long, value_name = "SIDE", requires = "board", hide_short_help = true)]
    to_move: Option<Side>,
    /// Treat the last move on the board as a pass (Gothello)
    #[arg(long, requires = "board", hide_short_help = true)]
    passed: bool,
    /// Write a log of the game to the new file FILE
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// The help template for a command with many options, without headings above arguments and options.
const SHORT_HELP: &str = "{about-with-newline}{usage-heading} {usage}\n{positionals}\n{options}{after-help}";

/// The side that a person wants to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WishedSide {
    Black,
    White,
    Random,
}

/// The error for a word that does not name a side to play.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("expected {}", alternatives(&WishedSide::ALL.map(WishedSide::name)))]
struct NotAWish;

impl WishedSide {
    /// The side, unless it is left to chance.
    const fn side(self) -> Option<Side> {
        match self {
            Self::Black => Some(Side::Black),
            Self::White => Some(Side::White),
            Self::Random => None,
        }
    }
}

words! { WishedSide, NotAWish, Black => "black", White => "white", Random => "random" }

impl Args {
    pub(super) fn run(self) -> CommandResult {
        if let Some(other) = self.opponent.filter(|&bot| self.adaptive && bot != Thinker::Perfect) {
            return Err(Failure::usage(anyhow!("`--adaptive` applies only to `perfect`, not to `{other}`")));
        }
        if let Some(idle) = self.idle_option() {
            return Err(Failure::usage(idle));
        }
        refuse_misfits(self.bot_kind(), [("--depth", self.depth.is_some()), ("--error", self.error.is_some())])?;
        let has_screen = io::stdin().is_terminal() && console::stream().is_terminal();
        if !self.plain && !self.web.is_wanted() && !has_screen {
            return Err(Failure::usage(anyhow!(
                "`play` needs a terminal, but stdin or stdout is not one: add `--plain` or `--web`"
            )));
        }
        if let Some(source) = &self.puzzles {
            return source.solve(self.seed(), self.plain);
        }
        if let Some(log) = &self.log {
            refuse_existing(log)?;
        }
        // The screen handles signals itself.
        let is_watched = self.plain || self.distant.names_program() || self.distant.server().is_some();
        let signals = if is_watched { Some(Flag::watch_quietly()?) } else { None };
        let never = AtomicBool::new(false);
        let raised = signals.as_ref().map_or(&never, Flag::raised);
        let ended = || Ok(signals.as_ref().map_or(Exit::Interrupted, Flag::exit));
        let page = self.web.open()?;
        let is_web = page.is_some();
        let Some((session, seating)) = self.begun(raised)? else { return ended() };
        let (session, exit) = if let Some(page) = page {
            // A page that others may reach must not tie up the machine.
            web::play(page, GuidedGame::new(session, seating, NonZeroUsize::MIN)?)?
        } else if self.plain {
            let (session, end) = play_lines(session, seating, raised)?;
            (session, if end == PlainEnd::Signalled { ended()? } else { Exit::Success })
        } else {
            play_on_screen(GuidedGame::new(session, seating, threads_or_two(settings::threads(None)))?)?
        };
        if let Some(log) = &self.log {
            write_log(log, &session)?;
            console::detail_of(log, format_args!("the game log is `{}`", log.shown()));
        }
        // The screen, with everything on it, is gone.
        if let Some(end) = session.end().filter(|_| !self.plain && !is_web) {
            let log = self.log.as_ref().map(|log| format!("; the log is `{}`", log.shown())).unwrap_or_default();
            console::note(format_args!("{}{log}", sanitised(&verdict(&end))));
        }
        Ok(exit)
    }

    /// The built-in bot to play against.
    fn bot_kind(&self) -> Thinker {
        self.opponent.unwrap_or(Thinker::Greedy)
    }

    /// The seed, or a new one.
    fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| RandomState::new().hash_one(0))
    }

    /// The game and who plays it; `None` if a signal arrived before it could begin.
    fn begun(&self, raised: &AtomicBool) -> Result<Option<(Session, BoardSeating)>, Failure> {
        let seed = self.seed();
        let wish = self.side.unwrap_or(WishedSide::Black);
        let person = wish.side().unwrap_or_else(|| Side::BOTH[usize::from(SplitMix64::new(!seed).below(2) > 0)]);
        let distant = if let Some(server) = self.distant.server() {
            server.join(self.side.and_then(WishedSide::side), raised)?
        } else if self.distant.names_program() {
            let program = self.distant.program(self.ruleset)?;
            let session = self.session(person, Some(&program))?;
            let terms = ProgramTerms { person, clock: self.time, seed };
            self.distant.seat_program(program.playing(&session)?, (session, terms), raised)?
        } else {
            let session = self.session(person, None)?;
            let seating =
                if self.two { BoardSeating::Two } else { BoardSeating::Against(person, self.bot(&session, seed)?) };
            let control = self.time.map_or(TimeControl::Unlimited, TimeControl::both);
            return Ok(Some((session.with_clocks(control), seating)));
        };
        Ok(distant.map(|DistantGame { opponent, session, person }| {
            (session, BoardSeating::Distant(person, Box::new(opponent)))
        }))
    }

    /// The game as it is before the first move of this session.
    fn session(&self, person: Side, program: Option<&NamedProgram>) -> Result<Session, Failure> {
        let players = self.players(person, program);
        if let Some(log) = &self.from {
            return self.session_of_log(log, players);
        }
        let ruleset = program.map_or(self.ruleset, |program| program.rules(person));
        if ruleset.seats() != 2 {
            let seats = ruleset.seats();
            return Err(Failure::usage(anyhow!("`play` is for games with two seats, but `{ruleset}` has {seats}")));
        }
        let Some(board) = self.board.as_deref() else {
            return Ok(Session::new(BoardGame::start(ruleset), true, players));
        };
        if board == "-" {
            return Err(Failure::usage(anyhow!(
                "`--board -` would read the board from stdin, which is needed for the moves"
            )));
        }
        let to_move = self.to_move.unwrap_or(Side::Black);
        if self.passed && ruleset != Ruleset::Gothello {
            return Err(Failure::usage(anyhow!("`--passed` is for Gothello, not for `{ruleset}`")));
        }
        let start = match ruleset {
            Ruleset::Gothello => given_board::gothello(board, to_move, self.passed).map(BoardGame::Gothello),
            Ruleset::Seegover(rules) => {
                given_board::seegover(Some(board), to_move, rules).map(|game| BoardGame::Seegover(Box::new(game)))
            }
            Ruleset::Quantum(rules) => {
                Err(anyhow!("`--board` is only for Gothello and Seegover: `{rules}` has a fixed initial position"))
            }
        };
        let start = start.map_err(Failure::usage)?;
        if start.position().is_over() {
            return Err(Failure::usage(anyhow!("the game is already over on this board")));
        }
        Ok(Session::new(start, false, players))
    }

    /// The game in `log`, up to the requested ply.
    fn session_of_log(&self, log: &Path, players: BySide<String>) -> Result<Session, Failure> {
        if log.as_os_str() == "-" {
            return Err(Failure::usage(anyhow!(
                "`--from -` would read the log from stdin, which is needed for the moves"
            )));
        }
        let record = LogFile::Named(log.to_owned()).whole()?;
        let plies = record.plies.len();
        let wanted = self.ply.unwrap_or(plies);
        if wanted > plies {
            return Err(Failure::usage(anyhow!("there is no position after ply {wanted}: the game has {plies} plies")));
        }
        let mut session = Session::new(BoardGame::start(record.ruleset), true, players);
        for ply in &record.plies[..wanted] {
            session.play(ply.played.as_str()).map_err(Failure::usage)?;
        }
        if session.outcome().is_some() {
            return Err(Failure::usage(anyhow!(
                "the game is over after ply {wanted}: choose an earlier ply with \
            `--ply`"
            )));
        }
        Ok(session.with_plies_given())
    }

    /// The names of the players in the log.
    fn players(&self, person: Side, program: Option<&NamedProgram>) -> BySide<String> {
        BySide::from_fn(|side| {
            if self.two {
                format!("person {}", if side == Side::Black { 1 } else { 2 })
            } else if side == person {
                "person".to_owned()
            } else {
                program.map_or_else(|| self.bot_name(), |program| program.name().to_owned())
            }
        })
    }

    /// The bot's name with its settings, such as `alphabeta depth 5`.
    fn bot_name(&self) -> String {
        if self.adaptive {
            return "perfect adaptive".to_owned();
        }
        let depth = self.depth.map(|depth| format!(" depth {depth}")).unwrap_or_default();
        let error = self.error.map(|error| format!(" error {error}")).unwrap_or_default();
        format!("{}{depth}{error}", self.bot_kind())
    }

    fn bot(&self, session: &Session, seed: u64) -> Result<BuiltinOpponent, Failure> {
        let ruleset = session.game().ruleset();
        let is_perfect = self.adaptive || self.bot_kind() == Thinker::Perfect;
        let feature = if is_perfect { Feature::Perfect } else { Feature::BuiltinBots };
        ruleset.require(feature).map_err(Failure::usage)?;
        let table = match ruleset {
            Ruleset::Seegover(options) if is_perfect => Some(read_named(None, Some(options.move_rules()))?.1),
            _ => None,
        };
        if self.adaptive {
            return Ok(BuiltinOpponent::start_even(seed, ruleset, table)?);
        }
        let bot = Builtin { depth: self.depth, error: self.error.unwrap_or_default(), ..Builtin::new(self.bot_kind()) };
        Ok(BuiltinOpponent::start(bot, seed, ruleset, table)?)
    }
}

/// Plays the game line by line, and returns it when the person leaves.
fn play_lines(session: Session, seating: BoardSeating, stop: &AtomicBool) -> Result<(Session, PlainEnd), Failure> {
    let mut game = session.clone();
    let input = TypedLines::of(BufReader::new(io::stdin()))?;
    let played = console::data_with(PlainEnd::Left, |out| {
        let mut plain = PlainGame::new(session, seating, threads_or_two(settings::threads(None)), style_for(out));
        let played = plain.play(&input, out, stop);
        game = plain.session().clone();
        played
    });
    Ok((game, played.context(UNPRINTED)?))
}

/// Plays the game on the screen, and returns it when the person leaves.
fn play_on_screen(game: GuidedGame) -> Result<(Session, Exit), Failure> {
    let (session, end) = ScreenGame::new(game).play(screen_look(style_for(&console::stream())))?;
    Ok((session, exit_of(end)))
}

fn exists(log: &Path) -> Failure {
    Failure::usage(anyhow!("`{}` already exists, and `play` does not overwrite it", log.shown()))
}

/// Rejects the log's path before the game if the log could not be written there after the game.
fn refuse_existing(log: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(log).is_ok() {
        return Err(exists(log));
    }
    let dir = folder(log);
    if !dir.is_dir() {
        return Err(Failure::usage(anyhow!("the directory `{}` for the log does not exist", dir.shown())));
    }
    Ok(())
}

/// The directory of the file `log`.
fn folder(log: &Path) -> &Path {
    log.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the game's log, unless the file exists by now.
fn write_log(log: &Path, session: &Session) -> Result<(), Failure> {
    let Some(record) = session.record() else { return Ok(()) };
    let record = crate::referee::record::GameRecord { date: Some(time::today()), ..record };
    let unwritten = || format!("could not write `{}`", log.shown());
    let mut file = files::temporary_in(folder(log)).with_context(unwritten)?;
    file.write_all(record.to_string().as_bytes()).with_context(unwritten)?;
    match file.persist_noclobber(log) {
        Ok(_) => Ok(()),
        Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => Err(exists(log)),
        Err(failed) => Err(anyhow::Error::new(failed.error).context(unwritten()).into()),
    }
}
