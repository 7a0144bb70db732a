//! The standings that a command prints when it ends: a summary on a terminal, and the plain table elsewhere.

use std::path::Path;

use super::colour::style_for;
use super::{pager, print};
use crate::base::console;
use crate::base::sanitise::{quoted, sanitised};
use crate::results::report::{Extras, ReportFormat, render_field, summary};
use crate::results::standings::FieldStandings;

/// The maximum width of a summary. Longer lines are harder to read.
const WIDEST: usize = 80;

/// Where the games behind the standings are. The place determines what a user can do with the games.
#[derive(Clone, Copy, Debug)]
pub(super) enum GamesPlace<'p> {
    /// The directory of a run.
    Run(&'p Path),
    /// The directory of a run that is introduced by other messages.
    IntroducedRun(&'p Path),
    /// A file.
    File,
}

/// Prints `standings` in `format` with `extras`. Without a format, prints a summary on a terminal unless the extras ask
/// for explanations, and the plain table otherwise.
pub(super) fn print_standings(
    standings: &FieldStandings,
    format: Option<ReportFormat>,
    extras: Extras,
    place: GamesPlace<'_>,
) -> anyhow::Result<()> {
    let width = console::data_columns().filter(|_| format.is_none() && !extras.explains());
    if let Some(width) = width {
        let style = style_for(&console::stream());
        return print(summary(standings, extras, width.min(WIDEST), style) + &next_steps(place));
    }
    let format = format.unwrap_or_default();
    let text = render_field(standings, format, extras);
    if format == ReportFormat::Table { pager::show(&text) } else { print(text) }
}

/// Where the results are, and what to do next.
fn next_steps(place: GamesPlace<'_>) -> String {
    let path = match place {
        GamesPlace::Run(dir) | GamesPlace::IntroducedRun(dir) => dir,
        GamesPlace::File => return String::new(),
    };
    let dir = quoted(&path.to_string_lossy());
    let results = format!("\nResults: {}\n", console::path_as(&sanitised(&dir), path));
    let steps = match place {
        GamesPlace::Run(_) => {
            [("report", " --open", "all games on one page"), ("standings", " --explain", "all tables")]
        }
        _ => return results,
    };
    let commands = steps.map(|(command, options, what)| (format!("gothello-arena {command} {dir}{options}"), what));
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
    let lines = commands.map(|(command, what)| sanitised(&format!("  {command:width$}  # {what}")) + "\n");
    format!("{results}Next:\n{}", lines.concat())
}
