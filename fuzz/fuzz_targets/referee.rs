//! A whole game in which players and observers do anything. The driver and the laws are those of tests/it/unruly.rs,
//! and libFuzzer looks for what to do.

#![no_main]

#[path = "../../tests/it/unruly/client.rs"]
mod client;
#[path = "../../tests/it/unruly/laws.rs"]
mod laws;
#[path = "../../tests/it/unruly/script.rs"]
mod script;
#[path = "../../tests/it/unruly/table.rs"]
mod table;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let script = script::Script::of(data);
    laws::hold(&script, &table::play(&script));
});
