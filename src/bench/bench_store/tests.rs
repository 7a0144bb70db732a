//! Adds versions, returns to them, and deletes them.

use super::*;
use crate::bench::version::tests::recipe as recipe_in_bot;
use crate::bench::version::{BenchedState, VersionVerdict};
use crate::course::submissions::recipe::Recipe;

/// A recipe for the bot in the student's directory itself.
fn recipe() -> Recipe {
    Recipe { dir: String::new(), ..recipe_in_bot() }
}

/// A student's directory with its bench.
struct Desk {
    dir: tempfile::TempDir,
    store: BenchStore,
    sources: OwnSources,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let store = BenchStore::open(dir.path()).unwrap_or_else(|error| panic!("{error}"));
        let own = dir.path().to_owned();
        let sources = OwnSources { results: own.join("results"), dir: own, outputs: Vec::new(), given: None };
        Self { dir, store, sources }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).expect("written");
    }

    fn add(&self) -> BenchVersion {
        self.store.add(&self.sources, &recipe()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Saves `text` as the source, and adds the version.
    fn save(&self, text: &str) -> BenchVersion {
        self.write("bot.c", text);
        self.add()
    }

    fn ids(&self) -> Vec<String> {
        let versions = self.store.versions().unwrap_or_else(|error| panic!("{error}"));
        versions.into_iter().map(|version| version.id).collect()
    }
}

fn ready() -> VersionVerdict {
    VersionVerdict { state: BenchedState::Ready, trouble: Vec::new(), terms: None }
}

#[test]
fn sources_that_are_saved_again_are_the_version_that_promote_takes() {
    let desk = Desk::new();
    let (first, second) = (desk.save("1"), desk.save("2"));
    assert_eq!(desk.store.version(None).map(|last| last.id).ok(), Some(second.id.clone()));
    assert_eq!(desk.save("1").id, first.id);
    assert_eq!(desk.store.version(None).map(|last| last.id).ok(), Some(first.id.clone()));
    assert_eq!(desk.ids(), [first.id, second.id], "the list keeps its order");
}

#[test]
fn adding_a_version_deletes_none_and_tidying_keeps_what_was_used_last() {
    let desk = Desk::new();
    let versions: Vec<BenchVersion> = (0..24).map(|number| desk.save(&number.to_string())).collect();
    assert_eq!(desk.ids().len(), 24);
    let again = desk.save("0");
    assert_eq!(again.id, versions[0].id);
    desk.store.tidy(&again.id, |error| panic!("{error}"));
    let kept = desk.ids();
    assert_eq!(kept.len(), 20);
    assert!(kept.contains(&versions[0].id) && !kept.contains(&versions[1].id), "{kept:?}");
}

#[test]
fn products_are_left_out_after_a_build_that_failed_but_sources_never_are() {
    let desk = Desk::new();
    desk.write("rules.h", "a source that the build writes again");
    let mut built = desk.save("1");
    built.add_products(["made.h", "rules.h"].map(str::to_owned).iter());
    built.verdict = Some(ready());
    desk.store.keep(&built).unwrap_or_else(|error| panic!("{error}"));
    desk.write("made.h", "by the build");
    assert_eq!(desk.add().id, built.id, "the student has built it, too");
    let mut broken = desk.save("2");
    assert_eq!(broken.sources, ["bot.c", "rules.h"]);
    broken.verdict = Some(VersionVerdict { state: BenchedState::Broken, trouble: Vec::new(), terms: None });
    desk.store.keep(&broken).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(desk.save("3").sources, ["bot.c", "rules.h"], "after a broken version");
    assert_eq!(desk.save("4").sources, ["bot.c", "rules.h"], "after a version without a verdict");
}

#[test]
fn a_journal_that_cannot_be_read_is_told_and_the_others_are_listed() {
    let desk = Desk::new();
    let version = desk.save("1");
    let run = desk.store.games(&version.id).join("greedy");
    fs::create_dir_all(&run).expect("made");
    fs::write(run.join("journal.jsonl"), "damaged\n{}\n").expect("written");
    let mut told = Vec::new();
    assert!(desk.store.results(&version.id, |error| told.push(error.to_string())).is_empty());
    assert_eq!(told.len(), 1, "{told:?}");
}
