//! `gothello-arena ladder`: a teacher's commands for a ladder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use jiff::Timestamp;

use super::{CommandResult, Exit, Failure, HELP, note, print, warn};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::suggestion::nearest;
use crate::base::time::utc_now;
use crate::base::units::counted;
use crate::ladder::doors::{AddError, add, discard, listed};
use crate::ladder::leaderboard::player_link;
use crate::ladder::mailbox::{LadderRequest, MOST_ROUNDS, post, requests};
use crate::ladder::overview::overview;
use crate::ladder::places::{inbox, page_address_file, token_store};
use crate::ladder::state::LadderState;
use crate::results::report::{ladder_json, ladder_text};
use crate::run::journal::{self, LadderHistory, Ledger};
use crate::run::results_dir::read_at_most;
use crate::tournament::PlayerName;
use crate::tournament::ladder::LadderTerms;

/// Manage a ladder: its versions, tokens and end
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
DIR is the run directory, such as results/term. A run in progress carries out a
command within a second; otherwise, the next `run` carries it out first.
Example:
  gothello-arena ladder status results/term")]
pub(super) struct Args {
    #[command(subcommand)]
    task: LadderTask,
}

#[derive(Debug, clap::Subcommand)]
enum LadderTask {
    /// Print every version with its rating and status
    #[command(after_help = "Example:\n  gothello-arena ladder status results/term")]
    Status(StatusArgs),
    /// Hand in a version for a player, such as one received by mail
    #[command(after_help = "\
The version is checked and plays like any other. It does not count towards the
player's `versions_per_day`.
Example:
  gothello-arena ladder add results/term ada ada.zip")]
    Add(AddArgs),
    /// Stop a version from playing until it is resumed
    #[command(after_help = "Example:\n  gothello-arena ladder pause results/term ada.7 --reason \"it floods the log\"")]
    Pause(VersionArgs),
    /// Let a paused version play again
    #[command(after_help = "Example:\n  gothello-arena ladder resume results/term ada.7")]
    Resume(ResumeArgs),
    /// Stop a version from ever playing again
    #[command(after_help = "Example:\n  gothello-arena ladder retire results/term ada.7")]
    Retire(VersionArgs),
    /// Create a player's token for `submit`, replacing any earlier one
    #[command(after_help = "Example:\n  gothello-arena ladder token results/term ada")]
    Token(TokenArgs),
    /// Accept no more versions, and play a final round robin
    #[command(after_help = "Example:\n  gothello-arena ladder freeze results/term --rounds 2")]
    Freeze(FreezeArgs),
    /// Let a player hand in versions after the ladder has closed
    #[command(after_help = "Example:\n  gothello-arena ladder reopen results/term ada --until 2026-12-03T23:00:00Z")]
    Reopen(ReopenArgs),
}

