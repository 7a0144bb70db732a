//! The house keeps its order: each module uses only those above it, and the pure ones touch nothing outside.
//!
//! The order is that of the table in docs/architecture.md, and nowhere else in the tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the crate: the pure ones and those with effects, each in order.
struct Rooms {
    pure: Vec<String>,
    effects: Vec<String>,
}

impl Rooms {
    /// As docs/architecture.md has them.
    fn documented() -> Self {
        let text = read(&root().join("docs/architecture.md"));
        let rows =
            text.lines().skip_while(|line| !line.starts_with("| **pure**")).take_while(|line| line.starts_with('|'));
        let mut rooms = Self { pure: Vec::new(), effects: Vec::new() };
        let mut into = &mut rooms.pure;
        for row in rows.skip(1) {
            if row.starts_with("| **effects**") {
                into = &mut rooms.effects;
                continue;
            }
            let names = row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2);
            into.extend(names.filter(|name| !name.contains('/')).map(str::to_owned));
        }
        rooms
    }

    fn in_order(&self) -> Vec<String> {
        self.pure.iter().chain(&self.effects).cloned().collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every source file of a module, by its path from the root, without tests and comments.
fn sources(module: &str) -> Vec<(PathBuf, String)> {
    fn gather(path: &Path, files: &mut Vec<PathBuf>) {
        if path.is_dir() {
            for entry in fs::read_dir(path).expect("a folder") {
                gather(&entry.expect("an entry").path(), files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path.to_owned());
        }
    }
    let mut files = vec![root().join("src").join(format!("{module}.rs"))];
    let folder = root().join("src").join(module);
    if folder.exists() {
        gather(&folder, &mut files);
    }
    let relative = |path: &Path| path.strip_prefix(root()).expect("under the root").to_owned();
    files.iter().map(|path| (relative(path), code_of(&read(path)))).collect()
}

/// The code of a file without its comments and without what is compiled for tests alone.
fn code_of(text: &str) -> String {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Every path in `code` that begins with `first::`, with its braces multiplied out: `std::{fs, io::Read}` is `std::fs`
/// and `std::io::Read`.
fn paths(code: &str, first: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("{first}::")) {
        let inside_a_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        if !inside_a_word {
            expand(&code[at..], "", &mut found);
        }
    }
    found
}

/// Adds the paths at the beginning of `code`, each behind `prefix`; returns how many bytes they are.
fn expand(code: &str, prefix: &str, found: &mut Vec<String>) -> usize {
    if !code.starts_with('{') {
        let name = code.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(code.len());
        let path = format!("{prefix}{}", &code[..name]);
        let goes_on = code[name..]
            .strip_prefix("::")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '*' || c == '{'));
        if goes_on {
            return name + 2 + expand(&code[name + 2..], &format!("{path}::"), found);
        }
        found.push(path);
        return name;
    }
    let mut at = 1;
    loop {
        at += code[at..].find(|c: char| !c.is_whitespace() && c != ',').unwrap_or(code.len() - at);
        if at >= code.len() || code[at..].starts_with('}') {
            return (at + 1).min(code.len());
        }
        at += expand(&code[at..], prefix, found);
        // Past an `as other_name`.
        at += code[at..].find([',', '}']).unwrap_or(code.len() - at);
    }
}

/// The top-level modules that `code` names.
fn used_modules(code: &str) -> BTreeSet<String> {
    paths(code, "crate").iter().filter_map(|path| path.split("::").nth(1)).map(str::to_owned).collect()
}

