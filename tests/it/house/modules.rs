//! Every file of code belongs to a module: the compiler ignores a file that no `mod` names, and its tests never run.

use std::fs;
use std::path::{Path, PathBuf};

use super::names::files;

/// The files that may declare the module of `file` with `mod`, and the module's name; `None` for the root of a crate.
fn declaration(file: &Path) -> Option<([PathBuf; 4], String)> {
    let (dir, stem) = (file.parent()?, file.file_stem()?);
    let (dir, stem) = match stem.to_str()? {
        "lib" | "main" => return None,
        "mod" => (dir.parent()?, dir.file_name()?),
        _ => (dir, stem),
    };
    let parents = [dir.join("mod.rs"), dir.with_extension("rs"), dir.join("lib.rs"), dir.join("main.rs")];
    Some((parents, stem.to_str()?.to_owned()))
}

#[test]
fn every_file_of_code_is_a_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<PathBuf> =
        ["crates/games/src", "src", "tests/it"].iter().flat_map(|folder| files(&root.join(folder))).collect();
    assert!(files.len() > 500, "{}", files.len());
    let is_orphan = |file: &&PathBuf| {
        declaration(file).is_some_and(|(parents, name)| {
            let declares = |parent: &PathBuf| {
                let text = fs::read_to_string(parent).unwrap_or_default();
                text.lines().any(|line| line.trim_end().ends_with(&format!("mod {name};")))
            };
            !parents.iter().any(declares)
        })
    };
    let orphans: Vec<&PathBuf> = files.iter().filter(is_orphan).collect();
    assert!(orphans.is_empty(), "no `mod` names {orphans:#?}");
}

#[test]
fn the_parents_of_a_module_are_found_wherever_it_is() {
    let of =
        |file: &str| declaration(Path::new(file)).map(|(parents, name)| (parents[0].clone(), parents[1].clone(), name));
    let parents =
        |head: &str, sibling: &str, name: &str| Some((PathBuf::from(head), PathBuf::from(sibling), name.to_owned()));
    assert_eq!(of("src/run/play.rs"), parents("src/run/mod.rs", "src/run.rs", "play"));
    assert_eq!(of("src/run/mod.rs"), parents("src/mod.rs", "src.rs", "run"));
    assert_eq!(of("src/lib.rs"), None);
}
