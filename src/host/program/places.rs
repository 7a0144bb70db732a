//! Determines the kind of place that a path leads to: the system, a home, or a directory where programs are installed.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::lexical_path::normal;

/// Returns the absolute path that `path` leads to, with all symbolic links resolved. If the path does not exist, only
/// the part that exists is resolved.
pub fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let found = absolute.ancestors().find_map(|start| {
        let rest = absolute.strip_prefix(start).ok()?;
        Some(start.canonicalize().ok()?.join(rest))
    });
    normal(&found.unwrap_or(absolute))
}

/// The system directory that contains `path`, if there is one. Every bot may read all files of the system.
pub fn system_dir_of(path: &Path) -> Option<&'static str> {
    const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"];
    SYSTEM.into_iter().find(|dir| path.starts_with(dir))
}

/// Whether `dir`, where a program is installed, is a hidden directory such as `~/.local`, which contains more than
/// programs.
pub(super) fn is_hidden(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."))
}

pub(super) fn is_hidden_in_home(dir: &Path) -> bool {
    is_hidden(dir) && dir.parent().is_some_and(is_home)
}

/// Whether `file` is a shim, which starts one of the versions of a program in the same installation.
pub(super) fn is_shim(file: &Path) -> bool {
    file.parent().is_some_and(|dir| dir.ends_with("shims"))
}

/// Whether `dir` is a user's home directory, or an ancestor of one.
pub(super) fn is_home(dir: &Path) -> bool {
    dir.starts_with("/home") && dir.components().count() < 4
        || dir == Path::new("/root")
        || std::env::home_dir().is_some_and(|home| home.starts_with(dir))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_resolved_as_far_as_it_leads_somewhere() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("bots")).unwrap();
        symlink("bots", root.join("link")).unwrap();
        assert_eq!(resolved(&root.join("link")), root.join("bots"));
        assert_eq!(resolved(&root.join("link/none/../alice")), root.join("bots/alice"));
    }
}
