//! Systems that offer less than usual: a read-only file system, no `/dev/shm`, no files in memory, or files in memory
//! that must not be executed. Bots are confined all the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use nix::libc;
use nix::mount::{MsFlags, mount};

use crate::confinement::probes::{Way, probe};
use crate::harness::arena::{Arena, program, text};
use crate::harness::restricted::{answering, filtered, with_own_mounts};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::InTime as _;

const NONE: Option<&str> = None;

/// Two games of a confined bot.
fn games(way: Way) -> Arena {
    let arena = Arena::new(&format!(
        "isolation = \"{}\"\nseed = 3\nquit_timeout = \"300ms\"\nhello_timeout = \"60s\"\n\
         [[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"bot\"\ndir = \"bot\"\n\
         command = [\"./probe\", \"none\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n",
        way.isolation()
    ));
    let path = |name: &str| arena.path().join(name);
    for dir in ["bot", "out", "scratch"] {
        fs::create_dir(path(dir)).expect("made");
    }
    fs::copy(probe(), path("bot/probe")).expect("copied");
    for name in ["", "class.toml", "bot", "bot/probe", "out", "scratch"] {
        way.user.give(&path(name));
    }
    arena
}

/// Plays the games under `way`, and asserts that they are confined by its tier.
fn play(way: Way, arena: &Arena) {
    let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
    command.env("TMPDIR", arena.path().join("scratch")).env("HOME", "/nowhere").env_remove("XDG_CACHE_HOME");
    let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
    assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
    for row in arena.results() {
        assert_eq!(row["termination"], "normal", "{way:?}: {row:?}");
        let tags = arena.record(&row["game"]).other_tags;
        assert!(tags.iter().any(|(tag, value)| tag == "Isolation" && value == way.tier), "{way:?}: {tags:?}");
    }
    assert_eq!(arena.results().len(), 2);
}

/// The output of `doctor`.
fn doctor() -> String {
    text(&Command::new(program()).arg("doctor").current_dir("/").output_in_time().expect("the program starts").stdout)
}

/// Whether the tests may mount file systems. If not, reports that the test is skipped.
fn can_mount() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped(Need::Mounts, "only root can make file systems read-only");
    }
    is_root
}

/// Makes all file systems of this thread read-only, except those of the kernel and the directories `open`.
fn make_read_only(open: &[&Path]) {
    let bound = MsFlags::MS_REMOUNT | MsFlags::MS_BIND;
    for dir in open {
        mount(Some(*dir), *dir, NONE, MsFlags::MS_BIND, NONE).expect("root may");
    }
    let mounts = fs::read_to_string("/proc/self/mounts").expect("there");
    for point in mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(Path::new) {
        let is_kernel_s = ["/proc", "/sys"].iter().any(|dir| point.starts_with(dir));
        if !is_kernel_s && !open.contains(&point) {
            // A mount below another one may be hidden.
            let _ = mount(NONE, point, NONE, bound | MsFlags::MS_RDONLY, NONE);
        }
    }
    for dir in ["/", "/run", "/tmp", "/dev/shm"] {
        assert!(tempfile::tempfile_in(dir).is_err(), "{dir} can be written to");
    }
}

#[test]
fn bots_are_confined_on_a_read_only_system() {
    if !can_mount() {
        return;
    }
    for way in ["A", "B"].into_iter().flat_map(Way::all) {
        let arena = games(way);
        with_own_mounts(|| {
            make_read_only(&[&arena.path().join("scratch"), &arena.out()]);
            play(way, &arena);
        });
    }
}

#[test]
fn bots_are_confined_without_shared_memory() {
    if !can_mount() || !Path::new("/dev/shm").is_dir() {
        return;
    }
    for way in Way::all("A") {
        let arena = games(way);
        with_own_mounts(|| {
            // A new file system with only the devices that a program needs.
            let dev = tempfile::tempdir().expect("a directory");
            mount(Some("none"), dev.path(), Some("tmpfs"), MsFlags::empty(), Some("mode=755")).expect("root may");
            for name in ["null", "zero", "full", "random", "urandom"] {
                fs::write(dev.path().join(name), "").expect("written");
                let device = Path::new("/dev").join(name);
                mount(Some(&device), &dev.path().join(name), NONE, MsFlags::MS_BIND, NONE).expect("root may");
            }
            mount(Some(dev.path()), "/dev", NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE).expect("root may");
            assert!(!Path::new("/dev/shm").exists());
            play(way, &arena);
        });
    }
}

#[test]
fn bots_are_confined_without_files_in_memory() {
    const ADVICE: &str = "the system refuses files in memory (memfd_create)";
    assert!(!doctor().contains(ADVICE));
    let refusing = answering(BTreeMap::from([(libc::SYS_memfd_create, Vec::new())]), libc::EPERM);
    // Without namespaces, the warden writes an order, too.
    for way in ["A", "C"].into_iter().flat_map(Way::all) {
        let arena = games(way);
        filtered(&refusing, || play(way, &arena));
    }
    let said = filtered(&refusing, doctor);
    assert_eq!(said.lines().filter(|line| line.contains(ADVICE)).count(), 1, "{said}");
}

#[test]
fn bots_are_confined_where_files_in_memory_must_not_be_executed() {
    const SETTING: &str = "/proc/sys/vm/memfd_noexec";
    if !can_mount() || !Path::new(SETTING).exists() {
        return;
    }
    for way in Way::all("A") {
        let arena = games(way);
        // The setting belongs to a process namespace.
        let script = format!("echo 2 > {SETTING} && exec \"$0\" run class.toml --out out");
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc", "sh", "-c", &script, program()]).current_dir(arena.path());
        let output = command.env("TMPDIR", arena.path().join("scratch")).output_in_time().expect("unshare starts");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(arena.results().iter().all(|row| row["termination"] == "normal"));
    }
}
