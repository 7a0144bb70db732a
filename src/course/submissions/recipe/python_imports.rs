//! The files of a submission that a Python program imports, and the directory in which it finds them when it is
//! started.

use std::collections::{BTreeSet, VecDeque};

use super::course_files::is_library;
use super::submitted_files::{SubmittedFiles, below, dir_of, ends};

/// A module that a file imports.
#[derive(Debug, PartialEq, Eq)]
struct ImportedModule {
    /// The number of dots before the name.
    level: usize,
    /// The parts of the name.
    path: Vec<String>,
}

/// A way to start a program so that it finds its own modules.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PythonStart {
    /// The working directory.
    pub(super) dir: String,
    /// The words of the command.
    pub(super) words: Vec<String>,
    /// The names of the program's own files: the program itself, and then the files that it imports.
    pub(super) modules: Vec<String>,
    /// The names of the files of the course's library that the program imports.
    pub(super) libraries: Vec<String>,
    /// Whether the program cannot find some of these files.
    pub(super) is_cut_off: bool,
}

/// The modules that the lines of `text` import.
fn imported(text: &str) -> Vec<ImportedModule> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if let Some(rest) = line.strip_prefix("from ") {
            let Some((module, names)) = rest.trim_start().split_once(" import") else { continue };
            let module = module.trim();
            if !module.chars().all(is_name) || module.is_empty() {
                continue;
            }
            let level = module.chars().take_while(|c| *c == '.').count();
            let parts: Vec<String> =
                module[level..].split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
            // `from . import board` and `from engine import board` import modules, too.
            for name in names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()) {
                let path = parts.iter().cloned().chain([name.to_owned()]).collect();
                found.push(ImportedModule { level, path });
            }
            found.push(ImportedModule { level, path: parts });
        } else if let Some(rest) = line.strip_prefix("import ") {
            for name in rest.split(['#', ';']).next().unwrap_or_default().split(',') {
                let name = name.split_whitespace().next().unwrap_or_default();
                if name.chars().all(is_name) {
                    let path = name.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
                    found.push(ImportedModule { level: 0, path });
                }
            }
        }
    }
    found.retain(|module| module.level > 0 || !module.path.is_empty());
    found
}

/// The first part of the name of each module that `text` imports.
pub(super) fn imported_tops(text: &str) -> impl Iterator<Item = String> {
    imported(text).into_iter().filter(|module| module.level == 0).filter_map(|module| module.path.into_iter().next())
}

/// Whether the Python programs in the directory `wrapper`, which contains all of `files`, are a package called
/// `wrapper`.
pub fn is_package(files: &SubmittedFiles, wrapper: &str) -> bool {
    let mut programs = files.with_ending(&[".py"]).filter_map(|(name, text)| Some((below(name, wrapper)?, text)));
    let is_name =
        wrapper.chars().all(|c| c.is_alphanumeric() || c == '_') && !wrapper.starts_with(|c: char| c.is_numeric());
    is_name
        && programs.any(|(name, text)| {
            let is_top = !name.contains('/');
            imported(text).iter().any(|module| match module.level {
                0 => module.path.first().is_some_and(|first| first == wrapper),
                level => is_top && level == 1,
            })
        })
}

/// The path of `name` in the directory `dir`.
pub(super) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The directories from `dir` up to the top.
pub(super) fn upward(dir: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dir), |dir| (!dir.is_empty()).then(|| dir_of(dir)))
}

/// The file of the module or of the package `path` below `root`.
pub(super) fn file_of(files: &SubmittedFiles, root: &str, path: &[String]) -> Option<String> {
    let whole = join(root, &path.join("/"));
    let module = format!("{whole}.py");
    let package = format!("{whole}/__init__.py");
    [module, package].into_iter().find(|name| files.has(name))
}

/// Whether `root` has a module or a directory with Python files called `name`.
fn has_module(files: &SubmittedFiles, root: &str, name: &str) -> bool {
    let dir = join(root, name);
    files.has(&format!("{dir}.py")) || files.names().any(|file| ends(file, ".py") && below(file, &dir).is_some())
}

