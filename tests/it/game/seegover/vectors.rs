//! The answers of a simple reference program, which shares no code with this crate. tests/data/seegover/README.md
//! explains the format.

use std::collections::BTreeSet;

use gothello_arena::game::seegover::{Board, Ending, Game, Options};
use gothello_arena::game::{IllegalMove, Position, Side};

use super::{board, flat, mirrored_set, rules};

/// The lines of a file, except for comments, split into fields.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(';').collect())
}

fn side(letter: &str) -> Side {
    Side::BOTH.into_iter().find(|side| side.letter().to_string() == letter).expect("b or w")
}

/// Plays a line of turns and checks every column.
fn replay(options: Options, fields: &[&str]) {
    let &[turns, counts, end, black, white, winner, margin, reason] = fields else {
        panic!("eight fields: {fields:?}")
    };
    let mut game = Game::new(options);
    let counts: Vec<&str> = counts.split(' ').collect();
    let turns: Vec<&str> = turns.split(' ').collect();
    assert_eq!(turns.len(), counts.len());
    for (text, count) in turns.iter().zip(counts) {
        assert_eq!(game.outcome(), None);
        assert_eq!(game.legal_moves().len().to_string(), count, "before {text} of {turns:?}");
        let played = game.play(text).unwrap_or_else(|why| panic!("{text} of {turns:?}: {why}"));
        assert!(text.contains('+') || played.as_str() == *text);
    }
    let outcome = game.outcome().unwrap_or_else(|| panic!("{turns:?} ends"));
    let stones = |side| game.board().stones(side).count_ones().to_string();
    assert_eq!(
        (flat(&game).as_str(), stones(Side::Black), stones(Side::White)),
        (end, black.to_owned(), white.to_owned())
    );
    assert_eq!((outcome.winner_name(), outcome.margin.unwrap().to_string().as_str()), (winner, margin));
    let ending = match game.ending().unwrap() {
        Ending::Won(_) => "stones",
        Ending::Repeated => "cycle",
        Ending::NoTurn => "no legal turn",
    };
    assert_eq!(ending, reason, "{turns:?}");
}

#[test]
fn the_games_are_reproduced() {
    for (options, text, games) in [
        ("", include_str!("../../../data/seegover/games_seegover.txt"), 150),
        ("cycle=superko", include_str!("../../../data/seegover/games_superko.txt"), 50),
        ("drop=2", include_str!("../../../data/seegover/games_drop2.txt"), 25),
        ("drop=2 capture=single back=capture", include_str!("../../../data/seegover/games_magazine.txt"), 25),
    ] {
        let played = lines(text).inspect(|fields| replay(rules(options), fields)).count();
        assert_eq!(played, games, "{options}");
    }
}

#[test]
fn every_turn_of_the_positions_is_known_with_its_captures_and_its_result() {
    let all = include_str!("../../../data/seegover/positions_seegover.txt");
    let positions = lines(all).inspect(|fields| check_position(fields)).count();
    assert_eq!(positions, 250);
}

fn check_position(fields: &[&str]) {
    let &[stones, to_move, black, white, count, turns] = fields else { panic!("six fields: {fields:?}") };
    let game = Game::from_board(Options::DEFAULT, board(stones), side(to_move)).unwrap();
    let number = |side| game.board().stones(side).count_ones().to_string();
    assert_eq!((number(Side::Black), number(Side::White)), (black.to_owned(), white.to_owned()));
    let enemy = game.side().opponent();
    let mut plays = game.plays();
    plays.sort_unstable_by_key(|play| play.to_move().to_string());
    let found: Vec<String> = plays
        .into_iter()
        .map(|play| {
            let after = game.after(play);
            let taken = (game.board().stones(enemy) & !after.board().stones(enemy)).count_ones();
            let result = after.outcome().and_then(|outcome| outcome.winner).map_or('-', Side::letter);
            format!("{}={}={taken}={result}", play.to_move(), flat(&after))
        })
        .collect();
    assert_eq!((found.len().to_string().as_str(), found.join(" ").as_str()), (count, turns), "{stones} {to_move}");
}

