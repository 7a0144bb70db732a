//! Turns the files that were handed in into the directory of a bot: archives among them are unpacked, and a directory
//! that contains everything is stripped.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::archive::{Source, archive_stem, is_foreign_archive};
use super::gather::wrapper;
use super::group::SubmissionGroup;
use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{TreeWriter, Written};
use crate::base::held_dir::HeldDir;
use crate::base::hex::hex;
use crate::course::submissions::recipe::{GivenFiles, SubmittedFiles, class_text, is_package, is_read};
use crate::course::submissions::{EntryPath, UnsafePath};

/// A submission, unpacked.
#[derive(Debug)]
pub(crate) struct HandedIn {
    /// The directory with the submission's files; `None` if there are none, or if the submission was refused.
    pub(crate) tree: Option<PathBuf>,
    /// The paths of the files in `tree`, in byte order.
    pub(crate) files: Vec<String>,
    /// The digest of the files in `tree`.
    pub(crate) files_sha256: String,
    /// The names of the files as handed in.
    pub(crate) submitted: Vec<String>,
    /// The digest of the files as handed in.
    pub(crate) submission_sha256: String,
    /// The reason why the submission was refused; `None` if it was not.
    pub(crate) refusal: Option<UnpackRefusal>,
    /// Warnings for the teacher, as complete clauses, which may contain untrusted text.
    pub(crate) warnings: Vec<String>,
    /// The number of unneeded files that were left out, by kind.
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// The endings of source files' names. An archive next to a source file is not unpacked.
const SOURCES: [&str; 15] = [
    ".py", ".java", ".c", ".cc", ".cpp", ".rs", ".js", ".go", ".pl", ".rb", ".lua", ".hs", ".toml", "Makefile",
    "makefile",
];

impl HandedIn {
    /// Unpacks the contents of `group`. With `latest`, the newest of several archives counts.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or written.
    pub(crate) fn of(group: SubmissionGroup<'_>, latest: bool) -> Result<Self, UnpackError> {
        let SubmissionGroup { name: _, source: _, mut writer, mut refusal } = group;
        if refusal.is_none() {
            match writer.copy_links() {
                Err(UnpackError::Refused(found)) => refusal = Some(found),
                copied => copied?,
            }
        }
        let submitted: Vec<String> = writer.written.keys().cloned().collect();
        let submission_sha256 = digest_of(writer.written.iter().map(|(name, written)| (name.as_str(), written.sha256)));
        let mut warnings = writer.warnings.clone();
        let mut left_out = writer.left_out.clone();
        let mut found = Self {
            tree: None,
            files: Vec::new(),
            files_sha256: digest_of([]),
            submitted,
            submission_sha256,
            refusal,
            warnings: Vec::new(),
            left_out: BTreeMap::new(),
        };
        let base = writer.root.parent().unwrap_or(Path::new(".")).to_owned();
        if found.refusal.is_none() {
            match unpacked(&writer, latest, &mut warnings) {
                Ok(inner) => {
                    for (kind, number) in inner.iter().flat_map(|inner| &inner.writer.left_out) {
                        *left_out.entry(kind).or_default() += number;
                    }
                    let tree = base.join("tree");
                    let files = merged(&writer, inner.as_ref(), &tree, &mut warnings)?;
                    found.files_sha256 = digest_of(files.iter().map(|(name, sha256)| (name.as_str(), *sha256)));
                    found.files = files.into_keys().collect();
                    found.tree = (!found.files.is_empty()).then_some(tree);
                }
                Err(UnpackError::Refused(refusal)) => found.refusal = Some(refusal),
                Err(error) => return Err(error),
            }
        }
        found.warnings = warnings;
        found.left_out = left_out;
        Ok(found)
    }
}

/// The archive of a submission, unpacked.
struct Unpacked<'a> {
    writer: TreeWriter<'a>,
    /// The archive's name among the files as handed in.
    name: String,
}

