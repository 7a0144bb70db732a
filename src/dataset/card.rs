//! The page that describes a data set.

use std::fmt::Write as _;

use super::baseline::SimplePrediction;
use super::example::{DatasetExample, SplitName};
use crate::base::sanitise::sanitised;
use crate::base::units::grouped;

/// The facts on a card that do not follow from the examples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFacts {
    /// The name of the data set's file.
    pub file: String,
    /// The command that created the data set.
    pub command: String,
    /// Whether any positions come from the user's games, rather than from games of the program's own bots.
    pub has_logs: bool,
}

/// The card as Markdown.
pub fn card(facts: &CardFacts, examples: &[DatasetExample]) -> String {
    let CardFacts { file, command, has_logs } = facts;
    let (file, command) = (sanitised(file), sanitised(command));
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(
        "# {file}\n\n{} positions of Gothello, each with its value under best play by both sides.\n\nMade by \
         gothello-arena {version}:\n\n    {command}\n\n",
        grouped(examples.len() as u64)
    );
    counts(&mut text, examples);
    baselines(&mut text, examples);
    text += "\n## Splits\n\nThe split of a position depends only on its class: positions that become equal when the board is \
             turned or mirrored, or when both sides exchange their colours, have the same class. No class is in two \
             splits.\n\n## Licence\n\n";
    text += if *has_logs {
        "Some positions come from games played by other people's programs. The file contains positions and values, but \
         no names unless they were requested. Ask the authors of the programs before publishing it.\n"
    } else {
        "All games were played by the program itself. The file is dedicated to the public domain under CC0-1.0.\n"
    };
    text
}

/// Appends the numbers of positions, by split and winner, and by the number of empty points.
fn counts(text: &mut String, examples: &[DatasetExample]) {
    let count = |holds: &dyn Fn(&DatasetExample) -> bool| {
        grouped(examples.iter().filter(|example| holds(example)).count() as u64)
    };
    *text += "| split | positions | the side to move wins | draws | loses |\n| --- | ---: | ---: | ---: | ---: |\n";
    for split in SplitName::ALL {
        let of = |winner: i8| count(&|example| example.split == split && example.label.winner == winner);
        let all = count(&|example| example.split == split);
        let _ = writeln!(text, "| {split} | {all} | {} | {} | {} |", of(1), of(0), of(-1));
    }
    *text += "\n| empty points | positions |\n| ---: | ---: |\n";
    for empty in 0..=25 {
        let found = count(&|example| example.game.empty_points() == empty);
        if found != "0" {
            let _ = writeln!(text, "| {empty} | {found} |");
        }
    }
}

/// Appends the accuracy of simple predictions on the test examples.
fn baselines(text: &mut String, examples: &[DatasetExample]) {
    *text += "\n| prediction, on the split `test` | mean error in stones | right winner |\n| --- | ---: | ---: |\n";
    for (baseline, name) in SimplePrediction::ALL {
        let errors = baseline.errors(examples);
        let mean = errors.mean().map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"));
        let _ = writeln!(text, "| {name} | {mean} | {:.1}% |", 100.0 * errors.accuracy());
    }
}
