//! Parts of a submission that are in other Git repositories.

use super::submitted_files::{SubmittedFiles, below, dir_of};

/// Messages about submodules that the submission refers to but does not contain.
pub(super) fn missing(files: &SubmittedFiles) -> Vec<String> {
    let lists = files.with_ending(&[".gitmodules"]);
    let found = lists.filter_map(|(name, text)| {
        let value =
            |line: &str, key: &str| Some(line.trim().strip_prefix(key)?.trim().strip_prefix('=')?.trim().to_owned());
        let paths: Vec<String> = text.lines().filter_map(|line| value(line, "path")).collect();
        let root = dir_of(name);
        let is_missing = |path: &String| {
            let dir = if root.is_empty() { path.clone() } else { format!("{root}/{path}") };
            !files.names().any(|file| below(file, dir.trim_end_matches('/')).is_some())
        };
        let missing: Vec<String> = paths.into_iter().filter(is_missing).map(|path| format!("`{path}`")).collect();
        (!missing.is_empty()).then(|| {
            format!("`{name}` names Git submodules whose files are not in the submission: {}", missing.join(", "))
        })
    });
    found.collect()
}
