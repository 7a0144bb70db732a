//! Reports on whether bots are ready to play, as text for students, and for test harnesses, CI servers and programs.
//!
//! Everything that a bot wrote passes through `results/quoting` before it gets into a report, so no report can control
//! a terminal, break out of its format, or give a CI server a command.
//!
//! | room | contents |
//! | --- | --- |
//! | `annotations` | workflow commands of GitHub Actions |
//! | `groups` | trials with the same outcome, reported once |
//! | `json` | one JSON object |
//! | `junit` | JUnit XML, one suite per player |
//! | `list` | all scenarios, for `--list` |
//! | `markdown` | the summary of a step of GitHub Actions |
//! | `tap` | the Test Anything Protocol, version 14 |
//! | `text` | the report that a student reads |
//! | `transcript_file` | the file about one trial |
//! | `wording` | sentences shared by several reports |

mod annotations;
mod groups;
mod json;
mod junit;
mod list;
mod markdown;
mod tap;
mod text;
mod transcript_file;
mod wording;

#[cfg(test)]
mod tests;

pub use annotations::annotations;
pub use list::list;
pub use markdown::step_summary;
pub use transcript_file::trial_file;
pub use wording::verdict;

use crate::base::word_enum::words;
use crate::drill::readiness::Readiness;
use crate::results::replay::Style;

/// The format of a readiness report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadinessFormat {
    /// Text for users, in 80 columns.
    #[default]
    Text,
    /// The Test Anything Protocol, version 14: one subtest per player.
    Tap,
    /// JUnit XML: one suite per player.
    Junit,
    /// One JSON object, as described by docs/reference/schemas/check.schema.json.
    Json,
}

words! { pub ReadinessFormat; Text => "text", Tap => "tap", Junit => "junit", Json => "json" }

/// Renders `readiness` in the given `format`, with a newline at the end. With `strict`, a warning counts as a failure.
/// `style` applies only to text.
pub fn readiness(readiness: &Readiness, format: ReadinessFormat, strict: bool, style: Style) -> String {
    match format {
        ReadinessFormat::Text => text::text(readiness, style),
        ReadinessFormat::Tap => tap::tap(readiness, strict),
        ReadinessFormat::Junit => junit::junit(readiness, strict),
        ReadinessFormat::Json => json::json(readiness),
    }
}
