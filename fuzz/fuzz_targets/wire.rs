//! Bytes from a client, and lines from either party. A line that is accepted is printed as text that reads back the same.

#![no_main]

use std::collections::VecDeque;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use gothello_arena::host::line::LineCutter;
use gothello_arena::referee::wire::{Action, Hello, Line, MAX_LINE, Response};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let lines = cut(&[data]);
    let (head, tail) = data.split_at(data.len() / 2);
    assert_eq!(lines, cut(&[head, tail]), "where the bytes are split makes a difference");
    for line in &lines {
        let Line::Text(text) = line else { continue };
        // Each byte of invalid UTF-8 has become a character of three bytes.
        assert!(text.len() <= 3 * MAX_LINE && !text.contains(['\r', '\n']));
        reads_back::<Hello>(text);
        reads_back::<Action>(text);
        reads_back::<Response>(text);
    }
    // These are the only responses that have more than one line.
    reads_back::<Response>(&String::from_utf8_lossy(data));
});

fn cut(pieces: &[&[u8]]) -> Vec<Line> {
    let (mut cutter, mut lines) = (LineCutter::default(), VecDeque::new());
    for piece in pieces {
        cutter.push(piece, &mut lines);
    }
    cutter.finish(&mut lines);
    lines.into()
}

/// If `text` is accepted as a `T`, checks that the value is printed as text that parses to an equal value, which is
/// printed the same.
fn reads_back<T: FromStr<Err: Display> + Display + Debug + PartialEq>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            let Ok(again) = printed.parse::<T>() else { panic!("{value:?} prints as {printed:?}, which is refused") };
            assert_eq!(again, value, "printed as {printed:?}");
            assert_eq!(again.to_string(), printed);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
