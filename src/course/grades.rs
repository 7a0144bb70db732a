//! Grades: the marks of each student's bot for each item of a rubric, with the facts behind them.
//!
//! Input: a [`Rubric`] and the evidence, which consists of kept drills, games and analyses. Output: a [`Gradebook`],
//! from which all files for the course are written. The same evidence always results in the same gradebook.
//!
//! | room | contents |
//! | --- | --- |
//! | `audit`, `grades_csv`, `marks_text` | the grades as JSON, as CSV, and as text for a terminal |
//! | `class_statistics` | mean, quartiles and histogram of a class |
//! | `finished_trials` | the trials of an unfinished drill |
//! | `kept_drill` | the drill of a bot, as it is kept in a file |
//! | `mark` | the mark of one student for one item |
//! | `marking` | the marks of one student, based on the evidence |
//! | `score_sample` | a score estimated from pairs of games, and the number of games to play |

mod audit;
mod class_statistics;
mod finished_trials;
mod grades_csv;
mod kept_drill;
mod mark;
mod marking;
mod marks_text;
mod score_sample;

use std::path::PathBuf;
use std::time::Duration;

pub use audit::audit_json;
pub use class_statistics::{BARS, ClassStatistics, FEWEST, PointSpread};
pub use finished_trials::{DrillBeginning, FinishedTrial};
pub use grades_csv::grades_csv;
pub use kept_drill::{DrillTerms, KeptCause, KeptDrill, KeptTrial, TriedBot};
pub use mark::{FigureUnit, ItemMark, MarkEvidence, MarkFigure, MarkState};
pub use marking::{StudentEvidence, grade, pairs_of};
pub use marks_text::{class_text, student_text};
pub use score_sample::{BLOCK, ScoreSample, games_wanted};

use crate::course::rubric::{GradePoints, Rubric};
use crate::game::{Ruleset, Side};
use crate::referee::record::GameRecord;
use crate::referee::result::{GameResult, Termination};
use crate::results::analysis::{Accuracy, Analysis};

/// The grades of a class.
#[derive(Clone, Debug)]
pub struct Gradebook {
    /// The rubric: the title, the total, the rounding, and the items. Each student's marks are in the order of the
    /// items.
    pub rubric: Rubric,
    /// The rules of the games.
    pub ruleset: Ruleset,
    /// The students, in the order of the tournament file.
    pub students: Vec<StudentGrade>,
    /// The players in the tournament file that are not graded, each with a reason.
    pub ungraded: Vec<UngradedPlayer>,
}

/// A player that is not graded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UngradedPlayer {
    /// The player's name, already validated.
    pub player: String,
    /// The reason why it is not graded.
    pub why: String,
}

/// The grade of one student, with everything that the feedback reports.
#[derive(Clone, Debug)]
pub struct StudentGrade {
    /// The name of the player in the tournament file, already validated.
    pub player: String,
    /// The player's slug: lower-case letters, digits and `_`. It is part of the names of the student's files.
    pub slug: String,
    /// The mark for each item of the rubric, in the rubric's order.
    pub marks: Vec<ItemMark>,
    /// The drill; `None` if it was not played, because no item asks for it or because grading was interrupted.
    pub drill: Option<KeptDrill>,
    /// All games against the baselines: ordered by baseline as in the rubric, and for each baseline as in the schedule.
    pub games: Vec<GradedGame>,
}

/// One game of a student against a baseline.
#[derive(Clone, Debug)]
pub struct GradedGame {
    /// The game's id in the audit, unique in the gradebook: `heron/greedy/r1-heron-greedy`.
    pub id: String,
    /// The name of the baseline among the built-in bots, such as `alphabeta 2`.
    pub baseline: String,
    /// The student's side.
    pub side: Side,
    /// Whether this is one of the games that every student plays, as opposed to a game added to settle a mark.
    pub is_first: bool,
    /// The record: moves, times, result with its reason, resource usage. Reasons and refused lines are hostile text. A
    /// void game has no result.
    pub record: GameRecord,
    /// The id of the earlier game that this game repeats move for move, if there is one.
    pub repeats: Option<String>,
    /// The values of the moves; `None` if the game was not analyzed. Some values may be unknown.
    pub analysis: Option<Analysis>,
    /// The path of the game's log, relative to the directory of the grades.
    pub log: PathBuf,
    /// The end of the stderr output of the student's bot, if the student forfeited the game and there was any output:
    /// at most [`GradedGame::STDERR_TAIL`] bytes of hostile text.
    pub stderr_tail: Option<String>,
}

