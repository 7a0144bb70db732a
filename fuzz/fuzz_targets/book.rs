//! Opening books. An accepted book is printed as text that parses to an equal book, and its moves are legal. An error
//! about a refused book names an existing line.

#![no_main]

use gothello_arena::exact::book::Book;
use gothello_arena::game::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Book>() {
        Ok(book) => {
            let printed = book.to_string();
            assert_eq!(printed.parse::<Book>().as_ref(), Ok(&book), "printed as {printed}");
            for (class, entry) in book.entries() {
                let game = class.game();
                for game in [game, game.pass().pass(), game.pass()] {
                    let value = book.value(&game);
                    if let Some(reply) = book.reply(&game) {
                        assert!(game.legal_moves().contains(&reply), "{reply} in {game}");
                        assert!(value.is_some(), "{game}");
                    }
                }
                assert_eq!(book.outcome(&game), Some(entry.outcome), "{game}");
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.line <= text.lines().count(), "{error}");
        }
    }
});
