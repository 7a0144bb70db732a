//! A table of the file that remembers which of its keys were asked for.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML value with its bytes in the file.
pub(crate) type TomlValue<'t> = Spanned<DeValue<'t>>;

/// A table of the file: its top, one player's, or one within another value.
///
/// There is no list of known keys: reading a key makes it known. Every other key in the file is unknown.
pub(crate) struct Section<'t> {
    table: &'t DeTable<'t>,
    /// The keys that were asked for, in the order of their first request, each with the variant that asked.
    asked: Vec<(&'static str, Option<&'static str>)>,
    variant: Option<&'static str>,
}

impl<'t> Section<'t> {
    /// A section before any of its keys has been read.
    pub(crate) const fn new(table: &'t DeTable<'t>) -> Self {
        Self { table, asked: Vec::new(), variant: None }
    }

    /// Returns the value at `key`, and counts as asking for it.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'t TomlValue<'t>> {
        let question = (key, self.variant);
        if !self.asked.contains(&question) {
            self.asked.push(question);
        }
        self.table.get(key)
    }

    /// Reads keys on behalf of one variant of what the section describes, such as one kind of player. They mean nothing in
    /// the other variants.
    pub(crate) fn under<T>(&mut self, variant: &'static str, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.variant.replace(variant);
        let value = read(self);
        self.variant = before;
        value
    }

    /// Whether the file has `key`. This does not count as asking for it.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The value at `key`. This does not count as asking for it.
    pub(crate) fn peek(&self, key: &str) -> Option<&'t TomlValue<'t>> {
        self.table.get(key)
    }

    /// All keys of the file's section.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(|key| &**key.get_ref())
    }

    /// Returns the byte offset of `key`.
    pub(crate) fn key_offset(&self, key: &str) -> usize {
        self.table.get_key_value(key).map_or(0, |(key, _)| key.span().start)
    }

    /// The keys that were asked for, in the order of their first request.
    pub(crate) fn known(&self) -> Arc<[&'static str]> {
        let mut known: Vec<&'static str> = Vec::with_capacity(self.asked.len());
        for &(key, _) in &self.asked {
            if !known.contains(&key) {
                known.push(key);
            }
        }
        known.into()
    }

    /// The keys of the file that no reader asked for, each with its offset.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (usize, &str)> {
        let unknown = |key: &str| !self.asked.iter().any(|&(asked, _)| asked == key);
        self.table.keys().filter(move |key| unknown(key.get_ref())).map(|key| (key.span().start, &**key.get_ref()))
    }

    /// The keys of the file that were asked for only under variants other than `variant`, each with these variants.
    pub(crate) fn of_other_variants(&self, variant: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
        let askers = |key| self.asked.iter().filter(move |&&(asked, _)| asked == key).map(|&(_, asker)| asker);
        let foreign =
            |key: &&'static str| self.has(key) && askers(*key).all(|asker| asker.is_some_and(|asker| asker != variant));
        let known = self.known();
        known.iter().copied().filter(foreign).map(|key| (key, askers(key).flatten().collect())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys<'s>(section: &'s Section<'_>) -> Vec<&'s str> {
        section.unknown().map(|(_, key)| key).collect()
    }

    #[test]
    fn a_key_is_known_by_being_asked_for() {
        let table = DeTable::parse("b = 1\na = 2\nc = 3").unwrap();
        let mut section = Section::new(table.get_ref());
        assert!(section.has("a"));
        assert_eq!(keys(&section), ["a", "b", "c"]);
        assert!(section.get("a").is_some() && section.get("z").is_none() && section.get("a").is_some());
        assert_eq!(keys(&section), ["b", "c"]);
        assert_eq!(*section.known(), ["a", "z"]);
        assert_eq!(section.key_offset("a"), 6);
    }

    #[test]
    fn a_key_of_one_variant_is_foreign_to_the_others() {
        let table = DeTable::parse("both = 1\nleft = 2\nall = 3").unwrap();
        let mut section = Section::new(table.get_ref());
        section.get("all");
        section.under("left", |section| {
            section.get("both");
            section.get("left");
            section.get("absent");
        });
        section.under("right", |section| assert!(section.get("both").is_some()));
        assert_eq!(section.of_other_variants("left"), []);
        assert_eq!(section.of_other_variants("right"), [("left", vec!["left"])]);
        assert_eq!(section.of_other_variants("none"), [("both", vec!["left", "right"]), ("left", vec!["left"])]);
        assert_eq!(keys(&section), [""; 0]);
    }
}
