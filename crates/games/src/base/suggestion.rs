//! Finds the known word that a misspelt one probably stands for.

use strsim::osa_distance;

/// Returns the word in `known` that is nearest to `text`, if it is near enough to have been meant: up to a third of the
/// word's letters may be wrong. In a word of two letters, one may be wrong.
///
/// The distance counts single steps: a letter added, left out, replaced, or swapped with its neighbour. Upper and lower
/// case count as equal, and so do `-` and `_`. Among equally near words, the first wins.
pub fn nearest<'w>(text: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let length = text.chars().take(LONGEST + 1).count();
    if length > LONGEST {
        return None;
    }
    let text = plain(text);
    known
        .into_iter()
        .filter_map(|word| {
            let letters = word.chars().count();
            let bound = (letters / 3).max(1).min(letters.saturating_sub(1));
            // A word whose length differs by more than `bound` is too far away, and lengths are much quicker to
            // compare.
            let distance = (letters.abs_diff(length) <= bound).then(|| osa_distance(&text, &plain(word)))?;
            (distance <= bound).then_some((distance, word))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

/// Known words are much shorter than this, so longer text is not compared.
const LONGEST: usize = 64;

/// Returns `word` as it is compared with others: in lower case, and with `_` for `-`.
fn plain(word: &str) -> String {
    word.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_single_steps() {
        assert_eq!(osa_distance("", ""), 0);
        assert_eq!(osa_distance("", "abc"), 3);
        assert_eq!(osa_distance("rounds", "round"), 1);
        assert_eq!(osa_distance("ruonds", "rounds"), 1, "two neighbours swapped are one step");
        assert_eq!(osa_distance("kitten", "sitting"), 3);
        assert_eq!(osa_distance("größe", "grosse"), 3);
    }

    #[test]
    fn the_nearest_word_is_the_one_meant() {
        let known = ["rounds", "seed", "time", "hello_timeout"];
        assert_eq!(nearest("Round", known), Some("rounds"));
        assert_eq!(nearest("tmie", known), Some("time"));
        assert_eq!(nearest("hello-timeout", known), Some("hello_timeout"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest("5", ["1", "2"]), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"e".repeat(1_000_000), known), None);
    }
}
