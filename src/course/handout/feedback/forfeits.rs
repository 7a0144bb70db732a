//! Forfeited games, with the end of the bot's output.

use crate::base::sanitise::output_line;
use crate::course::grades::StudentGrade;

/// The maximum number of forfeits listed on a page.
const LISTED: usize = 5;

/// The maximum number of lines of stderr for each forfeit.
const LINES: usize = 15;

/// The maximum length of a line of stderr, in characters.
const LONGEST_LINE: usize = 300;

/// A forfeited game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForfeitNote {
    /// The game's id.
    pub(crate) game: String,
    /// `lost on time against greedy as black after 12 plies`.
    pub(crate) what: String,
    /// How many plies the game had.
    pub(crate) plies: usize,
    /// The reason in the arena's words, which may quote the bot; empty if there is none.
    pub(crate) reason: String,
    /// The last lines that the bot wrote to stderr, each printable.
    pub(crate) stderr: Vec<String>,
}

/// The first forfeits of `student`, and the number of the other forfeits. If several games ended in the same way with
/// the same last lines of output, only the first of them is included.
pub(crate) fn forfeit_notes(student: &StudentGrade) -> (Vec<ForfeitNote>, usize) {
    let mut notes: Vec<ForfeitNote> = Vec::new();
    let mut others = 0;
    for game in student.forfeits() {
        let Some(kind) = game.forfeit() else { continue };
        let note = ForfeitNote {
            game: game.id.clone(),
            what: format!("{kind} against {} as {} after {} plies", game.baseline, game.side, game.record.plies.len()),
            plies: game.record.plies.len(),
            reason: game.reason().unwrap_or_default().to_owned(),
            stderr: last_lines(game.stderr_tail.as_deref().unwrap_or_default()),
        };
        let is_told = |other: &ForfeitNote| other.reason == note.reason && other.stderr == note.stderr;
        if notes.len() < LISTED && !notes.iter().any(is_told) {
            notes.push(note);
        } else {
            others += 1;
        }
    }
    (notes, others)
}

/// The last non-empty lines of `text`, each printable.
fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    shown.iter().map(|line| output_line(&line.chars().take(LONGEST_LINE).collect::<String>())).collect()
}
