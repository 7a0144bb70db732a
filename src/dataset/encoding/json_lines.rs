//! A data set as JSON lines.

use serde_json::{Value, json};

use super::board_text;
use crate::dataset::example::{DatasetExample, own};

/// The data set, as a JSON object for each example, each on its own line.
pub fn json_lines(examples: &[DatasetExample], has_values: bool) -> Vec<u8> {
    let line = |(id, example): (usize, &DatasetExample)| object(id, example, has_values).to_string() + "\n";
    examples.iter().enumerate().map(line).collect::<String>().into_bytes()
}

fn object(id: usize, example: &DatasetExample, has_values: bool) -> Value {
    let DatasetExample { game, class, label, ply, source, count, split } = example;
    let mut object = json!({
        "id": id,
        "class": format!("{class:016x}"),
        "board": board_text(example),
        "own": own(game).as_slice(),
        "to_move": game.side().to_string(),
        "passed": game.passed(),
        "empty": game.empty_points(),
        "legal": example.legal().as_slice(),
        "winner": label.winner,
        "margin": label.margin,
        "best": label.marks().as_slice(),
        "ply": ply,
        "source": source,
        "count": count,
        "split": split.name(),
    });
    if has_values {
        object["values"] = json!(label.values(game).as_slice());
    }
    object
}
