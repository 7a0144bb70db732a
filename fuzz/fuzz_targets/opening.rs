//! The stored first drops of Seegover, and options of all rule sets. An opening that is accepted is written as text that
//! reads back the same, and its turns are legal however the board is turned.

#![no_main]

use gothello_arena::exact::seegover::Opening;
use gothello_arena::game::{Ruleset, Side};
use gothello_arena::game::seegover::{DropRule, Game, MoveRules};
use gothello_arena_fuzz::{assert_message, kind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (kind, data) = kind(data, 8);
    let text = String::from_utf8_lossy(data);
    let drop = if kind % 2 == 0 { DropRule::One } else { DropRule::Two };
    let rules = MoveRules::ALL[usize::from(kind / 2)].with(drop);
    match Opening::parse(rules, &text) {
        Ok(opening) => {
            let written = opening.to_string();
            let again = Opening::parse(rules, &written);
            assert_eq!(again.as_ref(), Ok(&opening), "{written}");
            assert_eq!(again.map(|again| again.to_string()).as_ref(), Ok(&written));
            for (board, turn) in opening.turns() {
                let game = Game::from_board(rules, board, Side::Black).expect("a board of the drop phase");
                assert_eq!(opening.turn(&game), Some(turn));
                assert!(game.plays().contains(&turn) && opening.is_won(&game));
                assert!(opening.is_won(&game.after(turn)), "black has followed the opening");
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count(), "{error}");
            assert_message(&error.to_string());
        }
    }
    match text.parse::<Ruleset>() {
        Ok(ruleset) => assert_eq!(ruleset.to_string().parse::<Ruleset>().as_ref(), Ok(&ruleset), "{ruleset}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
