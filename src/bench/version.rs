//! A version of a bot: what identifies it, how it is built and started, and what the scenarios found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::word_enum::words;
use crate::course::submissions::recipe::{Recipe, keys};
use crate::drill::readiness::ReadinessVerdict;

/// The version of the format of version.json.
const FORMAT: u32 = 1;

/// The folder of all versions in the directory of a bench, and the folder of the sources in the directory of a version.
pub(crate) const VERSIONS: &str = "versions";
pub(crate) const SOURCE: &str = "source";

/// The number of digits of the digest that make up the id of a version.
const SHORT: usize = 8;

/// The state of a version according to the quick scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BenchedState {
    /// The version passes the quick scenarios.
    Ready,
    /// The version fails a scenario.
    NotReady,
    /// The version could not be built or started.
    Broken,
}

words! { pub(crate) BenchedState; Ready => "ready", NotReady => "not ready", Broken => "broken" }

impl BenchedState {
    /// The state that follows from the verdict of a drill. Scenarios that are not quick are left to `check`.
    pub(crate) const fn of(verdict: ReadinessVerdict) -> Self {
        match verdict {
            ReadinessVerdict::Ready | ReadinessVerdict::Open => Self::Ready,
            ReadinessVerdict::NotReady => Self::NotReady,
            ReadinessVerdict::Broken => Self::Broken,
        }
    }
}

/// The terms on which a check depends besides the version itself. Under other terms, a version is checked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CheckTerms {
    /// The rules.
    pub(crate) ruleset: String,
    /// The clock of each side.
    pub(crate) time: String,
    /// How the user wants the bot to be confined.
    pub(crate) isolation: String,
}

/// The verdict on a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VersionVerdict {
    /// The state according to the scenarios.
    pub(crate) state: BenchedState,
    /// What is wrong, one sentence for each failed scenario or cause; hostile text.
    pub(crate) trouble: Vec<String>,
    /// The terms on which the verdict depends; `None` if an earlier version of the program did not record them.
    #[serde(default)]
    pub(crate) terms: Option<CheckTerms>,
}

/// A version of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BenchVersion {
    format: u32,
    /// The name of the version: the first digits of its digest.
    pub(crate) id: String,
    /// The position of the version in the order in which versions were saved, from 1.
    pub(crate) number: u32,
    /// The position of the version in the order in which versions were last saved. If its sources are saved again after
    /// other versions, the version moves to the end.
    #[serde(default)]
    pub(crate) used: u32,
    /// The digest of the sources and of the commands that build and start them.
    pub(crate) sha256: String,
    /// When the version was saved: `2026-11-21T14:05:09Z`.
    pub(crate) saved: String,
    /// The number of source files.
    pub(crate) files: usize,
    /// The directory of the bot, relative to the student's directory; empty for that directory itself.
    pub(crate) dir: String,
    /// The command that builds the bot, if it needs one.
    pub(crate) build: Option<Vec<String>>,
    /// The lines in a tournament file that start the bot, without those that build it.
    pub(crate) start: Vec<String>,
    /// The source files, by their paths in the bot's directory.
    #[serde(default)]
    pub(crate) sources: Vec<String>,
    /// The files that the build produced, by their paths in the bot's directory. A source that the build writes is
    /// still a source.
    pub(crate) products: Vec<String>,
    /// Whether the version follows the moves of an opening, by the name of each rule set under which this has been
    /// tested.
    #[serde(default)]
    pub(crate) follows: BTreeMap<String, bool>,
    /// The verdict; `None` if no check of the version has been completed.
    pub(crate) verdict: Option<VersionVerdict>,
}

impl BenchVersion {
    /// Creates an unchecked version with this digest, recipe, `sources` and `number`, saved at the time `saved`.
    pub(crate) fn new(sha256: String, recipe: &Recipe, sources: Vec<String>, (number, saved): (u32, String)) -> Self {
        Self {
            format: FORMAT,
            id: sha256.chars().take(SHORT).collect(),
            number,
            used: 0,
            sha256,
            saved,
            files: sources.len(),
            dir: recipe.dir.clone(),
            build: recipe.build.clone(),
            start: keys(&Recipe { build: None, ..recipe.clone() }),
            sources,
            products: Vec::new(),
            follows: BTreeMap::new(),
            verdict: None,
        }
    }

