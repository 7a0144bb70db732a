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

fuzz_target!(|data: &[u8]| {
    let (lines, state) = kind(data, 64);
    if let Some((written, finished)) = checkpoint(state, HEADER.clone(), lines.into()) {
        let again = checkpoint(written.as_bytes(), HEADER.clone(), lines.into());
        assert_eq!(again, Some((written, finished)));
        assert!(finished < usize::from(lines), "more games than the journal has lines");
    }
});
