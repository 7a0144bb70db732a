//! Positions from game logs.

use std::path::Path;

use anyhow::{Context as _, anyhow};

use super::AskedPosition;
use crate::base::sanitise::Shown as _;
use crate::cli::Failure;
use crate::exact::answers::SeegoverQuery;
use crate::exact::solvable::position;
use crate::game::seegover::{self, Options};
use crate::game::{Position as _, Ruleset};
use crate::referee::record::Ply;
use crate::run::game_files::LogFile;

/// The Seegover position after `plies`, the first plies of a game.
fn replayed<'p>(plies: impl Iterator<Item = &'p Ply>, rules: Options) -> anyhow::Result<SeegoverQuery> {
    let mut game = seegover::Game::new(rules);
    for ply in plies {
        game.play(ply.played.as_str()).context("the log is not valid")?;
    }
    Ok(SeegoverQuery::of_game(game))
}

/// The position after ply `ply` of the log `file`, or after the log's last ply. The file `-` is standard input.
pub(super) fn logged(file: &Path, ply: Option<usize>) -> Result<AskedPosition, Failure> {
    let record = LogFile::Named(file.to_owned()).whole()?;
    let plies = record.plies.len();
    let wanted = ply.unwrap_or(plies);
    if wanted > plies {
        return Err(Failure::usage(anyhow!("there is no position after ply {wanted}: the game has {plies} plies")));
    }
    if let Ruleset::Seegover(rules) = record.ruleset {
        return Ok(AskedPosition::Seegover(replayed(record.plies.iter().take(wanted), rules)?));
    }
    let moves = record.plies.iter().take(wanted).map(|ply| ply.played);
    position(record.ruleset, moves)
        .map(AskedPosition::Gothello)
        .map_err(|missing| Failure::usage(anyhow!("`{}` cannot be solved: {missing}", file.shown())))
}
