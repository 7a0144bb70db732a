//! Games that a person views on the screen: recorded games, and games that are being played elsewhere.

mod browser;
mod from_log;
mod game_keys;
mod game_list;
mod game_screen;
mod library;
mod story;
#[cfg(test)]
mod tests;

pub(crate) use browser::GameBrowser;
pub(crate) use game_keys::GameKey;
pub(crate) use game_screen::{GameRequest, GameScreen, board_room, draw_board};
pub(crate) use library::GameLibrary;
pub(crate) use story::{FrameDetails, GameStory, SeenMove};
