//! The sources in the student's directory: found, recognised, identified and copied.
//!
//! The directory is read in the same way as `import` reads a submission, and the files that `import` leaves out are
//! left out here, too. Hidden files, the copies that editors leave behind, files that running a bot creates, results of
//! runs and products of builds are not sources either, so none of them leads to a new version. Neither does the file to
//! which the output of the bench itself is written.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::bench_error::BenchError;
use crate::base::files::Copying;
use crate::base::held_dir::HeldDir;
use crate::base::hex::hex;
use crate::base::tree::{FilePlace, Found, Kind, MOST_BYTES, MOST_ENTRIES, Stamp, survey, survey_except};
use crate::course::submissions::recipe::{GivenFiles, Recipe, Recognition, keys, recognise_bot};
use crate::course::submissions::{EntryPath, left_out};
use crate::course::unpacking::files_of;
use crate::host::program::is_made_by_running;

/// The names and stamps of all sources at a point in time.
pub(crate) type SourceStamps = Vec<(PathBuf, Stamp)>;

/// The student's directory.
#[derive(Debug)]
pub(crate) struct OwnSources {
    /// The directory.
    pub(crate) dir: PathBuf,
    /// The directory of the results of runs, which may be in `dir`.
    pub(crate) results: PathBuf,
    /// The files to which the bench itself writes, such as its stdout.
    pub(crate) outputs: Vec<FilePlace>,
    /// How the bot is started, if the user has specified this.
    pub(crate) given: Option<Recipe>,
}

/// A copy of the sources.
#[derive(Debug)]
pub(crate) struct CopiedSources {
    /// The digest of the sources and of their recipe.
    pub(crate) sha256: String,
    /// The files and links, by their paths in the copy, in order.
    pub(crate) names: Vec<PathBuf>,
}

/// Whether a file called `name`, or a directory if `is_dir`, is never a source.
fn is_no_source(name: &[u8], is_dir: bool) -> bool {
    let path = str::from_utf8(name).ok().and_then(|name| EntryPath::parse(name).ok());
    name.starts_with(b".")
        || name.ends_with(b"~")
        || is_made_by_running(name, is_dir)
        || path.is_none_or(|path| left_out(&path).is_some())
}

/// Whether a compiler has produced the file `name` in `dir`.
fn is_compiled(dir: &HeldDir, name: &Path) -> bool {
    match name.extension().map(OsStr::as_bytes) {
        Some(b"class" | b"o") => true,
        // This is a list of an object file's dependencies. Without the object file, it is a source file in the language
        // D.
        Some(b"d") => dir.metadata(&name.with_extension("o")).is_ok(),
        _ => is_linked(dir, name),
    }
}

impl OwnSources {
    /// The names and stamps of the current sources. Their contents are not read.
    ///
    /// # Errors
    /// Fails if a directory cannot be read, or if there are more files than a player may have.
    pub(crate) fn stamps(&self) -> Result<SourceStamps, BenchError> {
        let found = survey_except(&self.dir, &self.excepted(), is_no_source)?;
        let is_source = |found: &Found| found.kind != Kind::Directory;
        Ok(found.into_iter().filter(is_source).map(|found| (found.name, found.stamp)).collect())
    }

    /// The files and directories that are left out wherever they are: the files to which the bench writes, and the
    /// results of runs.
    fn excepted(&self) -> Vec<FilePlace> {
        // The directory may not exist yet.
        let results = fs::metadata(&self.results).map(|metadata| Stamp::from(&metadata).place());
        self.outputs.iter().copied().chain(results).collect()
    }

    /// How the bot is built and started: as the user has specified, or else as `import` would determine.
    ///
    /// # Errors
    /// Fails if the sources do not show this.
    pub(crate) fn recognised(&self, stamps: &[(PathBuf, Stamp)]) -> Result<(Recipe, Vec<String>), BenchError> {
        if let Some(given) = &self.given {
            return Ok((given.clone(), Vec::new()));
        }
        let names: Vec<String> = stamps.iter().filter_map(|(name, _)| name.to_str().map(str::to_owned)).collect();
        let files = files_of(&self.dir, &names, &GivenFiles::default());
        let Recognition { recipe, warnings, mistake, .. } = recognise_bot(&files);
        match (recipe, mistake) {
            (Some(recipe), None) => Ok((recipe, warnings)),
            // A gothello.toml with a mistake has to be corrected, and is not ignored.
            (_, mistake) => Err(BenchError::NoRecipe { dir: self.dir.clone(), mistake }),
        }
    }

