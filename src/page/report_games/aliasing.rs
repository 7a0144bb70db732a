//! Aliases in place of players' names, and the file that keeps them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::alias_file::read_aliases;
use super::{ReportError, RunGames};
use crate::base::files;
use crate::game::{BySide, Side};
use crate::page::shown::aliases::Aliases;
use crate::page::shown::groups::ShownGroupGame;
use crate::results::format_result::FormatResult;
use crate::run::results_dir::ALIASES;
use crate::tournament::schedule::GameId;
use crate::tournament::slug;

/// Replaces all names in `run`, which is in `path`, with aliases, and saves the new aliases.
///
/// # Errors
/// Fails if the file of aliases cannot be read or written.
pub(crate) fn hide_names(run: &mut RunGames, path: &Path) -> Result<(), ReportError> {
    // A player that has only had byes has no game yet.
    let with_places = run.state.result.iter().flat_map(FormatResult::players);
    let played = run.games.iter().flat_map(|game| Side::BOTH.map(|side| game.summary.players[side].as_str()));
    let aliases = known_aliases(path, played.chain(with_places).collect(), &run.identity)?;
    rename(run, aliases);
    Ok(())
}

/// Replaces all names in `run`, which has games with more than two seats and is in `path`, with aliases, and saves the
/// new aliases. The ids of such games contain no names.
///
/// # Errors
/// Fails if the file of aliases cannot be read or written.
pub(crate) fn hide_names_of_groups(run: &mut RunGames<ShownGroupGame>, path: &Path) -> Result<(), ReportError> {
    let played = run.games.iter().flat_map(|game| game.summary.players.values().map(String::as_str));
    let aliases = known_aliases(path, played.collect(), &run.identity)?;
    for game in &mut run.games {
        game.make_anonymous(&aliases);
    }
    run.name = aliases.in_text(&run.name);
    run.aliases = aliases;
    Ok(())
}

/// The aliases of `names`, from the file next to the games in `path`. New aliases are added to this file.
fn known_aliases(path: &Path, names: BTreeSet<&str>, identity: &str) -> Result<Aliases, ReportError> {
    let file = place(path);
    let known = read_aliases(&file)?;
    let aliases = known.clone().with(names, identity);
    if aliases != known {
        files::write_whole(&file, aliases.json().as_bytes())
            .map_err(|source| ReportError::UnwritableAliases { file, source })?;
    }
    Ok(aliases)
}

/// The path of the alias file for the games in `path`.
fn place(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(ALIASES) } else { path.with_file_name(ALIASES) }
}

/// Replaces all names in `run` with `aliases`. The ids of games, which also contain names, become the ids that the
/// schedule would give to games of players with these aliases as names.
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
