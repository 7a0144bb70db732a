//! Archives that students, players and coordinators send. Whatever an archive contains, its files stay in their
//! directory and within the bounds, and nothing else appears on the disk.

#![no_main]

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use gothello_arena::fuzzing::{bundle, unpack};
use gothello_arena_fuzz::{MemoryDir, assert_message, files_below, kind, sha256};
use libfuzzer_sys::fuzz_target;

const MOST: (u64, usize) = (8192, 8);

fuzz_target!(|data: &[u8]| {
    let (kind, bytes) = kind(data, 5);
    MemoryDir::with(|memory| match kind {
        0 => as_submission(memory, "a.zip", bytes),
        1 => as_submission(memory, "a.tar", bytes),
        2 => as_submission(memory, "a.tar.gz", bytes),
        // The checksum of compressed data would hide nearly every change.
        3 => as_submission(memory, "a.tgz", &compressed(bytes)),
        _ => as_bundle(memory, &compressed(bytes)),
    });
});

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(1));
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn as_submission(memory: &MemoryDir, name: &str, bytes: &[u8]) {
    let (archive, _) = memory.file(name, bytes, bytes.len() as u64);
    let outer = memory.dir("submission");
    let dir = outer.join("staging");
    fs::create_dir(&dir).expect("a new directory");
    let unpacked = unpack(&archive, &dir, MOST);
    for clause in unpacked.refusal.iter().chain(&unpacked.warnings) {
        assert!(!clause.is_empty());
    }
    unpacked.refusal.as_deref().map(assert_message);
    // The files as handed in, those of an archive among them, and their copies in the tree.
    let found = files_below(&outer);
    assert!(found.len() <= 3 * MOST.1, "{found:?}");
    assert!(found.iter().map(|(_, size)| size).sum::<u64>() <= 3 * MOST.0, "{found:?}");
    assert!(found.iter().all(|(path, _)| path.starts_with(&dir)), "{found:?}");
    assert_eq!(unpacked.tree.is_none(), unpacked.files.is_empty());
    if let Some(tree) = unpacked.tree {
        let mut listed: Vec<_> = unpacked.files.iter().map(|name| tree.join(name)).collect();
        let mut there: Vec<_> = files_below(&tree).into_iter().map(|(path, _)| path).collect();
        listed.sort();
        there.sort();
        assert_eq!(listed, there);
        assert!(unpacked.files.is_sorted() && unpacked.refusal.is_none());
    }
    fs::remove_dir_all(&outer).expect("removed");
}

/// A bundle can contain links, but none that leads out of it.
fn as_bundle(memory: &MemoryDir, bytes: &[u8]) {
    let outer = memory.dir("bundle");
    let dir = outer.join("files");
    fs::create_dir(&dir).expect("a new directory");
    assert!(bundle(bytes, &sha256(b"another"), &dir).is_some(), "a wrong digest");
    assert_eq!(fs::read_dir(&dir).expect("a directory").count(), 0);
    if let Some(refusal) = bundle(bytes, &sha256(bytes), &dir) {
        assert!(!refusal.contains(char::is_control), "{refusal:?}");
    }
    assert_eq!(fs::read_dir(&outer).expect("a directory").count(), 1);
    let inside = dir.canonicalize().expect("a directory");
    let mut left = vec![dir];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).expect("a directory").flatten() {
            let metadata = fs::symlink_metadata(entry.path()).expect("it is there");
            if metadata.is_dir() {
                left.push(entry.path());
            } else if metadata.is_symlink() {
                // A link may lead nowhere.
                let target = entry.path().canonicalize();
                assert!(target.is_err() || target.is_ok_and(|target| target.starts_with(&inside)), "{entry:?}");
            }
        }
    }
    fs::remove_dir_all(&outer).expect("removed");
}
