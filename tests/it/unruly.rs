//! Players and observers who do anything in any order: what the arena promises of every game holds all the same.
//!
//! [`script`] makes what everybody does of arbitrary bytes, [`table`] has it done to the real thing under paused time, and
//! [`laws`] says what must have come of it. The fuzz target `referee` uses all three.

mod client;
mod laws;
mod script;
mod table;

use proptest::collection::vec;
use proptest::prelude::*;

use script::Script;

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..40), vec(any::<u8>(), 40..400)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_game_ends_once_for_everybody_whatever_they_do(bytes in any_bytes()) {
        let script = Script::of(&bytes);
        laws::hold(&script, &table::play(&script));
    }
}
