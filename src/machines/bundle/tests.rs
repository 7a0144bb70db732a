use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;

use super::*;
use crate::tournament::{PlayerKind, Tournament};

fn program(keys: &str) -> Program {
    let text = format!("[[player]]\nname = \"a\"\n{keys}\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n");
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    let PlayerKind::Program(program) = &tournament.players[0].kind else { panic!("a program") };
    program.clone()
}

fn with_dir(base: &Path) -> Result<Option<Bundle>, BundleError> {
    pack(&program("dir = \"bot\"\ncommand = [\"./run\", \"{port}\"]"), base)
}

#[test]
fn a_directory_comes_out_as_it_went_in_and_always_has_the_same_digest() {
    let base = tempfile::tempdir().expect("a directory");
    let bot = base.path().join("bot");
    fs::create_dir_all(bot.join("sub/empty")).expect("made");
    fs::write(bot.join("run"), "#!/bin/sh\n").expect("written");
    fs::set_permissions(bot.join("run"), fs::Permissions::from_mode(0o755)).expect("set");
    fs::write(bot.join("sub/data"), vec![7; 100_000]).expect("written");
    symlink("../run", bot.join("sub/link")).expect("linked");
    let bundle = with_dir(base.path()).expect("packed").expect("not empty");
    assert_eq!(with_dir(base.path()).expect("packed").expect("not empty").digest, bundle.digest);
    let out = tempfile::tempdir().expect("a directory");
    unpack(&bundle.bytes, &bundle.digest, out.path()).expect("unpacked");
    assert_eq!(fs::read(out.path().join("sub/data")).expect("read"), vec![7; 100_000]);
    assert_eq!(fs::read(out.path().join("sub/link")).expect("read"), b"#!/bin/sh\n");
    assert_eq!(fs::metadata(out.path().join("run")).expect("there").permissions().mode() & 0o777, 0o755);
    assert!(out.path().join("sub/empty").is_dir());
    let mut changed = bundle.bytes.clone();
    *changed.last_mut().expect("not empty") ^= 1;
    let refused = unpack(&changed, &bundle.digest, tempfile::tempdir().expect("a directory").path());
    assert!(matches!(refused, Err(BundleError::Digest)));
}

