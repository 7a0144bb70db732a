//! Tests whole tables of small boards against counts from another program and against the plain game, and tests that
//! interrupted builds produce the same tables.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use tempfile::TempDir;

use super::build::{Build, BuildError, MarginPlan};
use super::checking::{CheckedEntries, TableCheckError};
use super::entry::{EntryMeaning, ILLEGAL};
use super::grid::{BoardGrid, PointSet, numbers};
use super::known::{KnownMargins, MarginSource};
use super::layer_files::{LayerFiles, LayerTotal};
use super::numbering::{EntryPlace, Numbering, packed, unpacked};
use super::table_file::{HEADER, MarginFile, MarginFileError};
use super::verification::{ColourSets, GridRules, GridStones};
use super::winners;
use crate::exact::threads::Sharers;
use crate::game::Side;
use crate::game::gothello::{ALL, Board, Point, points};

static NEVER: AtomicBool = AtomicBool::new(false);

fn sharers() -> Sharers<'static> {
    Sharers { threads: NonZeroUsize::MIN.saturating_add(1), stop: &NEVER }
}

/// Builds the layers of the board of `size` by `size` points in `dir`.
fn built(size: u8, dir: &TempDir, plan: MarginPlan) -> (Build, Vec<LayerTotal>) {
    let build = Build::new(BoardGrid::new(size), dir.path(), plan);
    let mut totals = Vec::new();
    let mut told = |total: &LayerTotal, _| {
        totals.push(*total);
        Ok::<_, BuildError>(())
    };
    assert!(build.run(&sharers(), |_| (), &mut told).expect("a build"));
    (build, totals)
}

/// The numbers of positions that the side to move wins, draws and loses, by the number of stones, from the fullest
/// board to the empty one. Only one set of empty points of each class is counted. A program in another language
/// determined these numbers by searching each position of the actual game.
const COUNTS_3: [[u64; 3]; 9] = [
    [64, 34, 64],
    [322, 20, 178],
    [489, 28, 223],
    [390, 16, 238],
    [244, 4, 102],
    [80, 2, 44],
    [24, 0, 8],
    [4, 0, 2],
    [1, 0, 0],
];
const COUNTS_4: [[u64; 3]; 16] = [
    [1_015, 0, 1_015],
    [22_759, 2_016, 15_449],
    [99_465, 7_340, 52_661],
    [250_571, 20_814, 150_171],
    [390_624, 33_465, 214_765],
    [438_370, 40_762, 251_226],
    [354_726, 35_695, 195_409],
    [220_990, 23_892, 124_034],
    [103_552, 12_102, 56_280],
    [38_543, 4_739, 20_972],
    [10_669, 1_452, 5_629],
    [2_442, 324, 1_232],
    [359, 81, 174],
    [56, 6, 22],
    [4, 0, 2],
    [1, 0, 0],
];

#[test]
fn small_boards_have_the_known_counts_and_every_entry_follows_from_the_rules() {
    for (size, counts) in [(3, &COUNTS_3[..]), (4, &COUNTS_4)] {
        let dir = tempfile::tempdir().expect("a directory");
        let (_, totals) = built(size, &dir, MarginPlan { verify: true, ..MarginPlan::default() });
        let found: Vec<[u64; 3]> = totals
            .iter()
            .map(|total| total.tally.of_classes)
            .map(|counts| [counts.won, counts.drawn, counts.lost])
            .collect();
        assert_eq!(found, counts);
        assert!(totals.iter().all(|total| total.is_verified));
    }
}

/// The value of a game by its rules, move by move: the side to move may pass, and two passes end the game.
fn played_out(rules: GridRules<'_>, all: PointSet, stones: GridStones, passed: bool) -> i8 {
    let other = GridStones { own: stones.theirs, theirs: stones.own };
    let pass = if passed { stones.lead() } else { -played_out(rules, all, other, true) };
    let placed = numbers(all & !(stones.own | stones.theirs)).filter_map(|point| {
        let after = rules.place(stones, 1 << point)?;
        Some(-played_out(rules, all, GridStones { own: after.theirs, theirs: after.own }, false))
    });
    placed.fold(pass, i8::max)
}

