//! A second opinion on the rules: the formal schemas of the referee's specification (Bart Massey, "A Networked Gothello
//! Referee", 2003), implemented one by one on plain arrays. It is slow, and shares no code with the crate.
//!
//! The errors of the schemas are corrected: `adjoins` is symmetric, a group contains its own stone, captures look at
//! the opponent's groups next to the stone, a pass changes the side to move, a refused move leaves no history, and an
//! empty history contains no pass.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::gothello::{self, Point};
use gothello_arena::game::{Position, Side};

/// `PLAYER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Black,
    White,
}

impl Player {
    fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

/// `SQUARE`: file and rank, from 0.
type Square = (usize, usize);

/// `BOARD`, by file and rank.
type Board = [[Option<Player>; 5]; 5];

/// A set of squares, by file and rank.
type Squares = [[bool; 5]; 5];

/// `MOVE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Place(Square),
    Pass,
}

/// `RESULT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Win(Player),
    Draw,
    NotDone,
    IllegalMove,
}

fn squares() -> impl Iterator<Item = Square> {
    (0..25).map(|i| (i % 5, i / 5))
}

fn members(set: &Squares) -> impl Iterator<Item = Square> {
    squares().filter(|&(file, rank)| set[file][rank])
}

fn at(board: &Board, (file, rank): Square) -> Option<Player> {
    board[file][rank]
}

/// The squares that `adjoins` relates to this one, in either direction.
fn adjoining((file, rank): Square) -> Vec<Square> {
    let mut found = Vec::with_capacity(4);
    if file > 0 {
        found.push((file - 1, rank));
    }
    if file < 4 {
        found.push((file + 1, rank));
    }
    if rank > 0 {
        found.push((file, rank - 1));
    }
    if rank < 4 {
        found.push((file, rank + 1));
    }
    found
}

/// `group`: the reflexive and transitive closure of `neighbor`.
fn group(board: &Board, square: Square) -> Squares {
    let mut group = Squares::default();
    let mut to_visit = vec![square];
    while let Some(next) = to_visit.pop() {
        if !std::mem::replace(&mut group[next.0][next.1], true) {
            to_visit.extend(adjoining(next).into_iter().filter(|&other| at(board, other) == at(board, square)));
        }
    }
    group
}

/// The number of `liberties`.
fn liberties(board: &Board, group: &Squares) -> usize {
    let mut liberties = Squares::default();
    for (file, rank) in members(group).flat_map(adjoining) {
        liberties[file][rank] = board[file][rank].is_none();
    }
    members(&liberties).count()
}

/// `cboard`: the board with the new stone, before any capture.
fn with_stone(board: &Board, (file, rank): Square, stone: Player) -> Board {
    let mut changed = *board;
    changed[file][rank] = Some(stone);
    changed
}

/// `GothelloGame`.
#[derive(Clone)]
struct Game {
    board: Board,
    to_move: Player,
    history: Vec<Move>,
}

impl Game {
    fn new(board: Board, to_move: Player) -> Self {
        Self { board, to_move, history: Vec::new() }
    }

    /// Whether neither `GothelloIllegalMoveNonblank` nor `GothelloIllegalMoveBlocked` applies.
    fn may_place(&self, square: Square) -> bool {
        let cboard = with_stone(&self.board, square, self.to_move);
        at(&self.board, square).is_none() && liberties(&cboard, &group(&cboard, square)) > 0
    }

    /// `GothelloTurn`.
    fn turn(&mut self, action: Move) -> Outcome {
        match action {
            Move::Place(square) => {
                if !self.may_place(square) {
                    return Outcome::IllegalMove;
                }
                self.place(square);
            }
            Move::Pass if self.history.last() == Some(&Move::Pass) => return self.count(),
            Move::Pass => {}
        }
        self.history.push(action);
        self.to_move = self.to_move.opponent();
        Outcome::NotDone
    }

    /// The board part of `GothelloMove`.
    fn place(&mut self, square: Square) {
        let cboard = with_stone(&self.board, square, self.to_move);
        self.board = cboard;
        for other in adjoining(square) {
            if at(&cboard, other) == Some(self.to_move.opponent()) {
                let group = group(&cboard, other);
                if liberties(&cboard, &group) == 0 {
                    for (file, rank) in members(&group) {
                        self.board[file][rank] = Some(self.to_move);
                    }
                }
            }
        }
    }