/// What of the outside `code` touches, though it should be pure.
fn impurities(code: &str) -> Vec<String> {
    const OUTSIDE: [&str; 7] = ["fs", "io", "net", "os", "env", "process", "thread"];
    const VALUES: [&str; 6] = ["SocketAddr", "SocketAddrV4", "SocketAddrV6", "IpAddr", "Ipv4Addr", "Ipv6Addr"];
    let mut found: Vec<String> = paths(code, "std")
        .into_iter()
        .filter(|path| {
            let mut names = path.split("::").skip(1);
            let outside = names.next().is_some_and(|module| OUTSIDE.contains(&module));
            // An address is a value like any other.
            let value = path.starts_with("std::net::") && names.next().is_some_and(|name| VALUES.contains(&name));
            outside && !value
        })
        .collect();
    for other in ["tokio", "rustix", "tempfile", "indicatif", "jiff"] {
        found.extend(paths(code, other));
    }
    for words in ["async fn", "async move", ".await", "print!(", "println!(", "dbg!("] {
        found.extend(code.contains(words).then(|| words.to_owned()));
    }
    found
}

/// Where `code` reads a clock.
fn clock_readings(code: &str) -> Vec<String> {
    let words = ["Instant::now", "SystemTime", "Timestamp::now", "Zoned::now", "clock_gettime", "std::time::Instant"];
    let std_instant = paths(code, "std").contains(&"std::time::Instant".to_owned());
    let found = words.into_iter().filter(|word| code.contains(word) || (std_instant && word.starts_with("std")));
    found.map(str::to_owned).collect()
}

#[test]
fn the_library_and_its_documentation_list_the_same_modules_in_the_same_order() {
    let lib = read(&root().join("src/lib.rs"));
    let named_in = |line: &str| -> Vec<String> {
        line.strip_prefix("//! | [").map_or(Vec::new(), |line| {
            let names = line.split(" | ").next().unwrap_or_default().split('`').skip(1).step_by(2);
            names.map(|name| name.trim_start_matches("mod@").to_owned()).collect()
        })
    };
    let listed: Vec<String> = lib.lines().flat_map(named_in).collect();
    assert_eq!(listed, Rooms::documented().in_order());
    let declared: BTreeSet<String> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "))?.strip_suffix(';'))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), declared);
}

#[test]
fn no_module_uses_one_below_it() {
    let order = Rooms::documented().in_order();
    let mut wrong = Vec::new();
    for (place, module) in order.iter().enumerate() {
        for (path, code) in sources(module) {
            for used in used_modules(&code).iter().filter(|used| *used != module) {
                if !order[..place].contains(used) {
                    wrong.push(format!("{}: `{module}` uses `{used}`, which is not above it", path.display()));
                }
            }
            // Another way out of a module, which no reader would look for.
            let top = path.parent() == Some(Path::new("src"));
            if code.contains(if top { "super::" } else { "super::super::" }) {
                wrong.push(format!("{}: `super::` leads out of `{module}`; write `crate::`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_modules_touch_nothing_outside() {
    let mut wrong = Vec::new();
    for module in Rooms::documented().pure {
        for (path, code) in sources(&module) {
            // The one part of `report` with effects, as docs/architecture.md says.
            if path != Path::new("src/report/results_dir.rs") {
                wrong.extend(impurities(&code).iter().map(|found| format!("{}: `{found}`", path.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_module_alone_reads_the_clock() {
    let mut wrong = Vec::new();
    for module in Rooms::documented().in_order().iter().filter(|module| *module != "time") {
        for (path, code) in sources(module) {
            wrong.extend(clock_readings(&code).iter().map(|found| format!("{}: `{found}`", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_checks_see_what_they_look_for() {
    let upward = "use crate::{wire::Line, play::{self, Seat as Chair}};\nfn f() { crate::cli::main(); my_crate::x(); }";
    assert_eq!(used_modules(upward), ["cli", "play", "wire"].map(str::to_owned).into());

    for (code, seen) in [
        ("use std::{fmt, fs::File};", "std::fs::File"),
        ("use std::net::{SocketAddr, TcpStream};", "std::net::TcpStream"),
        ("fn f() -> std::io::Result<()> {", "std::io::Result"),
        ("let handle = tokio::spawn(x);", "tokio::spawn"),
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
    assert_eq!(clock_readings("use crate::time::{Instant, now};"), [""; 0]);

    let file = "use a::b;\n// crate::cli\n\n#[cfg(test)]\nmod tests {\n    use crate::cli;\n}\n";
    assert_eq!(code_of(file), "use a::b;");
}
