//! Made-up names for a page that must not reveal the identity of the players.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::base::random::SplitMix64;
use crate::tournament::slug;

/// The version of the alias file, which docs/reference/schemas/aliases.schema.json describes.
const FORMAT: u32 = 1;

const COLOURS: [&str; 20] = [
    "Amber", "Azure", "Blue", "Bronze", "Copper", "Coral", "Crimson", "Emerald", "Golden", "Green", "Indigo", "Ivory",
    "Jade", "Lilac", "Olive", "Purple", "Ruby", "Scarlet", "Silver", "Violet",
];

const BIRDS: [&str; 40] = [
    "Avocet", "Bittern", "Bunting", "Buzzard", "Condor", "Coot", "Crane", "Curlew", "Dipper", "Dove", "Dunlin",
    "Eagle", "Egret", "Falcon", "Finch", "Gannet", "Godwit", "Goose", "Grebe", "Gull", "Harrier", "Hawk", "Heron",
    "Hoopoe", "Ibis", "Jay", "Kite", "Lark", "Linnet", "Martin", "Oriole", "Osprey", "Owl", "Petrel", "Plover",
    "Raven", "Robin", "Stork", "Swift", "Wren",
];

/// A made-up name for each player, as kept in the file of aliases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aliases {
    format: u32,
    aliases: BTreeMap<String, String>,
}

/// A reason why a file of aliases cannot be used.
#[derive(Debug, Error)]
pub enum BadAliases {
    /// The text is not JSON of the right form.
    #[error("it is not a valid alias file: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version of this program wrote the file.
    #[error("format {0} is not known to this version of gothello-arena")]
    Format(u32),
    /// Two players have the same alias, or aliases that differ only in characters that links do not contain.
    #[error("the alias `{0}` is used for two players")]
    Twice(String),
}

impl Default for Aliases {
    fn default() -> Self {
        Self { format: FORMAT, aliases: BTreeMap::new() }
    }
}

impl Aliases {
    /// Reads the text of a file of aliases.
    ///
    /// # Errors
    /// Fails if the text does not contain aliases, or contains ambiguous ones.
    pub fn parse(text: &[u8]) -> Result<Self, BadAliases> {
        let read: Self = serde_json::from_slice(text)?;
        if read.format != FORMAT {
            return Err(BadAliases::Format(read.format));
        }
        let mut slugs = BTreeSet::new();
        match read.aliases.values().find(|alias| !slugs.insert(slug(alias))) {
            Some(twice) => Err(BadAliases::Twice(twice.clone())),
            None => Ok(read),
        }
    }

    /// The text of the file of aliases.
    pub fn json(&self) -> String {
        // Aliases are plain data with text keys, which JSON can always represent.
        let text = serde_json::to_string_pretty(self);
        text.unwrap_or_else(|error| unreachable!("aliases are JSON: {error}")) + "\n"
    }

    /// Adds an alias for each of `names` that does not have one. The same names and the same `seed` always produce the
    /// same aliases, which cannot be computed without the seed.
    #[must_use]
    pub fn with<'n>(mut self, names: impl IntoIterator<Item = &'n str>, seed: &str) -> Self {
        let names: BTreeSet<&str> = names.into_iter().filter(|&name| !self.aliases.contains_key(name)).collect();
        let originals: BTreeSet<String> = names.iter().map(|name| slug(name)).collect();
        let mut taken: BTreeSet<String> = self.aliases.values().map(|alias| slug(alias)).chain(originals).collect();
        let mut order: Vec<(u64, &str)> = names.into_iter().map(|name| (number_of(seed, name), name)).collect();
        order.sort_unstable();
        for (number, name) in order {
            let mut random = SplitMix64::new(number);
            let alias = (1..=u64::MAX).map(|tries| made_up(&mut random, tries)).find(|alias| taken.insert(slug(alias)));
            self.aliases.extend(alias.map(|alias| (name.to_owned(), alias)));
        }
        self
    }

    /// The alias of the player `name`, or `name` itself if the player has none.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// `text` with an alias in place of every name and every slug of a player, ignoring case. A name with fewer than
    /// four characters is replaced only if it is a separate word; otherwise, every `a` in a text would be replaced.
    pub fn in_text(&self, text: &str) -> String {
        let mut words: Vec<(String, &str)> = Vec::with_capacity(2 * self.aliases.len());
        for (name, alias) in &self.aliases {
            words.extend([name.to_lowercase(), slug(name)].map(|word| (word, alias.as_str())));
        }
        words.retain(|(word, _)| !word.is_empty());
        // A name may be a prefix of another one.
        words.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        let (mut new, mut rest, mut before) = (String::with_capacity(text.len()), text, None);
        while let Some(letter) = rest.chars().next() {
            let found = words.iter().find_map(|(word, alias)| Some((match_length(rest, word, before)?, *alias)));
            let length = found.map_or(letter.len_utf8(), |(length, _)| length);
            let (passed, left) = rest.split_at(length);
            new.push_str(found.map_or(passed, |(_, alias)| alias));
            before = passed.chars().next_back();
            rest = left;
        }
        new
    }
}