    /// `GothelloGameOver`.
    fn count(&self) -> Outcome {
        let stones = |player| squares().filter(|&square| at(&self.board, square) == Some(player)).count();
        match stones(Player::Black).cmp(&stones(Player::White)) {
            std::cmp::Ordering::Greater => Outcome::Win(Player::Black),
            std::cmp::Ordering::Less => Outcome::Win(Player::White),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }
}

fn theirs(player: Player) -> Side {
    match player {
        Player::Black => Side::Black,
        Player::White => Side::White,
    }
}

fn point((file, rank): Square) -> Point {
    Point::new(u8::try_from(file).unwrap(), u8::try_from(rank).unwrap()).unwrap()
}

/// The crate's board with the same stones.
fn same_board(board: &Board) -> gothello::Board {
    let stones = |player| squares().filter(|&s| at(board, s) == Some(player)).map(|s| point(s).bit()).sum();
    gothello::Board::new(stones(Player::Black), stones(Player::White)).unwrap()
}

/// Checks the legal placements of a position, and the stones that each of them captures. Returns these placements.
fn check_position(oracle: &Game, game: &gothello::Game) -> Vec<Square> {
    assert_eq!((game.board(), game.side()), (same_board(&oracle.board), theirs(oracle.to_move)));
    let legal: Vec<Square> = squares().filter(|&square| oracle.may_place(square)).collect();
    assert_eq!(game.placements(), legal.iter().map(|&square| point(square).bit()).sum::<u32>(), "{game}");
    for &square in &legal {
        let mut after = Game::new(oracle.board, oracle.to_move);
        after.place(square);
        assert_eq!(game.place(point(square)).board(), same_board(&after.board), "{game}\n{} {square:?}", game.side());
    }
    legal
}

/// A random index into something with `len` items.
fn any_of(random: &mut SplitMix64, len: usize) -> usize {
    usize::try_from(random.below(len as u64)).unwrap()
}

/// Plays one game of random moves, passes and illegal moves, and checks every position. Returns the number of
/// positions.
fn check_one_game(random: &mut SplitMix64) -> usize {
    let (mut oracle, mut game) = (Game::new(Board::default(), Player::Black), gothello::Game::default());
    for positions in 1.. {
        let legal = check_position(&oracle, &game);
        let refused = (any_of(random, 5), any_of(random, 5));
        if !legal.contains(&refused) {
            assert_eq!(oracle.turn(Move::Place(refused)), Outcome::IllegalMove);
            assert!(game.play(point(refused).to_move().as_str()).is_err());
        }
        let passes = legal.is_empty() || random.below(12) == 0;
        let action = if passes { Move::Pass } else { Move::Place(legal[any_of(random, legal.len())]) };
        let ended = oracle.turn(action);
        match action {
            Move::Pass => game.play("pass").unwrap(),
            Move::Place(square) => game.play(point(square).to_move().as_str()).unwrap(),
        };
        let winner = match ended {
            Outcome::NotDone => {
                assert_eq!(game.outcome(), None);
                continue;
            }
            Outcome::Win(player) => Some(theirs(player)),
            Outcome::Draw => None,
            Outcome::IllegalMove => panic!("a legal move was refused"),
        };
        assert_eq!(game.outcome().unwrap().winner, winner);
        assert!(game.legal_moves().is_empty());
        return positions;
    }
    unreachable!("every game ends")
}

#[test]
fn random_games_agree_with_the_formal_rules() {
    let mut random = SplitMix64::new(2003);
    let mut positions = 0;
    while positions < 50_000 {
        positions += check_one_game(&mut random);
    }
}

/// Boards that cannot occur in play, including groups without a liberty.
#[test]
fn arbitrary_boards_agree_with_the_formal_rules() {
    let mut random = SplitMix64::new(2001);
    for _ in 0..50_000 {
        let stones_of_32 = random.below(33);
        let mut board = Board::default();
        for (file, rank) in squares() {
            board[file][rank] = match (random.below(32) < stones_of_32, random.below(2)) {
                (false, _) => None,
                (true, 0) => Some(Player::Black),
                (true, _) => Some(Player::White),
            };
        }
        let to_move = if random.below(2) == 0 { Player::Black } else { Player::White };
        let oracle = Game::new(board, to_move);
        check_position(&oracle, &gothello::Game::from_board(same_board(&board), theirs(to_move)));
    }
}
