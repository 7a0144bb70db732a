//! A player's build and its products: whether a build is needed, where it runs, and which files it produced.
//!
//! A player is identified by the sources of its build and not by its products, because many builds produce something
//! different each time. Therefore a run records which files the build produced, and builds again only if these files
//! have changed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::identity::file_of_mode;
use super::{Identity, Known, PlayerPart, Preparer, Unprepared};
use crate::base::machine::{self, is_shortage};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::tree::{Found, Kind, MOST_BYTES, TreeError};
use crate::game::quantum::Mode;
use crate::host::confinement::Confinement;
use crate::host::process::{Built, build};
use crate::host::program::{BENCH_DIR, Inventory, StrayLink, files_of_tree, find_player, inherited};
use crate::host::start::{BuildCopy, RefereeLink, ShownFile, Start, Workdir};
use crate::host::workshop::{HandBackError, Workshop};
use crate::run::event::Event;
use crate::run::journal::PlayerEntry;
use crate::tournament::{Program, Resources};

/// State carried over from preparing one player to the next.
#[derive(Debug, Default)]
pub(super) struct Yard {
    /// The builds so far: for each, the directory, the build's command, and the names of its products.
    builds: Vec<(PathBuf, Vec<String>, BTreeSet<String>)>,
    /// The digest of this program, computed when it is first needed for a built-in bot.
    pub(super) own_digest: OnceLock<Option<String>>,
}

impl Yard {
    fn products(&self, dir: &Path, build: &[String]) -> Option<&BTreeSet<String>> {
        self.builds.iter().find(|(other, words, _)| other == dir && words == build).map(|(.., products)| products)
    }
}

/// The part of a team's entry that describes its bot for `mode`.
fn entry_of_mode(team: &PlayerEntry, mode: Mode) -> PlayerEntry {
    let prefix = file_of_mode(mode, "");
    let own = |files: &BTreeMap<String, String>| {
        let own =
            files.iter().filter_map(|(file, digest)| Some((file.strip_prefix(&prefix)?.to_owned(), digest.clone())));
        own.collect()
    };
    PlayerEntry { files: own(&team.files), products: team.products.as_ref().map(own), ..team.clone() }
}

/// What to do about a player's build.
enum BuildPlan {
    /// Nothing, because the products of the build are unchanged.
    Keep(BTreeSet<String>),
    /// Run the build. The `doubtful` products of the earlier build are missing or changed, and are hidden from the new
    /// build.
    Build { doubtful: BTreeSet<String> },
    /// Do not run the build, because the player has changed since it played.
    Leave(String),
}

impl BuildPlan {
    /// The plan for a player whose entry in the journal is `entry`, and whose current files are in `now`.
    fn of(entry: &PlayerEntry, now: &Inventory, dir: &Path) -> Self {
        let (files, named) = (now.files(), now.files_in(dir));
        let changed = entry.files.iter().find(|(file, digest)| files.get(*file) != Some(digest));
        if let Some((file, _)) = changed {
            return Self::Leave(format!("`{}`", sanitised(file)));
        }
        let products = || entry.products.iter().flatten();
        let is_doubtful = |(name, digest): &(&String, &String)| named.get(*name) != Some(*digest);
        let doubtful: BTreeSet<String> = products().filter(is_doubtful).map(|(name, _)| name.clone()).collect();
        if doubtful.is_empty() {
            Self::Keep(products().map(|(name, _)| name.clone()).collect())
        } else {
            Self::Build { doubtful }
        }
    }
}

/// Whether a player whose entry in the journal is `entry`, and whose current files are in `now`, has to be built.
pub(super) fn needs_build(entry: &PlayerEntry, now: &Inventory, dir: &Path) -> bool {
    matches!(BuildPlan::of(entry, now, dir), BuildPlan::Build { .. })
}

/// The minimum memory for a build, even if its player may use less in a game.
const MEMORY: u64 = 4 << 30;
const PROCESSES: u64 = 512;
const SCRATCH: u64 = 1 << 30;
const OPEN_FILES: u64 = 4096;