    /// Copies the sources of the bot with this `recipe` to the directory `to`, which must not exist yet. `products` are
    /// the files that a build with the same command has produced, by their paths in the bot's directory, and `bench` is
    /// a directory that is left out.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or if there are more files than a player may have.
    pub(crate) fn copy(
        &self,
        recipe: &Recipe,
        products: &BTreeSet<PathBuf>,
        (to, bench): (&Path, &Path),
    ) -> Result<CopiedSources, BenchError> {
        let from = self.dir.join(&recipe.dir);
        let is_built = recipe.build.is_some();
        let held = HeldDir::open(&from).map_err(BenchError::at("read", &from))?;
        let excepted = self.excepted();
        let without = |name: &Path| {
            let last = name.file_name().unwrap_or_default().as_bytes();
            // A file that has disappeared is not copied.
            let Ok(metadata) = held.metadata(name) else { return false };
            let is_product = || products.contains(name) || is_built && metadata.is_file() && is_compiled(&held, name);
            is_no_source(last, metadata.is_dir()) || excepted.contains(&Stamp::from(&metadata).place()) || is_product()
        };
        let most = (MOST_BYTES, MOST_ENTRIES);
        let copying = Copying { from: &from, to, except: bench, owner: None, without: &without, most };
        copying.run().map_err(BenchError::at("copy", &from))?;
        let found = survey(to, |_, _| false)?;
        let mut digest = Sha256::new();
        for line in keys(recipe) {
            add(&mut digest, line.as_bytes());
        }
        let held = HeldDir::open(to).map_err(BenchError::at("read", to))?;
        let mut names = Vec::new();
        for Found { name, kind, mode, .. } in found {
            let failed = BenchError::at("read", to.join(&name));
            match kind {
                Kind::Directory => continue,
                Kind::File => {
                    add(&mut digest, name.as_os_str().as_bytes());
                    add(&mut digest, if mode & 0o100 == 0 { &b"file"[..] } else { b"program" });
                    add(&mut digest, &content(&held, &name).map_err(failed)?);
                }
                Kind::Link => {
                    add(&mut digest, name.as_os_str().as_bytes());
                    add(&mut digest, held.link(&name).map_err(failed)?.as_os_str().as_bytes());
                }
            }
            names.push(name);
        }
        Ok(CopiedSources { sha256: hex(&digest.finalize()), names })
    }
}

/// Adds `bytes` to `digest`, so that no other sequence of parts has the same digest.
fn add(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}

/// The digest of the file `name` in `dir`.
fn content(dir: &HeldDir, name: &Path) -> std::io::Result<[u8; 32]> {
    let mut file = dir.file(name)?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(digest.finalize().into()),
            read => digest.update(&buffer[..read]),
        }
    }
}

