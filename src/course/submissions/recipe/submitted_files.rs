//! The files of a submission: the names of all files, and the texts of the informative ones.

use std::collections::{BTreeMap, BTreeSet};

use super::given_files::GivenFiles;

/// The names of a submission's files, and the texts of some of them.
///
/// Invariant: each text belongs to one of the names. Names have `/` between components.
#[derive(Clone, Debug, Default)]
pub struct SubmittedFiles {
    names: Vec<String>,
    texts: BTreeMap<String, String>,
    /// The names of the files that the course handed out.
    given: BTreeSet<String>,
    /// The names of the files that belong to a starter bot and are unchanged.
    starters: BTreeSet<String>,
}

/// Whether the text of the file `name` is read, judging by its extension.
pub fn is_read(name: &str) -> bool {
    const ENDINGS: [&str; 26] = [
        "py", "java", "c", "cc", "cpp", "cxx", "h", "hpp", "js", "mjs", "cjs", "rs", "go", "pl", "pm", "rb", "lua",
        "sh", "toml", "txt", "md", "xml", "gradle", "json", "rst", "class",
    ];
    let file = file_name(name).to_ascii_lowercase();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        || file.starts_with("readme")
        || ["makefile", ".gitmodules"].contains(&file.as_str())
}

impl SubmittedFiles {
    /// The files `names`, and the texts of some of them by name. `given` identifies the files of the course and of the
    /// starter bots.
    pub fn new(mut names: Vec<String>, mut texts: BTreeMap<String, String>, given: &GivenFiles) -> Self {
        // Files near the top come first.
        names.sort_by(|one, other| depth(one).cmp(&depth(other)).then_with(|| one.cmp(other)));
        texts.retain(|name, _| names.contains(name));
        let those = |is_meant: &dyn Fn(&str) -> bool| {
            texts.iter().filter(|(_, text)| is_meant(text)).map(|(name, _)| name.clone()).collect()
        };
        let (given, starters) = (those(&|text| given.has(text)), those(&|text| given.has_starter(text)));
        Self { names, texts, given, starters }
    }

    /// Whether the course handed out the file `name` as it is.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// Whether the file `name` belongs to a starter bot, and is unchanged.
    pub(super) fn is_starter(&self, name: &str) -> bool {
        self.starters.contains(name)
    }

    /// All names: those near the top first, and those at the same depth in byte order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The text of the file `name`, if it is known.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The files with a known text whose names end in one of `endings`.
    pub(super) fn with_ending<'s>(&'s self, endings: &'s [&str]) -> impl Iterator<Item = (&'s str, &'s str)> {
        let fits = |name: &&str| endings.iter().any(|ending| name.ends_with(ending));
        self.names().filter(fits).filter_map(|name| Some((name, self.text(name)?)))
    }

    /// The file nearest to the top that is called `file_name`, with its text.
    pub(super) fn called(&self, file_name: &str) -> Option<(&str, &str)> {
        let name = self.names().find(|name| self::file_name(name) == file_name)?;
        Some((name, self.text(name)?))
    }

    /// Whether the directory `path` contains files, directly or in directories below it. The empty path is the top.
    pub(super) fn has_dir(&self, path: &str) -> bool {
        let is_below = |name: &str| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        path.is_empty() || self.names().any(is_below)
    }

    /// Whether there is a file at `path`.
    pub(super) fn has(&self, path: &str) -> bool {
        self.names().any(|name| name == path)
    }
}

/// Whether the file `name` has the extension `ending`, such as `.c`. Case matters, as it does for compilers.
pub(super) fn ends(name: &str, ending: &str) -> bool {
    name.ends_with(ending)
}

/// The directory of the file `name`; empty at the top.
pub(super) fn dir_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The last component of `name`.
pub(super) fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The last component of `name` without its extension.
pub(super) fn stem(name: &str) -> &str {
    let file = file_name(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The number of directories that contain `name`.
pub(super) fn depth(name: &str) -> usize {
    name.matches('/').count()
}

/// The path of `name` relative to the directory `dir`; `None` if `name` is not below `dir`.
pub(super) fn below<'n>(name: &'n str, dir: &str) -> Option<&'n str> {
    if dir.is_empty() { Some(name) } else { name.strip_prefix(dir)?.strip_prefix('/') }
}