/// Unpacks the only archive among the files of `outer`; `None` if there is none to be unpacked.
fn unpacked<'a>(
    outer: &TreeWriter<'a>,
    latest: bool,
    warnings: &mut Vec<String>,
) -> Result<Option<Unpacked<'a>>, UnpackError> {
    let names = || outer.written.keys();
    for foreign in names().filter(|name| is_foreign_archive(name)) {
        warnings.push(format!(
            "`{foreign}` was not unpacked, because import supports only ZIP and tar: ask for one of these"
        ));
    }
    let mut archives: Vec<(&String, &Written)> =
        outer.written.iter().filter(|(name, _)| archive_stem(name).is_some()).collect();
    if names().any(|name| SOURCES.iter().any(|ending| name.ends_with(ending))) {
        warnings.extend(
            archives
                .iter()
                .map(|(name, _)| format!("`{name}` was not unpacked, because there are source files next to it")),
        );
        return Ok(None);
    }
    // If several archives have the same time, the last archive by name counts, since platforms number resubmissions.
    archives.sort_by_key(|(name, written)| (written.modified, *name));
    let name = match &archives[..] {
        [] => return Ok(None),
        [(only, _)] => *only,
        [others @ .., (newest, _)] if latest => {
            let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
            warnings.push(format!("only the newest archive, `{newest}`, was unpacked, not `{}`", others.join("`, `")));
            *newest
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            warnings
                .push(format!("it contains several archives, `{}`: `--latest` takes the newest", names.join("`, `")));
            return Ok(None);
        }
    };
    let path = outer.root.join(name);
    let source = Source::open(&path).map_err(UnpackError::at(&path))?;
    let mut writer = outer.beside(outer.root.with_file_name("inner"));
    source.each(&mut |entry| {
        let path = EntryPath::parse(entry.name);
        match path {
            Ok(path) => writer.put(&path, entry),
            Err(UnsafePath::Empty) => Ok(()),
            Err(why) => Err(UnpackRefusal::Unsafe { name: entry.name.to_owned(), why }.into()),
        }
    })?;
    writer.copy_links()?;
    warnings.extend(writer.warnings.iter().cloned());
    if let Some(deeper) = writer.written.keys().find(|name| archive_stem(name).is_some()) {
        warnings.push(format!("`{deeper}` is an archive inside the archive and was not unpacked"));
    }
    Ok(Some(Unpacked { writer, name: name.clone() }))
}

/// Moves the files of a submission to `tree`: the files in its archive, and the files that were handed in separately.
/// Returns the paths and digests of all files. Files that conflict with files in the archive are left out and reported
/// in `warnings`.
fn merged(
    outer: &TreeWriter<'_>,
    inner: Option<&Unpacked<'_>>,
    tree: &Path,
    warnings: &mut Vec<String>,
) -> Result<BTreeMap<String, [u8; 32]>, UnpackError> {
    let mut merging = Merging { tree, files: BTreeMap::new(), warnings };
    let is_archive = |name: &str| inner.is_some_and(|inner| inner.name == name);
    let loose: Vec<&String> = outer.written.keys().filter(|name| !is_archive(name)).collect();
    if let Some(inner) = inner {
        let names: Vec<&String> = inner.writer.written.keys().collect();
        merging.take(&inner.writer, &names)?;
    }
    merging.take(outer, &loose)?;
    Ok(merging.files)
}

/// The files of a submission on their way to the directory of its bot.
struct Merging<'m> {
    tree: &'m Path,
    /// The files in `tree`, with their digests.
    files: BTreeMap<String, [u8; 32]>,
    warnings: &'m mut Vec<String>,
}

