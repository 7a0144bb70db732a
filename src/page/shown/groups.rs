//! Games of more than two seats on a page: what is different from games of two.
//!
//! | room | contents |
//! | --- | --- |
//! | `entry` | one game as an entry of `games` |
//! | `facts` | facts about each player, derived from the games |
//! | `game` | one game as a page keeps it |
//! | `markup` | the parts of a page that need no script |
//! | `page_data` | the data of a page as JSON |
//! | `player` | players and seats as JSON |

mod entry;
mod facts;
mod game;
mod markup;
mod page_data;
mod player;

pub(crate) use entry::{GroupEntry, GroupExtras};
pub(crate) use game::{DropOutText, ShownGroupGame};
pub(super) use markup::body;
pub(crate) use page_data::{GroupContent, GroupPageData};
pub(crate) use player::{PageGroupPlayer, SeatFigures};
