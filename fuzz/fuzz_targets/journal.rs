//! Journals. A line that is accepted is written as one that reads back the same, and damage is detected. Each intact line,
//! whatever its contents, either becomes part of the state of a run or is refused.

#![no_main]

use gothello_arena::run::journal::{BadLine, JournalEntry, Ledger, Seal, read_line, write_line};
use gothello_arena_fuzz::summed;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Read the data as it is, which is usually damaged.
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        if let Ok(entry) = read_line(&mut line.to_vec(), &Seal::default()) {
            reads_back(&entry);
        }
    }
    // Then read each line as if it were the contents of a line without its checksum; otherwise, nothing would ever get
    // past the checksum.
    let mut ledger = None;
    for content in data.split(|&byte| byte == b'\n') {
        let content = content.strip_suffix(b"}").unwrap_or(content);
        match read_line(&mut summed(content), &Seal::default()) {
            Ok(entry) => {
                reads_back(&entry);
                take(&mut ledger, entry);
            }
            Err(error) => assert!(matches!(error, BadLine::Unknown(_) | BadLine::Development(_)), "{error}"),
        }
    }
    if let Some(ledger) = ledger {
        assert!(ledger.finished() <= ledger.ids().count());
        for id in ledger.ids() {
            let kept = ledger.game(id).expect("one of its ids");
            assert!(ledger.knows(id, kept.text));
        }
        let (_, _) = (ledger.state(), ledger.results());
    }
});

fn reads_back(entry: &JournalEntry) {
    let line = write_line(entry, &Seal::default());
    assert_eq!(line.matches('\n').count(), 1, "{line}");
    let again = read_line(&mut line.clone().into_bytes(), &Seal::default());
    assert_eq!(again.as_ref(), Ok(entry), "written as {line}");
    assert_eq!(again.map(|again| write_line(&again, &Seal::default())).as_ref(), Ok(&line));
    let mut damaged = line.into_bytes();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(read_line(&mut damaged, &Seal::default()).is_err(), "a changed bit was not noticed");
}

/// Adds an entry to the ledger. The first entry must be a header, and the others must fit it.
fn take(ledger: &mut Option<Ledger>, entry: JournalEntry) {
    match (ledger.as_mut(), entry) {
        (None, JournalEntry::Header(header)) => *ledger = Ledger::new(header).ok(),
        (None, _) => {}
        (Some(ledger), entry) => {
            if let Err(error) = ledger.take(entry) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
