//! Names of players from names of students.

use std::collections::{HashMap, HashSet};

use crate::base::sanitise::is_unprintable;
use crate::tournament::{FORMULA_SIGNS, PlayerName, slug};

/// The built-in players that `import` may add. No student's player gets one of these names.
const BUILTIN: [&str; 2] = ["greedy", "random"];

/// Chooses the names of players one by one, so that no two names or slugs are the same.
#[derive(Debug)]
pub struct PlayerNames {
    taken: HashSet<String>,
    /// The number of students with each name, by the name's slug.
    alike: HashMap<String, usize>,
}

impl PlayerNames {
    /// Starts with the names `taken` by earlier players. `students` are all students to be named.
    pub fn new<'n>(taken: impl IntoIterator<Item = &'n str>, students: impl IntoIterator<Item = &'n str>) -> Self {
        let taken = taken.into_iter().chain(BUILTIN).flat_map(keys).collect();
        let mut alike = HashMap::new();
        for student in students {
            *alike.entry(slug(&cleaned(student))).or_default() += 1;
        }
        Self { taken, alike }
    }

    /// A name for the player of the student `full_name`. If several students have this name, as they do under blind
    /// marking, the player's name ends in the student's `number`.
    pub fn name(&mut self, full_name: &str, number: Option<&str>) -> PlayerName {
        let base = cleaned(full_name);
        let is_shared = self.alike.get(&slug(&base)).is_some_and(|students| *students > 1);
        let base = if slug(&base).is_empty() { "student".to_owned() } else { base };
        let numbered = number.filter(|number| number.len() <= 20).map(|number| with_suffix(&base, number));
        let plain = (!is_shared || numbered.is_none()).then(|| base.clone());
        let counted = (2_u64..).map(|count| with_suffix(&base, &count.to_string()));
        let candidates = plain.into_iter().chain(numbered).chain(counted);
        let found = candidates.filter_map(|name| PlayerName::new(name).ok()).find(|name| self.is_free(name));
        let name = found.unwrap_or_else(|| unreachable!("there are infinitely many numbers"));
        self.taken.extend(keys(name.as_str()));
        name
    }

    fn is_free(&self, name: &PlayerName) -> bool {
        keys(name.as_str()).iter().all(|key| !self.taken.contains(key))
    }
}

/// The keys that two players must not share: the folded name, and the slug.
fn keys(name: &str) -> Vec<String> {
    let folded = PlayerName::new(name).map(|name| format!("name {}", name.folded())).ok();
    folded.into_iter().chain([format!("slug {}", slug(name))]).collect()
}

/// `base` and `suffix` with a space between them; `base` is shortened if the name would be too long.
fn with_suffix(base: &str, suffix: &str) -> String {
    let room = PlayerName::MAX_LEN.saturating_sub(suffix.len() + 1);
    let kept: String = base.chars().take(room).collect();
    format!("{} {suffix}", kept.trim())
}

/// `text` without characters that a player's name cannot contain. The result may be empty.
fn cleaned(text: &str) -> String {
    /// The maximum length of the slug in bytes, which leaves space for a number.
    const BYTES: usize = 75;
    let visible: String = text.chars().map(|letter| if is_unprintable(letter) { ' ' } else { letter }).collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ").replace([':', '"'], "");
    let begun = words.trim_start_matches(|letter: char| FORMULA_SIGNS.contains(&letter) || letter.is_whitespace());
    let mut kept = String::new();
    for letter in begun.chars().take(PlayerName::MAX_LEN) {
        if slug(&format!("{kept}{letter}")).len() > BYTES {
            break;
        }
        kept.push(letter);
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(students: &[(&str, &str)]) -> Vec<String> {
        let mut names = PlayerNames::new(["Earlier"], students.iter().map(|(name, _)| *name));
        students.iter().map(|(name, number)| names.name(name, Some(number)).to_string()).collect()
    }

    #[test]
    fn every_student_gets_a_name_of_ones_own() {
        assert_eq!(
            named(&[
                ("Jürgen Groß", "1"),
                ("=HYPERLINK(1)", "2"),
                ("@SUM", "3"),
                ("Participant", "4"),
                ("Participant", "5")
            ]),
            ["Jürgen Groß", "HYPERLINK(1)", "SUM", "Participant 4", "Participant 5"]
        );
        assert_eq!(
            named(&[("earlier", "7"), ("Greedy", "8"), ("...", "9"), ("", "10")]),
            ["earlier 7", "Greedy 8", "student 9", "student 10"]
        );
        assert_eq!(named(&[("A:\"b\"\u{202e}c", "1"), ("Ab C", "2"), ("Ab C", "2")]), ["Ab c 1", "Ab C 2", "Ab C 3"]);
    }

    proptest! {
        #[test]
        fn all_names_are_valid_and_differ(
            students in prop::collection::vec(("[ =+@a-bA-Bß:\u{202e}\u{20000}\u{e4}_.-]{0,70}", "[0-9]{1,3}"), 0..12)
        ) {
            let pairs: Vec<(&str, &str)> = students.iter().map(|(name, number)| (name.as_str(), number.as_str())).collect();
            let names = named(&pairs);
            let slugs: HashSet<String> = names.iter().map(|name| slug(name)).collect();
            prop_assert_eq!(slugs.len(), names.len());
        }
    }
}
