//! The symmetries of the board.

use super::move_places::reading_order;
use crate::exact::margin_table::grid::image_of_place;
use crate::game::gothello::{Board, Game, Point, SIZE};
use crate::game::{Move, Side};

/// The number of symmetries of the board.
pub const IMAGES: u8 = 8;

/// The image of `point` under the symmetry with the number `image`, which is less than [`IMAGES`].
fn image_of_point(point: Point, image: u8) -> Point {
    let (rank, file) = image_of_place(usize::from(image), (point.rank(), point.file()), SIZE);
    Point::new(file, rank).expect("an image lies on the board")
}

/// The image of the move `played` under the symmetry with the number `image`. A pass is its own image.
pub fn image_of_move(played: Move, image: u8) -> Move {
    Point::parse(played.as_str()).map_or(played, |point| image_of_point(point, image).to_move())
}

/// The image of `game` under the symmetry with the number `image`, which is less than [`IMAGES`].
pub fn image(game: &Game, image: u8) -> Game {
    let turned = |stones| {
        let points = reading_order().filter(|point| stones & point.bit() != 0);
        points.fold(0, |set, point| set | image_of_point(point, image).bit())
    };
    let [black, white] = Side::BOTH.map(|side| turned(game.board().stones(side)));
    let board = Board::new(black, white).expect("an image of disjoint sets");
    if game.passed() {
        Game::from_board(board, game.side().opponent()).pass()
    } else {
        Game::from_board(board, game.side())
    }
}