/// The length in bytes of the prefix of `text` that matches `word`, which is in lower case; `None` if there is no
/// match. `before` is the letter before `text`.
fn match_length(text: &str, word: &str, before: Option<char>) -> Option<usize> {
    /// The minimum length in characters at which a name is also replaced within words.
    const DISTINCT: usize = 4;
    let mut wanted = word.chars();
    let mut length = 0;
    for letter in text.chars() {
        if wanted.as_str().is_empty() {
            break;
        }
        for small in letter.to_lowercase() {
            if wanted.next() != Some(small) {
                return None;
            }
        }
        length += letter.len_utf8();
    }
    let joins = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let stands_alone = !joins(before) && !joins(text[length..].chars().next());
    (wanted.as_str().is_empty() && (stands_alone || word.chars().count() >= DISTINCT)).then_some(length)
}

/// A number derived from `seed` and `name` that reveals neither.
fn number_of(seed: &str, name: &str) -> u64 {
    let digest: [u8; 32] = Sha256::new().chain_update(seed).chain_update("\n").chain_update(name).finalize().into();
    digest.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
}

/// A random made-up name. After forty tries, a number is added, since all pairs of words may be in use.
fn made_up(random: &mut SplitMix64, tries: u64) -> String {
    const WITHOUT_NUMBER: u64 = 40;
    let mut one_of = |words: &[&'static str]| words[usize::try_from(random.below(words.len() as u64)).unwrap_or(0)];
    let name = format!("{} {}", one_of(&COLOURS), one_of(&BIRDS));
    if tries <= WITHOUT_NUMBER { name } else { format!("{name} {}", tries - WITHOUT_NUMBER + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases(names: &[&str]) -> Aliases {
        Aliases::default().with(names.iter().copied(), "a seed")
    }

    #[test]
    fn thousands_of_players_have_different_aliases_that_last() {
        let names: Vec<String> = (0..3000).map(|number| format!("player {number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let all = aliases(&names);
        assert_eq!(all.aliases.values().map(|alias| slug(alias)).collect::<BTreeSet<_>>().len(), 3000);
        assert_eq!(aliases(&names), all);
        // When a run gets more players, the earlier aliases stay the same.
        let few = aliases(&names[..10]);
        let more = few.clone().with(names.iter().copied(), "another seed");
        assert!(names[..10].iter().all(|name| few.of(name) == more.of(name)));
        assert_ne!(Aliases::default().with(names.iter().copied(), "another seed"), all);
        assert_eq!(Aliases::parse(all.json().as_bytes()).expect("its own text"), all);
    }

    #[test]
    fn no_player_gets_the_name_of_another() {
        let every: Vec<String> =
            COLOURS.iter().flat_map(|colour| BIRDS.map(|bird| format!("{colour} {bird}"))).collect();
        let names: Vec<&str> = every.iter().map(String::as_str).collect();
        let all = aliases(&names);
        assert!(names.iter().all(|name| !every.contains(&all.of(name).to_owned())));
    }

    #[test]
    fn names_within_texts_are_replaced_in_every_case() {
        let all = aliases(&["Bob Smith", "bob", "Größe 5"]);
        let [bob_smith, bob, size] = ["Bob Smith", "bob", "Größe 5"].map(|name| all.of(name).to_owned());
        for (text, new) in [
            ("BOB SMITH beat Bob.", format!("{bob_smith} beat {bob}.")),
            ("/home/bob_smith/bob/x", format!("/home/{bob_smith}/{bob}/x")),
            ("bobbing", "bobbing".to_owned()),
            ("a nabob", "a nabob".to_owned()),
            ("nabobbing xbob bob", format!("nabobbing xbob {bob}")),
            ("größe_5 xGRÖSSE 5x GRÖßE 5", format!("{size} xGRÖSSE 5x {size}")),
            ("", String::new()),
        ] {
            assert_eq!(all.in_text(text), new);
        }
    }

    #[test]
    fn files_that_would_mix_players_up_are_refused() {
        for (text, why) in [
            ("{}", "it is not a valid alias file: missing field `format` at line 1 column 2"),
            ("{\"format\":2,\"aliases\":{}}", "format 2 is not known to this version of gothello-arena"),
            ("{\"format\":1,\"aliases\":{\"a\":\"X y\",\"b\":\"x  Y\"}}", "the alias `x  Y` is used for two players"),
        ] {
            assert_eq!(Aliases::parse(text.as_bytes()).expect_err("bad").to_string(), why);
        }
    }
}
