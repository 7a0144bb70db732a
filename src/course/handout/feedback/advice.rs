//! What a student should do.
//!
//! | room | contents |
//! | --- | --- |
//! | `blame` | which cause explains which failures in games |
//! | `root_cause` | the one fault that everything else follows from |

mod blame;
mod root_cause;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use blame::{explains_forfeit, explains_refusals};
use root_cause::at;

pub(crate) use root_cause::RootCause;

use crate::base::units::{counted, spaced};
use crate::course::grades::{GradedGame, ItemMark, KeptCause, KeptTrial, StudentGrade};
use crate::course::rubric::{GradePoints, ItemRule, Rubric, RubricItem};
use crate::drill::readiness::{Cause, TrialStatus};
use crate::drill::script::Scenario;
use crate::referee::record::{Tries, TryKind};
use crate::referee::result::Termination;
use crate::referee::time_control::SideControl;
use crate::results::analysis::{Accuracy, Phase};
use crate::results::quoting::capitalised;

/// The maximum number of steps on a page.
const MOST: usize = 3;

/// The minimum number of judged moves in a phase for it to count as the worst phase.
const FEW_MOVES: u64 = 10;

/// The causes that lose games on the board even if no check fails because of them.
const BOARD_CAUSES: [Cause; 4] = [Cause::NoCaptures, Cause::SuicideOrder, Cause::FlippedBoard, Cause::PassBack];

/// A recommended step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextStep {
    /// The task in a few words.
    pub(crate) title: String,
    /// The observation, and the advice.
    pub(crate) text: String,
    /// The code of the cause that the drill found, such as `D04`; empty if there is none.
    pub(crate) code: String,
    /// The points that the step may gain.
    pub(super) gain: GradePoints,
    /// A program's output about the problem, line by line; safe in every output format.
    pub(crate) output: Vec<String>,
}

impl NextStep {
    /// `up to 20 points`; empty if no points were lost.
    pub(crate) fn gain(&self) -> String {
        if self.gain == GradePoints::ZERO { String::new() } else { format!("up to {} points", self.gain) }
    }

    /// The text in parentheses after the title: the code and the points, such as `D04, up to 20 points`; empty if there
    /// is neither.
    pub(crate) fn aside(&self) -> String {
        let parts = [self.code.clone(), self.gain()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// What a student should do.
pub(super) struct Advice {
    /// The fault that everything else follows from, if there is one.
    pub(super) root: Option<RootCause>,
    /// At most three further steps: faults, starting with the most costly, then the worst phase of the game, and
    /// finally the faults that cost no points. Among equally costly faults, those diagnosed by the drill come first,
    /// then illegal moves, programs that end during games, losses on time, and failed scenarios without a diagnosis. If
    /// a cause also explains every game of one of these kinds, the cost of that kind is added to the cause, and the
    /// kind is not reported separately. If the bot never gets as far as a game, there are no further steps.
    pub(super) steps: Vec<NextStep>,
}

/// The advice for `student`.
pub(super) fn advice(rubric: &Rubric, student: &StudentGrade) -> Advice {
    let graded = Graded { rubric, student };
    let root = graded.root_cause();
    if root.as_ref().is_some_and(|root| root.is_total) {
        return Advice { root, steps: Vec::new() };
    }
    let mut steps = graded.diagnosed();
    steps.retain(|step| root.as_ref().is_none_or(|root| step.code != root.step.code));
    steps.extend(graded.illegal());
    steps.extend(graded.ended());
    steps.extend(graded.on_time());
    steps.extend(graded.undiagnosed());
    steps.sort_by_key(|step| Reverse(step.gain));
    steps.extend(graded.worst_phase());
    steps.sort_by_key(|step| step.gain == GradePoints::ZERO);
    steps.truncate(MOST);
    Advice { root, steps }
}

/// A cause, with the numbers of trials in which it led to a failure or to a warning.
pub(super) struct DiagnosedCause<'g> {
    pub(super) cause: &'g KeptCause,
    pub(super) failed: u64,
    pub(super) warned: u64,
}

/// A student's grade by a rubric.
pub(super) struct Graded<'g> {
    pub(super) rubric: &'g Rubric,
    pub(super) student: &'g StudentGrade,
}

impl Graded<'_> {
    /// The points lost in the items selected by `concerns`.
    pub(super) fn gain(&self, concerns: impl Fn(&ItemRule) -> bool) -> GradePoints {
        let missing = |(item, mark): (&RubricItem, &ItemMark)| {
            mark.points.filter(|_| concerns(&item.rule)).map(|points| item.points - points)
        };
        self.rubric.items.iter().zip(&self.student.marks).filter_map(missing).sum()
    }