#[test]
fn every_margin_of_the_smallest_board_is_that_of_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let (build, _) = built(3, &dir, MarginPlan::default());
    let file = dir.path().join("table");
    build.write_table(&file).expect("written");
    let (table, numbering) = (MarginFile::open(&file).expect("a table"), Numbering::new(BoardGrid::new(3)));
    let (grid, rules) = (numbering.grid(), GridRules::on(numbering.grid()));
    let mut positions = 0;
    for occupied in (0..grid.all()).filter(|occupied: &u32| occupied.count_ones() >= 3) {
        for index in 0..1 << occupied.count_ones() {
            let own = unpacked(index, occupied);
            let stones = GridStones { own, theirs: occupied & !own };
            let margin = table.margin(numbering.place(stones.own, stones.theirs)).expect("readable");
            if !rules.is_position(stones) {
                assert_eq!(margin, ILLEGAL);
                continue;
            }
            positions += 1;
            assert_eq!(margin, played_out(rules, grid.all(), stones, false), "{stones:?}");
            assert_eq!(margin.max(stones.lead()), played_out(rules, grid.all(), stones, true), "{stones:?}");
        }
    }
    assert!(positions > 12_000, "{positions}");
}

/// The digests of all layers.
fn digests(totals: &[LayerTotal]) -> Vec<[u8; 32]> {
    totals.iter().map(|total| total.digest).collect()
}

#[test]
fn a_build_that_was_interrupted_goes_on_from_what_is_sound() {
    let (whole, dir) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let (_, expected) = built(4, &whole, MarginPlan::default());
    built(4, &dir, MarginPlan::default());
    let margins = |stones| LayerFiles::new(dir.path(), 4, stones).margins();
    // The build was killed while it computed the layer of nine stones: one block was never written, and one was torn.
    for stones in 0..=9 {
        fs::remove_file(dir.path().join(format!("4x4-{stones}.total"))).expect("there");
    }
    for stones in 0..9 {
        fs::remove_file(margins(stones)).expect("there");
    }
    let change = |file: &std::path::Path, at: usize| {
        let mut bytes = fs::read(file).expect("there");
        bytes[at] ^= 1;
        fs::write(file, bytes).expect("written");
    };
    change(&dir.path().join("4x4-9.blocks"), 5);
    change(&margins(9), 700_000);
    let (_, totals) = built(4, &dir, MarginPlan::default());
    assert_eq!(digests(&totals), digests(&expected));
    // The entries of a layer are missing, although it was complete.
    fs::remove_file(margins(12)).expect("there");
    fs::remove_file(dir.path().join("4x4-11.total")).expect("there");
    let (build, totals) = built(4, &dir, MarginPlan::default());
    assert_eq!(digests(&totals), digests(&expected));
    // The records of a layer are missing or incomplete.
    fs::remove_file(dir.path().join("4x4-13.blocks")).expect("there");
    let records = fs::File::options().write(true).open(dir.path().join("4x4-4.blocks")).expect("there");
    records.set_len(100).expect("cut");
    assert_eq!(digests(&built(4, &dir, MarginPlan::default()).1), digests(&expected));
    // A table for a board of another size has its own files.
    assert_eq!(built(3, &dir, MarginPlan::default()).1.len(), 9);
    built(3, &dir, MarginPlan::default()).0.delete_layers().expect("deleted");
    // A build with verification does not reuse blocks that were not verified.
    assert!(totals.iter().all(|total| !total.is_verified));
    let (_, totals) = built(4, &dir, MarginPlan { verify: true, ..MarginPlan::default() });
    assert!(totals.iter().all(|total| total.is_verified) && digests(&totals) == digests(&expected));
    build.delete_layers().expect("deleted");
    assert_eq!(fs::read_dir(dir.path()).expect("there").count(), 0);
}

#[test]
fn a_stopped_build_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = Build::new(BoardGrid::new(3), dir.path(), MarginPlan::default());
    let stopped = Sharers { threads: NonZeroUsize::MIN, stop: &AtomicBool::new(true) };
    let told = |_: &_, _| -> Result<(), BuildError> { panic!("no layer is complete") };
    assert!(!build.run(&stopped, |_| (), told).expect("no error"));
}

#[test]
fn a_build_needs_room_for_two_layers_and_less_the_further_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let needed = |plan| Build::new(BoardGrid::new(5), dir.path(), plan).bytes_needed(true).expect("readable");
    let plain = needed(MarginPlan::default());
    // The layers of 16 and 17 stones, which have 256,585 and 136,080 blocks.
    assert!((34_500_000_000..35_500_000_000).contains(&plain), "{plain}");
    let kept = needed(MarginPlan { keep_winners: true, ..MarginPlan::default() });
    // In addition, the winners of the layers of 16 stones or more.
    assert!((52_000_000_000..54_000_000_000).contains(&kept), "{kept}");
    let (build, _) = built(3, &dir, MarginPlan::default());
    assert!(build.bytes_needed(true).expect("readable") < 20_000);
}

