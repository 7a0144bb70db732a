//! Bots in Python.

use super::argument_words::ArgumentArray;
use super::asides::is_beside;
use super::course_files::{connects, is_no_player};
use super::python_imports::{PythonStart, imported_tops, start};
use super::ranking::{FoundProgram, reads_arguments};
use super::source_text::code;
use super::submitted_files::{SubmittedFiles, dir_of, file_name, stem};

/// Libraries that do not come with Python, by the names that programs import.
const LIBRARIES: [&str; 18] = [
    "numpy",
    "scipy",
    "torch",
    "keras",
    "tensorflow",
    "pandas",
    "sklearn",
    "numba",
    "jax",
    "tqdm",
    "matplotlib",
    "networkx",
    "pygame",
    "colorama",
    "termcolor",
    "cython",
    "onnxruntime",
    "xgboost",
];

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let sources = files.with_ending(&[".py"]);
    let candidates: Vec<_> = sources.filter(|(name, text)| !is_no_player(name, text) && is_program(text)).collect();
    let is_module = |(name, text): &(&str, &str)| {
        let is_startable = has_own_start(files, name, text);
        let takes_over = |other: &&(&str, &str)| !is_startable || reads_arguments(other.1);
        let mut others = candidates.iter().filter(takes_over);
        others.any(|other| !is_beside(other.0, name) && is_imported_by(name, *other))
    };
    let mut programs: Vec<_> = candidates.iter().copied().filter(|candidate| !is_module(candidate)).collect();
    if programs.is_empty() {
        programs.clone_from(&candidates);
    }
    let needs = needs(files);
    programs.into_iter().map(|(name, text)| program(files, name, text, &needs)).collect()
}

fn program<'a>(files: &'a SubmittedFiles, name: &'a str, text: &'a str, needs: &[String]) -> FoundProgram<'a> {
    let PythonStart { dir, words, modules, is_cut_off, .. } = start(files, name);
    let texts: Vec<&str> = modules.iter().filter_map(|module| files.text(module)).collect();
    let whole = texts.join("\n");
    let array = if whole.contains("sys.argv") || !whole.contains("argv[") { "sys.argv" } else { "argv" };
    let mut obstacles = Vec::new();
    if is_cut_off {
        obstacles.push(format!("`{name}` imports from its own package, whose directory is not in the submission"));
    }
    let uses_client = imported_tops(&whole).any(|top| top == "gthclient");
    if uses_client
        && !files.names().any(|file| file_name(file) == "gthclient.py" || file.ends_with("gthclient/__init__.py"))
    {
        obstacles.push(format!("`{name}` imports `gthclient`, which is not in the submission"));
    }
    // The arguments that a file reads take precedence over the arguments that its modules would read if they were
    // started.
    let text = if text.contains(array) || text.contains("parse_args") {
        text.to_owned() + "\n" + &own_part(&texts[1..])
    } else {
        whole
    };
    FoundProgram {
        source: name,
        text,
        started: file_name(name).to_owned(),
        array: ArgumentArray::new(array, 1),
        said: None,
        language: "Python",
        dir,
        build: None,
        start: words,
        needs: needs.to_vec(),
        obstacles,
    }
}

/// The code that modules run when they are imported: everything before their main guards.
fn own_part(modules: &[&str]) -> String {
    let part = |text: &&str| text.split("\nif __name__").next().unwrap_or_default().to_owned();
    modules.iter().map(part).collect::<Vec<_>>().join("\n")
}

/// Whether a file does something when it is run: it has a main guard, or a call or a loop outside of functions.
fn is_program(text: &str) -> bool {
    let mut is_in_string = false;
    text.lines().any(|line| {
        let marks = line.matches("\"\"\"").count() + line.matches("'''").count();
        let was_in_string = is_in_string;
        is_in_string ^= marks % 2 == 1;
        if was_in_string || marks > 0 || line.starts_with([' ', '\t']) {
            return false;
        }
        let line = code(line).trim_end();
        line.contains("__main__")
            || line.contains("GthClient(")
            || line.contains("argv")
            || line.contains("parse_args(")
            || line.starts_with("while ")
            || line.starts_with("asyncio.run(")
            || is_call(line)
    })
}

/// Whether a module can be the bot itself, unless a program that reads arguments extends it: it has a main guard, and
/// reads arguments or connects to the referee. The code outside of the guard also runs when another program imports the
/// module.
fn has_own_start(files: &SubmittedFiles, name: &str, text: &str) -> bool {
    let has_part = text.lines().any(|line| line.starts_with("if") && code(line).contains("__main__"));
    let is_of_use = |module: &String| files.text(module).is_some_and(|text| reads_arguments(text) || connects(text));
    has_part && start(files, name).modules.iter().any(is_of_use)
}

/// Whether `line` is a call whose result is not used, such as `main()`.
fn is_call(line: &str) -> bool {
    /// Calls that modules make when they are imported.
    const SETTINGS: [&str; 8] = ["sys.", "random.", "os.", "logging.", "np.", "numpy.", "warnings.", "signal."];
    let name = line.split('(').next().unwrap_or_default().trim_end();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let is_chain = || line.contains(").") && line.ends_with(')');
    let starts_with_letter = line.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts_with_letter
        && line.contains('(')
        && (is_name || is_chain())
        && !["print", "super", "assert", "del", "if", "for", "return"].contains(&name.trim())
        && !SETTINGS.iter().any(|setting| line.starts_with(setting))
        && !line.contains('=')
        || starts_with_letter && is_name && line.contains('(') && line.ends_with(')') && name.ends_with("main")
}

/// Whether the file `name` is a module that the program `other`, in the same directory, imports.
fn is_imported_by(name: &str, (other, text): (&str, &str)) -> bool {
    other != name
        && dir_of(other) == dir_of(name)
        && text.lines().filter_map(imported_module).any(|it| it == stem(name))
}

/// The module that a line of a program imports, without submodules.
fn imported_module(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "))?;
    let rest = rest.trim_start_matches('.').trim_start_matches("import ");
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

fn needs(files: &SubmittedFiles) -> Vec<String> {
    let mut needs = vec!["python3".to_owned()];
    let listed = files.called("requirements.txt").into_iter().flat_map(|(_, text)| text.lines());
    let listed = listed.filter_map(|line| line.split(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)).next());
    let lines = files.with_ending(&[".py"]).flat_map(|(_, text)| text.lines());
    let imported = lines.filter_map(imported_module).filter(|module| LIBRARIES.contains(module));
    for library in listed.filter(|name| name.len() <= 40).chain(imported).filter(|name| !name.is_empty()) {
        if !needs.iter().any(|known| known == library) && needs.len() < 12 {
            needs.push(library.to_owned());
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_program_if_it_does_something_when_it_is_run() {
        for (text, expected) in [
            ("def main():\n    play()\n\nmain()\n", true),
            ("def main():\n    play()\nmain ()  # go\n", true),
            ("class A:\n    pass\nA().run()\n", true),
            ("import player\nplayer.start('white', 'localhost', 0)\n", true),
            ("while True:\n    step()\n", true),
            ("if __name__ == '__main__':\n    main()\n", true),
            ("def main():\n    main()\n", false),
            ("random.seed(1)\nsys.setrecursionlimit(9)\nx = f()\n", false),
            ("\"\"\"Use it:\nmain()\n\"\"\"\nx = 1\n", false),
            ("# main()\nprint(1)\n", false),
        ] {
            assert_eq!(is_program(text), expected, "{text}");
        }
    }
}