impl Gradebook {
    /// Whether so few games are played against each opponent that there is no benefit of the doubt and every score
    /// remains borderline. Pages say so once, instead of at each mark.
    pub fn has_too_few_games(&self) -> bool {
        let play = &self.rubric.play;
        !self.rubric.baselines().is_empty() && (play.max_games as usize) < 2 * score_sample::FEW_PAIRS
    }

    /// Whether a page marks `mark` with a question mark: a few more games might change the mark, and the rubric
    /// requires enough games to make this exceptional.
    pub fn is_doubtful(&self, mark: &ItemMark) -> bool {
        mark.state == MarkState::Borderline && !self.has_too_few_games()
    }

    /// Whether a mark lacks evidence for a reason that is not a student's fault.
    pub fn is_incomplete(&self) -> bool {
        self.students.iter().any(StudentGrade::is_incomplete)
    }

    /// A copy of the gradebook in which `id` is the only item. The other items may lack evidence.
    #[must_use]
    pub fn with_item_alone(&self, id: &str) -> Self {
        let mut alone = self.clone();
        let is_it: Vec<bool> = self.rubric.items.iter().map(|item| item.id == id).collect();
        let mut kept = is_it.iter();
        alone.rubric.items.retain(|_| kept.next() == Some(&true));
        for item in &mut alone.rubric.items {
            item.bonus = false;
        }
        alone.rubric.total = alone.rubric.items.iter().map(|item| item.points).sum();
        for student in &mut alone.students {
            let mut kept = is_it.iter();
            student.marks.retain(|_| kept.next() == Some(&true));
        }
        alone
    }
}

impl StudentGrade {
    /// The points for all items, including bonus items, so the sum can exceed the rubric's total. Marks that are
    /// incomplete or given by the teacher contribute nothing.
    pub fn total(&self) -> GradePoints {
        self.marks.iter().filter_map(|mark| mark.points).sum()
    }

    /// The part of [`StudentGrade::total`] that comes from bonus items of `rubric`.
    pub fn bonus(&self, rubric: &Rubric) -> GradePoints {
        let bonus = rubric.items.iter().zip(&self.marks).filter(|(item, _)| item.bonus);
        bonus.filter_map(|(_, mark)| mark.points).sum()
    }

    /// The total as text: `85.5 of 100`, or `20 of 20 so far, 20 open` while marks are incomplete. Neither the open
    /// points nor the possible points include bonus items.
    pub fn points_text(&self, rubric: &Rubric) -> String {
        let open = self.open(rubric);
        if self.is_incomplete() {
            format!("{} of {} so far, {open} open", self.total(), rubric.total - open)
        } else {
            format!("{} of {}", self.total(), rubric.total)
        }
    }

    /// The points that the incomplete marks can still add, excluding bonus items.
    pub fn open(&self, rubric: &Rubric) -> GradePoints {
        let incomplete = rubric.items.iter().zip(&self.marks).filter(|(_, mark)| mark.state == MarkState::Incomplete);
        incomplete.filter(|(item, _)| !item.bonus).map(|(item, _)| item.points).sum()
    }

    /// Whether more games could change one of the marks.
    pub fn is_borderline(&self) -> bool {
        self.marks.iter().any(|mark| mark.state == MarkState::Borderline)
    }