/// Whether the file `name` in `dir` is a program that a compiler has linked: it has no extension and begins like a
/// Linux executable.
fn is_linked(dir: &HeldDir, name: &Path) -> bool {
    const MAGIC: &[u8] = b"\x7fELF";
    let mut start = [0; MAGIC.len()];
    name.extension().is_none_or(OsStr::is_empty)
        && dir.metadata(name).is_ok_and(|metadata| metadata.is_file())
        && dir.file(name).and_then(|mut file| file.read_exact(&mut start)).is_ok_and(|()| start == *MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str =
        "dir = \"bot\"\nbuild = [\"make\"]\ncommand = [\"./bot\", \"{side}\", \"{host}\", \"{port}\"]\n";

    /// A student's directory with a bot, and with files that are not sources.
    fn project() -> (tempfile::TempDir, OwnSources) {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in [
            ("gothello.toml", DECLARED),
            ("bot/bot.c", "int main() {}"),
            ("bot/deep/rules.h", "x"),
            ("bot/bot.c~", "old"),
            ("bot/.bot.c.swp", "swap"),
            ("bot/bot.o", "object"),
            ("bot/bot", "\x7fELF..."),
            ("bot/target/x", "x"),
            ("results/try/journal.jsonl", "{}"),
            (".bench/versions/x/source/bot.c", "x"),
            (".git/config", "x"),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(path, text).expect("written");
        }
        let sources = OwnSources {
            dir: dir.path().to_owned(),
            results: dir.path().join("results"),
            outputs: Vec::new(),
            given: None,
        };
        (dir, sources)
    }

    /// The digest of the sources, and the names of the files that were copied.
    fn copied(sources: &OwnSources, products: &[&str]) -> (String, Vec<String>) {
        let stamps = sources.stamps().unwrap_or_else(|error| panic!("{error}"));
        let (recipe, _) = sources.recognised(&stamps).unwrap_or_else(|error| panic!("{error}"));
        let to = tempfile::tempdir().expect("a directory");
        let (copy, products) = (to.path().join("copy"), products.iter().map(PathBuf::from).collect());
        let bench = sources.dir.join(".bench");
        let found = sources.copy(&recipe, &products, (&copy, &bench)).unwrap_or_else(|error| panic!("{error}"));
        let names = survey(&copy, |_, _| false).unwrap_or_else(|error| panic!("{error}"));
        let files = names.iter().filter(|found| found.kind == Kind::File);
        let names: Vec<String> = files.map(|found| found.name.to_string_lossy().into_owned()).collect();
        let told: Vec<String> = found.names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        assert_eq!(told, names);
        (found.sha256, names)
    }

    #[test]
    fn only_sources_of_the_bot_are_copied() {
        let (_dir, sources) = project();
        assert_eq!(copied(&sources, &[]).1, ["bot.c", "deep/rules.h"]);
        let seen: Vec<String> = sources
            .stamps()
            .unwrap_or_else(|error| panic!("{error}"))
            .into_iter()
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        assert_eq!(seen, ["bot/bot", "bot/bot.c", "bot/deep/rules.h", "gothello.toml"]);
    }

    #[test]
    fn the_digest_is_that_of_the_sources_and_the_commands_alone() {
        let (dir, sources) = project();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
        let (before, _) = copied(&sources, &[]);
        write("bot/bot", "\x7fELF, built again");
        write("results/try/journal.jsonl", "{}{}");
        write("bot/made.h", "by the build");
        assert_eq!(copied(&sources, &["made.h"]).0, before);
        assert_ne!(copied(&sources, &[]).0, before, "without a build, it is not known to be a product");
        fs::remove_file(dir.path().join("bot/made.h")).expect("removed");
        write("gothello.toml", &DECLARED.replace("make", "gmake"));
        assert_ne!(copied(&sources, &[]).0, before);
        write("gothello.toml", DECLARED);
        assert_eq!(copied(&sources, &[]).0, before);
        write("bot/bot.c", "int main() { }");
        assert_ne!(copied(&sources, &[]).0, before);
    }

    #[test]
    fn a_list_of_dependencies_is_a_product_and_a_program_in_d_or_a_directory_is_not() {
        let (dir, sources) = project();
        for name in ["bot.d", "rules.d", "Board.class", "conf.d/x.c", "Old.class/x.c"] {
            let path = dir.path().join("bot").join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(path, "x").expect("written");
        }
        let expected = ["Old.class/x.c", "bot.c", "conf.d/x.c", "deep/rules.h", "rules.d"];
        assert_eq!(copied(&sources, &[]).1, expected, "there is a bot.o, but no rules.o");
    }

    #[test]
    fn what_the_bench_or_the_bot_writes_makes_no_new_version() {
        let (dir, mut sources) = project();
        let stamps = |sources: &OwnSources| sources.stamps().unwrap_or_else(|error| panic!("{error}"));
        let before = (stamps(&sources), copied(&sources, &[]));
        for name in ["bot/game.log", "bot/bot.pyc", "bench.log", "bot/said.txt"] {
            fs::write(dir.path().join(name), "x").expect("written");
        }
        let said = fs::metadata(dir.path().join("bot/said.txt")).expect("there");
        sources.outputs = vec![Stamp::from(&said).place()];
        assert_eq!((stamps(&sources), copied(&sources, &[])), before);
        // The results directory is recognised regardless of the path by which it is reached.
        sources.results = dir.path().join("bot/../results");
        assert_eq!((stamps(&sources), copied(&sources, &[])), before);
        sources.outputs.clear();
        assert_ne!(copied(&sources, &[]), before.1, "a file with different text is a source");
    }

    #[test]
    fn a_declaration_with_a_mistake_is_an_error_and_not_a_guess() {
        let (dir, sources) = project();
        fs::write(dir.path().join("bot/bot.py"), "import sys\nprint(sys.argv[1])\n").expect("written");
        fs::write(dir.path().join("gothello.toml"), "dir = \"bot\"\n").expect("written");
        let stamps = sources.stamps().unwrap_or_else(|error| panic!("{error}"));
        let error = sources.recognised(&stamps).expect_err("a mistake").to_string();
        assert!(error.contains("`command` is missing"), "{error}");
    }
}
