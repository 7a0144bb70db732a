//! Names of files in archives.

use std::collections::HashMap;
use std::fmt;

use caseless::default_case_fold_str;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

use crate::base::sanitise::sanitised;

/// The maximum length of one component of a path in bytes, as imposed by file systems.
const LONGEST_PART: usize = 255;

/// The maximum length of a whole path in bytes, which leaves space for the path of the class before it.
const LONGEST_PATH: usize = 2048;

/// The maximum number of nested directories.
const DEEPEST: usize = 20;

/// The file in which macOS keeps the icon of a directory. It is never unpacked, and is not a reason to refuse a
/// submission.
const ICON: &str = "Icon\r";

/// The path of a file below the directory of its submission.
///
/// Invariant: one or more components with `/` between them. No component is empty, `.` or `..`, contains a control
/// character or exceeds 255 bytes, and there are at most 20 directories. The path therefore stays below any directory
/// that it is joined to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPath(String);

/// A reason to reject a name in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnsafePath {
    /// The name begins with `/`.
    #[error("is an absolute path")]
    Absolute,
    /// The name has a `..` component.
    #[error("leads out of the archive")]
    Upward,
    /// The name begins with a letter and a colon.
    #[error("begins with a drive letter")]
    DriveLetter,
    /// The name contains a NUL.
    #[error("contains a NUL character")]
    Nul,
    /// The name contains another control character, such as a line break.
    #[error("contains a control character")]
    Control,
    /// The name is too long for a file system.
    #[error("is too long: a name may have at most {LONGEST_PART} bytes")]
    TooLong,
    /// The file is nested in too many directories.
    #[error("is nested too deeply: at most {DEEPEST} levels of directories are allowed")]
    TooDeep,
    /// The name has no components, or is the name of a macOS icon.
    #[error("is empty")]
    Empty,
}

impl EntryPath {
    /// Checks a name from an archive. `\` separates components just like `/`, because some Windows programs write it.
    ///
    /// # Errors
    /// Returns the first reason to reject the name.
    pub fn parse(name: &str) -> Result<Self, UnsafePath> {
        let name = name.replace('\\', "/");
        if name.contains('\0') {
            return Err(UnsafePath::Nul);
        }
        if name == ICON || name.ends_with(&format!("/{ICON}")) {
            return Err(UnsafePath::Empty);
        }
        if name.contains(char::is_control) {
            return Err(UnsafePath::Control);
        }
        if name.starts_with('/') {
            return Err(UnsafePath::Absolute);
        }
        let mut start = name.chars();
        if start.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && start.next() == Some(':') {
            return Err(UnsafePath::DriveLetter);
        }
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        if parts.contains(&"..") {
            return Err(UnsafePath::Upward);
        }
        if parts.len() > DEEPEST + 1 {
            return Err(UnsafePath::TooDeep);
        }
        let path = parts.join("/");
        if path.len() > LONGEST_PATH || parts.iter().any(|part| part.len() > LONGEST_PART) {
            return Err(UnsafePath::TooLong);
        }
        if path.is_empty() { Err(UnsafePath::Empty) } else { Ok(Self(path)) }
    }

    /// The path, with `/` between components.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first component, and the path below it if there is one.
    pub fn split_first(&self) -> (&str, Option<Self>) {
        match self.0.split_once('/') {
            Some((first, rest)) => (first, Some(Self(rest.to_owned()))),
            None => (&self.0, None),
        }
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl fmt::Display for EntryPath {
    /// Writes the path as one printable line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&sanitised(&self.0))
    }
}

/// The reason not to import a file with this `path`: the name of an unneeded directory, or an unneeded kind of file.
/// Returns `None` if the file is imported.
pub fn left_out(path: &EntryPath) -> Option<&'static str> {
    const PARTS: [&str; 8] =
        ["__MACOSX", ".DS_Store", ".bench", ".git", "node_modules", "target", "__pycache__", "Thumbs.db"];
    let part = PARTS.into_iter().find(|known| path.0.split('/').any(|part| part == *known));
    let ending = || path.0.strip_suffix(".o").map(|_| "*.o");
    // macOS writes the attributes of `X` to a file next to it.
    let attributes = || path.file_name().starts_with("._").then_some("._*");
    part.or_else(ending).or_else(attributes)
}

/// Whether a file or a directory called `name`, a path in bytes, is not imported; see [`left_out`]. A path that no
/// submission can contain is not left out, so that it is refused.
pub fn is_left_out(name: &[u8]) -> bool {
    let path = str::from_utf8(name).ok().and_then(|name| EntryPath::parse(name).ok());
    path.is_some_and(|path| left_out(&path).is_some())
}

/// The paths of a submission that have been added so far, used to find paths that some file systems do not distinguish.
#[derive(Debug, Default)]
pub struct SeenPaths {
    /// Each path by its folded form, and whether it is the path of a file.
    seen: HashMap<String, (String, bool)>,
}

/// Two paths of which a file system may keep only one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.words())]
pub struct Conflict {
    /// The earlier path.
    pub one: String,
    /// The later path.
    pub other: String,
    /// Whether one path is a file and the other is a directory; otherwise, both are files.
    pub is_mixed: bool,
}

