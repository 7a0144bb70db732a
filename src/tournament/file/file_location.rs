//! The location of a tournament file, and the directories that would show a bot something that it must not see.

use std::fmt;
use std::path::{Path, PathBuf};

/// The location of a tournament file.
///
/// One directory can have several paths, for example because of symbolic links. `resolve` maps all of them to a single
/// path, so that paths can be compared here without accessing the file system.
pub struct Site<'a> {
    /// The directory to which paths in the file are relative, resolved.
    base: PathBuf,
    /// The file itself, resolved, if there is one.
    file: Option<PathBuf>,
    resolve: &'a dyn Fn(&Path) -> PathBuf,
}

impl fmt::Debug for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("base", &self.base).field("file", &self.file).finish_non_exhaustive()
    }
}

impl<'a> Site<'a> {
    /// Creates the site of a tournament whose paths are relative to `base`. `file` is the tournament file, if there is
    /// one. `resolve` returns the canonical absolute path of the file to which a path leads.
    pub fn new(base: &Path, file: Option<&Path>, resolve: &'a dyn Fn(&Path) -> PathBuf) -> Self {
        Self { base: resolve(base), file: file.map(resolve), resolve }
    }

    /// Creates an unknown site, for which paths are compared as written.
    pub fn unknown() -> Self {
        // This directory is so deep that no sensible `..` leads out of it.
        Self { base: PathBuf::from("/0/1/2/3/4/5/6/7"), file: None, resolve: &crate::base::lexical_path::normal }
    }

    /// The resolved path to which `path` in the file leads.
    pub(super) fn resolve(&self, path: &Path) -> PathBuf {
        (self.resolve)(&self.base.join(path))
    }

    /// Whether the resolved path `shown` is the tournament file or a directory above it.
    pub(super) fn is_shown_by(&self, shown: &Path) -> bool {
        self.base.starts_with(shown) || self.file.as_ref().is_some_and(|it| it.starts_with(shown))
    }

    /// Whether the resolved path `shown` is the tournament file itself.
    pub(super) fn is_file(&self, shown: &Path) -> bool {
        self.file.as_deref() == Some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lexical_path::normal;

    #[test]
    fn the_file_is_shown_by_its_own_directory_and_all_above_it() {
        let site = Site::new(Path::new("/t/class"), Some(Path::new("/else/t.toml")), &normal);
        for (path, shown) in
            [(".", true), ("..", true), ("/", true), ("bots", false), ("../class2", false), ("/else", true)]
        {
            assert_eq!(site.is_shown_by(&site.resolve(Path::new(path))), shown, "{path}");
        }
        assert!(site.is_shown_by(Path::new("/else/t.toml")) && !site.is_shown_by(Path::new("/else/other")));
    }
}
