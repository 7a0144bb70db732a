//! The rules of Seegover, checked against independent answers, against the examples of their sources, and against the
//! laws that they obey.

mod oracle;
mod played;
mod protocol;
mod served;
pub(crate) mod solved;
mod vectors;

use gothello_arena::game::seegover::{
    ALL, Board, Ending, Game, Options, Play, Square, Squares, UnplayableBoard, View, squares,
};
use gothello_arena::game::{IllegalMove, Position, Ruleset, Side};
use gothello_arena::results::replay::{Style, board as draw};
use proptest::prelude::*;

/// The rules with these options, such as `cycle=superko`.
fn rules(options: &str) -> Options {
    Options::read(options.split_whitespace()).unwrap()
}

fn board(text: &str) -> Board {
    text.parse().unwrap()
}

/// A game that begins on this board.
fn game(options: &str, text: &str, to_move: Side) -> Game {
    Game::from_board(rules(options), board(text), to_move).unwrap()
}

/// The legal turns as text.
fn legal(game: &Game) -> Vec<String> {
    game.legal_moves().iter().map(ToString::to_string).collect()
}

/// The board in one line.
fn flat(game: &Game) -> String {
    game.to_string().replace('\n', "/")
}

/// The squares of the opponent's stones that this turn captures, in the order of the board.
fn captured(game: &Game, text: &str) -> String {
    let mut after = game.clone();
    after.play(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    let enemy = game.side().opponent();
    let taken = game.board().stones(enemy) & !after.board().stones(enemy);
    squares(taken).map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

/// The reason why this turn is refused.
fn refused(game: &Game, text: &str) -> &'static str {
    let before = game.clone();
    let mut after = game.clone();
    let Err(IllegalMove::Refused(why)) = after.play(text) else { panic!("{text} is not refused for a reason") };
    assert_eq!(after, before, "a refused turn leaves no trace");
    why
}

#[test]
fn the_first_example_is_won_by_the_return() {
    let mut game = game("", ".wbbw/wwbbw/bwbbb/bbbbb/wbwbb", Side::Black);
    let lifts = legal(&game);
    assert_eq!(lifts.len(), 16);
    assert!(lifts.iter().all(|text| text.ends_with("-a5")), "{lifts:?}");
    assert_eq!(captured(&game, "a2-a5"), "a4 b5");
    game.play("a2-a5").unwrap();
    assert_eq!(legal(&game), ["a1-a2"]);
    game.play("a1-a2").unwrap();
    let mut stepped = game.clone();
    stepped.play("b1-a1").unwrap();
    assert_eq!((stepped.board().stones(Side::White).count_ones(), stepped.outcome()), (5, None));
    assert_eq!(captured(&game, "b1-a1-b1"), "c1 a2");
    game.play("b1-a1-b1").unwrap();
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.margin), (Some(Side::Black), Some(16)));
    assert_eq!(game.ending(), Some(Ending::Won(Side::Black)));
    assert_eq!(game.play("a1-a2"), Err(IllegalMove::GameOver));
    assert_eq!(game.play("pass"), Err(IllegalMove::GameOver));
    assert_eq!(legal(&game), [""; 0]);
}

#[test]
fn the_page_of_the_rules_shows_the_boards_of_the_first_example() {
    let page = std::fs::read_to_string("docs/bot/rules/seegover.md").unwrap();
    let mut game = game("", ".wbbw/wwbbw/bwbbb/bbbbb/wbwbb", Side::Black);
    let shows = |before: &str, after: &str, played: Option<&str>| {
        let drawn = draw(after, before, played.map(|text| text.parse().unwrap()), Style::PLAIN);
        let indented = drawn.lines().fold(String::new(), |text, line| text + "      " + line + "\n");
        assert!(page.contains(&indented), "{indented}");
    };
    shows(&game.to_string(), &game.to_string(), None);
    for text in ["a2-a5", "a1-a2"] {
        let before = game.to_string();
        game.play(text).unwrap();
        shows(&before, &game.to_string(), Some(text));
    }
    let (before, last) = (game.to_string(), "b1-a1-b1".parse().unwrap());
    let between = Ruleset::Seegover(Options::DEFAULT).between(&before, last).unwrap();
    shows(&before, &between, Some("b1-a1"));
    game.play(last.as_str()).unwrap();
    shows(&between, &game.to_string(), Some(last.as_str()));
}

