//! The commit of a package, and its date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of hexadecimal digits of a commit that a version shows.
const DIGITS: usize = 9;

/// The known facts about the commit that a package is built from.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The first digits of the commit's hash.
    commit: Option<String>,
    /// The date in UTC, such as `2026-11-27`.
    date: Option<String>,
    /// The files that change when the commit does.
    pub(crate) files: Vec<PathBuf>,
}

impl Origin {
    /// The origin of the package in `dir`, an absolute path. `epoch` is the value of `SOURCE_DATE_EPOCH`, which takes
    /// precedence over the date of the commit.
    pub(crate) fn of(dir: &Path, epoch: Option<&str>) -> Self {
        let mut origin = recorded(dir).or_else(|| of_repository(dir)).unwrap_or_default();
        if let Some(date) = epoch.and_then(date) {
            origin.date = Some(date);
        }
        origin
    }

    /// `package`, followed by the known facts in parentheses.
    pub(crate) fn version(&self, package: &str) -> String {
        match (&self.commit, &self.date) {
            (Some(commit), Some(date)) => format!("{package} ({commit} {date})"),
            (Some(known), None) | (None, Some(known)) => format!("{package} ({known})"),
            (None, None) => package.to_owned(),
        }
    }
}

/// What `cargo package` recorded about a package: the commit, but not its date.
fn recorded(dir: &Path) -> Option<Origin> {
    let file = dir.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(&file).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = shortened(rest.split('"').nth(1)?)?;
    Some(Origin { commit: Some(commit), date: None, files: vec![file] })
}

/// The checked out commit, if `dir` is the top of a git repository. A repository that merely surrounds `dir` is another
/// project's.
fn of_repository(dir: &Path) -> Option<Origin> {
    if !dir.join(".git").exists() {
        return None;
    }
    let shown = git(dir, &["log", "-1", "--no-show-signature", "--format=%H %ct"])?;
    let (commit, seconds) = shown.split_once(' ')?;
    // Each commit and each checkout adds a line to the log, but there may be none; `HEAD` alone names a branch.
    let files = ["logs/HEAD", "HEAD"].iter().filter_map(|name| git(dir, &["rev-parse", "--git-path", name]));
    let files = files.map(|file| dir.join(file)).filter(|file| file.is_file()).collect();
    Some(Origin { commit: Some(shortened(commit)?), date: date(seconds), files })
}

/// The line that `git` prints when it is run in `dir` with `arguments`, if it succeeds.
fn git(dir: &Path, arguments: &[&str]) -> Option<String> {
    // In a git hook, variables such as `GIT_DIR` would name another repository.
    let mut command = Command::new("git");
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").current_dir(dir).args(arguments);
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}

/// The first digits of a commit's hash.
fn shortened(hash: &str) -> Option<String> {
    let is_hash = hash.len() >= DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| hash[..DIGITS].to_owned())
}

/// The date in UTC of a time given in seconds since 1970.
fn date(seconds: &str) -> Option<String> {
    // Years are counted from March, so that the leap day is the last day of a year. Day 719,468 after 1 March of the
    // year 0 is 1 January 1970. The algorithm is `civil_from_days` of
    // <https://howardhinnant.github.io/date_algorithms.html>.
    let days = seconds.parse::<u32>().ok()? / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    Some(format!("{:04}-{month:02}-{day:02}", era * 400 + year + later))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        // Values that `date --utc --date=@SECONDS +%F` printed.
        for (seconds, day) in [
            (0_u32, "1970-01-01"),
            (68_169_599, "1972-02-28"),
            (68_169_600, "1972-02-29"),
            (68_256_000, "1972-03-01"),
            (951_782_400, "2000-02-29"),
            (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
            (1_795_816_027, "2026-11-27"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(date(&seconds.to_string()).as_deref(), Some(day), "{seconds}");
        }
        for wrong in ["", "-1", "today", "1e9"] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_version_shows_what_is_known() {
        let origin = |commit: Option<&str>, date: Option<&str>| Origin {
            commit: commit.map(str::to_owned),
            date: date.map(str::to_owned),
            files: Vec::new(),
        };
        assert_eq!(origin(Some("abc"), Some("2026-01-02")).version("1.2.3"), "1.2.3 (abc 2026-01-02)");
        assert_eq!(origin(Some("abc"), None).version("1.2.3"), "1.2.3 (abc)");
        assert_eq!(origin(None, Some("2026-01-02")).version("1.2.3"), "1.2.3 (2026-01-02)");
        assert_eq!(origin(None, None).version("1.2.3"), "1.2.3");
    }

    #[test]
    fn a_packaged_crate_has_the_commit_that_cargo_recorded() {
        let dir = TempDir::new().unwrap();
        assert_eq!(Origin::of(dir.path(), None), Origin::default());
        let file = dir.path().join(".cargo_vcs_info.json");
        let recorded = "{\n  \"git\": {\n    \"sha1\": \"0123456789abcdef0123456789abcdef01234567\"\n  }\n}";
        fs::write(&file, recorded).unwrap();
        let origin = Origin::of(dir.path(), None);
        assert_eq!(origin.version("1.2.3"), "1.2.3 (012345678)");
        assert_eq!(origin.files, std::slice::from_ref(&file));
        assert_eq!(Origin::of(dir.path(), Some("0")).version("1.2.3"), "1.2.3 (012345678 1970-01-01)");
        fs::write(&file, "{\"git\": {\"sha1\": \"none\"}}").unwrap();
        assert_eq!(Origin::of(dir.path(), None).version("1.2.3"), "1.2.3");
    }

    #[test]
    fn a_clone_has_its_commit_and_a_folder_inside_it_does_not() {
        let dir = TempDir::new().unwrap();
        let run = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command
                .current_dir(dir.path())
                .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
                .args(arguments);
            command.env("GIT_COMMITTER_DATE", "2026-11-27T23:30:00-0100").status().unwrap().success()
        };
        assert!(run(&["init", "--quiet"]));
        assert_eq!(Origin::of(dir.path(), None).version("1.2.3"), "1.2.3", "there is no commit yet");
        assert!(run(&["commit", "--quiet", "--allow-empty", "--message", "first"]));
        let hash = git(dir.path(), &["rev-parse", "HEAD"]).unwrap();
        let origin = Origin::of(dir.path(), None);
        assert_eq!(origin.version("1.2.3"), format!("1.2.3 ({} 2026-11-28)", &hash[..DIGITS]));

        // One of the files changes with the next commit.
        let contents = || origin.files.iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>();
        let before = contents();
        assert!(run(&["commit", "--quiet", "--allow-empty", "--message", "second"]));
        assert_ne!(contents(), before);

        let inside = dir.path().join("inside");
        fs::create_dir(&inside).unwrap();
        assert_eq!(Origin::of(&inside, None), Origin::default());
    }
}
