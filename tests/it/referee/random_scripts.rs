//! Players and observers that do anything in any order: the arena still keeps its guarantees for every game.
//!
//! [`script`] turns arbitrary bytes into the actions of all participants, [`table`] plays them with the real code under
//! paused time, and [`laws`] checks the conditions that must hold afterwards. The fuzz target `referee` uses all three.

mod client;
mod laws;
mod script;
mod table;

use std::collections::BTreeSet;
use std::time::Duration;

use gothello_arena::base::random::SplitMix64;
use proptest::collection::vec;
use proptest::prelude::*;

use script::Script;

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..40), vec(any::<u8>(), 40..400)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_game_ends_exactly_once_for_everybody(bytes in any_bytes()) {
        let script = Script::of(&bytes);
        laws::hold(&script, &table::play(&script));
    }
}

/// The same scripts every time.
fn scripts() -> impl Iterator<Item = Script> {
    (0..300).map(|seed| {
        let mut random = SplitMix64::new(seed);
        let length = random.below(400);
        let bytes: Vec<u8> = (0..length).map(|_| random.next_u64().to_be_bytes()[0]).collect();
        Script::of(&bytes)
    })
}

#[test]
fn random_scripts_reach_every_ending_that_players_can_cause() {
    let endings: BTreeSet<String> = scripts()
        .map(|script| match table::play(&script).record.map(|record| record.result) {
            Some(Ok(result)) => result.termination().to_string(),
            Some(Err(_)) => "void".to_owned(),
            None => "stopped".to_owned(),
        })
        .collect();
    let all = ["adjudicated", "disconnect", "illegal", "normal", "protocol", "resignation", "stopped", "time", "void"];
    assert_eq!(endings, all.map(str::to_owned).into());
}

/// The data that each participant received, and how long the game took.
fn played(script: &Script) -> (Vec<Vec<u8>>, Duration) {
    let account = table::play(script);
    (account.heard.into_iter().map(|heard| heard.bytes).collect(), account.took)
}

#[test]
fn the_same_script_gives_the_same_game() {
    for script in scripts().take(100) {
        assert_eq!(played(&script), played(&script), "{script:?}");
    }
}
