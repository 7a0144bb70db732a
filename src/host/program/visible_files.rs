//! The files that a confined program may read, in addition to those of the system.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::places::{is_hidden, is_hidden_in_home, is_home, is_shim, resolved, system_dir_of};
use super::stray_link::{Identified, NamedFile, StrayLink, grounds_of_program, identify, named_file, without_links};
use super::unseen_file::unseen;
use crate::base::sanitise::Shown as _;
use crate::host::refused_path::RefusedPath;
use crate::host::start::ShownFile;
use crate::tournament::{Program, Tournament};

/// The locations of a tournament's files, and the files among them that bots must not see.
#[derive(Clone, Debug)]
pub struct VisiblePaths {
    base: PathBuf,
    /// The directory of the tournament file, the results, and the files of each player, as resolved paths.
    hidden: Vec<PathBuf>,
    /// The PATH of the arena's user.
    path: OsString,
}

impl VisiblePaths {
    /// Determines the visible paths of `tournament`, whose file is in `base` and whose results are written to
    /// `results`.
    pub fn new(tournament: &Tournament, base: &Path, results: &Path) -> Self {
        let mut hidden = vec![resolved(base), resolved(results)];
        for player in &tournament.players {
            for (_, program) in player.programs() {
                hidden.extend(belongings(program, base));
            }
        }
        Self { base: base.to_owned(), hidden, path: std::env::var_os("PATH").unwrap_or_default() }
    }

