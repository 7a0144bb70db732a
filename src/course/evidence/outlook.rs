//! The work that remains for a grading run, and its expected duration, based on measurements so far.

use std::time::Duration;

use super::pairing::StudentPairing;
use super::{ClassPlan, GradingError, tried_bots};
use crate::course::grades::{GradedGame, KeptDrill};
use crate::drill::script::Scenario;
use crate::game::Side;
use crate::run::campaign::games_at_a_time;

/// The work that remains for a class.
#[derive(Clone, Debug)]
pub(super) struct ClassOutlook {
    /// The outlook for each student.
    pub(super) students: Vec<StudentOutlook>,
    /// The number of games that are played at a time.
    pub(super) concurrency: usize,
}

/// The work that remains for one student.
#[derive(Clone, Debug)]
pub(super) struct StudentOutlook {
    /// The player.
    pub(super) player: String,
    /// The expected duration of the drill: zero if it is kept, and `None` if no drill has been measured.
    pub(super) drill: Option<Duration>,
    /// The number of games that certainly remain to be played.
    pub(super) games: u32,
    /// The maximum number of further games that may follow if they can change a mark.
    pub(super) more_games: u32,
    /// The mean time of this bot's games, or of other bots' games if none of its own was measured; `None` if no game
    /// was measured.
    pub(super) a_game: Option<Duration>,
    /// Whether that time comes from other bots' games.
    pub(super) is_of_others: bool,
}

/// Works out what remains to be done for `class`, without playing anything.
///
/// # Errors
/// Fails if evidence cannot be read.
pub(super) fn outlook(class: &ClassPlan) -> Result<ClassOutlook, GradingError> {
    let drills: Vec<Option<KeptDrill>> =
        class.students.iter().map(|student| tried_bots::kept(class, student)).collect();
    let measured: Vec<Duration> = drills
        .iter()
        .flatten()
        .map(|drill| Duration::from_millis(drill.took_ms))
        .filter(|took| !took.is_zero())
        .collect();
    let of_a_drill = mean(&measured);
    let play = &class.rubric.play;
    let mut students = Vec::with_capacity(class.students.len());
    for (student, drill) in class.students.iter().zip(drills) {
        let (mut games, mut more_games, mut times) = (0, 0, Vec::new());
        for &baseline in &class.baselines {
            let Some(bot) = &drill else {
                games += play.games;
                more_games += play.max_games - play.games;
                continue;
            };
            let pairing = StudentPairing { class, student, baseline, bot };
            let run = pairing.find()?;
            let wanted = pairing.wanted(&run);
            let finished = u32::try_from(run.finished_of(wanted)).unwrap_or(wanted);
            games += wanted - finished;
            // Only the results of these games show whether more are wanted.
            more_games += if finished == wanted { 0 } else { play.max_games - wanted.min(play.max_games) };
            times.extend(run.games.iter().filter(|game| game.result().is_some()).map(time_of));
        }
        let a_game = mean(&times).or_else(|| drill.as_ref().and_then(of_legal_20));
        let drill = if drill.is_some() { Some(Duration::ZERO) } else { of_a_drill };
        let player = student.name.to_string();
        students.push(StudentOutlook { player, drill, games, more_games, a_game, is_of_others: false });
    }
    let known: Vec<Duration> = students.iter().filter_map(|student| student.a_game).collect();
    for student in students.iter_mut().filter(|student| student.a_game.is_none()) {
        (student.a_game, student.is_of_others) = (mean(&known), true);
    }
    let concurrency = games_at_a_time(&class.tournament, class.concurrency).get();
    Ok(ClassOutlook { students, concurrency })
}

/// The duration of `game`: measured from the start of the programs if that is known, and otherwise as the sum of both
/// sides' times for their moves.
fn time_of(game: &GradedGame) -> Duration {
    let walls = Side::BOTH.into_iter().filter_map(|side| Some(game.record.usage[side]?.wall));
    walls.max().unwrap_or_else(|| Side::BOTH.into_iter().map(|side| game.record.used(side)).sum())
}

/// The mean time of the drill's games in the scenario `legal-20`.
fn of_legal_20(drill: &KeptDrill) -> Option<Duration> {
    let trials = drill.trials.iter().filter(|trial| trial.id == Scenario::LEGAL_20);
    let (games, took) = trials.fold((0, 0), |(games, took), trial| (games + trial.games, took + trial.games_ms));
    took.checked_div(games).map(Duration::from_millis)
}

fn mean(times: &[Duration]) -> Option<Duration> {
    let count = u32::try_from(times.len()).ok().filter(|&count| count > 0)?;
    Some(times.iter().sum::<Duration>() / count)
}

impl StudentOutlook {
    /// The expected duration of the drill and the games with `concurrency` games at a time; `None` if too little has
    /// been measured.
    pub(super) fn time(&self, concurrency: usize) -> Option<Duration> {
        let at_a_time = u32::try_from(concurrency.max(1)).unwrap_or(u32::MAX);
        let games = if self.games == 0 { Duration::ZERO } else { self.a_game? * self.games / at_a_time };
        Some(self.drill? + games)
    }
}