/// How to start the program `name`.
pub(super) fn start(files: &SubmittedFiles, name: &str) -> PythonStart {
    let own_dir = dir_of(name);
    let (mut roots, mut level, mut is_cut_off) = (BTreeSet::<String>::new(), 0, false);
    let mut uses_own = false;
    let (mut modules, mut libraries) = (vec![name.to_owned()], Vec::new());
    let mut queue: VecDeque<String> = [name.to_owned()].into();
    while let Some(file) = queue.pop_front() {
        let text = files.text(&file).unwrap_or_default();
        let dir = dir_of(&file).to_owned();
        let sets_path = text.contains("sys.path");
        for module in imported(text) {
            let mut follow = |root: &str| {
                let Some(found) = file_of(files, root, &module.path) else { return };
                let known = if is_library(&found) { &mut libraries } else { &mut modules };
                if !known.contains(&found) {
                    known.push(found.clone());
                    if !is_library(&found) {
                        queue.push_back(found);
                    }
                }
            };
            if module.level > 0 {
                if file == name {
                    level = level.max(module.level);
                }
                if let Some(package) = upward(&dir).nth(module.level - 1) {
                    follow(package);
                } else {
                    is_cut_off = true;
                }
                continue;
            }
            let Some(first) = module.path.first() else { continue };
            let root = upward(own_dir).find(|root| has_module(files, root, first));
            if let Some(root) = root {
                follow(root);
                uses_own |= root == own_dir;
                if root != own_dir && !sets_path {
                    roots.insert(root.to_owned());
                }
            } else if STANDARD.contains(&first.as_str()) {
                // The program imports Python's own module, even if a file elsewhere in the submission has the same
                // name.
            } else if !sets_path && let Some(elsewhere) = elsewhere(files, first) {
                follow(&elsewhere);
                roots.insert(elsewhere);
            } else if let Some(elsewhere) = elsewhere(files, first) {
                follow(&elsewhere);
            }
        }
    }
    let PlacedStart { dir, words, is_outside } = placed(files, name, level, &roots, uses_own);
    PythonStart { dir, words, modules, libraries, is_cut_off: is_cut_off || is_outside }
}

/// Modules of Python itself whose names students also use for their own files.
const STANDARD: [&str; 18] = [
    "random",
    "time",
    "copy",
    "math",
    "socket",
    "sys",
    "os",
    "queue",
    "string",
    "types",
    "test",
    "code",
    "select",
    "enum",
    "json",
    "typing",
    "collections",
    "logging",
];

/// Among all directories that contain a module called `name`, the one nearest to the top.
fn elsewhere(files: &SubmittedFiles, name: &str) -> Option<String> {
    let file = format!("{name}.py");
    let module = files.names().find(|path| super::submitted_files::file_name(path) == file);
    let package =
        || files.names().find(|path| path.ends_with(&format!("{name}/__init__.py"))).map(|path| dir_of(dir_of(path)));
    module.map(dir_of).or_else(package).map(str::to_owned)
}

struct PlacedStart {
    dir: String,
    words: Vec<String>,
    /// Whether the program would have to be started from outside of the submission.
    is_outside: bool,
}

fn placed(files: &SubmittedFiles, name: &str, level: usize, roots: &BTreeSet<String>, uses_own: bool) -> PlacedStart {
    let own_dir = dir_of(name);
    let python = || vec!["python3".to_owned()];
    let with_path = |dir: &str, paths: &[&str], rest: Vec<String>| {
        let paths: Vec<String> = paths.iter().map(|path| relative(path, dir)).collect();
        let env = ["env".to_owned(), format!("PYTHONPATH={}", super::literal(&paths.join(":")))];
        PlacedStart {
            dir: dir.to_owned(),
            words: env.into_iter().chain(python()).chain(rest).collect(),
            is_outside: false,
        }
    };
    if level > 0 {
        // The outermost directory of the package: the last directory on the way up that contains an `__init__.py` or
        // that a relative import leaves.
        let mut package = upward(own_dir).nth(level - 1).unwrap_or_default();
        while !package.is_empty() && files.has(&join(dir_of(package), "__init__.py")) {
            package = dir_of(package);
        }
        if package.is_empty() {
            let words = [python(), vec![super::literal(super::submitted_files::file_name(name))]].concat();
            return PlacedStart { dir: own_dir.to_owned(), words, is_outside: true };
        }
        let outermost =
            roots.iter().map(String::as_str).chain([dir_of(package)]).min_by_key(|root| root.len()).unwrap_or_default();
        let module = vec!["-m".to_owned(), dotted(name, outermost)];
        let others: Vec<&str> = roots
            .iter()
            .map(String::as_str)
            .chain(uses_own.then_some(own_dir))
            .filter(|root| *root != outermost)
            .collect();
        return if others.is_empty() {
            PlacedStart { dir: outermost.to_owned(), words: [python(), module].concat(), is_outside: false }
        } else {
            with_path(outermost, &others, module)
        };
    }
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    match roots[..] {
        [] => {
            let words = [python(), vec![super::literal(super::submitted_files::file_name(name))]].concat();
            PlacedStart { dir: own_dir.to_owned(), words, is_outside: false }
        }
        [root] if !uses_own && below(name, root).is_some() && is_module_path(name, root) => {
            let words = [python(), vec!["-m".to_owned(), dotted(name, root)]].concat();
            PlacedStart { dir: root.to_owned(), words, is_outside: false }
        }
        _ => {
            let common = roots.iter().fold(own_dir, |common, root| common_dir(common, root));
            let file = below(name, common).unwrap_or(name);
            with_path(common, &roots, vec![super::literal(file)])
        }
    }
}

