//! Queries about a trial, used by all causes: its facts, the output of the process, and the outcomes of other trials.

use std::time::Duration;

use super::board::evidence::BoardEvidence;
use super::source_lines::{CodeLine, SourceCode};
use super::stderr::{Uncaught, last_lines, uncaught};
use crate::base::sanitise::sanitised;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::readiness::{Trial, TrialStatus};
use crate::drill::script::{BotSeat, BoutEnd, BoutFacts, Coming, ProcessExit, Refusal, Speaker, TrialFailure};
use crate::referee::record::TryKind;
use crate::referee::wire::Action;

/// All trials of one player, and the player's sources.
#[derive(Debug)]
pub(super) struct Inquiry<'a> {
    pub(super) trials: &'a [Trial],
    pub(super) code: SourceCode<'a>,
    pub(super) board: BoardEvidence,
    /// The games that were replayed.
    pub(super) replays: Vec<&'a BoutFacts>,
}

/// A trial that was not passed, with the facts that diagnoses need.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) inquiry: &'a Inquiry<'a>,
    /// The trial's index.
    pub(super) index: usize,
    pub(super) trial: &'a Trial,
    /// How the bot failed.
    pub(super) failure: TrialFailure,
    /// The game that decided the outcome.
    pub(super) game: &'a BoutFacts,
    /// The last exception in the decisive game.
    pub(super) uncaught: Option<Uncaught>,
}

/// The maximum number of characters of hostile text that a diagnosis quotes.
const MOST_QUOTED: usize = 160;

/// The number of plies that may cross with a refusal: the bot's next line, and its opponent's answer.
const CROSSING_PLIES: usize = 2;

/// The maximum number of lines of evidence in a diagnosis.
const MOST_EVIDENCE: usize = 6;

/// Returns `text`, made printable and truncated.
pub(super) fn shown(text: &str) -> String {
    let mut letters = text.trim().chars();
    let short: String = letters.by_ref().take(MOST_QUOTED).collect();
    let dots = if letters.next().is_some() { "..." } else { "" };
    sanitised(&short) + dots
}

impl<'a> Inquiry<'a> {
    /// The trial at `index` if it needs a diagnosis: it was not passed, and at least one game was played.
    pub(super) fn subject(&'a self, index: usize) -> Option<Subject<'a>> {
        let trial = self.trials.get(index)?;
        let is_bad = matches!(trial.status, TrialStatus::Fail | TrialStatus::Warn | TrialStatus::Timeout);
        let failure = trial.failure.filter(|_| is_bad)?;
        let game = trial.decisive_game().filter(|game| !game.is_void())?;
        Some(Subject { inquiry: self, index, trial, failure, game, uncaught: uncaught(game.stderr()) })
    }

    /// The trial of the scenario `id` on `side`, if it was played.
    pub(super) fn trial(&self, id: &str, side: BotSeat) -> Option<&'a Trial> {
        let played = |trial: &&Trial| trial.status != TrialStatus::Skip && !trial.games.is_empty();
        self.trials.iter().filter(played).find(|trial| trial.scenario.id == id && trial.side == side)
    }

    /// All games of all trials except void ones, which reveal nothing about the bot.
    pub(super) fn games(&self) -> impl Iterator<Item = &'a BoutFacts> {
        self.trials.iter().flat_map(|trial| &trial.games).filter(|game| !game.is_void())
    }
}

impl<'a> Subject<'a> {
    /// Whether the scenario is one of `ids`.
    pub(super) fn is_one_of(&self, ids: &[&str]) -> bool {
        ids.contains(&self.trial.scenario.id)
    }

