//! The tournament file, as validated values.

mod advantages;
mod between_players;
pub(crate) mod clock_text;
pub(crate) mod clocks;
mod features;
mod file_location;
mod flaw;
mod format_keys;
pub(crate) mod key;
pub(crate) mod key_kinds;
pub(crate) mod keys;
mod ladder_table;
mod player_draft;
mod player_kind;
mod players;
pub(crate) mod problem;
pub(crate) mod problem_places;
mod program_keys;
pub(crate) mod read_values;
mod resource_keys;
mod rules_table;
pub(crate) mod schema;
mod seats;
pub(crate) mod section;
mod toml_literals;
pub(crate) mod top_level;

pub use file_location::Site;
pub use flaw::Flaw;
pub use problem::{FileProblem, FileProblems, LineColumn};
pub use schema::{identifying_keys, tournament_schema, tournament_tables};
pub(crate) use toml_literals::{duration, size};

use super::Tournament;

/// The text of tournaments/class.toml, the tournament that is played if no file is given.
pub const CLASS_TOML: &str = include_str!("../../tournaments/class.toml");

/// The JSON Schema (draft 7) of tournament files, for editors: the text of [`tournament_schema`].
pub const TOURNAMENT_SCHEMA: &str = include_str!("../../tournaments/tournament.schema.json");

impl Tournament {
    /// Reads a tournament file. `default_name`, usually the stem of the file's name, is the tournament's name if `text`
    /// does not specify one.
    ///
    /// # Errors
    /// Returns all problems with the file, each with its line and column. An error in the TOML itself can hide others
    /// until it is fixed.
    pub fn parse(text: &str, default_name: &str) -> Result<Self, FileProblems> {
        top_level::tournament(text, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse`], but reads the bytes of a file.
    ///
    /// # Errors
    /// Fails if `content` is not UTF-8, and in the same cases as [`Tournament::parse`].
    pub fn parse_bytes(content: &[u8], default_name: &str) -> Result<Self, FileProblems> {
        Self::parse_at(content, default_name, &Site::unknown())
    }

    /// Like [`Tournament::parse_bytes`], for a file at `site`. This location determines which directories would expose
    /// the file to a bot.
    ///
    /// # Errors
    /// Fails in the same cases as [`Tournament::parse_bytes`].
    pub fn parse_at(content: &[u8], default_name: &str, site: &Site<'_>) -> Result<Self, FileProblems> {
        match str::from_utf8(content) {
            Ok(text) => top_level::tournament(text, default_name, site),
            Err(error) => Err(top_level::not_utf8(content, error.valid_up_to())),
        }
    }
}