/// Whether every part of `name` below `root` can be a part of a module's name.
fn is_module_path(name: &str, root: &str) -> bool {
    let path = below(name, root).unwrap_or(name).trim_end_matches(".py");
    path.split('/').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// The name of the module in the file `name` for a program that is started in `root`.
fn dotted(name: &str, root: &str) -> String {
    let path = below(name, root).unwrap_or(name).trim_end_matches(".py").replace('/', ".");
    super::literal(path.strip_suffix(".__main__").unwrap_or(&path))
}

/// The innermost directory that contains both `one` and `other`.
pub(super) fn common_dir<'d>(one: &'d str, other: &str) -> &'d str {
    upward(one).find(|dir| dir.is_empty() || *dir == other || below(other, dir).is_some()).unwrap_or_default()
}

/// `path` as seen from the directory `dir` above it.
fn relative(path: &str, dir: &str) -> String {
    match below(path, dir) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => ".".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::submissions::recipe::GivenFiles;

    fn started(files: &[(&str, &str)]) -> String {
        let texts = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let PythonStart { dir, words, is_cut_off, .. } =
            start(&SubmittedFiles::new(names, texts, &GivenFiles::default()), files[0].0);
        format!("{dir}> {}{}", words.join(" "), if is_cut_off { " !" } else { "" })
    }

    #[test]
    fn a_program_is_started_where_it_finds_its_modules() {
        for (files, expected) in [
            (&[("bot.py", "import board\n"), ("board.py", "")][..], "> python3 bot.py"),
            (&[("src/bot.py", "import board, sys\n"), ("src/board.py", "")], "src> python3 bot.py"),
            (&[("src/bot.py", "import numpy\n")], "src> python3 bot.py"),
            // Programs that import their own package by its full name, by relative imports, and by both.
            (&[("game/bot.py", "from game.board import Board\n"), ("game/board.py", "")], "> python3 -m game.bot"),
            (&[("game/bot.py", "from .board import Board\n"), ("game/board.py", "")], "> python3 -m game.bot"),
            (
                &[("game/bot.py", "from . import board\n"), ("game/board.py", ""), ("game/__init__.py", "")],
                "> python3 -m game.bot",
            ),
            (
                &[
                    ("a/b/bot.py", "from ..board import B\n"),
                    ("a/board.py", ""),
                    ("a/__init__.py", ""),
                    ("a/b/__init__.py", ""),
                ],
                "> python3 -m a.b.bot",
            ),
            (
                &[("x/a/b/bot.py", "from .m import B\n"), ("x/a/b/m.py", ""), ("x/a/__init__.py", "")],
                "x> python3 -m a.b.bot",
            ),
            (&[("game/__main__.py", "from game.board import B\n"), ("game/board.py", "")], "> python3 -m game"),
            // A package next to the program's directory, with and without modules in the program's directory.
            (&[("bots/bot.py", "from engine.rules import R\n"), ("engine/rules.py", "")], "> python3 -m bots.bot"),
            (
                &[
                    ("bots/bot.py", "import gthclient\nfrom engine.rules import R\n"),
                    ("engine/rules.py", ""),
                    ("bots/gthclient.py", ""),
                ],
                "> env PYTHONPATH=. python3 bots/bot.py",
            ),
            // The library is in a separate directory.
            (&[("bot.py", "import gthclient\n"), ("lib/gthclient.py", "")], "> env PYTHONPATH=lib python3 bot.py"),
            (&[("bot.py", "sys.path.append('lib')\nimport gthclient\n"), ("lib/gthclient.py", "")], "> python3 bot.py"),
            (
                &[("my bot/bot.py", "from engine.rules import R\n"), ("engine/rules.py", "")],
                "> env PYTHONPATH=. python3 my bot/bot.py",
            ),
            // A package whose directory is the submission itself.
            (&[("bot.py", "from .board import Board\n"), ("board.py", "")], "> python3 bot.py !"),
        ] {
            assert_eq!(started(files), expected, "{files:?}");
        }
    }

    #[test]
    fn a_directory_that_its_own_programs_import_is_a_package() {
        for (files, expected) in [
            (&[("bot.py", "from game.board import B\n")][..], true),
            (&[("bot.py", "import game\n")], true),
            (&[("bot.py", "from .board import B\n")], true),
            (&[("sub/bot.py", "from .board import B\n")], false),
            (&[("bot.py", "import board\n")], false),
            (&[("bot.py", "from games import x\n")], false),
        ] {
            let all: Vec<(String, &str)> = files.iter().map(|(name, text)| (format!("game/{name}"), *text)).collect();
            let texts = all.iter().map(|(name, text)| (name.clone(), (*text).to_owned())).collect();
            let names = all.into_iter().map(|(name, _)| name).collect();
            assert_eq!(
                is_package(&SubmittedFiles::new(names, texts, &GivenFiles::default()), "game"),
                expected,
                "{files:?}"
            );
        }
    }
}
