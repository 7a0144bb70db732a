//! Guesses which known word a user meant.

/// Returns the word of `known` nearest to `text`, if it is near enough to be what the user meant: up to a third of its
/// letters may be wrong, and one letter always may. Among equally near words the first one wins. Upper and lower case
/// are equal, and so are `-` and `_`.
pub(crate) fn nearest<'w>(text: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let text: Vec<char> = text.chars().take(LONGEST + 1).map(plain).collect();
    if text.len() > LONGEST {
        return None;
    }
    known
        .into_iter()
        .filter_map(|word| {
            let letters: Vec<char> = word.chars().map(plain).collect();
            let bound = (letters.len() / 3).max(1);
            // The difference in length may already rule the word out, which is cheaper to check.
            let distance = (letters.len().abs_diff(text.len()) <= bound).then(|| distance(&text, &letters))?;
            (distance <= bound).then_some((distance, word))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, word)| word)
}

/// No known word comes near this length, so longer text need not be compared at all.
const LONGEST: usize = 64;

/// Removes the differences that do not count from a character.
fn plain(c: char) -> char {
    if c == '-' { '_' } else { c.to_ascii_lowercase() }
}

/// Returns how many single steps lead from `a` to `b`: a character inserted, deleted, replaced, or swapped with its
/// neighbour (the restricted Damerau-Levenshtein distance).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(a: &str, b: &str) -> usize {
        distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn distances_count_single_steps() {
        assert_eq!(between("", ""), 0);
        assert_eq!(between("", "abc"), 3);
        assert_eq!(between("rounds", "round"), 1);
        assert_eq!(between("ruonds", "rounds"), 1, "two neighbours swapped are one step");
        assert_eq!(between("kitten", "sitting"), 3);
        assert_eq!(between("größe", "grosse"), 3);
    }

    #[test]
    fn the_nearest_word_is_the_one_meant() {
        let known = ["rounds", "seed", "time", "hello_timeout"];
        assert_eq!(nearest("Round", known), Some("rounds"));
        assert_eq!(nearest("tmie", known), Some("time"));
        assert_eq!(nearest("hello-timeout", known), Some("hello_timeout"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"e".repeat(1_000_000), known), None);
    }
}
