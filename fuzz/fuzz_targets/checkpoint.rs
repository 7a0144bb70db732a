//! The state in a ladder's checkpoint. The checksum and the journal would hide nearly every change, so the target passes
//! the state on without them. A state that can be used is written as one that can be used and is written the same.

#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use gothello_arena::fuzzing::checkpoint;
use gothello_arena::run::journal::{FORMAT, Header, PlayerEntry};
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::definition::Definition;
use gothello_arena_fuzz::kind;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// A ladder of the players that the seeds name.
const LADDER: &str = "format = \"ladder\"\n[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n\
    [[player]]\nname = \"bob\"\nbuiltin = \"greedy\"\n";

static HEADER: LazyLock<Header> = LazyLock::new(|| {
    let ladder = Tournament::parse(LADDER, "fuzz").unwrap_or_else(|problems| panic!("{problems}"));
    let definition = Definition::from(&ladder);
    let player = |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
    Header {
        format: FORMAT,
        program: String::new(),
        digest: definition.digest(),
        definition,
        players: ["ann", "bob"].map(player).to_vec(),
        shard: None,
    }
});

/// The state `written`, with the versions that have met in order. They are a set, and are written in any order.
fn sorted(written: &str) -> Value {
    let mut state: Value = serde_json::from_str(written).expect("JSON");
    if let Some(met) = state.pointer_mut("/decisions/games/met").and_then(Value::as_array_mut) {
        met.sort_by_key(Value::to_string);
    }
    state
}

fuzz_target!(|data: &[u8]| {
    let (lines, state) = kind(data, 64);
    if let Some((written, finished)) = checkpoint(state, HEADER.clone(), lines.into()) {
        let (again, games) = checkpoint(written.as_bytes(), HEADER.clone(), lines.into()).expect("a valid state");
        assert_eq!((sorted(&again), games), (sorted(&written), finished));
        assert!(finished < usize::from(lines), "more games than the journal has lines");
    }
});
