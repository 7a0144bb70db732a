use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::exact::seegover::{Census, Worth};

/// A header of a table of `rules`, without an actual table.
fn header_under(rules: MoveRules) -> SeegoverTableHeader {
    let counts = [(Worth::Drawn, (25 << 24) - 5), (Worth::Lost(0), 2), (Worth::Won(1), 2), (Worth::Won(0), 1)];
    let census = Census::of_counts(counts).expect("a census");
    SeegoverTableHeader::new(rules, "0123456789abcdef".repeat(4), census).expect("a header")
}

fn header() -> SeegoverTableHeader {
    header_under(MoveRules::DEFAULT)
}

/// Creates a file that begins with `beginning` and has the given length. The rest is a sparse run of zeros.
fn file(dir: &TempDir, beginning: &[u8], length: u64) -> PathBuf {
    let path = dir.path().join("table");
    fs::write(&path, beginning).expect("written");
    OpenOptions::new().write(true).open(&path).expect("opened").set_len(length).expect("resized");
    path
}

#[test]
fn a_header_reads_back_from_its_file() {
    let dir = tempfile::tempdir().expect("a directory");
    for rules in MoveRules::ALL {
        let file = file(&dir, &header_under(rules).padded(), LENGTH);
        for wanted in [None, Some(rules)] {
            assert_eq!(look(&file, wanted).expect("a header"), header_under(rules));
        }
        assert_eq!(read(&file, Some(rules)).expect("a table").1.rules(), rules);
    }
}

#[test]
fn the_table_of_other_rules_is_refused_by_their_names_and_never_replaced() {
    let dir = tempfile::tempdir().expect("a directory");
    for found in MoveRules::ALL {
        let file = file(&dir, &header_under(found).padded(), LENGTH);
        for wanted in MoveRules::ALL.into_iter().filter(|wanted| *wanted != found) {
            let refused = read(&file, Some(wanted)).expect_err("other rules");
            assert!(matches!(look(&file, Some(wanted)), Err(Unusable::OtherRules { .. })) && !refused.is_replaceable());
            assert_eq!(
                refused.to_string(),
                format!("it is the table for `{}`, not for `{}`", ruleset(found), ruleset(wanted))
            );
        }
    }
}

#[test]
fn each_of_the_rules_has_a_file_and_a_command_of_its_own() {
    assert_eq!(
        MoveRules::ALL.map(file_name),
        [
            "seegover.table",
            "seegover-back-capture.table",
            "seegover-capture-single.table",
            "seegover-capture-single-back-capture.table"
        ]
    );
    let [default, .., magazine] = MoveRules::ALL.map(build_command);
    assert_eq!(default, "gothello-arena tablebase build seegover");
    assert_eq!(magazine, "gothello-arena tablebase build \"seegover capture=single back=capture\"");
}

#[test]
fn what_is_not_a_table_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let refusal = |path: &Path| look(path, None).expect_err("refused").to_string();
    assert_eq!(refusal(&dir.path().join("missing")), "there is no table");
    assert_eq!(refusal(dir.path()), "it is not a regular file");
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    assert_eq!(refusal(&pipe), "it is not a regular file");
    for (beginning, length, message) in [
        (&b"[Black \"a\"]\n"[..], LENGTH, "it is not a Seegover table"),
        (b"", 0, "it is not a Seegover table"),
        (
            b"gothello-arena table of seegover, format 2\n",
            LENGTH,
            "it uses a different version of the table format (`2`)",
        ),
        (
            b"gothello-arena table of seegover, format \x1b[2J\n",
            LENGTH,
            "it uses a different version of the table format (`\\u{1b}[2J`)",
        ),
        (b"gothello-arena table of seegover, format 1\n\n", LENGTH, "its header is damaged"),
        (
            &header().padded(),
            LENGTH - 1,
            "it is 100667391 bytes long instead of 100667392; it may have been truncated when it was copied",
        ),
        (&header().padded()[..1000], 1000, "its header is damaged"),
    ] {
        assert_eq!(refusal(&file(&dir, beginning, length)), message);
    }
}

#[test]
fn a_header_is_refused_if_a_worth_cannot_be_stored_or_if_a_count_is_written_in_another_way() {
    let header = header().to_string();
    let refused = |from: &str, to: &str| {
        let mut bytes = header.replace(from, to).into_bytes();
        assert_ne!(bytes, header.as_bytes(), "{from}");
        bytes.resize(HEADER, b'\n');
        matches!(SeegoverTableHeader::parse(&bytes), Err(Unusable::Header))
    };
    assert!(refused("won 1 2", "won 255 2") && refused("lost 0 2", "lost 254 2"));
    for (from, to) in [
        ("won 1 2", "won 1 +2"),
        ("won 1 2", "won 01 2"),
        ("won 1 2", "won 1 2\nwon 3 0"),
        ("lost 0 2\nwon 1 2", "won 1 2\nlost 0 2"),
    ] {
        assert!(refused(from, to), "{to}");
    }
}

proptest! {
    /// Tests that a wrong byte in a header is detected, unless it is a digit.
    #[test]
    fn a_damaged_header_is_refused(at in 0..header().to_string().len(), byte in any::<u8>()) {
        let mut bytes = header().padded();
        prop_assume!(!bytes[at].is_ascii_hexdigit() && bytes[at] != byte);
        prop_assume!(bytes[at] != b'\n' || at + 1 < header().to_string().trim_end().len());
        bytes[at] = byte;
        prop_assert!(SeegoverTableHeader::parse(&bytes).is_err());
    }
}