/// The cyclic example: turns with their captures.
const CYCLE: [(&str, &str); 6] =
    [("b2-b3", ""), ("c2-b2", "b3"), ("d2-c2", "b2 c3"), ("d3-d2", ""), ("c3-d3", "d2"), ("b3-c3", "c2 d3")];

const CYCLIC: &str = "wwbww/wwbww/w.www/bbwbb/bbwbb";

#[test]
fn the_cyclic_example_is_drawn_when_the_position_repeats() {
    let mut game = game("", CYCLIC, Side::Black);
    assert_eq!(legal(&game), ["b2-b3"]);
    for (text, taken) in CYCLE {
        assert_eq!(game.outcome(), None, "before {text}");
        assert_eq!(captured(&game, text), taken, "{text}");
        game.play(text).unwrap();
    }
    assert_eq!((flat(&game).as_str(), game.side()), (CYCLIC, Side::Black));
    assert_eq!(game.ending(), Some(Ending::Repeated));
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.margin), (None, Some(0)));
    assert_eq!(legal(&game), [""; 0]);
}

#[test]
fn superko_forbids_the_last_turn_of_the_cyclic_example() {
    let mut game = game("cycle=superko", CYCLIC, Side::Black);
    for (text, _) in &CYCLE[..5] {
        game.play(text).unwrap();
    }
    assert_eq!(refused(&game, "b3-c3"), "the rule against cycles forbids this turn");
    assert!(!legal(&game).contains(&"b3-c3".to_owned()));
    assert!(!legal(&game).is_empty());
}

#[test]
fn the_magazine_s_second_figure_captures_in_three_directions_and_again_on_the_way_back() {
    let view = board("bwb../bw.wb/..w../..b../.....").view(Side::Black);
    let square = |text: &str| Square::parse(text.as_bytes()).unwrap();
    let named = |set: Squares| squares(set).map(|square| square.to_string()).collect::<Vec<_>>().join(" ");
    for options in ["", "capture=single"] {
        let capture = rules(options).capture;
        let (stepped, taken) = view.carry(square("c5"), square("c4"), capture);
        assert_eq!(named(taken), "c3 b4 d4");
        assert_eq!(named(stepped.carry(square("c4"), square("c5"), capture).1), "b5");
    }
}

#[test]
fn the_magazine_s_third_figure_tells_captures_of_lines_and_of_single_stones_apart() {
    let text = "bwwbb/ww.wb/bbwwb/wwwbw/bwbbb";
    for (options, from_a1) in [("", "c2 c3 d4"), ("capture=single", "d4")] {
        let game = game(options, text, Side::Black);
        assert_eq!(legal(&game).len(), 12, "no stone can step");
        assert_eq!(captured(&game, "c1-c4"), "d4");
        assert_eq!(captured(&game, "a1-c4"), from_a1, "{options}");
    }
}

#[test]
fn the_magazine_s_fifth_figure_ends_with_four_stones() {
    let mut game = game("", "wbwbw/bw.wb/bwwbw/bbbbb/bbbbw", Side::Black);
    assert_eq!(captured(&game, "d1-c4"), "c3 b4 d4");
    game.play("d1-c4").unwrap();
    assert_eq!(legal(&game), ["e1-d1"]);
    game.play("e1-d1").unwrap();
    assert_eq!(captured(&game, "e2-e1-e2"), "d1 e3");
    game.play("e2-e1-e2").unwrap();
    assert_eq!(game.board().stones(Side::White).count_ones(), 4);
    assert_eq!(game.outcome().unwrap().margin, Some(16));
}

