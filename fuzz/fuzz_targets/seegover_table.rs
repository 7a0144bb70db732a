//! The headers of Seegover's tables. A header that is accepted is written byte for byte as it was.

#![no_main]

use gothello_arena::exact::tablebase::{self, LENGTH, SeegoverTableHeader};
use gothello_arena_fuzz::{MemoryDir, assert_message};
use libfuzzer_sys::fuzz_target;

/// The length of a header.
const HEADER: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let mut header = data.to_vec();
    // Every header is padded in this way.
    header.resize(HEADER.max(data.len()), b'\n');
    MemoryDir::with(|memory| {
        let (path, _) = memory.file("table", &header, LENGTH);
        match tablebase::look(&path, None) {
            Ok(read) => is_whole(&read, &header),
            Err(error) => {
                assert_message(&error.to_string());
                let _ = error.is_replaceable();
            }
        }
        let (path, _) = memory.file("table", &header, LENGTH - 1);
        assert!(tablebase::look(&path, None).is_err(), "a file that is too short");
    });
});

fn is_whole(read: &SeegoverTableHeader, header: &[u8]) {
    let mut written = read.to_string().into_bytes();
    written.resize(HEADER, b'\n');
    assert_eq!(written, header[..HEADER]);
    // A table has this many positions.
    assert_eq!(read.census().counts().map(|(_, count)| count).sum::<u64>(), 25 << 24);
}
