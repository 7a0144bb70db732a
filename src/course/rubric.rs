//! A rubric: the points that facts about a student's bot are worth, and the games that show these facts.
//!
//! Input: the text of a rubric file. Output: a [`Rubric`] whose values need no further checks.
//!
//! | room | contents |
//! | --- | --- |
//! | `baseline` | the opponents that provide evidence, by their names in the list of built-in bots |
//! | `file` | the rubric file as checked values |
//! | `flaw` | the mistakes that can occur only in a rubric file |
//! | `grade_points` | points without rounding errors |

mod baseline;
mod file;
mod flaw;
mod grade_points;

use std::time::Duration;

pub use baseline::{Baseline, InvalidBaseline};
pub use file::{RUBRIC_SCHEMA, RUBRIC_TOML, rubric_schema, rubric_tables};
pub use flaw::RubricFlaw;
pub use grade_points::GradePoints;

use crate::base::word_enum::words;
use crate::drill::script::Level;
use crate::referee::result::Termination;
use crate::referee::time_control::SideControl;
use crate::results::quoting::capitalised;

/// The rubric of a course.
///
/// Invariants: the ids of items are unique, the points of all items except those with `bonus` add up to `total`, and
/// the points of each item are a multiple of `rounding`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rubric {
    /// The title, such as `CS 441 final`. It is printable.
    pub title: String,
    /// The points that a faultless bot gets, excluding bonus items.
    pub total: GradePoints,
    /// Points are rounded to multiples of this value, which is greater than 0.
    pub rounding: GradePoints,
    /// The share of the points that a bot keeps if it plays only one side, from 0 to 1.
    pub one_side: f64,
    /// The games that are played.
    pub play: RubricPlay,
    /// The items, in the order of the file: at least one.
    pub items: Vec<RubricItem>,
}

/// The games that a rubric asks for. Each student plays each baseline in colour-swapped pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubricPlay {
    /// The number of games that each student plays against each baseline: even, 2 or more.
    pub games: u32,
    /// The maximum number of games with a baseline if more games can change a mark: even, and at least `games`.
    pub max_games: u32,
    /// Each side's time control; `None` means the clocks of the tournament file.
    pub control: Option<SideControl>,
    /// The seed of the baselines, from which each game's own seed is derived.
    pub seed: u64,
    /// The amount of search spent on the analysis of a game, expressed as the time that it takes on a slow core. If it
    /// is zero, no game is analyzed.
    pub analysis: Duration,
}

/// One item of a rubric.
#[derive(Clone, Debug, PartialEq)]
pub struct RubricItem {
    /// The item's name: letters, digits, `-` and `_`.
    pub id: String,
    /// The item's title in the rubric, which is printable; see [`RubricItem::title`].
    pub title: Option<String>,
    /// The points that the item is worth.
    pub points: GradePoints,
    /// Whether the item's points are added on top of the total.
    pub bonus: bool,
    /// The rule by which it is graded.
    pub rule: ItemRule,
}

/// The rule by which an item is graded.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemRule {
    /// The share of the drill's scenarios that the bot passed, on both sides together.
    Check {
        /// The scenarios that count: [`Level::Must`] or [`Level::Should`].
        level: Level,
        /// Whether only a bot that passes all of them gets points.
        all: bool,
    },
    /// The number of refused moves per thousand, in the drill and in the first games against each baseline.
    Legality(LegalityRule),
    /// The number of games that the bot forfeits in a way that counts, among the first games against each baseline.
    Forfeits {
        /// The scale from the number that earns all points to the number that earns none.
        scale: PointScale,
        /// The kinds of forfeits that count, in the order of [`Termination::ALL`].
        kinds: Vec<Termination>,
    },
    /// The score against a baseline.
    Score(ScoreRule),
    /// The accuracy with which the bot keeps the value of its positions.
    Accuracy(AccuracyRule),
    /// The teacher's own judgement.
    Manual,
}

/// The rule by which legal moves earn points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegalityRule {
    /// The scale of refused moves per thousand, from the number that earns all points to the number that earns none.
    pub scale: PointScale,
    /// The number of moves that a bot must have made in games to keep all of its points even if it has forfeited a
    /// game: 1 or more.
    pub min_moves: u64,
}

/// The rule by which a score against a baseline earns points.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRule {
    /// The opponent.
    pub against: Baseline,
    /// The scale from the score that earns all points to the score that earns none; scores are from 0 to 1.
    pub scale: PointScale,
    /// The confidence of the one-sided interval: at least 0.5 and below 1.
    pub confidence: f64,
    /// Who gets the benefit of the doubt.
    pub doubt: Doubt,
}

/// Who gets the benefit of the doubt that a small number of games leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The student: the upper end of the interval counts.
    Student,
    /// Nobody: the mean counts.
    Nobody,
    /// The teacher: the lower end counts.
    Teacher,
}

words! { pub Doubt; Student => "student", Nobody => "none", Teacher => "teacher" }

/// The rule by which accuracy earns points.
#[derive(Clone, Debug, PartialEq)]
pub struct AccuracyRule {
    /// The figure that counts.
    pub figure: AccuracyKind,
    /// The part of the game that counts.
    pub phase: AccuracyPhase,
    /// The scale from the accuracy that earns all points to the accuracy that earns none.
    pub scale: PointScale,
    /// The number of moves that must have been judged; with fewer, the mark is borderline.
    pub min_judged: u64,
}

