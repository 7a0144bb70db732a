//! Whether bots are ready to play, as text for students, for test harnesses, for CI servers and for programs.
//!
//! Whatever a bot wrote passes one door before it stands in a report, `results/quoting`: no report steers a terminal, breaks out
//! of its format, or gives a CI server a command.
//!
//! | part | what it holds |
//! | --- | --- |
//! | `annotations` | workflow commands of GitHub Actions |
//! | `groups` | trials with the same outcome, told once |
//! | `json` | one JSON object |
//! | `junit` | JUnit XML, a suite for each player |
//! | `list` | all scenarios, for `--list` |
//! | `markdown` | the summary of a step of GitHub Actions |
//! | `tap` | the Test Anything Protocol, version 14 |
//! | `text` | what a student reads |
//! | `transcript_file` | the file about one trial |
//! | `wording` | sentences that several reports share |

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

use crate::base::word_enum::words;
use crate::drill::readiness::Readiness;
use crate::results::replay::Style;

/// How readiness is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadinessFormat {
    /// Text for people, in 80 columns.
    #[default]
    Text,
    /// The Test Anything Protocol, version 14: a subtest for each player.
    Tap,
    /// JUnit XML: a suite for each player.
    Junit,
    /// One JSON object, as docs/reference/schemas/check.schema.json describes it.
    Json,
}

words! { pub ReadinessFormat; Text => "text", Tap => "tap", Junit => "junit", Json => "json" }

/// `readiness` in this format, with a newline at the end. With `strict`, a warning counts as a failure. `style` is for text
/// alone.
pub fn readiness(readiness: &Readiness, format: ReadinessFormat, strict: bool, style: Style) -> String {
    match format {
        ReadinessFormat::Text => text::text(readiness, style),
        ReadinessFormat::Tap => tap::tap(readiness, strict),
        ReadinessFormat::Junit => junit::junit(readiness, strict),
        ReadinessFormat::Json => json::json(readiness),
    }
}
