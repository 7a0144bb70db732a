//! Links in archives. None is ever made: one that leads to files of the same submission becomes a copy of them, as an unpacked
//! submission needs no more, and every other link is left out.

use std::fs;
use std::io::Read as _;

use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{EntryKind, SourceEntry, TreeWriter, Written};
use crate::results::submissions::EntryPath;

/// A link, and the path that it leads to.
#[derive(Clone, Debug)]
pub(super) struct EntryLink {
    path: EntryPath,
    /// The path below the top of the submission; `None` if it leads elsewhere.
    target: Option<EntryPath>,
}

/// The longest target that is read.
const LONGEST: u64 = 4096;

impl EntryLink {
    /// The link `entry` at `path`.
    pub(super) fn read(path: &EntryPath, entry: &mut SourceEntry<'_>) -> Self {
        let mut bytes = Vec::new();
        let is_read = (&mut *entry.content).take(LONGEST).read_to_end(&mut bytes).is_ok();
        let written = String::from_utf8(bytes).ok().filter(|_| is_read);
        let base = if entry.kind == EntryKind::Link { path.as_str().rsplit_once('/').map_or("", |(dir, _)| dir) } else { "" };
        Self { path: path.clone(), target: written.and_then(|target| resolved(base, &target)) }
    }
}

/// The path below the top of the submission to which `target` leads from the directory `base`.
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

impl TreeWriter<'_> {
    /// Replaces each link that leads to files of the submission by copies of them, which count as files do. Every other link is
    /// left out and named.
    ///
    /// # Errors
    /// Refuses submissions that grow beyond their bounds.
    pub(super) fn copy_links(&mut self) -> Result<(), UnpackError> {
        let mut links = std::mem::take(&mut self.links);
        // A link may lead to another one, so what is left is tried again as long as something became a copy.
        loop {
            let before = links.len();
            let mut left = Vec::new();
            for link in links {
                if !self.copy_link(&link)? {
                    left.push(link);
                }
            }
            links = left;
            if links.is_empty() || links.len() == before {
                break;
            }
        }
        for link in &links {
            self.skip("link", &link.path);
        }
        Ok(())
    }

    /// Copies what `link` leads to. Returns whether there was anything, and its place was free.
    fn copy_link(&mut self, link: &EntryLink) -> Result<bool, UnpackError> {
        let Some(target) = &link.target else { return Ok(false) };
        let (from, to) = (target.as_str(), link.path.as_str());
        // A directory that holds its own copy would have no end.
        if from == to || to.starts_with(&format!("{from}/")) || from.starts_with(&format!("{to}/")) {
            return Ok(false);
        }
        let below = format!("{from}/");
        let copies: Vec<(String, String, Written)> = self
            .written
            .iter()
            .filter_map(|(name, written)| {
                let rest = if name == from { "" } else { name.strip_prefix(&below)? };
                let copy = if rest.is_empty() { to.to_owned() } else { format!("{to}/{rest}") };
                Some((name.clone(), copy, *written))
            })
            .collect();
        let mut has_copied = false;
        for (name, copy, written) in copies {
            let Ok(path) = EntryPath::parse(&copy) else { continue };
            if self.seen.add(&path).is_err() {
                continue;
            }
            self.copy(&name, &path, written)?;
            has_copied = true;
        }
        Ok(has_copied)
    }

    /// Copies the written file `name` to `path`.
    fn copy(&mut self, name: &str, path: &EntryPath, written: Written) -> Result<(), UnpackError> {
        let (source, target) = (self.root.join(name), self.root.join(path.as_str()));
        let size = fs::symlink_metadata(&source).map_err(UnpackError::at(&source))?.len();
        self.used.files += 1;
        self.used.bytes += size;
        if self.used.files > self.bounds.files {
            return Err(UnpackRefusal::TooManyFiles { most: self.bounds.files }.into());
        }
        if self.used.bytes > self.bounds.bytes {
            return Err(UnpackRefusal::TooLarge { most: self.bounds.bytes }.into());
        }
        self.class.take(size)?;
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(UnpackError::at(parent))?;
        }
        fs::copy(&source, &target).map_err(UnpackError::at(&target))?;
        self.written.insert(path.as_str().to_owned(), written);
        Ok(())
    }
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
