//! The problems with a tournament file, and their places.

use std::fmt;
use std::path::Path;

use thiserror::Error;

use super::flaw::Flaw;
use crate::base::sanitise::Shown as _;

/// A place in a file, as line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {flaw}")]
pub struct FileProblem {
    /// The place of the problem.
    pub place: LineColumn,
    /// The mistake.
    pub flaw: Flaw,
}

/// All problems with a tournament file.
///
/// Invariant: there is at least one problem, and the problems are in the order of their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblems(Vec<FileProblem>);

impl FileProblems {
    /// Creates a sorted list of the problems in `found`; `None` if there are none.
    pub(crate) fn new(mut found: Vec<FileProblem>) -> Option<Self> {
        found.sort_by_key(|problem| problem.place);
        found.dedup();
        if found.is_empty() { None } else { Some(Self(found)) }
    }

    /// Creates the list of a single problem.
    pub(crate) fn one(problem: FileProblem) -> Self {
        Self(vec![problem])
    }

    /// The problems, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, FileProblem> {
        self.0.iter()
    }

    /// The maximum number of problems that are shown. Any others are only counted.
    pub const SHOWN: usize = 100;

    /// Displays one line per problem, `file:line:column: flaw`, without a newline at the end: the first [`Self::SHOWN`]
    /// problems, and how many more there are.
    pub fn display<'a>(&'a self, file: &'a Path) -> impl fmt::Display + 'a {
        InFile { problems: self, file }
    }
}

/// See [`FileProblems::display`].
struct InFile<'a> {
    problems: &'a FileProblems,
    file: &'a Path,
}

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.shown();
        let shown = self.problems.iter().take(FileProblems::SHOWN);
        let mut lines: Vec<String> = shown.map(|problem| format!("{file}:{problem}")).collect();
        let more = self.problems.0.len() - lines.len();
        if more > 0 {
            lines.push(format!("{file}: and {more} more {}", if more == 1 { "problem" } else { "problems" }));
        }
        f.write_str(&lines.join("\n"))
    }
}

impl<'a> IntoIterator for &'a FileProblems {
    type Item = &'a FileProblem;
    type IntoIter = std::slice::Iter<'a, FileProblem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Writes one line per problem, `line:column: flaw`.
impl fmt::Display for FileProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for FileProblems {}
