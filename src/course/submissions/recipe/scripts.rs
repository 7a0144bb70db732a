//! Bots in languages whose programs are started from source: JavaScript, Perl, Ruby and Lua.

use super::argument_words::ArgumentArray;
use super::asides::is_beside;
use super::course_files::is_no_player;
use super::literal;
use super::ranking::{FoundProgram, reads_arguments};
use super::source_text::code;
use super::submitted_files::{SubmittedFiles, dir_of, file_name, stem};

/// A language whose programs are started from source.
#[derive(Debug)]
struct ScriptLanguage {
    name: &'static str,
    endings: &'static [&'static str],
    /// The program that starts them.
    interpreter: &'static str,
    array: ArgumentArray<'static>,
    /// Text that occurs only in programs, not in their modules.
    signs: &'static [&'static str],
    /// Text with which a file that is both a program and a module finds out which of the two it is.
    guards: &'static [&'static str],
    /// The word before the name of a module of the same program.
    imports: &'static [&'static str],
    /// A library that a program needs for connections and that does not come with the language; the first string is the
    /// word that loads it.
    library: Option<(&'static str, &'static str)>,
}

const LANGUAGES: [ScriptLanguage; 4] = [
    ScriptLanguage {
        name: "JavaScript",
        endings: &[".js", ".mjs", ".cjs"],
        interpreter: "node",
        array: ArgumentArray::new("process.argv", 2),
        signs: &["process.", "net.connect", "createConnection"],
        guards: &[
            "require.main",
            "import.meta.main",
            "import.meta.url ==",
            "== import.meta.url",
            "process.argv[1] ==",
            "== process.argv[1]",
        ],
        imports: &["require(", "from "],
        library: None,
    },
    ScriptLanguage {
        name: "Perl",
        endings: &[".pl"],
        interpreter: "perl",
        array: ArgumentArray { name: "ARGV", first: 0, has_shift: true, is_vararg: false },
        signs: &["ARGV", "shift", "INET", "socket"],
        guards: &["caller"],
        imports: &["require ", "do "],
        library: None,
    },
    ScriptLanguage {
        name: "Ruby",
        endings: &[".rb"],
        interpreter: "ruby",
        array: ArgumentArray { name: "ARGV", first: 0, has_shift: true, is_vararg: false },
        signs: &["ARGV", "TCPSocket", "__FILE__"],
        guards: &["== $0", "$0 ==", "$PROGRAM_NAME"],
        imports: &["require ", "require_relative ", "load "],
        library: None,
    },
    ScriptLanguage {
        name: "Lua",
        endings: &[".lua"],
        interpreter: "lua",
        array: ArgumentArray { name: "arg", first: 1, has_shift: false, is_vararg: true },
        signs: &["arg[", "...", "socket"],
        guards: &["debug.getlocal", "arg[0]", "not ..."],
        imports: &["require", "dofile"],
        library: Some(("socket", "its library luasocket")),
    },
];

pub(super) fn find(files: &SubmittedFiles) -> Vec<FoundProgram<'_>> {
    let packaged = by_package(files);
    let is_packaged = |name: &str| packaged.as_ref().is_some_and(|program| program.source == name);
    let mut found: Vec<FoundProgram<'_>> = Vec::new();
    for language in &LANGUAGES {
        let sources: Vec<(&str, &str)> = files.with_ending(language.endings).collect();
        let programs = sources.iter().filter(|(name, text)| {
            !is_no_player(name, text) && !is_packaged(name) && language.signs.iter().any(|sign| text.contains(sign))
        });
        let programs: Vec<&(&str, &str)> = programs.collect();
        let imports = |(other, text): &(&str, &str), name: &str| {
            *other != name && !is_beside(other, name) && language.names_module(text, name)
        };
        let is_module = |(name, text): &(&str, &str)| {
            let is_startable = language.has_own_start(text);
            sources.iter().any(|other| imports(other, name) && (!is_startable || reads_arguments(other.1)))
        };
        let own: Vec<&&(&str, &str)> = programs.iter().filter(|program| !is_module(program)).collect();
        let chosen = if own.is_empty() { programs.iter().collect() } else { own };
        found.extend(chosen.into_iter().map(|(name, text)| language.program(&sources, name, text)));
    }
    packaged.into_iter().chain(found).collect()
}

impl ScriptLanguage {
    /// Whether a program with this `text` loads the file `name`.
    fn names_module(&self, text: &str, name: &str) -> bool {
        text.lines().any(|line| {
            let is_import = self.imports.iter().any(|word| line.contains(word));
            let quoted = line.split(['"', '\'']).skip(1).step_by(2);
            is_import && quoted.into_iter().any(|quoted| stem(quoted) == stem(name))
        })
    }

    /// Whether a module with this `text` can also be started as a program.
    fn has_own_start(&self, text: &str) -> bool {
        text.lines().map(code).any(|line| self.guards.iter().any(|guard| line.contains(guard)))
    }

    fn program<'a>(&self, sources: &[(&str, &'a str)], name: &'a str, text: &'a str) -> FoundProgram<'a> {
        let modules = sources.iter().filter(|(other, _)| *other != name && self.names_module(text, other));
        let texts: Vec<&str> = [text].into_iter().chain(modules.map(|(_, text)| *text)).collect();
        let text = texts.join("\n");
        let library = self.library.filter(|(word, _)| text.contains(word)).map(|(_, library)| library.to_owned());
        FoundProgram {
            source: name,
            text,
            started: file_name(name).to_owned(),
            array: self.array,
            said: None,
            language: self.name,
            dir: dir_of(name).to_owned(),
            build: None,
            start: vec![self.interpreter.to_owned(), literal(file_name(name))],
            needs: [self.interpreter.to_owned()].into_iter().chain(library).collect(),
            obstacles: Vec::new(),
        }
    }
}

/// The program that package.json names.
fn by_package(files: &SubmittedFiles) -> Option<FoundProgram<'_>> {
    let (name, text) = files.called("package.json")?;
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let start = package["scripts"]["start"]
        .as_str()
        .and_then(|start| start.strip_prefix("node ")?.split_whitespace().find(|word| !word.starts_with('-')));
    let main = start.or(package["main"].as_str()).unwrap_or("index.js").trim_start_matches("./").to_owned();
    let dir = dir_of(name);
    let path = if dir.is_empty() { main.clone() } else { format!("{dir}/{main}") };
    let (source, text) = files.with_ending(&[""]).find(|(source, _)| *source == path)?;
    let libraries =
        package["dependencies"].as_object().into_iter().flat_map(|libraries| libraries.keys().take(10).cloned());
    Some(FoundProgram {
        source,
        text: text.to_owned(),
        started: file_name(source).to_owned(),
        array: LANGUAGES[0].array,
        said: Some(format!("`{name}` names the program `{source}`")),
        language: "JavaScript",
        dir: dir.to_owned(),
        build: None,
        start: vec!["node".to_owned(), literal(&main)],
        needs: ["node".to_owned()].into_iter().chain(libraries).collect(),
        obstacles: Vec::new(),
    })
}