    /// The points lost in items about checks because of the trials selected by `explains`: in proportion to their share
    /// of all trials that were not passed, or all lost points if only a bot that passes all trials gets points. A trial
    /// that was skipped on a side is attributed to the first scenarios on that side.
    fn gain_of_checks(&self, explains: impl Fn(&KeptTrial) -> bool) -> GradePoints {
        let trials = || self.student.drill.iter().flat_map(|drill| &drill.trials);
        let is_first = |trial: &KeptTrial| [Scenario::HELLO, Scenario::PLAIN].contains(&trial.id.as_str());
        let is_explained = |trial: &KeptTrial| match trial.status {
            TrialStatus::Skip => trials().any(|first| first.side == trial.side && is_first(first) && explains(first)),
            _ => explains(trial),
        };
        let missing = |(item, mark): (&RubricItem, &ItemMark)| {
            let ItemRule::Check { level, all } = item.rule else { return None };
            let missing = item.points - mark.points?;
            let open = || trials().filter(|trial| trial.level == level && !trial.is_passed());
            let (explained, open) = (open().filter(|trial| is_explained(trial)).count(), open().count());
            match explained {
                0 => None,
                _ if all => Some(missing),
                _ => Some(missing.part(share(explained, open), self.rubric.rounding)),
            }
        };
        self.rubric.items.iter().zip(&self.student.marks).filter_map(missing).sum()
    }

