//! Engines that speak the Go Text Protocol. Whatever an engine says, and however its bytes arrive, it is sent one command
//! at a time, and the referee gets complete lines.
//!
//! The parts of an input, which are separated by NULs, come from the engine and from the referee in turns.

#![no_main]

use std::collections::VecDeque;

use gothello_arena::game::{GtpForm, Ruleset, Side};
use gothello_arena::referee::gtp::{EngineStage, Translator};
use gothello_arena::referee::thought::Thought;
use gothello_arena::referee::time_control::SideControl;
use gothello_arena::referee::wire::{Action, Line, MAX_LINE};
use gothello_arena_fuzz::{kind, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (kind, data) = kind(data, 12);
    let whole = Conversation::of(kind, data, false);
    assert_eq!(whole, Conversation::of(kind, data, true), "where the bytes are split makes a difference");
});

#[derive(Debug, PartialEq, Eq)]
struct Conversation {
    sent: Vec<u8>,
    lines: Vec<Line>,
    stage: EngineStage,
}

impl Conversation {
    /// The conversation with an engine whose bytes arrive in parts or, if `is_slow`, one by one.
    fn of(kind: u8, data: &[u8], is_slow: bool) -> Self {
        let form = |name: &str| -> GtpForm {
            let ruleset: Ruleset = name.parse().unwrap_or_else(|error| panic!("{error}"));
            ruleset.gtp_form().unwrap_or_else(|error| panic!("{error}"))
        };
        let form = form(["go-9", "othello", "go-13"][usize::from(kind % 3)]);
        let side = Side::BOTH[usize::from(kind / 3 % 2)];
        let control: Option<SideControl> = (kind >= 6).then(|| "300".parse().expect("a time control"));
        let mut translator = Translator::new(form, side, control);
        let (mut sent, mut lines) = (translator.begin(), VecDeque::new());
        let mut last = one_command(&sent, 0);
        let mut send = |bytes: Vec<u8>, was_unfit: bool| {
            for command in bytes.split_inclusive(|&byte| byte == b'\n') {
                last = one_command(command, last);
            }
            assert!(!was_unfit || bytes.is_empty() || bytes.ends_with(b" quit\n"), "an engine that cannot play goes on");
            sent.extend(bytes);
        };
        let is_unfit = |translator: &Translator| matches!(translator.stage(), EngineStage::Unfit(_));
        for (index, part) in parts(data).enumerate() {
            if index % 2 == 1 {
                let was_unfit = is_unfit(&translator);
                send(translator.tell(&String::from_utf8_lossy(part)), was_unfit);
                continue;
            }
            let length = if is_slow { 1 } else { part.len().max(1) };
            for piece in part.chunks(length) {
                let was_unfit = is_unfit(&translator);
                send(translator.hear(piece, &mut lines), was_unfit);
            }
        }
        translator.finish(&mut lines);
        lines.iter().for_each(is_whole);
        for (ply, thought) in translator.take_thoughts() {
            assert!(ply >= 1 && thought.to_string().parse::<Thought>().as_ref() == Ok(&thought), "{thought}");
        }
        Self { sent, lines: lines.into(), stage: translator.stage().clone() }
    }
}

/// Checks that `bytes` is one command with the next id, and returns that id.
fn one_command(bytes: &[u8], last: u32) -> u32 {
    let text = std::str::from_utf8(bytes).expect("text");
    let (id, command) = text.strip_suffix('\n').and_then(|line| line.split_once(' ')).expect("an id and a command");
    assert_eq!(id.parse(), Ok(last + 1), "{text}");
    assert!(!command.is_empty() && !command.contains(char::is_control), "{text:?}");
    last + 1
}

fn is_whole(line: &Line) {
    match line {
        Line::Text(text) => {
            assert!(text.len() <= MAX_LINE + 32 && !text.contains(['\r', '\n']), "{text:?}");
            let _ = text.parse::<Action>();
        }
        Line::Foreign { said, why } => assert!(!why.is_empty() && said.len() <= 3 * MAX_LINE),
        _ => {}
    }
}