#[derive(Debug, clap::Args)]
struct StatusArgs {
    /// Directory of the run
    dir: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// Directory of the run
    dir: PathBuf,
    /// The player
    name: PlayerName,
    /// Directory or archive with the sources
    path: PathBuf,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct VersionArgs {
    /// Directory of the run
    dir: PathBuf,
    /// The version, such as ada.7
    version: String,
    /// Reason to show to the player
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct ResumeArgs {
    /// Directory of the run
    dir: PathBuf,
    /// The version, such as ada.7
    version: String,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct TokenArgs {
    /// Directory of the run
    dir: PathBuf,
    /// The player
    name: PlayerName,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct FreezeArgs {
    /// Directory of the run
    dir: PathBuf,
    /// How many rounds the last versions play, up to 100
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_ROUNDS)))]
    rounds: u32,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct ReopenArgs {
    /// Directory of the run
    dir: PathBuf,
    /// The player
    name: PlayerName,
    /// Accept versions until TIME, such as 2026-12-03T23:59:00+01:00
    #[arg(long, value_name = "TIME")]
    until: Timestamp,
    /// Print the answer as a JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.task {
            LadderTask::Status(StatusArgs { dir, json }) => {
                let ledger = ledger(&dir)?;
                let (history, tally) = ledger.ladder_so_far().ok_or_else(|| no_ladder(&dir))?;
                let mut terms = LadderTerms::default();
                if let Some(entry) = history.terms() {
                    (terms.active, terms.target_error) = (entry.active, entry.target_error);
                }
                let mut state = LadderState::new(history, tally, ledger.definition.frame.seed);
                let summary = overview(&mut state, &terms, listed(&inbox(&dir)), utc_now().as_second());
                print(if json { ladder_json(&summary) } else { ladder_text(&summary) })?;
            }
            LadderTask::Add(AddArgs { dir, name, path, json }) => hand_in(&dir, &name, &path, json)?,
            LadderTask::Pause(args) => {
                let VersionArgs { dir, version, reason, json } = args;
                known_version(&dir, &version)?;
                ask(&dir, &LadderRequest::Pause { version, reason }, json)?;
            }
            LadderTask::Resume(ResumeArgs { dir, version, json }) => {
                known_version(&dir, &version)?;
                ask(&dir, &LadderRequest::Resume { version }, json)?;
            }
            LadderTask::Retire(args) => {
                let VersionArgs { dir, version, reason, json } = args;
                known_version(&dir, &version)?;
                ask(&dir, &LadderRequest::Retire { version, reason }, json)?;
            }
            LadderTask::Freeze(FreezeArgs { dir, rounds, json }) => {
                history(&ledger(&dir)?, &dir)?;
                ask(&dir, &LadderRequest::Freeze { rounds }, json)?;
            }
            LadderTask::Reopen(ReopenArgs { dir, name, until, json }) => {
                history(&ledger(&dir)?, &dir)?;
                ask(&dir, &LadderRequest::Reopen { player: name.to_string(), until }, json)?;
            }
            LadderTask::Token(TokenArgs { dir, name, json }) => make_token(&dir, &name, json)?,
        }
        Ok(Exit::Success)
    }
}

/// The state of the journal in `dir`.
fn ledger(dir: &Path) -> Result<Ledger, Failure> {
    journal::read_unfinished(dir).map_err(|error| {
        let exit = if journal::is_in(dir) { error.exit() } else { Exit::Usage };
        Failure::of(exit, anyhow!(error))
    })
}

/// The versions and decisions in `ledger`, the ledger of `dir`.
fn history<'l>(ledger: &'l Ledger, dir: &Path) -> Result<&'l LadderHistory, Failure> {
    ledger.ladder().ok_or_else(|| no_ladder(dir))
}

fn no_ladder(dir: &Path) -> Failure {
    Failure::usage(anyhow!("`{}` is a run directory, but the run is not a ladder", dir.shown()))
}

/// Fails if this version is not in the ladder in `dir`.
fn known_version(dir: &Path, version: &str) -> Result<(), Failure> {
    let ledger = ledger(dir)?;
    let history = history(&ledger, dir)?;
    if history.place(version).is_some() {
        return Ok(());
    }
    let near = nearest(version, history.players().iter().map(|player| player.name.as_str()));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::usage(anyhow!("there is no version `{}` in `{}`{near}", sanitised(version), dir.shown())))
}

/// Posts `request` to the mailbox of the run in `dir`.
fn ask(dir: &Path, request: &LadderRequest, json: bool) -> Result<(), Failure> {
    post(dir, request).with_context(|| format!("could not write to the mailbox in `{}`", dir.shown()))?;
    let is_running = journal::is_in_use(dir).unwrap_or(false);
    if json {
        print(format!("{}\n", serde_json::json!({ "format": 1, "posted": true, "running": is_running })))?;
    } else if is_running {
        note("the run in progress will carry this out within a second");
    } else {
        note(format!("no run is in progress in `{}`; the next run will carry this out first", dir.shown()));
    }
    Ok(())
}

