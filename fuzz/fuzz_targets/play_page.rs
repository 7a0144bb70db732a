//! Requests to the board of `play`. Nothing is told about the game, and nothing in it changes, without the token, which
//! no answer reveals.
//!
//! In place of the token, an input has `{token}`.

#![no_main]

use std::cell::RefCell;

use gothello_arena::fuzzing::FuzzedTable;
use gothello_arena_fuzz::assert_answer;
use libfuzzer_sys::fuzz_target;

/// The moves after which a new game begins.
const MOST_PLIES: usize = 24;

thread_local! {
    static TABLE: RefCell<FuzzedTable> = RefCell::new(FuzzedTable::new());
}

fuzz_target!(|data: &[u8]| TABLE.with_borrow_mut(|table| {
    let request = with_token(data, &table.token);
    let before = table.told();
    let answer = table.ask(&request);
    let status = assert_answer(&answer);
    let after = table.told();
    let has_token = request != data;
    assert!(has_token || before == after, "the game has changed without the token");
    let text = String::from_utf8_lossy(&answer);
    let (_, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    // A body that contains the token may be quoted.
    let is_in_body = || String::from_utf8_lossy(&request).split("\r\n\r\n").skip(1).any(|body| body.contains(&table.token));
    assert!(!text.contains(&table.token) || is_in_body(), "the token is revealed");
    if status == Some(200) && !body.starts_with("<!DOCTYPE html>") {
        assert!(has_token, "the game is told without the token: {body}");
    }
    let (_, plies, is_over) = after;
    assert!(plies <= before.1 + 1, "one request made several moves");
    if is_over || plies > MOST_PLIES {
        *table = FuzzedTable::new();
    }
}));

fn with_token(data: &[u8], token: &str) -> Vec<u8> {
    const PLACE: &[u8] = b"{token}";
    let mut request = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some(at) = rest.windows(PLACE.len()).position(|window| window == PLACE) {
        request.extend_from_slice(&rest[..at]);
        request.extend_from_slice(token.as_bytes());
        rest = &rest[at + PLACE.len()..];
    }
    request.extend_from_slice(rest);
    request
}