    /// The trial of the scenario `id` on the same side, if it was played.
    pub(super) fn other(&self, id: &str) -> Option<&'a Trial> {
        self.inquiry.trial(id, self.trial.side)
    }

    /// Whether the bot failed because of a refused line: either the refusal itself is the failure, or the bot exited or
    /// fell silent when it should have answered the refusal.
    pub(super) fn is_by_refusal(&self) -> bool {
        let is_refusal = matches!(self.failure, TrialFailure::Illegal | TrialFailure::Garbled | TrialFailure::Stuck);
        // A line that was sent too early may be followed by another line that is accepted before the bot has read the
        // refusal.
        let crossing = |kind| if kind == TryKind::Garbled { CROSSING_PLIES } else { 0 };
        let is_last = |refusal: &Refusal| refusal.ply + crossing(refusal.kind) >= self.game.plies.len();
        is_refusal || self.game.true_refusals().last().is_some_and(is_last)
    }

    /// Whether the bot did not connect to its seat.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self.game.coming, Coming::Failed { .. })
    }

    /// Whether the bot's process exited before its game was over, or before the bot connected.
    pub(super) fn has_ended_early(&self) -> bool {
        let has_gone = self.game.process.as_ref().is_some_and(|process| process.exit.is_some());
        match self.game.end {
            BoutEnd::Crashed(_) => true,
            BoutEnd::NotBegun => self.is_absent() && (has_gone || self.game.process.is_none()),
            BoutEnd::Disconnected => has_gone,
            _ => false,
        }
    }

    /// The last `most` lines of stderr in the decisive game.
    pub(super) fn stderr_tail(&self, most: usize) -> Vec<&'a str> {
        last_lines(self.game.stderr(), most)
    }

    /// The message of the last exception that the process reported, or the last lines of stderr if there is none.
    pub(super) fn last_words(&self) -> Vec<String> {
        match &self.uncaught {
            Some(uncaught) => vec![uncaught.headline.clone()],
            None => self.stderr_tail(5).into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether the last reported exception ended the process, judging by stderr and the exit status.
    pub(super) fn was_ended_by_exception(&self) -> bool {
        self.uncaught.as_ref().is_some_and(|uncaught| uncaught.has_ended(exit_of(self.game)))
    }

    /// Whether there is a game in which the bot wrote `line` to stderr and then continued: it made moves, and its
    /// stderr did not end with `line`. In that case, `line` is not the reason why the bot ended in other games.
    pub(super) fn has_gone_on_after(&self, line: &str) -> bool {
        let went_on = |game: &BoutFacts| {
            game.own_plies().next().is_some() && game.stderr().contains(line) && !may_have_ended_by(game, line)
        };
        self.inquiry.games().any(went_on)
    }

    /// Whether the bot has exchanged any line with the arena: it connected, or it uses pipes and does not need a
    /// connection.
    pub(super) fn has_connected(&self) -> bool {
        let transcript = &self.game.transcript;
        [Speaker::Arena, Speaker::Bot].into_iter().any(|by| transcript.lines_by(by).next().is_some())
    }

    /// The last line that the arena sent.
    pub(super) fn last_told(&self) -> Option<String> {
        self.game.transcript.lines_by(Speaker::Arena).last()
    }

    /// The line of the bot's own code that raised the last exception.
    pub(super) fn failing_line(&self) -> Option<CodeLine<'a>> {
        self.inquiry.code.own_line(&self.uncaught.as_ref()?.calls)
    }

    /// The lines of the bot's code, starting with those in files that its exception's stack or its command names.
    pub(super) fn nearest_lines(&self) -> Vec<CodeLine<'a>> {
        let calls = self.uncaught.as_ref().map_or(&[][..], |uncaught| &uncaught.calls);
        self.inquiry.code.nearest_lines(calls)
    }

    /// The code of the failing line: from the sources, or as shown by the runtime.
    pub(super) fn failing_code(&self) -> String {
        let shown = || self.uncaught.iter().flat_map(|uncaught| &uncaught.calls).map(|call| call.code.clone()).next();
        self.failing_line().map(|line| line.text.trim().to_owned()).or_else(shown).unwrap_or_default()
    }

    /// A description of how the process ended.
    pub(super) fn exit_words(&self) -> Option<String> {
        exit_words(self.game)
    }

    /// A diagnosis with the evidence that is useful for nearly every cause: the last output of both sides, and how the
    /// process ended.
    pub(super) fn diagnosis(&self, cause: Cause, text: String, fix: String) -> Diagnosis {
        let mut evidence = Vec::new();
        evidence.extend(self.last_told().map(|line| format!("arena: {line}")));
        evidence.extend(self.uncaught.as_ref().map(|uncaught| format!("stderr: {}", uncaught.headline)));
        evidence.extend(self.exit_words());
        finding(cause, text, fix).showing(evidence)
    }
}

/// Whether `line` is a valid move that the bot could have sent when the game ended, because it was the bot's turn.
pub(super) fn is_due(game: &BoutFacts, line: &str) -> bool {
    let Ok(Action::Numbered { number, dots, text }) = line.parse() else { return false };
    let mut position = game.position_after(game.plies.len());
    let own = 1 + game.own_plies().count();
    let is_numbered = u64::try_from(own).is_ok_and(|own| i128::from(number) == i128::from(own));
    position.seat_to_move() == game.side.seat()
        && is_numbered
        && dots == game.side.seat().index()
        && position.play(&text).is_ok()
}

/// The number of lines at the end of stderr that may be about the end of the process.
pub(super) const LAST_WORDS: usize = 3;

/// Whether `line` may be about the end of the process of `game`: the process failed, and `line` is among the last lines
/// of its stderr.
fn may_have_ended_by(game: &BoutFacts, line: &str) -> bool {
    let has_failed = exit_of(game).is_some_and(|exit| exit != ProcessExit::Status(0));
    let is_last = || match uncaught(game.stderr()).filter(Uncaught::is_last) {
        Some(uncaught) => uncaught.headline.contains(line),
        None => last_lines(game.stderr(), LAST_WORDS).iter().any(|last| last.contains(line)),
    };
    has_failed && is_last()
}

/// How the process of `game` ended on its own.
fn exit_of(game: &BoutFacts) -> Option<ProcessExit> {
    game.process.as_ref()?.exit
}

/// A description of how the process of `game` ended on its own.
pub(super) fn exit_words(game: &BoutFacts) -> Option<String> {
    Some(match exit_of(game)? {
        ProcessExit::Status(status) => format!("exit status {status}"),
        ProcessExit::Signal(signal) => format!("killed by signal {signal}"),
    })
}

/// A diagnosis without evidence.
pub(super) fn finding(cause: Cause, text: String, fix: String) -> Diagnosis {
    Diagnosis { cause, title: cause.title().to_owned(), text, evidence: Vec::new(), fix, place: None }
}

impl Diagnosis {
    /// Returns the diagnosis with `evidence`, made printable.
    pub(super) fn showing(self, evidence: impl IntoIterator<Item = String>) -> Self {
        let evidence = evidence.into_iter().take(MOST_EVIDENCE).map(|line| shown(&line)).collect();
        Self { evidence, ..self }
    }

    /// Returns the diagnosis with the place of `line`, if there is one.
    pub(super) fn at(self, line: Option<CodeLine<'_>>) -> Self {
        Self { place: line.map(|line| line.place()), ..self }
    }
}

/// `time` in seconds, for messages.
pub(super) fn seconds(time: Duration) -> String {
    let digits = usize::from(time < Duration::from_secs(10));
    format!("{:.digits$} s", time.as_secs_f64())
}
