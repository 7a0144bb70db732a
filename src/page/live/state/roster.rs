//! The players of a live page, with the names that the page shows.

use std::collections::HashMap;

use crate::game::BySeat;
use crate::tournament::slug;

/// A player as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShownPlayer {
    /// The player's name in the tournament.
    pub name: String,
    /// The slug in the ids of the player's games.
    pub slug: String,
    /// The name on the page: `name` itself, or a pseudonym.
    pub shown: String,
    /// The slug on the page.
    pub shown_slug: String,
}

/// All players, in the order of the tournament or of their pseudonyms. A player that was not known in advance is added
/// when it first plays.
#[derive(Clone, Debug)]
pub(crate) struct ShownPlayers {
    players: Vec<ShownPlayer>,
    index: HashMap<String, usize>,
    /// Whether the ids of games may name players.
    shows_ids: bool,
}

impl ShownPlayers {
    /// The roster of `players`. Their names are unique. If pseudonyms hide the names, the order must not reveal them
    /// either: a tournament file is often sorted by name.
    pub(crate) fn new(mut players: Vec<ShownPlayer>) -> Self {
        let shows_ids = players.iter().all(|player| player.shown_slug == player.slug);
        if !shows_ids {
            players.sort_by(|one, other| one.shown.cmp(&other.shown));
        }
        let index = players.iter().map(|player| player.name.clone()).zip(0..).collect();
        Self { players, index, shows_ids }
    }

    /// The players, in the order of their numbers.
    pub(crate) fn players(&self) -> &[ShownPlayer] {
        &self.players
    }

    /// The number of the player called `name`, if the player is known.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The number of the player called `name`. The player is added if it is not yet known.
    pub(crate) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = self.players.len();
        let free = |slug: &String| !slug.is_empty() && self.players.iter().all(|player| player.slug != *slug);
        let slug = Some(slug(name)).filter(free).unwrap_or_else(|| format!("player-{}", number + 1));
        let (name, shown) = (name.to_owned(), name.to_owned());
        self.index.insert(name.clone(), number);
        self.players.push(ShownPlayer { name, slug: slug.clone(), shown, shown_slug: slug });
        number
    }

    /// The name that the page shows for the player with the number `number`.
    pub(crate) fn shown(&self, number: usize) -> &str {
        self.players.get(number).map_or("", |player| &player.shown)
    }

    /// Whether a pseudonym hides any player.
    pub(crate) const fn is_anonymous(&self) -> bool {
        !self.shows_ids
    }

    /// The page's id for the game `id`, with the slugs that the page shows; `id` is `r<round>-<black>-<white>`,
    /// optionally followed by `-<n>`. The ids of games with more than two seats name no players.
    pub(crate) fn shown_id(&self, id: &str, players: &BySeat<usize>) -> String {
        let Some(players) = players.clone().by_side().ok().filter(|_| !self.shows_ids) else { return id.to_owned() };
        let slugs = players.map(|number| self.players.get(number).map_or("", |player| player.shown_slug.as_str()));
        let mut parts = id.splitn(4, '-');
        let (round, rest) = (parts.next().unwrap_or_default(), parts.nth(2));
        let nth = rest.map(|nth| format!("-{nth}")).unwrap_or_default();
        format!("{round}-{}-{}{nth}", slugs.black, slugs.white)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BySide;

    fn player(name: &str, shown: &str) -> ShownPlayer {
        let slug = |name: &str| name.to_lowercase().replace(' ', "_");
        ShownPlayer { name: name.to_owned(), slug: slug(name), shown: shown.to_owned(), shown_slug: slug(shown) }
    }

    #[test]
    fn a_pseudonym_takes_the_place_of_the_name_in_ids_too() {
        let players = &BySeat::from(BySide { black: 1, white: 0 });
        let open = ShownPlayers::new(vec![player("Ann", "Ann"), player("Bob B", "Bob B")]);
        assert_eq!(open.shown_id("r2-bob_b-ann-3", players), "r2-bob_b-ann-3");
        let hidden = ShownPlayers::new(vec![player("Ann", "Red Fox"), player("Bob B", "Blue Heron")]);
        assert_eq!(
            (hidden.shown(0), hidden.shown(1)),
            ("Blue Heron", "Red Fox"),
            "their order reveals nothing about their names"
        );
        let players = &BySeat::from(BySide { black: 0, white: 1 });
        assert_eq!(hidden.shown_id("r2-bob_b-ann-3", players), "r2-blue_heron-red_fox-3");
        assert_eq!(hidden.shown_id("r2-bob_b-ann", players), "r2-blue_heron-red_fox");
        let table = BySeat::from_fn(4, |seat| seat.index() % 2);
        assert_eq!(hidden.shown_id("r1-t3-g2", &table), "r1-t3-g2");
        assert_eq!((open.is_anonymous(), hidden.is_anonymous()), (false, true));
    }

    #[test]
    fn a_player_that_nobody_announced_gets_the_next_number() {
        let mut roster = ShownPlayers::new(vec![player("Ann", "Ann")]);
        assert_eq!(["Ann", "<b>", "Ann", "<b>"].map(|name| roster.number(name)), [0, 1, 0, 1]);
        assert_eq!(roster.players()[1].shown_slug, "b");
        assert_eq!((roster.shown(1), roster.shown(7)), ("<b>", ""));
    }
}
