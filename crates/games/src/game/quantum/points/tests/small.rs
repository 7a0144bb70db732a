//! Numbers that are known of small boards, and rules that one position shows.

use super::*;

/// How many of all arrangements of two seats' stones have a liberty for every chain.
fn legal_arrangements(size: u8) -> usize {
    let mut all = vec![Arrangement::default()];
    for point in points(size) {
        let mut more = all.clone();
        for owner in [1, 2] {
            more.extend(all.iter().map(|stones| {
                let mut stones = *stones;
                stones.put(seat(owner), point);
                stones
            }));
        }
        all = more;
    }
    all.iter().filter(|stones| GoBoard::new(size, 2, GoRules::default(), stones, seat(2)).is_some()).count()
}

/// John Tromp, "Number of legal Go positions", tromp.github.io/go/legal.html.
#[test]
fn the_numbers_of_legal_arrangements_are_the_published_ones() {
    assert_eq!([1, 2, 3].map(legal_arrangements), [1, 57, 12675]);
}
