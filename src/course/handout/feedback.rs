//! One page of feedback for a student: the root cause of the bot's faults, the points with their evidence, what to do
//! next, the mistakes that decided games, and the games that the bot forfeited.
//!
//! A page contains only its own student's data. The opponents are the baselines of the rubric, which are bots of this
//! program. Text written by a bot is quoted as the output format requires.
//!
//! | room | contents |
//! | --- | --- |
//! | `advice` | the root cause, and what to do next |
//! | `forfeits` | forfeited games, with the end of the bot's output |
//! | `html` | the page as HTML |
//! | `lost_games` | the moves that decided lost games, on boards |
//! | `markdown` | the page as Markdown |

mod advice;
mod forfeits;
mod html;
mod lost_games;
mod markdown;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::time::Duration;

use crate::base::units::bytes;
use crate::course::grades::{ClassStatistics, FEWEST, Gradebook, PointSpread, StudentGrade};
use crate::course::handout::game_links::GameLinks;
use crate::course::handout::number_text::short;
use crate::course::handout::{mark_text, points_bar};
use crate::course::rubric::{Rubric, RubricItem};

pub(crate) use advice::{NextStep, RootCause};
pub(crate) use forfeits::{ForfeitNote, forfeit_notes};
pub(in crate::course::handout) use html::STYLE;
pub(crate) use lost_games::LostGame;

/// The contents of a student's page, independent of the output format. Any text in it may be hostile.
#[derive(Clone, Debug)]
pub struct FeedbackPage {
    /// The title of the rubric.
    pub(crate) title: String,
    /// The player.
    pub(crate) player: String,
    /// `85.5 of 100 points`, and the open points.
    pub(crate) total: String,
    /// The fault that everything else follows from, if there is one.
    pub(crate) root: Option<RootCause>,
    /// The student's share of the total points, from 0 to 1.
    pub(crate) share: f64,
    /// The class's points, if the class is so large that they reveal nothing about any other student.
    pub(crate) class: Option<ClassNote>,
    /// The note about uncertain points, which a page contains only once; empty if all points are certain.
    pub(crate) doubts: String,
    /// One line for each item.
    pub(crate) points: Vec<PointsLine>,
    /// At most three things to do, in addition to fixing the root cause.
    pub(crate) next: Vec<NextStep>,
    /// At most three games that were lost by a single move.
    pub(crate) lost: Vec<LostGame>,
    /// The number of games that the bot forfeited, in a sentence; empty if there are none.
    pub(crate) forfeits_in_all: String,
    /// The first forfeits.
    pub(crate) forfeits: Vec<ForfeitNote>,
    /// The number of forfeits that are not listed.
    pub(crate) more_forfeits: usize,
    /// The resources that the bot used, in sentences.
    pub(crate) used: Vec<String>,
}

/// The points of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PointsLine {
    /// The item's name in the rubric.
    pub(crate) item: String,
    /// The item's title.
    pub(crate) title: String,
    /// The points, with a question mark if they are doubtful.
    pub(crate) points: String,
    pub(crate) worth: String,
    /// The student's points and the median of the class, each as a share of the item's points, from 0 to 1.
    pub(crate) share: Option<f64>,
    pub(crate) median: Option<f64>,
    pub(crate) figure: String,
    pub(crate) interval: String,
    /// The evidence for the mark in a sentence.
    pub(crate) why: String,
}

/// The totals of a class, without anything that identifies a student.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClassNote {
    /// The totals in a sentence.
    pub(crate) text: String,
    /// The median as a share of the total points, from 0 to 1.
    pub(crate) median: f64,
}

impl ClassNote {
    /// The note about a class with these totals; `None` if fewer than [`FEWEST`] totals are known.
    fn of(rubric: &Rubric, total: PointSpread) -> Option<Self> {
        let [low, median, high] = total.quartiles.map(short);
        let text = format!(
            "Class of {}: the median is {median} points, and half of the totals are between {low} and {high}.",
            total.count
        );
        let median = points_bar::share(total.median(), rubric.total.number());
        (total.count >= FEWEST).then_some(Self { text, median })
    }
}