    /// Returns the files that a confined `program` may read, in addition to those of the system, if it runs the file
    /// `executable` with `args` in `dir`, an absolute path: its `dir` or the files that its arguments name, the
    /// executable and everything installed next to it, and its `readable`. All these paths exist.
    ///
    /// # Errors
    /// Returns the link if the program or a named file is a player's link that has a forbidden target.
    pub fn visible(
        &self,
        program: &Program,
        executable: &Path,
        args: &[String],
        dir: &Path,
    ) -> Result<Vec<ShownFile>, StrayLink> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let readable = program.readable.iter().map(|path| absolute(&self.base.join(path)));
        let mut shown: Vec<ShownFile> = readable.filter_map(ShownFile::of).collect();
        if program.dir.is_some() {
            shown.extend(ShownFile::of(dir.to_owned()));
        } else {
            for word in args {
                let named = named_file(word, program, &self.base)?;
                shown.extend(named.map(|NamedFile { path, file }| ShownFile { path: absolute(&path), file }));
            }
        }
        let executable = absolute(executable);
        let identified = identify(&executable, program, &self.base, &self.path)?;
        shown.extend(self.program_files(program, &executable, identified));
        shown.sort();
        shown.dedup();
        Ok(shown)
    }

    /// The file that `program` runs, and everything installed next to it. `executable` is an absolute path, and
    /// `identified` is the program that was found there. Replacing the program with a link afterwards reveals nothing
    /// to the bot: each path is followed only once, and its target is shown only if the path did not lead through any
    /// of the player's links.
    fn program_files(&self, program: &Program, executable: &Path, identified: Identified) -> Vec<ShownFile> {
        let grounds = grounds_of_program(executable, program, &self.base, &self.path);
        let (link, end, tool) = match identified {
            Identified::Named { end } => {
                return self.installed(executable, end, Beside::Installation, program, &grounds);
            }
            Identified::Linked { link, end } => (link, end, None),
            Identified::LinkedTool { link, end, tool } => (link, end, Some(tool)),
        };
        // The system and the player's own files are shown in any case.
        let mut shown = tool
            .map_or_else(Vec::new, |tool| self.installed(&tool, Some(end.clone()), Beside::Nothing, program, &grounds));
        if program.dir.is_none() {
            let own = belongings(program, &self.base);
            // A virtual environment contains more than its program, but the files next to a link are not the files next
            // to its target.
            let is_last = executable.parent().map(resolved).is_some_and(|dir| link.parent() == Some(&*dir));
            let beside = self.installation(executable, &own).filter(|beside| is_last && *beside != executable);
            let beside = beside.and_then(|beside| shown_at(beside, &grounds));
            shown.push(beside.unwrap_or_else(|| ShownFile { path: executable.to_owned(), file: end }));
        }
        shown
    }

    /// The program `file` as named, and the same program at `end`, its path with all links resolved; each alone or with
    /// everything installed next to it. An installation in a hidden directory of a home is not shown as a whole; see
    /// `beside`. The player controls the links in `grounds`.
    fn installed(
        &self,
        file: &Path,
        end: Option<PathBuf>,
        beside: Beside,
        program: &Program,
        grounds: &[PathBuf],
    ) -> Vec<ShownFile> {
        let own = belongings(program, &self.base);
        let mut paths = Vec::new();
        for file in end.into_iter().chain([file.to_owned()]) {
            match (self.installation(&file, &own), beside) {
                (Some(dir), Beside::Nothing) if is_hidden(&dir) => paths.push(file),
                (Some(dir), Beside::Installation) if is_hidden_in_home(&dir) && !is_shim(&file) => {
                    paths.extend(LIBRARIES.map(|name| dir.join(name)));
                    paths.push(file);
                }
                (shown, _) => paths.extend(shown),
            }
        }
        paths.into_iter().filter_map(|path| shown_at(path, grounds)).collect()
    }

    /// The tools that a build may call by name: the directories of `path`, a PATH, each with everything installed next
    /// to it. For a hidden directory in a home, such as `~/.local/bin`, only the programs are shown.
    pub fn tools(&self, path: &OsStr) -> Vec<ShownFile> {
        let shown = |dir: PathBuf| {
            let beside = self.installation(&dir.join("x"), &[])?;
            let is_installation = dir.starts_with(&beside) && (dir.ends_with("shims") || !is_hidden(&beside));
            Some(if is_installation { beside } else { dir })
        };
        let dirs = std::env::split_paths(path).filter(|dir| dir.is_absolute() && dir.is_dir());
        let shown = dirs.filter_map(shown);
        let shown = shown.filter(|dir| !self.hidden.iter().any(|hidden| hidden.starts_with(resolved(dir))));
        shown.filter_map(ShownFile::of).collect()
    }

    /// Returns advice for a confined `program` that runs `executable` in `dir`, if its `stderr` names a file that
    /// exists but that the program cannot see, or another file that bots may not open.
    pub fn unseen(&self, program: &Program, executable: &Path, dir: &Path, stderr: &str) -> Option<String> {
        let dir = std::path::absolute(dir).ok()?;
        let args: Vec<String> = program.command.iter().skip(1).map(|word| word.fill(|_| String::new())).collect();
        let visible = self.visible(program, executable, &args, &dir).ok()?;
        let is_hidden = |path: &Path| {
            let found = resolved(path);
            let is_special = ["/proc", "/sys", "/dev"].iter().any(|dir| found.starts_with(dir));
            let is_seen =
                is_special || system_dir_of(&found).is_some() || visible.iter().any(|it| found.starts_with(&it.file));
            found.components().count() > 2 && found != resolved(&self.base) && !is_seen && found.exists()
        };
        let beside = executable.parent().unwrap_or(&dir).to_owned();
        let dirs = [dir.clone(), beside.join("../lib"), beside];
        let Some(path) = unseen(stderr, &dirs, is_hidden) else {
            let is_readable = |path: &RefusedPath| {
                let paths = visible.iter().flat_map(|it| [&it.path, &it.file]);
                paths.filter_map(|shown| shown.to_str()).any(|shown| path.is_readable_in(shown))
            };
            let refused = RefusedPath::in_output(stderr).filter(|path| !is_readable(path))?;
            return Some(refused.sentence("the bot"));
        };
        let path = resolved(&path);
        let remedy = match &program.dir {
            None if path.starts_with(resolved(&dir)) => "put the bot's files into a separate `dir`",
            _ => "add it to the player's `readable`",
        };
        Some(format!("`{}` exists, but the confined bot cannot see it: {remedy}", path.shown()))
    }

    /// The file of `program`, or the dedicated directory in which it is installed, such as `/opt/jdk` for
    /// `/opt/jdk/bin/java`. `None` if the program is part of the system, which every bot sees. A directory that
    /// contains anything hidden, other than the program's `own` files, is not an installation.
    fn installation(&self, program: &Path, own: &[PathBuf]) -> Option<PathBuf> {
        if system_dir_of(program).is_some() && !program.starts_with("/usr/local") {
            return None;
        }
        let prefix =
            program.parent().filter(|dir| dir.ends_with("bin") || dir.ends_with("shims")).and_then(Path::parent);
        let hides = |dir: &Path| {
            let dir = resolved(dir);
            self.hidden.iter().any(|hidden| hidden.starts_with(&dir) && !own.contains(hidden))
        };
        // A home directory is not an installation.
        let is_own = |dir: &&Path| dir.components().count() > 2 && !is_home(dir) && !hides(dir);
        Some(prefix.filter(is_own).unwrap_or(program).to_owned())
    }
}

