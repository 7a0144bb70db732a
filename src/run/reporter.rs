//! The listener that reports events on stderr: a line for each finished game, and everything that a user has to know
//! immediately.

mod block;
mod digest;
mod fate;
mod game_total;
mod group_game;
mod ladder_news;
mod last_stderr_line;
mod leaders;
mod running_game;
mod screen;
mod terminal_title;
mod told_refusals;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::console::{self, BOLD, RED, YELLOW};
use crate::base::sanitise::{output_line, quoted};
use crate::game::{BySeat, Side};
use crate::host::bot_output::BotOutput;
use crate::referee::record::{GameRecord, LoggedGame, WORKER_TAG, doubtful_loss, verdict};
use crate::results::standings::PlayedSummary;
use crate::results::victory::victory;
use crate::run::event::{Ended, Event, Retry};
use crate::run::excused::Excused;
use crate::run::listener::{EventQueue, EventReader, Listener, ListenerContext};
use crate::run::results_dir::output_name;
use crate::tournament::schedule::{GameId, KnownEnding, Results, Schedule};
use crate::tournament::sprt::SprtProgress;
use block::RunBlock;
pub(crate) use block::{bar_line, time_left};
use digest::RunDigest;
use fate::Fate;
use game_total::GameTotal;
use group_game::told_out;
pub(crate) use group_game::told_places;
pub(crate) use last_stderr_line::last_words;
use leaders::Leaders;
use screen::BlockScreen;
use told_refusals::ToldRefusals;

/// How much to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// A line for each game.
    Normal,
    /// On a terminal, a block that is drawn in place; lines only for games that a player forfeited.
    Block,
    /// No lines for individual games.
    News,
    /// Only what requires action.
    Quiet,
}

/// Reports a run on stderr.
#[derive(Debug)]
pub struct Reporter {
    verbosity: Verbosity,
    games: GameTotal,
    finished: u64,
    /// The block on the terminal, and the queue of the starts and moves that it shows.
    screen: Option<BlockScreen>,
    queue: Option<EventQueue>,
    reader: Option<EventReader>,
    /// The players whose programs have been reported as impossible to start.
    unstartable: BTreeSet<String>,
    /// The forfeits and the slowest games of this run, which a terminal shows at the end.
    digest: RunDigest,
    /// How each player has fared so far in this run, by name.
    fates: BTreeMap<String, Fate>,
    /// For each player, the files to which its bots were refused access and that have already been reported.
    refused: BTreeMap<String, ToldRefusals>,
    /// Everything that the machine has spoiled.
    excused: Excused,
    /// Whether to report the progress of a sequential test.
    tells_test: bool,
    /// A sequential test, with the results so far and its progress.
    test: Option<(Schedule, Results, SprtProgress)>,
}

/// How many lines of a failed build's output to show.
const BUILD_LINES: usize = 40;

impl Listener for Reporter {
    fn begin(&mut self, &ListenerContext { schedule, results, ledger, .. }: &ListenerContext<'_>) {
        let games = GameTotal::of(schedule);
        let finished = ledger.finished() as u64;
        (self.games, self.finished) = (games, finished);
        let mut schedule = schedule.clone();
        if self.tells_test
            && let Some(progress) = schedule.progress(results).copied()
        {
            self.test = Some((schedule, results.clone(), progress));
        }
        self.screen = self.reader.take().map(|reader| {
            let ruleset = ledger.definition.frame.ruleset;
            let mut leaders = Leaders::new(ruleset.seats());
            for game in ledger.in_order() {
                leaders.add(&game.summary());
            }
            for game in ledger.forgotten().into_iter().flat_map(|(history, tally)| tally.summaries(history)) {
                leaders.add(&PlayedSummary::Pair(game));
            }
            BlockScreen::show(RunBlock::new(ruleset, games, finished), leaders, reader)
        });
    }