#[test]
fn drops_alternate_and_leave_the_centre_empty() {
    let mut game = Game::new(Options::DEFAULT);
    for stones in 0..24 {
        assert_eq!(game.side(), if stones % 2 == 0 { Side::Black } else { Side::White });
        assert_eq!(game.legal_moves().len(), 24 - stones);
        assert_eq!(refused(&game, "c3"), "the centre stays empty until 24 stones are on the board");
        assert_eq!(refused(&game, "a1-a2"), "a turn drops one stone until 24 are on the board");
        let first = game.legal_moves()[0];
        game.play(first.as_str()).unwrap();
    }
    assert_eq!((game.side(), game.view().hole().map(|hole| hole.to_string())), (Side::Black, Some("c3".to_owned())));
    assert_eq!(game.board().margin(), 0);
    assert_eq!(refused(&game, "c3"), "all stones are already on the board");
}

#[test]
fn two_stones_are_dropped_in_either_order_and_written_in_one() {
    let mut game = Game::new(rules("drop=2"));
    assert_eq!(game.legal_moves().len(), 276);
    assert_eq!(game.play("c4+a1").unwrap().as_str(), "a1+c4");
    assert_eq!(game.side(), Side::White);
    assert_eq!(refused(&game, "b1+c3"), "the centre stays empty until 24 stones are on the board");
    assert_eq!(refused(&game, "a1+b1"), "the square is occupied");
    assert_eq!(refused(&game, "b1+b1"), "the square is occupied");
    assert_eq!(refused(&game, "a1-c3"), "a turn drops two stones until 24 are on the board");
    for text in ["b1", "b1+", "b1+c1+d1", "B1+c1"] {
        assert_eq!(game.play(text), Err(IllegalMove::NotUnderstood), "{text}");
    }
    assert_eq!(Game::new(rules("drop=2")).perft(2), 63_756);
}

#[test]
fn a_return_has_to_capture_if_the_option_says_so() {
    let idle = "bbbbb/bbbbb/bwwww/bbwbw/.wbww";
    assert_eq!(legal(&game("", idle, Side::Black)), ["a2-a1", "a2-a1-a2"]);
    let strict = game("back=capture", idle, Side::Black);
    assert_eq!(legal(&strict), ["a2-a1"]);
    assert_eq!((captured(&strict, "a2-a1").as_str(), refused(&strict, "a2-a1-a2")), ("b1", "a return must capture"));
    let strict = game("back=capture", "bbbbb/bbbbb/wwwww/bwwbw/.wbww", Side::Black);
    assert_eq!(captured(&strict, "a2-a1-a2"), "b1 b2 c2 a3");
}

#[test]
fn boards_from_which_the_drops_cannot_end_are_refused() {
    let empty = "...../...../...../...../.....";
    let centre = board(&empty.replacen("...../...../.....", "...../...../..b..", 1));
    let refusal = Game::from_board(Options::DEFAULT, centre, Side::White);
    assert_eq!(refusal, Err(UnplayableBoard::Centre { stones: 1 }));
    let odd = board("b..../...../...../...../.....");
    assert_eq!(Game::from_board(rules("drop=2"), odd, Side::White), Err(UnplayableBoard::Odd { stones: 1 }));
    assert!(Game::from_board(Options::DEFAULT, odd, Side::White).is_ok());
    let full = "bbbbb/bbbbb/bbbbb/bbbbb/bbbbb".parse::<Board>();
    assert_eq!(full.unwrap_err().to_string(), "a board has at most 24 stones, but this one has 25");
}

#[test]
fn the_rule_set_starts_a_game_with_its_options() {
    let ruleset: Ruleset = "seegover drop=2".parse().unwrap();
    assert_eq!(ruleset.start().legal_moves().len(), 276);
    assert_eq!("seegover".parse::<Ruleset>().unwrap().start().legal_moves().len(), 24);
}