#[test]
fn without_a_directory_only_files_that_the_command_names_are_packed() {
    let base = tempfile::tempdir().expect("a directory");
    fs::write(base.path().join("bot.py"), "print()").expect("written");
    fs::write(base.path().join("other"), "secret").expect("written");
    let bundle = pack(&program("command = [\"python3\", \"bot.py\", \"../other\", \"{port}\"]"), base.path());
    let bundle = bundle.expect("packed").expect("a file");
    let out = tempfile::tempdir().expect("a directory");
    unpack(&bundle.bytes, &bundle.digest, out.path()).expect("unpacked");
    let names: Vec<_> = fs::read_dir(out.path()).expect("there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["bot.py"]);
    assert!(pack(&program("command = [\"python3\", \"-\", \"{port}\"]"), base.path()).expect("packed").is_none());
}

#[test]
fn a_file_that_the_command_names_is_packed_only_if_no_link_is_on_the_way() {
    let base = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(base.path().join("bots/a")).expect("made");
    fs::write(base.path().join("secret.key"), "secret").expect("written");
    fs::write(base.path().join("bots/a/q.py"), "print()").expect("written");
    symlink("../../secret.key", base.path().join("bots/a/book.bin")).expect("linked");
    symlink("..", base.path().join("bots/up")).expect("linked");
    for name in ["bots/a/book.bin", "bots/up/secret.key", "./bots/up/bots/a/q.py"] {
        let keys = format!("command = [\"python3\", \"bots/a/q.py\", \"{{port}}\", \"{name}\"]");
        let refused = pack(&program(&keys), base.path()).expect_err("a link");
        assert!(matches!(refused, BundleError::NamedLink { .. }), "{name}: {refused}");
    }
}

#[test]
fn no_link_leaves_a_directory_by_way_of_another() {
    let base = tempfile::tempdir().expect("a directory");
    let bot = base.path().join("bot");
    // In the first case, `p/q/k` only appears to stay inside, since its target leads through the link `s`.
    for (links, is_inside) in [
        (&[("p/q/s", "../.."), ("p/q/k", "s/../..")][..], false),
        (&[("p/q/k", "s/../.."), ("p/q/s", "../..")], false),
        (&[("s", "p/q"), ("k", "s/../../..")], false),
        (&[("s", "p/q"), ("k", "s/..")], false),
        (&[("s", "p/q"), ("k", "p/../p/q/file")], true),
        (&[("s", "p/q"), ("k", "s/file")], true),
        (&[("p/s", "../p/q"), ("p/q/k", "../s/file")], true),
        (&[("k", "k/.."), ("s", "k")], false),
        (&[("k", "s"), ("s", "k")], true),
    ] {
        fs::create_dir_all(bot.join("p/q")).expect("made");
        fs::write(bot.join("p/q/file"), "").expect("written");
        for (name, target) in links {
            symlink(target, bot.join(name)).expect("linked");
        }
        let packed = with_dir(base.path());
        assert_eq!(packed.is_ok(), is_inside, "{links:?}: {packed:?}");
        let file = Hostile::file("p/q/file", 0, 0);
        let hostile = links.iter().map(|(name, target)| Hostile::new(name, EntryType::Symlink, target));
        let (result, _) = unpacked(&[file].into_iter().chain(hostile).collect::<Vec<_>>());
        assert_eq!(result.is_ok(), is_inside, "{links:?}: {result:?}");
        fs::remove_dir_all(&bot).expect("removed");
    }
    // A link cannot be created through another link.
    let behind = [Hostile::new("l", EntryType::Symlink, "."), Hostile::new("l/x", EntryType::Symlink, "../y")];
    assert!(matches!(unpacked(&behind), (Err(BundleError::LinkOut { .. }), names) if names.is_empty()));
}

/// An entry of an archive that a hostile coordinator might send.
#[derive(Clone, Copy)]
struct Hostile<'a> {
    name: &'a str,
    kind: EntryType,
    target: &'a str,
    /// The size in the header, in bytes. The contents consist of at most this many zeros.
    size: u64,
    /// The number of bytes that follow the header.
    there: u64,
}

impl<'a> Hostile<'a> {
    fn new(name: &'a str, kind: EntryType, target: &'a str) -> Self {
        Self { name, kind, target, size: 0, there: 0 }
    }

    fn file(name: &'a str, size: u64, there: u64) -> Self {
        Self { size, there, ..Self::new(name, EntryType::Regular, "") }
    }
}

fn packed(entries: &[Hostile<'_>]) -> Bundle {
    let mut archive = GzEncoder::new(Vec::new(), Compression::fast());
    for Hostile { name, kind, target, size, there } in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(*size);
        header.set_mode(0o4777);
        if !target.is_empty() {
            header.set_link_name_literal(target).expect("short");
        }
        header.set_cksum();
        archive.write_all(header.as_bytes()).expect("in memory");
        io::copy(&mut io::repeat(0).take(there.next_multiple_of(512)), &mut archive).expect("in memory");
    }
    let bytes = archive.finish().expect("in memory");
    Bundle { digest: hex(&Sha256::digest(&bytes)), bytes }
}

