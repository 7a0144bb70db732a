//! A page of feedback as Markdown.

use std::fmt::Write as _;

use super::{FeedbackPage, ForfeitNote, LostGame, NextStep, RootCause, more_forfeits};
use crate::results::quoting::{capitalised, fenced, markdown as md, markdown_prose as prose};

/// Renders the whole `page` as Markdown.
pub(super) fn markdown(page: &FeedbackPage) -> String {
    let mut text = format!("# {}: {}\n\n{}", md(&page.title), md(&page.player), points_and_steps(page));
    if !page.lost.is_empty() {
        text += "\n## Moves that lost games\n";
        text += &page.lost.iter().map(lost_game).collect::<String>();
    }
    if !page.forfeits.is_empty() {
        let _ = write!(text, "\n## Forfeited games\n\n{}\n", md(&page.forfeits_in_all));
        text += &page.forfeits.iter().map(forfeit).collect::<String>();
        if page.more_forfeits > 0 {
            let _ = write!(text, "\n{}\n", more_forfeits(page.more_forfeits));
        }
    }
    text += "\n## The figures behind the points\n\n| item | figure | interval |\n| :--- | ---: | ---: |\n";
    for line in &page.points {
        let _ = writeln!(text, "| {} |", [&line.item, &line.figure, &line.interval].map(|cell| md(cell)).join(" | "));
    }
    if !page.used.is_empty() {
        let _ = write!(text, "\n## Time and memory\n\n{}\n", md(&page.used.join(" ")));
    }
    text
}

/// The points and the next steps, without the player's name and without any text from the bot.
pub(super) fn summary(page: &FeedbackPage) -> String {
    format!("# {}\n\n{}", md(&page.title), points_and_steps(page))
}

fn points_and_steps(page: &FeedbackPage) -> String {
    let mut text = format!("{}\n\n", md(&page.total));
    if let Some(class) = &page.class {
        let _ = writeln!(text, "{}\n", md(&class.text));
    }
    if let Some(RootCause { step, .. }) = &page.root {
        let _ = writeln!(text, "**{}**{}\n\n{}\n", prose(&step.title), aside(step), prose(&step.text));
        if !step.output.is_empty() {
            text += &fenced(&step.output.join("\n"));
            text.push('\n');
        }
    }
    text += "| item | points | of | why |\n| :--- | ---: | ---: | :--- |\n";
    for line in &page.points {
        let cells = [&line.title, &line.points, &line.worth, &line.why];
        let _ = writeln!(text, "| {} |", cells.map(|cell| prose(cell)).join(" | "));
    }
    if !page.doubts.is_empty() {
        let _ = writeln!(text, "\n{}", md(&page.doubts));
    }
    if !page.next.is_empty() {
        text += if page.root.is_some() { "\n## What to do after that\n\n" } else { "\n## What to do next\n\n" };
        for (number, step) in (1..).zip(&page.next) {
            let _ = writeln!(text, "{number}. **{}**{}: {}", prose(&step.title), aside(step), prose(&step.text));
            if !step.output.is_empty() {
                // The indentation makes the block part of the step.
                let block = fenced(&step.output.join("\n"));
                for line in block.lines() {
                    let _ = writeln!(text, "   {line}");
                }
            }
        }
    }
    text
}

/// ` (D04, up to 20 points)`; empty if there is neither.
fn aside(step: &NextStep) -> String {
    let aside = step.aside();
    if aside.is_empty() { aside } else { format!(" ({})", md(&aside)) }
}

fn lost_game(game: &LostGame) -> String {
    let command = format!("gothello-arena replay --ply {} {}", game.ply, game.file);
    format!(
        "\n### {} ({})\n\n{}\n\n{}\n{}.\n\nThe log of the game, to be saved as `{}`; then `{command}` shows the move:\n\n{}",
        prose(&capitalised(&game.heading)),
        md(&game.game),
        prose(&game.what),
        fenced(&game.decisive.text()),
        md(&game.decisive.legend()),
        game.file,
        fenced(&game.log)
    )
}

fn forfeit(note: &ForfeitNote) -> String {
    let mut text =
        format!("\n### {} ({})\n\n{}\n", prose(&capitalised(&note.what)), md(&note.game), prose(&note.reason));
    if !note.stderr.is_empty() {
        let _ = write!(text, "\nThe last lines that your bot wrote to stderr:\n\n{}", fenced(&note.stderr.join("\n")));
    }
    text
}
