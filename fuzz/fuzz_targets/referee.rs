//! A whole game in which players and observers do arbitrary things. The driver and the laws are those of
//! tests/it/referee/random_scripts.rs, and libFuzzer chooses the actions.

#![no_main]

#[path = "../../tests/it/referee/random_scripts/client.rs"]
mod client;
#[path = "../../tests/it/referee/random_scripts/laws.rs"]
mod laws;
#[path = "../../tests/it/referee/random_scripts/script.rs"]
mod script;
#[path = "../../tests/it/referee/random_scripts/table.rs"]
mod table;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let script = script::Script::of(data);
    laws::hold(&script, &table::play(&script));
});
