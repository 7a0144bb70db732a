//! The rules of Gothello, checked against independent answers and against the laws that they obey.

use gothello_arena::game::gothello::{Board, Game, NO_LIBERTY, OCCUPIED, Point, Points, SIZE, points};
use gothello_arena::game::{IllegalMove, Position, Side};
use proptest::prelude::*;

/// 200 random games on the author's own board; the comments at the top of the file explain its columns.
const AUTHORS_GAMES: &str = include_str!("../../data/games-from-the-author.txt");

#[test]
fn the_number_of_placement_sequences_is_right() {
    let counts: Vec<u64> = (1..=5).map(|plies| Game::default().perft(plies)).collect();
    assert_eq!(counts, [25, 600, 13_800, 303_424, 6_368_208]);
}

#[test]
fn the_number_of_move_sequences_with_passes_is_right() {
    let counts: Vec<u64> = (1..=5).map(|plies| Game::default().perft_with_passes(plies)).collect();
    assert_eq!(counts, [26, 651, 15_650, 361_041, 7_983_888]);
}

#[test]
fn the_authors_own_games_are_reproduced() {
    let games = AUTHORS_GAMES.lines().filter(|line| !line.starts_with('#')).inspect(|line| replay(line)).count();
    assert_eq!(games, 200);
}

/// Plays one line of the author's games and checks every column.
fn replay(line: &str) {
    let columns: Vec<&str> = line.split(';').collect();
    let [moves, placements, board, black, white, winner] = columns[..] else { panic!("six columns: {line}") };
    let placements: Vec<u32> = placements.split(' ').map(|count| count.parse().unwrap()).collect();
    let moves: Vec<&str> = moves.split(' ').collect();
    assert_eq!(moves.len(), placements.len());
    let mut game = Game::default();
    for (text, count) in moves.into_iter().zip(placements) {
        assert_eq!(game.outcome(), None);
        assert_eq!(game.placements().count_ones(), count, "before {text} of {line}");
        assert_eq!(game.play(text).unwrap().as_str(), text);
    }
    let outcome = game.outcome().expect("the line ends with two passes");
    assert_eq!(game.board(), board.replace('/', " ").parse().unwrap());
    assert_eq!(game.board().stones(Side::Black).count_ones(), black.parse::<u32>().unwrap());
    assert_eq!(game.board().stones(Side::White).count_ones(), white.parse::<u32>().unwrap());
    assert_eq!(outcome.winner.map_or("draw", Side::name), winner);
}

fn position(board: &str, to_move: Side) -> Game {
    Game::from_board(board.parse().unwrap(), to_move)
}

#[test]
fn picture_1_captures_along_the_wall() {
    let mut game = position("b.... w.... wb... b.w.. .....", Side::Black);
    game.play("b4").unwrap();
    assert_eq!(game.board(), "b.... bb... bb... b.w.. .....".parse().unwrap());
}

#[test]
fn picture_2_has_a_point_that_neither_side_may_take() {
    for side in Side::BOTH {
        let mut game = position("....b ...bw ..bw. ...bw ..wwb", side);
        assert_eq!(game.play("e3"), Err(NO_LIBERTY), "{side}");
    }
}

#[test]
fn picture_3_leaves_two_passes_and_a_draw() {
    let mut game = position("bwbwb bwwbw bwbw. wbbbw bwwwb", Side::Black);
    for side in Side::BOTH {
        assert_eq!((game.to_move(), game.placements()), (side, 0));
        assert_eq!(game.play("e3"), Err(NO_LIBERTY));
        game.play("pass").unwrap();
    }
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.margin), (None, Some(0)));
}

#[test]
fn two_passes_at_the_start_are_a_draw() {
    let mut game = Game::default();
    game.play("pass").unwrap();
    assert_eq!(game.outcome(), None);
    game.play("pass").unwrap();
    assert_eq!(game.outcome().unwrap().winner, None);
    assert_eq!(game.play("c3"), Err(IllegalMove::GameOver));
    assert_eq!(game.play("pass"), Err(IllegalMove::GameOver));
}

#[test]
fn passes_separated_by_a_placement_do_not_end_the_game() {
    let mut game = Game::default();
    for text in ["pass", "c3", "pass", "d4", "pass"] {
        game.play(text).unwrap();
        assert_eq!(game.outcome(), None, "after {text}");
    }
}

#[test]
fn a_refused_move_leaves_no_trace() {
    let mut game = position(".w... w.... ..... ..... .....", Side::White);
    game.play("pass").unwrap();
    let before = game;
    assert_eq!(game.play("a5"), Err(NO_LIBERTY));
    assert_eq!(game.play("b5"), Err(OCCUPIED));
    assert_eq!(game, before);
    game.play("pass").unwrap();
    assert_eq!(game.outcome().unwrap().winner, Some(Side::White));
}

