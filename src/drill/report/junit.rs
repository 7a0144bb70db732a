//! JUnit XML, one suite per player.

use std::fmt::Write as _;

use super::wording::{expected, verdict, why};
use crate::base::sanitise::output_line;
use crate::base::sanitise::sanitised;
use crate::drill::readiness::{Readiness, Trial, TrialStatus, TriedPlayer, UntriedPlayer};
use crate::results::quoting::failed_build;
use crate::results::report::requirements_junit::escaped;

/// The number of cases of each kind.
#[derive(Clone, Copy, Default)]
struct CaseCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl CaseCounts {
    fn of(player: &TriedPlayer, strict: bool) -> Self {
        let count = |is_one: &dyn Fn(&Trial) -> bool| player.trials.iter().filter(|trial| is_one(trial)).count();
        let errors = usize::from(player.broken.is_some());
        Self {
            tests: player.trials.len() + errors,
            failures: count(&|trial| trial.counts_against(strict)),
            errors,
            skipped: count(&|trial| trial.status == TrialStatus::Skip),
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }

    fn attributes(self) -> String {
        let Self { tests, failures, errors, skipped } = self;
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    }
}

/// The counts for a player that was not tried. Its suite has one skipped case.
const UNTRIED: CaseCounts = CaseCounts { tests: 1, failures: 0, errors: 0, skipped: 1 };

/// Renders `readiness` with one suite per player. A case is a failure if and only if it counts against the player: a
/// warning passes unless `strict`, and the case's output contains the warning.
pub(super) fn junit(readiness: &Readiness, strict: bool) -> String {
    let tried = readiness.players.iter().map(|player| CaseCounts::of(player, strict));
    let all = tried.chain(readiness.untried.iter().map(|_| UNTRIED)).fold(CaseCounts::default(), CaseCounts::plus);
    let seconds: f64 = readiness.players.iter().map(|player| player.took.as_secs_f64()).sum();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites name=\"gothello-arena check\" {} time=\"{seconds:.3}\">", counts_of_all(all));
    for player in &readiness.players {
        xml += &suite(player, strict);
    }
    xml += &readiness.untried.iter().map(untried).collect::<String>();
    xml += "</testsuites>\n";
    // A CI server would treat `##` as the beginning of a command, wherever it occurs.
    xml.replace("##", "#&#35;")
}

/// The attributes of the root element. In the schemas of CI servers, the root element has no count of skipped cases.
fn counts_of_all(CaseCounts { tests, failures, errors, .. }: CaseCounts) -> String {
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn untried(player: &UntriedPlayer) -> String {
    let (name, why) = (attribute(&player.player), attribute(&player.why));
    format!(
        "  <testsuite name=\"{name}\" {} time=\"0\">\n    <testcase classname=\"{name}\" name=\"check\" time=\"0\">\n      \
         <skipped message=\"{why}\"/>\n    </testcase>\n  </testsuite>\n",
        UNTRIED.attributes()
    )
}

fn suite(player: &TriedPlayer, strict: bool) -> String {
    let name = attribute(&player.player);
    let counts = CaseCounts::of(player, strict).attributes();
    let mut xml = format!("  <testsuite name=\"{name}\" {counts} time=\"{:.3}\">\n", player.took.as_secs_f64());
    if let Some(broken) = &player.broken {
        let _ = writeln!(
            xml,
            "    <testcase classname=\"{name}\" name=\"start\" time=\"0\">\n      <error type=\"broken\" \
             message=\"{}\">{}</error>\n    </testcase>",
            attribute(&failed_build(broken).0),
            lines(broken)
        );
    }
    xml += &player.trials.iter().map(|trial| case(&name, trial, strict)).collect::<String>();
    let _ = writeln!(xml, "    <system-out>{}</system-out>\n  </testsuite>", lines(&verdict(player)));
    xml
}

/// One trial as a case of the suite whose escaped name is `suite`.
fn case(suite: &str, trial: &Trial, strict: bool) -> String {
    let name = attribute(&trial.name());
    let seconds = trial.took.as_secs_f64();
    let mut xml = format!("    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{seconds:.3}\">\n");
    if trial.counts_against(strict) {
        let (kind, message) = (trial.scenario.level, attribute(&trial.summary));
        let _ =
            writeln!(xml, "      <failure type=\"{kind}\" message=\"{message}\">{}</failure>", lines(&details(trial)));
    } else if trial.status == TrialStatus::Skip {
        let _ = writeln!(xml, "      <skipped message=\"{}\"/>", attribute(&trial.summary));
    }
    for (element, text) in [("system-out", told(trial, strict)), ("system-err", said(trial))] {
        if !text.is_empty() {
            let _ = writeln!(xml, "      <{element}>{}</{element}>", lines(&text));
        }
    }
    xml + "    </testcase>\n"
}

/// What happened, why, and what to do.
fn details(trial: &Trial) -> String {
    let mut text = sanitised(&trial.summary) + "\n";
    for diagnosis in &trial.diagnoses {
        let _ = writeln!(text, "Why: {}", why(diagnosis));
        for line in &diagnosis.evidence {
            let _ = writeln!(text, "Seen: {}", sanitised(line));
        }
        let _ = writeln!(text, "Fix: {}", sanitised(&diagnosis.fix));
    }
    text + "Expected: " + &expected(trial)
}

/// The output of the case for `trial`: the details of a warning or note that is not a failure, and the transcript of a
/// trial that was not passed.
fn told(trial: &Trial, strict: bool) -> String {
    let mut text = String::new();
    let is_told = matches!(trial.status, TrialStatus::Warn | TrialStatus::Info) && !trial.counts_against(strict);
    if is_told {
        let _ = writeln!(text, "{}: {}", trial.status.name().to_uppercase(), details(trial));
    }
    if let Some(file) = &trial.transcript_file {
        let _ = writeln!(text, "Transcript: {}", sanitised(file));
    }
    if trial.status != TrialStatus::Pass
        && let Some(transcript) = trial.transcript()
    {
        text += &transcript.to_string();
    }
    text
}

/// The bot's stderr in `trial`, if the bot did not pass it.
fn said(trial: &Trial) -> String {
    let game = trial.decisive_game().filter(|_| trial.status != TrialStatus::Pass);
    game.map_or(String::new(), |game| game.stderr().to_owned())
}

/// `text` as the value of an attribute.
fn attribute(text: &str) -> String {
    escaped(&sanitised(text))
}

/// `text` as the content of an element, with its line breaks.
fn lines(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = escaped(&output_line(line));
        if line.trim_start().starts_with("::") { line.replacen("::", "&#58;:", 1) } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}
