//! The one fault that everything else on a student's page follows from.

use super::blame::explains_forfeit;
use super::{Graded, NextStep};
use crate::base::sanitise::output_line;
use crate::base::units::counted;
use crate::course::grades::{GradedGame, KeptCause, KeptTrial};
use crate::course::rubric::GradePoints;
use crate::drill::diagnosis::code_at;
use crate::drill::readiness::{Cause, SourcePlace};
use crate::drill::script::Scenario;
use crate::results::quoting::{capitalised, failed_build, shortened};

/// The maximum length of a line of a traceback, in characters.
const LONGEST_LINE: usize = 300;

/// The exceptions that can be the root cause even if the bot gets as far as a game.
const EXCEPTIONS: [Cause; 2] = [Cause::OwnException, Cause::ClockNameError];

/// The fault that everything else follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootCause {
    /// The title says in one sentence what goes wrong and where, and the text says what to do about it.
    pub(crate) step: NextStep,
    /// Whether the bot never gets as far as a game, so that nothing else is known about it.
    pub(crate) is_total: bool,
}

impl Graded<'_> {
    /// The root cause: why the bot never gets as far as a game, or the single exception that ends the bot in every game
    /// that it forfeits and in most of the checks that it fails. `None` if the bot has no fault or several faults.
    pub(super) fn root_cause(&self) -> Option<RootCause> {
        if !self.never_comes() {
            return Some(RootCause { step: self.only_exception()?, is_total: false });
        }
        let step = self.broken().or_else(|| self.absent()).or_else(|| self.silent())?;
        let text = format!("{} Everything else depends on this.", step.text);
        Some(RootCause { step: NextStep { text, gain: self.gain(|_| true), ..step }, is_total: true })
    }

    /// Whether the bot never gets as far as a game: it could not be started, or it fails the first scenario on each
    /// side.
    fn never_comes(&self) -> bool {
        let Some(drill) = &self.student.drill else { return false };
        let mut hellos = drill.trials.iter().filter(|trial| trial.id == Scenario::HELLO).peekable();
        drill.broken.is_some() || (hellos.peek().is_some() && hellos.all(KeptTrial::has_failed))
    }

    /// The step for a bot that could not be built, or could not be started.
    fn broken(&self) -> Option<NextStep> {
        let (reason, output) = failed_build(self.student.drill.as_ref()?.broken.as_ref()?);
        let (title, text) = if output.is_empty() {
            let text = "Correct the file or command that the reason names, and hand in your bot again.";
            (format!("Your bot could not be started: {reason}."), text)
        } else {
            let place = output.iter().find_map(|line| place_in(line));
            let place = place.map(|place| format!(" because of an error in {place}")).unwrap_or_default();
            let text = "Run the same build on your own machine, correct its first error, and hand in your bot again.";
            (format!("Your bot could not be built{place}."), text)
        };
        Some(NextStep { title, code: String::new(), text: text.to_owned(), gain: GradePoints::ZERO, output })
    }

    /// The step for a bot that does not take its seat, if the drill found the reason.
    fn absent(&self) -> Option<NextStep> {
        let cause = self.causes().into_iter().next()?.cause;
        let title = match raised(cause) {
            Some(raised) => format!("Your bot does not start: it stops with `{raised}`{}.", at(cause)),
            None => format!("Your bot does not start: {}{}.", cause.title, at(cause)),
        };
        let text = format!("{} {}", cause.text, cause.fix);
        let output = self.last_frame(cause);
        Some(NextStep { title, code: cause.code.clone(), text, gain: GradePoints::ZERO, output })
    }

    /// The step for a bot that does not take its seat, if the drill did not find the reason.
    fn silent(&self) -> Option<NextStep> {
        let step = self.undiagnosed()?;
        Some(NextStep { title: "Your bot does not start.".to_owned(), ..step })
    }

    /// The step for an exception that ends the bot in every game that it forfeits and in most of the checks that it
    /// fails, if there is no other diagnosis.
    fn only_exception(&self) -> Option<NextStep> {
        let causes = self.causes();
        let [found] = &causes[..] else { return None };
        let is_exception = EXCEPTIONS.iter().any(|cause| cause.name() == found.cause.code);
        let failed = self.student.failed_trials().iter().filter(|trial| trial.has_failed()).count() as u64;
        if !is_exception || 2 * found.failed <= failed {
            return None;
        }
        if !self.student.forfeits().all(|game| explains_forfeit(found.cause, game)) {
            return None;
        }
        let title = raised(found.cause)
            .map_or_else(|| capitalised(&found.cause.title), |raised| format!("Your bot stops with `{raised}`"));
        let checks = counted(found.failed, "check");
        let games = match self.student.forfeits().count() {
            0 => String::new(),
            _ => format!(" and {} games", self.student.forfeits_text()),
        };
        Some(NextStep {
            title: format!("{title}{} in {checks}{games}.", at(found.cause)),
            code: found.cause.code.clone(),
            text: found.cause.fix.clone(),
            gain: self.gain_of_cause(found),
            output: self.last_frame(found.cause),
        })
    }

    /// The last frame of the traceback of `cause` with the line of code, and the exception; empty unless the bot wrote
    /// such a traceback in a game that it forfeited.
    fn last_frame(&self, cause: &KeptCause) -> Vec<String> {
        let (Some(file), Some(line), Some(raised)) = (&cause.file, cause.line, raised(cause)) else {
            return Vec::new();
        };
        let place = SourcePlace { file: file.clone(), line: Some(line) };
        let code = self.student.forfeits().find_map(|game: &GradedGame| code_at(game.stderr_tail.as_deref()?, &place));
        let Some(code) = code else { return Vec::new() };
        let mut lines = vec![format!("{file}, line {line}:"), format!("    {code}"), raised];
        lines.retain(|line| !line.trim().is_empty());
        lines.iter().map(|line| output_line(&shortened(line, LONGEST_LINE))).collect()
    }
}

/// The exception that is evidence of `cause`, as the bot wrote it.
fn raised(cause: &KeptCause) -> Option<String> {
    let headline = cause.evidence.iter().find_map(|line| line.strip_prefix("stderr: "))?;
    // A backtick would end the quotation.
    (!headline.trim().is_empty()).then(|| headline.trim().replace('`', "'"))
}

/// ` (bot.py, line 59)`; empty if the place of `cause` is unknown.
pub(super) fn at(cause: &KeptCause) -> String {
    match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!(" ({file}, line {line})"),
        (Some(file), None) => format!(" ({file})"),
        (None, _) => String::new(),
    }
}

/// The place named in a line of a compiler's output, such as `Bot.java:27: error: ...` or `--> src/main.rs:3:5`.
fn place_in(line: &str) -> Option<String> {
    let line = line.trim_start().trim_start_matches("--> ");
    let mut parts = line.split(':');
    let (file, number) = (parts.next()?, parts.next()?);
    let is_file = file.contains('.') && !file.contains([' ', '`']);
    let is_number = (1..=7).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_file && is_number).then(|| format!("{file}, line {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_name_files_and_lines() {
        for (line, place) in [
            ("Bot.java:27: error: ';' expected", Some("Bot.java, line 27")),
            ("  --> src/main.rs:3:5", Some("src/main.rs, line 3")),
            ("bot.c:12:5: error: x", Some("bot.c, line 12")),
            ("error[E0425]: cannot find value `x`", None),
            ("make: *** [Makefile:3: bot] Error 1", None),
            ("note.txt: 5: x", None),
        ] {
            assert_eq!(place_in(line).as_deref(), place, "{line}");
        }
    }
}
