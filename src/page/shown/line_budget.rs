//! How many better lines a page contains: all of them, unless they would make a page of many games too large.

use super::game_code::winner_of_letter;

/// The largest number of plies in all lines of a page together. This many plies take up less than 400 KiB.
const MOST_PLIES: usize = 450_000;

/// Removes lines from `values`, the values of games as text, until the lines have at most `most` plies: first the lines
/// of moves that lost only stones, and then the lines of the last games.
fn thin(values: &mut [&mut String], most: usize) {
    let plies = |values: &[&mut String]| values.iter().map(|text| line_plies(text)).sum::<usize>();
    if plies(values) <= most {
        return;
    }
    for text in values.iter_mut() {
        **text = with_lines(text, |before, after| winner_of_letter(before) != winner_of_letter(after));
    }
    let mut left = most;
    for text in values.iter_mut() {
        match left.checked_sub(line_plies(text)) {
            Some(rest) => left = rest,
            None => **text = with_lines(text, |_, _| false),
        }
    }
}

/// Removes lines from `values`, the values of a page's games as text, if they have more plies than a page may contain.
pub(super) fn within_budget<'v>(values: impl Iterator<Item = &'v mut String>) {
    thin(&mut values.collect::<Vec<_>>(), MOST_PLIES);
}

/// About how many plies there are in the lines of `text`: a ply of Gothello is written as one letter.
fn line_plies(text: &str) -> usize {
    text.split('(').skip(1).filter_map(|rest| rest.find(')')).sum()
}

/// `text` with only those lines for which `keeps` returns `true`. The function receives the letters of the values
/// before and after the move.
fn with_lines(text: &str, keeps: impl Fn(u8, u8) -> bool) -> String {
    let bytes = text.as_bytes();
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = if bytes.get(at + 1) == Some(&b'!') { move_end(bytes, at + 2) } else { at + 1 };
        kept.push_str(&text[at..end]);
        let next = match text[end..].strip_prefix('(').and_then(|rest| rest.find(')')) {
            Some(length) => end + length + 2,
            None => end,
        };
        if bytes.get(next).is_some_and(|&after| keeps(bytes[at], after)) {
            kept.push_str(&text[end..next]);
        }
        at = next;
    }
    kept
}

/// The end of the move that begins at `at`.
fn move_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += 1 + usize::from(bytes.get(at).is_some_and(u8::is_ascii_lowercase));
        if bytes.get(at) != Some(&b'+') {
            return at.min(bytes.len());
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::page::shown::gzip::gzip;

    fn thinned(texts: &[&str], most: usize) -> Vec<String> {
        let mut texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        thin(&mut texts.iter_mut().collect::<Vec<_>>(), most);
        texts
    }

    #[test]
    fn lines_of_lost_stones_go_first_and_then_those_of_the_last_games() {
        // Z is a draw; Y and X are wins for white, and a and b are wins for black.
        let games = ["a!bA+aB(cDZ)Y!C(DE)X", "b!E(FGH)a", "Y!Z(AB)a!D(E)b"];
        assert_eq!(thinned(&games, 11), games);
        let blunders = ["a!bA+aB(cDZ)Y!CX", "b!Ea", "Y!Z(AB)a!Db"];
        assert_eq!(thinned(&games, 10), blunders);
        assert_eq!(thinned(&games, 5), blunders);
        assert_eq!(thinned(&games, 4), ["a!bA+aB(cDZ)Y!CX", "b!Ea", "Y!Za!Db"]);
        assert_eq!(thinned(&games, 0), ["a!bA+aBY!CX", "b!Ea", "Y!Za!Db"]);
    }

    #[test]
    fn the_lines_of_ten_thousand_games_full_of_mistakes_take_less_than_half_a_mebibyte() {
        let mut random = SplitMix64::new(2);
        let mut letters = |count: usize| -> String {
            (0..count).map(|_| char::from(b'A' + u8::try_from(random.below(25)).expect("a letter"))).collect()
        };
        // Every second ply is a mistake. C stands for a win for white, and z for a win for black.
        let mut ply = |number: usize| {
            let value = if letters(1).as_str() < "M" { "C" } else { "z" };
            let line = format!("!{}({})", letters(1), letters(11));
            format!("{value}{}", if number.is_multiple_of(2) { &line } else { "" })
        };
        let mut games: Vec<String> = (0..10_000).map(|_| (0..26).map(&mut ply).collect()).collect();
        let without: Vec<String> = games.iter().map(|text| with_lines(text, |_, _| false)).collect();
        within_budget(games.iter_mut());
        let size = |games: &[String]| gzip(games.concat().as_bytes()).len() * 4 / 3;
        assert!(line_plies(&games.concat()) > MOST_PLIES * 9 / 10, "the budget is used");
        assert!(size(&games) - size(&without) < 512 << 10, "{} and {}", size(&games), size(&without));
    }
}
