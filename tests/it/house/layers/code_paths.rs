//! The paths in code, and the modules that use each other according to them.

use std::collections::{BTreeMap, BTreeSet};

/// Every path in `code` that begins with `first::`, with braces expanded: `std::{fs, io::Read}` becomes `std::fs` and
/// `std::io::Read`.
pub(super) fn paths(code: &str, first: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("{first}::")) {
        let inside_a_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        if !inside_a_word {
            expand(&code[at..], "", &mut found);
        }
    }
    found
}

/// Adds the paths at the beginning of `code` to `found`, each with `prefix` before it. Returns the length in bytes of
/// the part of `code` that was read.
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
        // Skips an `as other_name`.
        at += code[at..].find([',', '}']).unwrap_or(code.len() - at);
    }
}

/// The wings that `code` uses.
pub(super) fn used_wings(code: &str) -> BTreeSet<String> {
    paths(code, "crate").iter().filter_map(|path| path.split("::").nth(1)).map(str::to_owned).collect()
}

/// The module of `known` that contains the item `path`, which starts at the crate's root: the module whose path is the
/// longest prefix of `path`.
fn module_of<'a>(path: &str, known: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let begins =
        |module: &&String| path.strip_prefix(*module).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    known.keys().filter(begins).max_by_key(|module| module.len()).map(String::as_str)
}

/// The modules that the module `name` uses according to its paths.
///
/// A head and the files of its folder belong together: the head defines their common types and re-exports their public
/// items. Therefore a file may use any head above itself; such a use does not count as an arrow.
pub(super) fn arrows(name: &str, code: &str, known: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut used: Vec<String> =
        paths(code, "crate").iter().map(|path| path.trim_start_matches("crate::").to_owned()).collect();
    let parent = |module: &str| module.rsplit_once("::").map_or(String::new(), |(parent, _)| parent.to_owned());
    for path in paths(code, "super") {
        let (mut from, mut rest) = (name.to_owned(), path.as_str());
        while let Some(further) = rest.strip_prefix("super::") {
            (from, rest) = (parent(&from), further);
        }
        used.push(format!("{from}::{rest}"));
    }
    let children = known.keys().filter(|module| parent(module) == name);
    for child in children {
        let short = child.rsplit("::").next().unwrap_or_default();
        used.extend(paths(code, short).iter().map(|path| format!("{name}::{path}")));
    }
    let modules = used.iter().filter_map(|path| module_of(path, known));
    let is_own_head = |module: &str| name == module || name.starts_with(&format!("{module}::"));
    modules.filter(|module| !is_own_head(module)).map(str::to_owned).collect()
}

/// A cycle of modules that use each other, if there is one.
pub(super) fn circle(arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        from: &str,
        arrows: &BTreeMap<String, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = way.iter().position(|module| module == from) {
            return Some(way[at..].to_vec());
        }
        if !done.contains(from) {
            way.push(from.to_owned());
            for to in arrows.get(from).into_iter().flatten() {
                if let Some(circle) = walk(to, arrows, way, done) {
                    return Some(circle);
                }
            }
            way.pop();
            done.insert(from.to_owned());
        }
        None
    }
    let mut done = BTreeSet::new();
    arrows.keys().find_map(|from| walk(from, arrows, &mut Vec::new(), &mut done))
}

#[test]
fn circles_are_found_however_their_paths_are_written() {
    let known: BTreeMap<String, String> = [
        ("w", "pub mod a;"),
        ("w::a", "mod b;\nmod c;\npub use b::B;"),
        ("w::a::b", "use super::c::C;\nuse super::Shared;"),
        ("w::a::c", "use crate::w::d::D;"),
        ("w::d", "use crate::w::a::b::B;"),
    ]
    .map(|(name, code)| (name.to_owned(), code.to_owned()))
    .into();
    let all: BTreeMap<String, BTreeSet<String>> =
        known.iter().map(|(name, code)| (name.clone(), arrows(name, code, &known))).collect();
    assert_eq!(all["w::a::b"], ["w::a::c".to_owned()].into(), "a file's own head is not an arrow");
    assert_eq!(circle(&all), Some(["w::a::b", "w::a::c", "w::d"].map(str::to_owned).to_vec()));
    let straight: BTreeMap<String, BTreeSet<String>> = all.into_iter().filter(|(name, _)| name != "w::d").collect();
    assert_eq!(circle(&straight), None);
}
