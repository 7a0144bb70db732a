//! Paths as text: what follows from a path without accessing the file system.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from `path`, as far as that is possible without accessing the file system.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_detours() {
        for (path, expected) in
            [("/a/./b//c", "/a/b/c"), ("/a/b/../c", "/a/c"), ("/a/..", "/"), ("/../a", "/a"), ("/", "/")]
        {
            assert_eq!(normal(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
