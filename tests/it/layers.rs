//! The house keeps its order: each module uses only those above it, and the pure ones touch nothing outside.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The table of docs/architecture.md: the pure modules and those with effects, each in order.
fn documented() -> (Vec<String>, Vec<String>) {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| **pure**")).take_while(|line| line.starts_with('|'));
    let (mut pure, mut effects) = (Vec::new(), Vec::new());
    let mut into = &mut pure;
    for row in rows.skip(1) {
        if row.starts_with("| **effects**") {
            into = &mut effects;
            continue;
        }
        let names = row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2);
        into.extend(names.filter(|name| !name.contains('/')).map(str::to_owned));
    }
    (pure, effects)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file of a module, with the part of it that is no test.
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
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        (path, code)
    };
    files.into_iter().map(read).collect()
}

/// The top-level modules that a piece of code names by `crate::`.
fn uses(code: &str) -> BTreeSet<String> {
    let after = code.split("crate::").skip(1);
    after
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn every_module_is_documented_in_its_place() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let modules: BTreeSet<String> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ").and_then(|line| line.strip_suffix(';')))
        .map(str::to_owned)
        .collect();
    let (pure, effects) = documented();
    let documented: BTreeSet<String> = pure.into_iter().chain(effects).collect();
    assert_eq!(documented, modules);
}

#[test]
fn no_module_uses_one_below_it() {
    let (pure, effects) = documented();
    let order: Vec<String> = pure.into_iter().chain(effects).collect();
    let mut wrong = Vec::new();
    for (place, module) in order.iter().enumerate() {
        for (path, code) in sources(module) {
            for used in uses(&code) {
                let found = order.iter().position(|other| *other == used);
                if used != *module && found.is_none_or(|found| found >= place) {
                    wrong.push(format!("{}: `{module}` uses `{used}`", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_modules_touch_nothing_outside() {
    // Reading a results directory is the one part of `report` with effects.
    let exempt = ["results_dir.rs"];
    let forbidden = [
        "tokio",
        "std::io",
        "std::net::Tcp",
        "std::fs",
        "std::process",
        "Instant::now",
        "SystemTime",
        "println!",
        "eprintln!",
        "thread::",
        "std::env",
    ];
    let mut wrong = Vec::new();
    for module in documented().0 {
        for (path, code) in sources(&module) {
            if exempt.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let found = forbidden.iter().filter(|word| code.contains(**word));
            wrong.extend(found.map(|word| format!("{}: `{word}`", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_module_alone_reads_the_clock() {
    let (pure, effects) = documented();
    for module in pure.into_iter().chain(effects).filter(|module| module != "time") {
        for (path, code) in sources(&module) {
            for word in ["Instant::now", "SystemTime::now", "Timestamp::now"] {
                assert!(!code.contains(word), "{}: `{word}`", path.display());
            }
        }
    }
}