#[test]
fn only_points_of_the_board_and_pass_are_moves() {
    for text in ["", "a", "a0", "a6", "f1", "A1", "a1 ", " a1", "aa1", "11", "Pass", "pass ", "resign", "é1", "\u{b2}"]
    {
        assert_eq!(Game::default().play(text), Err(IllegalMove::NotUnderstood), "`{text}`");
    }
}

#[test]
fn a_board_says_where_its_text_is_wrong() {
    let cases = [
        ("..... ..... ..... .....", "a board has 5 ranks, but this one has 4"),
        ("..... .... ..... ..... .....", "a rank has 5 points, but `....` (rank 4) has 4"),
        ("..... ..... ..x.. ..... .....", "`x` in rank 3 is not `b`, `w` or `.`"),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<Board>().unwrap_err().to_string(), message);
    }
}

/// One of the eight symmetries of the square, as the choice of three reflections to apply, in this order.
#[derive(Clone, Copy, Debug)]
struct Symmetry {
    left_right: bool,
    top_bottom: bool,
    diagonal: bool,
}

impl Symmetry {
    fn point(self, point: Point) -> Point {
        let flip = |yes: bool, coordinate: u8| if yes { SIZE - 1 - coordinate } else { coordinate };
        let (file, rank) = (flip(self.left_right, point.file()), flip(self.top_bottom, point.rank()));
        if self.diagonal { Point::new(rank, file) } else { Point::new(file, rank) }.unwrap()
    }

    fn points(self, set: Points) -> Points {
        points(set).map(|point| self.point(point).bit()).sum()
    }

    fn board(self, board: Board) -> Board {
        Board::new(self.points(board.stones(Side::Black)), self.points(board.stones(Side::White))).unwrap()
    }
}

fn colours_swapped(board: Board) -> Board {
    Board::new(board.stones(Side::White), board.stones(Side::Black)).unwrap()
}

fn stones(board: Board) -> Points {
    board.stones(Side::Black) | board.stones(Side::White)
}

fn any_symmetry() -> impl Strategy<Value = Symmetry> {
    any::<[bool; 3]>().prop_map(|[left_right, top_bottom, diagonal]| Symmetry { left_right, top_bottom, diagonal })
}

fn any_side() -> impl Strategy<Value = Side> {
    any::<bool>().prop_map(|black| if black { Side::Black } else { Side::White })
}

/// Arbitrary stones on most of the points; groups without a liberty are frequent.
fn any_board() -> impl Strategy<Value = Board> {
    proptest::array::uniform25(0_u8..5).prop_map(|letters| {
        let set = |stone: [u8; 2]| {
            Point::all().zip(letters).filter(|(_, letter)| stone.contains(letter)).map(|(point, _)| point.bit()).sum()
        };
        Board::new(set([1, 2]), set([3, 4])).unwrap()
    })
}

/// Games as choices among the legal moves, one index per ply.
fn any_choices() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..60)
}

proptest! {
    #[test]
    fn symmetries_commute_with_the_rules(board in any_board(), side in any_side(), symmetry in any_symmetry()) {
        let turned = symmetry.board(board);
        prop_assert_eq!(turned.placements(side), symmetry.points(board.placements(side)));
        for point in points(board.placements(side)) {
            prop_assert_eq!(turned.place(side, symmetry.point(point)), symmetry.board(board.place(side, point)));
        }
    }

    #[test]
    fn the_colours_have_the_same_rules(board in any_board(), side in any_side()) {
        let swapped = colours_swapped(board);
        prop_assert_eq!(swapped.margin(), -board.margin());
        prop_assert_eq!(swapped.placements(side.opponent()), board.placements(side));
        for point in points(board.placements(side)) {
            prop_assert_eq!(swapped.place(side.opponent(), point), colours_swapped(board.place(side, point)));
        }
    }

    #[test]
    fn a_placement_adds_its_stone_and_removes_none_of_its_own_side(board in any_board(), side in any_side()) {
        for point in points(board.placements(side)) {
            let after = board.place(side, point);
            prop_assert_eq!(stones(after), stones(board) | point.bit());
            prop_assert_eq!(after.stones(side) & board.stones(side), board.stones(side));
        }
    }

    #[test]
    fn a_board_is_read_back_from_its_text(board in any_board()) {
        prop_assert_eq!(board.to_string().parse(), Ok(board));
    }

    #[test]
    fn play_accepts_exactly_the_legal_moves_and_never_fills_the_board(choices in any_choices()) {
        let mut game = Game::default();
        for choice in choices {
            let legal = game.legal_moves();
            for point in Point::all() {
                let accepted = game.clone().play(point.to_move().as_str()).is_ok();
                prop_assert_eq!(accepted, legal.contains(&point.to_move()));
            }
            if legal.is_empty() {
                break;
            }
            prop_assert_eq!(game.play(choice.get(&legal).as_str()), Ok(*choice.get(&legal)));
            prop_assert_ne!(game.board().empty(), 0);
        }
        prop_assert_eq!(game.legal_moves().is_empty(), game.outcome().is_some());
    }
}
