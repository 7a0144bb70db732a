//! Files that the course or the arena itself handed out, and that students include in their submissions.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::base::hex::hex;

/// The files that the course handed out, and those that the arena wrote as starting points for students, identified by
/// their digests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenFiles {
    digests: BTreeSet<String>,
    starters: BTreeSet<String>,
}

impl GivenFiles {
    /// The course's files that have the given `digests`, as [`GivenFiles::digests`] returns them.
    pub fn new(digests: impl IntoIterator<Item = String>) -> Self {
        Self { digests: digests.into_iter().collect(), starters: BTreeSet::new() }
    }

    /// Adds a file that the course handed out. An empty file is left out, because it would match every other empty
    /// file.
    pub fn add(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.digests.insert(digest(text));
        }
    }

    /// Adds a file of a starter bot, as the arena writes it.
    pub fn add_starter(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.starters.insert(digest(text));
        }
    }

    /// Whether `text` is one of the course's files, regardless of line endings and trailing white space.
    pub fn has(&self, text: &str) -> bool {
        !self.digests.is_empty() && self.digests.contains(&digest(text))
    }

    /// Whether `text` is a file of a starter bot, regardless of line endings and trailing white space.
    pub fn has_starter(&self, text: &str) -> bool {
        !self.starters.is_empty() && self.starters.contains(&digest(text))
    }

    /// The digests of the course's files in hexadecimal digits, in order.
    pub fn digests(&self) -> impl Iterator<Item = &str> {
        self.digests.iter().map(String::as_str)
    }
}

/// The digest of the lines of `text`, without trailing white space on each line and without empty lines at the end.
fn digest(text: &str) -> String {
    let mut digest = Sha256::new();
    for line in text.trim_end().lines() {
        digest.update(line.trim_end());
        digest.update(b"\n");
    }
    hex(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_files_are_known_by_what_they_say_and_not_by_how_lines_end() {
        let mut given = GivenFiles::default();
        given.add("import sys\nprint(1)\n");
        given.add(" \n");
        for text in ["import sys\nprint(1)\n", "import sys\r\nprint(1)\r\n\r\n", "import sys  \nprint(1)"] {
            assert!(given.has(text), "{text:?}");
        }
        for text in ["import sys\nprint(2)\n", " import sys\nprint(1)\n", "", "\n"] {
            assert!(!given.has(text), "{text:?}");
        }
        assert_eq!(GivenFiles::new(given.digests().map(str::to_owned)), given);
    }

    #[test]
    fn starters_are_known_alike_and_are_none_of_the_courses_files() {
        let mut given = GivenFiles::default();
        given.add_starter("import sys\nprint(1)\n");
        given.add_starter("\n");
        assert!(given.has_starter("import sys \r\nprint(1)") && !given.has("import sys\nprint(1)\n"));
        assert!(!given.has_starter("import sys\nprint(2)\n") && !given.has_starter(""));
        assert_eq!(given.digests().count(), 0);
    }
}
