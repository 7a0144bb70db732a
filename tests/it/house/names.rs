//! Every type name has one meaning, so that a search for the name finds its only definition.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Names that several types may share, each with the reason.
const SHARED: [(&str, &str); 3] = [
    ("Args", "the arguments of a command; only the command's own module uses the name"),
    ("Board", "the stones of a rule set; other code qualifies the name with the module"),
    ("Game", "a game of a rule set; other code qualifies the name with the module"),
];

/// The types that `text` defines outside its tests.
fn defined(text: &str) -> Vec<&str> {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter_map(name).collect()
}

/// The name of the type whose definition begins on this line. Associated types are indented and do not count.
fn name(line: &str) -> Option<&str> {
    let indented = line.starts_with(' ');
    let line = line.trim_start();
    let unrestricted = line.strip_prefix("pub(").and_then(|rest| rest.split_once(')')).map_or(line, |(_, rest)| rest);
    let mut words = unrestricted.split_whitespace().skip_while(|word| *word == "pub");
    let is_type = match words.next()? {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => !indented,
        _ => false,
    };
    let rest = words.next().filter(|_| is_type)?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// All Rust source files below `dir`.
pub(super) fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir).expect("a folder").flatten().map(|entry| entry.path());
    let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_code = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files.into_iter().filter(is_code).chain(dirs.iter().flat_map(|dir| self::files(dir))).collect()
}

#[test]
fn no_type_name_is_defined_twice() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in ["crates/games/src", "src"].iter().flat_map(|src| files(&root.join(src))) {
        if file.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("readable");
        let place = file.strip_prefix(root).expect("below it").display().to_string();
        for name in defined(&text) {
            places.entry(name.to_owned()).or_default().push(place.clone());
        }
    }
    for (name, _) in SHARED {
        assert!(places.get(name).is_some_and(|places| places.len() > 1), "`{name}` needs no exception");
    }
    places.retain(|name, places| places.len() > 1 && SHARED.iter().all(|(shared, _)| shared != name));
    let wrong: Vec<String> =
        places.iter().map(|(name, places)| format!("`{name}` is defined in {}", places.join(", "))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn definitions_are_found_however_they_are_written() {
    let code = "pub struct A<T> {\n    pub(crate) enum B {\nstruct C(u8);\ntrait D: E {}\npub type F = u8;\npub(in crate::a) trait J {}\n    type G = u8;\n\
                // struct H\nfn structure() {}\n\n#[cfg(test)]\nmod tests {\n    struct I;\n}\n";
    assert_eq!(defined(code), ["A", "B", "C", "D", "F", "J"]);
}
