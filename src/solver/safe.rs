//! Stones that can never change colour, and the bounds that follow from them.

use super::stones::{Groups, flood};
use crate::rules::gothello::{ALL, Points, neighbours};

/// The most regions that stones can leave: every second point.
const MAX_REGIONS: usize = 13;

/// A quick look at the same: only groups at single points that they enclose count.
pub(super) fn eyed(groups: &Groups, empty: Points, others: Points) -> i32 {
    let eyes = empty & !neighbours(empty | others);
    if eyes == 0 {
        return -24;
    }
    let mut kept = 0;
    for group in groups.iter() {
        if group.liberties & eyes != 0 {
            kept |= group.stones;
        }
    }
    2 * kept.count_ones().cast_signed() - 25 + eyes.count_ones().cast_signed()
}

/// A bound on the margin that the owner of `groups` has at the end at least, whoever moves.
pub(super) fn assured(groups: &Groups, empty: Points) -> i32 {
    let mut walls = groups.stones;
    loop {
        let outside = ALL & !walls;
        let open = flood(empty & !neighbours(walls), outside);
        let mut rest = outside & !open;
        if rest & empty == 0 {
            return -24;
        }
        let mut regions = [0; MAX_REGIONS];
        let (mut count, mut kept) = (0, 0);
        while rest != 0 {
            let region = flood(rest & rest.wrapping_neg(), outside);
            rest &= !region;
            regions[count] = region;
            count += 1;
            let room = region & empty;
            for group in groups.iter() {
                if room & !group.liberties == 0 {
                    kept |= group.stones;
                }
            }
        }
        kept &= walls;
        if kept == 0 {
            return -24;
        }
        if kept == walls {
            let count_of = |set: Points| set.count_ones().cast_signed();
            let mut bound = 2 * count_of(kept) - 25 + i32::try_from(count).unwrap_or(0);
            if count > 1 {
                bound += spare(groups, walls, empty, &regions[..count])
            }
            let mut rest = open;
            while rest != 0 {
                let region = flood(rest & rest.wrapping_neg(), outside);
                rest &= !region;
                bound += 1;
            }
            return bound;
        }
        walls = kept;
    }
}

/// What small regions add that no wall needs as its eye
fn spare(groups: &Groups, walls: Points, empty: Points, regions: &[Points]) -> i32 {
    let mut free: u32 = 0;
    let mut gain = 0;
    for (i, &region) in regions.iter().enumerate() {
        let size = region.count_ones();
        if size > 2 {
            continue;
        }
        let beside = neighbours(region) & walls;
        let others = groups.iter().filter(|group| group.stones & beside != 0);
        let needed = others.into_iter().any(|group| {
            !regions
                .iter()
                .enumerate()
                .any(|(j, &other)| j != i && free >> j & 1 == 0 && (other & empty) & !group.liberties == 0)
        });
        if !needed {
            free |= 1 << i;
            gain += if size == 1 { 1 } else { 3 };
        }
    }
    gain
}
