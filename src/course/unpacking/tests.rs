//! Properties of the archive reader: whatever an archive contains, nothing is written elsewhere, only files are
//! written, and limits are respected.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::archive::Source;
use super::refusal::UnpackError;
use super::tree_writer::TreeWriter;
use super::*;
use crate::course::submissions::EntryPath;

const BOUNDS: SubmissionBounds = SubmissionBounds { bytes: 4096, files: 5 };

fn zip(entries: &[(String, usize)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, size) in entries {
        // The writer rejects some names that an attacker would write with other tools.
        if writer.start_file(name.as_str(), SimpleFileOptions::default()).is_ok() {
            writer.write_all(&vec![b'x'; *size]).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn tar_gz(entries: &[(String, usize)]) -> Vec<u8> {
    const KINDS: [tar::EntryType; 4] =
        [tar::EntryType::Regular, tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Char];
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (number, (name, size)) in entries.iter().enumerate() {
        let mut header = tar::Header::new_gnu();
        let fields = header.as_gnu_mut().unwrap();
        let length = name.len().min(fields.name.len());
        fields.name[..length].copy_from_slice(&name.as_bytes()[..length]);
        // Links lead to the first entry, or out of the archive.
        let target = if size % 3 == 0 { "/etc" } else { &entries[0].0 };
        let length = target.len().min(fields.linkname.len());
        fields.linkname[..length].copy_from_slice(&target.as_bytes()[..length]);
        // Every other entry is a file.
        let kind = if number % 2 == 0 { tar::EntryType::Regular } else { KINDS[size % KINDS.len()] };
        header.set_entry_type(kind);
        header.set_size(if kind == tar::EntryType::Regular { *size as u64 } else { 0 });
        header.set_cksum();
        let content = vec![b'x'; if kind == tar::EntryType::Regular { *size } else { 0 }];
        builder.append(&header, content.as_slice()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// Unpacks the archive `bytes` as `import` does, and returns the paths and sizes of all files that exist afterwards.
fn unpacked(bytes: &[u8], name: &str) -> Result<Vec<(String, u64)>, TestCaseError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    let account = ClassAccount::default();
    let mut writer = TreeWriter::new(dir.path().join("a/b/tree"), BOUNDS, &account);
    let source = Source::open(&path).unwrap();
    let read = source.each(&mut |entry| match EntryPath::parse(entry.name) {
        Ok(path) => writer.put(&path, entry),
        Err(_) => Ok(()),
    });
    let read = read.and_then(|()| writer.copy_links());
    // There is never an I/O error: no entry of an archive can make writing fail.
    prop_assert!(!matches!(read, Err(UnpackError::Io { .. })), "{read:?}");
    let mut found = Vec::new();
    gather_files(dir.path(), dir.path(), &mut found)?;
    Ok(found)
}

fn gather_files(dir: &Path, root: &Path, found: &mut Vec<(String, u64)>) -> Result<(), TestCaseError> {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let metadata = fs::symlink_metadata(entry.path()).unwrap();
        prop_assert!(metadata.is_dir() || metadata.is_file(), "{:?}", entry.path());
        if metadata.is_dir() {
            gather_files(&entry.path(), root, found)?;
        } else {
            let path = entry.path().strip_prefix(root).unwrap().display().to_string();
            found.push((path, metadata.len()));
        }
    }
    Ok(())
}

fn holds(bytes: &[u8], name: &str) -> Result<(), TestCaseError> {
    let found = unpacked(bytes, name)?;
    let (tree, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(path, _)| path.starts_with("a/b/tree/"));
    prop_assert_eq!(others.len(), 1, "{:?}", others);
    prop_assert!(tree.len() <= BOUNDS.files, "{:?}", tree);
    prop_assert!(tree.iter().map(|(_, size)| size).sum::<u64>() <= BOUNDS.bytes, "{:?}", tree);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_leaves_the_tree_and_bounds_hold(
        entries in prop::collection::vec(("(\\.\\./|/|\\\\|C:|[abAB]|\\.|ä|x\\.py){1,6}", 0_usize..2000), 0..8)
    ) {
        holds(&zip(&entries), "x.zip")?;
        holds(&tar_gz(&entries), "x.tgz")?;
    }

    /// An archive in which arbitrary bytes were changed is read, refused or found to be damaged, and the same
    /// properties hold.
    #[test]
    fn damaged_archives_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in 0_usize..200
    ) {
        let entries = [("a/bot.py".to_owned(), 700), ("b".to_owned(), 900), ("c/d.py".to_owned(), 30)];
        for (mut bytes, name) in [(zip(&entries), "x.zip"), (tar_gz(&entries), "x.tgz")] {
            for (index, byte) in &changes {
                let at = index.index(bytes.len());
                bytes[at] = *byte;
            }
            bytes.truncate(bytes.len().saturating_sub(cut.saturating_sub(100)));
            holds(&bytes, name)?;
        }
    }
}

/// The sorted files of the submission in the archive called `name`, which `archive` creates from `entries`.
fn tree(archive: fn(&[(String, usize)]) -> Vec<u8>, name: &str, entries: &[(&str, usize)]) -> Vec<(String, u64)> {
    let entries: Vec<(String, usize)> = entries.iter().map(|&(name, size)| (name.to_owned(), size)).collect();
    let found = unpacked(&archive(&entries), name).unwrap_or_else(|error| panic!("{error}"));
    let mut tree: Vec<(String, u64)> =
        found.into_iter().filter_map(|(path, size)| Some((path.strip_prefix("a/b/tree/")?.to_owned(), size))).collect();
    tree.sort();
    tree
}

#[test]
fn an_archive_is_unpacked_whole_up_to_its_bounds() {
    let entries = [("a/bot.py", 700), ("b", 900), ("c/d.py", 30), ("e", 4), ("f", 2), ("g", 8)];
    let files = |number: usize| -> Vec<(String, u64)> {
        entries[..number].iter().map(|&(name, size)| (name.to_owned(), size as u64)).collect()
    };
    for (archive, name) in [(zip as fn(&[(String, usize)]) -> Vec<u8>, "x.zip"), (tar_gz, "x.tgz")] {
        assert_eq!(tree(archive, name, &entries[..BOUNDS.files]), files(BOUNDS.files), "{name}");
        assert_eq!(tree(archive, name, &entries), files(BOUNDS.files), "{name}: one file too many");
        let large = [("a", 4096), ("b", 4)];
        assert_eq!(tree(archive, name, &large[..1]), [("a".to_owned(), 4096)], "{name}");
    }
}

#[test]
fn a_copy_in_place_of_a_link_counts_like_a_file() {
    // Every other entry is a link to the first one.
    let entries = [("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 1)];
    let five: Vec<(String, u64)> = ["a", "b", "c", "d", "e"].map(|name| (name.to_owned(), 1)).into();
    assert_eq!(tree(tar_gz, "x.tgz", &entries[..BOUNDS.files]), five);
    assert_eq!(tree(tar_gz, "x.tgz", &entries), five, "one copy too many");
}