    fn queue(&self) -> Option<EventQueue> {
        self.queue.clone()
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Waiting { player, seat, seats, address, .. } => {
                self.line(&format!("waiting for {player} ({}) at {address}", seat.name(*seats)));
            }
            Event::Building { player } if self.verbosity != Verbosity::Quiet => {
                self.line(&format!("building {player}"));
            }
            Event::Reading { player, bytes } if self.verbosity != Verbosity::Quiet => {
                self.line(&format!("reading {player}'s files: {} so far", crate::base::units::bytes(*bytes)));
            }
            Event::Unstartable { player, reason, output } => {
                self.unstartable.insert(player.clone());
                let again = format!("once that is fixed, `--redo {}` plays its games again", quoted(player));
                self.warning(&format!(
                    "player `{player}` cannot be started and loses all its games: {reason}; {again}"
                ));
                self.build_output(output);
            }
            Event::Unprepared { player, reason, output } => {
                self.excused.add(&format!("preparing `{player}`"), reason);
                let later = "its games are void; once that is fixed, the same command plays them";
                self.warning(&format!("player `{player}` could not be prepared: {reason}; {later}"));
                self.build_output(output);
            }
            Event::Ended(ended) => {
                if let Some(screen) = &self.screen {
                    screen.end(ended);
                }
                let Ended { record: game, outputs, again, .. } = ended;
                match game.void() {
                    Some(_) => self.void(game, again.as_ref()),
                    None => self.finished(game, outputs),
                }
            }
            Event::Entered(entry) if self.verbosity != Verbosity::Quiet => {
                if let Some(news) = ladder_news::news(entry) {
                    self.line(&news);
                }
            }
            // A quiet run does not report its preparations, and no run reports individual moves. The coordinator itself
            // reports the workers.
            Event::Building { .. }
            | Event::Reading { .. }
            | Event::Started { .. }
            | Event::Moved { .. }
            | Event::Told { .. }
            | Event::DroppedOut { .. }
            | Event::Staffed { .. }
            | Event::Enter(_)
            | Event::Entered(_) => {}
        }
    }

    /// Replaces the block on the terminal with the forfeits and the slowest games, and lists the players that lost all
    /// their games without a move, and the games that the machine has spoiled.
    fn close(&mut self) {
        if let Some(screen) = self.screen.take() {
            screen.close();
            for line in std::mem::take(&mut self.digest).lines() {
                self.line(&line);
            }
        }
        for (name, fate) in std::mem::take(&mut self.fates) {
            if let Some(summary) = fate.summary().filter(|_| !self.unstartable.contains(&name)) {
                self.warning(&format!("player `{name}` {summary}"));
            }
        }
        for line in std::mem::take(&mut self.excused).lines() {
            self.line(&line);
        }
    }
}

impl Reporter {
    /// Prints the last lines of a build's output.
    fn build_output(&mut self, output: &str) {
        let lines: Vec<&str> = output.lines().collect();
        for line in &lines[lines.len().saturating_sub(BUILD_LINES)..] {
            self.line(&format!("  | {}", output_line(line)));
        }
    }

    /// A reporter for a run that has not begun.
    pub fn new(verbosity: Verbosity) -> Self {
        let (queue, reader) = (verbosity == Verbosity::Block).then(BlockScreen::queue).unzip();
        Self {
            verbosity,
            games: GameTotal::Open,
            finished: 0,
            screen: None,
            queue,
            reader,
            unstartable: BTreeSet::new(),
            digest: RunDigest::default(),
            fates: BTreeMap::new(),
            refused: BTreeMap::new(),
            excused: Excused::default(),
            tells_test: true,
            test: None,
        }
    }

    /// The same reporter, without lines about the progress of a sequential test.
    #[must_use]
    pub fn without_test(self) -> Self {
        Self { tells_test: false, ..self }
    }

    /// Whether the game only confirms that a program cannot be started, which has already been reported.
    fn is_no_news(&self, record: &GameRecord) -> bool {
        let Ok(result) = &record.result else { return false };
        let mut at_fault = Side::BOTH.into_iter().filter(|&side| result.fault().is_on(side)).peekable();
        at_fault.peek().is_some() && at_fault.all(|side| self.unstartable.contains(&record.players[side]))
    }

    fn finished(&mut self, game: &LoggedGame, outputs: &BySeat<BotOutput>) {
        self.finished += 1;
        if self.verbosity == Verbosity::Block {
            self.digest.add(game);
        }
        self.excused.make_good(&named(game));
        for (seat, name) in game.players() {
            let fate = self.fates.entry(name.to_owned()).or_default();
            fate.add(game, seat, !outputs[seat].stderr.is_empty());
        }
        if matches!(self.verbosity, Verbosity::Normal | Verbosity::Block) {
            self.refusals(game, outputs);
        }
        let failed = game.players().into_iter().any(|(seat, _)| game.failure(seat).is_some());
        let is_shown = match self.verbosity {
            Verbosity::Normal => true,
            Verbosity::Block => failed,
            Verbosity::News | Verbosity::Quiet => false,
        };
        if let LoggedGame::Two(record) = game
            && !is_shown
            && self.verbosity == Verbosity::Block
        {
            self.progress(record);
        }
        if !is_shown || game.two().is_some_and(|record| self.is_no_news(record)) {
            return;
        }
        let (how, doubt) = match game {
            LoggedGame::Two(record) => (told_ending(record), doubtful_loss(record)),
            LoggedGame::Group(record) => (told_places(record, &record.players), None),
        };
        let plies = match game.plies().len() {
            1 => "1 ply".to_owned(),
            plies => format!("{plies} plies"),
        };
        let doubt = doubt.map(|words| format!("; {words}")).unwrap_or_default();
        let used = game.players().into_iter().map(|(seat, _)| format!("{:.3}s", game.used(seat).as_secs_f64()));
        // A failure is red, and a winner bold; the place and the time used are plain.
        let place = format!("[{}] {}: ", self.games.count(self.finished), id_of(game));
        let rest = format!(" ({plies}, {}{}){doubt}", used.collect::<Vec<_>>().join(" + "), on_worker(game));
        self.parts(&[("", &place), (if failed { RED } else { BOLD }, &how), ("", &rest)]);
        if let LoggedGame::Group(record) = game {
            let news = record.outs.iter().filter(|out| !self.unstartable.contains(&record.players[out.seat]));
            news.filter_map(|out| told_out(record, out)).for_each(|line| self.line(&line));
        }
        self.last_words(game, outputs);
        if let LoggedGame::Two(record) = game {
            self.progress(record);
        }
    }