    /// Reads version.json; `None` if the text is in a different format.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let read: Self = serde_json::from_slice(text).ok()?;
        let is_id = !read.id.is_empty() && read.sha256.starts_with(&read.id);
        let is_hex = read.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        (read.format == FORMAT && is_id && is_hex).then_some(read)
    }

    /// The text of version.json.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers are JSON") + "\n"
    }

    /// The path of the sources, relative to the bench's directory.
    pub(crate) fn place(&self) -> PathBuf {
        [VERSIONS, &self.id, SOURCE].iter().collect()
    }

    /// Adds the files that a build has `written` to the products, except sources.
    pub(crate) fn add_products<'n>(&mut self, written: impl Iterator<Item = &'n String>) {
        let is_new = |name: &&String| !self.sources.contains(name) && !self.products.contains(name);
        let new: Vec<String> = written.filter(is_new).cloned().collect();
        self.products.extend(new);
    }

    /// Whether the version can play under `terms` without another check. Only the verdict that a version is ready
    /// remains valid: if the version was not ready because something was missing, such as a compiler, that may have
    /// been installed in the meantime.
    pub(crate) fn is_checked_for(&self, terms: &CheckTerms) -> bool {
        self.is_ready() && self.verdict.as_ref().is_some_and(|verdict| verdict.terms.as_ref() == Some(terms))
    }

    /// Whether the version passes the quick scenarios.
    pub(crate) fn is_ready(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| verdict.state == BenchedState::Ready)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::course::submissions::recipe::Certainty;
    use crate::tournament::Transport;

    /// A recipe for the bot in `bot/`.
    pub(in crate::bench) fn recipe() -> Recipe {
        Recipe {
            dir: "bot".to_owned(),
            language: "C",
            build: Some(vec!["make".to_owned()]),
            command: vec!["./bot".to_owned(), "{side}".to_owned()],
            transport: Transport::Stdio,
            hosts: Vec::new(),
            side: None,
            is_told_clock: true,
            follows_openings: false,
            certainty: Certainty::Sure,
            why: String::new(),
        }
    }

    /// A version with this digest and number.
    pub(in crate::bench) fn version(sha256: &str, number: u32) -> BenchVersion {
        BenchVersion::new(
            sha256.to_owned(),
            &recipe(),
            vec!["bot.c".to_owned()],
            (number, "2026-11-21T14:05:09Z".to_owned()),
        )
    }

    #[test]
    fn a_version_is_read_as_it_was_written_and_nothing_else_is_read() {
        let version = version("3f2a91c0ab", 7);
        assert_eq!((version.id.as_str(), version.number), ("3f2a91c0", 7));
        assert_eq!(version.start, ["command = [\"./bot\", \"{side}\"]", "transport = \"stdio\""]);
        assert_eq!(BenchVersion::parse(version.text().as_bytes()), Some(version.clone()));
        for (from, to) in [("\"format\": 1", "\"format\": 2"), ("\"id\": \"3f2a91c0\"", "\"id\": \"../x\"")] {
            assert_eq!(BenchVersion::parse(version.text().replace(from, to).as_bytes()), None, "{to}");
        }
        assert_eq!(BenchVersion::parse(b"{"), None);
    }

    #[test]
    fn a_source_that_the_build_writes_is_no_product() {
        let mut version = version("3f2a91c0ab", 7);
        version.add_products(["bot", "bot.c"].map(str::to_owned).iter());
        version.add_products(["bot", "made.h"].map(str::to_owned).iter());
        assert_eq!(version.products, ["bot", "made.h"]);
    }

    #[test]
    fn a_verdict_is_kept_only_under_the_terms_of_its_check() {
        let terms = |ruleset: &str, time: &str, isolation: &str| CheckTerms {
            ruleset: ruleset.to_owned(),
            time: time.to_owned(),
            isolation: isolation.to_owned(),
        };
        let mut version = version("3f2a91c0ab", 7);
        let usual = terms("gothello", "10s", "auto");
        assert!(!version.is_checked_for(&usual));
        for (state, kept, expected) in [
            (BenchedState::Ready, Some(usual.clone()), true),
            (BenchedState::NotReady, Some(usual.clone()), false),
            (BenchedState::Ready, None, false),
        ] {
            version.verdict = Some(VersionVerdict { state, trouble: Vec::new(), terms: kept });
            assert_eq!(version.is_checked_for(&usual), expected, "{:?}", version.verdict);
        }
        version.verdict =
            Some(VersionVerdict { state: BenchedState::Ready, trouble: Vec::new(), terms: Some(usual.clone()) });
        for other in
            [terms("seegover", "10s", "auto"), terms("gothello", "1s", "auto"), terms("gothello", "10s", "off")]
        {
            assert!(!version.is_checked_for(&other), "{other:?}");
        }
    }
}
