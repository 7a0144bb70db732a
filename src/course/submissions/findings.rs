//! Findings about a submission, in words.

use super::Imported;
use crate::base::units::counted;
use crate::course::roster::SubmissionState;

/// The reason why a submission has no player, or the evidence for its player.
pub fn reason(submission: &Imported) -> String {
    let recipe = submission.recognition.recipe.as_ref().filter(|_| submission.entry.state == SubmissionState::Ready);
    let found = match (recipe, &submission.refusal) {
        (Some(recipe), _) => format!("{}: {}", recipe.certainty, recipe.why),
        (None, Some(refusal)) => refusal.clone(),
        (None, None) => format!("{}{}", without_player(submission.entry.state), held(&submission.entry.files)),
    };
    let mistake = submission.recognition.mistake.iter().cloned();
    mistake.chain([found]).collect::<Vec<_>>().join("; ")
}

/// The files of a submission that contains no program, as a clause.
fn held(files: &[String]) -> String {
    const NAMED: usize = 3;
    let mut things: Vec<String> = files.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if files.len() > NAMED {
        things.push(counted((files.len() - NAMED) as u64, "other file"));
    }
    match things.split_last() {
        None => String::new(),
        Some((only, [])) => format!(": it contains {only}"),
        Some((last, others)) => format!(": it contains {} and {last}", others.join(", ")),
    }
}

/// The warnings for the teacher about a submission.
pub(super) fn warnings(submission: &Imported) -> Vec<String> {
    submission.warnings.iter().chain(&submission.recognition.warnings).cloned().collect()
}

/// The reason why a submission in this state has no player.
const fn without_player(state: SubmissionState) -> &'static str {
    match state {
        SubmissionState::Ready => "",
        SubmissionState::Unknown => "import found no way to start it",
        SubmissionState::Empty => "nothing was handed in",
        SubmissionState::Refused => "it was not unpacked",
    }
}