/// Hands in the directory or archive `path` for the player `name`.
fn hand_in(dir: &Path, name: &PlayerName, path: &Path, json: bool) -> Result<(), Failure> {
    let ledger = ledger(dir)?;
    let history = history(&ledger, dir)?;
    if history.frozen().is_some() && !is_reopened(dir, history, name) {
        return Err(Failure::usage(anyhow!(
            "the ladder in `{}` is frozen: `ladder reopen` lets {name} hand in versions for a while",
            dir.shown()
        )));
    }
    tell_if_new(history, name);
    let added = add(&inbox(dir), name, path).map_err(|error| {
        let is_of_arena = matches!(error, AddError::Inbox(_) | AddError::Uncopied(_));
        let exit = if is_of_arena { Exit::ArenaFailed } else { Exit::Usage };
        Failure::of(exit, anyhow::Error::new(error).context(format!("`{}` was not added", path.shown())))
    })?;
    let last = history.hand_ins(name.as_str()).max_by_key(|hand_in| hand_in.number);
    if let Some(same) = last.filter(|last| last.sources == added.digest) {
        discard(&inbox(dir), &added.entry);
        let same = sanitised(&same.name());
        return Err(Failure::usage(anyhow!(
            "`{}` contains the same files as {same}, so it was not added",
            path.shown()
        )));
    }
    for warning in &added.warnings {
        warn(warning);
    }
    note(format_args!("added {}", counted(added.files as u64, "file")));
    let request = LadderRequest::Add { player: name.to_string(), entry: added.entry.clone() };
    ask(dir, &request, json).inspect_err(|_| discard(&inbox(dir), &added.entry))
}

/// Whether the player `name` may hand in a version to the frozen ladder in `dir`, according to its journal and its
/// mailbox.
fn is_reopened(dir: &Path, history: &LadderHistory, name: &PlayerName) -> bool {
    let time = utc_now();
    let waiting = requests(dir, &BTreeSet::new()).unwrap_or_default();
    let asked = waiting.iter().any(|arrived| {
        matches!(&arrived.request, Ok(LadderRequest::Reopen { player, until }) if player == name.as_str() && *until > time)
    });
    asked || history.reopened(name.as_str()).is_some_and(|until| until > time)
}

/// Tells the teacher if the player `name` has not handed anything in yet, since the name may be wrong.
fn tell_if_new(history: &LadderHistory, name: &PlayerName) {
    if history.hand_ins(name.as_str()).next().is_none() {
        note(format!("{name} has not handed anything in yet: check that this is the name in the tournament file"));
    }
}

/// Creates a token for the player `name`, and prints it.
fn make_token(dir: &Path, name: &PlayerName, json: bool) -> Result<(), Failure> {
    let ledger = ledger(dir)?;
    let history = history(&ledger, dir)?;
    tell_if_new(history, name);
    let token =
        token_store(dir).issue(name).with_context(|| format!("could not store a token in `{}`", dir.shown()))?;
    let link = page_address(dir).map(|url| player_link(&url, name.as_str(), &token));
    if json {
        let answer = serde_json::json!({ "format": 1, "player": name.as_str(), "token": token.text(), "link": link });
        print(format!("{answer}\n"))?;
        return Ok(());
    }
    note(format!("{name}'s token, which is shown only once and replaces any earlier token"));
    print(format!("{}\n", token.text()))?;
    if let Some(link) = link {
        note(format!("{name}'s own page (share it only with {name}): {link}"));
    }
    Ok(())
}

/// The address at which the ladder in `dir` was last shown; `None` if it has never been shown.
fn page_address(dir: &Path) -> Option<String> {
    let text = String::from_utf8(read_at_most(&page_address_file(dir), MAX_ADDRESS).ok()?).ok()?;
    Some(text.trim().to_owned()).filter(|url| url.starts_with("http") && sanitised(url) == *url)
}

/// The maximum length of a page's address, in bytes.
const MAX_ADDRESS: u64 = 1024;
