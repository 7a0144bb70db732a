//! The work that remains for a grading run, and its expected duration, as text.

use std::fmt::Write as _;
use std::time::Duration;

use super::analyses::most_analyses;
use super::outlook::{StudentOutlook, outlook};
use super::{ClassPlan, GradingError};
use crate::base::sanitise::sanitised;
use crate::base::units::{counted, spaced};

/// The work that remains for `class`.
///
/// # Errors
/// Fails if evidence cannot be read.
pub(crate) fn forecast(class: &ClassPlan) -> Result<String, GradingError> {
    let outlook = outlook(class)?;
    let mut text = String::new();
    let width = outlook.students.iter().map(|student| student.player.chars().count()).max().unwrap_or(0);
    for student in &outlook.students {
        let drill = match student.drill {
            Some(Duration::ZERO) => "check is done".to_owned(),
            Some(time) => format!("check takes about {}", rounded(time)),
            None => "check not measured yet".to_owned(),
        };
        let games = match (student.games, student.a_game) {
            (0, _) => "no games to play".to_owned(),
            (games, None) => format!("{}, none measured yet", counted(games, "game")),
            (games, Some(a_game)) => {
                let whose = if student.is_of_others { " (estimated from other bots)" } else { "" };
                format!("{} of about {} each{whose}", counted(games, "game"), rounded(a_game))
            }
        };
        let _ = writeln!(text, "{:width$}  {drill}; {games}{}", sanitised(&student.player), more(student));
    }
    let times: Option<Vec<Duration>> =
        outlook.students.iter().map(|student| student.time(outlook.concurrency)).collect();
    let games: u32 = outlook.students.iter().map(|student| student.games).sum();
    let all = match times {
        Some(times) => format!("about {}", rounded(times.iter().sum())),
        None => "not measured yet; grade one student with --only NAME, then repeat this forecast".to_owned(),
    };
    let at_a_time = outlook.concurrency;
    let _ = writeln!(
        text,
        "all: {} to play, {at_a_time} at a time; time for checks and games: {all}",
        counted(games, "game")
    );
    let (budget, analyses) = (class.rubric.play.analysis, most_analyses(class));
    if analyses > 0 {
        let most = budget.saturating_mul(analyses);
        let _ = writeln!(
            text,
            "analyses: at most {} for {} (`analysis` allows {} for each); existing analyses are reused",
            rounded(most),
            counted(analyses, "game"),
            spaced(budget)
        );
    }
    Ok(text)
}

/// The text about further games of `student` that may follow; empty if there are none.
fn more(student: &StudentOutlook) -> String {
    match student.more_games {
        0 => String::new(),
        more => format!(", and up to {more} more if they can change a mark"),
    }
}

/// `time` as text without unnecessary digits: in seconds if it is long, and in milliseconds if it is short.
fn rounded(time: Duration) -> String {
    if time < Duration::from_secs(10) {
        return spaced(Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)));
    }
    spaced(Duration::from_secs(time.as_secs()))
}
