use proptest::prelude::*;

use super::*;
use crate::base::random::SplitMix64;

fn total(mates: &[usize], cost: impl Fn(usize, usize) -> Cost) -> Cost {
    mates.iter().enumerate().filter(|&(one, &mate)| one < mate).map(|(one, &mate)| cost(one, mate)).sum()
}

/// The lowest cost of pairing off the vertices in `left`, by exhaustive search.
fn least(left: &[usize], cost: &dyn Fn(usize, usize) -> Cost) -> Cost {
    let Some((&first, others)) = left.split_first() else { return 0 };
    let with = |&mate: &usize| {
        let rest: Vec<usize> = others.iter().copied().filter(|&other| other != mate).collect();
        cost(first, mate) + least(&rest, cost)
    };
    others.iter().map(with).min().expect("an even number")
}

/// Draws costs below `most` from `seed`; with a small `most`, many costs are equal.
fn drawn(vertices: usize, most: u64, seed: u64) -> impl Fn(usize, usize) -> Cost {
    let mut random = SplitMix64::new(seed);
    let costs: Vec<Cost> = (0..vertices * vertices).map(|_| Cost::from(random.below(most))).collect();
    move |one, other| costs[one.max(other) * vertices + one.min(other)]
}

fn is_perfect(mates: &[usize]) -> bool {
    mates.iter().enumerate().all(|(one, &mate)| mate != one && mates.get(mate) == Some(&one))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_other_matching_costs_less(half in 0_usize..6, most in prop_oneof![1_u64..4, 1_u64..40, Just(1 << 40)], seed: u64) {
        let cost = drawn(2 * half, most, seed);
        let mates = mates(2 * half, &cost);
        prop_assert!(is_perfect(&mates), "{:?}", mates);
        prop_assert_eq!(total(&mates, &cost), least(&(0..2 * half).collect::<Vec<_>>(), &cost));
    }

    #[test]
    fn costs_may_be_as_large_as_allowed(half in 1_usize..5, seed: u64) {
        let drawn = drawn(2 * half, 4, seed);
        let cost = |one: usize, other: usize| drawn(one, other) * (LARGEST / 3);
        let mates = mates(2 * half, cost);
        prop_assert_eq!(total(&mates, cost), least(&(0..2 * half).collect::<Vec<_>>(), &cost));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn duals_prove_that_a_large_matching_costs_the_least(half in 20_usize..40, most in 1_u64..1_000, seed: u64) {
        let vertices = 2 * half;
        let cost = drawn(vertices, most, seed);
        let mut search = MateSearch::new(vertices, &cost);
        search.begin();
        while search.free().next().is_some() {
            search.phase();
        }
        // Weak duality: if no edge's slack is negative, where blossoms around both ends add their duals, then four
        // times the cost of any perfect matching is at least minus the sum of the duals, in which a blossom of 2 k
        // + 1 vertices counts k times. A matching that reaches this bound has the lowest cost.
        let blossoms: Vec<usize> = (vertices..search.nodes).filter(|&blossom| search.top[blossom] != NONE).collect();
        let holds = |blossom: usize, vertex: usize| search.part[blossom * vertices + vertex] != NONE;
        let mut bound: i128 = search.dual[..vertices].iter().sum();
        for &blossom in &blossoms {
            prop_assert!(search.dual[blossom] >= 0);
            let within = (0..vertices).filter(|&vertex| holds(blossom, vertex)).count();
            bound += search.dual[blossom] * (within / 2) as i128;
        }
        for one in 0..vertices {
            for other in 0..one {
                let around = blossoms.iter().filter(|&&blossom| holds(blossom, one) && holds(blossom, other));
                let added: i128 = around.map(|&blossom| search.dual[blossom]).sum();
                prop_assert!(search.slack(search.best(one, other)) + added >= 0);
            }
        }
        let mates: Vec<usize> = search.mate[..vertices].iter().map(|&mate| mate as usize).collect();
        prop_assert!(is_perfect(&mates));
        prop_assert_eq!(-4 * total(&mates, &cost), bound);
    }
}