    /// Reports each file to which a confined bot was refused access, but only once.
    fn refusals(&mut self, game: &LoggedGame, outputs: &BySeat<BotOutput>) {
        for (seat, name) in game.players() {
            let refused = self.refused.entry(name.to_owned()).or_default();
            if let Some(sentence) = refused.news(game, seat, &outputs[seat]) {
                self.line(&format!("{}: {name}: {sentence}", id_of(game)));
            }
        }
    }

    /// Reports the progress of a sequential test whenever a pair is complete.
    fn progress(&mut self, record: &GameRecord) {
        let (Some((schedule, results, before)), Some(game), Some(known)) =
            (&mut self.test, &record.game, KnownEnding::of_pair(record))
        else {
            return;
        };
        results.insert(GameId::from_text(game.as_str()), known);
        if let Some(progress) = schedule.progress(results).filter(|progress| *progress != before) {
            *before = *progress;
            let line = progress.to_string();
            self.line(&line);
        }
    }

    fn void(&mut self, game: &LoggedGame, again: Option<&Retry>) {
        let reason = game.void().map_or("", |void| &void.reason);
        self.excused.add(&named(game), reason);
        let then = again.map_or_else(
            || "it will not be played again in this run; repeat the command to play it again".to_owned(),
            |Retry { nth, of }| format!("it will be played again (attempt {nth} of {of})"),
        );
        let (id, worker) = (id_of(game), on_worker(game));
        self.line(&format!("{id}: void, through no player's fault{worker}: {reason}; {then}"));
    }

    /// Shows the last lines that each bot at fault wrote to stderr, which usually explain the failure.
    fn last_words(&self, game: &LoggedGame, outputs: &BySeat<BotOutput>) {
        for (seat, name) in game.players().into_iter().filter(|(seat, _)| game.failure(*seat).is_some()) {
            let stderr = String::from_utf8_lossy(&outputs[seat].stderr);
            if let Some(last) = last_words(&stderr) {
                let file = output_name(id_of(game), (seat, game.seats()), "stderr");
                self.line(&format!("  {name} last wrote: {last} (full output: {file})"));
            }
        }
    }

    fn line(&self, text: &str) {
        self.parts(&[("", text)]);
    }

    fn warning(&self, text: &str) {
        self.parts(&[(YELLOW, "warning:"), ("", &format!(" {text}"))]);
    }

    /// Prints one line made of `parts`, each with its ANSI codes.
    fn parts(&self, parts: &[(&str, &str)]) {
        let text = console::styled_line(parts);
        match &self.screen {
            Some(screen) => screen.print(text),
            None => console::whole_lines(&(text + "\n")),
        }
    }
}

/// The id of `game`, or the word `game` if it has none.
fn id_of(game: &LoggedGame) -> &str {
    game.game().unwrap_or("game")
}

/// The name of `game` in a list of things that the machine may have spoiled.
fn named(game: &LoggedGame) -> String {
    format!("game {}", game.game().unwrap_or_default())
}

/// Who won a game with two seats and how, with the reason.
fn told_ending(record: &GameRecord) -> String {
    let reason = record.result.as_ref().ok().and_then(|result| result.reason());
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let ending = victory(&record.players, record).unwrap_or_else(|| verdict(&record.result));
    format!("{ending}{reason}")
}

/// `, on lab-1` if a worker played `game`.
fn on_worker(game: &LoggedGame) -> String {
    let tag = game.other_tags().iter().find(|(name, _)| name == WORKER_TAG);
    tag.map(|(_, worker)| format!(", on {worker}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_game_names_the_winner() {
        let told = |tags: &str| {
            let result = tags.split('"').nth(1).expect("a result");
            let text = format!("[Black \"ann\"]\n[White \"bo\"]\n[Result {tags}\n\n1. c3 {result}\n");
            told_ending(&text.parse().unwrap_or_else(|error| panic!("{error}\n{text}")))
        };
        assert_eq!(told("\"0-1\"]\n[Margin \"5\"]\n[Termination \"normal\"]"), "ann beats bo by 5");
        let crash = "\"1-0\"]\n[Termination \"crash\"]\n[Reason \"exited with code 1\"]";
        assert_eq!(told(crash), "bo beats ann (crash): exited with code 1");
        assert_eq!(told("\"1/2-1/2\"]\n[Margin \"0\"]\n[Termination \"normal\"]"), "draw");
        assert_eq!(told("\"*\"]\n[Termination \"double forfeit\"]"), "both forfeit");
    }
}
