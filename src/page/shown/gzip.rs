//! Reproducible compression: the output contains no time, file name or system.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The beginning of a gzip file: deflated, no flags, no time, the best compression, an unknown system (RFC 1952).
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];

/// How many bytes to reserve at a time.
const ROOM: usize = 1 << 16;

/// Compresses `bytes` to a gzip file. The same bytes always give the same file.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = HEADER.to_vec();
    let mut deflate = Compress::new(Compression::best(), false);
    loop {
        file.reserve(ROOM);
        let taken = usize::try_from(deflate.total_in()).unwrap_or(bytes.len());
        let status = deflate.compress_vec(&bytes[taken..], &mut file, FlushCompress::Finish);
        // Only another kind of flush, or a dictionary, could fail.
        if status.unwrap_or_else(|error| unreachable!("compressing in memory: {error}")) == Status::StreamEnd {
            break;
        }
    }
    let mut sum = Crc::new();
    sum.update(bytes);
    file.extend(sum.sum().to_le_bytes());
    file.extend(sum.amount().to_le_bytes());
    file
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
