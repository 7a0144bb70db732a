//! A table of the file, with the keys that it may have.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{AnyKey, GoesWith};

/// A TOML value with its span in the file.
pub(crate) type TomlValue<'t> = Spanned<DeValue<'t>>;

/// A table of the file: its top level, the table of a player, or a table within another value.
#[derive(Clone)]
pub(crate) struct Section<'t> {
    table: &'t DeTable<'t>,
    /// The keys that the table may have, in the order in which messages name them.
    keys: Vec<&'static dyn AnyKey>,
}

impl<'t> Section<'t> {
    /// Creates the section of `table`, which may have `keys`.
    pub(crate) fn new(table: &'t DeTable<'t>, keys: &[&'static dyn AnyKey]) -> Self {
        Self { table, keys: keys.to_vec() }
    }

    /// The value at `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&'t TomlValue<'t>> {
        debug_assert!(self.keys.iter().any(|known| known.name() == key), "`{key}` is not in any list of keys");
        self.table.get(key)
    }

    /// Whether the file contains `key`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// All keys that the file contains in this section.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(|key| &**key.get_ref())
    }

    /// Returns the byte offset of `key`.
    pub(crate) fn key_offset(&self, key: &str) -> usize {
        self.table.get_key_value(key).map_or(0, |(key, _)| key.span().start)
    }

    /// The keys that the section may have.
    pub(crate) fn known(&self) -> Arc<[&'static str]> {
        self.keys.iter().map(|key| key.name()).collect()
    }

    /// The keys in the file that the section may not have, each with its offset.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (usize, &str)> {
        let unknown = |key: &str| !self.keys.iter().any(|known| known.name() == key);
        self.table.keys().filter(move |key| unknown(key.get_ref())).map(|key| (key.span().start, &**key.get_ref()))
    }

    /// The section's keys in the file whose dependency is not satisfied, as determined by `fits`. Each key comes with
    /// its dependency.
    pub(crate) fn misfits(&self, fits: impl Fn(GoesWith) -> bool) -> Vec<(&'static str, GoesWith)> {
        let given = self.keys.iter().filter(|key| self.has(key.name()));
        given.filter_map(|key| Some((key.name(), key.beside().filter(|&beside| !fits(beside))?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::file::key::FileKey;
    use crate::tournament::file::key_kinds::TrueOrFalse;

    const ALL: FileKey<TrueOrFalse> = FileKey::new("all", TrueOrFalse, "");
    const BOTH: FileKey<TrueOrFalse> = FileKey::new("both", TrueOrFalse, "").beside("way", &["left", "right"]);
    const LEFT: FileKey<TrueOrFalse> = FileKey::new("left", TrueOrFalse, "").beside("way", &["left"]);
    const KEYS: &[&dyn AnyKey] = &[&ALL, &BOTH, &LEFT];

    #[test]
    fn only_keys_of_the_list_are_known() {
        let table = DeTable::parse("b = 1\nboth = 2\nc = 3").unwrap();
        let section = Section::new(table.get_ref(), KEYS);
        assert!(section.has("both") && section.get("both").is_some() && section.get("left").is_none());
        let unknown: Vec<(usize, &str)> = section.unknown().collect();
        assert_eq!(unknown, [(0, "b"), (15, "c")]);
        assert_eq!(*section.known(), ["all", "both", "left"]);
        assert_eq!(section.key_offset("both"), 6);
    }

    #[test]
    fn a_key_that_goes_with_one_word_does_not_fit_the_others() {
        let table = DeTable::parse("both = 1\nleft = 2\nall = 3").unwrap();
        let section = Section::new(table.get_ref(), KEYS);
        let misfits = |way: &str| -> Vec<&str> {
            section.misfits(|beside| beside.words.contains(&way)).into_iter().map(|(key, _)| key).collect()
        };
        assert_eq!(misfits("left"), [""; 0]);
        assert_eq!(misfits("right"), ["left"]);
        assert_eq!(misfits("none"), ["both", "left"]);
    }
}
