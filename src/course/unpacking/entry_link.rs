//! Links in archives. No link is ever created: a link to files of the same submission is replaced with a copy of those
//! files, and every other link is left out. An unpacked submission does not need any others.

use std::io::Read;

use crate::course::submissions::EntryPath;

/// A link, and the path that it leads to.
#[derive(Clone, Debug)]
pub(super) struct EntryLink {
    pub(super) path: EntryPath,
    /// The path below the top of the submission; `None` if the link leads elsewhere.
    pub(super) target: Option<EntryPath>,
}

/// The maximum number of bytes that are read of a link's target.
const LONGEST: u64 = 4096;

impl EntryLink {
    /// The link at `path`. Its `content` is its target, which is relative to the link's directory if the link
    /// `is_symbolic`, and otherwise to the top of the submission.
    pub(super) fn read(path: &EntryPath, content: &mut dyn Read, is_symbolic: bool) -> Self {
        let mut bytes = Vec::new();
        let is_read = content.take(LONGEST).read_to_end(&mut bytes).is_ok();
        let written = String::from_utf8(bytes).ok().filter(|_| is_read);
        let base = if is_symbolic { path.as_str().rsplit_once('/').map_or("", |(dir, _)| dir) } else { "" };
        Self { path: path.clone(), target: written.and_then(|target| resolved(base, &target)) }
    }
}

/// Resolves `target`, relative to the directory `base`, to a path below the top of the submission.
fn resolved(base: &str, target: &str) -> Option<EntryPath> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    EntryPath::parse(&parts.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_paths_of_the_submission_or_nothing() {
        for (base, target, expected) in [
            ("", "gthd/Board.java", Some("gthd/Board.java")),
            ("a/b", "../c/D.java", Some("a/c/D.java")),
            ("a", "./../x", Some("x")),
            ("a", "../../x", None),
            ("", "../x", None),
            ("a", "/etc/passwd", None),
            ("a", "..", None),
            ("a", "", Some("a")),
        ] {
            assert_eq!(resolved(base, target).as_ref().map(EntryPath::as_str), expected, "{base} {target}");
        }
    }
}
