//! Whether a bot's sources flush what they write.

use super::super::language::Language;
use super::super::source_lines::{CodeLine, SourceCode};

/// What the sources say about flushing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushing<'a> {
    /// There are no sources, or none in a language that is understood.
    Unknown,
    /// Every write to the referee is flushed, or needs no flush.
    Always,
    /// This write is not flushed.
    Lacks(CodeLine<'a>),
}

/// How many lines below a write may hold its flush.
const NEAR: usize = 3;

/// Whether every write in `code` is flushed.
pub(super) fn flushing<'a>(code: &SourceCode<'a>) -> Flushing<'a> {
    if !code.is_known() {
        return Flushing::Unknown;
    }
    let lines: Vec<CodeLine<'a>> = code.lines().collect();
    let has = |words: &[&str]| lines.iter().any(|line| words.iter().any(|word| line.text.contains(word)));
    let never_buffers = match code.language {
        Language::Python => {
            code.command().iter().any(|word| word == "-u")
                // `input` flushes stdout before it reads.
                || has(&["line_buffering=True", "write_through=True", "buffering=0", "input("])
        }
        Language::C => has(&["setvbuf(", "setbuf(", "setlinebuf("]),
        Language::Cpp => has(&["setvbuf(", "setbuf(", "setlinebuf(", "unitbuf"]),
        Language::JavaScript => !has(&[".cork("]),
        Language::Java | Language::Rust | Language::Other => false,
    };
    if never_buffers {
        return Flushing::Always;
    }
    let has_auto_flush = lines.iter().any(|line| line.text.contains("PrintWriter(") && line.text.contains(", true"));
    let lacks = (0..lines.len()).find(|&at| {
        let near = &lines[at..lines.len().min(at + 1 + NEAR)];
        writes(code.language, lines[at].text, has_auto_flush) && !near.iter().any(|line| flushes(line.text))
    });
    lacks.map_or(Flushing::Always, |at| Flushing::Lacks(lines[at]))
}

/// Whether `line` writes to something that may keep it in a buffer, other than stderr.
fn writes(language: Language, line: &str, has_auto_flush: bool) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    match language {
        Language::Python => has(&["print(", ".write(", ".writelines("]) && !has(&["stderr", "flush=True", "def "]),
        Language::Java => {
            let line_end = has(&[".println(", ".printf(", ".format("]);
            // `System.out` flushes each print by itself.
            let is_out = has(&[".print(", ".println(", ".printf(", ".write(", ".append("])
                && !has(&["System.err", "System.out"]);
            is_out && !(line_end && has_auto_flush)
        }
        Language::C => {
            has(&["printf(", "puts(", "putchar(", "fputc(", "putc(", "fwrite("])
                && !has(&["stderr", "snprintf(", "sprintf("])
        }
        Language::Cpp => {
            let streams = line.contains("cout") && line.contains("<<") && !has(&["endl", "flush"]);
            let stdio = has(&["printf(", "puts(", "putchar(", "fwrite("]) && !has(&["stderr", "snprintf(", "sprintf("]);
            streams || stdio
        }
        Language::Rust => {
            // `println!` ends with a line feed, at which stdout flushes, unless the writer is another one.
            has(&["print!", "write!(", "writeln!(", ".write_all("]) && !has(&["eprint", "stderr", "println!"])
        }
        Language::JavaScript => line.contains(".cork("),
        Language::Other => false,
    }
}

/// Whether `line` flushes.
fn flushes(line: &str) -> bool {
    ["flush(", "flush=True", "fflush", "endl", "std::flush", "<< flush", "uncork("]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::super::super::SourceFiles;
    use super::*;

    /// The unflushed line of a bot whose only file is this one; `None` if each is flushed.
    fn lacking(name: &str, text: &str, command: &[&str]) -> Option<String> {
        let files = vec![(name.to_owned(), text.to_owned())];
        let sources = SourceFiles { files, command: command.iter().map(|word| (*word).to_owned()).collect() };
        match flushing(&SourceCode::new(&sources)) {
            Flushing::Lacks(line) => Some(line.text.trim().to_owned()),
            Flushing::Always => None,
            Flushing::Unknown => panic!("{name} is understood"),
        }
    }

    #[test]
    fn unflushed_writes_are_found_in_each_language() {
        for (name, text) in [
            ("a.py", "import sys\nprint('0.9.1 player black')\n"),
            ("a.py", "print('x', file=sys.stderr)\nf.write(line)\nx = 1\n"),
            ("a.py", "def say(line):\n    print(line, flush=True)\nprint(move)\n"),
            ("A.java", "PrintWriter out = new PrintWriter(s.getOutputStream());\nout.println(line);\n"),
            ("A.java", "PrintWriter out = new PrintWriter(s.getOutputStream(), true);\nout.print(line + \"\\r\");\n"),
            ("a.c", "fprintf(stderr, \"x\");\nprintf(\"%d %s\\n\", n, m);\n"),
            ("a.cpp", "std::cout << n << \" \" << m << \"\\n\";\n"),
            ("a.rs", "println!(\"x\");\nprint!(\"{line}\\r\");\n"),
            ("a.js", "process.stdout.cork();\n"),
        ] {
            assert!(lacking(name, text, &[]).is_some(), "{text}");
        }
    }

    #[test]
    fn flushed_writes_are_not() {
        for (name, text) in [
            ("a.py", "print('x', flush=True)\nprint('y', file=sys.stderr)\n"),
            ("a.py", "sys.stdout.write(line)\nsys.stdout.flush()\n"),
            ("a.py", "sys.stdout.reconfigure(line_buffering=True)\nprint(1)\n"),
            ("a.py", "line = input()\nprint(1)\n"),
            ("a.py", "sock.sendall(line)\n"),
            ("A.java", "out = new PrintWriter(s.getOutputStream(), true);\nout.println(line);\n"),
            ("A.java", "out.print(line);\nout.flush();\n"),
            ("a.c", "setvbuf(stdout, NULL, _IONBF, 0);\nprintf(\"x\");\n"),
            ("a.c", "printf(\"x\");\nfflush(stdout);\n"),
            ("a.cpp", "std::cout << line << std::endl;\n"),
            ("a.rs", "print!(\"{line}\\r\");\nio::stdout().flush().unwrap();\n"),
            ("a.js", "process.stdout.write(line);\n"),
        ] {
            assert_eq!(lacking(name, text, &[]), None, "{text}");
        }
        assert_eq!(lacking("a.py", "print(1)\n", &["python3", "-u", "a.py"]), None);
    }
}
