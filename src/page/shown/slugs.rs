//! The players' slugs in links and in the ids of a page's elements.

use std::collections::HashSet;

use crate::tournament::slug;

/// The slugs of `names`, each different from all others. Names from other programs' files may have the same slug, or
/// no slug.
pub(super) fn slugs<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut unused = |name: &str| {
        let slug = Some(slug(name)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| "player".to_owned());
        // No slug contains a `-`, so these can never collide with a player's own slug.
        let numbered = (2..).map(|number| format!("{slug}-{number}"));
        let free = std::iter::once(slug.clone()).chain(numbered).find(|word| !taken.contains(word));
        let free = free.unwrap_or(slug);
        taken.insert(free.clone());
        free
    };
    names.into_iter().map(&mut unused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_has_a_slug_of_its_own() {
        assert_eq!(
            slugs(["Line bot", "line_bot", "...", "!!!", "b"]),
            ["line_bot", "line_bot-2", "player", "player-2", "b"]
        );
    }
}
