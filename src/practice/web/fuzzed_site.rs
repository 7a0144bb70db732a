//! The site of a board in memory, for the fuzz targets.

use std::io;
use std::rc::Rc;

use super::shared_table::SharedTable;
use super::table_site::TableSite;
use super::web_token::WebToken;
use crate::page::http::{Access, HttpSite, SiteAnswers};
use crate::page::shown::board_policy;
use crate::practice::guided::GuidedGame;

/// A board in memory.
pub(crate) struct FuzzedBoard<S> {
    pub(crate) site: S,
    /// The text of the token.
    pub(crate) token: String,
    table: Rc<SharedTable>,
}

/// The board of `game`.
///
/// # Errors
/// Fails if the system cannot provide random numbers.
pub(crate) fn board(game: GuidedGame, access: Access) -> io::Result<FuzzedBoard<impl HttpSite>> {
    let token = WebToken::random()?;
    let (text, table) = (token.text(), Rc::new(SharedTable::new(game)));
    let answers = SiteAnswers::new(&board_policy(), access).map_err(io::Error::other)?;
    Ok(FuzzedBoard { site: TableSite::new(answers, token, Rc::clone(&table)), token: text, table })
}

impl<S> FuzzedBoard<S> {
    /// Everything that clients are told about the game.
    pub(crate) fn told(&self) -> String {
        self.table.told()
    }

    /// The number of moves.
    pub(crate) fn plies(&self) -> usize {
        self.table.session().plies().len()
    }

    /// Whether the game has been left or has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.table.is_left() || self.table.session().end().is_some()
    }
}
