//! Known counts for small boards, and rules that a single position demonstrates.

use super::*;

/// The number of arrangements of two seats' stones in which every chain has a liberty.
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

/// The numbers are from John Tromp, "Number of legal Go positions", tromp.github.io/go/legal.html.
#[test]
fn the_numbers_of_legal_arrangements_are_the_published_ones() {
    assert_eq!([1, 2, 3].map(legal_arrangements), [1, 57, 12675]);
}