#[test]
fn what_is_refused_is_refused_with_its_class() {
    let all = include_str!("../../../data/seegover/illegal_seegover.txt");
    let texts = lines(all).inspect(|fields| check_refusal(fields)).count();
    assert_eq!(texts, 453);
}

fn check_refusal(fields: &[&str]) {
    let &[stones, to_move, text, class, why] = fields else { panic!("five fields: {fields:?}") };
    let mut game = Game::from_board(Options::DEFAULT, board(stones), side(to_move)).unwrap();
    let before = game.clone();
    match (game.play(text), class) {
        (Err(IllegalMove::NotUnderstood), "!") => {}
        (Err(IllegalMove::Refused(reason)), "-") => {
            let ours = match why {
                "in this phase 1 stone(s) are dropped" => "a turn drops one stone until 24 are on the board",
                "a stone returns to where it came from" => "a stone can return only to its original square",
                "a stone beside the empty square has to move" => "a stone next to the empty square must move",
                "nobody may pass" => "passing is not allowed",
                "all stones are on the board" => "all stones are already on the board",
                "a lifted stone does not return" => "a lifted stone cannot return",
                "there is no stone" => "there is no stone on the first square",
                "the centre stays empty in this phase" => "the centre stays empty until 24 stones are on the board",
                other => other,
            };
            assert_eq!(reason, ours, "{fields:?}");
        }
        (found, _) => panic!("{fields:?}: {found:?}"),
    }
    assert_eq!(game, before);
}

/// The different boards after this number of drops.
fn boards_after(drops: u32) -> BTreeSet<Board> {
    let mut boards = BTreeSet::from([Board::default()]);
    for drop in 0..drops {
        let to_move = Side::BOTH[drop as usize % 2];
        let next = |board| {
            let game = Game::from_board(Options::DEFAULT, board, to_move).unwrap();
            game.plays().into_iter().map(move |play| game.after(play).board())
        };
        boards = boards.into_iter().flat_map(next).collect();
    }
    boards
}

/// The lowest of a board's images under the symmetries, with the same colours.
fn lowest_image(board: Board) -> Board {
    let mirror = |board: Board, diagonal| {
        let [black, white] = Side::BOTH.map(|side| mirrored_set(board.stones(side), diagonal));
        Board::new(black, white).unwrap()
    };
    let mirrors = (0..8).scan(board, |image, step| {
        *image = mirror(*image, step % 2 == 0);
        Some(*image)
    });
    mirrors.min().unwrap()
}

#[test]
fn the_numbers_of_lines_are_right_with_and_without_the_rule_against_cycles() {
    let all = include_str!("../../../data/seegover/perft_seegover.txt");
    let counts = lines(all).inspect(|fields| check_perft(fields)).count();
    assert_eq!(counts, 34);
}

fn check_perft(fields: &[&str]) {
    let &[stones, to_move, plies, with_rule, without, ref of_drops @ ..] = fields else {
        panic!("five fields: {fields:?}")
    };
    let plies = plies.parse().unwrap();
    if stones == "empty" {
        assert_eq!(Game::new(Options::DEFAULT).perft(plies).to_string(), with_rule);
        let boards = boards_after(plies);
        let classes: BTreeSet<Board> = boards.iter().map(|&board| lowest_image(board)).collect();
        let found = [format!("{} distinct boards", boards.len()), format!("{} up to the 8 symmetries", classes.len())];
        assert_eq!(found, *of_drops, "{plies} drops");
        return;
    }
    let game = Game::from_board(Options::DEFAULT, board(stones), side(to_move)).unwrap();
    assert_eq!(game.perft(plies).to_string(), with_rule, "{fields:?}");
    assert_eq!(game.view().perft(Options::DEFAULT, plies).to_string(), without, "{fields:?}");
}
