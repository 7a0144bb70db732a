//! Puzzles as JSON. Puzzles that are accepted are written as text that reads back the same, and each has a legal answer.

#![no_main]

use gothello_arena::game::Position as _;
use gothello_arena::practice::puzzles::{puzzles_json, puzzles_of, puzzles_text, sheet};
use gothello_arena::results::replay::Style;
use gothello_arena_fuzz::{assert_message, assert_printable};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match puzzles_of(text) {
        Ok(puzzles) => {
            let written = puzzles_json(&puzzles);
            assert_eq!(puzzles_of(&written).as_ref(), Ok(&puzzles), "{written}");
            for puzzle in &puzzles {
                assert!(puzzle.game.legal_moves().contains(&puzzle.answer));
                assert!(puzzle.game.board().breathless().is_none());
            }
            let shown = puzzles_text(&puzzles, Style::PLAIN);
            assert_printable(&shown);
            assert_eq!(shown.matches("Answers\n").count(), 1);
            let _ = sheet("puzzles", &puzzles);
        }
        Err(error) => assert_message(&error.to_string()),
    }
});