impl Merging<'_> {
    /// Moves the files `names` of `writer` to the tree, stripping a directory that contains all of them. Existing files
    /// are kept.
    fn take(&mut self, writer: &TreeWriter<'_>, names: &[&String]) -> Result<(), UnpackError> {
        let paths: Vec<EntryPath> = names.iter().filter_map(|name| EntryPath::parse(name).ok()).collect();
        let wrapper = wrapper(&paths).filter(|wrapper| !is_needed(wrapper, writer, &paths));
        for (name, path) in names.iter().zip(&paths) {
            let short = wrapper.as_ref().and_then(|_| path.split_first().1).unwrap_or_else(|| path.clone());
            let target = self.tree.join(short.as_str());
            if target.symlink_metadata().is_ok() {
                let is_dir = target.is_dir();
                self.leave_out(name, if is_dir { "a directory with this name" } else { "a file with this name" });
                continue;
            }
            let parent = target.parent().unwrap_or(self.tree);
            match fs::create_dir_all(parent) {
                Err(error) if matches!(error.kind(), ErrorKind::NotADirectory | ErrorKind::AlreadyExists) => {
                    self.leave_out(name, "a file where this one needs a directory");
                    continue;
                }
                made => made.map_err(UnpackError::at(parent))?,
            }
            let from = writer.root.join(path.as_str());
            fs::rename(&from, &target).map_err(UnpackError::at(&from))?;
            self.files.insert(short.as_str().to_owned(), writer.written[*name].sha256);
        }
        Ok(())
    }

    fn leave_out(&mut self, name: &str, what: &str) {
        self.warnings.push(format!(
            "`{name}` was handed in next to the archive, and was left out because the archive contains {what}"
        ));
    }
}

/// Whether the Python programs in the directory `wrapper` form a package named `wrapper`, so that the directory must be
/// kept. The directory contains all of `paths`.
fn is_needed(wrapper: &str, writer: &TreeWriter<'_>, paths: &[EntryPath]) -> bool {
    let names: Vec<String> = paths.iter().map(|path| path.as_str().to_owned()).filter(|name| is_read(name)).collect();
    let files = files_of(&writer.root, &names, &GivenFiles::default());
    is_package(&files, wrapper)
}

/// A digest of files, based on their names and the digests of their contents, in hexadecimal digits.
fn digest_of<'n>(files: impl IntoIterator<Item = (&'n str, [u8; 32])>) -> String {
    let mut digest = Sha256::new();
    for (name, sha256) in files {
        digest.update((name.len() as u64).to_le_bytes());
        digest.update(name);
        digest.update(sha256);
    }
    hex(&digest.finalize())
}

/// The digest of the files `names` in the directory `dir` as they are now. `None` if one of them is missing.
pub(crate) fn bot_digest(dir: &Path, names: &[String]) -> Option<String> {
    let held = HeldDir::open(dir).ok()?;
    let digests = names.iter().map(|name| {
        let mut file = held.file(Path::new(EntryPath::parse(name).ok()?.as_str())).ok()?;
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer).ok()? {
                0 => return Some((name.as_str(), digest.finalize().into())),
                read => digest.update(&buffer[..read]),
            }
        }
    });
    digests.collect::<Option<Vec<(&str, [u8; 32])>>>().map(digest_of)
}

/// The files `names` in the directory `dir`, with the texts that show how the bot is started. `given` contains the
/// course's own files.
pub(crate) fn files_of(dir: &Path, names: &[String], given: &GivenFiles) -> SubmittedFiles {
    /// A larger file is not source code written by a person.
    const MOST_BYTES_EACH: u64 = 512 << 10;
    const MOST_BYTES: u64 = 8 << 20;
    let mut left = MOST_BYTES;
    let mut texts = BTreeMap::new();
    let held = HeldDir::open(dir).ok();
    for name in names.iter().filter(|name| is_read(name)) {
        let Some(file) = held.as_ref().and_then(|held| held.file(Path::new(name)).ok()) else { continue };
        let room = left.min(MOST_BYTES_EACH);
        let mut bytes = Vec::new();
        if file.take(room + 1).read_to_end(&mut bytes).is_err() || bytes.len() as u64 > room {
            continue;
        }
        let plain = || {
            (!bytes.contains(&0))
                .then(|| String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)))
        };
        let text = class_text(&bytes).or_else(|| plain().map(std::borrow::Cow::into_owned));
        if let Some(text) = text {
            left -= bytes.len() as u64;
            texts.insert(name.clone(), text);
        }
    }
    SubmittedFiles::new(names.to_vec(), texts, given)
}
