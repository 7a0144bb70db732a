//! Requests to the door through which players of a ladder upload. Only a request with the player's token stores
//! anything, and it stores exactly its own body.
//!
//! In place of the token, an input has `{token}`.

#![no_main]

use std::fs;

use gothello_arena::fuzzing::hand_in;
use gothello_arena_fuzz::{MemoryDir, assert_answer, assert_message};
use libfuzzer_sys::fuzz_target;

const PLAYER: (&str, &str) = ("ada", "0123456789abcdef0123456789abcdef");

fuzz_target!(|data: &[u8]| MemoryDir::with(|memory| {
    for name in ["incoming", "uploads"] {
        fs::create_dir_all(memory.join(name)).expect("a directory");
    }
    let (answer, stored) = hand_in(data, PLAYER, &memory.join(""));
    // A client that expects it is told first that it may send the body.
    let answer = answer.strip_prefix(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap_or(&answer);
    let status = assert_answer(answer);
    assert_eq!(stored.len(), usize::from(status == Some(202)), "{status:?}");
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    // The answer to a request for its head alone has no body.
    if head.contains("application/json") && !(body.is_empty() && data.windows(5).any(|word| word == b"HEAD ")) {
        let told: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
        assert_eq!(told["ok"], status == Some(202));
        assert_message(told["message"].as_str().expect("a message"));
    }
    if let [archive] = &stored[..] {
        let has = |part: &[u8]| data.windows(part.len()).any(|window| window == part);
        assert!(has(PLAYER.1.as_bytes()) && has(b"/submit/"), "an upload was stored without the token");
        // A body in several chunks is put together.
        assert!(has(archive) || has(b"hunked"), "another archive was stored");
        assert!(archive.starts_with(b"PK") || archive.starts_with(&[0x1f, 0x8b]) || archive.get(257..262) == Some(b"ustar"));
    }
}));
