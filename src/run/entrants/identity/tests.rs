//! Tests of the products of a build.

use std::fs;

use super::*;
use crate::host::program::ProgramFiles;

#[test]
fn only_what_a_build_has_made_is_a_product() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["bot", "bot.c"] {
        fs::write(dir.path().join(name), name).expect("written");
    }
    let extent = ProgramFiles::Tree(dir.path().to_owned());
    let inventory = || Inventory::take(None, &extent, &|_| true).expect("read");
    let identities = [
        Identity::of_builtin(None),
        Identity::of_program(inventory()),
        Identity::of_built(inventory(), dir.path(), &BTreeSet::from(["bot".to_owned()])),
    ];
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    let found = identities.map(|identity| (names(&identity.files()), identity.products().map(names)));
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(
        found,
        [(owned(&[]), None), (owned(&["bot", "bot.c"]), None), (owned(&["bot.c"]), Some(owned(&["bot"]))),]
    );
}