    /// Whether a mark lacks evidence for a reason that is not the student's fault.
    pub fn is_incomplete(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark.state, MarkState::Incomplete))
    }

    /// The trials of the drill that the bot did not pass: MUST before SHOULD, and otherwise in the order of the
    /// scenarios. Empty without a drill.
    pub fn failed_trials(&self) -> Vec<&KeptTrial> {
        let trials = self.drill.iter().flat_map(|drill| &drill.trials);
        let mut failed: Vec<&KeptTrial> = trials.filter(|trial| trial.has_trouble()).collect();
        failed.sort_by_key(|trial| trial.level);
        failed
    }

    /// The games that the student forfeited.
    pub fn forfeits(&self) -> impl Iterator<Item = &GradedGame> {
        forfeited(&self.games)
    }

    /// The number of games that the student forfeited, as text for all pages: `13 of 25`.
    pub fn forfeits_text(&self) -> String {
        let games = self.games.iter().filter(|game| game.result().is_some()).count();
        format!("{} of {games}", self.forfeits().count())
    }

    /// The games that the student lost on the board or by resignation, as opposed to by forfeit.
    pub fn losses(&self) -> impl Iterator<Item = &GradedGame> {
        self.games.iter().filter(|game| game.forfeit().is_none() && game.winner() == Some(game.side.opponent()))
    }

    /// The student's accuracy in all analyzed games. Games that repeat another game are not counted again.
    pub fn accuracy(&self) -> Accuracy {
        let distinct = self.games.iter().filter(|game| game.repeats.is_none());
        let analyses = distinct.filter_map(|game| Some(Accuracy::of(game.analysis.as_ref()?, game.side)));
        analyses.fold(Accuracy::default(), Accuracy::plus)
    }

    /// The longest time that the bot took for a move; `None` if no time is known.
    pub fn slowest_move(&self) -> Option<Duration> {
        self.own_times().max()
    }

    /// The mean time that the bot took for a move; `None` if no time is known.
    pub fn mean_move(&self) -> Option<Duration> {
        let count = u32::try_from(self.own_times().count()).ok().filter(|&count| count > 0)?;
        Some(self.own_times().fold(Duration::ZERO, Duration::saturating_add) / count)
    }

    /// The peak memory of the bot's processes in any game, in bytes; `None` if it is not known.
    pub fn peak_memory(&self) -> Option<u64> {
        self.games.iter().filter_map(|game| Some(game.record.usage[game.side]?.peak_memory)).max()
    }

    /// The times of all of the bot's own moves.
    fn own_times(&self) -> impl Iterator<Item = Duration> {
        let plies = self.games.iter().flat_map(|game| game.record.plies.iter().map(move |ply| (game.side, ply)));
        plies.filter(|(side, ply)| ply.side() == *side).filter_map(|(_, ply)| ply.elapsed)
    }
}

/// The games in `games` that the student forfeited.
fn forfeited(games: &[GradedGame]) -> impl Iterator<Item = &GradedGame> {
    games.iter().filter(|game| game.forfeit().is_some())
}

impl GradedGame {
    /// The maximum number of bytes of stderr that are kept for a forfeit.
    pub const STDERR_TAIL: u64 = 4096;

    /// The round, from 1: each round consists of one game with each colour.
    pub fn round(&self) -> Option<usize> {
        self.record.round.and_then(|round| usize::try_from(round).ok()).filter(|&round| round > 0)
    }

    /// The result; `None` if the game is void.
    pub fn result(&self) -> Option<&GameResult> {
        self.record.result.as_ref().ok()
    }

    /// The winner; `None` for a draw, a double forfeit or a void game.
    pub fn winner(&self) -> Option<Side> {
        self.result().and_then(GameResult::winner)
    }

    /// How the student forfeited the game; `None` if the student did not forfeit it.
    pub fn forfeit(&self) -> Option<Termination> {
        let result = self.result()?;
        (result.termination().is_forfeit() && result.fault().is_on(self.side)).then(|| result.termination())
    }

    /// The reason for the result, in the arena's words, which may quote the bot: hostile text.
    pub fn reason(&self) -> Option<&str> {
        self.result().and_then(GameResult::reason)
    }
}
