//! A person at the board.
//!
//! Input: what a person types, and the moves of an opponent. Output: a game, which can be written as an ordinary log, and what
//! the person wants to know about its positions.
//!
//! | room | contents |
//! | --- | --- |
//! | `advice_text` | the values of moves in words |
//! | `board_game` | a position together with its rule set, as built-in bots and solvers need it |
//! | `findings` | what is found out about moves |
//! | `guided` | a game with an opponent that answers, hints, and what the last move gave away |
//! | `hints` | a thread that finds the values of moves |
//! | `opponent` | built-in bots that think on a thread of this process |
//! | `plain` | a game line by line |
//! | `puzzles` | positions in which only one move is right, from games that were played and at random |
//! | `screen_guard` | the terminal as a screen, and the way back |
//! | `seating` | who sits where |
//! | `session` | a game between two sides: moves, take-backs, resignation, and its record |
//! | `shown_board` | the board on which moves are made now, field by field |
//! | `terminal` | a game on the whole screen |
//! | `typed` | what a line that a person types asks for |
//! | `web` | a game in a browser, over HTTP |

pub(crate) mod advice_text;
pub(crate) mod board_game;
pub(crate) mod findings;
pub(crate) mod guided;
pub(crate) mod hints;
pub(crate) mod opponent;
pub(crate) mod plain;
pub mod puzzles;
pub(crate) mod screen_guard;
pub(crate) mod seating;
pub(crate) mod session;
pub(crate) mod shown_board;
pub(crate) mod terminal;
pub(crate) mod typed;
pub(crate) mod web;