/// A board in the move phase on which each side has at least five stones.
fn full_board() -> impl Strategy<Value = Board> {
    (0..25_u8, any::<u32>()).prop_filter_map("too few stones of a side", |(hole, stones)| {
        let stand = ALL & !Square::from_index(hole)?.bit();
        let (black, white) = (stones & stand, !stones & stand);
        (black.count_ones() >= 5 && white.count_ones() >= 5).then(|| Board::new(black, white))?
    })
}

fn any_options() -> impl Strategy<Value = Options> {
    let words = ["", "capture=single", "back=capture", "capture=single back=capture"];
    proptest::sample::select(words.to_vec()).prop_map(rules)
}

/// The mirror image of the square across the board's diagonal, or across its middle file.
fn mirrored(square: Square, diagonal: bool) -> Square {
    let (file, rank) = (square.file(), square.rank());
    if diagonal { Square::new(rank, file) } else { Square::new(4 - file, rank) }.unwrap()
}

fn mirrored_set(set: Squares, diagonal: bool) -> Squares {
    squares(set).map(|square| mirrored(square, diagonal).bit()).sum()
}

fn mirrored_view(view: View, diagonal: bool) -> View {
    View::new(mirrored_set(view.own(), diagonal), mirrored_set(view.enemy(), diagonal)).unwrap()
}

/// All turns with the stones after them.
fn turns(view: View, rules: Options) -> Vec<(Play, View)> {
    let mut turns = Vec::new();
    view.each_turn(rules, |play, after| turns.push((play, after)));
    turns
}

proptest! {
    #[test]
    fn mirrors_of_the_board_change_nothing(board in full_board(), options in any_options(), diagonal: bool) {
        let view = board.view(Side::Black);
        let map = |play: Play| match play {
            Play::Move { from, to } => Play::Move { from: mirrored(from, diagonal), to: mirrored(to, diagonal) },
            Play::Return { from, to } => Play::Return { from: mirrored(from, diagonal), to: mirrored(to, diagonal) },
            Play::Drop(_) | Play::Pair(..) => unreachable!("the board is full"),
        };
        let here: Vec<_> = turns(view, options).into_iter().map(|(play, after)| (map(play), mirrored_view(after, diagonal))).collect();
        let mut there = turns(mirrored_view(view, diagonal), options);
        there.sort_unstable();
        let mut here = here;
        here.sort_unstable();
        prop_assert_eq!(here, there);
    }

    #[test]
    fn a_turn_costs_no_own_stone_and_only_the_enemy_loses_some(board in full_board(), options in any_options()) {
        let view = board.view(Side::White);
        let all = turns(view, options);
        prop_assert!(!all.is_empty());
        for (play, after) in all {
            prop_assert_eq!(after, view.after(play, options));
            prop_assert!(after.own().count_ones() >= view.own().count_ones());
            prop_assert_eq!(after.enemy() & !view.enemy(), 0);
            prop_assert_eq!((after.own() | after.enemy()).count_ones(), 24);
        }
    }

    #[test]
    fn play_accepts_exactly_the_legal_turns(board in full_board(), options in any_options()) {
        let game = Game::from_board(options, board, Side::Black).unwrap();
        let legal = game.legal_moves();
        for from in squares(ALL) {
            for to in squares(ALL) {
                for play in [Play::Move { from, to }, Play::Return { from, to }] {
                    let text = play.to_move();
                    prop_assert_eq!(game.clone().play(text.as_str()).is_ok(), legal.contains(&text), "{}", text);
                }
            }
        }
    }

    #[test]
    fn turns_and_boards_read_back_from_their_text(board in full_board(), options in any_options()) {
        prop_assert_eq!(board.to_string().parse(), Ok(board));
        prop_assert_eq!(board.to_string().replace('\n', "/").parse(), Ok(board));
        for (play, _) in turns(board.view(Side::Black), options) {
            prop_assert_eq!(Play::parse(play.to_move().as_str(), options.drop), Some(play));
        }
    }
}
