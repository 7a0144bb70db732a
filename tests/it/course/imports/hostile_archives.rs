//! Each kind of hostile archive separately: it is reported with the reason, and the other submissions are imported.

use std::fs;

use gothello_arena::course::roster::SubmissionState;

use super::download::{BOT, TarEntry, everything, tar_file, tar_gz, zip, zip_with_link};
use super::{imported, of, roster};

/// `archive` with the general purpose flag or the method of all its entries replaced, in both places that contain it.
fn patched(mut archive: Vec<u8>, offset: usize, value: u16) -> Vec<u8> {
    for at in 0..archive.len() - 4 {
        let field = match &archive[at..at + 4] {
            b"PK\x03\x04" => at + 6 + offset,
            b"PK\x01\x02" => at + 8 + offset,
            _ => continue,
        };
        archive[field..field + 2].copy_from_slice(&value.to_le_bytes());
    }
    archive
}

/// Links, devices and pipes, and a bot next to them.
fn special_entries() -> Vec<u8> {
    let bot = BOT.as_bytes();
    let entry = |name, kind, target| TarEntry { name, kind, target, content: b"" };
    tar_gz(&[
        entry("soft", tar::EntryType::Symlink, "/etc/passwd"),
        entry("hard", tar::EntryType::Link, "/etc/passwd"),
        entry("null", tar::EntryType::Char, ""),
        entry("disk", tar::EntryType::Block, ""),
        entry("pipe", tar::EntryType::Fifo, ""),
        tar_file("bot.py", bot),
        // A file whose path goes through a link.
        tar_file("soft/x.py", bot),
    ])
}

/// Hostile archives by file name, each with a part of the reason.
fn hostile() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let (bot, zeros) = (BOT.as_bytes(), vec![0_u8; 16 << 20]);
    let (long, deep) = ("x".repeat(256), "d/".repeat(21) + "bot.py");
    let noise: Vec<u8> =
        (0..(13_u32 << 20) / 4).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let many: Vec<(String, &[u8])> = (0..51).map(|number| (format!("{number}.py"), bot)).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    vec![
        ("slip.zip", zip(&[("a/../../bot.py", bot)]), "leads out of the archive"),
        ("backslash.zip", zip(&[("a\\..\\..\\bot.py", bot)]), "leads out of the archive"),
        ("absolute.zip", zip(&[("/tmp/gothello-evil.py", bot)]), "absolute path"),
        ("drive.zip", zip(&[("C:\\bot.py", bot)]), "drive letter"),
        ("nul.zip", zip(&[("bot.py\0.txt", bot)]), "NUL"),
        ("lines.zip", zip(&[("bot.py", bot), ("\nopenings = true\n#.py", bot)]), "control character"),
        ("long.zip", zip(&[(&long, bot)]), "too long"),
        ("deep.zip", zip(&[(&deep, bot)]), "too deep"),
        ("ratio.zip", zip(&[("bot.py", bot), ("zeros", &zeros)]), "is a decompression bomb"),
        ("inflated.tgz", tar_gz(&[tar_file("bot.py", bot), tar_file("zeros", &zeros)]), "is a decompression bomb"),
        ("size.zip", zip(&[("bot.py", bot), ("noise", &noise)]), "more than 12.0 MiB"),
        ("count.zip", zip(&many), "more than 50 files"),
        ("twins.zip", zip(&[("a/Bot.py", bot), ("A/bot.py", bot)]), "differ only in case"),
        ("encrypted.zip", patched(zip(&[("bot.py", bot)]), 0, 1), "is encrypted"),
        ("method.zip", patched(zip(&[("bot.py", bot)]), 2, 12), "does not support"),
        ("cut.zip", zip(&[("bot.py", bot)])[..60].to_vec(), "is damaged"),
        ("short.tgz", tar_gz(&[tar_file("bot.py", &noise)])[..5000].to_vec(), "is damaged"),
        ("upward.tgz", tar_gz(&[tar_file("../bot.py", bot)]), "leads out of the archive"),
        ("rooted.tar.gz", tar_gz(&[tar_file("/tmp/gothello-evil.py", bot)]), "absolute path"),
    ]
}

#[test]
fn each_hostile_archive_is_refused_with_its_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let bot = BOT.as_bytes();
    let cases = hostile();
    let mut args =
        vec!["--out", "class", "--max-bytes", "12 MiB", "--max-files", "50", "good.zip", "links.zip", "special.tgz"];
    fs::write(dir.path().join("good.zip"), zip(&[("bot.py", bot)])).expect("written");
    fs::write(dir.path().join("links.zip"), zip_with_link("bot", "/")).expect("written");
    fs::write(dir.path().join("special.tgz"), special_entries()).expect("written");
    for (name, archive, _) in &cases {
        fs::write(dir.path().join(name), archive).expect("written");
        args.push(name);
    }
    let told = imported(dir.path(), &args);
    let roster = roster(dir.path());
    assert_eq!(roster.submissions.len(), cases.len() + 3, "{told}");
    for (name, _, why) in &cases {
        let stem = name.split('.').next().expect("a stem");
        let entry = of(&roster, stem);
        assert_eq!(entry.state, SubmissionState::Refused, "{name}");
        let line = told
            .lines()
            .find(|line| line.contains(&format!("no player: {stem}: ")))
            .unwrap_or_else(|| panic!("{name}: {told}"));
        assert!(line.contains(why), "{name}: {line}");
        assert!(entry.files.is_empty() && !dir.path().join("class/bots").join(&entry.slug).exists(), "{name}");
    }
    for name in ["good", "links", "special"] {
        assert_eq!(of(&roster, name).state, SubmissionState::Ready, "{name}");
    }
    assert_eq!(of(&roster, "special").files, ["bot.py", "soft/x.py"]);
    let page = fs::read_to_string(dir.path().join("class/IMPORT.md")).expect("written");
    for named in [
        "the link `soft`",
        "the link `hard`",
        "the device or pipe `null`",
        "the device or pipe `pipe`",
        "the link `bot`",
    ] {
        assert!(page.contains(named), "{named}\n{page}");
    }
    let bots: Vec<String> = everything(&dir.path().join("class/bots"));
    assert_eq!(
        bots,
        [
            "good/",
            "good/bot.py",
            "links/",
            "links/bot.py",
            "special/",
            "special/bot.py",
            "special/soft/",
            "special/soft/x.py"
        ]
    );
    assert!(!std::path::Path::new("/tmp/gothello-evil.py").exists());
}

#[test]
fn names_in_utf8_are_read_even_if_the_archive_does_not_say_so() {
    let dir = tempfile::tempdir().expect("a directory");
    // Bit 11 marks the names as UTF-8; macOS does not set it.
    fs::write(dir.path().join("mac.zip"), patched(zip(&[("Größe.py", BOT.as_bytes())]), 0, 0)).expect("written");
    imported(dir.path(), &["mac.zip", "--out", "class"]);
    assert_eq!(of(&roster(dir.path()), "mac").files, ["Größe.py"]);
}
