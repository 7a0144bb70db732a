use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::exact::seegover::{Census, Worth};

/// A header of a table that does not exist.
fn header() -> SeegoverTableHeader {
    let counts = [(Worth::Drawn, (25 << 24) - 5), (Worth::Lost(0), 2), (Worth::Won(1), 2), (Worth::Won(0), 1)];
    SeegoverTableHeader::new("0123456789abcdef".repeat(4), Census::of_counts(counts).expect("a census"))
        .expect("a header")
}

/// Creates a file with this beginning and this length. The rest is a sparse run of zeros.
fn file(dir: &TempDir, beginning: &[u8], length: u64) -> PathBuf {
    let path = dir.path().join("table");
    fs::write(&path, beginning).expect("written");
    OpenOptions::new().write(true).open(&path).expect("opened").set_len(length).expect("resized");
    path
}

#[test]
fn a_header_reads_back_from_its_file() {
    let dir = tempfile::tempdir().expect("a directory");
    assert_eq!(look(&file(&dir, &header().padded(), LENGTH)).expect("a header"), header());
}

#[test]
fn what_is_not_a_table_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let refusal = |path: &Path| look(path).expect_err("refused").to_string();
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
            "it is a table of another version of the format (`2`)",
        ),
        (b"gothello-arena table of seegover, format 1\n\n", LENGTH, "its header is damaged"),
        (
            &header().padded(),
            LENGTH - 1,
            "it has 100667391 bytes instead of 100667392; it may have been truncated when it was copied",
        ),
        (&header().padded()[..1000], 1000, "its header is damaged"),
    ] {
        assert_eq!(refusal(&file(&dir, beginning, length)), message);
    }
}

proptest! {
    /// Tests that a wrong byte in a header is noticed, unless it is a digit.
    #[test]
    fn a_damaged_header_is_refused(at in 0..header().to_string().len(), byte in any::<u8>()) {
        let mut bytes = header().padded();
        prop_assume!(!bytes[at].is_ascii_hexdigit() && bytes[at] != byte);
        prop_assume!(bytes[at] != b'\n' || at + 1 < header().to_string().trim_end().len());
        bytes[at] = byte;
        prop_assert!(SeegoverTableHeader::parse(&bytes).is_err());
    }
}
