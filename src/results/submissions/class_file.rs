//! The text of class.toml.

use std::fmt::Write as _;
use std::time::Duration;

use super::Imported;
use super::recipe::{Certainty, Recipe, keys};
use crate::base::units::spaced;
use crate::results::quoting::one_line;
use crate::results::roster::SubmissionState;

/// A tournament file for a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassFile<'a> {
    /// The tournament's name.
    pub name: &'a str,
    /// Each side's time for a game.
    pub time: Duration,
    /// Whether this machine cannot confine bots and builds at all.
    pub is_unconfined: bool,
    /// The submissions, in the order of the file.
    pub submissions: &'a [Imported],
}

impl ClassFile<'_> {
    /// The text of the file. It is a valid tournament file for any names and texts.
    pub fn text(&self) -> String {
        let players = self.submissions.iter().filter(|one| one.entry.state == SubmissionState::Ready).count();
        let mut text = "#:schema ./tournament.schema.json\n".to_owned();
        // Writing to a string cannot fail.
        if self.is_unconfined {
            text += UNCONFINED;
        }
        let _ = write!(
            text,
            "# import: {players} of {} submissions have a player below; read IMPORT.md, then: gothello-arena check class.toml --bots\n\n\
             name = {}\n\
             rounds = 1        # each pair meets twice in a round, once with each colour\n\
             seed = 441        # the source of all randomness; another number gives other games\n\
             {:18}# each side's time for the whole game\n",
            self.submissions.len(),
            toml::Value::from(self.name),
            format!("time = \"{}\"", spaced(self.time)),
        );
        for submission in self.submissions {
            text += &block(submission);
        }
        if players < 2 {
            text += "\n# A tournament has at least two players, so the arena's own bots take part.\n";
        }
        for name in ["greedy", "random"].into_iter().skip(players.min(2)) {
            let _ = write!(text, "\n[[player]]\nname = \"{name}\"\nbuiltin = \"{name}\"\n");
        }
        text
    }
}

/// What stands on top of a file for a machine that cannot confine bots.
const UNCONFINED: &str = "\
# WARNING: this machine cannot confine programs, so the builds and bots below would run with all your rights: they can read
# your files and use the network. `gothello-arena doctor` says what is missing. Use another machine, or read every program first.
";

/// The lines for one submission, with an empty line before them. If it has no player, they are a comment.
pub fn block(submission: &Imported) -> String {
    let entry = &submission.entry;
    let name = toml::Value::from(entry.player.as_str());
    let dir = |recipe: Option<&Recipe>| {
        let below = recipe.map_or("", |recipe| recipe.dir.as_str());
        let path =
            ["bots", &entry.slug, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        format!("dir = {}", toml::Value::from(path))
    };
    let number = entry.participant.as_ref().map(|number| format!("    # participant {number}")).unwrap_or_default();
    let mut lines = Vec::new();
    let recipe = submission.recognition.recipe.as_ref().filter(|_| entry.state == SubmissionState::Ready);
    match recipe {
        Some(recipe) => {
            lines.extend(["[[player]]".to_owned(), format!("name = {name}{number}"), dir(Some(recipe))]);
            let reason = format!("    # {}: {}", recipe.certainty, one_line(&recipe.why));
            lines.extend(
                keys(recipe).into_iter().map(|key| if key.starts_with("command = ") { key + &reason } else { key }),
            );
        }
        None => {
            let why = submission.refusal.clone().unwrap_or_else(|| without_player(entry.state).to_owned());
            lines.push(format!("# No player: {}", one_line(&why)));
            let example = "command = [\"python3\", \"bot.py\", \"{side}\", \"{host}\", \"{server}\"]";
            let commented = ["[[player]]".to_owned(), format!("name = {name}{number}"), dir(None), example.to_owned()];
            lines.extend(commented.map(|line| format!("# {line}")));
        }
    }
    for other in &submission.recognition.alternatives {
        lines.push(format!("# or, {}: {}", certainty(other.certainty), one_line(&other.why)));
        lines.extend([dir(Some(other))].into_iter().chain(keys(other)).map(|line| format!("#   {line}")));
    }
    if !submission.recognition.needs.is_empty() {
        lines.push(format!("# needs: {}", one_line(&submission.recognition.needs.join(", "))));
    }
    lines.extend(remarks(submission).iter().map(|remark| format!("# note: {}", one_line(remark))));
    format!("\n{}\n", lines.join("\n"))
}

/// What the teacher should know about a submission.
pub(super) fn remarks(submission: &Imported) -> Vec<String> {
    submission.remarks.iter().chain(&submission.recognition.remarks).cloned().collect()
}

/// Why a submission in this state has no player.
pub(super) const fn without_player(state: SubmissionState) -> &'static str {
    match state {
        SubmissionState::Ready => "",
        SubmissionState::Unknown => "import did not find out how it is started",
        SubmissionState::Empty => "nothing was handed in",
        SubmissionState::Refused => "it was not unpacked",
    }
}

const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Sure => "surely",
        Certainty::Likely => "likely",
        Certainty::Guess => "as a guess",
    }
}