/// Unpacks an archive with `entries`. Returns the result, and the names in the directory afterwards.
fn unpacked(entries: &[Hostile<'_>]) -> (Result<(), BundleError>, Vec<String>) {
    let Bundle { digest, bytes } = packed(entries);
    let dir = tempfile::tempdir().expect("a directory");
    let result = unpack(&bytes, &digest, dir.path());
    let names = fs::read_dir(dir.path()).expect("there").flatten();
    (result, names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

#[test]
fn nothing_leads_out_of_the_directory() {
    for (name, kind, target) in [
        ("../x", EntryType::Regular, ""),
        ("/tmp/x", EntryType::Regular, ""),
        ("a/../../x", EntryType::Regular, ""),
        ("..", EntryType::Directory, ""),
        ("../x", EntryType::Directory, ""),
        ("", EntryType::Regular, ""),
        ("../x", EntryType::Symlink, "y"),
        ("x", EntryType::Symlink, "/etc"),
        ("x", EntryType::Symlink, ".."),
        ("x", EntryType::Symlink, "a/../../etc"),
        ("a/x", EntryType::Symlink, "../../etc"),
        ("x", EntryType::Link, "/etc/passwd"),
        ("x", EntryType::Fifo, ""),
        ("x", EntryType::Char, ""),
        ("x", EntryType::Block, ""),
        ("x", EntryType::GNUSparse, ""),
    ] {
        let (result, names) = unpacked(&[Hostile::new(name, kind, target)]);
        assert!(result.is_err(), "{name} {kind:?} {target}");
        assert!(names.is_empty(), "{name} {kind:?} {target}: {names:?}");
    }
    let base = tempfile::tempdir().expect("a directory");
    fs::create_dir(base.path().join("bot")).expect("made");
    symlink("/etc", base.path().join("bot/link")).expect("linked");
    assert!(matches!(with_dir(base.path()), Err(BundleError::LinkOut { .. })));
}

#[test]
fn no_entry_is_written_through_a_link_or_over_another() {
    let outside = Hostile::new("here", EntryType::Symlink, "a");
    let (result, names) = unpacked(&[Hostile::file("a/x", 0, 0), outside, Hostile::file("here/x", 0, 0)]);
    assert!(matches!(result, Err(BundleError::Io { .. })), "{names:?}");
    for twice in [
        [Hostile::file("x", 0, 0), Hostile::file("x", 0, 0)],
        [Hostile::file("x", 0, 0), Hostile::new("x", EntryType::Directory, "")],
        [Hostile::file("x", 0, 0), Hostile::file("x/y", 0, 0)],
        [Hostile::new("x", EntryType::Directory, ""), Hostile::file("x", 0, 0)],
        [Hostile::new("x", EntryType::Symlink, "y"), Hostile::new("x", EntryType::Symlink, "z")],
    ] {
        assert!(matches!(unpacked(&twice).0, Err(BundleError::Io { .. })));
    }
    let (result, mut names) = unpacked(&[Hostile::file("x", 0, 0), Hostile::file("X", 0, 0)]);
    names.sort();
    assert!(result.is_ok() && names == ["X", "x"], "two files on a file system that distinguishes case");
}

#[test]
fn nothing_is_larger_than_a_bundle_may_be() {
    let (result, names) = unpacked(&[Hostile::file("x", MOST_BYTES + 1, 0)]);
    assert!(matches!(result, Err(BundleError::TooLarge)) && names.is_empty(), "refused because of its header alone");
    let (result, _) = unpacked(&[Hostile::file("x", 5, 5), Hostile::file("y", MOST_BYTES - 4, 0)]);
    assert!(matches!(result, Err(BundleError::TooLarge)), "together");
    // A name of several megabytes would be kept in memory.
    let name = Hostile { size: 4 << 20, there: 4 << 20, ..Hostile::new("././@LongLink", EntryType::GNULongName, "") };
    let (result, names) = unpacked(&[name, Hostile::file("x", 0, 0)]);
    assert!(matches!(result, Err(BundleError::TooLarge)) && names.is_empty());
    let names: Vec<String> = (0..=MOST_ENTRIES).map(|number| format!("{number}")).collect();
    let links: Vec<_> = names.iter().map(|name| Hostile::new(name, EntryType::Symlink, "x")).collect();
    let (result, names) = unpacked(&links);
    assert!(matches!(result, Err(BundleError::TooLarge)) && names.is_empty());
    let (result, _) = unpacked(&[Hostile::file("x", 2000, 512)]);
    assert!(matches!(result, Err(BundleError::Archive(_))), "the archive ends before its file does");
}

#[test]
fn special_permissions_are_lost() {
    let Bundle { digest, bytes } = packed(&[Hostile::file("x", 0, 0)]);
    let dir = tempfile::tempdir().expect("a directory");
    unpack(&bytes, &digest, dir.path()).expect("unpacked");
    assert_eq!(fs::metadata(dir.path().join("x")).expect("there").permissions().mode() & 0o7000, 0);
}
