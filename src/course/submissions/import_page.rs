//! The report of `import` to the teacher: IMPORT.md, and the last lines of the command's output.

use std::fmt::Write as _;

use super::findings::{reason, warnings};
use super::recipe::Certainty;
use super::update_notes::UpdateNotes;
use super::{ImportChange, Imported};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::course::roster::{RosterStudent, SubmissionState};
use crate::results::quoting::markdown;

/// Everything that an import found.
#[derive(Clone, Copy, Debug)]
pub struct ImportPage<'a> {
    /// The name of the class.
    pub name: &'a str,
    /// The submissions, in the order of class.toml.
    pub submissions: &'a [Imported],
    /// The students who have no submission.
    pub absent: &'a [RosterStudent],
    /// Findings that do not belong to a submission, as complete clauses, which may contain untrusted text.
    pub warnings: &'a [String],
    /// The changes that the teacher has to make after an update; `None` after a first import.
    pub notes: Option<&'a UpdateNotes>,
}

/// The level of attention that a submission needs from the teacher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attention {
    /// The submission's player was found.
    None,
    /// The submission's player is a guess, or something about the submission is worth checking.
    Look,
    /// The submission has no player.
    Player,
}

impl ImportPage<'_> {
    /// The text of IMPORT.md.
    pub fn markdown(&self) -> String {
        let mut text = format!("# Import of {}\n\n{}.\n", markdown(self.name), self.counts());
        text += "\nRead the first lists, correct class.toml where it is wrong, and then run\n\
                 `gothello-arena check class.toml --bots`. No part of a submission has been run so far.\n";
        text += &self.notes.map(UpdateNotes::markdown).unwrap_or_default();
        for (need, title) in [(Attention::Player, "Without a player"), (Attention::Look, "To review")] {
            text += &self.list(need, title);
        }
        if !self.absent.is_empty() {
            text += "\n## In the worksheet, but without a submission\n\n";
            text.extend(self.absent.iter().map(|student| {
                let number =
                    student.participant.as_ref().map(|number| format!(" (participant {number})")).unwrap_or_default();
                format!("- {}{number}\n", markdown(&student.name))
            }));
        }
        if !self.warnings.is_empty() {
            text += "\n## About the download\n\n";
            text.extend(self.warnings.iter().map(|warning| format!("- {}\n", told(warning))));
        }
        text += "\n## All submissions\n\n| player | handed in | started by | how certain | why |\n| --- | --- | --- | --- | --- |\n";
        text.extend(self.submissions.iter().map(row));
        text
    }

    /// The submissions whose level of attention is `need`, with all findings about them.
    fn list(&self, need: Attention, title: &str) -> String {
        let wanted: Vec<&Imported> =
            self.submissions.iter().filter(|submission| self::need(submission) == need).collect();
        if wanted.is_empty() {
            return String::new();
        }
        let mut text = format!("\n## {title}\n\n{}", about(need));
        for submission in wanted {
            let all: Vec<String> = [reason(submission)].into_iter().chain(warnings(submission)).collect();
            let _ = writeln!(text, "- **{}**: {}", markdown(&submission.entry.player), told(&all.join("; ")));
        }
        text
    }

    /// The lines that the command prints.
    pub fn summary(&self) -> String {
        let mut text = format!("{}: {}\n", sanitised(self.name), self.counts());
        for submission in self.submissions.iter().filter(|submission| need(submission) == Attention::Player) {
            let why: Vec<String> = [reason(submission)].into_iter().chain(warnings(submission)).collect();
            let _ = writeln!(text, "  no player: {}: {}", submission.entry.player, sanitised(&why.join("; ")));
        }
        for submission in self.submissions.iter().filter(|submission| certainty(submission) == Some(Certainty::Guess)) {
            let why = submission.recognition.recipe.iter().map(|recipe| &recipe.why);
            let why: Vec<&str> = submission.recognition.mistake.iter().chain(why).map(String::as_str).collect();
            let _ = writeln!(text, "  guess: {}: {}", submission.entry.player, sanitised(&why.join("; ")));
        }
        for submission in self.submissions.iter().filter(|submission| certainty(submission) == Some(Certainty::Likely))
        {
            if let Some(mistake) = &submission.recognition.mistake {
                let _ = writeln!(text, "  note: {}: {}", submission.entry.player, sanitised(mistake));
            }
        }
        text.extend(self.warnings.iter().map(|warning| format!("  note: {}\n", sanitised(warning))));
        if !self.absent.is_empty() {
            let _ = writeln!(
                text,
                "  {} in the worksheet without a submission",
                counted(self.absent.len() as u64, "student")
            );
        }
        text
    }

    /// The number of submissions of each kind, as text.
    fn counts(&self) -> String {
        let of = |wanted: Certainty| self.submissions.iter().filter(|one| certainty(one) == Some(wanted)).count();
        let players: Vec<String> = [Certainty::Sure, Certainty::Likely, Certainty::Guess]
            .into_iter()
            .map(|kind| (kind, of(kind)))
            .filter(|(_, number)| *number > 0)
            .map(|(kind, number)| format!("{number} {kind}"))
            .collect();
        let without = self.submissions.iter().filter(|one| one.entry.state != SubmissionState::Ready).count();
        let players =
            if players.is_empty() { "no player".to_owned() } else { format!("players: {}", players.join(", ")) };
        let without = if without == 0 { String::new() } else { format!("; {without} without a player") };
        format!("{}; {players}{without}", counted(self.submissions.len() as u64, "submission"))
    }
}