impl Conflict {
    fn words(&self) -> String {
        let (one, other) = (sanitised(&self.one), sanitised(&self.other));
        match (one == other, self.is_mixed) {
            (true, true) => format!("`{one}` is both a file and a directory"),
            (true, false) => format!("`{one}` occurs twice"),
            (false, _) => format!("`{one}` and `{other}` differ only in case or in how Unicode encodes them"),
        }
    }
}

impl SeenPaths {
    /// Adds the file `path` and the directories that contain it.
    ///
    /// # Errors
    /// Returns the earlier path if it differs only in case or in how Unicode represents its letters, unless both are
    /// directories.
    pub fn add(&mut self, path: &EntryPath) -> Result<(), Conflict> {
        let ends = path.0.match_indices('/').map(|(end, _)| (end, false)).chain([(path.0.len(), true)]);
        for (end, is_file) in ends {
            let shown = &path.0[..end];
            let composed: String = shown.nfkc().collect();
            let folded: String = default_case_fold_str(&composed).nfkc().collect();
            match self.seen.get(&folded) {
                Some((one, was_file)) if *was_file || is_file => {
                    return Err(Conflict { one: one.clone(), other: shown.to_owned(), is_mixed: *was_file != is_file });
                }
                Some(_) => {}
                None => {
                    self.seen.insert(folded, (shown.to_owned(), is_file));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let deep = "d/".repeat(DEEPEST + 1) + "x";
        let long = "x".repeat(LONGEST_PART + 1);
        for (name, why) in [
            ("/etc/passwd", UnsafePath::Absolute),
            ("\\etc\\passwd", UnsafePath::Absolute),
            ("../x", UnsafePath::Upward),
            ("a/../../x", UnsafePath::Upward),
            ("a\\..\\..\\x", UnsafePath::Upward),
            ("C:\\x", UnsafePath::DriveLetter),
            ("c:x", UnsafePath::DriveLetter),
            ("a\0b", UnsafePath::Nul),
            ("a\n[x]", UnsafePath::Control),
            ("a/b\r", UnsafePath::Control),
            ("a\u{85}", UnsafePath::Control),
            (&long, UnsafePath::TooLong),
            (&deep, UnsafePath::TooDeep),
            ("./", UnsafePath::Empty),
            ("", UnsafePath::Empty),
            ("a/Icon\r", UnsafePath::Empty),
        ] {
            assert_eq!(EntryPath::parse(name), Err(why), "{name}");
        }
        for (name, path) in [("./a//b", "a/b"), ("a\\b.py", "a/b.py"), ("ä/…", "ä/…"), ("a..b", "a..b")] {
            assert_eq!(EntryPath::parse(name).unwrap().as_str(), path);
        }
    }

    #[test]
    fn what_a_machine_has_made_is_left_out() {
        for (name, why) in [
            ("__MACOSX/a.py", Some("__MACOSX")),
            ("a/.git/config", Some(".git")),
            ("a/.bench/versions/3f2a91c0/source/bot.py", Some(".bench")),
            ("a/b.o", Some("*.o")),
            // Compiled classes are used if their sources are missing.
            ("a/B.class", None),
            ("._a.py", Some("._*")),
            ("targets/a.py", None),
            (".gitignore", None),
            ("a.odt", None),
        ] {
            assert_eq!(left_out(&EntryPath::parse(name).unwrap()), why, "{name}");
        }
    }

    fn conflict(names: &[&str]) -> bool {
        let mut seen = SeenPaths::default();
        names.iter().any(|name| seen.add(&EntryPath::parse(name).unwrap()).is_err())
    }

    #[test]
    fn paths_that_only_some_systems_tell_apart_conflict() {
        let mut seen = SeenPaths::default();
        let told: Vec<String> = ["bot", "bot/x", "bot", "BOT", "BOT/y"]
            .iter()
            .map(|name| {
                seen.add(&EntryPath::parse(name).unwrap())
                    .map_or_else(|conflict| conflict.to_string(), |()| String::new())
            })
            .collect();
        let differ = "`bot` and `BOT` differ only in case or in how Unicode encodes them";
        assert_eq!(told, ["", "`bot` is both a file and a directory", "`bot` occurs twice", differ, differ]);
        assert!(conflict(&["Bot.py", "bot.py"]) && conflict(&["a/B.py", "A/b.py"]) && conflict(&["a", "a"]));
        assert!(conflict(&["a", "A/b"]) && conflict(&["a/b", "A"]) && conflict(&["\u{e4}", "a\u{308}"]));
        assert!(!conflict(&["a/b", "A/c", "b"]));
    }

    proptest! {
        /// No accepted name, however strange, leads out of the directory that it is joined to.
        #[test]
        fn no_accepted_name_leads_out(name in "([a-zA-Z.:ä/\\\\\0\n ]|\\.\\./|\\.\\.\\\\){0,20}") {
            if let Ok(path) = EntryPath::parse(&name) {
                let joined = Path::new("/root").join(path.as_str());
                let parts: Vec<Component<'_>> = joined.components().skip(2).collect();
                prop_assert!(joined.starts_with("/root") && !parts.is_empty());
                prop_assert!(parts.iter().all(|part| matches!(part, Component::Normal(_))), "{}", joined.display());
                prop_assert_eq!(EntryPath::parse(path.as_str()), Ok(path));
            }
        }
    }
}
