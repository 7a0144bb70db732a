//! The structure of the sources: each wing uses only the wings in its row and the wings that these use in turn, the
//! files of a wing do not depend on each other in a cycle, and pure code has no effects.
//!
//! The order of the wings and the list of rooms with effects are read from the table in docs/architecture.md.

mod code_paths;
mod commands;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use code_paths::{arrows, circle, paths, used_wings};

/// A folder of the sources, as docs/architecture.md describes it.
struct Wing {
    name: String,
    /// The wings listed in this wing's row. The wings that they use in turn are also allowed, but not listed.
    uses: Vec<String>,
    /// Whether the wing's rooms only compute.
    is_pure: bool,
    /// The rooms, or parts of rooms such as `live/state`, for which the opposite of `is_pure` is true.
    exceptions: Vec<String>,
}

impl Wing {
    /// Reads a row of the table: the first cell contains the wing's name, the third cell lists the wings that it uses,
    /// and the last cell states its effects.
    fn from_row(row: &str) -> Self {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses, may] = cells[..] else { panic!("{row}: expected four cells") };
        let is_pure = match may.split(' ').next().unwrap_or_default().trim_end_matches(',') {
            "pure" => true,
            "effects" => false,
            other => panic!("{row}: `{other}` is neither `pure` nor `effects`"),
        };
        Self { name: quoted(name).concat(), uses: quoted(uses), is_pure, exceptions: quoted(may) }
    }

    /// Whether the module `name`, such as `exact::solver::search`, belongs to a pure room of this wing.
    fn holds_pure(&self, name: &str) -> bool {
        let within = |room: &str| name.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let is_exception =
            self.exceptions.iter().any(|room| within(&format!("{}::{}", self.name, room.replace('/', "::"))));
        within(&self.name) && self.is_pure != is_exception
    }
}

/// The wings, in the order of the table.
fn wings() -> Vec<Wing> {
    let text = read(&root().join("docs/architecture.md"));
    let rows = text.lines().skip_while(|line| !line.starts_with("| wing |")).skip(2);
    rows.take_while(|line| line.starts_with('|')).map(Wing::from_row).collect()
}

/// The words in backticks in `text`.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders that contain the wings: first the folder of the package that development builds optimise, then the
/// folder of all other wings.
fn sources() -> [PathBuf; 2] {
    ["crates/games/src", "src"].map(|folder| root().join(folder))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The code of every source file of the wings, without tests and comments, by module path such as
/// `exact::solver::search`. A wing's `mod.rs` is listed under the wing's name; one wing has two such files.
fn modules() -> BTreeMap<String, String> {
    fn gather(path: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                gather(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
                files.push(path);
            }
        }
    }
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    for src in sources() {
        let mut files = Vec::new();
        gather(&src, &mut files);
        for file in files.iter().filter(|file| file.parent() != Some(&src)) {
            let relative = file.strip_prefix(&src).expect("under src").with_extension("");
            let names: Vec<_> = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            let name = names.join("::").trim_end_matches("::mod").to_owned();
            modules.entry(name).or_default().push_str(&code_of(&read(file)));
        }
    }
    modules
}

