//! Copies in place of links: each link to files of the same submission is replaced with a copy of those files.

use std::fs;

use super::entry_link::EntryLink;
use super::refusal::{UnpackError, UnpackRefusal};
use super::tree_writer::{TreeWriter, Written};
use crate::course::submissions::EntryPath;

impl TreeWriter<'_> {
    /// Replaces each link to files of the submission with copies of those files, which count towards the limits. Every
    /// other link is left out and reported.
    ///
    /// # Errors
    /// Refuses submissions that exceed their limits.
    pub(super) fn copy_links(&mut self) -> Result<(), UnpackError> {
        let mut links = std::mem::take(&mut self.links);
        // A link may lead to another link, so the remaining links are retried until none of them can be replaced with a
        // copy.
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

    /// Copies the target of `link` to the link's path. Returns whether the target existed and that path was free.
    fn copy_link(&mut self, link: &EntryLink) -> Result<bool, UnpackError> {
        let Some(target) = &link.target else { return Ok(false) };
        let (from, to) = (target.as_str(), link.path.as_str());
        // Copying a directory into itself would never end.
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