    /// The causes that the drill found: causes of failures before causes of warnings, and the most frequent causes
    /// first. Exceptions in different places are different causes.
    pub(super) fn causes(&self) -> Vec<DiagnosedCause<'_>> {
        let key = |cause: &KeptCause| {
            let is_exception = cause.code == Cause::OwnException.name();
            (cause.code.clone(), cause.file.clone().filter(|_| is_exception), cause.line.filter(|_| is_exception))
        };
        let mut causes: BTreeMap<_, DiagnosedCause<'_>> = BTreeMap::new();
        for trial in self.student.failed_trials() {
            for cause in &trial.diagnoses {
                let found = causes.entry(key(cause)).or_insert(DiagnosedCause { cause, failed: 0, warned: 0 });
                *(if trial.has_failed() { &mut found.failed } else { &mut found.warned }) += 1;
            }
        }
        let mut causes: Vec<DiagnosedCause<'_>> = causes.into_values().collect();
        causes.sort_by_key(|found| Reverse((found.failed, found.warned)));
        causes
    }

    /// One step for each cause that the drill found.
    fn diagnosed(&self) -> Vec<NextStep> {
        let step = |found: &DiagnosedCause<'_>| {
            let KeptCause { code, title, text, fix, .. } = found.cause;
            let trials = match (found.failed, found.warned) {
                (0, warned) => format!("It caused {}, but no check failed because of it.", counted(warned, "warning")),
                (failed, _) => format!("It caused {} to fail.", counted(failed, "check")),
            };
            let forfeited = if found.failed > 0 { self.forfeits_by(found.cause) } else { Vec::new() };
            let games = match forfeited.len() as u64 {
                0 => String::new(),
                1 => " 1 game was forfeited because of it, too.".to_owned(),
                games => format!(" {games} games were forfeited because of it, too."),
            };
            NextStep {
                title: format!("{}{}", capitalised(title), at(found.cause)),
                code: code.clone(),
                text: format!("{text} {fix} {trials}{games}"),
                gain: self.gain_of_cause(found),
                output: Vec::new(),
            }
        };
        self.causes().iter().map(step).collect()
    }

    /// The points that were lost because of `found`.
    pub(super) fn gain_of_cause(&self, found: &DiagnosedCause<'_>) -> GradePoints {
        let code = &found.cause.code;
        if found.failed == 0 {
            let is_of_board = BOARD_CAUSES.iter().any(|cause| cause.name() == code);
            return self.gain(|rule| is_of_board && matches!(rule, ItemRule::Score(_)));
        }
        let forfeited = self.forfeits_by(found.cause);
        let of_checks = self.gain_of_checks(|trial| trial.diagnoses.iter().any(|own| own.code == *code));
        let is_of_moves = |rule: &ItemRule| explains_refusals(code) && is_about_legal_moves(rule);
        let is_of_games = |rule: &ItemRule| self.is_about_all(rule, &forfeited);
        [of_checks, self.gain(|rule| is_of_moves(rule) || is_of_games(rule))].into_iter().sum()
    }

    /// A step about refused moves, which quotes the first of them; `None` if the drill found the reason for the
    /// refusals.
    fn illegal(&self) -> Option<NextStep> {
        let failed = self.student.failed_trials();
        if failed.iter().flat_map(|trial| &trial.diagnoses).any(|cause| explains_refusals(&cause.code)) {
            return None;
        }
        let mut refused = self.student.games.iter().flat_map(refused_moves);
        let (game, ply, text) = refused.next()?;
        let moves = 1 + refused.count();
        Some(NextStep {
            title: "Play legal moves only".to_owned(),
            code: String::new(),
            text: format!(
                "{} refused, first `{text}` at ply {ply} of {game}. Compare your board with the arena's after every capture: \
                 `gothello-arena replay --ply {} LOG` shows the position before the move.",
                if moves == 1 { "1 move was".to_owned() } else { format!("{moves} moves were") },
                ply - 1
            ),
            gain: self.gain(is_about_legal_moves),
            output: Vec::new(),
        })
    }

    /// The games that the student forfeited because of `cause`, the cause of a failed check.
    fn forfeits_by(&self, cause: &KeptCause) -> Vec<&GradedGame> {
        self.student.forfeits().filter(|game| explains_forfeit(cause, game)).collect()
    }

    /// Whether a single cause of failed checks explains all of `games`, in which case the cause's step covers them.
    fn are_explained(&self, games: &[&GradedGame]) -> bool {
        let failed = self.student.failed_trials();
        let mut causes = failed.iter().filter(|trial| trial.has_failed()).flat_map(|trial| &trial.diagnoses);
        causes.any(|cause| games.iter().all(|game| explains_forfeit(cause, game)))
    }

    /// Whether all points lost for an item with this rule were lost in the `forfeited` games.
    fn is_about_all(&self, rule: &ItemRule, forfeited: &[&GradedGame]) -> bool {
        let is_forfeited = |game: &GradedGame| forfeited.iter().any(|other| other.id == game.id);
        let concerns = |game: &&GradedGame| match rule {
            ItemRule::Forfeits { kinds, .. } => game.forfeit().is_some_and(|kind| kinds.contains(&kind)),
            ItemRule::Score(score) => game.winner() != Some(game.side) && game.baseline == score.against.to_string(),
            _ => false,
        };
        let mut games = self.student.games.iter().filter(concerns).peekable();
        games.peek().is_some() && games.all(is_forfeited)
    }

    /// A step about games that ended because the program exited, unless a single cause explains all of them.
    fn ended(&self) -> Option<NextStep> {
        let is_time = |kind: Termination| matches!(kind, Termination::Time | Termination::Illegal);
        let is_ended = |game: &&GradedGame| game.forfeit().is_some_and(|kind| !is_time(kind));
        let games: Vec<&GradedGame> = self.student.forfeits().filter(is_ended).collect();
        if self.are_explained(&games) {
            return None;
        }
        let kinds: Vec<Termination> = games.into_iter().filter_map(GradedGame::forfeit).collect();
        let first = kinds.first()?;
        Some(NextStep {
            title: "Keep your program running to the end of every game".to_owned(),
            code: String::new(),
            text: format!(
                "{} forfeited for a reason other than an illegal or late move, the first by `{first}`. The last lines that your bot \
                 wrote to stderr are shown below.",
                if kinds.len() == 1 { "1 game was".to_owned() } else { format!("{} games were", kinds.len()) },
            ),
            gain: self.gain(|rule| {
                matches!(rule, ItemRule::Forfeits { kinds: counted, .. } if kinds.iter().any(|kind| counted.contains(kind)))
            }),
            output: Vec::new(),
        })
    }

    /// A step about games lost on time, unless a single cause explains all of them.
    fn on_time(&self) -> Option<NextStep> {
        let is_late = |game: &&GradedGame| game.forfeit() == Some(Termination::Time);
        let games: Vec<&GradedGame> = self.student.forfeits().filter(is_late).collect();
        let lost = games.len();
        if self.are_explained(&games) {
            return None;
        }
        let slowest =
            self.student.slowest_move().map(|time| format!(" Your slowest move took {:.1} s.", time.as_secs_f64()));
        // All games of a grading run have the same clocks, although the clocks of the two sides may differ.
        let control = games.first().and_then(|game| game.record.clocks()?.of(game.side));
        (lost > 0).then(|| NextStep {
            title: "Watch the clock".to_owned(),
            code: String::new(),
            text: format!(
                "{} lost on time.{} {}",
                if lost == 1 { "1 game was".to_owned() } else { format!("{lost} games were") },
                slowest.unwrap_or_default(),
                pacing(control)
            ),
            gain: self
                .gain(|rule| matches!(rule, ItemRule::Forfeits { kinds, .. } if kinds.contains(&Termination::Time))),
            output: Vec::new(),
        })
    }

    /// A step about scenarios that failed for a reason that the drill did not identify.
    pub(super) fn undiagnosed(&self) -> Option<NextStep> {
        let is_open = |trial: &&KeptTrial| trial.has_failed() && trial.diagnoses.is_empty();
        let mut failed = self.student.failed_trials().into_iter().filter(is_open);
        let KeptTrial { id, side, summary, .. } = failed.next()?;
        let checks = 1 + failed.map(|_| 1).sum::<u64>();
        Some(NextStep {
            title: "Pass more checks".to_owned(),
            code: String::new(),
            text: format!(
                "{} failed, the first {id} as {side}: {summary} `gothello-arena check --only {id} --command ...` repeats \
                 the check on your own machine, and shows all lines that were sent and received.",
                counted(checks, "check")
            ),
            gain: self.gain_of_checks(|trial| is_open(&trial)),
            output: Vec::new(),
        })
    }

    /// A step about the phase in which the largest share of moves changed the winner.
    fn worst_phase(&self) -> Option<NextStep> {
        let accuracy: Accuracy = self.student.accuracy();
        let judged = Phase::ALL.into_iter().map(|phase| (phase, accuracy.phase(phase)));
        let blundered = judged.filter(|(_, tally)| tally.judged >= FEW_MOVES && tally.blunders > 0);
        let (phase, tally) = blundered.min_by(|(_, one), (_, other)| {
            one.winner_kept().unwrap_or(1.0).total_cmp(&other.winner_kept().unwrap_or(1.0))
        })?;
        let what = match phase {
            Phase::Opening => {
                "Look at what your evaluation counts: liberties and available moves are more telling than the number of stones."
            }
            Phase::Middle => {
                "Search a ply deeper here: alpha-beta with good move ordering and iterative deepening helps most."
            }
            Phase::End => "Search to the end of the game here: so few moves are left that the search can be exact.",
        };
        Some(NextStep {
            title: format!("Work on the {phase} of the game"),
            code: String::new(),
            text: format!(
                "{} of {} judged moves there changed who wins with best play. {what}",
                tally.blunders, tally.judged
            ),
            gain: self.gain(|rule| matches!(rule, ItemRule::Score(_) | ItemRule::Accuracy(_))),
            output: Vec::new(),
        })
    }
}