impl FeedbackPage {
    /// The page of `student`, who is in `book`.
    pub fn of(book: &Gradebook, student: &StudentGrade) -> Self {
        let rubric = &book.rubric;
        let (forfeits, more_forfeits) = forfeit_notes(student);
        let advice = advice::advice(rubric, student);
        let statistics = (book.students.len() >= FEWEST).then(|| ClassStatistics::of(book));
        Self {
            title: rubric.title.clone(),
            player: student.player.clone(),
            total: total(rubric, student),
            root: advice.root,
            share: points_bar::share(student.total().number(), rubric.total.number()),
            doubts: mark_text::doubts(book, student),
            points: points_lines(book, student, statistics.as_ref()),
            class: statistics.and_then(|statistics| ClassNote::of(rubric, statistics.total?)),
            next: advice.steps,
            lost: lost_games::lost_games(student),
            forfeits_in_all: forfeits_in_all(student),
            forfeits,
            more_forfeits,
            used: used(student),
        }
    }

    /// Renders the page as one HTML file, which loads nothing and has no script.
    pub fn html(&self) -> String {
        html::html(self, &GameLinks::default())
    }

    /// Like [`FeedbackPage::html`], for a page beside the reports that `links` lead to.
    pub(crate) fn html_with(&self, links: &GameLinks) -> String {
        html::html(self, links)
    }

    /// Renders the page as Markdown.
    pub fn markdown(&self) -> String {
        markdown::markdown(self)
    }

    /// Renders the points and what to do next as Markdown, without the player's name and without anything that the bot
    /// wrote.
    pub(crate) fn summary(&self) -> String {
        markdown::summary(self)
    }
}

/// The number of games that `student` forfeited, in a sentence; empty if there are none.
fn forfeits_in_all(student: &StudentGrade) -> String {
    match student.forfeits().count() {
        0 => String::new(),
        _ => format!("Your bot forfeited {} games.", student.forfeits_text()),
    }
}

/// The number of forfeits that are not listed, in a sentence.
fn more_forfeits(more: usize) -> String {
    match more {
        1 => "One more game was forfeited.".to_owned(),
        more => format!("{more} more games were forfeited, for the same or other reasons."),
    }
}

/// `85.5 of 100 points`, and the open points.
pub(crate) fn total(rubric: &Rubric, student: &StudentGrade) -> String {
    let mut text = student.points_text(rubric);
    if !student.is_incomplete() {
        text += " points";
    }
    let bonus = student.bonus(rubric);
    if bonus.number() > 0.0 {
        let _ = write!(text, ", including a bonus of {bonus}");
    }
    if student.is_incomplete() {
        text += "; open items lack evidence, through no fault of your own";
    }
    text
}

fn points_lines(book: &Gradebook, student: &StudentGrade, class: Option<&ClassStatistics>) -> Vec<PointsLine> {
    let median = |at: usize| class?.items[at].filter(|spread| spread.count >= FEWEST).map(|spread| spread.median());
    let share = |item: &RubricItem, points: f64| points_bar::share(points, item.points.number());
    let lines = book.rubric.items.iter().zip(&student.marks).enumerate().map(|(at, (item, mark))| PointsLine {
        share: mark.points.map(|points| share(item, points.number())),
        median: median(at).map(|median| share(item, median)),
        item: item.id.clone(),
        title: item.title(),
        points: format!("{}{}", mark_text::points(mark), if book.is_doubtful(mark) { "?" } else { "" }),
        worth: mark_text::worth(item),
        figure: mark_text::figure(mark),
        interval: mark_text::interval(mark),
        why: mark.sentence.clone(),
    });
    lines.collect()
}

/// The resources that the bot used, in sentences.
fn used(student: &StudentGrade) -> Vec<String> {
    let time = |time: Duration| match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", 1e3 * seconds),
        seconds => format!("{seconds:.1} s"),
    };
    let moves = student.mean_move().zip(student.slowest_move()).map(|(mean, slowest)| {
        format!("Your bot took {} per move on average, and {} for its slowest move.", time(mean), time(slowest))
    });
    let memory = student.peak_memory().map(|peak| format!("It used at most {} of memory in a game.", bytes(peak)));
    moves.into_iter().chain(memory).collect()
}
