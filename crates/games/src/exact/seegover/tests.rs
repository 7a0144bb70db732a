use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use super::drops::DropSearch;
use super::first_turns::FirstTurns;
use super::full::Full;
use super::opening::Opening;
use super::place::{PLACES, TablePlace};
use super::retrograde::Retrograde;
use super::table::{Census, Tablebase};
use super::worth::{Value, Worth};
use crate::base::random::SplitMix64;
use crate::exact::solver::Span;
use crate::game::Side;
use crate::game::seegover::{ALL, Board, CENTRE, DropRule, Game, MoveRules, Options, Play, Square, View, squares};

/// Any position with a full board, in play or not.
fn full() -> impl Strategy<Value = Full> {
    (0..=ALL, 0..25_u8).prop_map(|(own, hole)| {
        let hole = Square::from_index(hole).expect("a square");
        Full::of(own & !hole.bit(), hole)
    })
}

/// Positions with long runs, since most stones have the same colour.
fn one_sided() -> impl Strategy<Value = Full> {
    (0..=ALL, 0..=ALL, 0..25_u8, any::<bool>()).prop_map(|(one, other, hole, own_are_many)| {
        let hole = Square::from_index(hole).expect("a square");
        let own = if own_are_many { one | other } else { one & other };
        Full::of(own & !hole.bit(), hole)
    })
}

/// The rules of each table.
fn rules() -> impl Strategy<Value = MoveRules> {
    prop::sample::select(MoveRules::ALL.as_slice())
}

/// How many times `wanted` occurs among the positions that `visit` produces.
fn times(wanted: Full, visit: impl FnOnce(&mut dyn FnMut(Full))) -> usize {
    let mut count = 0;
    visit(&mut |found| count += usize::from(found == wanted));
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_turn_is_found_backwards_as_often_as_forwards(full in prop_oneof![full(), one_sided()], rules in rules()) {
        let mut after = Vec::new();
        full.each_after(rules, |next| after.push(next));
        for next in after {
            let forwards = times(next, |visit| full.each_after(rules, visit));
            prop_assert_eq!(times(full, |visit| next.each_before(rules, visit)), forwards, "{:?} to {:?}", full, next);
        }
    }

    #[test]
    fn whatever_is_found_backwards_has_the_turn(full in prop_oneof![full(), one_sided()], rules in rules()) {
        let mut before = Vec::new();
        full.each_before(rules, |previous| before.push(previous));
        for previous in before {
            prop_assert!(times(full, |visit| previous.each_after(rules, visit)) > 0, "{:?} to {:?}", previous, full);
        }
    }

    #[test]
    fn a_place_leads_back_to_itself_and_to_its_images_places(full in full()) {
        let place = TablePlace::of(full);
        prop_assert!(place.index() < PLACES);
        prop_assert_eq!(TablePlace::of(place.full()), place);
        let twins: Vec<TablePlace> = place.twins().collect();
        for image in images(full) {
            let place_of_image = TablePlace::of(image);
            prop_assert!(place_of_image == place || twins.contains(&place_of_image), "{:?} of {:?}", image, full);
        }
    }

    #[test]
    fn the_rules_see_the_same_stones(full in full()) {
        let view = full.view();
        prop_assert_eq!(Full::seen(view), Some(full));
        prop_assert_eq!(view.own().count_ones(), TablePlace::of(full).own_stones());
        prop_assert_eq!(view.enemy().count_ones(), TablePlace::of(full).other_stones());
    }
}

/// The eight images of a position, computed from coordinates.
fn images(full: Full) -> impl Iterator<Item = Full> {
    let turned = |square: Square| Square::new(square.rank(), 4 - square.file()).expect("a square");
    let mirrored = |square: Square| Square::new(4 - square.file(), square.rank()).expect("a square");
    let image = |full: Full, of: &dyn Fn(Square) -> Square| {
        let own = crate::game::seegover::squares(full.own()).fold(0, |set, square| set | of(square).bit());
        Full::of(own, of(full.hole()))
    };
    (0..8).map(move |number| {
        let start = if number < 4 { full } else { image(full, &mirrored) };
        (0..number % 4).fold(start, |full, _| image(full, &turned))
    })
}