/// How to stay within the time limit of `control`.
fn pacing(control: Option<SideControl>) -> String {
    match control {
        None | Some(SideControl::Game { increment: Duration::ZERO, .. }) => {
            "Give each move a share of the time that is left, and stop the search when that share is used up.".to_owned()
        }
        Some(SideControl::Game { .. }) => {
            "Give each move a share of the time that is left, which includes the increments of earlier moves, and stop the \
             search when that share is used up."
                .to_owned()
        }
        Some(SideControl::ByoYomi { period, .. }) => format!(
            "When the main time is used up, a move that takes longer than {} costs a period, and the last one loses the \
             game: stop each search well within a period.",
            spaced(period)
        ),
        Some(SideControl::PerMove { move_time, bank: Duration::ZERO }) => format!(
            "A single move that takes longer than {} loses the game: stop each search well before that, whatever it has \
             found.",
            spaced(move_time)
        ),
        Some(SideControl::PerMove { move_time, bank }) => format!(
            "The time that a move takes beyond {} comes from a bank of {}, which is never refilled: stop nearly every \
             search before that, and keep track of how much of the bank is left.",
            spaced(move_time),
            spaced(bank)
        ),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few dozen scenarios")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Whether refused moves cost points in an item with this rule.
fn is_about_legal_moves(rule: &ItemRule) -> bool {
    match rule {
        ItemRule::Legality(_) => true,
        ItemRule::Forfeits { kinds, .. } => kinds.contains(&Termination::Illegal),
        _ => false,
    }
}

/// The student's refused moves in `game`: the game's id, the ply from 1, and the line, sanitised for a log.
fn refused_moves(game: &GradedGame) -> impl Iterator<Item = (&str, usize, &str)> {
    let turns = game.record.plies.iter().map(|ply| (ply.side(), &ply.tries));
    let unfinished = game.record.unfinished.iter().map(|turn| (turn.side(), &turn.tries));
    let own = (1..).zip(turns.chain(unfinished)).filter(|(_, (side, _))| *side == game.side);
    own.flat_map(move |(ply, (_, tries)): (usize, (_, &Tries))| {
        let illegal = tries.shown.iter().filter(|refused| refused.kind == TryKind::Illegal);
        illegal.map(move |refused| (game.id.as_str(), ply, refused.text()))
    })
}