/// The file at the absolute path `path`; `None` if `path` does not exist, or if it leads through a link in one of
/// `grounds`.
fn shown_at(path: PathBuf, grounds: &[PathBuf]) -> Option<ShownFile> {
    without_links(&path, grounds).map(|file| ShownFile { path, file })
}

/// The files to show next to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// Everything installed next to the program; in a hidden directory in a home, only the [`LIBRARIES`].
    Installation,
    /// Everything installed next to the program, but nothing in a hidden directory in a home.
    Nothing,
}

/// The parts of an installation that contain nothing personal, even in a hidden directory such as `~/.local`.
const LIBRARIES: [&str; 5] = ["lib", "lib64", "libexec", "opt", "Cellar"];

/// The files that belong to a single player, as resolved paths: its `dir` or, without one, the files that its command
/// names. A program that is named by an absolute path or found in the `PATH` belongs to the machine, and several
/// players can use it.
fn belongings(program: &Program, base: &Path) -> Vec<PathBuf> {
    if program.dir.is_some() {
        return vec![resolved(&program.working_dir(base))];
    }
    let literal = program.command.iter().enumerate().filter(|(_, word)| word.is_literal());
    let words = literal.map(|(index, word)| (index, word.fill(|_| String::new())));
    let files = words.filter(|(index, word)| !word.starts_with('/') && (*index > 0 || word.contains('/')));
    files.filter_map(|(_, word)| Some(named_file(&word, program, base).ok()??.file)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::base::lexical_path::normal;
    use crate::host::program::tests::write;
    use crate::tournament::PlayerKind;

    /// The paths that the last of `players` may read in a tournament with `files`, relative to a common root.
    fn visible(files: &[&str], players: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let base = root.join("class");
        fs::create_dir_all(&base).unwrap();
        let toml = format!("{players}\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n");
        let tournament = Tournament::parse(&toml, "t").unwrap_or_else(|problems| panic!("{problems}"));
        let mut programs = tournament.players.iter().filter_map(|player| match &player.kind {
            PlayerKind::Program(program) => Some(program),
            _ => None,
        });
        let program = programs.next_back().unwrap();
        let dir = program.working_dir(&base);
        let word = program.executable();
        let executable = if word.contains('/') { dir.join(word) } else { root.join("jdk/bin").join(word) };
        let args: Vec<String> = program.command.iter().skip(1).map(|word| word.fill(|_| String::new())).collect();
        let visible_paths = VisiblePaths::new(&tournament, &base, &root.join("results/class"));
        let shown = visible_paths.visible(program, &normal(&executable), &args, &dir).unwrap();
        shown.iter().map(|shown| shown.path.strip_prefix(&root).unwrap().display().to_string()).collect()
    }

    #[test]
    fn a_program_beside_the_tournament_file_is_shown_alone() {
        let player =
            |command: &str| format!("[[player]]\nname = \"alice\"\ncommand = [\"{command}\", \"book\", \"black\"]");
        let beside = ["class/bin/alice", "class/book", "class/class.toml"];
        assert_eq!(visible(&beside, &player("bin/alice")), ["class/bin/alice", "class/book"]);
        // A program above the tournament's directory, or next to the results, is also shown alone.
        assert_eq!(visible(&["bin/alice"], &player("../bin/alice")), ["bin/alice"]);
        assert_eq!(visible(&["results/bin/alice"], &player("../results/bin/alice")), ["results/bin/alice"]);
        // A program in a dedicated installation is shown with the whole installation.
        assert_eq!(visible(&["class/alice/bin/run", "class/alice/lib/x"], &player("alice/bin/run")), ["class/alice"]);
        assert_eq!(visible(&["jdk/bin/java"], &player("java")), ["jdk"]);
    }

    #[test]
    fn a_program_beside_another_players_files_is_shown_alone() {
        let two = |first: &str, second: &str| {
            format!("[[player]]\nname = \"bob\"\n{first}\n[[player]]\nname = \"alice\"\n{second}")
        };
        let files = ["class/bots/bin/alice", "class/bots/bin/bob", "class/bots/bob/bot.py"];
        let alice = "command = [\"bots/bin/alice\"]";
        let shown = |bob: &str| visible(&files, &two(bob, alice));
        assert_eq!(shown("command = [\"bots/bin/bob\"]"), ["class/bots/bin/alice"]);
        assert_eq!(shown("command = [\"python3\", \"bots/bob/bot.py\"]"), ["class/bots/bin/alice"]);
        assert_eq!(shown("dir = \"bots/bob\"\ncommand = [\"python3\", \"bot.py\"]"), ["class/bots/bin/alice"]);
        assert_eq!(shown("command = [\"bots/bin/alice\", \"3\"]"), ["class/bots"]);
    }

    /// The paths that the bot `a` may read if it runs `command` in its `dir`, relative to `root`, which contains a home
    /// directory and a class directory. The PATH lists the directories below `root` that contain programs.
    fn visible_to_bot(root: &Path, command: &str, links: &[(&str, &str)]) -> Vec<String> {
        let (visible_paths, program) = paths_for_bot(root, &format!("dir = \"a\"\ncommand = [\"{command}\"]"));
        make_links(root, links);
        let dir = root.join("class/a");
        paths_in(root, &visible_paths.visible(&program, &dir.join(command), &[], &dir).unwrap())
    }

    /// The visible paths of a tournament with the bot `a`, and the bot's program. The bot's entry in the tournament
    /// file contains the lines `keys`.
    fn paths_for_bot(root: &Path, keys: &str) -> (VisiblePaths, Program) {
        for file in [
            "home/.local/bin/tool",
            "home/.local/share/secret",
            "home/.local/lib/x",
            "opt/jdk/bin/java",
            "opt/jdk/lib/x",
        ] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            write(&root.join(file), "", 0o755);
        }
        fs::create_dir_all(root.join("class/a")).unwrap();
        let toml = format!("[[player]]\nname = \"a\"\n{keys}\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n");
        let tournament = Tournament::parse(&toml, "t").unwrap_or_else(|problems| panic!("{problems}"));
        let PlayerKind::Program(program) = &tournament.players[0].kind else { panic!("a program") };
        let mut visible_paths = VisiblePaths::new(&tournament, &root.join("class"), &root.join("results"));
        visible_paths.path = std::env::join_paths([root.join("home/.local/bin"), root.join("opt/jdk/bin")]).unwrap();
        (visible_paths, program.clone())
    }

    fn make_links(root: &Path, links: &[(&str, &str)]) {
        for (name, target) in links {
            symlink(root.join(target), root.join(name)).unwrap();
        }
    }

    /// The locations of the `shown` files, relative to `root`.
    fn paths_in(root: &Path, shown: &[ShownFile]) -> Vec<String> {
        let mut files: Vec<String> =
            shown.iter().map(|shown| shown.file.strip_prefix(root).unwrap().display().to_string()).collect();
        // A file can be shown under more than one path.
        files.dedup();
        files
    }

    /// Returns the files that the bot `a` with these `keys` may read in and next to its program, `class/a/COMMAND`, if
    /// `swap` changes the bot's directory after the arena has identified the program.
    fn shown_after(keys: &str, command: &str, swap: &dyn Fn(&Path, &Path)) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (visible_paths, program) = paths_for_bot(&root, keys);
        let executable = root.join("class/a").join(command);
        fs::create_dir_all(executable.parent().unwrap()).unwrap();
        write(&executable, "", 0o755);
        let identified = identify(&executable, &program, &visible_paths.base, &visible_paths.path).unwrap();
        swap(&root.join("class/a"), &root);
        paths_in(&root, &visible_paths.program_files(&program, &executable, identified))
    }

    #[test]
    fn a_link_that_takes_the_place_of_a_program_after_the_check_shows_nothing() {
        let in_dir = |command: &str| format!("dir = \"a\"\ncommand = [\"./{command}\"]");
        let alone = |command: &str| format!("command = [\"a/{command}\"]");
        let program_swapped = |dir: &Path, root: &Path| {
            fs::remove_file(dir.join("bot")).unwrap();
            symlink(root.join("opt/jdk/bin/java"), dir.join("bot")).unwrap();
        };
        for keys in [in_dir("bot"), alone("bot")] {
            let shown = shown_after(&keys, "bot", &program_swapped);
            assert!(shown.iter().all(|file| file == "class/a/bot"), "{keys}: {shown:?}");
        }
        // The bot replaces a directory on the way, or the directory in which the program is installed.
        for (from, to) in [("venv/bin", "opt/jdk/bin"), ("venv", "opt/jdk")] {
            let dir_swapped = |dir: &Path, root: &Path| {
                write(&root.join("opt/jdk/bin/run"), "", 0o755);
                fs::rename(dir.join(from), dir.join("aside")).unwrap();
                symlink(root.join(to), dir.join(from)).unwrap();
            };
            for keys in [in_dir("venv/bin/run"), alone("venv/bin/run")] {
                let shown = shown_after(&keys, "venv/bin/run", &dir_swapped);
                assert!(shown.iter().all(|file| file.starts_with("class/a/")), "{from} {keys}: {shown:?}");
            }
        }
        // The program did not exist yet when the arena identified it.
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (visible_paths, program) = paths_for_bot(&root, &in_dir("bot"));
        let executable = root.join("class/a/bot");
        let identified = identify(&executable, &program, &visible_paths.base, &visible_paths.path).unwrap();
        symlink(root.join("opt/jdk/bin/java"), &executable).unwrap();
        assert_eq!(visible_paths.program_files(&program, &executable, identified), []);
    }

    #[test]
    fn a_link_to_a_tool_shows_what_the_tool_would_show_but_of_a_hidden_directory_the_tool_alone() {
        let shown = |command: &str, links: &[(&str, &str)]| {
            let root = tempfile::tempdir().unwrap();
            visible_to_bot(&root.path().canonicalize().unwrap(), command, links)
        };
        assert_eq!(shown("bot", &[("class/a/bot", "opt/jdk/bin/java")]), ["class/a", "opt/jdk"]);
        assert_eq!(shown("../../opt/jdk/bin/java", &[]), ["class/a", "opt/jdk"]);
        assert_eq!(shown("bot", &[("class/a/bot", "home/.local/bin/tool")]), ["class/a", "home/.local/bin/tool"]);
        // A tool that is a link into an installation is shown with the installation.
        let links = [("home/.local/bin/java", "opt/jdk/bin/java"), ("class/a/bot", "home/.local/bin/java")];
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/.local/bin")).unwrap();
        let shown = visible_to_bot(&root, "bot", &links);
        assert_eq!(shown, ["class/a", "opt/jdk/bin/java", "opt/jdk"]);
    }
}