/// The worth of a position, found by searching forwards under the rules. The position counts as a draw if best play
/// does not end it within `plies` plies.
fn forwards(view: View, rules: MoveRules, plies: u8) -> Worth {
    if view.is_lost() {
        return Worth::Lost(0);
    }
    if view.swapped().is_lost() {
        return Worth::Won(0);
    }
    let mut best = Worth::Lost(0);
    if plies == 0 {
        return Worth::Drawn;
    }
    view.each_turn(rules.with(DropRule::One), |_, after| {
        let worth = forwards(after.swapped(), rules, plies - 1).before();
        best = if worth.rank() > best.rank() { worth } else { best };
    });
    best
}

/// Builds the table of `rules` in which only the wins and losses within `plies` plies are decided.
fn begun(rules: MoveRules, plies: u8) -> Tablebase {
    let mut build = Retrograde::new(rules);
    for sweep in 0.. {
        assert_eq!(build.sweeps_done(), sweep);
        (0..Retrograde::PARCELS).for_each(|parcel| build.work(parcel));
        assert!(build.advance().expect("a small depth"), "{rules:?} has longer wins");
        if build.depth() > plies {
            break;
        }
    }
    assert!(build.sweeps_done() < build.sweeps_expected());
    build.finish()
}

#[test]
fn the_first_depths_of_every_table_are_those_of_a_search_forwards() {
    const PLIES: u8 = 3;
    for rules in MoveRules::ALL {
        let (table, mut random) = (begun(rules, PLIES), SplitMix64::new(1977));
        let mut found = BTreeSet::new();
        for number in 0..3_000_u32 {
            let hole = Square::from_index(u8::try_from(random.below(25)).expect("small")).expect("a square");
            // The side to move or the other side has only 5 to 8 stones, so wins are near.
            let mut few: u32 = 0;
            while u64::from(few.count_ones()) < 5 + u64::from(number % 4) {
                few |= (1_u32 << random.below(25)) & !hole.bit();
            }
            let others = ALL & !few & !hole.bit();
            let view = if number % 8 < 4 { View::new(few, others) } else { View::new(others, few) }.expect("a board");
            let expected = forwards(view, rules, PLIES);
            assert_eq!(table.worth(view), Some(expected), "{rules:?}, {view:?}");
            found.insert(expected.rank());
        }
        let all = [Worth::Lost(2), Worth::Drawn, Worth::Won(3), Worth::Won(1)];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), all.map(Worth::rank), "{rules:?}");
    }
}

#[test]
fn weights_count_all_positions() {
    let all: u64 = (0..PLACES).step_by(1 << 24).map(|index| TablePlace::at(index).weight()).sum();
    assert_eq!(all, 25);
}

#[test]
fn no_position_has_too_few_stones_on_both_sides() {
    let view = View::new(0b1111, ALL & !0b1_1111).expect("a board");
    assert!(view.is_lost() && !view.swapped().is_lost());
}

#[test]
fn worths_read_back_from_their_codes() {
    for code in 0..=u8::MAX {
        assert_eq!(Worth::of_code(code).code(), code);
    }
    assert_eq!(Worth::of_code(Worth::MOST_PLIES + 1).plies(), Some(Worth::MOST_PLIES));
}

#[test]
fn early_wins_and_late_losses_are_better() {
    let order = [Worth::Lost(0), Worth::Lost(2), Worth::Drawn, Worth::Won(3), Worth::Won(1), Worth::Won(0)];
    assert!(order.is_sorted_by_key(|worth| worth.rank()));
    assert_eq!(Worth::Lost(2).before(), Worth::Won(3));
    assert_eq!(Worth::Won(1).before().seen_by(Side::White), Worth::Won(2).seen_by(Side::Black));
}

#[test]
fn a_census_has_every_position_once() {
    let all = 25 << 24;
    let counts = |drawn| Census::of_counts([(Worth::Drawn, drawn), (Worth::Won(3), 7)]);
    assert_eq!(
        counts(all - 7).expect("a census").counts().collect::<Vec<_>>(),
        [(Worth::Drawn, all - 7), (Worth::Won(3), 7)]
    );
    assert_eq!(counts(all), None);
    assert_eq!(Census::of_counts([(Worth::Drawn, all - 7), (Worth::Drawn, 7)]), None);
}

