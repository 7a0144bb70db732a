//! Messages between coordinators and workers. A message that is accepted is written as one that reads back the same, and
//! its games have the seats and players of the tournament.

#![no_main]

use gothello_arena::fuzzing::nats_message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| nats_message(data));