#[test]
fn who_wins_is_kept_if_that_is_wanted_and_can_be_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    built(4, &dir, MarginPlan::default());
    let (_, totals) = built(4, &dir, MarginPlan { keep_winners: true, ..MarginPlan::default() });
    let numbering = Numbering::new(BoardGrid::new(4));
    let read = |stones: u32, block: usize| {
        let bytes = fs::read(LayerFiles::new(dir.path(), 4, stones).winners())?;
        let length = winners::block_bytes(stones);
        Ok(winners::unpacked(&bytes[block * length..][..length], stones))
    };
    let checked = CheckedEntries { numbering: &numbering, kind: EntryMeaning::Winner, read };
    for total in totals.iter().filter(|total| !(7..=12).contains(&total.stones)) {
        let found = checked.layer(total.stones, true, &sharers(), |_| ()).expect("sound").expect("not stopped");
        let counts = total.tally.of_board;
        assert_eq!(found.counts, [counts.won, counts.drawn, counts.lost]);
    }
}

#[test]
fn a_table_reads_back_and_a_wrong_entry_is_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let (build, totals) = built(4, &dir, MarginPlan::default());
    let file = dir.path().join("table");
    let header = build.write_table(&file).expect("written");
    let table = MarginFile::open(&file).expect("a table");
    assert_eq!(table.header(), &header);
    assert!(header.layers.iter().rev().eq(&totals));
    let numbering = Numbering::new(BoardGrid::new(4));
    let check = |file: &MarginFile, stones| {
        let read = |stones, block| {
            let mut entries = vec![0; 1_usize << stones];
            file.read_block(stones, block, &mut entries).map(|()| entries)
        };
        CheckedEntries { numbering: &numbering, kind: EntryMeaning::Margin, read }.layer(
            stones,
            true,
            &sharers(),
            |_| (),
        )
    };
    let found = check(&table, 6).expect("sound").expect("not stopped");
    assert_eq!(found.digest, header.layers[6].digest);
    let mut bytes = fs::read(&file).expect("there");
    let place = numbering.place(0b1, 0b10_0000);
    let sum = |number: &dyn Fn(&LayerTotal) -> u64, layers: &[LayerTotal]| layers.iter().map(number).sum::<u64>();
    let before = sum(&|layer| 4 * layer.blocks, &header.layers)
        + sum(&|layer| layer.blocks << layer.stones, &header.layers[..2]);
    bytes[HEADER + usize::try_from(before).expect("small") + 4 * place.block + place.index] ^= 2;
    fs::write(&file, bytes).expect("written");
    let damaged = MarginFile::open(&file).expect("the header is sound");
    for stones in [1, 2] {
        assert!(
            matches!(check(&damaged, stones), Err(TableCheckError::Wrong { stones: found, .. }) if found == stones)
        );
    }
    assert!(check(&damaged, 3).is_ok());
}

#[test]
fn what_is_not_a_table_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let (build, _) = built(3, &dir, MarginPlan::default());
    let file = dir.path().join("table");
    build.write_table(&file).expect("written");
    let sound = fs::read(&file).expect("there");
    let refusal = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        MarginFile::open(&file).expect_err("refused")
    };
    assert!(matches!(MarginFile::open(&dir.path().join("none")), Err(MarginFileError::Missing)));
    assert!(matches!(MarginFile::open(dir.path()), Err(MarginFileError::Unreadable(_))));
    assert!(matches!(refusal(b""), MarginFileError::Foreign));
    assert!(matches!(refusal(b"[Black \"a\"]\n"), MarginFileError::Foreign));
    assert!(matches!(refusal(b"gothello-arena margins of gothello, format 2\n"), MarginFileError::OtherVersion(_)));
    assert!(matches!(refusal(&sound[..sound.len() - 1]), MarginFileError::Length { .. }));
    assert!(matches!(refusal(&sound[..1000]), MarginFileError::Header));
    // The header and the index are damaged.
    for at in (60..1500).step_by(7).chain(HEADER..HEADER + 400) {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        assert!(matches!(refusal(&bytes), MarginFileError::Header), "{at}");
    }
}

/// A table of up to nine stones in which every position has the same entry.
#[derive(Debug)]
struct Uniform(Option<i8>);

impl MarginSource for Uniform {
    fn most_stones(&self) -> u32 {
        9
    }

    fn entry(&self, _: EntryPlace) -> Option<i8> {
        self.0
    }
}