/// A board of the drop phase on which `left` squares are free, with the squares filled in the given `order`.
fn dropped(order: &[u8], left: usize, drop: DropRule) -> Board {
    let (mut black, mut white) = (0, 0);
    let squares = order.iter().filter(|&&index| index != CENTRE.index()).take(24 - left);
    for (number, &index) in (0_u32..).zip(squares) {
        let is_blacks = (number / drop.stones()).is_multiple_of(2);
        *(if is_blacks { &mut black } else { &mut white }) |= 1 << index;
    }
    Board::new(black, white).expect("a board")
}

/// A table with a worth, derived from `seed`, for each way the drops on `board` can end, and for their images.
fn table_after(board: Board, seed: u64) -> Tablebase {
    let mut bytes = vec![0; Tablebase::BYTES];
    let free: Vec<Square> = squares(board.empty() & !CENTRE.bit()).collect();
    for choice in 0..1_u32 << free.len() {
        let more = (0..free.len()).filter(|bit| choice >> bit & 1 == 1).fold(0, |set, bit| set | free[bit].bit());
        let places = || images(Full::of(board.stones(Side::Black) | more, CENTRE)).map(TablePlace::of);
        let least = places().min().expect("eight images").index() as u64;
        let code = ((least ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 140;
        places().for_each(|place| bytes[place.index()] = u8::try_from(code).expect("a code"));
    }
    Tablebase::from_bytes(MoveRules::DEFAULT, bytes).expect("a table")
}

/// The value of a position of the drop phase, found by brute force.
fn plain(table: &Tablebase, game: &Game) -> Value {
    if let Some(worth) = table.worth(game.view()) {
        return worth.seen_by(game.side());
    }
    let me = game.side();
    let rank = |value: &Value| match (value.winner, value.depth) {
        (Some(winner), Some(depth)) if winner == me => 1000 - i64::from(depth),
        (Some(_), Some(depth)) => i64::from(depth) - 1000,
        _ => 0,
    };
    let after = game.plays().into_iter().map(|play| plain(table, &game.after(play)));
    let best = after.max_by_key(rank).expect("a drop");
    Value { depth: best.depth.map(|depth| depth + 1), ..best }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn the_search_of_the_drops_agrees_with_trying_everything(
        order in Just((0..25).collect::<Vec<u8>>()).prop_shuffle(), left in 2..=4_usize, two in any::<bool>(), seed in any::<u64>(),
    ) {
        let drop = if two { DropRule::Two } else { DropRule::One };
        let board = dropped(&order, 2 * left, drop);
        let side = if two && left % 2 == 1 { Side::White } else { Side::Black };
        let game = Game::from_board(Options { drop, ..Options::DEFAULT }, board, side).expect("a game");
        let table = Arc::new(table_after(board, seed));
        let expected = plain(&table, &game);
        let mut search = DropSearch::new(table, drop);
        prop_assert_eq!(search.winner(board, side), Ok(expected.winner));
        prop_assert_eq!(search.value(board, side), Ok(expected));
        let of_black = match expected.winner { Some(Side::Black) => 1, None => 0, Some(Side::White) => -1 };
        for known in [Span::won_by(expected.winner), Span { lower: of_black, ..Span::OPEN }, Span { upper: of_black, ..Span::OPEN }] {
            prop_assert_eq!(search.winner_in(board, side, known), Ok(expected.winner), "{:?}", known);
        }
    }
}

#[test]
fn a_limit_ends_the_search() {
    let table = Arc::new(Tablebase::from_bytes(MoveRules::DEFAULT, vec![0; Tablebase::BYTES]).expect("a table"));
    let mut search = DropSearch::new(table, DropRule::One).within(100);
    assert!(search.winner(Board::default(), Side::Black).is_err());
    assert_eq!(search.nodes(), 100);
}

#[test]
fn a_raised_stop_ends_the_search_at_once_and_a_lowered_one_lets_it_go_on() {
    let table = Arc::new(Tablebase::from_bytes(MoveRules::DEFAULT, vec![0; Tablebase::BYTES]).expect("a table"));
    let stop = Arc::new(AtomicBool::new(false));
    let mut search = DropSearch::new(table, DropRule::One).within(100).until(Arc::clone(&stop));
    let board = dropped(&(0..25).collect::<Vec<u8>>(), 8, DropRule::One);
    stop.store(true, Ordering::Relaxed);
    assert!(search.winner(board, Side::Black).is_err());
    stop.store(false, Ordering::Relaxed);
    assert!(search.winner(Board::default(), Side::Black).is_err(), "the limit is reached");
    let nodes = search.nodes();
    stop.store(true, Ordering::Relaxed);
    assert!(search.winner(Board::default(), Side::Black).is_err());
    assert_eq!((search.nodes(), nodes), (100, 100));
}

#[test]
fn the_openings_can_be_read_and_lead_on_for_black() {
    for drop in [DropRule::One, DropRule::Two] {
        let rules = Options { drop, ..Options::DEFAULT };
        let opening = Opening::embedded(rules).expect("an opening for the default rules");
        assert_eq!(Opening::parse(rules, &opening.to_string()).as_ref(), Ok(opening));
        let start = Game::new(rules);
        let after = start.after(opening.turn(&start).expect("a first turn"));
        for answer in after.plays() {
            let next = after.after(answer);
            let turn = opening.turn(&next).unwrap_or_else(|| panic!("no turn after {answer:?}"));
            assert!(next.plays().contains(&turn), "{turn:?} after {answer:?}");
        }
        // Black wins in the positions for which the opening has a turn, and in the positions after these turns; nothing
        // else is known.
        for (board, turn) in opening.turns() {
            let before = opening.game(board);
            let is_won: Vec<bool> =
                before.plays().into_iter().map(|play| opening.is_won(&before.after(play))).collect();
            assert!(opening.is_won(&before) && opening.is_won(&before.after(turn)));
            assert!(board.count() == 0 || is_won.contains(&false), "{board}");
        }
        let other = if drop == DropRule::One { DropRule::Two } else { DropRule::One };
        assert!(!opening.is_won(&Game::new(Options { drop: other, ..Options::DEFAULT })));
        for other in &MoveRules::ALL[1..] {
            assert!(!opening.is_won(&Game::new(other.with(drop))) && Opening::embedded(other.with(drop)).is_none());
        }
    }
    let wrong = |text| Opening::parse(Options::DEFAULT, text).map_err(|error| error.line);
    assert_eq!(wrong("# a comment\n\n..... ..... ..... ..... ..... c3\n"), Err(3));
    assert_eq!(wrong("..... ..... ..... ..... ..... a1+a2\n"), Err(1));
    assert_eq!(wrong("..... ..... ..... ..... ....b a1\n"), Err(1));
    let twice = "..... ..... ..... ..w.. b.... b1\n..... ..... ..... ..w.. b.... b2\n";
    assert_eq!(wrong(twice), Err(2), "a board has one turn");
}

/// The set of squares on which a turn of the drop phase drops stones.
fn dropped_by(turn: Play) -> u32 {
    match turn {
        Play::Drop(at) => at.bit(),
        Play::Pair(one, other) => one.bit() | other.bit(),
        Play::Move { .. } | Play::Return { .. } => 0,
    }
}

#[test]
fn every_first_turn_is_in_the_class_of_its_images() {
    for (drop, count, turns) in [(DropRule::One, 5, 24), (DropRule::Two, 44, 276)] {
        let classes = FirstTurns::classes(&Game::new(Options { drop, ..Options::DEFAULT }));
        assert_eq!(classes.len(), count);
        let mut seen = BTreeSet::new();
        for FirstTurns { turn, all } in classes {
            let members: BTreeSet<u32> = all.into_iter().map(dropped_by).collect();
            let images = images(Full::of(dropped_by(turn), CENTRE)).map(Full::own).collect();
            assert_eq!(members, images, "{turn:?}");
            seen.extend(members);
        }
        assert_eq!(seen.len(), turns, "no turn is in two classes, and none is missing");
    }
}