/// A figure of accuracy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccuracyKind {
    /// The share of judged moves that did not change who wins.
    WinnerKept,
    /// The share of measured moves that gave away no stones.
    MarginKept,
    /// The average number of stones that a measured move gave away; fewer are better.
    AverageLoss,
}

words! { pub AccuracyKind; WinnerKept => "winner_kept", MarginKept => "margin_kept", AverageLoss => "average_loss" }

/// The part of a game whose moves count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccuracyPhase {
    /// The whole game.
    All,
    /// The opening.
    Opening,
    /// The middle game.
    Middle,
    /// The endgame.
    End,
}

impl AccuracyPhase {
    /// ` in the middle of the game`; empty for the whole game.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Opening => " in the opening",
            Self::Middle => " in the middle of the game",
            Self::End => " at the end of the game",
        }
    }
}

words! { pub AccuracyPhase; All => "all", Opening => "opening", Middle => "middle", End => "end" }

/// A linear scale from a figure that earns all points to a figure that earns none.
///
/// Invariant: the two figures are finite and differ. Either may be the larger one. A figure beyond either end counts as
/// that end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointScale {
    full: f64,
    zero: f64,
}

impl PointScale {
    /// The scale from `full` to `zero`; `None` if they are equal or not finite.
    pub fn new(full: f64, zero: f64) -> Option<Self> {
        #[expect(clippy::float_cmp, reason = "only equal ends leave nothing between them")]
        (full.is_finite() && zero.is_finite() && full != zero).then_some(Self { full, zero })
    }

    /// The figure that earns all points.
    pub const fn full(self) -> f64 {
        self.full
    }

    /// The figure that earns no points.
    pub const fn zero(self) -> f64 {
        self.zero
    }

    /// The scale whose ends are the ends of this scale times `factor`; this scale unchanged unless `factor` is positive
    /// and finite.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let scaled = Self::new(self.full * factor, self.zero * factor);
        scaled.filter(|_| factor > 0.0).unwrap_or(self)
    }

    /// The share of the points that `figure` earns, from 0 to 1.
    pub fn share(self, figure: f64) -> f64 {
        ((figure - self.zero) / (self.full - self.zero)).clamp(0.0, 1.0)
    }
}

impl Rubric {
    /// The baselines that items name, without duplicates, in the order of the file.
    pub fn baselines(&self) -> Vec<&Baseline> {
        let mut baselines: Vec<&Baseline> = Vec::new();
        for item in &self.items {
            if let ItemRule::Score(score) = &item.rule
                && !baselines.contains(&&score.against)
            {
                baselines.push(&score.against);
            }
        }
        baselines
    }

    /// The rubric for a grading run that had time for only `games` games against each baseline. The scales for
    /// forfeits shrink in proportion to the number of games.
    #[must_use]
    pub fn cut_to(mut self, games: u32) -> Self {
        if games >= self.play.games {
            return self;
        }
        let part = f64::from(games) / f64::from(self.play.games);
        self.play.games = games;
        self.play.max_games = games;
        for item in &mut self.items {
            if let ItemRule::Forfeits { scale, kinds: _ } = &mut item.rule {
                *scale = scale.times(part);
            }
        }
        self
    }

    /// The item named `id`.
    pub fn item(&self, id: &str) -> Option<&RubricItem> {
        self.items.iter().find(|item| item.id == id)
    }
}

impl RubricItem {
    /// A few words about what the item grades, for pages: the title in the rubric, or else a title made from the rule.
    pub fn title(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        match &self.rule {
            ItemRule::Check { level: Level::Must, .. } => "Checks that every bot must pass".to_owned(),
            ItemRule::Check { .. } => "Checks that a bot should pass".to_owned(),
            ItemRule::Legality(_) => "Legal moves".to_owned(),
            ItemRule::Forfeits { .. } => "Games played to the end".to_owned(),
            ItemRule::Score(score) => format!("Score against {}", score.against),
            ItemRule::Accuracy(rule) => format!("Accuracy{}", rule.phase.in_words()),
            ItemRule::Manual => capitalised(&self.id.replace(['-', '_'], " ")),
        }
    }

    /// See [`ItemRule::kind`].
    pub const fn kind(&self) -> &'static str {
        self.rule.kind()
    }
}

impl ItemRule {
    /// The kind of the item, as the rubric calls it: `check`, `legality`, `forfeits`, `score`, `accuracy` or `manual`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Check { .. } => "check",
            Self::Legality(_) => "legality",
            Self::Forfeits { .. } => "forfeits",
            Self::Score(_) => "score",
            Self::Accuracy(_) => "accuracy",
            Self::Manual => "manual",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_has_a_title_of_its_own_or_one_from_its_rule() {
        let text = RUBRIC_TOML.replacen("id = \"legal\"", "id = \"legal\"\ntitle = \"Rules of the game\"", 1);
        let rubric = Rubric::parse(&text).unwrap_or_else(|problems| panic!("{problems}"));
        let titles: Vec<String> = rubric.items.iter().map(RubricItem::title).collect();
        let expected = [
            "Checks that every bot must pass",
            "Rules of the game",
            "Games played to the end",
            "Score against greedy",
            "Score against alphabeta 2",
            "Accuracy in the middle of the game",
            "Writeup",
            "Score against alphabeta 3",
        ];
        assert_eq!(titles, expected);
    }
}
