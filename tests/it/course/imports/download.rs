//! A teacher's downloads: archives made by the test.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A bot in Python that reads side, host and server.
pub(super) const BOT: &str = "import sys\nside = sys.argv[1]\nhost = sys.argv[2]\nserver = int(sys.argv[3])\n";

/// A ZIP with `files`.
pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
    for (name, content) in files {
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(content).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

/// A ZIP with a symbolic link and a bot.
pub(super) fn zip_with_link(name: &str, target: &str) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink(name, target, SimpleFileOptions::default()).expect("an entry");
    writer.start_file("bot.py", SimpleFileOptions::default().unix_permissions(0o4755)).expect("an entry");
    writer.write_all(BOT.as_bytes()).expect("written");
    writer.finish().expect("an archive").into_inner()
}

/// An entry of a tar archive.
pub(super) struct TarEntry<'a> {
    pub(super) name: &'a str,
    pub(super) kind: tar::EntryType,
    pub(super) target: &'a str,
    pub(super) content: &'a [u8],
}

/// A file in a tar archive.
pub(super) fn tar_file<'a>(name: &'a str, content: &'a [u8]) -> TarEntry<'a> {
    TarEntry { name, kind: tar::EntryType::Regular, target: "", content }
}

/// A compressed tar archive. The names are written verbatim; the crate's own methods would refuse some of them.
pub(super) fn tar_gz(entries: &[TarEntry<'_>]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for TarEntry { name, kind, target, content } in entries {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o6777);
        let fields = header.as_gnu_mut().expect("a GNU header");
        fields.name[..name.len()].copy_from_slice(name.as_bytes());
        fields.linkname[..target.len()].copy_from_slice(target.as_bytes());
        header.set_cksum();
        builder.append(&header, *content).expect("an entry");
    }
    builder.into_inner().expect("an archive").finish().expect("packed")
}

/// Writes the file `path`, creating its parent directories.
pub(super) fn write(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("made");
    fs::write(path, content).expect("written");
}

/// Every path below `dir`, in order, with `/` appended to directories.
pub(super) fn everything(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().expect("a kind").is_dir() {
            found.push(format!("{name}/"));
            found.extend(everything(&entry.path()).into_iter().map(|path| format!("{name}/{path}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
