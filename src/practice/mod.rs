//! A person at the board.
//!
//! Input: what a person types, and the moves of an opponent. Output: a game, which can be written as an ordinary log,
//! and answers to the person's questions about its positions.
//!
//! | room | contents |
//! | --- | --- |
//! | `advice_text` | the values of moves in words |
//! | `better_line` | a line of play that is shown on the board and is not played |
//! | `board_game` | a position together with its rule set, as built-in bots and solvers need it |
//! | `distant_opponent` | an opponent that plays through a referee: a program, or a player on a server |
//! | `even_game` | how often a perfect opponent must err to keep the game even |
//! | `findings` | findings about moves |
//! | `guided` | a game with hints, an opponent that answers, and an account of what the last move gave away |
//! | `hints` | a thread that finds the values of moves |
//! | `opponent` | built-in bots that think on a thread of this process |
//! | `plain` | a game line by line |
//! | `plain_puzzles` | puzzles line by line |
//! | `program_referee` | a game between a person and a program, under the arena's own referee |
//! | `puzzle_round` | puzzles that a person solves one after another |
//! | `puzzles` | positions in which only one move is right, from played games or generated at random |
//! | `screen_guard` | the terminal as a screen, and how to restore it |
//! | `screen_loop` | what every screen does: drawing, shared keys, signals |
//! | `screen_text` | text on a screen, and how a terminal shows stones and colours |
//! | `seat_line` | the connection of a person's seat to its referee |
//! | `seat_talk` | what a referee's lines mean for a person at one of its seats |
//! | `seating` | who sits where |
//! | `session` | a game between two sides: moves, take-backs, resignation, and its record |
//! | `shown_board` | the board on which moves are made now, field by field |
//! | `terminal` | a game on the whole screen |
//! | `typed` | the request in a line that a person types |
//! | `typed_lines` | the lines that a person types, read on a thread |
//! | `waiting` | waits for something that may take a long time, unless a signal ends the program |
//! | `viewer` | recorded games on the whole screen, with their list |
//! | `watching` | games that are being played on servers and on live pages |
//! | `web` | a game in a browser, over HTTP |

pub(crate) mod advice_text;
pub(crate) mod better_line;
pub(crate) mod board_game;
pub(crate) mod distant_opponent;
pub(crate) mod even_game;
pub(crate) mod findings;
pub(crate) mod guided;
pub(crate) mod hints;
pub(crate) mod opponent;
pub(crate) mod plain;
pub(crate) mod plain_puzzles;
pub(crate) mod program_referee;
pub(crate) mod puzzle_round;
pub mod puzzles;
pub(crate) mod screen_guard;
pub(crate) mod screen_loop;
pub(crate) mod screen_text;
pub(crate) mod seat_line;
pub(crate) mod seat_talk;
pub(crate) mod seating;
pub(crate) mod session;
pub(crate) mod shown_board;
pub(crate) mod terminal;
pub(crate) mod typed;
pub(crate) mod typed_lines;
pub(crate) mod viewer;
pub(crate) mod waiting;
pub(crate) mod watching;
pub(crate) mod web;