/// The resources that the build of a player with the limits `own` may use.
pub(crate) fn build_resources(own: &Resources) -> Resources {
    Resources {
        memory: own.memory.max(MEMORY),
        processes: own.processes.max(PROCESSES),
        cpu: None,
        scratch: own.scratch.max(SCRATCH),
        open_files: own.open_files.max(OPEN_FILES),
        ..*own
    }
}

impl Preparer<'_> {
    /// What is known about the program `part`.
    pub(super) fn known(&self, part: PlayerPart<'_>) -> Option<Cow<'_, Known>> {
        let known = self.known.iter().find(|known| known.entry.name == part.player.name.as_str())?;
        Some(match part.mode {
            None => Cow::Borrowed(known),
            Some(mode) => Cow::Owned(Known { entry: entry_of_mode(&known.entry, mode), is_bound: known.is_bound }),
        })
    }

    /// What is known about the program `part`, if its files must not have changed.
    pub(super) fn bound(&self, part: PlayerPart<'_>) -> Option<Cow<'_, Known>> {
        self.known(part).filter(|known| known.is_bound && known.entry.digest.is_some())
    }

    /// Makes sure that the program `part`, whose build runs the file `builder`, is built. Returns its executable and
    /// its identity. `found` lists the files that the program now consists of, if they are known.
    pub(super) async fn build(
        &self,
        part: PlayerPart<'_>,
        builder: &Path,
        yard: &mut Yard,
        found: Option<Inventory>,
    ) -> Result<(PathBuf, Identity), Unprepared> {
        let PlayerPart { player, program, .. } = part;
        let dir = program.working_dir(self.base);
        let words = program.build.clone().unwrap_or_default();
        let known = self.known(part);
        let known = known.as_deref();
        let executable = || find_player(program, self.base);
        let before = match found {
            Some(found) => found,
            None => self.inventory(part, executable().ok().as_deref()).await?,
        };
        let bound = self.bound(part);
        let plan = match bound {
            Some(known) => BuildPlan::of(&known.entry, &before, &dir),
            None => BuildPlan::Build { doubtful: BTreeSet::new() },
        };
        let mut products = intact_products(known, &before, &dir);
        match plan {
            BuildPlan::Leave(what) => return Err(Unprepared::Changed(what)),
            BuildPlan::Keep(kept) => products.extend(kept),
            BuildPlan::Build { doubtful } => {
                if let Some(made) = yard.products(&dir, &words) {
                    products.extend(made.iter().cloned());
                } else {
                    let _ = self.events.send(Event::Building { player: player.name.to_string() });
                    products.extend(self.run_build(program, builder, &doubtful).await?);
                    let unmade: Vec<&String> = doubtful.difference(&products).collect();
                    if !unmade.is_empty() {
                        let now = self.inventory(part, None).await?.files_in(&dir);
                        nothing_is_written_over(known, &unmade, &now)?;
                    }
                }
            }
        }
        yard.builds.push((dir.clone(), words, products.clone()));
        let executable = executable().map_err(|error| format!("{error} (key `command`)"))?;
        let after = self.inventory(part, Some(&executable)).await?;
        let identity = Identity::of_built(after, &dir, &products);
        Ok((executable, identity))
    }

    /// Runs the build. Returns the names of the products, relative to the program's directory.
    async fn run_build(
        &self,
        program: &Program,
        builder: &Path,
        doubtful: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, Unprepared> {
        let dir = program.working_dir(self.base);
        let (before, workshop) = match self.confinement {
            Some(_) => (Vec::new(), Some(furnish(program, &dir, doubtful).await?)),
            None => (seen(program, &dir)?, None),
        };
        let start = self.start(program, builder, workshop.as_ref()).map_err(|stray| format!("its build: {stray}"))?;
        let cage = self.confinement.map(|confinement| &confinement.cage);
        match build(start, cage, self.tournament.limits.build_timeout).await {
            Built::Well => {}
            Built::Void(reason) => return Err(Unprepared::Shortage(reason)),
            // The build fails without a file that was hidden from it, so that file is not one of the build's products.
            Built::Failed { .. } if cage.is_some() && doubtful.iter().any(|name| dir.join(name).exists()) => {
                let name = doubtful.iter().find(|name| dir.join(name).exists()).cloned().unwrap_or_default();
                return Err(Unprepared::Changed(written_over(&name)));
            }
            Built::TimedOut { reason, output } => {
                return Err(Unprepared::Unstartable {
                    reason: format!("its build failed: {reason}"),
                    output,
                    timed_out: true,
                });
            }
            Built::Failed { reason, output } => {
                return Err(Unprepared::Unstartable {
                    reason: format!("its build failed: {reason}"),
                    output,
                    timed_out: false,
                });
            }
        }
        let made = match workshop {
            Some(workshop) => hand_back(workshop, dir).await?,
            None => written_since(before, seen(program, &dir)?),
        };
        let files = made.iter().filter(|found| found.kind != Kind::Directory);
        Ok(files.map(|found| found.name.display().to_string()).collect())
    }

    /// How to start the build.
    ///
    /// # Errors
    /// See [`VisiblePaths::visible`](crate::host::program::VisiblePaths::visible).
    fn start(&self, program: &Program, builder: &Path, workshop: Option<&Workshop>) -> Result<Start, StrayLink> {
        let dir = std::path::absolute(program.working_dir(self.base)).unwrap_or_default();
        let args: Vec<String> = program.build.iter().flatten().skip(1).cloned().collect();
        let (mut env, mut readable) = (Vec::new(), Vec::new());
        let mut path = builder.to_owned();
        if let Some(Confinement { cage, visible_paths }) = self.confinement {
            readable = visible_paths.visible(program, builder, &args, &dir)?;
            env = environment(program);
            let find = |name: &str| env.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            readable.extend(find("PATH").iter().flat_map(|path| visible_paths.tools(path)));
            for name in ["JAVA_HOME", "GOROOT", "DOTNET_ROOT", "RUSTUP_HOME"] {
                let home = find(name).map(PathBuf::from).filter(|home| home.is_absolute());
                readable.extend(home.and_then(ShownFile::of));
            }
            if program.build_network {
                // The resolver's configuration, which may be a link to a file outside `/etc`.
                let resolver = Path::new("/etc/resolv.conf").canonicalize();
                readable.extend(resolver.ok().and_then(ShownFile::of));
            }
            if let Some(workshop) = workshop.filter(|_| !cage.tier().has_namespaces()) {
                let within = std::path::absolute(builder).ok();
                let within = within.and_then(|path| Some(workshop.copy().join(path.strip_prefix(&dir).ok()?)));
                path = within.unwrap_or(path);
            }
        }
        Ok(Start {
            args,
            workdir: workshop.map_or(Workdir::InPlace, |workshop| {
                Workdir::Build(BuildCopy { path: workshop.copy(), max_bytes: MOST_BYTES })
            }),
            env,
            contact: if program.build_network { RefereeLink::HostNetwork } else { RefereeLink::None },
            readable,
            resources: build_resources(&program.resources),
            output_cap: self.tournament.limits.output_cap,
            ..Start::new(std::path::absolute(&path).unwrap_or(path), dir)
        })
    }
}

/// The environment of a confined build: like a bot's, but with separate caches and access to installed toolchains.
fn environment(program: &Program) -> Vec<(OsString, OsString)> {
    let mut env = inherited(std::env::vars_os(), &program.pass_env);
    env.retain(|(name, _)| name != "CARGO_HOME" || program.pass_env.iter().any(|passed| passed == "CARGO_HOME"));
    if env.iter().all(|(name, _)| name != "RUSTUP_HOME") {
        let home = std::env::home_dir().map(|home| home.join(".rustup")).filter(|home| home.is_dir());
        env.extend(home.map(|home| ("RUSTUP_HOME".into(), home.into())));
    }
    env
}

/// Fails if one of the `unmade` products, which the latest build did not produce again, has changed since the earlier
/// build. `now` contains the current digest of each file.
fn nothing_is_written_over(
    known: Option<&Known>,
    unmade: &[&String],
    now: &BTreeMap<String, String>,
) -> Result<(), Unprepared> {
    let before = known.and_then(|known| known.entry.products.as_ref());
    let is_other = |name: &str| now.contains_key(name) && now.get(name) != before.and_then(|it| it.get(name));
    match unmade.iter().find(|name| is_other(name)) {
        Some(name) => Err(Unprepared::Changed(written_over(name))),
        None => Ok(()),
    }
}

/// The description of a product that has changed and that the latest build did not produce again.
fn written_over(name: &str) -> String {
    format!("`{}`, which an earlier build produced but the latest build did not", sanitised(name))
}

/// The earlier products that are unchanged. They do not become sources even if the build does not produce them again.
fn intact_products(known: Option<&Known>, now: &Inventory, dir: &Path) -> BTreeSet<String> {
    let now = now.files_in(dir);
    let products = known.and_then(|known| known.entry.products.as_ref()).into_iter().flatten();
    products.filter(|(name, digest)| now.get(*name) == Some(digest)).map(|(name, _)| name.clone()).collect()
}

/// The files to copy for a build without a `dir`: those named in the build or the command.
fn named_files(program: &Program) -> Vec<PathBuf> {
    let literal = program.command.iter().filter(|word| word.is_literal()).map(|word| word.fill(|_| String::new()));
    literal.chain(program.build.iter().flatten().cloned()).map(PathBuf::from).collect()
}

/// Creates the copy of the program's files that a build works in, off the runtime's thread.
async fn furnish(program: &Program, dir: &Path, doubtful: &BTreeSet<String>) -> Result<Workshop, Unprepared> {
    let (dir, doubtful) = (dir.to_owned(), doubtful.clone());
    let files = program.dir.is_none().then(|| named_files(program));
    let shown = dir.shown();
    let made = machine::away(move || match files {
        Some(files) => Workshop::of_files(&dir, files.iter().map(PathBuf::as_path)),
        None => Workshop::of_directory(&dir, &|name| {
            name.ends_with(BENCH_DIR) || doubtful.contains(&name.display().to_string())
        }),
    });
    made.await.map_err(|error| match error {
        error if is_shortage(&error) => Unprepared::Shortage(format!(
            "`{shown}` could not be copied to the directory for temporary files (`TMPDIR`): {error}"
        )),
        error => format!("`{shown}` could not be copied for its build: {error}").into(),
    })
}

/// Copies the products of the build into `dir`, off the runtime's thread.
async fn hand_back(workshop: Workshop, dir: PathBuf) -> Result<Vec<Found>, Unprepared> {
    machine::away(move || {
        let unfit = |reason: String| Unprepared::from(format!("its build failed: {reason}"));
        let made = workshop.products().map_err(|error| match error {
            TreeError::Unreadable { ref source, .. } if is_shortage(source) => Unprepared::Shortage(error.to_string()),
            error => unfit(format!("the files that it left behind cannot be used: {error}")),
        })?;
        workshop.hand_back(&made, &dir).map_err(|error| match &error {
            HandBackError::Io { source, .. } if is_shortage(source) => Unprepared::Shortage(error.to_string()),
            _ => unfit(error.to_string()),
        })?;
        Ok(made)
    })
    .await
}

/// The files in the directory of an unconfined build; empty if the directory is not the player's own.
fn seen(program: &Program, dir: &Path) -> Result<Vec<Found>, TreeError> {
    if program.dir.is_some() { files_of_tree(dir) } else { Ok(Vec::new()) }
}

/// The files in `after` that are new or were written since `before`.
fn written_since(before: Vec<Found>, mut after: Vec<Found>) -> Vec<Found> {
    let before: std::collections::HashMap<PathBuf, Found> =
        before.into_iter().map(|found| (found.name.clone(), found)).collect();
    after.retain(|found| {
        before.get(&found.name).is_none_or(|before| before.kind != found.kind || before.stamp != found.stamp)
    });
    after
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::program::ProgramFiles;

    /// The plan for a directory with the files `now`, for a player that had `files` and `products`.
    fn plan(now: &[(&str, &str)], files: &[(&str, &str)], products: &[(&str, &str)]) -> BuildPlan {
        let inventory = |files: &[(&str, &str)]| {
            let dir = tempfile::tempdir().expect("a directory");
            for (name, content) in files {
                fs::write(dir.path().join(name), content).expect("written");
            }
            let extent = ProgramFiles::Tree(dir.path().to_owned());
            (Inventory::take(None, &extent, &|_| true).expect("read"), dir)
        };
        let digests = |files: &[(&str, &str)]| -> BTreeMap<String, String> { inventory(files).0.files() };
        let products = Some(digests(products));
        let entry = PlayerEntry { name: "a".to_owned(), digest: Some(String::new()), files: digests(files), products };
        let (now, dir) = inventory(now);
        BuildPlan::of(&entry, &now, dir.path())
    }

    #[test]
    fn an_earlier_product_stays_one_as_long_as_it_is_unchanged() {
        let dir = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
        for name in ["bot", "table", "gone", "bot.c"] {
            write(name, name);
        }
        let extent = ProgramFiles::Tree(dir.path().to_owned());
        let inventory = || Inventory::take(None, &extent, &|_| true).expect("read");
        let mut products = inventory().files_in(dir.path());
        products.retain(|name, _| name != "bot.c");
        let entry =
            PlayerEntry { name: "a".to_owned(), digest: None, files: BTreeMap::new(), products: Some(products) };
        write("table", "changed");
        fs::remove_file(dir.path().join("gone")).expect("removed");
        let unbuilt = Known { entry: PlayerEntry { products: None, ..entry.clone() }, is_bound: false };
        let built = Known { entry, is_bound: false };
        for (known, expected) in [(None, &[][..]), (Some(&unbuilt), &[]), (Some(&built), &["bot"])] {
            let intact = intact_products(known, &inventory(), dir.path());
            assert_eq!(intact.iter().map(String::as_str).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn players_share_a_build_only_if_both_its_directory_and_its_command_are_the_same() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let made = |name: &str| BTreeSet::from([name.to_owned()]);
        let builds = [("/a", "make", "one"), ("/a", "make all", "two"), ("/b", "make all", "three")];
        let builds = builds.map(|(dir, build, name)| (PathBuf::from(dir), words(build), made(name))).to_vec();
        let yard = Yard { builds, ..Yard::default() };
        for (dir, build, expected) in [
            ("/a", "make", Some("one")),
            ("/a", "make all", Some("two")),
            ("/b", "make all", Some("three")),
            ("/b", "make", None),
            ("/c", "make", None),
            ("/a", "make none", None),
        ] {
            let found = yard.products(Path::new(dir), &words(build));
            assert_eq!(found, expected.map(made).as_ref(), "{build} in {dir}");
        }
    }

    #[test]
    fn a_player_is_rebuilt_only_if_a_product_has_changed() {
        let source = [("bot.c", "1")];
        let product = &[("bot", "made")][..];
        let both = [("bot.c", "1"), ("bot", "made"), ("notes", "new")];
        assert!(matches!(plan(&both, &source, product), BuildPlan::Keep(kept) if kept.contains("bot")));
        for now in [&[("bot.c", "1")][..], &[("bot.c", "1"), ("bot", "forged")]] {
            assert!(matches!(plan(now, &source, product), BuildPlan::Build { doubtful } if doubtful.contains("bot")));
        }
        assert!(
            matches!(plan(&[("bot.c", "2"), ("bot", "made")], &source, product), BuildPlan::Leave(what) if what == "`bot.c`")
        );
    }
}