#[test]
fn a_table_is_asked_for_what_the_program_does_not_contain() {
    // The stones of both sides are on every second point, so no stone is next to another.
    let points: Vec<u32> = points(ALL).step_by(2).map(Point::bit).collect();
    let of = |table: &Uniform, stones: usize| {
        let (own, theirs) = points[..stones].split_at(stones / 2);
        KnownMargins::with(Some(table)).margin(own.iter().sum(), theirs.iter().sum())
    };
    let (table, embedded) = (Uniform(Some(17)), KnownMargins::with(None::<&Uniform>));
    for stones in 0..=10 {
        let (own, theirs) = points[..stones].split_at(stones / 2);
        let in_program = embedded.margin(own.iter().sum(), theirs.iter().sum());
        assert_eq!(in_program.is_some(), stones <= 7);
        assert_eq!(of(&table, stones), if (8..=9).contains(&stones) { Some(17) } else { in_program });
        // Neither the entry of a colouring in which a group has no liberty nor an entry that cannot be read counts as a
        // margin.
        for unknown in [Uniform(Some(ILLEGAL)), Uniform(None)] {
            assert_eq!(of(&unknown, stones), in_program);
        }
    }
}

fn any_stones() -> impl Strategy<Value = GridStones> {
    (0_u32..1 << 25, 0_u32..1 << 25).prop_map(|(own, others)| GridStones { own, theirs: others & !own & 0x1FF_FFFF })
}

proptest! {
    #[test]
    fn a_set_that_was_packed_is_unpacked(set in any::<u32>(), mask in any::<u32>()) {
        prop_assert_eq!(unpacked(packed(set, mask), mask), set & mask);
    }

    /// Tests that the rules in [`GridRules`] agree with those of the game on its 5x5 board.
    #[test]
    fn the_rules_are_those_of_the_game(stones in any_stones()) {
        let grid = BoardGrid::new(5);
        let rules = GridRules::on(&grid);
        prop_assume!(rules.is_position(stones));
        let on_board = |set: u32| numbers(set).fold(0, |all, point| {
            let (rank, file) = (u8::try_from(point / 5).expect("small"), u8::try_from(point % 5).expect("small"));
            all | Point::new(file, rank).expect("a point").bit()
        });
        let board = |stones: GridStones| Board::new(on_board(stones.own), on_board(stones.theirs)).expect("a board");
        let before = board(stones);
        for point in numbers(grid.all() & !(stones.own | stones.theirs)) {
            let bit = on_board(1 << point);
            let after = rules.place(stones, 1 << point);
            prop_assert_eq!(after.is_some(), before.placements(Side::Black) & bit != 0);
            if let Some(after) = after {
                prop_assert!(rules.is_position(after));
                let (placed, _) = Point::pop(bit).expect("a point");
                prop_assert_eq!(board(after), before.place(Side::Black, placed));
            }
        }
    }

    /// Tests that the sets of one colour's stones in a verification agree with the rules.
    #[test]
    fn sets_of_one_colour_play_and_are_captured_by_the_rules(
        points in proptest::collection::btree_set(0..25_u32, 14..25), own in any::<usize>(),
    ) {
        let grid = BoardGrid::new(5);
        let rules = GridRules::on(&grid);
        let empty = points.iter().fold(0, |set, point| set | 1 << point);
        let occupied = grid.all() & !empty;
        let sets = ColourSets::new(&rules, empty);
        let all = (1_usize << occupied.count_ones()) - 1;
        for own in [own & all, !own & all, 0, all] {
            let theirs = all ^ own;
            let stones = GridStones { own: unpacked(own, occupied), theirs: unpacked(theirs, occupied) };
            let is_position = [own, theirs].iter().all(|&set| sets.playable(set).is_some());
            prop_assert_eq!(is_position, rules.is_position(stones));
            for (point, &captured) in numbers(empty).zip(sets.captured(theirs)).filter(|_| is_position) {
                let after = rules.place(stones, 1 << point);
                prop_assert_eq!(after.is_some(), sets.playable(own).is_some_and(|playable| playable >> point & 1 != 0));
                let left = unpacked(theirs & !(captured as usize), occupied);
                prop_assert!(after.is_none_or(|after| after.theirs == left));
            }
        }
    }

    #[test]
    fn images_have_places_in_the_same_block(
        points in proptest::collection::btree_set(0..25_u32, 0..10), own in any::<u32>(), symmetry in 0..8_usize,
    ) {
        let numbering = Numbering::gothello();
        let occupied = points.iter().fold(0, |set, point| set | 1 << point);
        let stones = GridStones { own: own & occupied, theirs: occupied & !own };
        let image = |set| numbering.grid().image_of_set(symmetry, set);
        let (one, other) =
            (numbering.place(stones.own, stones.theirs), numbering.place(image(stones.own), image(stones.theirs)));
        let EntryPlace { stones, block, .. } = one;
        prop_assert_eq!((stones, block), (other.stones, other.block));
        prop_assert_eq!(one.index.count_ones(), other.index.count_ones());
    }
}
