//! Reproducible compression: the output contains no time, file name or operating system.

use std::io::Write as _;

use flate2::{Compression, GzBuilder};

/// Compresses `bytes` to a gzip file. The same bytes always produce the same file.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let written = file.write_all(bytes).and_then(|()| file.finish());
    written.unwrap_or_else(|error| unreachable!("compressing in memory: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_compressed_text_reads_back(start: Vec<u8>, times in 0..2000_usize) {
            let bytes = start.repeat(times);
            let mut read = Vec::new();
            GzDecoder::new(&*gzip(&bytes)).read_to_end(&mut read).expect("a gzip file");
            prop_assert_eq!(read, bytes);
        }
    }
}
