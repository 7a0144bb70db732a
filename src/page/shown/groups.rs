//! Games with more than two seats on a page: what differs from games of two.
//!
//! | room | contents |
//! | --- | --- |
//! | `entry` | one game as an entry of `games` |
//! | `game` | one game as a page stores it |
//! | `markup` | the parts of a page that need no script |
//! | `page_data` | the data of a page as JSON |
//! | `player` | players and seats as JSON |

mod entry;
mod game;
mod markup;
mod page_data;
mod player;

pub(crate) use entry::{GroupEntry, GroupExtras};
pub use game::ShownGroupGame;
pub(super) use markup::body;
pub use page_data::{GroupContent, GroupPageData};
pub(crate) use player::{PageGroupPlayer, SeatFigures};
