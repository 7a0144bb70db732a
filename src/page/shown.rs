//! The page that shows a run: static markup that is complete without a script, and the data of all games for the
//! script.
//!
//! `report` writes the page as one file, with its data inside; a live page has the same markup, style and script, and
//! fetches its data. The data says what changes on the board at every ply, so the script needs the rules only for moves
//! that readers try on 5x5 boards.
//!
//! | room | contents |
//! | --- | --- |
//! | `aliases` | made-up names for the players |
//! | `board_page` | the page of a board on which people play |
//! | `bundle` | the script and the style, and their digests |
//! | `claim_tally` | how accurate a player's claims were |
//! | `claims` | what the players of a game claimed |
//! | `content` | the contents of a page |
//! | `data` | the data of a page as JSON |
//! | `document` | the whole HTML file |
//! | `early_margins` | the margins of early positions of Gothello |
//! | `game_code` | the compact text of a game |
//! | `groups` | games with more than two seats, where they differ from other games |
//! | `gzip` | reproducible compression |
//! | `kind` | the two kinds of pages |
//! | `layers` | the boards of a rule set, and the numbers of their fields |
//! | `leaderboard_page` | a ladder's page |
//! | `line_budget` | how many better lines a page contains |
//! | `markup` | the parts of a page that need no script |
//! | `mistakes` | the worst mistakes of each player |
//! | `own_puzzles` | puzzles from a player's own games |
//! | `page_boards` | the boards of a page's games as JSON |
//! | `page_clocks` | the clocks of a page's games as JSON |
//! | `player_facts` | facts about each player, derived from the games |
//! | `prose` | sentences as markup |
//! | `rating_history` | the ratings at several points of the run |
//! | `shown_game` | one game as a page keeps it |
//! | `slugs` | the players' slugs in links |
//! | `stage_page` | pages of a live run with one board and nothing else |
//! | `still_board` | a board that does not change |
//! | `test_figures` | the course of a sequential test |
//! | `think_times` | a player's think times |

pub mod aliases;
mod board_page;
mod bundle;
mod claim_tally;
mod claims;
mod content;
pub mod data;
pub mod document;
mod early_margins;
pub mod game_code;
pub mod groups;
mod gzip;
mod kind;
pub mod layers;
mod leaderboard_page;
mod line_budget;
mod markup;
mod mistakes;
mod own_puzzles;
pub mod page_boards;
mod page_clocks;
mod player_facts;
mod prose;
pub(crate) mod rating_history;
mod shown_game;
mod slugs;
mod stage_page;
mod still_board;
mod test_figures;
mod think_times;

pub(crate) use board_page::{board_page, board_policy};
pub(crate) use bundle::STILL_BOARD_STYLE;
pub use claims::ShownClaims;
pub use content::{AnalyzedShare, PageContent};
pub use data::{PageData, PageLabel, page_players};
pub(crate) use document::{PlainPage, plain_page};
pub use document::{group_page, page};
pub use kind::PageKind;
pub(crate) use leaderboard_page::{leaderboard_page, leaderboard_policy};
pub(in crate::page) use markup::sequential_test::{ratio_text, values as test_values};
pub use mistakes::ShownMistake;
pub use own_puzzles::OwnPuzzle;
pub(crate) use page_clocks::PageClocks;
pub(crate) use prose::prose;
pub use rating_history::RatingHistory;
pub use shown_game::{ShownGame, has_public_reason};
pub(crate) use stage_page::stage_policy;
pub use stage_page::{StageKind, stage_page};
pub(crate) use still_board::{StillBoard, StillMark};
pub use test_figures::TestFigures;