fn certainty(submission: &Imported) -> Option<Certainty> {
    let recipe = submission.recognition.recipe.as_ref().filter(|_| submission.entry.state == SubmissionState::Ready);
    recipe.map(|recipe| recipe.certainty)
}

fn need(submission: &Imported) -> Attention {
    match certainty(submission) {
        None => Attention::Player,
        Some(Certainty::Guess) => Attention::Look,
        Some(_) if submission.recognition.mistake.is_some() => Attention::Look,
        Some(_) if !warnings(submission).is_empty() || submission.change == ImportChange::Edited => Attention::Look,
        Some(_) => Attention::None,
    }
}

/// The instructions for a list.
const fn about(need: Attention) -> &'static str {
    match need {
        Attention::Player => {
            "Ask for another archive, or write `dir`, `build` and `command` into class.toml by hand. The files are in bots/,\n\
             unless the archive was refused.\n\n"
        }
        Attention::Look | Attention::None => "",
    }
}

/// A submission's row in the table of all submissions.
fn row(submission: &Imported) -> String {
    let entry = &submission.entry;
    let recipe = submission.recognition.recipe.as_ref().filter(|_| entry.state == SubmissionState::Ready);
    let started = recipe.map(|recipe| {
        let build = recipe.build.as_ref().map(|build| shortened(build) + ", then ").unwrap_or_default();
        format!("{build}{}", recipe.command.join(" "))
    });
    let late = if entry.late { " (late)" } else { "" };
    let left_out = if submission.left_out.is_empty() { String::new() } else { format!(" ({})", submission.left_out) };
    let handed_in = match &entry.submitted[..] {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {}", counted(others.len() as u64, "other file")),
    };
    let why = recipe.map_or_else(|| reason(submission), |recipe| recipe.why.clone());
    let cells = [
        markdown(&entry.player),
        markdown(&(handed_in + late + &left_out)),
        started.map_or_else(|| "no player".to_owned(), |started| told(&format!("`{}`", started.replace('`', "'")))),
        certainty(submission).map_or_else(|| "-".to_owned(), |certainty| certainty.to_string()),
        told(&why),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// `text` for a line or a cell of Markdown. Text between backquotes becomes code, and the rest is escaped. In code,
/// only the character that ends a cell has a meaning; a stray backquote can only turn code into escaped text, which is
/// harmless.
fn told(text: &str) -> String {
    let pieces: Vec<&str> = text.split('`').collect();
    let is_paired = pieces.len() % 2 == 1;
    let piece = |(place, piece): (usize, &&str)| {
        let is_code = place % 2 == 1 && is_paired && !piece.is_empty();
        if is_code { format!("`{}`", sanitised(piece).replace('|', "\\|")) } else { words(piece) }
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// `text`, with every character that has a meaning in Markdown escaped. Punctuation at the end of a word is not
/// escaped, because it has a meaning only before other punctuation.
fn words(text: &str) -> String {
    let escaped = markdown(text);
    [".", ":", "(", ")", "-"].iter().fold(escaped, |text, sign| {
        let text = text.replace(&format!("\\{sign} "), &format!("{sign} "));
        text.strip_suffix(&format!("\\{sign}")).map_or(text.clone(), |kept| format!("{kept}{sign}"))
    })
}

/// The words of a build command, without most of the files that it names.
fn shortened(build: &[String]) -> String {
    const SHOWN: usize = 6;
    let dots = if build.len() > SHOWN { " ..." } else { "" };
    build.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(" ") + dots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_backquotes_is_code_and_the_rest_is_escaped() {
        for (text, expected) in [
            ("plain words", "plain words"),
            ("`a.py` is *the* program", "`a.py` is \\*the\\* program"),
            ("`a|b`, c|d", "`a\\|b`, c\\|d"),
            // A stray backquote does not begin code, and an empty pair is dropped.
            ("stray ` alone", "stray  alone"),
            ("`` empty, then `x_y`", " empty, then `x_y`"),
            ("`a` and `b", "a and b"),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }
}
