//! Tests that need something that a machine may lack. On a machine that lacks it, the test, or the part of the test
//! that needs it, is skipped, and the test reports this with [`skipped`].
//!
//! `cargo test` lists all skipped tests at the end: see .cargo/watch-tests. The environment variable
//! `GOTHELLO_ARENA_REQUIRE` lists the needs that must be met, such as `browser,nats`, or `all`: a test fails if one of
//! its needs is listed but not met.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::str::FromStr;

/// The things that a test may need in addition to Linux, Python and a C compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The axe-core script that `GOTHELLO_ARENA_AXE` names.
    Axe,
    /// Chromium.
    Browser,
    /// Two cores.
    Cores,
    /// Permission to create device files.
    Devices,
    /// Engines that speak the Go Text Protocol.
    Engines,
    /// Control groups in which a test can create its own groups.
    Groups,
    /// Landlock and seccomp, with which bots can be confined without namespaces.
    Landlock,
    /// The compilers and runtimes that the starters need.
    Languages,
    /// Permission to mount file systems.
    Mounts,
    /// Namespaces, in which bots can be confined.
    Namespaces,
    /// The broker nats-server.
    Nats,
    /// The Python package numpy.
    Numpy,
    /// The user `root`.
    Root,
    /// Signals that were neither blocked nor ignored when the tests were started.
    Signals,
    /// The table of Seegover's default rules.
    Table,
    /// The tables of Seegover's other rules.
    Tables,
    /// Other programs.
    Tools,
}

impl Need {
    const ALL: [(Self, &str); 17] = [
        (Self::Axe, "axe"),
        (Self::Browser, "browser"),
        (Self::Cores, "cores"),
        (Self::Devices, "devices"),
        (Self::Engines, "engines"),
        (Self::Groups, "groups"),
        (Self::Landlock, "landlock"),
        (Self::Languages, "languages"),
        (Self::Mounts, "mounts"),
        (Self::Namespaces, "namespaces"),
        (Self::Nats, "nats"),
        (Self::Numpy, "numpy"),
        (Self::Root, "root"),
        (Self::Signals, "signals"),
        (Self::Table, "table"),
        (Self::Tables, "tables"),
        (Self::Tools, "tools"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(need, _)| *need == self).map_or("", |(_, word)| word)
    }
}

impl FromStr for Need {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|(_, word)| *word == text);
        found.map(|(need, _)| need).ok_or_else(|| {
            let words = Self::ALL.map(|(_, word)| word).join(", ");
            format!("GOTHELLO_ARENA_REQUIRE: `{text}` is not one of {words}, all")
        })
    }
}

/// Whether the words in `required` include `need`.
fn is_required(need: Need, required: &str) -> Result<bool, String> {
    let mut words = required.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.try_fold(false, |is_required, word| Ok(is_required | (word == "all" || word.parse::<Need>()? == need)))
}

/// Reports that this test, or its next part, is skipped: this machine lacks `need`, as `why` explains.
///
/// # Panics
/// Panics if `GOTHELLO_ARENA_REQUIRE` says that the machine meets the need.
#[track_caller]
pub(crate) fn skipped(need: Need, why: impl Display) {
    let required = std::env::var("GOTHELLO_ARENA_REQUIRE").unwrap_or_default();
    let is_required = is_required(need, &required).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(!is_required, "GOTHELLO_ARENA_REQUIRE is `{required}`, but this test lacks `{}`: {why}", need.word());
    println!("skipped: {}: {why}", need.word());
    if let Some(path) = std::env::var_os("GOTHELLO_ARENA_SKIPPED") {
        let thread = std::thread::current();
        let line = line(thread.name().unwrap_or("a thread of a test"), need, &why.to_string());
        // A single write keeps the lines of several threads from mixing.
        let file = OpenOptions::new().append(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// The line that reports a skipped test to .cargo/watch-tests.
fn line(test: &str, need: Need, why: &str) -> String {
    format!("{test}\t{}\t{}\n", need.word(), why.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn what_is_required_is_read_from_a_list_of_known_words() {
    for (need, word) in Need::ALL {
        assert_eq!((word.parse(), need.word()), (Ok(need), word));
        assert_eq!(is_required(need, "all"), Ok(true));
        assert_eq!(is_required(need, ""), Ok(false));
    }
    assert_eq!(is_required(Need::Nats, "browser, nats"), Ok(true));
    assert_eq!(is_required(Need::Nats, "browser,"), Ok(false));
    let wrong = is_required(Need::Nats, "nats,brokers").expect_err("there is no such word");
    assert!(wrong.starts_with("GOTHELLO_ARENA_REQUIRE: `brokers` is not one of axe, browser, "), "{wrong}");
    assert_eq!(line("a::b", Need::Axe, "no\n\tfile"), "a::b\taxe\tno file\n");
}