/// The code of a file without comments and without test code.
fn code_of(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The places where `code` has effects although it should be pure.
fn impurities(code: &str) -> Vec<String> {
    const OUTSIDE: [&str; 7] = ["fs", "io", "net", "os", "env", "process", "thread"];
    const VALUES: [&str; 6] = ["SocketAddr", "SocketAddrV4", "SocketAddrV6", "IpAddr", "Ipv4Addr", "Ipv6Addr"];
    const IN_MEMORY: [&str; 3] = ["Cursor", "Read", "Write"];
    const CRATES: [&str; 9] =
        ["tokio", "nix", "rustix", "landlock", "seccompiler", "tempfile", "indicatif", "jiff", "clap"];
    let mut found: Vec<String> = paths(code, "std")
        .into_iter()
        .filter(|path| {
            let mut names = path.split("::").skip(1);
            let outside = names.next().is_some_and(|module| OUTSIDE.contains(&module));
            let name = names.next().unwrap_or_default();
            // A socket address is an ordinary value.
            let is_value = path.starts_with("std::net::") && VALUES.contains(&name);
            // Writing bytes to memory has no effects, and writers with effects are types of other modules.
            let is_in_memory = path.starts_with("std::io::") && IN_MEMORY.contains(&name);
            outside && !is_value && !is_in_memory
        })
        .collect();
    for other in CRATES {
        // A point in time is a value. Code that reads the clock is found by the next test.
        found.extend(paths(code, other).into_iter().filter(|path| path != "jiff::Timestamp"));
    }
    for words in ["async fn", "async move", ".await", "print!(", "println!(", "dbg!("] {
        found.extend(code.contains(words).then(|| words.to_owned()));
    }
    found
}

/// The paths through which `code`, the code of the module `name`, uses rooms with effects.
fn effects_used(name: &str, code: &str, wings: &[Wing]) -> Vec<String> {
    let is_wing_alone = |path: &str| !path.contains("::");
    let has_effects = |path: &str| {
        let own = wings.iter().find(|wing| path.split("::").next() == Some(&wing.name));
        own.is_some_and(|wing| !is_wing_alone(path) && !wing.holds_pure(path))
    };
    let within = paths(code, "super").into_iter().filter_map(|path| {
        let depth = path.matches("super::").count();
        let names: Vec<&str> = name.split("::").collect();
        let kept = names.len().checked_sub(depth)?;
        Some(names[..kept].iter().copied().chain([path.trim_start_matches("super::")]).collect::<Vec<_>>().join("::"))
    });
    let from_root = paths(code, "crate").into_iter().map(|path| path.trim_start_matches("crate::").to_owned());
    from_root.chain(within).filter(|path| has_effects(path)).collect()
}

/// The places where `code` reads a clock.
fn clock_readings(code: &str) -> Vec<String> {
    let words = ["Instant::now", "SystemTime", "Timestamp::now", "Zoned::now", "clock_gettime", "std::time::Instant"];
    let std_instant = paths(code, "std").contains(&"std::time::Instant".to_owned());
    let found = words.into_iter().filter(|word| code.contains(word) || (std_instant && word.starts_with("std")));
    found.map(str::to_owned).collect()
}

#[test]
fn the_sources_hold_the_wings_and_nothing_else() {
    let entries = sources().into_iter().flat_map(|src| fs::read_dir(src).expect("a folder").flatten());
    let found: BTreeSet<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let wings = wings();
    let names = wings.iter().map(|wing| wing.name.clone());
    assert_eq!(found, names.chain(["lib.rs", "main.rs"].map(str::to_owned)).collect());
    for wing in &wings {
        let has_head = |src: &PathBuf| src.join(&wing.name).join("mod.rs").is_file();
        assert!(sources().iter().any(has_head), "{}/mod.rs", wing.name);
    }
    let lib = read(&root().join("src/lib.rs"));
    // The word `mod@` tells a module from a macro of the same name.
    let row = |line: &str| {
        let name = line.strip_prefix("//! | [`")?.split_once('`')?.0;
        Some(name.strip_prefix("mod@").unwrap_or(name).to_owned())
    };
    let listed: Vec<String> = lib.lines().filter_map(row).collect();
    assert_eq!(listed, wings.into_iter().map(|wing| wing.name).collect::<Vec<_>>(), "the order in src/lib.rs");
}

#[test]
fn a_wing_uses_only_those_of_its_row_and_what_they_use() {
    let mut allowed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for wing in wings() {
        let mut all = BTreeSet::from([wing.name.clone()]);
        for used in wing.uses {
            all.extend(allowed.get(&used).unwrap_or_else(|| panic!("`{used}` is not above `{}`", wing.name)).clone());
        }
        allowed.insert(wing.name, all);
    }
    let mut wrong = Vec::new();
    for (name, code) in modules() {
        let own = name.split("::").next().unwrap_or_default();
        for used in used_wings(&code) {
            if !allowed[own].contains(&used) {
                wrong.push(format!("{name} uses `{used}`, which the row of `{own}` does not allow"));
            }
        }
        let depth = name.matches("::").count();
        if code.contains(&"super::".repeat(depth + 1)) {
            wrong.push(format!("{name}: `super::` leads out of the wing; write `crate::`"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The room of a module: the wing and the module's first folder or file in it.
fn room_of(module: &str) -> String {
    module.split("::").take(2).collect::<Vec<_>>().join("::")
}

#[test]
fn rooms_do_not_use_each_other_in_a_circle() {
    let modules = modules();
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, code) in &modules {
        let used = arrows(name, code, &modules).iter().map(|used| room_of(used)).collect::<BTreeSet<_>>();
        rooms.entry(room_of(name)).or_default().extend(used);
    }
    for (room, used) in &mut rooms {
        // A wing's head names the wing's rooms, so these uses do not count.
        used.retain(|other| other != room && other.contains("::") && room.contains("::"));
    }
    assert_eq!(circle(&rooms), None);
}

#[test]
fn files_of_a_wing_do_not_use_each_other_in_a_circle() {
    let modules = modules();
    let wing = |name: &str| name.split("::").next().unwrap_or_default().to_owned();
    let within = |name: &String, code: &String| {
        let used = arrows(name, code, &modules);
        (name.clone(), used.into_iter().filter(|other| wing(other) == wing(name)).collect())
    };
    let mut all: BTreeMap<String, BTreeSet<String>> = modules.iter().map(|(name, code)| within(name, code)).collect();
    let mut wrong = Vec::new();
    while let Some(found) = circle(&all) {
        wrong.push(found.join(" -> "));
        // Break this cycle, so that the next one can be found.
        let (last, first) = (&found[found.len() - 1], &found[0]);
        all.get_mut(last).expect("in the circle").remove(first);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_code_touches_nothing_outside() {
    let mut wrong = Vec::new();
    for wing in wings() {
        for room in &wing.exceptions {
            let is_there = |src: &PathBuf| src.join(&wing.name).join(format!("{room}.rs")).is_file();
            assert!(sources().iter().any(is_there), "docs/architecture.md: `{}` has no room `{room}`", wing.name);
        }
        for (name, code) in modules().iter().filter(|(name, _)| wing.holds_pure(name)) {
            let found = impurities(code).into_iter().chain(effects_used(name, code, &wings()));
            wrong.extend(found.map(|found| format!("{name}: `{found}`")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_one_module_reads_the_clock() {
    let others = modules().into_iter().filter(|(name, _)| name != "base::time");
    let wrong: Vec<String> = others
        .flat_map(|(name, code)| clock_readings(&code).into_iter().map(move |found| format!("{name}: `{found}`")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checks_find_what_they_look_for() {
    let upward =
        "use crate::{referee::wire, run::{self, play as game}};\nfn f() { crate::cli::main(); my_crate::x(); }";
    assert_eq!(used_wings(upward), ["cli", "referee", "run"].map(str::to_owned).into());

    let row = "| `base` | the foundation | nothing | pure, except `files` |";
    let wings = [Wing::from_row(row), Wing::from_row("| `run` | runs | `host` | effects, but `event` is pure |")];
    let used =
        "use crate::base::{files::write, random};\nuse crate::run::{event, play::SeatedPlayer};\nuse crate::base;";
    assert_eq!(effects_used("tournament::file", used, &wings), ["base::files::write", "run::play::SeatedPlayer"]);
    assert_eq!(effects_used("base::near", "use super::files::write;\nuse super::hex;", &wings), ["base::files::write"]);

    for (code, seen) in [
        ("use std::{fmt, fs::File};", "std::fs::File"),
        ("use std::net::{SocketAddr, TcpStream};", "std::net::TcpStream"),
        ("fn f() -> std::io::Result<()> {", "std::io::Result"),
        ("let handle = tokio::spawn(x);", "tokio::spawn"),
        ("#[derive(clap::ValueEnum)]", "clap::ValueEnum"),
        ("use nix::unistd;", "nix::unistd"),
        ("    eprintln!(\"{x}\");", "println!("),
        ("pub async fn play() {", "async fn"),
    ] {
        assert_eq!(impurities(code), [seen], "{code}");
    }
    for code in ["use std::net::{IpAddr, SocketAddr};", "use std::{fmt, time::Duration};", "let processed = x;"] {
        assert_eq!(impurities(code), [""; 0], "{code}");
    }

    for (code, seen) in [
        ("let start = Instant::now();", "Instant::now"),
        ("use std::time::{Duration, Instant};", "std::time::Instant"),
        ("let today = jiff::Zoned::now();", "Zoned::now"),
    ] {
        assert_eq!(clock_readings(code), [seen], "{code}");
    }
    assert_eq!(clock_readings("use crate::base::time::{Instant, now};"), [""; 0]);

    let file = "use a::b;\n// crate::cli\n\n#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\n";
    assert_eq!(code_of(file), "use a::b;");
}
