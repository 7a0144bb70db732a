//! Aliases in place of players' names, and the file that keeps them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::alias_file::read_aliases;
use super::{ReportError, RunGames};
use crate::base::files;
use crate::game::{BySide, Side};
use crate::page::shown::aliases::Aliases;
use crate::results::format_result::FormatResult;
use crate::run::results_dir::ALIASES;
use crate::tournament::schedule::GameId;
use crate::tournament::slug;

/// Replaces all names in `run`, which is in `path`, by aliases, and saves the new ones.
///
/// # Errors
/// Fails if the file of aliases cannot be read or written.
pub(crate) fn hide_names(run: &mut RunGames, path: &Path) -> Result<(), ReportError> {
    let file = place(path);
    let known = read_aliases(&file)?;
    // A player that has only had byes has no game yet.
    let with_places = run.state.result.iter().flat_map(FormatResult::players);
    let played = run.games.iter().flat_map(|game| Side::BOTH.map(|side| game.summary.players[side].as_str()));
    let names: BTreeSet<&str> = played.chain(with_places).collect();
    let aliases = known.clone().with(names, &run.identity);
    if aliases != known {
        files::write_whole(&file, aliases.json().as_bytes())
            .map_err(|source| ReportError::UnwritableAliases { file, source })?;
    }
    rename(run, aliases);
    Ok(())
}

/// The path of the file beside the games.
fn place(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(ALIASES) } else { path.with_file_name(ALIASES) }
}

/// Replaces all names in `run` by `aliases`. The ids of games, which also contain names, become those that the schedule would
/// give to players with these names.
fn rename(run: &mut RunGames, aliases: Aliases) {
    let mut pairings: HashMap<(u32, BySide<String>), u32> = HashMap::new();
    for game in &mut run.games {
        let round = game.summary.round.unwrap_or(0);
        let slugs = game.summary.players.as_ref().map(|name| slug(aliases.of(name)));
        let nth = pairings.entry((round, slugs.clone())).or_default();
        *nth += 1;
        game.make_anonymous(&aliases, GameId::new(round, &slugs.black, &slugs.white, *nth).to_string());
    }
    if let Some(test) = &mut run.state.test {
        test.player = aliases.of(&test.player).to_owned();
        test.opponent = aliases.of(&test.opponent).to_owned();
    }
    run.state.result = run.state.result.take().map(|result| result.renamed(|name| aliases.of(name).to_owned()));
    run.name = aliases.in_text(&run.name);
    run.aliases = aliases;
}
